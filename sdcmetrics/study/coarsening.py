"""The coarsening that a study asks for, done to all data sets before anything is measured."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.errors import FileError, SdcMetricsError, StudyError, did_you_mean
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.coarsening import (
    PERIODS,
    REST,
    Bands,
    Coarsening,
    Levels,
    Periods,
    Steps,
    in_order,
)
from sdcmetrics.microdata.frames import Fix, Microdata, label_of
from sdcmetrics.microdata.levels import NONE_IN_COMMON
from sdcmetrics.microdata.schema import MissingCodes, Variable, harmonise
from sdcmetrics.study.data import DataSets

_EXPECTED = (
    "expected the width of bands (5), their bounds ([0, 1000, 2000]), "
    f"{', '.join(map(repr, PERIODS))}, groups of levels ({{ north = [...], south = [...] }}) or "
    "a CSV file of levels and their groups"
)
_FEWEST = 2
"""Bounds of one band, and columns of a file of levels."""


def make_coarsening(entries: Mapping[str, Any] | None) -> dict[str, Coarsening]:
    """Return the rule of each column.

    Raises
    ------
    StudyError, FileError
        If an entry is none of what coarsens, or names a file that cannot be read.

    Examples
    --------
    >>> make_coarsening({"age": 5, "born": "year"})
    {'age': Steps(width=5.0), 'born': Periods(unit='year')}
    """
    out = {}
    for name, how in (entries or {}).items():
        try:
            out[str(name)] = read_coarsening(how)
        except StudyError as error:
            msg = f"coarsen.{name}: {error}"
            raise StudyError(msg) from None
    return out


def read_coarsening(how: Any) -> Coarsening:
    """Return the rule that an entry of ``[coarsen]`` stands for.

    Raises
    ------
    StudyError, FileError
        If it stands for none.
    """
    if isinstance(how, Steps | Bands | Periods | Levels):
        return how
    if _is_number(how):
        if not (0 < how < math.inf):
            msg = f"expected the width of bands, a number above 0, but got {how}."
            raise StudyError(msg)
        return Steps(float(how))
    if isinstance(how, str | Path):
        return Periods(str(how)) if str(how) in PERIODS else _of_file(Path(how))
    if isinstance(how, Mapping):
        return _of_groups(how)
    if isinstance(how, list | tuple) and how and all(map(_is_number, how)):
        increasing = all(a < b for a, b in itertools.pairwise(how))
        if len(how) < _FEWEST or not increasing:
            msg = "expected at least two bounds of bands, each above the one before."
            raise StudyError(msg)
        return Bands(tuple(map(float, how)))
    msg = f"{_EXPECTED}."
    raise StudyError(msg)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _of_groups(entries: Mapping[Any, Any]) -> Levels:
    groups: dict[str, tuple[str, ...]] = {}
    rest = ""
    for group, levels in entries.items():
        if levels == REST:
            if rest:
                msg = f"{REST!r} stands for all levels that are left, and for two groups."
                raise StudyError(msg)
            rest = str(group)
            continue
        listed = list(levels) if isinstance(levels, list | tuple) else [levels]
        if not listed or any(not isinstance(level, str | int | float) for level in listed):
            msg = f"group {str(group)!r}: expected the levels that it is made of, in a list."
            raise StudyError(msg)
        groups[str(group)] = tuple(map(label_of, listed))
    if not entries:
        msg = f"{_EXPECTED}."
        raise StudyError(msg)
    return _checked(Levels(groups, rest))


def _of_file(path: Path) -> Levels:
    """Read a file with a header and two columns: each level, and its group."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = [row for row in csv.reader(lines) if row][1:]
    except (OSError, UnicodeDecodeError, csv.Error):
        hint = did_you_mean(str(path), list(PERIODS))
        msg = (
            f"{path}: expected a CSV file in UTF-8 with a header and two columns, level and group, "
            f"but it cannot be read.{hint}"
        )
        raise FileError(msg) from None
    if not rows or any(len(row) != _FEWEST for row in rows):
        msg = f"{path.name}: expected a header and two columns in each line: level and group."
        raise FileError(msg)
    groups: dict[str, list[str]] = {}
    for level, group in rows:
        groups.setdefault(group.strip(), []).append(level.strip())
    return _checked(Levels({name: tuple(levels) for name, levels in groups.items()}))


