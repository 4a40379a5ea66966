"""One child process that runs R: started, asked, ended with a reason."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import RError
from sdcmetrics.rbridge.wire import read_message, write_message

WORKER = (sys.executable, "-m", "sdcmetrics.rbridge.worker")

_MEANING = {
    "SIGSEGV": "a segmentation fault inside R",
    "SIGABRT": "R gave up, for want of memory or after an internal error",
    "SIGBUS": "a memory fault inside R",
    "SIGKILL": "by hand, or by the system because memory ran out",
    "SIGTERM": "by hand",
}
_SHOWN = 2000


class RProcess:
    """A child process that answers one request after the other.

    Parameters
    ----------
    settings : dict
        The first message.
    timeout : float or None
        Seconds for R to start.
    command : sequence of str
        What to start; the tests put a process in that misbehaves.

    Raises
    ------
    RError
        If R does not start.
    """

    def __init__(
        self,
        settings: dict[str, Any],
        *,
        timeout: float | None,
        command: Sequence[str] = WORKER,
    ) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        self._child = subprocess.Popen(  # noqa: S603  (our own interpreter, or a test's)
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is answered here, by ending the child
        )
        hello = self._exchange(settings, timeout, "starting")
        if "failed" in hello:
            reason, output = str(hello["failed"]), self._last_words()
            self.end()
            raise RError(reason, kind="unavailable", output=output)
        self.versions: dict[str, str] = hello["ready"]

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.poll() is None

    def ask(self, name: str, arguments: dict[str, Any], timeout: float | None) -> dict[str, Any]:
        """Call one function of adapters.R and wait for its answer.

        Raises
        ------
        RError
            If the process dies or does not answer in time. It is gone then.
        """
        return self._exchange((name, arguments), timeout, f"in {name}")

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._child.kill()  # which does nothing to one that has ended
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not sent yet has no reader
                    stream.close()
        self._child.wait()
        self._output.close()

    def _exchange(self, message: Any, timeout: float | None, doing: str) -> dict[str, Any]:
        assert self._child.stdin is not None  # noqa: S101  (both were asked for as pipes)
        assert self._child.stdout is not None  # noqa: S101
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._child.kill()

        timer = None if timeout is None else threading.Timer(timeout, give_up)
        if timer is not None:
            timer.daemon = True
            timer.start()
        started = time.monotonic()
        try:
            write_message(self._child.stdin, message)  # type: ignore[arg-type]  # a binary pipe
            reply: dict[str, Any] = read_message(self._child.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError):
            raise self._post_mortem(doing, started, timeout if late.is_set() else None) from None
        except BaseException:
            self.end()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        return reply

    def _post_mortem(self, doing: str, started: float, timeout: float | None) -> RError:
        # The pipe is closed a moment before the process is gone.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=10)
        status = self._child.poll()
        seconds = time.monotonic() - started
        output = self._last_words()
        self.end()
        if timeout is not None:
            reason = f"R gave no answer in {timeout:g} s {doing}, and was ended"
            return RError(reason, kind="timeout", output=output)
        if status is not None and status < 0:
            name = _signal_name(-status)
            meaning = f", {_MEANING[name]}" if name in _MEANING else ""
            reason = f"R was killed by signal {-status} ({name}{meaning}) after {seconds:.1f} s "
            return RError(reason + doing, kind="died", output=output)
        reason = f"R stopped with exit status {status} after {seconds:.1f} s {doing}"
        return RError(reason, kind="died", output=output)

    def _last_words(self) -> str:
        self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, self._output.tell() - _SHOWN))
        return self._output.read().decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    """Let the child find this very package, and read texts as UTF-8."""
    package = str(Path(__file__).parents[2])
    old = os.environ.get("PYTHONPATH")
    changed = {"PYTHONPATH": package if not old else os.pathsep.join([package, old])}
    # One thread: R's own arithmetic uses one, and every further one reserves memory.
    changed |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or ""
    if "utf" not in locale.lower():
        changed |= {"LC_ALL": "C.UTF-8"}
    return {**os.environ, **changed}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
