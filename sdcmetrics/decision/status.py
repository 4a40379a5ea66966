"""The four answers to a question, and which is worse."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    """What is answered, worst last; "not judged" is no approval, and worse than "within"."""

    WITHIN = "within"
    NOT_JUDGED = "not judged"
    REVIEW = "review"
    FAIL = "fail"


_ORDER = list(Status)


def severity(status: Status) -> int:
    """Return 0 for "within" to 3 for "fail"."""
    return _ORDER.index(status)


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; "not judged" where there is none.

    Examples
    --------
    >>> worst([Status.WITHIN, Status.REVIEW, Status.NOT_JUDGED]).value
    'review'
    >>> worst([]).value
    'not judged'
    """
    return max(statuses, key=severity, default=Status.NOT_JUDGED)
