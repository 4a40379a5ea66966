"""How the original of a study was sampled: its columns, set aside from those that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from sdcmetrics.errors import ColumnError, DataError, NotComputable, StudyError, counted
from sdcmetrics.measures.survey.design import (
    SurveyDesign,
    households_of,
    numbers_of,
    read_design,
    replica_design,
    simple_design,
)
from sdcmetrics.measures.survey.households import Households, between, numbered, two_sides
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import alone, harmonise

_FEW_UNITS, _MOST_RECORDS = 30, 12
"""Fewer households or persons, of more records on average, are noted: it may be their place."""


@dataclass(frozen=True)
class Sample:
    """Sampling design of the original and, where they have it, of replicas.

    Attributes
    ----------
    original : Microdata
        With the columns that say how it was sampled.
    weight : str
        The column that says for how many people a record stands; empty where there is none.
    strata : str
        The column of strata; empty where there is none.
    cluster : str
        The column of clusters that were drawn whole, such as villages; empty where there is none.
    household : str
        The column that says who lives together; empty where there is none.
    person : str
        The column that says whose a record is, where a person has several; empty where there is
        none.
    lonely : what is done with a stratum of one cluster; see `weighted_tables`
    size : str
        The column that says how many people the record's stratum has; or the whole population.
    population_size : float or None
        People in the population; in a study also the column of people per stratum.
    synthetic_weight : str
        The column of weights of replicas that have it; empty where their records count once each.
    against : "population" or "original"
        What weighted tables are measured by; see `weighted_tables`.
    syntheses : mapping of source to Microdata
        Syntheses with these columns.
    holdout : Microdata or None
    left_out : tuple of Fix
        Columns that were left out of syntheses or the holdout.
    """

    original: Microdata
    weight: str = ""
    strata: str = ""
    cluster: str = ""
    household: str = ""
    person: str = ""
    lonely: str = "fail"
    size: str = ""
    population_size: float | None = None
    synthetic_weight: str = ""
    against: Literal["population", "original"] = "population"
    syntheses: Mapping[str, Microdata] = field(default_factory=dict)
    holdout: Microdata | None = None
    left_out: tuple[Fix, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """Which column has which role."""
        roles = ("weight", "strata", "cluster", "household", "person")
        names = {role: getattr(self, role) for role in roles if getattr(self, role)}
        return names | ({"population_size": self.size} if self.size else {})

    @cached_property
    def design(self) -> SurveyDesign:
        """How each original record was drawn; who belongs together was drawn together."""
        numbers = None if self.cluster else self.numbers_together
        return read_design(
            self.original,
            weight=self.weight or None,
            strata=self.strata or None,
            cluster=self.cluster or None,
            lonely=self.lonely,
            together=None if numbers is None else (self.unit, numbers),
        )

    @cached_property
    def numbers_of_strata(self) -> Ints:
        """The stratum of each original record, from 0, however few households it has."""
        return numbers_of(alone(self.original, [self.strata]), self.strata)

    @cached_property
    def households(self) -> Ints | None:
        """The household of each original record, from 0."""
        return self._households[0]

    @cached_property
    def _households(self) -> tuple[Ints | None, tuple[Fix, ...]]:
        if not self.household:
            return None, ()
        return households_of(alone(self.original, [self.household]), self.household)

    @cached_property
    def persons(self) -> Ints | None:
        """The person of each original record, from 0; None where each has one record at most."""
        if not self.person:
            return None
        numbers: Ints = households_of(alone(self.original, [self.person]), self.person)[0]
        return numbers if len(np.unique(numbers)) < len(numbers) else None

    @property
    def together(self) -> str:
        """The column that says which records belong together; empty where there is none.

        That of clusters, else of households, else of persons who have several records.
        """
        return self.cluster or self.household or (self.person if self.persons is not None else "")

    @property
    def numbers_together(self) -> Ints | None:
        """Which original records belong together, numbered from 0; None where none do."""
        if self.cluster:
            return self.design.clusters
        return self.households if self.household else self.persons

    @property
    def unit(self) -> Literal["household", "person", ""]:
        """What is exchanged as a whole: households, else persons who have several records."""
        if self.household:
            return "household"
        return "person" if self.persons is not None else ""

    @cached_property
    def beside_holdout(self) -> tuple[Households | None, str]:
        """Households of original and holdout, or persons; or None, and the reason.

        Raises
        ------
        DataError
            If the holdout splits households.
        """
        if not self.unit or self.holdout is None:
            return None, ""
        return self._households_with(self.holdout, together=True)

    def households_with(self, synthesis: Microdata) -> tuple[Households | None, str]:
        """Return the households, or persons, of original and synthesis; or None, and the reason."""
        if not self.unit:
            return None, ""
        return self._households_with(self.whole(synthesis), together=False)

    def numbered(self, synthesis: Microdata) -> tuple[Ints | None, ...]:
        """Number the households, or persons, of original, synthesis and holdout; none without."""
        if not self.unit:
            return ()
        sets = [
            self.original,
            self.whole(synthesis),
            *([] if self.holdout is None else [self.holdout]),
        ]
        if self.unit == "household":
            return numbered(self.household, *((data_set, data_set.source) for data_set in sets))
        return self._persons_of(sets)

    def _persons_of(self, sets: Sequence[Microdata]) -> tuple[Ints | None, ...]:
        """Number the persons of data sets, of whom nobody is in two; None where none are named."""
        free, out = 0, list[Ints | None]()
        for data_set in sets:
            number = None
            if self.person in data_set.columns:
                number = free + households_of(alone(data_set, [self.person]), self.person)[0]
                free = int(number.max()) + 1
            out.append(number)
        return tuple(out)

    def whole(self, synthesis: Microdata) -> Microdata:
        """Return a synthesis with its columns of the sample, unless its records were drawn."""
        records = self.syntheses.get(synthesis.source)
        return synthesis if records is None or records.n != synthesis.n else records

    @property
    def people_columns(self) -> tuple[str, ...]:
        """The columns that say whose a record is, or who lives together."""
        return tuple(name for name in (self.household, self.person) if name)

    @property
    def weight_columns(self) -> tuple[str, ...]:
        """The columns of weights, which no table counts but all weighted ones count by."""
        return tuple(name for name in (self.weight, self.synthetic_weight) if name)

    @property
    def no_predictors(self) -> tuple[str, ...]:
        """What a dot in a formula leaves out: weights, and who was drawn together; strata stay."""
        return (*self.weight_columns, *filter(None, (self.cluster, self.household, self.person)))

    def with_design(self, data: Microdata, whole: Microdata) -> Microdata:
        """Return a data set with its columns of the sample.

        `whole` is the same data set as it was read.
        """
        if whole.n != data.n:
            return data
        roles = {*self.columns.values(), self.synthetic_weight}
        names = [name for name in whole.columns if name in roles or name in data.columns]
        return replace(whole, table=whole.table.select(names), source=data.source)

    def _households_with(
        self, data_set: Microdata, *, together: bool
    ) -> tuple[Households | None, str]:
        own = (self.original, self.original.source)
        try:
            if self.unit == "household":
                return two_sides(
                    self.household, own, (data_set, data_set.source), together=together
                ), ""
            sides = self._persons_of([self.original, data_set])
            names = "original", "holdout" if together else "replica"
            return between(sides, 0, 1, names=names, unit="person"), ""
        except NotComputable as reason:
            return None, str(reason)

    @property
    def people(self) -> float | None:
        """People in the population: as stated, or as many as the weights add up to."""
        if self.population_size is not None or not self.weight:
            return self.population_size
        total = float(self.design.weights.sum())
        return total if total >= self.original.n else None  # else weights scaled to the sample

    def weights_of(self, synthesis: Microdata) -> SurveyDesign | None:
        """Return the weights that a synthesis has; None where its records count once each.

        Raises
        ------
        ColumnError
            If they are no numbers above 0, some records were drawn from the synthesis, or it has a
            single record.
        """
        whole = self.syntheses.get(synthesis.source)
        if whole is None or self.synthetic_weight not in whole.columns:
            return None
        if whole.n != synthesis.n:
            msg = f"{synthesis.source}: the weights of records that were drawn are not known."
            raise ColumnError(msg)
        try:
            return read_design(whole, weight=self.synthetic_weight)
        except StudyError as reason:  # a fault of this synthesis, not of the study
            raise ColumnError(str(reason)) from None

    def design_of(self, synthesis: Microdata) -> SurveyDesign:
        """Return how the records of a synthesis were drawn: by its weights, and together.

        Without weights they count the same, without who belongs together they are alone.

        Raises
        ------
        ColumnError
            As `weights_of`, or if it has a single cluster.
        """
        weighted = self.weights_of(synthesis)
        whole = self.syntheses.get(synthesis.source)
        if whole is None or self.together not in whole.columns:
            return weighted or simple_design(synthesis.n)
        if whole.n != synthesis.n:
            msg = f"{synthesis.source}: who belongs together of records that were drawn is unknown."
            raise ColumnError(msg)
        try:
            return replica_design(
                whole,
                weight=None if weighted is None else self.synthetic_weight,
                cluster=self.together,
                strata=self.strata if self.cluster else None,
            )
        except StudyError as reason:  # a fault of this synthesis, not of the study
            raise ColumnError(str(reason)) from None

    def fixes(self) -> Iterator[Fix]:
        """Check the design, and yield notes on it.

        Raises
        ------
        ColumnError
            If weights are no numbers above 0, a record has no stratum or cluster, or a person is
            in two households.
        DataError
            If the holdout splits households or persons.
        StudyError
            If no variance can be estimated in a stratum.
        """
        yield from self.left_out
        yield from self.design.fixes
        yield from self._households[1]
        source = self.original.source
        if self.person and self.holdout is not None and self.person in self.holdout.columns:
            self._check_split(self.holdout)
        if reason := self.beside_holdout[1]:
            unit = f"{self.unit}s"
            note = f"p values beside the holdout exchange single records, not {unit}: {reason}"
            yield Fix(source, self.household or self.person, note)
        if self.household and self.person:
            self._check_persons()
        yield from self._few_units()
        if self.weight and self.people is None:
            note = (
                "the weights add up to fewer people than the file has records: risks in the "
                "population are not estimated"
            )
            yield Fix(source, self.weight, note)
        if self.households is not None and self.cluster:
            apart = _in_several(self.households, self.design.clusters)
            if apart:
                note = f"{counted(apart, 'household')} in more than one cluster"
                yield Fix(source, self.household, note, apart)

    def _few_units(self) -> Iterator[Fix]:
        """Note what looks like numbers within something else: "1" is whoever is first in it."""
        columns = {"household": self.household, "person": self.person}
        for unit, numbers in (("household", self.households), ("person", self.persons)):
            units = 0 if numbers is None else len(np.unique(numbers))
            if 0 < units < _FEW_UNITS and self.original.n > _MOST_RECORDS * units:
                note = (
                    f"{counted(units, unit)} of {self.original.n / units:.0f} records on average: "
                    f"if {unit}s are numbered within something else, give each its own number"
                )
                yield Fix(self.original.source, columns[unit], note)

    def _check_split(self, holdout: Microdata) -> None:
        data = harmonise(self.original, [holdout], variables=[self.person])
        if all(map(_runs, data.variables[self.person].values or ([],))):
            return  # each file numbers its own
        coded = encode(data, by_value, [self.person]).variables[self.person]
        split = np.intersect1d(coded.parts[0], coded.parts[1])
        both = int((split != coded.missing_code).sum())
        if both:
            msg = (
                f"{holdout.source}, column {self.person!r}: {counted(both, 'person')} "
                f"{'is' if both == 1 else 'are'} also in {self.original.source}. Beside people of "
                "the original, copies of them look like chance. Split whole persons, before the "
                "synthesis; if numbers were given anew in each file, make them differ."
            )
            raise DataError(msg)

    def _check_persons(self) -> None:
        read = alone(self.original, [self.person])
        several = _in_several(numbers_of(read, self.person), self.households)
        if several:
            msg = (
                f"{self.original.source}, column {self.household!r}: {several:,} "
                f"{'person is' if several == 1 else 'persons are'} in more than one household, by "
                f"column {self.person!r}. Households are drawn and permuted as a whole: give each "
                "person one."
            )
            raise ColumnError(msg)


def _runs(values: Sequence[float] | Floats) -> bool:
    """Whether the numbers of people leave no gap."""
    numbers = np.unique(values)
    numbers = numbers[~np.isnan(numbers)]
    return len(numbers) > 0 and bool(numbers[-1] - numbers[0] + 1 == len(numbers))


def _in_several(inner: Ints, outer: Ints | None) -> int:
    """Return how many values of the first come with several of the second."""
    pairs = np.unique(np.stack([inner, np.asarray(outer)]), axis=1)
    return int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())


def labels_of(
    sample: Sample | None, syntheses: Sequence[Microdata], permutations: int
) -> tuple[list[Households | None], int, str]:
    """Return who lives together in original and each synthesis, whose labels are permuted as one.

    Then how often they are permuted, and why not where they cannot be.
    """
    if sample is None:
        return [None] * len(syntheses), permutations, ""
    each = [sample.households_with(synthesis) for synthesis in syntheses]
    reasons = dict.fromkeys(reason for _, reason in each if reason)
    households = [numbers for numbers, _ in each]
    return households, 0 if reasons else permutations, "; ".join(reasons)
