"""The data of figures: safe numbers and texts, never a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Described:
    """A figure with a title, and a description in words."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class OnAxes(Described):
    """A figure on two axes."""

    x_title: str
    y_title: str


@dataclass(frozen=True, slots=True)
class Series:
    """Bars of one data set, one per level; None where there is nothing to draw."""

    name: str
    values: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bars(Described):
    """Paired horizontal bars: for each level the original, then every replica.

    With `end`, the end of the axis, steps instead: for groups of numbers of one replica.
    """

    levels: tuple[str, ...]
    series: tuple[Series, ...]
    end: float | None = None

    def of(self, replica: int) -> Bars:
        """Return the bars of the original and of one replica."""
        series = self.series[0], self.series[replica + 1]
        words = "; ".join(
            f"{level}: {' and '.join(s.texts[i] for s in series)}"
            for i, level in enumerate(self.levels)
        )
        names = " and ".join(s.name for s in series)
        return replace(self, description=f"{names}, percent of records: {words}.", series=series)

    @property
    def each(self) -> tuple[Bars, ...]:
        """A small figure per replica, on one scale."""
        original, *replicas = self.series
        end = nice_end(max((v for s in self.series for v in s.values if v), default=0.0))
        return tuple(
            Bars(
                replica.name,
                _in_words_of(self.levels, replica),
                self.levels,
                (original, replica),
                end,
            )
            for replica in replicas
        )


def _in_words_of(levels: tuple[str, ...], series: Series) -> str:
    shares = "; ".join(map(": ".join, zip(levels, series.texts, strict=True)))
    return f"Area: original; line: {series.name}, percent of its records: {shares}."


def nice_end(largest: float) -> float:
    """Return a round end of an axis of percentages, in quarters that are round too.

    Examples
    --------
    >>> [nice_end(value) for value in (0.0, 3.1, 19.0, 39.5, 90.0)]
    [1.0, 4.0, 20.0, 40.0, 100.0]
    """
    if largest <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(largest))
    ends = (step * scale for step in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0))
    return next(end for end in ends if largest <= end)


@dataclass(frozen=True, slots=True)
class Band:
    """A range of values that is drawn alike; `shade` is a name in the heat map's palette."""

    text: str
    shade: str


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A pair of variables: places on both axes, the value's text, and its band."""

    row: int
    column: int
    text: str
    band: int


@dataclass(frozen=True, slots=True)
class Heat(Described):
    """A triangle of all pairs of variables; without `named` a picture of many, without names."""

    variables: tuple[str, ...]
    bands: tuple[Band, ...]
    cells: tuple[HeatCell, ...]
    named: bool = True

    @property
    def numbered(self) -> bool:
        """Whether the cells are large enough to hold their numbers."""
        return self.named and len(self.variables) <= MOST_WITH_NUMBERS


@dataclass(frozen=True, slots=True)
class Dot:
    """A value on an axis; a bound is drawn hollow with an arrow."""

    value: float
    text: str
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A vertical line to read the dots against."""

    name: str
    dot: Dot
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A data set in a panel; a copy and the holdout are ticks on its line (holdout: dashed)."""

    name: str
    dot: Dot | None
    ticks: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Dots(Described):
    """Replicas on one axis, in percent; `key` says what ticks are, where there are some."""

    references: tuple[Reference, ...]
    rows: tuple[Row, ...]
    key: str = ""

    @classmethod
    def of(
        cls, title: str, references: tuple[Reference, ...], rows: tuple[Row, ...], key: str = ""
    ) -> Dots:
        """Return the figure with its description."""
        dots = [(row.name, row.dot) for row in rows]
        dots += [(reference.name, reference.dot) for reference in references]
        dots += [
            (f"{tick.name} in the place of {row.name}", tick.dot)
            for row in rows
            for tick in row.ticks
        ]
        texts = (f"{name} {'not shown' if dot is None else dot.text}" for name, dot in dots)
        words = f"{title}, percent of original records: {'; '.join(texts)}."
        return cls(title, words, references, rows, key)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """An estimate from a replica and half of its interval, in standard errors of the original."""

    name: str
    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Forest(Described):
    """Coefficients of one model; the original's are at 0, `original` is half of its interval."""

    rows: tuple[Coefficient, ...]
    end: float
    original: float


@dataclass(frozen=True, slots=True)
class Point:
    """A replica on the map of risk and utility."""

    name: str
    x: float
    y: float
    text: str
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Scatter(OnAxes):
    """Risk against utility, one point per replica; x on a logarithmic scale."""

    points: tuple[Point, ...]
    x_marks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A data set on the map of fidelity and closeness.

    `kind` is "replica", "perturbed" or "holdout"; x is a ratio above 0, y a percentage.
    """

    name: str
    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class HoldoutMap(OnAxes):
    """Distance of tables in relation to the holdout's, against the share that is closer.

    `chance` is the percentage that a replica has which knows nobody.
    """

    points: tuple[Mark, ...]
    chance: float = 50.0


@dataclass(frozen=True, slots=True)
class Position:
    """A data set on the map of utility and protection, both 0 to 1.

    `kind` is "front" for a replica that no other one beats, "beaten", or "reference". An interval
    is None where nothing is known of it.
    """

    name: str
    utility: float
    protection: float
    kind: str
    utility_interval: tuple[float, float] | None = None
    protection_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class RiskUtility(OnAxes):
    """Replicas and references by utility and protection; up and right is better.

    `spread` says what the intervals are of. `across` and `up` are the ends of the axes. `box`, ends
    across and up, is a part that another figure draws closer; the replicas are named there.
    """

    positions: tuple[Position, ...]
    spread: str = ""
    across: tuple[float, float] = (0.0, 1.0)
    up: tuple[float, float] = (0.0, 1.0)
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Null:
    """The distribution of a statistic under permuted labels, in groups, and its value.

    `shares` of the draws lie between `edges`; `limit` is what 5 % of them exceed.
    """

    title: str
    edges: tuple[float, ...]
    shares: tuple[float, ...]
    limit: float
    observed: float
    text: str


@dataclass(frozen=True, slots=True)
class Histogram(Described):
    """Shares, in percent, of two data sets between `edges`; the null of their difference below."""

    edges: tuple[float, ...]
    series: tuple[Series, Series]
    null: Null | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line from left to right; `first` is in ink, others in blue, and some are dashed."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    first: bool = False
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Curves(OnAxes):
    """Lines within a square from 0 to 1, and its diagonal: ROC curves."""

    curves: tuple[Curve, ...]


MOST_WITH_NUMBERS = 20
"""Variables of a heat map whose cells hold their numbers."""

Chart = Bars | Heat | Dots | Forest | Scatter | HoldoutMap | RiskUtility | Histogram | Curves
