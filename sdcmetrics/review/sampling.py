"""What weights, strata and clusters make of a sample, summed up for its reader."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.schema import Harmonised

_SURE = 0.01
"""Weights are taken to depend on a variable below this p, divided by the number of variables."""


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
    problems: Mapping[str, tuple[str, ...]]

    @property
    def kish_holds(self) -> bool:
        """Whether Kish's formula is the design effect of any share."""
        return self.clusters is None and self.strata is None and not self.depends_on

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for internal use, as plain values without NaN."""
        found = asdict(self)
        return found | {"people": None if math.isnan(self.people) else self.people}


def sampling_of(
    sample: Sample,
    pairs: Mapping[str, Pair],
    rows: pd.DataFrame,
    problems: Mapping[str, tuple[str, ...]],
) -> Sampling:
    """Sum up a sample, from its columns and from what was measured of its one-way tables."""
    design = sample.design
    effects = rows[(rows["metric"] == "design_effect") & rows["synthesis"].isna()]
    one_way = effects[effects["variables"].map(len) == 1].dropna(subset="value")
    names = one_way["variables"].map(lambda names: names[0])
    mean = one_way["value"].groupby(names, sort=False).mean()
    data = next(iter(pairs.values())).data
    households = sample.households
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
        depends_on=_informative(design.weights, data),
        effects={str(n): float(v) for n, v in mean.items()},
        against=sample.against,
        weighted={name: _weighted(sample, pair) for name, pair in pairs.items()},
        problems=problems,
    )


def _weighted(sample: Sample, pair: Pair) -> bool:
    known = [sample.syntheses.get(one.source) for one in pair.syntheses]
    return all(one is not None and sample.synthetic_weight in one.columns for one in known)


def _informative(weights: npt.NDArray[np.float64], data: Harmonised) -> tuple[str, ...]:
    """Return the variables on which weights depend, by the test of Kruskal and Wallis."""
    from scipy import stats  # large: for a fast start, only when it is needed

    if weights.min() == weights.max():
        return ()
    coded = encode(data, by_groups(5), list(data.variables))
    found = []
    for name, variable in coded.variables.items():
        codes = variable.parts[0]
        groups = [weights[codes == level] for level in np.unique(codes)]
        if len(groups) > 1 and stats.kruskal(*groups).pvalue < _SURE / len(coded.variables):
            found.append(name)
    return tuple(found)
