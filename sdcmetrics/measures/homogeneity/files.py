"""A replica of one or several syntheses: its tables tested file by file, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError, did_you_mean
from sdcmetrics.measures.homogeneity.homogeneity import homogeneity
from sdcmetrics.measures.homogeneity.result import (
    Homogeneity,
    Limits,
    Reason,
    Status,
    Table,
    Totals,
)
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.records import Column, Records, records_of
from sdcmetrics.measures.survey.design import households_of, read_design
from sdcmetrics.measures.survey.files import compared_columns
from sdcmetrics.microdata.arguments import Between, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import MissingCodes, alone, harmonise
from sdcmetrics.results import Readable


def with_cluster(records: Records, name: str, original: Microdata, synthesis: Microdata) -> Records:
    """Return records with the column that says which of them belong together.

    Its replica is empty where the synthesis does not have the column.
    """
    sides = [
        households_of(alone(data, [name]), name)[0]
        if name in data.columns
        else np.empty(0, dtype=np.int64)
        for data in (original, synthesis)
    ]
    return replace(records, cluster=Column(name, Kind.CATEGORY, sides[0], sides[1]))


def columns_aside(original: Microdata, compared: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of the original that are not compared; without those it cannot read."""
    out = []
    for name in original.columns:
        if name in compared:
            continue
        try:
            variable = alone(original, [name]).variables[name]
        except ColumnError:
            continue
        values = (variable.values or variable.codes)[0]
        out.append(Column(name, variable.kind, values, values[:0]))
    return tuple(out)


ORDER: tuple[Status, ...] = ("within", "not judged", "review", "fail")


