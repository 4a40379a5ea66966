"""Make replicas comparable with the original, and list every change made on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError, DataError, StudyError, did_you_mean
from sdcmetrics.microdata.columns import Column, FloatArray, IntArray, Kind, coded, numbers
from sdcmetrics.microdata.columns import read_column as _read_column
from sdcmetrics.microdata.frames import Fix, Microdata

__all__ = ["Harmonised", "MissingCodes", "Variable", "harmonise"]

MissingCodes = Mapping[str, float | Sequence[float]]

_TRUE = {"true", "t", "yes", "1"}
_FALSE = {"false", "f", "no", "0"}


@dataclass(frozen=True)
class Variable:
    """One variable in the original and in every synthesis, comparable.

    Attributes
    ----------
    name : str
    kind : Kind
        The original's kind, which every synthesis was brought to.
    values : tuple of float arrays, original first
        Numbers and dates; empty for categories.
    codes : tuple of int arrays, original first
        Codes over `levels`, -1 is missing; empty for numbers and dates.
    levels : tuple of str
        The original's levels in its order, then those that only a synthesis has.
    missing_codes : tuple of float
        Numbers that mean a kind of missing and are groups of their own.
    """

    name: str
    kind: Kind
    values: tuple[FloatArray, ...]
    codes: tuple[IntArray, ...]
    levels: tuple[str, ...] = ()
    missing_codes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Harmonised:
    """An original and m syntheses over the same variables.

    Attributes
    ----------
    variables : dict of name to Variable, in the original's column order
    sizes : tuple of int
        Number of records: original, synthesis 1, ..., synthesis m.
    sources : tuple of str
        What messages call each data set, in the same order.
    fixes : tuple of Fix
        Every change made, reading included.
    """

    variables: dict[str, Variable]
    sizes: tuple[int, ...]
    sources: tuple[str, ...]
    fixes: tuple[Fix, ...]


def harmonise(
    original: Microdata,
    syntheses: Sequence[Microdata],
    *,
    variables: Sequence[str] | None = None,
    required: Sequence[str] = (),
    missing_codes: MissingCodes | None = None,
) -> Harmonised:
    """Bring the syntheses to the original's columns, kinds and levels.

    Parameters
    ----------
    original, syntheses : Microdata
    variables : sequence of str, optional
        Columns to compare; by default every column that all data sets have.
    required : sequence of str
        Columns that must be there whatever `variables` says.
    missing_codes : mapping of column to number or numbers, optional
        Codes that stand for a kind of missing in numeric columns.

    Raises
    ------
    ColumnError
        If a named column is absent or cannot be made comparable.
    DataError
        If no column is common to all data sets.
    """
    if not syntheses:
        msg = "expected at least one synthetic data set but got an empty list."
        raise DataError(msg)
    fixes: list[Fix] = [*original.fixes]
    for synthesis in syntheses:
        fixes.extend(synthesis.fixes)
    names = _common_columns(original, syntheses, variables, required, fixes)
    codes_of = _codes_by_column(original, syntheses, missing_codes)
    out: dict[str, Variable] = {}
    for name in names:
        columns = [_read_column(data, name, fixes) for data in (original, *syntheses)]
        out[name] = _align(name, columns, [original, *syntheses], codes_of.get(name, ()), fixes)
    for name in missing_codes or {}:
        if name in out and out[name].kind is not Kind.NUMBER:
            msg = (
                f"missing_codes names column {name!r}, which is not numeric in {original.source}. "
                "Categories need no code: each is a level of its own. Remove it from missing_codes."
            )
            raise ColumnError(msg)
    return Harmonised(
        variables=out,
        sizes=(original.n, *(s.n for s in syntheses)),
        sources=(original.source, *(s.source for s in syntheses)),
        fixes=tuple(dict.fromkeys(fixes)),
    )


def check_names(names: Sequence[str], data: Microdata, role: str) -> None:
    """Raise ColumnError if a name is no column of the data, or is given twice."""
    for name in names:
        if name not in data.columns:
            msg = (
                f"{role} {name!r} is not a column of {data.source}."
                f"{did_you_mean(str(name), data.columns)}"
            )
            raise ColumnError(msg)
    if len(set(names)) != len(names):
        twice = sorted({n for n in names if list(names).count(n) > 1})
        msg = f"{role} {twice[0]!r} is given more than once. Name each column once."
        raise ColumnError(msg)


def _common_columns(
    original: Microdata,
    syntheses: Sequence[Microdata],
    variables: Sequence[str] | None,
    required: Sequence[str],
    fixes: list[Fix],
) -> list[str]:
    if isinstance(variables, str):
        variables = [variables]
    named = [*(variables or ()), *required]
    check_names(list(dict.fromkeys(named)), original, "variable")
    if variables is not None:
        check_names(list(variables), original, "variable")
    for data in syntheses:
        for name in named:
            if name not in data.columns:
                msg = (
                    f"column {name!r} of {original.source} is missing from {data.source}."
                    f"{did_you_mean(name, data.columns)} Rename the column, or leave it out."
                )
                raise ColumnError(msg)
    if variables is not None:
        wanted = set(named)
        return [name for name in original.columns if name in wanted]
    common = set(original.columns).intersection(*(set(s.columns) for s in syntheses))
    for data in syntheses:
        for name in original.columns:
            if name not in data.columns:
                extra = set(data.columns) - set(original.columns)
                what = f"absent, so it is not compared.{did_you_mean(name, extra)}"
                fixes.append(Fix(data.source, name, what))
        for name in data.columns:
            if name not in original.columns:
                what = f"not in {original.source}, so it is left out"
                fixes.append(Fix(data.source, name, what))
    if not common:
        msg = (
            f"{original.source} and {syntheses[0].source} have no column in common. "
            "Check the header and the delimiter of both."
        )
        raise DataError(msg)
    return [name for name in original.columns if name in common]


def _codes_by_column(
    original: Microdata, syntheses: Sequence[Microdata], given: MissingCodes | None
) -> dict[str, tuple[float, ...]]:
    out: dict[str, list[float]] = {}
    for data in (original, *syntheses):
        for name, codes in data.missing_codes.items():
            out.setdefault(name, []).extend(codes)
    for name, value in (given or {}).items():
        if name not in original.columns and name not in original.not_taken:
            msg = (
                f"missing_codes names {name!r}, which is not a column of {original.source}."
                f"{did_you_mean(name, original.columns)}"
            )
            raise StudyError(msg)
        many = [value] if isinstance(value, int | float) else list(value)
        if any(isinstance(code, str) for code in many):
            msg = f"missing_codes for {name!r}: expected numbers but got text."
            raise StudyError(msg)
        out.setdefault(name, []).extend(float(code) for code in many)
    return {
        name: tuple(dict.fromkeys(float(c) for c in codes if not math.isnan(c)))
        for name, codes in out.items()
    }


def _align(
    name: str,
    columns: list[Column],
    data: list[Microdata],
    missing_codes: tuple[float, ...],
    fixes: list[Fix],
) -> Variable:
    kind = next((c.kind for c in columns if c.kind is not None), Kind.CATEGORY)
    for column, source in zip(columns, data, strict=True):
        if column.kind is None:
            fixes.append(Fix(source.source, name, "every value is missing", column.n))
    aligned = [
        _to_kind(column, kind, columns[0], name, source, data[0], fixes)
        for column, source in zip(columns, data, strict=True)
    ]
    if kind in (Kind.NUMBER, Kind.DATE):
        used = missing_codes if kind is Kind.NUMBER else ()
        return Variable(name, kind, tuple(c.values for c in aligned), (), (), used)
    levels = dict.fromkeys(level for column in aligned for level in column.levels)
    place = {level: i for i, level in enumerate(levels)}
    codes = tuple(_recode(column, place) for column in aligned)
    _note_foreign_levels(name, aligned, codes, data, fixes)
    return Variable(name, kind, (), codes, tuple(levels))


def _recode(column: Column, place: Mapping[str, int]) -> IntArray:
    rank = np.array([*(place[level] for level in column.levels), -1], dtype=np.int32)
    if np.array_equal(rank[:-1], np.arange(len(rank) - 1)):
        return column.codes
    out: IntArray = rank[column.codes]
    return out


def _note_foreign_levels(
    name: str,
    columns: Sequence[Column],
    codes: Sequence[IntArray],
    data: Sequence[Microdata],
    fixes: list[Fix],
) -> None:
    known = len(columns[0].levels)
    for part, source in zip(codes[1:], data[1:], strict=True):
        unseen = np.unique(part[part >= known])
        if len(unseen):
            what = (
                f"{len(unseen)} level(s) that {data[0].source} does not have "
                "are kept as levels of their own"
            )
            fixes.append(Fix(source.source, name, what, int((part >= known).sum())))
            if len(columns[0].levels) and not np.any((part >= 0) & (part < known)):
                what = f"no level in common with {data[0].source}; check that both are coded alike"
                fixes.append(Fix(source.source, name, what))


def _to_kind(
    column: Column,
    kind: Kind,
    reference: Column,
    name: str,
    source: Microdata,
    original: Microdata,
    fixes: list[Fix],
) -> Column:
    if column.kind is kind:
        return column
    if column.kind is None:
        if kind in (Kind.NUMBER, Kind.DATE):
            return numbers(np.full(column.n, np.nan), kind)
        return coded(np.full(column.n, -1, dtype=np.int32), column.levels, kind)
    if kind is Kind.NUMBER and column.kind is Kind.BOOLEAN:
        fixes.append(Fix(source.source, name, "booleans were read as 0 and 1", column.n))
        return numbers(np.where(column.codes < 0, np.nan, column.codes).astype(np.float64))
    if kind is Kind.NUMBER and column.kind is Kind.CATEGORY:
        return _text_to_numbers(column, name, source, original, fixes)
    if kind is Kind.DATE and column.kind is Kind.CATEGORY:
        return _text_to_dates(column, name, source, original, fixes)
    if kind is Kind.BOOLEAN:
        return _to_boolean(column, name, source, original, fixes)
    if kind is Kind.CATEGORY and column.kind in (Kind.NUMBER, Kind.BOOLEAN):
        return _to_category(column, reference, name, source, original, fixes)
    raise _different(column, kind, name, source, original)


def _different(
    column: Column, kind: Kind, name: str, source: Microdata, original: Microdata
) -> ColumnError:
    return ColumnError(
        f"column {name!r} holds {kind} values in {original.source} but {column.kind} values in "
        f"{source.source}, and cannot be turned into one kind. Give the column the same kind "
        "and coding in both, or leave it out of the variables."
    )


def _text_to_numbers(
    column: Column, name: str, source: Microdata, original: Microdata, fixes: list[Fix]
) -> Column:
    parsed = np.empty(len(column.levels) + 1, dtype=np.float64)
    parsed[-1] = np.nan
    for i, level in enumerate(column.levels):
        try:
            parsed[i] = float(level)
        except ValueError:
            raise _different(column, Kind.NUMBER, name, source, original) from None
    if np.isinf(parsed).any():
        raise _different(column, Kind.NUMBER, name, source, original)
    fixes.append(Fix(source.source, name, "text was read as numbers", column.n))
    return numbers(parsed[column.codes])


def _text_to_dates(
    column: Column, name: str, source: Microdata, original: Microdata, fixes: list[Fix]
) -> Column:
    try:
        stamps = pc.cast(pa.array(list(column.levels), pa.string()), pa.timestamp("ms"))
    except pa.ArrowInvalid:
        raise _different(column, Kind.DATE, name, source, original) from None
    parsed = np.append(stamps.cast(pa.int64()).to_numpy().astype(np.float64), np.nan)
    fixes.append(Fix(source.source, name, "text was read as dates", column.n))
    return numbers(parsed[column.codes], Kind.DATE)


def _to_boolean(
    column: Column, name: str, source: Microdata, original: Microdata, fixes: list[Fix]
) -> Column:
    if column.kind is Kind.NUMBER:
        present = column.values[~np.isnan(column.values)]
        if not np.isin(present, (0.0, 1.0)).all():
            raise _different(column, Kind.BOOLEAN, name, source, original)
        codes = np.where(np.isnan(column.values), -1, column.values).astype(np.int32)
    elif column.kind is Kind.CATEGORY:
        meaning = [
            1 if text in _TRUE else 0 if text in _FALSE else -2
            for text in (level.strip().casefold() for level in column.levels)
        ]
        if -2 in meaning:  # noqa: PLR2004  (marks a text that is neither true nor false)
            raise _different(column, Kind.BOOLEAN, name, source, original)
        codes = np.array([*meaning, -1], dtype=np.int32)[column.codes]
    else:
        raise _different(column, Kind.BOOLEAN, name, source, original)
    fixes.append(Fix(source.source, name, f"{column.kind} values were read as booleans", column.n))
    return coded(codes, ("FALSE", "TRUE"), Kind.BOOLEAN)


def _to_category(
    column: Column,
    reference: Column,
    name: str,
    source: Microdata,
    original: Microdata,
    fixes: list[Fix],
) -> Column:
    if column.kind is Kind.NUMBER:
        distinct, inverse = np.unique(column.values, return_inverse=True)
        levels = [f"{value:.15g}" for value in distinct if not np.isnan(value)]
        codes = np.where(np.isnan(column.values), -1, inverse).astype(np.int32)
    else:
        spelling = {level.casefold(): level for level in reference.levels}
        levels = [spelling.get("false", "FALSE"), spelling.get("true", "TRUE")]
        codes = column.codes
    if reference.levels and not set(levels) & set(reference.levels):
        raise _different(column, Kind.CATEGORY, name, source, original)
    fixes.append(Fix(source.source, name, f"{column.kind} values were read as labels", column.n))
    return coded(codes, tuple(levels))
