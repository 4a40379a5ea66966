"""Make replicas comparable with the original, and list every change made on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from sdcmetrics.errors import ColumnError, IncomparableError
from sdcmetrics.microdata.arrays import Counts, Floats, Ints32
from sdcmetrics.microdata.columns import Column, Kind, at_precision
from sdcmetrics.microdata.conversions import KindError, Place, to_kind
from sdcmetrics.microdata.frames import SAME_AGAIN, Fix, Microdata, tell_apart
from sdcmetrics.microdata.levels import beyond_fifteen_digits, one_codebook
from sdcmetrics.microdata.matching import MissingCodes, codes_by_column, common_columns
from sdcmetrics.microdata.precision import (
    at_one_precision,
    coarsest,
    in_one_zone,
    with_missing_texts,
    with_rounded_integers,
)
from sdcmetrics.microdata.read_columns import read_column

if TYPE_CHECKING:
    from sdcmetrics.microdata.sources.large import Large

__all__ = ["Harmonised", "MissingCodes", "Variable", "alone", "harmonise"]

_MOST_REASONS = 20
"""Columns that cannot be compared, of which an error says why; a wide file may be of another."""
_OTHER_WORDS = (
    "Where one file has groups of the other's values (bands of numbers, years of dates) or other "
    'words, a study file can bring both to the same: kinds = { column = "category" } in [read] '
    'reads them as they are written, and column = "groups.csv" in [coarsen] names a file with a '
    "header and, in each line, a value of either file and its group."
)
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+)?")
DAYS_IN_TEXT = (
    "dates that are text are compared as categories, where near days are no nearer than others; "
    "make them dates in every data set, such as with pandas.to_datetime"
)
"""What is listed of them: of a text file they would have been read as dates."""


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
    counts : tuple of int arrays, original first
        Where values or codes are the distinct ones of large data sets: how many records have
        each. Empty where they are those of the records.
    """

    name: str
    kind: Kind
    values: tuple[Floats, ...]
    codes: tuple[Ints32, ...]
    levels: tuple[str, ...] = ()
    missing_codes: tuple[float, ...] = ()
    counts: tuple[Counts, ...] = ()

    def has_missing(self, part: int) -> bool:
        """Whether a data set lacks a value; 0 is the original. Missing codes are values."""
        if self.values:
            return bool(np.isnan(self.values[part]).any())
        return bool((self.codes[part] < 0).any())

    @cached_property
    def ranked(self) -> tuple[Floats, tuple[Ints32, ...]]:
        """All distinct values in ascending order, and the rank of each value; -1 is missing."""
        codes, distinct = pd.factorize(np.concatenate(self.values))
        order = np.argsort(distinct)
        rank = np.full(len(order) + 1, -1, dtype=np.int32)
        rank[order] = np.arange(len(order))
        bounds = np.cumsum([len(part) for part in self.values])[:-1]
        return distinct[order], tuple(np.split(rank[codes], bounds))

    @property
    def only_syntheses_miss(self) -> bool:
        """Whether a synthesis lacks a value, and the original none."""
        parts = range(len(self.values or self.codes))
        return not self.has_missing(0) and any(map(self.has_missing, parts))


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
    large : tuple of Large
        The data sets, where they are too large for memory; see `Variable.counts`.
    """

    variables: dict[str, Variable]
    sizes: tuple[int, ...]
    sources: tuple[str, ...]
    fixes: tuple[Fix, ...]
    large: tuple[Large, ...] = ()


def alone(
    data: Microdata, variables: Sequence[str], missing_codes: MissingCodes | None = None
) -> Harmonised:
    """Return the named columns of one data set that is compared with nothing.

    Raises
    ------
    ColumnError
        If a column is absent or cannot be read.
    """
    return harmonise(data, (), variables=variables, missing_codes=missing_codes)


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
        Without syntheses the original is brought into this form alone.
    variables : sequence of str, optional
        Columns to compare; by default every column that all data sets have.
    required : sequence of str
        Columns that must be there whatever `variables` says.
    missing_codes : mapping of column to number or numbers, optional
        Codes that stand for a kind of missing in numeric columns.

    Raises
    ------
    ColumnError
        If a named column is absent.
    IncomparableError
        If columns cannot be made comparable: a line for each, and the reason by column.
    DataError
        If no column is common to all data sets.
    """
    roles = ["original", *(f"synthetic {i}" for i in range(1, len(syntheses) + 1))]
    data = original, *syntheses = tell_apart([original, *syntheses], roles)
    fixes: list[Fix] = [*original.fixes]
    first: dict[str | None, str] = {}
    for synthesis in syntheses:
        fixes.extend(synthesis.fixes)
        earlier = first.setdefault(synthesis.sha256, synthesis.source)
        if synthesis.sha256 is not None and earlier != synthesis.source:
            fixes.append(Fix(synthesis.source, None, SAME_AGAIN.format(earlier)))
        if synthesis.sha256 is not None and synthesis.sha256 == original.sha256:
            what = f"the file is the same, byte for byte, as {original.source}"
            fixes.append(Fix(synthesis.source, None, what))
    names = common_columns(original, syntheses, variables, required, fixes)
    codes_of = codes_by_column(original, syntheses, missing_codes)
    out: dict[str, Variable] = {}
    refused: dict[str, str] = {}
    kinds_differ = False
    for name in names:
        try:
            out[name] = _comparable(name, data, codes_of.get(name, ()), fixes)
        except ColumnError as error:
            refused[name] = str(error)
            kinds_differ |= isinstance(error, KindError)
    if refused:
        left = len(refused) - _MOST_REASONS
        more = [f"{left} more columns cannot be compared."] if left > 0 else []
        message = "\n".join([*[*refused.values()][:_MOST_REASONS], *more])
        raise IncomparableError(message, refused, _OTHER_WORDS if kinds_differ else "")
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
        large=tuple(large_file for each in data for large_file in each.large),
    )


