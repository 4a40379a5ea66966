"""Whether and how a study compares distributions."""

from __future__ import annotations

from dataclasses import dataclass


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
