"""Parts of a study that are measured only where they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from sdcmetrics.errors import StudyError
from sdcmetrics.study.file import check_section

T = TypeVar("T")


def asked_for(section: str, kind: type[T], given: T | Mapping[str, Any] | bool | None) -> T | None:  # noqa: FBT001  (what a caller gives)
    """Make a part of a study of what a caller or a study file gives; None asks for none.

    Raises
    ------
    StudyError
        For an unknown entry, or a value of the wrong type or out of range.

    Examples
    --------
    >>> from sdcmetrics.study.propensity import Propensity
    >>> asked_for("propensity", Propensity, {"methods": "logit"})
    Propensity(methods=('logit',), maxorder=0)
    """
    if given is None or given is False:
        return None
    if isinstance(given, kind):
        return given
    entries: Any = {} if given is True else given  # a caller may pass anything
    if not isinstance(entries, Mapping):
        known = ", ".join(kind.__annotations__)
        msg = f"{section}: expected true, or entries such as {known}."
        raise StudyError(msg)
    found = check_section(section, entries)
    lists = {name: tuple(dict.fromkeys(one)) for name, one in found.items() if type(one) is list}
    return kind(**{**found, **lists})
