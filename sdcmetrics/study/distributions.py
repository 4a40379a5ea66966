"""Whether and how a study compares distributions, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdcmetrics.errors import StudyError
from sdcmetrics.study.file import check_section

__all__ = ["Distributions", "make_distributions"]


@dataclass(frozen=True)
class Distributions:
    """Distances between distributions, each with a test by permuted labels.

    Attributes
    ----------
    energy : bool
        Whole records too, which takes longest: a minute for 20,000 of them.
    groups : tuple of names
        Columns whose levels are groups of people, each compared on its own.
    permutations : int
    """

    energy: bool = True
    groups: tuple[str, ...] = ()
    permutations: int = 999


def make_distributions(
    given: Distributions | Mapping[str, Any] | bool | None,  # noqa: FBT001  (what a caller gives)
) -> Distributions | None:
    """Make them of what a caller or a study file gives; None asks for none.

    Raises
    ------
    StudyError
        For an unknown entry, or a value of the wrong type or out of range.

    Examples
    --------
    >>> make_distributions({"groups": "sex"})
    Distributions(energy=True, groups=('sex',), permutations=999)
    """
    if given is None or given is False:
        return None
    if isinstance(given, Distributions):
        return given
    entries: Any = {} if given is True else given  # a caller may pass anything
    if not isinstance(entries, Mapping):
        msg = "distributions: expected entries such as groups and permutations."
        raise StudyError(msg)
    found = check_section("distributions", entries)
    return Distributions(
        found["energy"], tuple(dict.fromkeys(found["groups"])), found["permutations"]
    )
