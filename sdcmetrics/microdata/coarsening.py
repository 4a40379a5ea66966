"""Coarser values: numbers in bands, dates to months or years, levels in groups.

What a coarser value is called follows from the rule alone, so that it tells nothing of the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import label_of, labels_of

PERIODS = {"month": "M", "quarter": "M", "year": "Y"}
REST = "*"
"""In place of the levels of a group: all that no other group names."""
_ALMOST = 1e-9
"""Share of a band by which a quotient may miss a whole number: 0.3 / 0.1 is 2.9999999999999996."""


@dataclass(frozen=True)
class Steps:
    """Bands of one width that begin at its multiples.

    Examples
    --------
    >>> Steps(5).coarsened(np.array([15.0, 19.0, 20.0]), Kind.NUMBER)
    ['15 to under 20', '15 to under 20', '20 to under 25']
    """

    width: float

    kinds = (Kind.NUMBER,)

    @property
    def words(self) -> str:
        """What is done, in words."""
        return f"bands of {label_of(self.width)}"

    def coarsened(self, values: Floats, kind: Kind) -> list[str | None]:  # noqa: ARG002
        """Return the band of each number."""
        with np.errstate(over="ignore", invalid="ignore"):  # of a number too large for its band
            quotient = values / self.width
            nearest = np.rint(quotient)
            near = np.abs(quotient - nearest) <= _ALMOST * np.maximum(1.0, np.abs(quotient))
        place, back = np.unique(np.where(near, nearest, np.floor(quotient)), return_inverse=True)
        low, high = labels_of(place * self.width), labels_of((place + 1) * self.width)
        names = [f"{a} to under {b}" for a, b in zip(low, high, strict=True)]
        return [names[i] for i in back]


@dataclass(frozen=True)
class Bands:
    """Bands between increasing bounds: each has its lower one, the last its upper one too.

    Examples
    --------
    >>> Bands((0, 1000, 2000)).coarsened(np.array([999.0, 2000.0, 2001.0]), Kind.NUMBER)
    ['0 to under 1000', '1000 to 2000', None]
    >>> Bands((-math.inf, 0, math.inf)).coarsened(np.array([-1.0, 0.0]), Kind.NUMBER)
    ['under 0', '0 and more']
    """

    bounds: tuple[float, ...]

    kinds = (Kind.NUMBER,)

    @property
    def words(self) -> str:
        """What is done, in words."""
        return ", ".join(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """What the bands are called."""
        last = len(self.bounds) - 2
        return tuple(
            _between(low, high, closed=i == last)
            for i, (low, high) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True))
        )

    def coarsened(self, values: Floats, kind: Kind) -> list[str | None]:  # noqa: ARG002
        """Return the band of each number; None outside the bounds."""
        place = np.searchsorted(self.bounds, values, side="right") - 1
        place[values == self.bounds[-1]] = len(self.bounds) - 2
        names = [*self.names, None, None]  # beyond the last bound, and at -1 below the first
        return [names[i] for i in place]


def _between(low: float, high: float, *, closed: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(low):
        return f"{'up to' if closed else 'under'} {label_of(high)}"
    if math.isinf(high):
        return f"{label_of(low)} and more"
    return f"{label_of(low)} to {'' if closed else 'under '}{label_of(high)}"


@dataclass(frozen=True)
class Periods:
    """Dates to the month, the quarter or the year.

    Examples
    --------
    >>> Periods("quarter").coarsened(np.array([0.0]), Kind.DATE)
    ['1970, quarter 1']
    """

    unit: str

    kinds = (Kind.DATE,)

    @property
    def words(self) -> str:
        """What is done, in words."""
        return f"dates to the {self.unit}"

    def coarsened(self, values: Floats, kind: Kind) -> list[str | None]:  # noqa: ARG002
        """Return the period of each date, given in milliseconds since 1970."""
        stamps = (
            np.floor(values).astype("datetime64[ms]").astype(f"datetime64[{PERIODS[self.unit]}]")
        )
        texts = stamps.astype(str).tolist()
        if self.unit == "quarter":
            return [f"{t[:-3]}, quarter {(int(t[-2:]) + 2) // 3}" for t in texts]
        return [*texts]


@dataclass(frozen=True)
class Levels:
    """Groups of levels.

    Attributes
    ----------
    groups : dict of group to its levels
    rest : str
        The group of all other levels; empty where every level has to be named.

    Examples
    --------
    >>> Levels({"north": ("1", "2")}, rest="south").named(["1", "5"])
    ['north', 'south']
    """

    groups: Mapping[str, tuple[str, ...]]
    rest: str = ""

    kinds = (Kind.CATEGORY, Kind.BOOLEAN, Kind.NUMBER)

    @property
    def words(self) -> str:
        """What is done, in words."""
        return f"levels in {len(self.names)} group{'s' if len(self.names) > 1 else ''}"

    @property
    def names(self) -> tuple[str, ...]:
        """What the groups are called."""
        return tuple(dict.fromkeys([*self.groups, *([self.rest] if self.rest else [])]))

    def named(self, levels: Sequence[str]) -> list[str | None]:
        """Return the group of each level; None where none names it."""
        place = {level: group for group, members in self.groups.items() for level in members}
        return [place.get(level, self.rest or None) for level in levels]

    def coarsened(self, values: Floats, kind: Kind) -> list[str | None]:  # noqa: ARG002
        """Return the group of each number, which stands for a level."""
        return self.named(labels_of(values))


Coarsening = Steps | Bands | Periods | Levels


def in_order(rule: Coarsening, names: Sequence[str]) -> list[str]:
    """Return the coarser values that there are, as the rule has them in order.

    Examples
    --------
    >>> in_order(Steps(5), ["10 to under 15", "5 to under 10"])
    ['5 to under 10', '10 to under 15']
    """
    distinct = dict.fromkeys(names)
    if isinstance(rule, Steps):
        return sorted(distinct, key=lambda name: float(name.split(" to ")[0]))
    if isinstance(rule, Periods):
        return sorted(distinct)
    return [name for name in rule.names if name in distinct]
