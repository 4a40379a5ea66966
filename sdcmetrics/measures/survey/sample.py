"""How the original of a study was sampled: its columns, set aside from those that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.survey.design import (
    Ints,
    SurveyDesign,
    households_of,
    numbers_of,
    read_design,
)
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import alone

__all__ = ["Sample"]


@dataclass(frozen=True)
class Sample:
    """How the original was sampled, and what its columns and the replicas' say of that.

    Attributes
    ----------
    original : Microdata
        With the columns that say how it was sampled.
    weight, strata, cluster, household, person : str
        These columns; empty where there is none.
    lonely : what is done with a stratum of one cluster; see `weighted_tables`
    population_size : float or None
    synthetic_weight : str
        The column of weights of replicas that have it; empty where their records count once each.
    against : "population" or "original"
        What weighted tables are measured by; see `weighted_tables`.
    syntheses : mapping of source to Microdata
        Syntheses, and the holdout, with these columns.
    """

    original: Microdata
    weight: str = ""
    strata: str = ""
    cluster: str = ""
    household: str = ""
    person: str = ""
    lonely: str = "fail"
    population_size: float | None = None
    synthetic_weight: str = ""
    against: Literal["population", "original"] = "population"
    syntheses: Mapping[str, Microdata] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, str]:
        """Which column has which role."""
        roles = ("weight", "strata", "cluster", "household", "person")
        return {role: getattr(self, role) for role in roles if getattr(self, role)}

    @cached_property
    def design(self) -> SurveyDesign:
        """How each original record was drawn."""
        return read_design(
            self.original,
            weight=self.weight or None,
            strata=self.strata or None,
            cluster=self.cluster or None,
            lonely=self.lonely,
        )

    @cached_property
    def households(self) -> Ints | None:
        """The household of each original record, from 0."""
        return self._households[0]

    @cached_property
    def _households(self) -> tuple[Ints | None, tuple[Fix, ...]]:
        if not self.household:
            return None, ()
        return households_of(alone(self.original, [self.household]), self.household)

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
            If they are no numbers above 0, or some records were drawn from the synthesis.
        """
        known = self.syntheses.get(synthesis.source)
        if known is None or self.synthetic_weight not in known.columns:
            return None
        if known.n != synthesis.n:
            msg = f"{synthesis.source}: the weights of records that were drawn are not known."
            raise ColumnError(msg)
        return read_design(known, weight=self.synthetic_weight)

    def fixes(self) -> Iterator[Fix]:
        """Check everything that can be checked, and yield what is worth a sentence.

        Raises
        ------
        ColumnError
            If weights are no numbers above 0, a record has no stratum or cluster, or a person is
            in two households.
        StudyError
            If no variance can be estimated in a stratum.
        """
        yield from self.design.fixes
        yield from self._households[1]
        source = self.original.source
        if self.household and self.person:
            self._check_persons()
        if self.weight and self.people is None:
            said = (
                "the weights add up to fewer people than the file has records: risks in the "
                "population are not estimated"
            )
            yield Fix(source, self.weight, said)
        if self.households is not None and self.cluster:
            apart = _in_several(self.households, self.design.clusters)
            if apart:
                said = f"{apart:,} households lie in more than one cluster"
                yield Fix(source, self.household, said, apart)

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


def _in_several(inner: Ints, outer: Ints | None) -> int:
    """Return how many values of the first come with several of the second."""
    pairs = np.unique(np.stack([inner, np.asarray(outer)]), axis=1)
    return int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())
