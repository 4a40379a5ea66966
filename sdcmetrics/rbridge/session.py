"""A session with R: one process that is started when needed, and again after it died."""

from __future__ import annotations

import atexit
import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from sdcmetrics.errors import RError
from sdcmetrics.measures.twin import NEWEST, spelled
from sdcmetrics.rbridge.installation import R_CODE
from sdcmetrics.rbridge.process import WORKER, RProcess

__all__ = ["Answer", "RError", "Session", "default_session"]

_OUT_OF_MEMORY = ("cannot allocate", "memory exhausted", "std::bad_alloc", "MemoryError")


@dataclass(frozen=True)
class Answer:
    """R's result, and its messages and warnings.

    Attributes
    ----------
    value : the flat tables of adapters.R
    output : what R printed, messages included
    warnings : R's warnings
    """

    value: Any
    output: str = ""
    warnings: tuple[str, ...] = ()


class Session:
    """R in a process of its own.

    Parameters
    ----------
    timeout : float or None
        Seconds after which a call is given up and R is ended; None waits for ever.
    memory_mb : int or None
        Megabytes that R may take beyond what it needs to start; None sets no limit.
    command : sequence of str
        What to start; for tests.

    Notes
    -----
    A session is used as it is, or in a ``with`` statement that ends R at its end. After a crash
    the next call starts R anew and sends the data again.

    Examples
    --------
    >>> session = Session(timeout=60, memory_mb=4000)
    >>> session.running
    False
    """

    def __init__(
        self,
        *,
        timeout: float | None = 600,
        memory_mb: int | None = None,
        command: Sequence[str] = WORKER,
    ) -> None:
        self.timeout = timeout
        self.memory_mb = memory_mb
        self._command = tuple(command)
        self._process: RProcess | None = None
        self._sent: set[str] = set()
        self._forgotten: list[str] = []

    @property
    def running(self) -> bool:
        """Whether R is running."""
        return self._process is not None and self._process.alive

    @property
    def pid(self) -> int | None:
        """Number of the process that runs R, or None."""
        return self._process.pid if self._process is not None and self.running else None

    @property
    def versions(self) -> dict[str, str]:
        """Versions of R and synthpop; starts R."""
        return dict(self._started().versions)

    def call(self, name: str, /, **arguments: Any) -> Answer:
        """Call one function of adapters.R.

        Raises
        ------
        RError
            If R is not available, stops with an error, dies, or does not answer in time.
        """
        process = self._started()
        try:
            if self._forgotten:
                ids, self._forgotten = self._forgotten, []
                process.ask("forget", {"ids": ids}, self.timeout)
            reply = process.ask(name, arguments, self.timeout)
        except RError:
            self._process = None
            self._sent.clear()
            raise
        return _answer(name, reply)

    def keep(self, id_: str, payload: dict[str, Any]) -> Answer:
        """Send a pair of data sets, unless R has it already."""
        self._started()
        if id_ in self._sent:
            return Answer(None)
        answer = self.call("keep", id=id_, **payload)
        self._sent.add(id_)
        return answer

    def forget(self, id_: str) -> None:
        """Let R drop a pair of data sets, with the next call."""
        if id_ in self._sent:
            self._sent.discard(id_)
            self._forgotten.append(id_)

    def close(self) -> None:
        """End R."""
        if self._process is not None:
            self._process.end()
        self._process = None
        self._sent.clear()
        self._forgotten.clear()

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End R."""
        self.close()

    def _started(self) -> RProcess:
        if self._process is not None and not self._process.alive:
            self.close()
        if self._process is None:
            adapters = str(R_CODE / "adapters.R")
            settings = {"adapters": adapters, "memory_mb": self.memory_mb}
            try:
                process = RProcess(settings, timeout=self.timeout, command=self._command)
            except RError as error:
                raise _why_not(error) from None
            self._process = process
            weakref.finalize(self, process.end)
        return self._process


def _why_not(error: RError) -> RError:
    """Return what to install where R does not start."""
    from sdcmetrics.rbridge.installation import remedy

    if error.kind != "unavailable":
        return error
    return RError(remedy(error.reason, error.output), kind="unavailable", output=error.output)


def _answer(name: str, reply: dict[str, Any]) -> Answer:
    messages = "".join(reply.get("messages") or ())
    output = messages + str(reply.get("output") or "")
    warnings = tuple(str(text) for text in reply.get("warnings") or ())
    if "broken" in reply:
        reason = f"the values of {name} could not be passed to or from R: {reply['broken']}"
        raise RError(reason, kind="broken", output=output, warnings=warnings)
    if "error" not in reply:
        return Answer(reply.get("value"), output, warnings)
    text = _text(reply["error"])
    if any(sign in text for sign in _OUT_OF_MEMORY):
        reason = f"R ran out of memory in {name}: {text}"
        raise RError(reason, kind="memory", output=output, warnings=warnings)
    raise RError(text, kind="error", output=output, warnings=warnings)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(str(part) for part in value).strip()
    return str(value)


_default: Session | None = None
_numbers = itertools.count(1)


def new_id() -> str:
    """Return a name that no other pair of data sets has."""
    return f"pair_{next(_numbers)}"


def default_session() -> Session:
    """Return the session that is used where none is named."""
    global _default  # noqa: PLW0603  (one session a Python process)
    if _default is None:
        _default = Session()
        atexit.register(_default.close)
    return _default


T = TypeVar("T")
_DEATHS = 3


class Patience:
    """A session that may fail a few times: each failure is returned, not raised."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._deaths = 0

    @property
    def version(self) -> str:
        """Version of synthpop that answers."""
        return spelled(self.session.versions.get("synthpop", NEWEST))

    def ask(self, question: Callable[[], T]) -> T | RError:
        """Return R's answer, or the error that takes its place."""
        if self._deaths >= _DEATHS:
            return RError(f"R was given up after it failed {_DEATHS} times", kind="died")
        try:
            return question()
        except RError as error:
            if error.kind != "error":
                self._deaths += 1
            return error