def _checked(levels: Levels) -> Levels:
    times = Counter(level for group in levels.groups.values() for level in group)
    twice = [level for level, count in times.items() if count > 1]
    if twice:
        msg = f"level {twice[0]!r} stands in more than one group, or twice. Name each level once."
        raise StudyError(msg)
    return levels


def check_roles(rules: Mapping[str, Coarsening], data: DataSets, sample: Sample | None) -> None:
    """Raise StudyError for a column that is not there, or that says how people were sampled."""
    roles = {} if sample is None else sample.columns
    for name in rules:
        if name not in data.original.columns:
            hint = did_you_mean(name, data.original.columns)
            msg = f"coarsen: {name!r} is not a column of {data.original.source}.{hint}"
            raise StudyError(msg)
        role = next((role for role, column in roles.items() if column == name), "strata")
        if role != "strata":
            msg = f"coarsen: {name!r} is the {role} of [sample], which has to stay as it is."
            raise StudyError(msg)


def coarsened(
    data: DataSets, rules: Mapping[str, Coarsening], missing_codes: MissingCodes
) -> DataSets:
    """Return data sets with coarser columns, which are categories from then on.

    What is missing stays missing, and codes that mean missing stay levels of their own.

    Raises
    ------
    StudyError
        If a column is of another kind than its rule, or has values that the rule does not name.
    DataError, ColumnError
        If a column is not comparable.
    """
    for name, rule in rules.items():
        codes = {name: missing_codes[name]} if name in missing_codes else {}
        coarse = _by_data_set(
            name, rule, [data_set for data_set in data.every if name in data_set.columns], codes
        )
        for earlier in data.earlier_files:
            # What went out in bands before stays as it is.
            with suppress(SdcMetricsError):
                coarse |= _by_data_set(name, rule, [data.original, earlier], codes, only=earlier)
        data = data.map(lambda data_set, coarse=coarse: coarse.get(id(data_set), data_set))  # type: ignore[misc]
    return data


def _by_data_set(
    name: str,
    rule: Coarsening,
    having: Sequence[Microdata],
    missing_codes: MissingCodes,
    only: Microdata | None = None,
) -> dict[int, Microdata]:
    """Return coarser data sets by the identity of what they are made of."""
    _refuse_rounded(name, having)
    read = harmonise(having[0], having[1:], variables=[name], missing_codes=missing_codes)
    listed = {fix for data_set in having for fix in data_set.fixes}
    apart = NONE_IN_COMMON.format(read.sources[0])  # the groups are to join them: not yet a fault
    fixes = [
        replace(fix, compared=True) for fix in read.fixes if fix not in listed and fix.what != apart
    ]
    columns = _coarser(read.variables[name], rule, having)
    return {
        id(data_set): _with(
            data_set, name, column, [fix for fix in fixes if fix.source == data_set.source]
        )
        for data_set, column in zip(having, columns, strict=True)
        if only is None or data_set is only
    }


@dataclass(frozen=True)
class _Coarser:
    column: pa.DictionaryArray
    what: str
    cells: int


def _refuse_rounded(name: str, having: Sequence[Microdata]) -> None:
    for data_set in having:
        if any(name in large.rounded for large in data_set.large):
            msg = (
                f"coarsen: column {name!r} of {data_set.source} has too many distinct values to be "
                "counted in batches, and was rounded. Write it in bands to the files themselves."
            )
            raise StudyError(msg)


