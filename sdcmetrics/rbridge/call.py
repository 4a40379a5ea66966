"""Call one function of synthpop on a handle, and say which known defect an error comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from sdcmetrics.errors import RError, StudyError
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.rbridge import defects
from sdcmetrics.rbridge.session import Answer, Session
from sdcmetrics.rbridge.synds import Synds

__all__ = ["call", "in_order", "known", "only_given", "run", "with_defects"]


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
    numbers = defects.explain_error(error.reason)
    if not numbers and synds is not None and "synorig.compare()" in error.reason:
        # Tables of unlike shape: the data tell what of it is the cause.
        numbers = tuple(n for n in synds.defects if n in ("A9", "B1"))[:1]
    hint = "".join(f" [{number}: {defects.KNOWN[number]}]" for number in numbers)
    reason = f"synthpop's {function} stopped: {error.reason}{hint}"
    return RError(
        reason, kind="error", defects=numbers, output=error.output, warnings=error.warnings
    )


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


def known(names: list[str], synds: Synds) -> list[str]:
    """Return names of variables, all of which the handle has.

    Raises
    ------
    StudyError, ColumnError
        If there is none, or one is unknown or given twice.
    """
    if not names:
        msg = "variables: expected at least one column name but got none."
        raise StudyError(msg)
    header = pa.table({name: pa.array([], pa.null()) for name in synds.columns})
    check_names(names, Microdata(header, "the data"), "variable")
    return names