@dataclass(frozen=True)
class HomogeneityOfFiles(
    Readable, shows=("status", "reason", "called", "failed", "tables", "files"), table="frame"
):
    """Whether the tables of a replica are those of fresh samples; the worst of its syntheses.

    The first synthesis is tested at the full level, and the i-th at 1/(i (i + 1)) of it: these add
    up to one and a half, however many files follow, and a further file can make no answer milder.

    Attributes
    ----------
    files : tuple of Homogeneity
        One per synthesis.
    """

    files: tuple[Homogeneity, ...]

    @property
    def status(self) -> Status:
        """The worst status of a file."""
        return max((file.status for file in self.files), key=ORDER.index)

    @property
    def _unjudged(self) -> Homogeneity | None:
        if self.status != "not judged":
            return None
        return next(file for file in self.files if file.status == "not judged")

    @property
    def reason(self) -> Reason:
        """Why it is not judged; else empty."""
        return self._unjudged.reason if self._unjudged else ""

    @property
    def cluster(self) -> str:
        """The column that would have to be named, or that a synthesis lacks; else empty."""
        return next((file.cluster for file in self.files if file.cluster), "")

    @property
    def called(self) -> tuple[Table, ...]:
        """The tables that are called in any file, each as in its worst, the worst w first."""
        return self._worst(lambda file: file.called)

    @property
    def failed(self) -> tuple[Table, ...]:
        """Those that fail in any file, each as in its worst, the worst w first."""
        return self._worst(lambda file: file.failed)

    def _worst(self, of: Callable[[Homogeneity], tuple[Table, ...]]) -> tuple[Table, ...]:
        every = sorted((table for file in self.files for table in of(file)), key=lambda t: -t.w)
        return tuple({table.name: table for table in reversed(every)}.values())[::-1]

    @property
    def tables(self) -> int:
        """Tables of each file."""
        return max(file.tables for file in self.files)

    @property
    def ways(self) -> int:
        """Up to how many columns a table has."""
        return max(file.ways for file in self.files)

    @property
    def notice(self) -> float:
        """The smallest w that each file shows in four of five cases."""
        return max(file.notice for file in self.files)

    @property
    def notice_one_way(self) -> float:
        """The smallest w that a usual table of one column shows in four of five cases."""
        return max(file.notice_one_way for file in self.files)

    @property
    def repeats(self) -> bool:
        """Whether records of a file are repeated more, or less, often than in the original."""
        return any(file.repeats for file in self.files)

    @property
    def one_sided(self) -> tuple[str, ...]:
        """Columns of which few records of a file, beyond chance, have values of their own."""
        return tuple(dict.fromkeys(name for file in self.files for name in file.one_sided))

    @property
    def few(self) -> bool:
        """Whether there are fewer than 30 records on either side of a file."""
        return any(file.few for file in self.files)

    @property
    def few_clusters(self) -> bool:
        """Whether there are fewer than 30 clusters on either side of a file."""
        return any(file.few_clusters for file in self.files)

    @property
    def assumed_clusters(self) -> bool:
        """Whether a synthesis lacks the column of clusters; the original's stand in for it."""
        return any(file.assumed_clusters for file in self.files)

    @property
    def weighted(self) -> bool:
        """Whether shares are those of the population, by weights."""
        return any(file.weighted for file in self.files)

    @property
    def counted_once(self) -> bool:
        """Whether the records of a file without weights count once each, beside weighted shares."""
        return any(file.weighted and file.totals is None for file in self.files)

    @property
    def totals(self) -> Totals | None:
        """What the weights add up to, of the file whose total is furthest off."""
        every = [file.totals for file in self.files if file.totals is not None]
        return max(every, key=lambda totals: (totals.differ, abs(totals.ratio - 1)), default=None)

    @property
    def skipped(self) -> tuple[str, ...]:
        """Which derived columns were not made, and why."""
        return tuple(dict.fromkeys(text for file in self.files for text in file.skipped))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All tables of all files; columns synthesis, and those of `Homogeneity.frame`."""
        frames = [file.frame for file in self.files]
        for i, frame in enumerate(frames, start=1):
            frames[i - 1] = frame.assign(synthesis=i)
        joined = pd.concat(frames, ignore_index=True)
        return joined[["synthesis", *joined.columns.drop("synthesis")]]


def homogeneity_of_files(
    files: Sequence[Records],
    *,
    ways: int = 3,
    limits: Limits | None = None,
    derived: bool = True,
    seed: int = 1,
    missing_codes: MissingCodes | None = None,
    others: Sequence[Column] = (),
) -> HomogeneityOfFiles:
    """Test the tables of every synthesis of a replica; see `homogeneity`.

    Parameters
    ----------
    files : sequence of Records
        The original with each synthesis.
    others : see `homogeneity`

    Returns
    -------
    HomogeneityOfFiles
    """
    return HomogeneityOfFiles(
        tuple(
            homogeneity(
                records,
                ways=ways,
                limits=limits,
                derived=derived,
                seed=seed,
                number=number,
                missing_codes=missing_codes,
                others=others,
            )
            for number, records in enumerate(files, start=1)
        )
    )


@checked
def equal_tables(  # noqa: PLR0913  (what is tested, and by what)
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    synthetic_weight: str | None = None,
    ways: Annotated[int, Between(1)] = 3,
    derived: bool = True,
    review: float = 3.0,
    chance: float = 0.01,
    size_review: float = 0.1,
    size_fail: float = 0.3,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> HomogeneityOfFiles:
    """Test whether a replica has the tables of its original, but for chance and small amounts.

    All tables of one, two and three columns, and of columns derived from numbers (trailing zeros,
    tails, the order of two, repeated records, values that one file alone has), are tested as one
    family. A table is called where its S_pMSE is above the advice of synthpop's authors, where a
    fresh sample would have such a table among all of them in one case of a hundred, and where the
    difference is not small. Values that only the replica has are called whatever their share.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        Of several syntheses the first has the full level, the i-th 1/(i (i + 1)) of it.
    variables : names, optional
        By default every column that all data sets have.
    cluster : name, optional
        The column that says which records belong together: a household, a school. Without it, a
        column that looks like one leaves the tables unjudged. Records of a synthesis that lacks it
        are taken to belong together as those of the original do.
    weight : name, optional
        The column that says for how many people a record stands. Tables are then those of the
        population: shares of both files are by weights. Records of a synthesis without weights
        count once each.
    synthetic_weight : name, optional
        That column of the synthesis, by default the same.
    ways : int
        Up to how many columns a table has; at most 2 where there are more than 20 columns.
    derived : bool
        Whether tables of derived columns are tested, too. They are never more than "review".
    review, chance, size_review, size_fail : see `Limits`
    missing_codes : mapping of column to code or codes, optional
        Codes that are levels of their own.
    seed : int
        Of the draws that settle p values close to the level.

    Returns
    -------
    HomogeneityOfFiles
        `status` is "within", "review", "fail" or "not judged".

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the original lacks `cluster`.

    Notes
    -----
    The null hypothesis is that the records of both were drawn one by one (or, with `cluster`, by
    whole clusters) from the same population. Its p is exact for tables of two cells; for others it
    is the gamma law with the exact mean and variance of X2 under exchange of labels (Dawson 1954),
    and a table is called only if the exact p is confirmed to be as small.
    With `cluster` or `weight` p is the second-order one of Rao and Scott (1984) instead, and
    `totals` says what the weights of both files add up to.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.integers(0, 2, (2, 400))
    >>> original = pd.DataFrame({"x": x, "y": y, "z": x ^ y})
    >>> replica = pd.DataFrame({"x": x, "y": y, "z": rng.permutation(x ^ y)})
    >>> result = equal_tables(original, replica)
    >>> result.status, [table.name for table in result.failed]
    ('fail', ['x by y by z'])
    """
    data = as_microdata(original, "original")
    replicas = list_syntheses(synthetic, None)
    if cluster is not None and cluster not in data.columns:
        msg = f"original: there is no column {cluster!r}.{did_you_mean(cluster, data.columns)}"
        raise ColumnError(msg)
    if weight is not None and weight not in data.columns:
        msg = f"original: there is no column {weight!r}.{did_you_mean(weight, data.columns)}"
        raise ColumnError(msg)
    own = weight if synthetic_weight is None else synthetic_weight
    names = compared_columns(data, replicas, variables, (cluster, weight, own))
    both = harmonise(data, replicas, variables=names, missing_codes=missing_codes)
    codes = {name: variable.missing_codes for name, variable in both.variables.items()}
    files = [records_of(both, i) for i in range(1, len(replicas) + 1)]
    if cluster is not None:
        files = [
            with_cluster(records, cluster, data, synthesis)
            for records, synthesis in zip(files, replicas, strict=True)
        ]
    if weight is not None:
        weights = read_design(data, weight=weight).weights
        files = [
            replace(records, weights=(weights, _weights(synthesis, own)))
            for records, synthesis in zip(files, replicas, strict=True)
        ]
    once = files if cluster is not None else [file.each_once() for file in files]
    others = () if cluster is not None else columns_aside(data, names)
    result = homogeneity_of_files(
        once,
        ways=ways,
        limits=Limits(review, chance, size_review, size_fail),
        derived=derived,
        seed=seed,
        missing_codes=codes,
        others=others,
    )
    repeated = [part.m < whole.m for part, whole in zip(once, files, strict=True)]
    return HomogeneityOfFiles(with_repeats(result.files, repeated))


def with_repeats(
    tables: Sequence[Homogeneity], repeated: Sequence[bool]
) -> tuple[Homogeneity, ...]:
    """Return the tables of files, of which some had every record several times, with a remark."""
    return tuple(
        replace(each, repeats=True) if is_repeated else each
        for each, is_repeated in zip(tables, repeated, strict=True)
    )


def _weights(synthesis: Microdata, name: str | None) -> Floats | None:
    """Return the weights of a synthesis that has some."""
    if name is None or name not in synthesis.columns:
        return None
    return read_design(synthesis, weight=name).weights