def _comparable(
    name: str, data: Sequence[Microdata], missing_codes: tuple[float, ...], fixes: list[Fix]
) -> Variable:
    columns = [read_column(data_set, name, fixes) for data_set in data]
    columns = with_missing_texts(name, columns, data, fixes)
    columns = with_rounded_integers(name, columns, data, fixes)
    variable = _align(name, columns, data, missing_codes, fixes)
    counts = tuple(column.counts for column in columns if column.counts is not None)
    return replace(variable, counts=counts) if counts else variable


def _align(
    name: str,
    columns: list[Column],
    data: Sequence[Microdata],
    missing_codes: tuple[float, ...],
    fixes: list[Fix],
) -> Variable:
    kind = _kind_of(columns)
    for column, source in zip(columns, data, strict=True):
        if column.kind is None:
            fixes.append(Fix(source.source, name, "every value is missing", column.records))
    recoded = any(column.level_codes for column in data)
    aligned = [
        column
        if column.kind is kind and not recoded
        else to_kind(column, kind, Place(name, source, data[0], columns[0], fixes))
        for column, source in zip(columns, data, strict=True)
    ]
    if kind is Kind.DATE:
        aligned = in_one_zone(name, aligned, data, fixes)
        return Variable(name, kind, tuple(c.values for c in aligned), ())
    if kind is Kind.NUMBER:
        if precision := coarsest(aligned):
            missing_codes = tuple(at_precision(np.array(missing_codes), precision).tolist())
        aligned = at_one_precision(name, aligned, data, fixes)
        if shared := beyond_fifteen_digits([column.values for column in aligned]):
            what = "numbers that differ only beyond 15 significant digits share a level in tables"
            fixes.append(Fix(data[0].source, name, what, shared))
        return Variable(name, kind, tuple(c.values for c in aligned), (), (), missing_codes)
    if _are_days_in_text(name, columns[0], data[0]):
        fixes.append(Fix(data[0].source, name, DAYS_IN_TEXT, compared=True))
    levels, codes = one_codebook(name, aligned, data, fixes)
    return Variable(name, kind, (), codes, levels)


def _are_days_in_text(name: str, column: Column, data: Microdata) -> bool:
    """Whether all levels are dates, in a column of texts that nobody made categories."""
    if not column.levels or not all(map(_DAY.fullmatch, column.levels)):
        return False
    kind = getattr(data.column(name), "type", None)
    return kind is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _kind_of(columns: list[Column]) -> Kind:
    """Return the original's kind; where all its values are missing, what the replicas agree on."""
    if columns[0].kind is not None:
        return columns[0].kind
    kinds = {column.kind for column in columns if column.kind is not None}
    return kinds.pop() if len(kinds) == 1 else Kind.CATEGORY
