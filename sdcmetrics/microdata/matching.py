"""Which columns are compared, and which numbers in them mean missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from sdcmetrics.errors import ColumnError, DataError, StudyError, did_you_mean
from sdcmetrics.microdata.frames import Fix, Microdata

MissingCodes = Mapping[str, float | Sequence[float]]


def check_names(names: Sequence[str], data: Microdata, role: str) -> None:
    """Raise ColumnError if a name is no column of the data, or is given twice."""
    columns = data.columns
    for name in names:
        if name not in columns:
            msg = f"{role} {name!r} is not a column of {data.source}.{_remedy(str(name), columns)}"
            raise ColumnError(msg)
    if len(set(names)) != len(names):
        twice = sorted({n for n in names if list(names).count(n) > 1})
        msg = f"{role} {twice[0]!r} is given more than once. Name each column once."
        raise ColumnError(msg)


def _remedy(name: str, columns: Sequence[str]) -> str:
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and set(parts) <= set(columns):
        return " Name each column by itself, in a list."
    if len(columns) == 1 and any(mark in columns[0] for mark in ",;\t|"):
        return " It was read as one column, so the delimiter given is not the one of the file."
    return did_you_mean(name, columns)


def common_columns(
    original: Microdata,
    syntheses: Sequence[Microdata],
    variables: Sequence[str] | None,
    required: Sequence[str],
    fixes: list[Fix],
) -> list[str]:
    """Return the columns to compare, in the original's order; list those that are left out.

    Raises
    ------
    ColumnError
        If a named column is absent from a data set.
    DataError
        If no column is common to all data sets.
    """
    if isinstance(variables, str):
        variables = [variables]
    named = [*(() if variables is None else variables), *required]
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
    own = dict.fromkeys(original.columns)
    common = set(own).intersection(*(set(s.columns) for s in syntheses))
    for data in syntheses:
        own_columns = dict.fromkeys(data.columns)
        for name in own:
            if name not in own_columns:
                what = "absent, so it is not compared."
                what += did_you_mean(name, set(own_columns) - set(own))
                fixes.append(Fix(data.source, name, what))
        for name in own_columns:
            if name not in own:
                what = f"not in {original.source}, so it is left out"
                fixes.append(Fix(data.source, name, what))
    if not common:
        raise DataError(_nothing_common(original, syntheses))
    return [name for name in own if name in common]


def _nothing_common(original: Microdata, syntheses: Sequence[Microdata]) -> str:
    """Say which data sets share no column with the original, or that no column is in all."""
    own = set(original.columns)
    alone = [data for data in syntheses if not own & set(data.columns)]
    if alone:
        folded = {name.casefold() for name in own}
        hint = "Check the header and the delimiter of both."
        if any(name.casefold() in folded for data in alone for name in data.columns):
            hint = "Some names differ only in upper and lower case: write them alike."
        sources = " or ".join(data.source for data in alone)
        return f"{original.source} and {sources} have no column in common. {hint}"
    names = ", ".join(data.source for data in syntheses)
    return (
        f"{original.source} has columns in common with each of {names}, but none with all of "
        "them. Check their headers, or compare them in studies of their own."
    )


def codes_by_column(
    original: Microdata, syntheses: Sequence[Microdata], missing_codes: MissingCodes | None
) -> dict[str, tuple[float, ...]]:
    """Return the missing codes of every column: what the files declare, then what is asked for.

    Raises
    ------
    StudyError
        If `missing_codes` names no column, or holds anything but numbers.
    """
    out: dict[str, list[float]] = {}
    for data in (original, *syntheses):
        for name, codes in data.missing_codes.items():
            out.setdefault(name, []).extend(codes)
    asked_for: Any = {} if missing_codes is None else missing_codes  # a caller may pass anything
    if not isinstance(asked_for, Mapping):
        msg = "missing_codes: expected a mapping of column to number or numbers."
        raise StudyError(msg)
    for name, value in asked_for.items():
        if name not in original.columns and name not in original.not_taken:
            msg = (
                f"missing_codes names {name!r}, which is not a column of {original.source}."
                f"{did_you_mean(name, original.columns)}"
            )
            raise StudyError(msg)
        numbers = list(value) if isinstance(value, Iterable) else [value]
        if not all(isinstance(code, Real) for code in numbers):
            got = "text" if any(isinstance(code, str) for code in numbers) else "something else"
            msg = f"missing_codes for {name!r}: expected numbers but got {got}."
            raise StudyError(msg)
        out.setdefault(name, []).extend(float(code) for code in numbers)
    return {
        name: tuple(dict.fromkeys(float(c) for c in codes if not math.isnan(c)))
        for name, codes in out.items()
    }
