"""Precision and recall around single records, beside a copy and the holdout: the list."""

from __future__ import annotations

from typing import Literal

from sdcmetrics.measures.attacks.places import MANIFOLD
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure
from sdcmetrics.measures.reference_values import ReferenceValues

_ALAA = "Alaa, van Breugel, Saveliev and van der Schaar (2022), ICML"
_NAEEM = "Naeem, Oh, Uh, Choi and Yoo (2020), ICML"


def _figure(  # noqa: PLR0913  (what a reader is told)
    symbol: str,
    title: str,
    *,
    tells: Literal["yes", "weakly", "no"],
    better: Literal["higher", "none"],
    meaning: str,
    formula: str,
    source: str,
    limits: str,
    high: float | None = 1,
) -> Measure:
    """Return a figure that stands between what a copy and what the holdout has."""
    return Measure(
        symbol=symbol,
        family=DISCLOSURE_RISK,
        ideal=None,
        of=MANIFOLD,
        reference_values=ReferenceValues(
            "P3",
            lambda result: result.value(symbol, "copy"),
            tells,
            "original and holdout",
            fresh=lambda result: result.value(symbol, "holdout"),
        ),
        title=title,
        function=lambda result: result.value(symbol),
        low=None if symbol in ("alpha_precision", "beta_recall") else 0,
        high=high,
        better=better,
        meaning=meaning,
        formula=formula,
        source=source,
        limits=limits,
    )


MANIFOLD_MEASURES: tuple[Measure, ...] = (
    _figure(
        "alpha_precision",
        "Alpha-precision",
        tells="no",
        better="none",
        meaning="How well the replica's records lie as far from the middle of the original as its "
        "own, at all distances.",
        formula="1 - sum |P(d <= quantile a) - a| / sum a over a = 0, .01, ..., 1",
        source=_ALAA,
        limits="It does not tell people who are in it from others: a copy and the holdout have "
        "about 1 alike.",
    ),
    _figure(
        "beta_recall",
        "Beta-recall",
        tells="yes",
        better="none",
        meaning="How many original records have a replica record as near as their nearest other "
        "original, by how far that is from the middle of the replica.",
        formula="1 - sum |R(b) - b| / sum b over b = 0, .01, ..., 1, R(b) the share of originals "
        "with a replica record as near as their nearest other, from the part b of the replica that "
        "is nearest to its middle",
        source=_ALAA,
        limits="Called higher is better, and highest for a copy: what is above the holdout's is "
        "memory and no quality.",
    ),
    _figure(
        "authenticity",
        "Authenticity",
        tells="yes",
        better="higher",
        meaning="Replica records that are farther from the nearest original record than that is "
        "from its nearest other.",
        formula="mean [d(s, nearest original o) > d(o, nearest other original)]",
        source=_ALAA,
        limits="People who were not in the original have about one half, so that half of a good "
        "replica is called a copy; read it beside the holdout's. A few people copied do not move "
        "it.",
    ),
    _figure(
        "density",
        "Density",
        tells="weakly",
        better="none",
        high=None,
        meaning="Replica records in the balls of original records that reach to their fifth "
        "nearest, per ball and neighbour.",
        formula="1 / (5 m) sum over s, o [d(s, o) <= d(o, fifth nearest original)]",
        source=_NAEEM,
        limits="About 1 for the holdout and 1.2 for a copy; a replica of nothing but frequent "
        "records has more than either.",
    ),
    _figure(
        "coverage",
        "Coverage",
        tells="yes",
        better="none",
        meaning="Balls of original records that reach to their fifth nearest and hold a replica "
        "record.",
        formula="mean over o [some d(s, o) <= d(o, fifth nearest original)]",
        source=_NAEEM,
        limits="It grows with the records of the replica, which is cut to as many as the holdout "
        "and the original have, and is 1 for a copy of as many: what is above the holdout's is "
        "memory and no quality.",
    ),
)
