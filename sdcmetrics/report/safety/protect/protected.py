"""Protected: all that a release may be made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import pandas as pd

from sdcmetrics.decision.answer import Decision
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck
from sdcmetrics.measures.rules.outcome import RuleOutcome
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.report.safety.protect.tables import (
    ProtectedTable,
    ProtectedVariable,
)
from sdcmetrics.review.people import Copied, PeopleClaims
from sdcmetrics.review.review import InputSummary
from sdcmetrics.study.kinds import HowMade
from sdcmetrics.study.models import Model
from sdcmetrics.study.ranking import RankingOptions
from sdcmetrics.study.study import Scenario


@dataclass(frozen=True)
class Stated:
    """The public part of a study: what its authors wrote, and the replicas.

    `drawn` is how many records of each larger data set were drawn for what needs records, as
    protected numbers of records say; 0 where nothing was.
    """

    title: str
    context: Mapping[str, str]
    command: str
    models: tuple[Model, ...]
    rules: tuple[Rule, ...]
    ranking: RankingOptions
    replicas: Mapping[str, tuple[Microdata, ...]]
    roles: tuple[str, ...]
    drawn: int
    kinds: Mapping[str, HowMade]


@dataclass(frozen=True)
class HoldoutVerdict:
    """The verdict on a holdout, without the evidence behind it.

    Attributes
    ----------
    overlaps, separated, other_population : bool
        What speaks against it; each is a test at one fixed level.
    differs : tuple of str
        The table that differs most, where it is of another population.
    common : int
        Records that equal one of the original.
    """

    overlaps: bool
    separated: bool
    other_population: bool
    differs: tuple[str, ...]
    common: int

    @classmethod
    def of(cls, check: HoldoutCheck) -> Self:
        """Return the verdict of a check; its common records are an exact count."""
        differs = check.by_table.iloc[0]["variables"] if check.other_population else ()
        return cls(
            check.overlaps,
            check.separated,
            check.other_population,
            tuple(differs),
            check.identical,
        )


@dataclass(frozen=True)
class ProtectedHoldout:
    """The verdict on the holdout, and protected counts of copies of single records.

    Attributes
    ----------
    check : HoldoutVerdict
    copies : dict of (replica, synthesis) to dict of what to int
    drawn : bool
        Whether nearest records were looked for beside some records only.
    """

    check: HoldoutVerdict
    copies: dict[tuple[str, int], dict[str, int]]
    drawn: bool = False


@dataclass(frozen=True)
class Protected:
    """A review without anything confidential: public things, and protected figures.

    Attributes are those of `Review` of the same name, as far as a release shows them. In `frame`,
    `shown` is the text of what is told less exactly than as a number; then `value` and `other` are
    the ends of what it may be. `least` and `most` say how far rounding may have moved a statistic
    of tables that has a limit.

    Attributes
    ----------
    distributions : dict of variable to ProtectedVariable
    withheld : dict of (replica, formula) to str
        Why nothing is told of a model.
    fresh : ProtectedHoldout or None
    copied : tuple of Copied
        Of every synthesis, in protected counts.
    held : dict of replica to Held
        What is claimed of people of the original, in words only.
    decisions : tuple of Decision
        Both answers on every replica, without what they rest on.
    coarsened : dict of str to int
        What was held back or made coarser, by rule, and in how many places.
    tables : dict of variables to ProtectedTable
        What statistics of tables are made of.
    """

    study: Stated
    inputs: tuple[InputSummary, ...]
    fixes: tuple[tuple[str, Fix], ...]
    frame: pd.DataFrame
    distributions: dict[str, ProtectedVariable]
    variables: dict[str, str]
    scenarios: tuple[Scenario, ...]
    versions: dict[str, str]
    created: str
    rules: dict[tuple[str, str], RuleOutcome]
    withheld: dict[tuple[str, str], str]
    fresh: ProtectedHoldout | None
    copied: tuple[Copied, ...]
    held: dict[str, PeopleClaims]
    decisions: tuple[Decision, ...]
    coarsened: dict[str, int]
    tables: dict[tuple[str, ...], ProtectedTable]

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas, in the study's order."""
        return tuple(self.study.replicas)

    @property
    def n_original(self) -> int:
        """Number of original records, protected."""
        return self.inputs[0].n

    def mean_rows(self) -> pd.DataFrame:
        """All rows: figures of single syntheses are not told."""
        return self.frame
