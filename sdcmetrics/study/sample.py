"""How a study's original was sampled: its columns are checked, and set aside from all others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.measures.survey.design import numbers_of, population_of
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Fix, Microdata, label_of
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import MissingCodes, alone, harmonise
from sdcmetrics.study.data import DataSets
from sdcmetrics.study.file import check_section
from sdcmetrics.study.nested import with_nested_clusters, with_nested_households
from sdcmetrics.study.options import Options

_ROLES = ("weight", "strata", "cluster", "household", "person")


def make_sample(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Check the entries of a sample that a caller or a study file gives; None where it has none.

    Raises
    ------
    StudyError
        For an unknown entry, a value of the wrong type, a column with two roles, or no role.

    Examples
    --------
    >>> make_sample({"weight": "w", "household": "home"})["household"]
    'home'
    """
    if value is None:
        return None
    entries: Any = value  # a caller may pass anything
    if not isinstance(entries, Mapping):
        msg = 'sample: expected entries such as weight = "w" and household = "home".'
        raise StudyError(msg)
    roles = check_section("sample", entries)
    named = [roles[role] for role in _ROLES if roles[role]]
    for name in named:
        if named.count(name) > 1 and (roles["weight"] == name or roles["person"] == name):
            msg = f"sample: column {name!r} has two roles. Name each column once."
            raise StudyError(msg)
    if not named and roles["population_size"] is None:
        msg = f"sample: expected at least one of {', '.join(_ROLES)} and population_size."
        raise StudyError(msg)
    return roles


def bind_sample(entries: dict[str, Any] | None, data: DataSets) -> Sample | None:
    """Return the sample of these data sets, checked.

    Raises
    ------
    ColumnError
        If a column is absent or its values do not fit its role.
    DataError
        If the holdout splits households.
    StudyError
        If the weights of replicas are named and no replica has them, or no variance can be
        estimated in a stratum.
    """
    if entries is None:
        return None
    chosen = dict(entries)
    for role in _ROLES:
        if chosen[role]:
            check_names([chosen[role]], data.original, f"sample: {role}")
    synthetic = [synthesis for syntheses in data.replicas.values() for synthesis in syntheses]
    synthetic += data.earlier_files
    if isinstance(name := chosen["population_size"], str):
        check_names([name], data.original, "sample: population_size")
        strata = chosen["strata"]
        read = alone(data.original, list(dict.fromkeys([name, *([strata] if strata else [])])))
        number = numbers_of(read, strata) if strata else np.zeros(data.original.n, dtype=np.int64)
        chosen |= {"size": name, "population_size": population_of(read, name, number)}
    weight = chosen["synthetic_weight"]
    if weight is None:
        chosen["synthetic_weight"] = chosen["weight"]
    elif weight and not any(weight in synthesis.columns for synthesis in synthetic):
        msg = f"sample: synthetic_weight: {weight!r} is a column of no replica."
        raise StudyError(msg)
    given = [*synthetic, *filter(None, [data.holdout])]
    original, *others = _with_own_numbers(chosen, [data.original, *given])
    left_out = [
        fix
        for before, after in zip(given, others, strict=True)
        for fix in after.fixes[len(before.fixes) :]
    ]
    syntheses = {synthesis.source: synthesis for synthesis in others[: len(synthetic)]}
    holdout = data.holdout and others[-1]
    files: dict[str, Any] = {"syntheses": syntheses, "holdout": holdout}
    sample = Sample(original, **chosen, **files, left_out=tuple(left_out))
    list(sample.fixes())
    return sample


def _with_own_numbers(chosen: Mapping[str, Any], files: list[Microdata]) -> list[Microdata]:
    """Return the files, original first, in which "1" of one stratum or cluster is in no other."""
    strata, cluster, household = (chosen[role] for role in ("strata", "cluster", "household"))
    roles = {*(chosen[role] for role in _ROLES), chosen.get("size", "")}
    if strata and cluster and strata != cluster:
        files = with_nested_clusters(
            files[0], files[1:], strata=strata, cluster=cluster, roles=roles
        )
    groups, within = (cluster, "clusters") if cluster else (strata, "strata")
    if groups and household:
        files = with_nested_households(
            files[0], files[1:], groups=groups, household=household, within=within, roles=roles
        )
    return files


