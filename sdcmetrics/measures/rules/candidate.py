"""A relation that holds in the original, found by looking, before it is a rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sdcmetrics.measures.expressions.tree import Node

_CHANCE = 0.01


@dataclass(frozen=True)
class Candidate:
    """A relation that all original records keep and some records of a replica break.

    Attributes
    ----------
    node : Node
    kind : str
        What sort of relation it is, in a word or two.
    columns : frozenset of str
    expected : float
        Original records that would break it if its columns had nothing to do with each other:
        the larger, the more remarkable that none does. NaN where one column stands alone.
    broken : float
        Share of the replicas' records that break it, as far as is known before it is evaluated.
    """

    node: Node
    kind: str
    columns: frozenset[str]
    expected: float
    broken: float


def least_expected(tested: int) -> float:
    """Return how many breaking records must be expected before their absence is remarkable.

    Where E are expected, none at all turns up with probability exp(-E) (Poisson). Over all
    relations that were tested, less than one in a hundred searches is to report one by chance
    (Bonferroni).

    Examples
    --------
    >>> round(least_expected(10_000), 1)  # log(10,000 / 0.01)
    13.8
    """
    return math.log(max(tested, 1) / _CHANCE)
