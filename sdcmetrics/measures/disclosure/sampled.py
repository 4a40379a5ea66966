"""Disclosure weighted by the sample: shares of the population at risk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.disclosure import declared
from sdcmetrics.measures.disclosure.attribution import disclosed_cells
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure, variant_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import ITSELF, References, ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.microdata.coding import Coded, by_group_or_value, encode


@dataclass(frozen=True)
class Weighted:
    """Key combinations by target levels, and the people that the original records stand for.

    Attributes
    ----------
    counts : KeyTargetCounts
    people : float array of shape (cells,)
        Sum of weights of the original records of each cell.
    """

    counts: KeyTargetCounts
    people: Floats

    def percent(self, cells: Bools) -> float:
        """Return the share of the people in some of the cells, in percent."""
        return 100.0 * float(self.people[cells].sum() / self.people.sum())

    def of_copy(self) -> Weighted:
        """Return the same of a verbatim copy of the original."""
        counts = self.counts
        copy = replace(counts, synthetic=counts.original, n_synthetic=counts.n_original)
        return Weighted(copy, self.people)


def _targets(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample, options, data = plan.sample, plan.options, pair.data
    if sample is None or not sample.weight:
        return
    for scenario in plan.scenarios:
        step = f"people behind the keys of {scenario.name}"
        tell(step)
        keys = [name for name in pair.original.columns if name in scenario.keys]
        coded = encode(data, by_group_or_value(keys, options.ngroups_keys), keys)
        index = index_keys(coded, keys)
        for target in scenario.targets:
            own = encode(data, by_group_or_value([target], options.ngroups_targets), [target])
            both = Coded({**coded.variables, **own.variables}, data.sizes)
            each = []
            for i in range(1, pair.m + 1):
                counts, cell = count_keys_and_target(both, index, target, synthesis=i)
                people = np.bincount(cell, sample.design.weights, minlength=len(counts.key))
                each.append(Weighted(counts, people.astype(np.float64)))
            place = Place(scenario=scenario.name, keys=tuple(keys), target=target)
            yield Given(step, (place,), tuple(each), references=partial(_references, each))


def _references(
    each: Sequence[Weighted], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    return {
        measure.symbol: References(copy=measure.function(each[i].of_copy())) for measure in measures
    }


def unique(weighted: Weighted) -> Bools:
    """Cells of records that are alone with their keys in the original."""
    cells: Bools = weighted.counts.original_of_key == 1
    return cells


def replicated(weighted: Weighted) -> Bools:
    """Cells of records that are alone with their keys in both files."""
    cells: Bools = unique(weighted) & (weighted.counts.synthetic_of_key == 1)
    return cells


def _share(cells: Callable[[Weighted], Bools]) -> Callable[[Weighted], float]:
    return lambda weighted: weighted.percent(cells(weighted))


SAMPLED_KEYS = Kind(
    "people behind key combinations",
    "`Weighted`; a number in percent",
    _targets,
    per="target",
    option=SAMPLED,
    symbols={
        "d_q": "original records with a key combination",
        "s_q": "replica records with a key combination",
        "weights": "those of original records",
    },
)

_LIMITS = (
    "Of the population, by the sum of weights. Risk is about the records in the file: {} says how "
    "many of them, and stays what is judged."
)
_OF_FILE = {measure.symbol: measure for measure in declared.MEASURES}


def _of_people(base: str, **entries: Any) -> Measure:
    """Declare what a measure of records is for the people behind them."""
    return variant_of(
        _OF_FILE[base],
        "population",
        of=SAMPLED_KEYS,
        source="weighted share; the records are those of synthpop's measures",
        **entries,
    )


MEASURES: tuple[Measure, ...] = (
    _of_people(
        "UiO",
        show={"of_file": ("UiO", "Unique in the original")},
        function=_share(unique),
        reference_values=ReferenceValues("", ITSELF, "no", "original"),
        of_original=True,
        syntheses="once",
        title="People for whom records that are unique in the original stand",
        meaning="The share of the population that records stand for which are alone with their "
        "keys in the original.",
        formula="100 sum of weights where d_q = 1 / sum of weights",
        limits="A fact about the original. " + _LIMITS.format("UiO"),
    ),
    _of_people(
        "repU",
        show={"of_file": ("repU", "Replicated uniques")},
        function=_share(replicated),
        reference_values=ReferenceValues(
            "P2", lambda f: f.percent(unique(f)), "sparse keys", "original"
        ),
        title="People for whom replicated uniques stand",
        meaning="The share of the population that records stand for which are alone with their "
        "keys in the original and in the replica.",
        formula="100 sum of weights where d_q = 1 and s_q = 1 / sum of weights",
        limits=_LIMITS.format("repU"),
    ),
    _of_people(
        "DiSCO",
        show={"of_file": ("DiSCO", "Target given away")},
        function=_share(lambda weighted: disclosed_cells(weighted.counts)),
        reference_values=ReferenceValues(
            "P2",
            lambda f: f.percent(disclosed_cells(f.of_copy().counts)),
            "sparse keys",
            "original",
        ),
        title="People for whom records stand whose target the replica gives away",
        meaning="The share of the population that the records of DiSCO stand for.",
        formula="100 sum of weights in disclosed cells / sum of weights",
        limits=_LIMITS.format("DiSCO"),
    ),
)
"""What is said of the people behind the keys: the list."""

SUBJECT = Subject("disclosure of a sample", tuple(MEASURES))