def strata_of_all(data: DataSets, sample: Sample | None) -> tuple[str, ...]:
    """Return the column of strata, if it is one of every data set."""
    if sample is None or not sample.strata:
        return ()
    everywhere = all(sample.strata in data_set.columns for data_set in data.every)
    return (sample.strata,) * everywhere


def as_categories(data: DataSets, names: Collection[str], missing_codes: MissingCodes) -> DataSets:
    """Return the data sets with numbers as categories: the number of a stratum is its name.

    They are brought to the original's coding first, as any other column is; where they cannot be,
    they stay as they are.
    """
    for name in names:
        codes = {name: missing_codes[name]} if name in missing_codes else {}
        first, *others = data.every
        renamed = _by_names(name, first, others, codes)
        for earlier in data.earlier_files if renamed else ():
            if name in earlier.columns:  # of which none keeps the others from being compared
                renamed = _by_names(name, first, [earlier], codes) | renamed
        data = data.map(lambda data_set, renamed=renamed: renamed.get(id(data_set), data_set))  # type: ignore[misc]
    return data


def _by_names(
    name: str, original: Microdata, others: Sequence[Microdata], missing_codes: MissingCodes
) -> dict[int, Microdata]:
    """Return data sets with a column of numbers as texts, by the identity of the given ones."""
    having = [original, *others]
    try:
        read = harmonise(original, others, variables=[name], missing_codes=missing_codes)
    except SdcMetricsError:  # the review says so
        return {}
    variable = read.variables[name]
    if variable.kind is not Kind.NUMBER:
        return {}
    listed = {fix for data_set in having for fix in data_set.fixes}
    fixes = [replace(fix, compared=True) for fix in read.fixes if fix not in listed]
    parts = zip(having, variable.values, read.sources, strict=True)
    return {
        id(data_set): _renamed(
            data_set, name, values, [fix for fix in fixes if fix.source == source]
        )
        for data_set, values, source in parts
    }


def _renamed(data: Microdata, name: str, values: Floats, fixes: Sequence[Fix]) -> Microdata:
    """Return a data set with the texts of numbers in place of a column."""
    distinct, places = np.unique(values, return_inverse=True)
    levels = [label_of(value) for value in distinct[~np.isnan(distinct)].tolist()]
    codes = pa.array(places.astype(np.int32), mask=np.isnan(values))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(levels, pa.string()))
    changes: dict[str, Any] = {
        part: {other: entry for other, entry in getattr(data, part).items() if other != name}
        for part in ("value_labels", "level_codes", "missing_codes")
    }
    table = data.table.set_column(data.columns.index(name), name, column)
    return replace(data, table=table, fixes=(*data.fixes, *fixes), **changes)


def set_aside(data: DataSets, sample: Sample | None, named: Collection[str]) -> DataSets:
    """Return the data sets without the sample's columns, except those that are named."""
    if sample is None:
        return data
    aside = {*sample.columns.values(), sample.synthetic_weight}.difference(named)
    return data.map(lambda data_set: _without(data_set, aside))


def with_sample(
    options: Options,
    sample: Sample | None,
    plain: DataSets,
    data: DataSets,
    strata: Collection[str] = (),
) -> Options:
    """Return the options of a study of a sample: its population, and what is compared.

    Where `data` still has columns of the sample, as a model or a rule names them, the variables
    are those that all data sets have without them, and `strata`.

    Raises
    ------
    StudyError
        If the options name another population.
    """
    size = None if sample is None else sample.population_size
    if size is not None:
        if options.population_size not in (None, size):
            msg = "population_size: [sample] and [options] have different numbers. Give it once."
            raise StudyError(msg)
        if size < data.original.n:
            msg = (
                f"sample: population_size: expected at least the {data.original.n:,} records of "
                f"{data.original.source}."
            )
            raise StudyError(msg)
        if sample is not None and not sample.size:  # of a column it is a fact about the original
            options = replace(options, population_size=size)
    if options.variables is None and plain.original.columns != data.original.columns:
        common = set(plain.original.columns).intersection(
            *(data_set.columns for data_set in plain.every)
        )
        common |= set(strata)
        names = tuple(name for name in data.original.columns if name in common)
        options = replace(options, variables=names)
    return options


def _without(data: Microdata, names: Collection[str]) -> Microdata:
    """Return a data set without columns; it remembers that it had them."""
    left = tuple(name for name in data.columns if name in names)
    if not left:
        return data
    remaining = data.table.drop_columns(list(left))
    return replace(data, table=remaining, not_taken=(*data.not_taken, *left))
