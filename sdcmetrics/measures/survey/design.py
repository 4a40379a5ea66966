"""Weights, strata, clusters and households of a sample, read from its columns and checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypedDict, Unpack

import numpy as np

from sdcmetrics.errors import ColumnError, StudyError, counted, did_you_mean
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import Harmonised, alone

LONELY = ("fail", "adjust", "average", "certainty", "remove")
"""What is done with a stratum of one cluster, named as in R's survey package."""
PARTS_OF_CLUSTERS = "some clusters lie in several strata: each part of one is a cluster of its own"
"""What is listed where clusters are numbered within strata, or cross them."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """The columns that say how a sample was drawn, as one value for all functions on samples.

    Attributes
    ----------
    weight, strata, cluster : names of columns of the original, optional
        Clusters of a number that comes again in another stratum are different clusters. A replica
        that has the column of clusters, too, was drawn by its own.
    lonely : "fail", "adjust", "average", "certainty" or "remove"
        What is done with a stratum of one cluster, as in R's survey package: refuse it; take its
        total about that of the file; give it the other strata's mean variance; give it none.
    synthetic_weight : name of a column of the replica, optional
        Where the replica has weights of its own; without, each of its records counts once.

    Examples
    --------
    >>> Design(weight="w", strata="region").columns
    ('w', 'region', None, None)
    """

    weight: str | None = None
    strata: str | None = None
    cluster: str | None = None
    lonely: str = "fail"
    synthetic_weight: str | None = None

    @property
    def columns(self) -> tuple[str | None, str | None, str | None, str | None]:
        """The columns, in the order weight, strata, cluster, synthetic weight."""
        return self.weight, self.strata, self.cluster, self.synthetic_weight

    def read(self, data: Microdata) -> SurveyDesign:
        """Return how each record of the original was sampled; see `read_design`."""
        return read_design(
            data,
            weight=self.weight,
            strata=self.strata,
            cluster=self.cluster,
            lonely=self.lonely,
        )

    def read_replica(self, data: Microdata) -> SurveyDesign:
        """Return how each record of a replica was drawn; see `replica_design`."""
        return replica_design(
            data, weight=self.synthetic_weight, cluster=self.cluster, strata=self.strata
        )


class DesignColumns(TypedDict, total=False):
    """The attributes of a `Design` as keywords of a function, each by itself."""

    weight: str | None
    strata: str | None
    cluster: str | None
    lonely: str
    synthetic_weight: str | None


def one_design(design: Design | None, **columns: Unpack[DesignColumns]) -> Design:
    """Return the design that a caller gives as one value, or column by column.

    Raises
    ------
    StudyError
        If it is given both ways.
    TypeError
        If a keyword is none of a design.
    """
    for name in columns:
        if name not in DesignColumns.__annotations__:
            hint = did_you_mean(name, DesignColumns.__annotations__)
            msg = f"unexpected keyword argument {name!r}.{hint}"
            raise TypeError(msg)
    by_column = [name for name, value in columns.items() if value not in (None, "fail")]
    if design is None:
        return Design(**columns)
    if by_column:
        msg = f"design: it says {', '.join(by_column)} already. Give the one or the other."
        raise StudyError(msg)
    return design


@dataclass(frozen=True)
class SurveyDesign:
    """How each record of a file was sampled.

    Attributes
    ----------
    weights : float array of shape (n,)
        Above 0; 1 where the sample has none.
    strata, clusters : int array of shape (n,)
        Numbered from 0. Clusters are numbered through all strata; without clusters each record
        is one of its own.
    fixes : tuple of Fix
    lonely : one of `LONELY`
        What a stratum with one cluster adds to variances.
    """

    weights: Floats
    strata: Ints
    clusters: Ints
    fixes: tuple[Fix, ...] = ()
    lonely: str = "fail"

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.weights)

    @cached_property
    def stratum_of_cluster(self) -> Ints:
        """The stratum of each cluster."""
        out = np.zeros(int(self.clusters.max()) + 1, dtype=np.int64)
        out[self.clusters] = self.strata
        return out

    @cached_property
    def clusters_of_stratum(self) -> Ints:
        """Number of clusters of each stratum."""
        return np.bincount(self.stratum_of_cluster)

    @cached_property
    def centred(self) -> Bools:
        """Whether the clusters of a stratum are taken about their mean: not those that are alone.

        The influence of all records adds up to 0, about which the one of a stratum is taken.
        """
        several: Bools = self.clusters_of_stratum > 1
        return several

    @cached_property
    def factors(self) -> Floats:
        """What squares of cluster totals count for in each stratum: a / (a - 1) of a clusters."""
        number = self.clusters_of_stratum.astype(np.float64)
        out = number / np.maximum(number - 1.0, 1.0)
        if self.lonely != "adjust":
            out[~self.centred] = 0.0
        if self.lonely == "average":
            out *= self._average(np.ones(len(number), dtype=np.bool_))
        return out

    def factors_within(self, rows: Bools) -> Floats:
        """Return `factors` of totals over some records; strata without any are in no average."""
        if self.lonely != "average":
            return self.factors
        strata = np.bincount(self.strata[rows], minlength=len(self.factors)) > 0
        every = np.ones_like(strata)
        out: Floats = self.factors * self._average(strata) / self._average(every)
        return out

    def _average(self, strata: Bools) -> float:
        """Return the number of some strata over the number of those with several clusters."""
        return int(strata.sum()) / max(int((strata & self.centred).sum()), 1)

    @cached_property
    def simple(self) -> bool:
        """Whether records count the same, and were drawn one by one."""
        alone = len(self.stratum_of_cluster) == self.n
        return alone and bool(self.weights.min() == self.weights.max())

    @property
    def degrees_of_freedom(self) -> int:
        """Clusters minus strata."""
        return len(self.stratum_of_cluster) - len(self.clusters_of_stratum)

    def degrees_of_freedom_within(self, rows: Bools) -> int:
        """Clusters minus strata that some records are of."""
        clusters = np.unique(self.clusters[rows])
        return len(clusters) - len(np.unique(self.stratum_of_cluster[clusters]))

    @property
    def kish(self) -> float:
        """Kish's design effect of unequal weights, n sum w^2 / (sum w)^2; at least 1."""
        return float(self.n * (self.weights**2).sum() / self.weights.sum() ** 2)


