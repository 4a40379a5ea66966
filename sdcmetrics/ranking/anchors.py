"""One scale for all metrics: 0 and 1 are references that were computed for the same original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.ranking.criteria import Criterion, Floats
from sdcmetrics.ranking.references import by_reference
from sdcmetrics.ranking.strategies import goodness
from sdcmetrics.ranking.values import Entry, Values, mean_at
from sdcmetrics.review.review import Review

__all__ = ["MEANING", "Anchor", "Scale", "anchored", "counted", "find_scale", "set_anchors"]

MEANING = {
    "utility": "A utility score of 0.8 means that the replica has gone 80 % of the way from data "
    "in which nothing of what the metric looks for is left (0) to data as good as a fresh sample "
    "of the original records (1).",
    "protection": "A protection score of 0.8 means that the replica has gone 80 % of the way from "
    "handing out the original itself (0) to data in which no detail of a person is linked with "
    "any other (1).",
}
"""What a score means, in a sentence each."""

_SPREADS = 2.0
_TINY = 1e-9


@dataclass(frozen=True)
class Anchor:
    """The ends of one metric's scale.

    Attributes
    ----------
    criterion : Criterion
    floor, ceiling : str
        Names of the references that score 0 and 1.
    at_floor, at_ceiling : float
        Their values of the metric; NaN where they have none.
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
        >>> from sdcmetrics.ranking.criteria import criterion
        >>> scale = Anchor(criterion("DiSCO"), "original", "independent", 40.0, 10.0)
        >>> scale.score(np.array([40.0, 25.0, 4.0])).tolist()
        [0.0, 0.5, 1.2]
        """
        if self.reason:
            return np.full(len(values), np.nan)
        ends = np.array([[self.at_floor], [self.at_ceiling]])
        floor, ceiling = goodness(ends, [self.criterion]).ravel()
        good = goodness(np.asarray(values, dtype=float)[:, None], [self.criterion]).ravel()
        return np.asarray((good - floor) / (ceiling - floor))


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
        All that was measured of them.
    """

    anchors: tuple[Anchor, ...]
    references: tuple[str, ...]
    table: Floats
    review: Review | None = None

    def only(self, keep: Sequence[int]) -> Scale:
        """Return the scales of some criteria."""
        anchors = tuple(self.anchors[j] for j in keep)
        return Scale(anchors, self.references, self.table[:, list(keep)], self.review)


def ends_of(criterion: Criterion) -> tuple[str, str]:
    """Return the references that score 0 and 1.

    Utility goes from no relations to a fresh sample of the original; what sees one variable at
    a time cannot tell those two apart, so it starts from variables without their distribution.
    Protection goes from the original itself to no relations.

    Examples
    --------
    >>> from sdcmetrics.ranking.criteria import criterion
    >>> ends_of(criterion("S_pMSE_two_way")), ends_of(criterion("ROC")), ends_of(criterion("DiSCO"))
    (('independent', 'bootstrap'), ('uniform', 'bootstrap'), ('original', 'independent'))
    """
    if not criterion.utility:
        return "original", "independent"
    return ("uniform" if criterion.one_way else "independent"), "bootstrap"


def find_scale(
    entries: Iterable[Entry], drawn: Sequence[str], values: Values, review: Review | None = None
) -> Scale:
    """Return the scale of every criterion, from measurements of the references.

    Parameters
    ----------
    entries : iterable of Entry
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
    table = np.stack([each[at].mean(axis=0) for at in groups.values()])
    spread = np.stack([_spread(each[at]) for at in groups.values()])
    anchors = set_anchors(table, values.criteria, tuple(groups), spread)
    return Scale(anchors, tuple(groups), table, review)


def _spread(draws: Floats) -> Floats:
    """Return the standard deviation between draws; 0 for what is not drawn."""
    return np.std(draws, axis=0, ddof=1) if len(draws) > 1 else np.zeros(draws.shape[1])


def set_anchors(
    table: Floats, criteria: Sequence[Criterion], references: Sequence[str], spread: Floats
) -> tuple[Anchor, ...]:
    """Return the scale of every criterion from the references' values.

    Two ends less apart than twice the spread between draws of the references are no scale.

    Parameters
    ----------
    table, spread : arrays, references x criteria
        Their values, and the standard deviation between draws.
    """
    out = []
    place = {name: i for i, name in enumerate(references)}
    for j, one in enumerate(criteria):
        floor, ceiling = ends_of(one)
        low, high = table[place[floor], j], table[place[ceiling], j]
        good = goodness(np.array([[low], [high]]), [one]).ravel()
        noise = max(spread[place[floor], j], spread[place[ceiling], j])
        reason = ""
        if np.isnan(low) or np.isnan(high):
            reason = "a reference has no value of this metric"
        elif good[1] - good[0] <= max(_SPREADS * noise, _TINY):
            reason = f"the references '{floor}' and '{ceiling}' do not differ on this metric"
        out.append(Anchor(one, floor, ceiling, float(low), float(high), reason))
    return tuple(out)


def anchored(table: Floats, anchors: Sequence[Anchor]) -> Floats:
    """Return scores, n x k; NaN in the columns that have no scale."""
    columns = [anchor.score(table[:, j]) for j, anchor in enumerate(anchors)]
    return np.stack(columns, axis=1) if columns else np.zeros_like(table)


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
