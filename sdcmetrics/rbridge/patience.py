"""A session with R that is given up after several failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sdcmetrics.errors import RError
from sdcmetrics.measures.twin import NEWEST, spelled
from sdcmetrics.rbridge.session import Session

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

    def ask(self, what: Callable[[], T]) -> T | RError:
        """Return R's answer, or the error that takes its place."""
        if self._deaths >= _DEATHS:
            return RError(f"R was given up after it failed {_DEATHS} times", kind="died")
        try:
            return what()
        except RError as error:
            if error.kind != "error":
                self._deaths += 1
            return error
