"""A number together with the evidence behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Counted", "Share"]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of records: how many of how many.

    Examples
    --------
    >>> share = Share(count=3, total=12)
    >>> share.percent
    25.0
    >>> Share(count=0, total=0).proportion
    nan
    """

    count: int
    total: int

    @property
    def proportion(self) -> float:
        """Count over total, 0 to 1; NaN where there is nothing to count."""
        return self.count / self.total if self.total else math.nan

    @property
    def percent(self) -> float:
        """Count over total in percent, computed as 100 * count / total."""
        return 100.0 * self.count / self.total if self.total else math.nan


@dataclass(frozen=True, slots=True)
class Counted:
    """A number with the records that it rests on: so many of so many."""

    value: float
    count: float
    total: float