def simple_design(n: int) -> SurveyDesign:
    """Return the design of a simple random sample of n records."""
    return SurveyDesign(np.ones(n), np.zeros(n, dtype=np.int64), np.arange(n))


def read_design(
    data: Microdata,
    *,
    weight: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    lonely: str = "fail",
    together: tuple[str, Ints] | None = None,
) -> SurveyDesign:
    """Read the columns that say how a file was sampled.

    Without a column of clusters these are the units of `together`: what they are called
    ("household"), and which one each record is of. A stratum with one cluster ("lonely"): "fail"
    refuses it; with "adjust" its total is taken about that of the whole file; "average" gives it
    the mean variance of the other strata; "certainty" and "remove" give it none, as of a cluster
    that had to be in the sample.

    Raises
    ------
    ColumnError
        If one is absent or has missing values, or weights are no numbers above 0.
    StudyError
        If a stratum has one cluster and `lonely` is "fail", or all have; if `lonely` is unknown.
    """
    if lonely not in LONELY:
        msg = f"lonely: expected one of {', '.join(LONELY)} but got {lonely!r}."
        raise StudyError(f"{msg}{did_you_mean(str(lonely), LONELY)}")
    names = [name for name in (weight, strata, cluster) if name is not None]
    n = data.table.num_rows
    if not names and together is None:
        return simple_design(n)
    read = alone(data, list(dict.fromkeys(names)))
    fixes = list(read.fixes) if names else []
    weights = np.ones(n) if weight is None else weights_of(read, weight)
    if weight is not None and weights.min() == weights.max():
        change = "all weights are equal, so that each record counts the same"
        fixes.append(Fix(data.source, weight, change))
    stratum = np.zeros(n, dtype=np.int64) if strata is None else numbers_of(read, strata)
    unit, within = ("record", np.arange(n)) if together is None else together
    if cluster is not None:
        unit, within = "cluster", numbers_of(read, cluster)
    _, clusters = np.unique(_pairs(stratum, within), return_inverse=True)
    if cluster is not None and clusters.max() > within.max():
        fixes.append(Fix(data.source, cluster, PARTS_OF_CLUSTERS))
    numbered = clusters.ravel().astype(np.int64)
    design = SurveyDesign(weights, stratum, numbered, tuple(fixes), lonely)
    single = int((~design.centred).sum())
    if single and (lonely == "fail" or not design.degrees_of_freedom):
        raise StudyError(_single(data.source, strata, cluster, unit, single, design))
    return design


def replica_design(
    data: Microdata,
    *,
    weight: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
) -> SurveyDesign:
    """Read how the records of a replica were drawn: by its weights, and together.

    Its clusters, if it has a column of them, are its own; a record without one is alone, which is
    listed. Strata only tell clusters of one number apart.

    Raises
    ------
    ColumnError
        If the weights are absent, or no numbers above 0.
    StudyError
        If it has a single cluster, or record.
    """
    if cluster is None or cluster not in data.columns:
        return read_design(data, weight=weight)
    numbers, fixes = units_of(alone(data, [cluster]), cluster, "cluster")
    if strata is not None and strata in data.columns:
        stratum, _ = units_of(alone(data, [strata]), strata, "stratum")
        numbers = _pairs(stratum, numbers)
    design = read_design(data, weight=weight, together=("cluster", numbers))
    return replace(design, fixes=(*design.fixes, *fixes))


