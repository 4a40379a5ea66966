"""Where distances to the closest records are compared: every synthesis beside a holdout."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sdcmetrics.errors import DataError
from sdcmetrics.measures.closeness.assessment import assess_closeness
from sdcmetrics.measures.closeness.drawn import Queries, draw_queries
from sdcmetrics.measures.closeness.points import ClosestPoints, as_points
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.search import search_pool
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.neighbours import Progress
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References, ReferenceValues
from sdcmetrics.microdata.frames import Microdata

_SECONDS_BETWEEN = 5.0  # so often a long search says how far it is


def _closest(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "closest records"
    each = tuple(
        closest_of(synthesis, pair, plan, tell, step=step, variables=plan.options.variables)
        for synthesis in pair.syntheses
    )
    permuted = each[0].permutation.permutations > 0
    sampled = dict.fromkeys(result.drawn for result in each if result.drawn)
    yield Given(
        step,
        (Place(),),
        each,
        undefined="" if permuted else "the labels were not permuted",
        references=partial(_references, each),
        result=each,
        sampled="; ".join(sampled),
    )


def _references(
    each: Sequence[ClosestRecord], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    return {
        measure.symbol: _reference_values(measure.reference_values, each[i]) for measure in measures
    }


def _reference_values(
    reference_values: ReferenceValues | None, result: ClosestRecord
) -> References:
    def value(mark: float | str | Callable[[Any], float] | None) -> float:
        return mark(result) if callable(mark) else math.nan if mark is None else float(mark)

    if reference_values is None:
        return References()
    return References(copy=value(reference_values.copy), fresh=value(reference_values.fresh))


def points_of(
    synthetic: Microdata, pair: Pair, plan: Plan, variables: Sequence[str] | None
) -> ClosestPoints:
    """Return the records of training data, one synthesis and holdout, between which to search."""
    if pair.holdout is None:
        msg = "there is no holdout"
        raise DataError(msg)
    options = plan.options
    return as_points(
        pair.original,
        synthetic,
        pair.holdout,
        distance=options.distance,
        variables=variables,
        missing_codes=options.missing_codes,
    )


def closest_of(
    synthetic: Microdata,
    pair: Pair,
    plan: Plan,
    tell: Tell,
    *,
    step: str,
    variables: Sequence[str] | None,
) -> ClosestRecord:
    """Assess how close one synthesis is; the search among real records is shared by replicas."""
    points = points_of(synthetic, pair, plan, variables)
    drawn = drawn_of(points, plan)
    pools = pair.shared.setdefault("pools", {})
    # Real records do not depend on the replica, but for how many of them are drawn.
    real = points.columns, None if drawn is None else len(drawn.training)
    if real not in pools:
        pools[real] = search_pool(
            points.training,
            points.holdout,
            distance=points.distance,
            drawn=drawn,
            progress=step_progress("real records among each other", tell),
        )
    return assess_closeness(
        points,
        pool=pools[real],
        drawn=drawn,
        permutations=plan.options.permutations,
        seed=plan.options.seed,
        households=None if plan.sample is None else plan.sample.beside_holdout[0],
        progress=step_progress(step, tell),
    )


def drawn_of(points: ClosestPoints, plan: Plan) -> Queries | None:
    """Draw the records whose nearest are looked for; None where they are all."""
    sizes = points.training.n, points.synthetic.n, points.holdout.n
    return draw_queries(*sizes, plan.options.seed)


def step_progress(step: str, tell: Tell) -> Progress:
    """Return a progress callback that reports a search from time to time."""
    last = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN:
            last = time.monotonic()
            tell(f"{step}, {100 * done // total} %")

    return progress


CLOSEST = Kind(
    "distances to the closest records",
    "`ClosestRecord`; a number or a Share",
    _closest,
    holdout=True,
    symbols={"d": "distance", "training": "of the original"},
)
