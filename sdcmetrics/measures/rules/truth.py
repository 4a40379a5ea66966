"""Truth of records in three values: yes, no, and unknown where a missing value leaves it open."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.microdata.arrays import Bools


@dataclass(frozen=True)
class Truth:
    """What is known of a condition, record by record (Kleene's logic, as in SQL and R).

    Attributes
    ----------
    yes, no : bool arrays of one shape
        Never both true; where neither is, the condition is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> truth = Truth(np.array([True, False, False]), np.array([False, True, False]))
    >>> (truth | ~truth).yes.tolist()  # not even "A or not A" is known where A is not
    [True, True, False]
    """

    yes: Bools
    no: Bools

    @property
    def unknown(self) -> Bools:
        """Where neither yes nor no is known."""
        return ~(self.yes | self.no)

    def __invert__(self) -> Truth:
        """Not."""
        return Truth(self.no, self.yes)

    def __and__(self, other: Truth) -> Truth:
        """Both: no as soon as one is no, whatever the other."""
        return Truth(self.yes & other.yes, self.no | other.no)

    def __or__(self, other: Truth) -> Truth:
        """One of both: yes as soon as one is yes, whatever the other."""
        return Truth(self.yes | other.yes, self.no & other.no)

    def same(self, other: Truth) -> Truth:
        """Both yes or both no; unknown where one of them is."""
        return (self & other) | (~self & ~other)

    def choose(self, then: Truth, otherwise: Truth) -> Truth:
        """`then` where this is yes, `otherwise` where it is no; what both agree on elsewhere."""
        return (self & then) | (~self & otherwise) | (then & otherwise)
