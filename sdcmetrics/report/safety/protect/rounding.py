"""Counts of confidential records as multiples of a base, the same cell always the same way.

A keyed hash of the cell's name says where its rounding boundaries lie. So a count does not depend
on the replicas, the same cell is the same number in every report of a profile, and one more record
changes it for one key in `base`. The bounds that the audit proves hold even for who has the key.
"""

from __future__ import annotations

import hmac
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sdcmetrics.review.people import Copied
from sdcmetrics.study.profile import Profile

_LEAST_BASE = 5
"""With a smaller base two or three cells of one sum leave one solution only."""


@dataclass(frozen=True)
class Rounding:
    """Rounds counts; what is below `least` has one form whatever it is.

    Attributes
    ----------
    base : int
        Counts become multiples of it.
    least : int
        Counts below it are small: at least as many values as the base has, so that a small count
        is as uncertain as a large one.
    zeros : bool
        Whether an empty cell is small too.
    key : str
    """

    base: int
    least: int
    zeros: bool
    key: str = ""

    @classmethod
    def of(cls, profile: Profile) -> Rounding:
        """Return the rounding that a profile asks for."""
        base = max(profile.round_base, _LEAST_BASE)
        zeros = profile.zeros_disclosive
        return cls(base, max(profile.min_cell, base + (not zeros)), zeros, profile.key)

    @property
    def few(self) -> str:
        """What is too few, in words."""
        zero = ", zero included" if self.zeros else ""
        return f"fewer than {self.least} original records{zero}"

    @property
    def rule_small(self) -> str:
        """The rule on small counts, in words."""
        return f"Counts and shares of {self.few}"

    def small(self, count: float) -> bool:
        """Whether so many confidential records are too few to be told."""
        return self.zeros if count == 0 else count < self.least

    def __call__(self, count: float, *cell: str) -> int:
        """Return the protected count of a cell; 0 or 1 stands for every small count.

        Examples
        --------
        >>> rounding = Rounding(base=5, least=10, zeros=True)
        >>> [rounding(count, "sex", "f") for count in (0, 1, 9, 10, 17, 203)]
        [0, 0, 0, 15, 15, 200]
        """
        if self.small(count):
            return 0 if self.zeros else 1
        if count == 0:
            return 0
        shift = self._shift(cell)
        return self.base * max(math.floor((count + shift) / self.base), self._first(shift))

    def records(self, count: float) -> int:
        """Return the protected number of records of any kind, by one set of boundaries for all.

        Many measures count the same records, or a part of them: with boundaries of their own they
        would narrow each other down, and a part could look larger than the whole.
        """
        return self(count, "records")

    def ends(self, shown: int, *cell: str) -> tuple[int, int]:
        """Return the least and the largest count that is shown so, for who has the key."""
        if self.small(shown):
            return (0 if self.zeros else 1), self.least - 1
        if shown == 0:
            return 0, 0
        shift = self._shift(cell)
        low = self.least if shown == self.base * self._first(shift) else shown - shift
        return low, shown - shift + self.base - 1

    def about(self, shown: int) -> tuple[int, int]:
        """Return the least and the largest count that may be shown so, for who has no key."""
        low = shown - self.base + 1
        is_first = low < self.least + self.base  # or may be: it stands for all from `least` on
        return self.least if is_first else low, shown + self.base - 1

    def _first(self, shift: int) -> int:
        """Return the first multiple that stands for `base` counts or more."""
        return math.ceil((self.least + shift) / self.base)

    def _shift(self, cell: tuple[str, ...]) -> int:
        name = "\x1f".join(cell).encode()
        digest = hmac.digest(self.key.encode(), name, "sha256")
        return int.from_bytes(digest[:8]) % self.base


def protected_copies(each: Iterable[Copied], rounding: Rounding) -> tuple[Copied, ...]:
    """Return the counts of every synthesis, rounded."""
    records = rounding.records
    return tuple(
        replace(
            copy,
            n=records(copy.n),
            copied=records(copy.copied),
            singled_out=None if copy.singled_out is None else records(copy.singled_out),
            n_near=records(copy.n_near),
            others=None,
            n_others=0,
        )
        for copy in each
    )
