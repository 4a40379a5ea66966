"""Which attacks a study makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

AttackName = Literal[
    "membership", "exact matches", "singling out", "linkability", "attribute inference"
]
Intruder = Literal["forest", "cart", "boosting", "nearest"]
KINDS: tuple[AttackName, ...] = get_args(AttackName)


@dataclass(frozen=True)
class Attacks:
    """Attacks on the original beside the same on the holdout; they take seconds.

    Attributes
    ----------
    kinds : tuple of str
        "membership", "exact matches", "singling out", "linkability", "attribute inference".
    learner : "forest", "cart", "boosting" or "nearest"
        That infers targets; see `attribute_inference`.
    seeds : int
        How often 50 trees are grown for a forest, at most.
    columns : int
        In a description that singles out.
    links : mapping of replica to "row" or to a column
        Perturbed replicas whose records are linked back: see `record_linkage`.
    """

    kinds: tuple[AttackName, ...] = KINDS
    learner: Intruder = "forest"
    seeds: int = 10
    columns: int = 3
    links: Mapping[str, str] = field(default_factory=dict)
