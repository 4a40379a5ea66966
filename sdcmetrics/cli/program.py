"""A run of the command line, from its arguments to its exit code.

Exit codes: 0 done; 1 an answer that ``--fail-on`` names, or a worse one, or an unexplained
difference from synthpop; 2 wrong usage; 3 a file, a column or the study is wrong, or the disk is
full; 4 a release was refused, or a checker's report blocked; 5 something unforeseen; 6 a
bundle is as it was signed, but withdrawn; 130 interrupted, 143 terminated, 141 the reader of the
output went away.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Never

import click

from sdcmetrics.cli.app import app
from sdcmetrics.errors import ReleaseBlocked, SdcMetricsError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CUT_OFF = 128 + 13
"""What a shell reports of a program whose output nobody reads: 128 and the number of SIGPIPE."""
_OBJECTS = 100_000
"""New objects between searches for garbage: what wide data leave behind lives to the end of a
command, and looking through it again and again takes a seventh of the time."""

_AGAIN = 0.05
"""Seconds until a request to end that was dropped is made again."""


class _Terminated(KeyboardInterrupt):
    """A signal that ends the program; everything that ctrl-C tidies up is tidied up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> None:
    """Run the command line; every foreseen error becomes one message and an exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the program
            setattr(sys, name, io.StringIO())
    gc.set_threshold(_OBJECTS, 50, 100)
    atexit.register(_leave_the_rest)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name beyond the terminal's alphabet
    try:
        try:
            with _signals(), app.make_context("sdcmetrics", sys.argv[1:]) as context:
                app.invoke(context)
        finally:
            sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ReleaseBlocked as error:
        _stop(str(error), 4)
    except SdcMetricsError as error:
        _stop(str(error), 3)
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, _Terminated) else signal.SIGINT
        _stop("interrupted" if number == signal.SIGINT else "terminated", 128 + number)
    except Exception as error:  # noqa: BLE001  (a message of a library may hold a data value)
        _stop_unforeseen(error)
    sys.exit(0)


def _leave_the_rest() -> None:
    """Skip the garbage collection at exit, which takes up to half a second.

    DuckDB would tell the user of each object that Python leaves to the operating system.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()


@contextmanager
def _signals() -> Iterator[None]:
    """Handle requests to end the program like ctrl-C, unless a handler is installed.

    A request that comes while a library's callback or a destructor runs, as in one of ten moments
    of compiling, is dropped with it, as nothing can be raised there: it is made again.
    """

    def end(number: int, _: object) -> None:
        raise _Terminated(number)

    def ask_again(dropped: sys.UnraisableHookArgs) -> None:
        request = dropped.exc_value
        if not isinstance(request, KeyboardInterrupt):
            usual(dropped)
            return
        number = request.number if isinstance(request, _Terminated) else signal.SIGINT
        later.append(threading.Timer(_AGAIN, _ask_to_end, (number,)))
        later[-1].daemon = True
        later[-1].start()

    later: list[threading.Timer] = []
    usual, sys.unraisablehook = sys.unraisablehook, ask_again
    taken = []
    with suppress(ValueError):  # not the main thread
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    finally:
        for timer in later:
            timer.cancel()
        sys.unraisablehook = usual
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _ask_to_end(number: int) -> None:
    """Send a signal to the main thread, which wakes it wherever it waits."""
    if os.name == "posix":
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


def _stop_unforeseen(error: Exception) -> Never:
    if isinstance(error, BrokenPipeError):  # `| head`
        _stop("the output was cut off: nobody reads it any more", _CUT_OFF)
    if isinstance(error, OSError) and error.errno in _FULL:
        _stop(f"{error.strerror}. Make room, and start again.", 3)
    if _is_memory(error):
        _stop(
            "there is too little memory. Close other programs, name fewer columns in variables, or "
            "write the data as Parquet, which is counted in batches.",
            3,
        )
    _stop(f"unforeseen {_kind(error)} {_place(error)}. Please report it.", 5)


def _is_memory(error: Exception) -> bool:
    """Whether an error says that memory or threads ran out, in Python, numpy or Arrow."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) in (
        errno.ENOMEM,
        errno.EAGAIN,
    ):
        return True
    words = ("bad_alloc", "can't start new thread", "Resource temporarily unavailable")
    return any(word in str(error) for word in words)


def _kind(error: Exception) -> str:
    """Return the kind of an error in words, with no text but the operating system's."""
    reason = error.strerror if isinstance(error, OSError) else None
    return type(error).__name__ + (f" ({reason})" if reason else "")


def _place(error: BaseException) -> str:
    """Return where an error was raised, in this package and below, without its text."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(__file__).parents[1] in Path(frame.filename).parents]
    places = dict.fromkeys(
        f"{Path(frame.filename).name}:{frame.lineno}" for frame in (*own[-1:], *frames[-1:])
    )
    return "at " + ", ".join(places)


def _stop(message: str, code: int) -> Never:
    from sdcmetrics.cli.terminal import one_line

    with suppress(OSError):
        for line in message.splitlines() or [""]:
            sys.stderr.write(f"sdcmetrics: {one_line(line)}\n")
    try:
        sys.stdout.flush()
    except OSError:  # Python would try once more, and end with a code of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
