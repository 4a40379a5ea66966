"""Call one function of synthpop on a handle, and say which known defect an error comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdcmetrics.errors import RError
from sdcmetrics.rbridge import defects
from sdcmetrics.rbridge.session import Answer, Session
from sdcmetrics.rbridge.synds import Synds

__all__ = ["call", "in_order", "only_given", "with_defects"]


def call(synds: Synds, name: str, function: str, **arguments: Any) -> Answer:
    """Ask `adapters.R` for a function of synthpop, called `function` in messages.

    Raises
    ------
    RError
        With the text of R's error, and the defect behind it where that is known.
    """
    try:
        return synds.session.call(f"adapt_{name}", id=synds.send(), **arguments)
    except RError as error:
        raise with_defects(error, function, synds) from None


def with_defects(error: RError, function: str, synds: Synds | None = None) -> RError:
    """Return the error with the function's name and the number of the defect behind it."""
    if error.kind != "error":
        return error
    known = defects.explain_error(error.reason)
    if not known and synds is not None and "synorig.compare()" in error.reason:
        # Tables of unlike shape: the data tell what of it is the cause.
        known = tuple(n for n in synds.defects if n in ("A9", "B1"))[:1]
    hint = "".join(f" [{number}: {defects.KNOWN[number]}]" for number in known)
    reason = f"synthpop's {function} stopped: {error.reason}{hint}"
    return RError(reason, kind="error", defects=known, output=error.output, warnings=error.warnings)


def only_given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out options that were not given, so that synthpop's own defaults hold."""
    return {name: value for name, value in options.items() if value is not None}


def in_order(names: list[str], columns: list[str]) -> list[str]:
    """Return names in the order of the columns, as synthpop takes them."""
    return [name for name in columns if name in names]


def run(session: Session, name: str, function: str, **arguments: Any) -> Answer:
    """Ask for a function that takes no handle."""
    try:
        return session.call(f"adapt_{name}", **arguments)
    except RError as error:
        raise with_defects(error, function) from None
