"""Measures of a sample's risk by its keys and weights; facts about the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.anonymity.attackers import AttackerRisks, attacker_risks
from sdcmetrics.measures.anonymity.household_uniqueness import (
    HouseholdUniqueness,
    household_uniqueness,
)
from sdcmetrics.measures.anonymity.individual_risk import IndividualRisk, individual_risk
from sdcmetrics.measures.anonymity.population_uniques import PopulationUniques, population_uniques
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Scenario, Tell
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import ITSELF, References, ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.coding import by_group_or_value, encode
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.results import Counted, Share

_WEIGHT, _HOME = "weight of the record", "household of the record"
"""Columns beside the coded keys; their blanks keep them apart from most names."""


@dataclass(frozen=True)
class SampleRisks:
    """The risks of an original by the keys of a scenario, each computed when it is asked for.

    Attributes
    ----------
    frame : Microdata
        The keys as codes, the weights and the number of the household, where there are any.
    keys : tuple of str
    sample : Sample
    """

    frame: Microdata
    keys: tuple[str, ...]
    sample: Sample

    @cached_property
    def individual(self) -> IndividualRisk:
        """Risk of each record, from the weights."""
        household = _HOME if self.sample.household else None
        return individual_risk(self.frame, keys=self.keys, weight=_WEIGHT, household=household)

    @cached_property
    def uniques(self) -> PopulationUniques:
        """How many records are unique in the population."""
        if _weights(self.sample):
            return population_uniques(self.frame, keys=self.keys, weight=_WEIGHT)
        size = self.sample.people
        return population_uniques(self.frame, keys=self.keys, population_size=size)

    @cached_property
    def attackers(self) -> AttackerRisks:
        """Prosecutor, journalist and marketer risk."""
        return attacker_risks(self.frame, keys=self.keys, population_size=self.sample.people)

    @cached_property
    def households(self) -> HouseholdUniqueness:
        """How many households resemble no other."""
        return household_uniqueness(self.frame, keys=self.keys, household=_HOME)


@dataclass(frozen=True)
class Computed:
    """Computed risks of a sample: values by symbol, and reasons for those without.

    `records` is the table of `individual_risk`, one row per original record; None without weights.
    """

    values: Mapping[str, Counted | Share]
    reason: str
    notes: tuple[str, ...]
    records: pd.DataFrame | None = None

    def number(self, symbol: str) -> float:
        """Return a value in percent; NaN where there is none."""
        value = self.values.get(symbol)
        if value is None:
            return math.nan
        return value.percent if isinstance(value, Share) else value.value


def _scenarios(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample = plan.sample
    if sample is None:
        return
    out = frozenset(m.symbol for m in MEASURES if not _NEEDS.get(m.symbol, _people)(sample))
    for scenario in plan.scenarios if len(out) < len(MEASURES) else ():
        step = f"risk of the sample by the keys of {scenario.name}"
        tell(step)
        computed = pair.cached(
            ("sample", scenario.name),
            partial(_computed, pair, plan, sample, scenario, out),
            shared=True,
        )
        yield Given(
            step,
            (Place(scenario=scenario.name, keys=scenario.keys),),
            (computed,),
            undefined=computed.reason,
            leaves_out=out,
            references=partial(_references, computed),
            result=computed,
        )


def _computed(
    pair: Pair, plan: Plan, sample: Sample, scenario: Scenario, out: Collection[str]
) -> Computed:
    """Compute the risks by the keys as the scenario groups them."""
    keys = [name for name in pair.original.columns if name in scenario.keys]
    coded = encode(pair.data, by_group_or_value(keys, plan.options.ngroups_keys), keys)
    columns: dict[str, Any] = {name: coded.variables[name].parts[0] for name in keys}
    if sample.weight:
        columns[_WEIGHT] = sample.design.weights
    if sample.households is not None:
        columns[_HOME] = sample.households
    risks = SampleRisks(
        as_microdata(pd.DataFrame(columns), sample.original.source), tuple(keys), sample
    )
    values: dict[str, Counted | Share] = {}
    reasons: dict[str, None] = {}
    for symbol, function in _FUNCTIONS.items():
        if symbol not in out:
            try:
                values[symbol] = function(risks)
            except (DataError, StudyError) as reason:
                reasons[str(reason)] = None
    notes = risks.uniques.notes if "population_uniques" in values else ()
    records = risks.individual.records if "individual_risk" in values else None
    return Computed(values, "; ".join(reasons), notes, records)


def _references(computed: Computed, measures: Sequence[Measure], _: int) -> dict[str, References]:
    return {
        measure.symbol: References(copy=computed.number(measure.symbol)) for measure in measures
    }


def _percent(of: Callable[[SampleRisks], tuple[float, int]]) -> Callable[[SampleRisks], Counted]:
    def value(risks: SampleRisks) -> Counted:
        expected, n = of(risks)
        return Counted(100.0 * expected / n, expected, n)

    return value


def _weights(sample: Sample) -> bool:
    return bool(sample.weight) and float(sample.design.weights.sum()) >= sample.original.n


def _people(sample: Sample) -> bool:
    return sample.people is not None


def _homes(sample: Sample) -> bool:
    return bool(sample.household)


_NEEDS: dict[str, Callable[[Sample], bool]] = {
    "individual_risk": _weights,
    "household_risk": lambda sample: _weights(sample) and _homes(sample),
    "household_uniques": _homes,
}
"""What a sample must have for a measure; the others need to know how many people there are."""

_FUNCTIONS: dict[str, Callable[[SampleRisks], Counted | Share]] = {
    "individual_risk": _percent(lambda f: (f.individual.expected, f.individual.n)),
    "household_risk": _percent(lambda f: (f.individual.household_expected, f.individual.n)),
    "population_uniques": _percent(lambda f: (f.uniques.population_uniques, f.uniques.n)),
    "population_matches": _percent(lambda f: (f.uniques.matches, f.uniques.n)),
    "prosecutor_risk": _percent(
        lambda f: (f.attackers.prosecutor_mean * f.attackers.n, f.attackers.n)
    ),
    "journalist_risk": lambda f: Counted(100.0 * f.attackers.journalist_largest, 1, f.attackers.n),
    "marketer_risk": _percent(lambda f: (f.attackers.marketer * f.attackers.n, f.attackers.n)),
    "household_uniques": lambda f: f.households.in_unique,
}


def _value(symbol: str) -> Callable[[Computed], Any]:
    return lambda risks: risks.values.get(symbol, math.nan)


SAMPLED_FILE = Kind(
    "the sample by its keys",
    "`Computed`; a Share, a Counted or NaN",
    _scenarios,
    per="scenario",
    option=SAMPLED,
    symbols={
        "f": "records of the file with the same keys",
        "F": "people of the population with these keys",
        "p": "f over the sum of their weights",
        "2F1": "the hypergeometric function",
        "r_i": "individual risk of a member",
        "n": "records of the file",
        "N_d": "records of the file",
        "pi": "share of the population that the file has",
        "mu": "records with these keys that a log-linear model expects in the file",
        "E": "expectation",
    },
)

_FACT = "A fact about the original: the replica does not change it. "
_NEVER_ALONE = (
    "Where weights are equal all unique records have the same risk, however rare their keys are: "
    "read population_uniques beside it."
)
_FITTED = (
    "By a log-linear model of the keys, the first that its tests do not refuse; sdcmetrics "
    "population-uniques shows them. With few records per parameter it finds too few."
)


def _fact(symbol: str, **entries: Any) -> Measure:
    """Declare a risk of the sample itself, which is computed by its symbol."""
    return Measure(
        symbol=symbol,
        function=_value(symbol),
        of=SAMPLED_FILE,
        family=DISCLOSURE_RISK,
        reference_values=ReferenceValues("", ITSELF, "no", "original"),
        of_original=True,
        syntheses="once",
        better="none",
        low=0,
        high=100,
        ideal=None,
        unit="percent",
        **entries,
    )


MEASURES: tuple[Measure, ...] = (
    _fact(
        "individual_risk",
        title="Original records that an intruder identifies, by the weights",
        aliases=("Benedetti-Franconi",),
        meaning="Mean chance that a record is identified by its keys: one over the people that "
        "share them, of whom the weights tell. The count is the expected number of records.",
        formula="100 mean of p^f / f 2F1(f, f; f + 1; 1 - p), p = f / sum of weights",
        source="Benedetti and Franconi (1998); Polettini (2003)",
        limits=_FACT + _NEVER_ALONE,
    ),
    _fact(
        "household_risk",
        title="Original records in whose household somebody is identified",
        meaning="Mean chance that somebody of a record's household "
        "is identified, and with them the whole household.",
        formula="100 mean of 1 - product over the household of (1 - r_i)",
        source="Franconi and Polettini (2004), Privacy in Statistical Databases",
        limits=_FACT + _NEVER_ALONE,
    ),
    _fact(
        "population_uniques",
        title="Original records that are unique in the population",
        aliases=("tau1", "Skinner-Shlomo"),
        meaning="How many records are expected to be alone with their keys in the population, so "
        "that whoever finds them in the file has found them.",
        formula="100 / n sum over uniques of exp(-(1 - pi) mu / pi)",
        source="Skinner and Shlomo (2008), JASA 103, 989-1001",
        limits=_FACT + _FITTED,
    ),
    _fact(
        "population_matches",
        title="Unique original records that a match to the population finds",
        aliases=("tau2",),
        meaning="How many matches of unique records with people of the population are expected to "
        "be right.",
        formula="100 / n sum over uniques of E[1 / F | f = 1]",
        source="Skinner and Shlomo (2008), JASA 103, 989-1001",
        limits=_FACT + _FITTED,
    ),
    _fact(
        "prosecutor_risk",
        title="Risk from a prosecutor, mean over original records",
        meaning="Mean chance to pick the record of somebody of whom it is known that they are in "
        "the file: one over the records with their keys.",
        formula="100 / n times the number of key combinations",
        source="El Emam and Dankar (2008), JAMIA 15(5), 627-637",
        limits=_FACT + "The largest is 100 wherever a record is unique.",
    ),
    _fact(
        "journalist_risk",
        title="Risk from a journalist, largest",
        meaning="The largest chance that a person with the same keys, picked from the population, "
        "is the one in the file: to show that it can be done, one is enough.",
        formula="100 max E[1 / F | f]",
        source="El Emam and Dankar (2008), JAMIA 15(5), 627-637",
        limits=_FACT + _FITTED,
    ),
    _fact(
        "marketer_risk",
        title="Risk from a marketer, share of original records",
        meaning="The share of records that somebody links rightly who links all of them to the "
        "population.",
        formula="100 mean over records of E[1 / F | f]",
        source="El Emam and Dankar (2008), JAMIA 15(5), 627-637",
        limits=_FACT + _FITTED,
    ),
    _fact(
        "household_uniques",
        title="Original records in households that no other resembles",
        meaning="Who knows a family knows its members together: records whose household, by the "
        "keys of all its members, is like no other. UiO is the same person by person.",
        formula="100 #{records in a household whose members' keys, together, no other has} / N_d",
        source="the household as its own key; see household_uniqueness",
        limits=_FACT + "Large households are nearly always unique.",
    ),
)
"""What is said of a sample by its keys: the list."""

SUBJECT = Subject("anonymity of a sample", tuple(MEASURES))
