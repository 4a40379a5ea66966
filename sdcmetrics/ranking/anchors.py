"""Anchored scales: 0 and 1 are the values of references of the same original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.ranking.references import by_reference
from sdcmetrics.ranking.strategies import goodness
from sdcmetrics.ranking.values import Entry, Values, mean_at
from sdcmetrics.review.review import Review
from sdcmetrics.study.criteria import Criterion

MEANING = {
    "utility": "A utility score of 0.8 means that the replica has gone 80 % of the way from data "
    "in which nothing of what the measure looks for is left (0) to data as good as a fresh sample "
    "of the original records (1).",
    "protection": "A protection score of 0.8 means that the replica has gone 80 % of the way from "
    "handing out the original itself (0) to data in which no detail of a person is linked with "
    "any other (1).",
}
"""What a score means, in a sentence each."""

_SPREADS = 2.0
"""Standard deviations of a draw: what chance alone seldom makes of a difference."""
_NORMAL = 1.4826
"""Makes the median absolute deviation of normal draws their standard deviation."""
_TINY = 1e-9


@dataclass(frozen=True)
class Anchor:
    """The ends of one measure's scale.

    Attributes
    ----------
    criterion : Criterion
    floor, ceiling : str
        Names of the references that score 0 and 1.
    at_floor, at_ceiling : float
        Their values of the measure; NaN where they have none.
    reason : str
        Why there is no scale; empty where there is one.
    """

    criterion: Criterion
    floor: str
    ceiling: str
    at_floor: float
    at_ceiling: float
    reason: str = ""

    def score(self, values: Floats) -> Floats:
        """Return scores of values; below 0 or above 1 beyond the references.

        Examples
        --------
        >>> from sdcmetrics.study.criteria import criterion
        >>> scale = Anchor(criterion("DiSCO"), "original", "independent", 40.0, 10.0)
        >>> scale.score(np.array([40.0, 25.0, 4.0])).tolist()
        [0.0, 0.5, 1.2]
        """
        both = np.array([self.at_floor, self.at_ceiling, *values])[:, None]
        floor, ceiling, *good = goodness(both, [self.criterion]).ravel()
        if self.reason:
            return np.full(len(values), np.nan)
        return (np.array(good) - floor) / (ceiling - floor)


@dataclass(frozen=True)
class Scale:
    """The references, and the scale that they give each criterion.

    Attributes
    ----------
    anchors : tuple of Anchor, length k
    references : tuple of str
    table : array, references x criteria
        Their values.
    review : Review or None
        What was measured of them, for these criteria.
    """

    anchors: tuple[Anchor, ...]
    references: tuple[str, ...]
    table: Floats
    review: Review | None = None

    @property
    def scaled(self) -> list[int]:
        """Indices of the criteria that have a scale."""
        return [j for j, anchor in enumerate(self.anchors) if not anchor.reason]

    def only(self, keep: Sequence[int]) -> Scale:
        """Return the scales of some criteria."""
        anchors = tuple(self.anchors[j] for j in keep)
        return replace(self, anchors=anchors, table=self.table[:, list(keep)])


def ends_of(criterion: Criterion) -> tuple[str, str]:
    """Return the references that score 0 and 1.

    Utility goes from no relations to a fresh sample of the original; what sees one variable at
    a time cannot tell those two apart, so it starts from variables without their distribution.
    Protection goes from the original itself to no relations.

    Examples
    --------
    >>> from sdcmetrics.study.criteria import criterion
    >>> ends_of(criterion("S_pMSE_two_way")), ends_of(criterion("ROC")), ends_of(criterion("DiSCO"))
    (('independent', 'bootstrap'), ('uniform', 'bootstrap'), ('original', 'independent'))
    """
    if not criterion.utility:
        return "original", "independent"
    return ("uniform" if criterion.one_way else "independent"), "bootstrap"


def find_scale(
    entries: Sequence[Entry], drawn: Sequence[str], values: Values, review: Review | None = None
) -> Scale:
    """Return the scale of every criterion, from measurements of the references.

    The value of a reference is the median over its draws: of five draws, two may be odd (a model
    that is separated in one bootstrap sample has an overlap far below 0) and it still holds.

    Parameters
    ----------
    entries : sequence of Entry
        Measurements of every draw of the references.
    drawn : sequence of str
        Their names, as `make_references` gives them.
    values : Values
        Of the replicas; the references are measured on the same places.
    review : Review, optional
        Where the entries come from.
    """
    each = mean_at(entries, values, drawn)
    groups = by_reference(drawn)
    table = np.stack([_median(each[at]) for at in groups.values()])
    off = [np.abs(each[at] - _median(each[at])) for at in groups.values()]
    spread = _NORMAL * np.stack([_median(draws) for draws in off])
    anchors = set_anchors(table, values.criteria, tuple(groups), spread)
    return Scale(anchors, tuple(groups), table, review)


def _median(draws: Floats) -> Floats:
    """Return medians of columns; NaN only where no draw has a value."""
    return pd.DataFrame(draws).median().to_numpy(dtype=float)


def set_anchors(
    table: Floats, criteria: Sequence[Criterion], references: Sequence[str], spread: Floats
) -> tuple[Anchor, ...]:
    """Return the scale of every criterion from the references' values.

    Two ends less apart than twice the spread between draws of the references are no scale.

    Parameters
    ----------
    table, spread : arrays, references x criteria
        Their values, and how much they differ from draw to draw, as a standard deviation.
    """
    out = []
    place = {name: i for i, name in enumerate(references)}
    for j, criterion in enumerate(criteria):
        floor, ceiling = ends_of(criterion)
        at = [place[floor], place[ceiling]]
        low, high = goodness(table[at][:, [j]], [criterion]).ravel()
        both, apart, reason = f"the references '{floor}' and '{ceiling}'", abs(high - low), ""
        if np.isnan(apart):
            reason = "a reference has no value of this measure"
        elif apart <= _TINY:
            reason = f"{both} do not differ on this measure"
        elif apart <= _SPREADS * spread[at, j].max():
            reason = f"{both} differ less on this measure than two draws of one reference may"
        elif high < low:
            reason = f"the reference '{ceiling}' is worse than '{floor}' on this measure"
        at_floor, at_ceiling = table[at, j].tolist()
        out.append(Anchor(criterion, floor, ceiling, at_floor, at_ceiling, reason))
    return tuple(out)


def anchored(table: Floats, anchors: Sequence[Anchor]) -> Floats:
    """Return scores, n x k; NaN in the columns that have no scale."""
    return np.stack([anchor.score(table[:, j]) for j, anchor in enumerate(anchors)], axis=1)


def counted(scores: Floats) -> Floats:
    """Return scores as they count in a total: 0 below the lower reference, 1 above the upper.

    One very bad value would otherwise outweigh all others, and being even safer than data
    without relations is no merit that could pay for lost utility. NaN, a replica without a
    value, counts 0.

    Examples
    --------
    >>> counted(np.array([[-12.5, 0.5, 1.02]])).tolist()
    [[0.0, 0.5, 1.0]]
    """
    return np.asarray(np.clip(np.nan_to_num(scores, nan=0.0), 0.0, 1.0))