def _coarser(variable: Variable, rule: Coarsening, data: Sequence[Microdata]) -> list[_Coarser]:
    name = variable.name
    if variable.kind not in rule.kinds:
        kinds = " or ".join(kind.value for kind in rule.kinds)
        msg = (
            f"coarsen: {name!r} is of kind {variable.kind.value} in {data[0].source}, and "
            f"{rule.words} are made of kind {kinds}. {_EXPECTED[0].upper()}{_EXPECTED[1:]}."
        )
        raise StudyError(msg)
    _refuse_misspelt(variable, rule, data)
    parts = [_named(variable, part, rule, data_set) for part, data_set in enumerate(data)]
    outside = [
        (data_set.source, _records(variable, part, places, names))
        for part, (data_set, (places, names)) in enumerate(zip(data, parts, strict=True))
    ]
    if any(count for _, count in outside):
        where = ", ".join(f"{count:,} records of {source}" for source, count in outside if count)
        remedy = (
            'Name their levels too, or all that are left as { other = "*" }'
            if isinstance(rule, Levels)
            else "Widen the bounds, such as with -inf as the first and inf as the last"
        )
        msg = (
            f"coarsen: {name!r} has values that the rule does not name, in {where}. {remedy}; and "
            "list codes that mean missing in [missing_codes]."
        )
        raise StudyError(msg)
    present = {names[i] for places, names in parts for i in np.unique(places[places >= 0])}
    stay = [label_of(code) for code in variable.missing_codes]
    wide = [level for level in present if level and (isinstance(rule, Levels) or level not in stay)]
    ordered = [level for level in [*stay, *variable.levels] if level in present]
    levels = [*dict.fromkeys([*in_order(rule, wide), *ordered])]
    rank = {level: i for i, level in enumerate(levels)}
    out = []
    for part, (places, names) in enumerate(parts):
        place = np.array([*(rank.get(name or "", -1) for name in names), -1], dtype=np.int32)[
            places
        ]
        column = pa.DictionaryArray.from_arrays(
            pa.array(place, mask=place < 0), pa.array(levels, pa.string())
        )
        before, after = (len(np.unique(codes_of[codes_of >= 0])) for codes_of in (places, place))
        what = f"coarsened, {rule.words}: {before:,} distinct values became {after:,}"
        out.append(_Coarser(column, what, _count(variable, part, place >= 0)))
    return out


Places = npt.NDArray[Any]


def _named(
    variable: Variable, part: int, rule: Coarsening, data: Microdata
) -> tuple[Places, list[str | None]]:
    """Return the place of each entry among the distinct ones, and what each of these becomes.

    -1 is missing, None is what the rule does not name.
    """
    name = variable.name
    if not variable.values:
        codes = data.missing_codes.get(name, ())
        missing = {level for level, code in data.level_codes.get(name, {}).items() if code in codes}
        assert isinstance(rule, Levels)  # noqa: S101  (the only rule of categories)
        explicit = {level for group in rule.groups.values() for level in group}
        names = [
            level if level in missing - explicit else coarse
            for level, coarse in zip(variable.levels, rule.named(variable.levels), strict=True)
        ]
        return variable.codes[part], names
    values = variable.values[part]
    distinct, places = np.unique(values, return_inverse=True)
    usable = ~np.isnan(distinct)
    names = rule.coarsened(distinct[usable], variable.kind)
    names = [
        label_of(value) if value in variable.missing_codes else coarse
        for value, coarse in zip(distinct[usable].tolist(), names, strict=True)
    ]
    return np.where(np.isnan(values), -1, places), [*names]


def _refuse_misspelt(variable: Variable, rule: Coarsening, data: Sequence[Microdata]) -> None:
    """Raise where a level that no data set has would silently be among the others."""
    if not isinstance(rule, Levels) or not rule.rest:
        return
    if variable.values:
        labels = {label_of(value) for part in variable.values for value in np.unique(part).tolist()}
    else:
        labels = set(variable.levels)
    absent = [level for group in rule.groups.values() for level in group if level not in labels]
    if absent:
        msg = (
            f"coarsen: {variable.name!r} has no level {absent[0]!r} in {data[0].source} or any "
            "other data set. Correct it, as its records would be among all that are left."
        )
        raise StudyError(msg)


def _records(variable: Variable, part: int, places: Places, names: Sequence[str | None]) -> int:
    outside = np.array([*(name is None for name in names), False])[places]
    return _count(variable, part, outside)


def _count(variable: Variable, part: int, flags: npt.NDArray[np.bool_]) -> int:
    return int(variable.counts[part][flags].sum() if variable.counts else flags.sum())


def _with(data: Microdata, name: str, column: _Coarser, fixes: Sequence[Fix]) -> Microdata:
    """Return a data set with one column in place of another."""
    changes: dict[str, Any] = {
        part: {other: entry for other, entry in getattr(data, part).items() if other != name}
        for part in ("value_labels", "level_codes", "missing_codes")
    }
    changes["fixes"] = (
        *data.fixes,
        *fixes,
        Fix(data.source, name, column.what, column.cells),
    )
    place = data.columns.index(name)
    for large in data.large:
        changes["entries"] = {**large.entries, name: pa.chunked_array([column.column])}
        empty = column.column.slice(0, 0)
        batches: Microdata = replace(
            large, table=data.table.set_column(place, name, empty), **changes
        )
        return batches
    return replace(data, table=data.table.set_column(place, name, column.column), **changes)
