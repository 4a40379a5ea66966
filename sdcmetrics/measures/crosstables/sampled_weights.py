"""Weights that a replica has of its own beside the original's, as rows of a review."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.crosstables.weight_check import WeightCheck, check_weights
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.schema import Harmonised

_SURE = 0.01
"""Weights are taken to depend on a variable below this p, divided by the number of variables."""


def _weights(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample, step = plan.sample, "weights of the replica"
    if sample is None or not sample.weight:
        return
    tell(step)
    names = plan.options.compared(pair.data.variables)
    try:
        weighted = [
            sample.whole(synthesis)
            for synthesis in pair.syntheses
            if sample.weights_of(synthesis) is not None
        ]
        each = tuple(
            check_weights(
                sample.original,
                synthesis,
                weight=sample.weight,
                synthetic_weight=sample.synthetic_weight,
                cluster=sample.together or None,
                variables=names,
                ngroups=plan.options.ngroups,
            )
            for synthesis in weighted
        )
    except (ColumnError, StudyError) as error:
        yield Given(step, (Place(),), reason=str(error))
        return
    reason = "" if each else "the replica has no weights of its own"
    yield Given(step, (Place(),), each, reason=reason, result=each)


def _largest(check: WeightCheck) -> float:
    differences = check.margins.loc[check.margins["original"] > 0, "difference"]
    return float(differences.abs().max())


def _dependence(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    if plan.sample is None:
        return
    tell(DEPENDENCE.name)
    names = _informative(plan.sample.design.weights, pair.data)
    yield Given(DEPENDENCE.name, (Place(),), result=names)


def _informative(weights: npt.NDArray[np.float64], data: Harmonised) -> tuple[str, ...]:
    """Return the variables on which weights depend, by the test of Kruskal and Wallis."""
    if weights.min() == weights.max():
        return ()
    coded = encode(data, by_groups(5, dates=True), list(data.variables))
    names = []
    for name, variable in coded.variables.items():
        codes = variable.parts[0]
        groups = [weights[codes == level] for level in np.unique(codes)]
        if len(groups) > 1 and lazy.stats.kruskal(*groups).pvalue < _SURE / len(coded.variables):
            names.append(name)
    return tuple(names)


SAMPLED_WEIGHTS = Kind(
    "weights of the replica",
    "`WeightCheck`; a number",
    _weights,
    option=SAMPLED,
    symbols={
        "F_o": "distribution function in the original",
        "F_s": "distribution function in the replica",
        "T_o": "weighted total of a level in the original",
        "T_s": "weighted total of a level in the replica",
    },
)

DEPENDENCE = Kind(
    "variables that weights depend on",
    "evidence only: their names",
    _dependence,
    option=SAMPLED,
)

_weight = partial(Measure, of=SAMPLED_WEIGHTS, family=GENERAL_UTILITY, low=0, high=None)
_CHECK = " sdcmetrics.check_weights has a test of each margin."

MEASURES: tuple[Measure, ...] = (
    _weight(
        symbol="weights_W1",
        title="Wasserstein's distance of synthesised weights",
        function=lambda check: check.W1,
        better="lower",
        ideal=0,
        show={"beside_fresh": 14},
        meaning="How far the replica's weights, each over their mean, are spread from the "
        "original's.",
        formula="integral of |F_o - F_s|, F the distribution of weights over their mean",
        source="Vallender (1974), Theory of Probability and its Applications 18",
        limits="Sampling noise makes it positive. Says nothing of whom the weights belong to.",
    ),
    _weight(
        symbol="weights_total",
        title="Sum of synthesised weights over the original's",
        function=lambda check: check.total_ratio,
        better="none",
        ideal=1,
        meaning="For how many people the replica stands, beside the original.",
        formula="sum of the replica's weights / sum of the original's",
        source="calibration to known totals",
        limits="A replica of fewer or more records has another total, as a rule." + _CHECK,
    ),
    _weight(
        symbol="weights_margin",
        title="Margin that synthesised weights miss most",
        function=_largest,
        better="lower",
        ideal=0,
        undefined="no margin can be compared",
        show={"beside_fresh": 15},
        meaning="The largest relative difference between the people that both files' weights give "
        "to a level of a variable. Weights are calibrated to such margins; a synthesiser knows "
        "nothing of them.",
        formula="max over levels of |T_s / T_o - 1|, T sums of weights",
        source="calibration to known totals",
        limits="Of small levels chance makes it large. Levels that the original lacks are left out."
        + _CHECK,
    ),
)
"""What is said of a replica's weights: the list."""

SUBJECT = Subject("weights of a sample", tuple(MEASURES), kinds=(DEPENDENCE,))
