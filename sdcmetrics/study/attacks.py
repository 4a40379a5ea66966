"""Which attacks a study makes, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean

__all__ = ["KINDS", "Attacks", "make_attacks"]

KINDS = ("membership", "exact matches", "singling out", "linkability", "attribute inference")
_LEARNERS = ("forest", "cart", "boosting", "nearest")


@dataclass(frozen=True)
class Attacks:
    """Attacks on the original beside the same on the holdout; they take seconds to minutes.

    Attributes
    ----------
    kinds : tuple of str
        "membership", "exact matches", "singling out", "linkability", "attribute inference".
    learner : "forest", "cart", "boosting" or "nearest"
        That infers targets; see `attribute_inference`.
    seeds : int
        How many forests are grown.
    columns : int
        In a description that singles out.
    links : mapping of replica to "row" or to a column
        Perturbed replicas whose records are linked back: see `record_linkage`.
    """

    kinds: tuple[str, ...] = KINDS
    learner: str = "forest"
    seeds: int = 10
    columns: int = 3
    links: Mapping[str, str] = field(default_factory=dict)


def make_attacks(given: Attacks | Mapping[str, Any] | bool | None) -> Attacks | None:  # noqa: FBT001  (what a caller gives)
    """Make the attacks of what a caller or a study file gives; None asks for none.

    Raises
    ------
    StudyError
        For an unknown entry, attack or learner, or a number below 1.

    Examples
    --------
    >>> make_attacks({"kinds": "membership"}).kinds
    ('membership',)
    """
    if given is None or given is False:
        return None
    if isinstance(given, Attacks):
        return given
    entries: Any = {} if given is True else given  # a caller may pass anything
    if not isinstance(entries, Mapping):
        msg = "attacks: expected true, or entries such as kinds and learner."
        raise StudyError(msg)
    known = tuple(Attacks.__dataclass_fields__)
    for name in entries:
        if name not in known:
            msg = f"attacks: unknown entry {name!r}.{did_you_mean(str(name), known)}"
            raise StudyError(msg)
    found = dict(entries)
    kinds = found.get("kinds", KINDS)
    found["kinds"] = (kinds,) if isinstance(kinds, str) else tuple(dict.fromkeys(kinds))
    wanted: list[tuple[str, Any, tuple[str, ...]]] = [
        ("kinds", one, KINDS) for one in found["kinds"]
    ]
    wanted.append(("learner", found.get("learner", "forest"), _LEARNERS))
    for entry, one, choice in wanted:
        if one not in choice:
            hint = did_you_mean(str(one), choice)
            msg = f"attacks: {entry}: expected some of {', '.join(choice)} but got {one!r}.{hint}"
            raise StudyError(msg)
    for entry in ("seeds", "columns"):
        number = found.get(entry, 1)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            msg = f"attacks: {entry}: expected a whole number of at least 1."
            raise StudyError(msg)
    if not isinstance(found.get("links", {}), Mapping):
        msg = 'attacks: links: expected replicas by name, such as {perturbed = "row"}.'
        raise StudyError(msg)
    return Attacks(**found)
