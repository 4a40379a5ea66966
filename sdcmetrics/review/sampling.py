"""Summary of a sample's design: weights, strata, clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from sdcmetrics.measures.crosstables.sampled_weights import DEPENDENCE, SAMPLED_WEIGHTS
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.study.study import Study


@dataclass(frozen=True)
class Sampling:
    """How the original of a study was sampled.

    Attributes
    ----------
    n : int
        Records.
    columns : dict of role to column
    people : float
        Sum of weights; NaN without.
    population_size : float or None
        As stated.
    strata, clusters, households : int or None
        How many; None without.
    degrees_of_freedom : int
        Clusters minus strata.
    kish : float
        Kish's design effect of unequal weights.
    depends_on : tuple of str
        Variables whose levels have different mean weights.
    effects : dict of variable to float
        Design effect of its shares, the mean over replicas.
    against : "population" or "original"
    weighted : dict of replica to bool
        Whether it has weights of its own.
    clustered : dict of replica to bool
        Whether it has the column that says which records belong together; empty without one.
    problems : dict of replica to tuple of str
        What these do not reproduce, in words.
    """

    n: int
    columns: Mapping[str, str]
    people: float
    population_size: float | None
    strata: int | None
    clusters: int | None
    households: int | None
    degrees_of_freedom: int
    kish: float
    depends_on: tuple[str, ...]
    effects: Mapping[str, float]
    against: str
    weighted: Mapping[str, bool]
    clustered: Mapping[str, bool]
    problems: Mapping[str, tuple[str, ...]]

    @property
    def kish_holds(self) -> bool:
        """Whether Kish's formula is the design effect of any share."""
        return not self.together and self.strata is None and not self.depends_on

    @property
    def together(self) -> bool:
        """Whether records were drawn together: in clusters, households, or several of a person."""
        return self.clusters is not None or self.degrees_of_freedom < self.n - (self.strata or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for internal use, as plain values without NaN."""
        fields_ = asdict(self)
        return fields_ | {"people": None if math.isnan(self.people) else self.people}


def sampling_in(study: Study, rows: pd.DataFrame, evidence: Evidence) -> Sampling | None:
    """Sum up how the original was sampled; None where the study does not say.

    Parameters
    ----------
    study : Study
    rows : DataFrame
        Design effects, of which those of one-way tables are read.
    evidence : Evidence
    """
    sample = study.sample
    if sample is None:
        return None
    design = sample.design
    effects = rows[rows["synthesis"].isna()]
    one_way = effects[effects["variables"].map(len) == 1].dropna(subset="value")
    names = one_way["variables"].map(lambda names: names[0])
    mean = one_way["value"].groupby(names, sort=False).mean()
    households = sample.households
    depends_on = {name for names in evidence.of(DEPENDENCE).values() for name in names}
    return Sampling(
        n=design.n,
        columns=sample.columns,
        people=float(design.weights.sum()) if sample.weight else math.nan,
        population_size=sample.population_size,
        strata=len(design.clusters_of_stratum) if sample.strata else None,
        clusters=len(design.stratum_of_cluster) if sample.cluster else None,
        households=None if households is None else int(households.max()) + 1,
        degrees_of_freedom=design.degrees_of_freedom,
        kish=design.kish,
        depends_on=tuple(name for name in study.original.columns if name in depends_on),
        effects={str(n): float(v) for n, v in mean.items()},
        against=sample.against,
        weighted={
            name: _has(sample, replica, sample.synthetic_weight)
            for name, replica in study.replicas.items()
        },
        clustered={
            name: _has(sample, replica, sample.together)
            for name, replica in study.replicas.items()
            if sample.together
        },
        problems={
            replica: tuple(dict.fromkeys(problem for check in each for problem in check.problems))
            for (replica, _), each in evidence.of(SAMPLED_WEIGHTS).items()
        },
    )


def _has(sample: Sample, syntheses: Sequence[Microdata], column: str) -> bool:
    """Whether every synthesis of a replica has a column."""
    whole = [sample.syntheses.get(synthesis.source) for synthesis in syntheses]
    return all(data_set is not None and column in data_set.columns for data_set in whole)