def _pairs(strata: Ints, clusters: Ints) -> Ints:
    """Return a number for each record's pair of both, in the order of strata."""
    pairs: Ints = strata * (clusters.max() + 1) + clusters
    return pairs


def _single(
    source: str,
    strata: str | None,
    cluster: str | None,
    unit: str,
    single: int,
    design: SurveyDesign,
) -> str:
    """Return where a stratum has a single cluster or record, and the remedy, in words."""
    if strata is None:
        where = source if cluster is None else f"{source}, column {cluster!r}"
        return (
            f"{where}: expected several {unit}s but got one, of which no variance can be estimated."
        )
    where = f"{source}, column {strata!r}"
    if not design.degrees_of_freedom:
        return (
            f"{where}: every stratum has a single {unit}, so that no variance can be estimated. "
            "Join strata."
        )
    return (
        f"{where}: {single} {'stratum has' if single == 1 else 'strata have'} a single {unit}, so "
        "that no variance can be estimated there. Join each with the stratum most like it, or say "
        f"with lonely what to do: {', '.join(LONELY[1:])}."
    )


def weights_of(read: Harmonised, name: str) -> Floats:
    """Return a column of weights.

    Raises
    ------
    ColumnError
        If they are no numbers, or some are missing, zero or negative.
    """
    variable = read.variables[name]
    where = f"{read.sources[0]}, column {name!r}"
    if variable.kind is not Kind.NUMBER:
        msg = f"{where}: expected weights, numbers above 0, but it holds {variable.kind} values."
        raise ColumnError(msg)
    weights = variable.values[0]
    wrong = {
        "missing": np.isnan(weights) | np.isin(weights, variable.missing_codes),
        "negative": weights < 0.0,
        "zero": weights == 0.0,
    }
    for what, rows in wrong.items():
        if rows.any():
            msg = (
                f"{where}: {int(rows.sum()):,} of {len(weights):,} weights are {what}. A weight "
                "says for how many people a record stands; give each record one above 0, or leave "
                "these records out of the file."
            )
            raise ColumnError(msg)
    return weights


def population_of(read: Harmonised, name: str, strata: Ints) -> float:
    """Return the people of all strata, from a column that says how many each has.

    Raises
    ------
    ColumnError
        If it holds no numbers above 0, or more than one for a stratum.
    """
    sizes = weights_of(read, name)
    largest, smallest = np.zeros(strata.max() + 1), np.full(strata.max() + 1, np.inf)
    np.maximum.at(largest, strata, sizes)
    np.minimum.at(smallest, strata, sizes)
    if (largest != smallest).any():
        msg = (
            f"{read.sources[0]}, column {name!r}: expected one number of people for each stratum, "
            "or for the whole file, but records of one stratum have several."
        )
        raise ColumnError(msg)
    return float(largest.sum())


def households_of(read: Harmonised, name: str) -> tuple[Ints, tuple[Fix, ...]]:
    """Number the households; a record without one is a household of its own, which is listed."""
    return units_of(read, name, "household")


def units_of(read: Harmonised, name: str, unit: str) -> tuple[Ints, tuple[Fix, ...]]:
    """Number the units that records are of; a record without one is alone, which is listed."""
    coded = encode(read, by_value, [name]).variables[name]
    codes = coded.parts[0].astype(np.int64)
    missing = codes == coded.missing_code
    single = int(missing.sum())
    codes[missing] = coded.size + np.arange(single)
    _, number = np.unique(codes, return_inverse=True)
    change = f"{counted(single, 'record')} without a {unit}: each is a {unit} of one"
    return number.ravel(), (Fix(read.sources[0], name, change, single),) if single else ()


def numbers_of(read: Harmonised, name: str) -> Ints:
    """Number the values of a column that says where a record was drawn."""
    coded = encode(read, by_value, [name]).variables[name]
    codes = coded.parts[0].astype(np.int64)
    missing = int((codes == coded.missing_code).sum())
    if missing:
        msg = (
            f"{read.sources[0]}, column {name!r}: {counted(missing, 'record')} without a value. "
            "Say where each record was drawn, or leave these records out of the file."
        )
        raise ColumnError(msg)
    _, number = np.unique(codes, return_inverse=True)
    return number.ravel().astype(np.int64)
