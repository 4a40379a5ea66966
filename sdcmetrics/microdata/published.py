"""The reading and the categories behind Platzer & Reutterer's published tables.

Their paper describes its categories in words; their numbers come from code that differs from
the words. These rules follow the code, so that the published figures can be reproduced. For
anything else `sdcmetrics.microdata.discretise` is the better rule.

What the code does, and the paper does not say: booleans are numbers; a column on which most
quantiles coincide (a binary one) has a single category, so that it agrees by construction;
numbers outside the training data's range share one category; as many levels of a category are
kept as there may be categories, and one for the rest comes on top; missing categories are left
out of the tables; distances cut numbers at the quantiles of all data sets together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.coding import CodedVariable, Rule, by_value, pack
from sdcmetrics.microdata.columns import Column, Kind
from sdcmetrics.microdata.frames import Fix, Microdata, label_of, tell_apart
from sdcmetrics.microdata.matching import common_columns
from sdcmetrics.microdata.precision import at_one_precision, in_one_zone
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.schema import Harmonised, Variable

_OTHER = "_other_"
_MISSING_NUMBER = "nan"
_NUMERIC = (Kind.NUMBER, Kind.BOOLEAN, Kind.DATE)


def read_as_published(
    training: Microdata, others: Sequence[Microdata], *, variables: Sequence[str] | None = None
) -> Harmonised:
    """Take columns as numbers where the training data have numbers or booleans, else as text.

    What cannot be read as a number is missing, and listed.

    Raises
    ------
    ColumnError
        If a named column is absent or cannot be represented.
    DataError
        If no column is common to all data sets.
    """
    fixes: list[Fix] = []
    roles = ["training", *(f"data set {i}" for i in range(2, len(others) + 2))]
    training, *others = tell_apart([training, *others], roles)
    for data in (training, *others):
        fixes.extend(data.fixes)
    out: dict[str, Variable] = {}
    for name in common_columns(training, others, variables, (), fixes):
        columns = [read_column(data, name, fixes) for data in (training, *others)]
        columns = at_one_precision(name, columns, (training, *others), fixes)
        if all(column.kind in (Kind.DATE, None) for column in columns):
            columns = in_one_zone(name, columns, (training, *others), fixes)
        if columns[0].kind in _NUMERIC:
            sources = [data.source for data in (training, *others)]
            values = tuple(
                _as_numbers(column, name, source, fixes)
                for column, source in zip(columns, sources, strict=True)
            )
            out[name] = Variable(name, Kind.NUMBER, values, ())
        else:
            codes, levels = _as_text(columns)
            out[name] = Variable(name, Kind.CATEGORY, (), codes, levels)
    return Harmonised(
        variables=out,
        sizes=(training.n, *(data.n for data in others)),
        sources=(training.source, *(data.source for data in others)),
        fixes=tuple(dict.fromkeys(fixes)),
    )


def for_tables(max_levels: int) -> Rule:
    """Return the rule behind the published fidelities; the first part is the training data."""

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind is Kind.NUMBER:
            breaks = _breaks([variable.values[0]], max_levels)
            return _cut(variable, breaks)
        return _most_frequent(variable, max_levels)

    return rule


def for_distances(max_levels: int) -> Rule:
    """Return the rule behind the published distances: quantiles of all parts together."""

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind is Kind.NUMBER:
            return _cut(variable, _breaks(variable.values, max_levels))
        return by_value(variable)

    return rule


def _breaks(parts: Sequence[Floats], groups: int) -> Floats:
    pooled = np.concatenate(parts)
    pooled = pooled[~np.isnan(pooled)]
    if len(pooled) == 0:
        return np.empty(0)
    shares = (np.linspace(0.0, 1.0, groups + 1) * 100.0) / 100.0
    out: Floats = np.unique(np.quantile(pooled, shares))
    return out


def _cut(variable: Variable, breaks: Floats) -> CodedVariable:
    groups = max(len(breaks) - 1, 0)
    parts = []
    for values in variable.values:
        codes = np.searchsorted(breaks, values, side="left").astype(np.int32) - 1
        if len(breaks):
            codes[values == breaks[0]] = 0
        inside = (codes >= 0) & (codes < groups)
        codes = np.where(inside, codes, groups).astype(np.int32)
        codes[np.isnan(values)] = groups + 1
        parts.append(codes)
    labels = [f"group {i}" for i in range(1, groups + 1)]
    return pack(variable.name, (*labels, _OTHER, _MISSING_NUMBER), parts)


def _most_frequent(variable: Variable, most: int) -> CodedVariable:
    training = variable.codes[0]
    training = training[training >= 0]
    size = len(variable.levels)
    counts = np.bincount(training, minlength=size)
    first = np.full(size, len(training))
    first[training[::-1]] = np.arange(len(training) - 1, -1, -1)
    order = np.lexsort((first, -counts))
    frequent = np.sort([i for i in order[:most] if counts[i]]).astype(np.int64)
    new = np.full(size + 1, len(frequent), dtype=np.int32)
    new[frequent] = np.arange(len(frequent), dtype=np.int32)
    new[-1] = -1
    labels = [*(variable.levels[i] for i in frequent), _OTHER]
    return pack(variable.name, labels, [new[codes] for codes in variable.codes])


def _as_numbers(column: Column, name: str, source: str, fixes: list[Fix]) -> Floats:
    if column.kind is None:
        return np.full(column.n, np.nan)
    if column.kind in (Kind.NUMBER, Kind.DATE):
        return column.values
    if column.kind is Kind.BOOLEAN:
        return np.where(column.codes < 0, np.nan, column.codes).astype(np.float64)
    # A column in which a reader left booleans beside text has them as TRUE and FALSE by now.
    texts = [{"TRUE": 1, "FALSE": 0}.get(level, level) for level in column.levels]
    parsed = pd.to_numeric(pd.Series([*texts, None], dtype=object), errors="coerce")
    values: Floats = parsed.to_numpy(dtype=np.float64)[column.codes]
    lost = int((np.isnan(values) & (column.codes >= 0)).sum())
    if lost:
        what = "text that is no number was taken as missing, as in the published figures"
        fixes.append(Fix(source, name, what, lost))
    return values


def _as_text(columns: Sequence[Column]) -> tuple[tuple[Ints32, ...], tuple[str, ...]]:
    texts = []
    for column in columns:
        if column.kind in (Kind.NUMBER, Kind.DATE):
            distinct, codes = np.unique(column.values, return_inverse=True, equal_nan=True)
            levels = [None if np.isnan(v) else label_of(v) for v in distinct.tolist()]
            texts.append(pd.Series(levels, dtype=object).to_numpy()[codes])
        else:
            place = column.codes if column.kind is not None else np.full(column.n, -1)
            texts.append(np.array([*column.levels, None], dtype=object)[place])
    stacked, distinct = pd.factorize(np.concatenate(texts))
    bounds = np.cumsum([len(part) for part in texts])[:-1]
    parts = np.split(stacked.astype(np.int32), bounds)
    return tuple(parts), tuple(str(level) for level in distinct)
