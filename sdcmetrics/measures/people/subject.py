"""Files as records: what two frames, or a pair of a review, give to the procedure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.files import people_of_files
from sdcmetrics.measures.records import FEW_VALUES, Column, Records, records_of
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Array, Ints
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise

_FEW_UNITS = 10
"""Households (or clusters, or records) per stratum below which the design fixes who is near; and
strata of several of them, from which on it is no chance that a column is the same in each."""


@checked
def people(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    variables: Sequence[str] | None = None,
    cluster: str | None = None,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> PeopleOfFiles:
    """Ask whose records a replica holds: people of the original, or nobody in particular.

    Four tests, together at 1 %, look for equal and for near records; a holdout must confirm what
    they see, and replicas whose columns are permuted must not show it. Records of people of the
    holdout in the replica are claimed, too, where both exact tests see them.

    Parameters
    ----------
    original : data frame
    synthetic : data frame or list of data frames
        Several files of one maker are looked at one by one and as a growing union.
    holdout : data frame, optional
        People of the same population who were left out of the original. A holdout that is no
        random part of both is not used.
    variables : sequence of str, optional
        Columns to compare; by default every one that original and replica have.
    cluster : str, optional
        The column that says which rows belong together (a household, a person with several rows).
    missing_codes : mapping of column to number or numbers, optional
    seed : int
        Breaks ties and draws labels.

    Returns
    -------
    PeopleOfFiles
        With the claims of all files, and what they rest on.

    Raises
    ------
    ColumnError
        If a named column is absent.
    DataError
        If there is no file, or one has no rows.

    Notes
    -----
    What twin tests say rests on an assumption: records of the original and of the replica were
    drawn one by one, without quotas, strata of fixed size, raked or rounded counts.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> person = lambda n: pd.DataFrame(rng.normal(size=(n, 3)).round(2), columns=list("abc"))
    >>> original = person(60)
    >>> people(original, original.sample(frac=1, random_state=1)).claims[0].name
    'COPY'
    >>> people(original, person(60)).claims
    ()
    """
    keys = [cluster] if cluster is not None else []
    names = None if variables is None else [*dict.fromkeys([*variables, *keys])]
    data = as_microdata(original, "original", names)
    syntheses = list_syntheses(synthetic, None)
    aside = None if holdout is None else as_microdata(holdout, "holdout", None)
    if names is not None:
        check_names(names, data, "variables")
    elif keys:
        check_names(keys, data, "cluster")
    records = [
        _records(
            data,
            synthesis,
            aside,
            variables=names,
            missing_codes=missing_codes,
            cluster=cluster or "",
            clusters=(data, synthesis, aside),
        )
        for synthesis in syntheses
    ]
    return people_of_files(records, seed=seed)


def _records(
    original: Microdata,
    synthesis: Microdata,
    holdout: Microdata | None,
    *,
    variables: Sequence[str] | None,
    missing_codes: MissingCodes | None,
    cluster: str,
    clusters: tuple[Microdata, Microdata | None, Microdata | None],
    data: Harmonised | None = None,
) -> Records:
    """Return the records of one file; a holdout that lacks a column has no rows."""
    wanted = [name for name in variables or original.columns if name != cluster]
    names = [name for name in wanted if name in synthesis.columns]
    others = [] if variables is not None else synthesis.columns
    absent = [name for name in wanted if name not in names]
    absent += [name for name in others if name not in original.columns and name != cluster]
    lacks = [] if holdout is None else [name for name in names if name not in holdout.columns]
    holdout = None if lacks else holdout
    files = [synthesis, *([] if holdout is None else [holdout])]
    refused: tuple[str, ...] = ()
    if data is None or set(data.variables) != set(names):
        data, refused = _harmonised(original, files, names, missing_codes or {})
    column = _cluster(cluster, clusters, has_holdout=holdout is not None) if cluster else None
    if data is None:
        h = 0 if holdout is None else holdout.n
        out = Records((), original.n, synthesis.n, h)
    else:
        out = records_of(data, 1, holdout=holdout is not None)
    return replace(
        out if column is not None else out.each_once(),
        cluster=column,
        absent=tuple(absent),
        incomparable=refused,
        holdout_lacks=tuple(lacks),
    )


def _harmonised(
    original: Microdata,
    others: Sequence[Microdata],
    names: Sequence[str],
    missing_codes: Mapping[str, Any],
) -> tuple[Harmonised | None, tuple[str, ...]]:
    """Return the files over the columns that can be compared, and the other columns."""

    def over(chosen: Sequence[str], files: Sequence[Microdata]) -> Harmonised:
        """Return the files over some columns."""
        codes = {name: code for name, code in missing_codes.items() if name in chosen}
        return harmonise(files[0], files[1:], variables=chosen, missing_codes=codes)

    def refused_of(chosen: Sequence[str], files: Sequence[Microdata]) -> list[str]:
        """Return the columns that cannot be compared, one by one."""
        refused = []
        for name in chosen:
            try:
                over([name], files)
            except ColumnError:
                refused.append(name)
        return refused

    if not names:
        return None, ()
    files = [original, *others]
    try:
        return over(names, files), ()
    except ColumnError:
        few = [name for name in refused_of(names, files) if _few_values(original, name)]
        files = [_as_text(data, few) for data in files]
        refused = refused_of(names, files)
        missing_codes = {k: v for k, v in missing_codes.items() if k not in few}
        left = [name for name in names if name not in refused]
        return (over(left, files) if left else None), tuple(refused)


def _few_values(data: Microdata, name: str) -> bool:
    """Whether a column has so few values that it may as well be a category."""
    return len(pc.unique(data.table[name]).drop_null()) <= FEW_VALUES


def _as_text(data: Microdata, names: Sequence[str]) -> Microdata:
    """Return a data set whose named columns are text: 0 and 1 may be "no" and "yes" elsewhere."""
    table = data.table
    for name in names:
        text = table[name].cast(pa.string())
        table = table.set_column(table.column_names.index(name), name, text)
    return replace(data, table=table) if names else data


def _cluster(
    name: str,
    files: tuple[Microdata, Microdata | None, Microdata | None],
    *,
    has_holdout: bool,
) -> Column:
    """Return which rows belong together; empty where a file does not say it."""
    named = [part is not None and name in part.columns for part in files]
    there = [part for part, has in zip(files, named, strict=True) if has and part is not None]
    data = harmonise(there[0], there[1:], variables=[name])
    variable = data.variables[name]
    values = iter(variable.values or variable.codes)
    parts = [np.asarray(next(values)) if has else np.zeros(0) for has in named]
    return Column(
        name, variable.kind, parts[0], parts[1], parts[2] if has_holdout else None, variable.levels
    )


def _without_fixed(records: Records, sample: Sample) -> Records:
    """Return records without columns that small strata determine: the design fixes these.

    A stratum of k households has k - 1 others for each of them in the file itself but k in every
    other sample, so that pairs are the more frequent between files, without any copying.
    """
    if not sample.strata or sample.original.n != records.n:
        return records
    strata = sample.numbers_of_strata
    together = np.arange(records.n) if records.cluster is None else records.cluster.original
    count = len(np.unique(strata))
    in_stratum = np.bincount(_pairs(strata, together)[0])
    if in_stratum.sum() >= _FEW_UNITS * count:
        return records
    several = np.count_nonzero(in_stratum > 1)  # a household alone in its stratum tells nothing

    def fixed(column: Column) -> bool:
        """Whether all records of a stratum have the same value, and not by chance."""
        if column.name == sample.strata:
            return True
        return bool(several >= _FEW_UNITS) and _pairs(strata, column.original).shape[1] == count

    return replace(records, columns=tuple(c for c in records.columns if not fixed(c)))


def _pairs(strata: Ints, values: Array) -> Ints:
    """Return the distinct pairs of stratum and value, shape (2, pairs)."""
    codes = np.unique(values, return_inverse=True)[1]
    pairs: Ints = np.unique(np.stack([strata, codes]), axis=1)
    return pairs


def _of_pair(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    """Yield whose records the files of one replica hold."""
    step = "whose records are in it"
    tell(step)
    sample, holdout = plan.sample, pair.holdout
    cluster = "" if sample is None else sample.household or sample.cluster or sample.person
    records: list[Records] = []
    earlier: list[Records] = []
    names = [
        name
        for name in pair.variables or pair.original.columns
        if all(name in file.columns for file in pair.syntheses)
    ]
    before = pair.earlier(names)
    for synthesis in (*before, *pair.syntheses):
        clusters: tuple[Microdata, Microdata | None, Microdata | None]
        clusters = (pair.original, synthesis, holdout)
        if cluster and sample is not None:
            clusters = (sample.original, sample.syntheses.get(synthesis.source), sample.holdout)
        data = None
        if (
            pair.m == 1
            and not before
            and (holdout is None or set(pair.data.variables) <= set(holdout.columns))
        ):
            data = pair.data if holdout is None else pair.beside_holdout
        part = _records(
            pair.original,
            synthesis,
            holdout,
            variables=pair.variables,
            missing_codes=pair.missing_codes,
            cluster=cluster,
            clusters=clusters,
            data=data,
        )
        if sample is not None:
            part = _without_fixed(part, sample)
        (records if len(earlier) == len(before) else earlier).append(part)
    seed = plan.options.seed
    result = people_of_files(records, earlier=earlier, seed=seed, memo=pair.shared, tell=tell)
    yield Given(step, (Place(),), tuple(result.files), whole=result, result=result)


PEOPLE = Kind("people", "`PeopleOfFiles`", _of_pair, decides=True)

SUBJECT = Subject("people", kinds=(PEOPLE,))
