"""Synthetic and original records stacked as predictors of which of the two a record is.

The preparation that every propensity model shares: numbers keep their values, with missing and
missing codes moved to indicators of their own; categories keep their levels, missing being one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.coding import MISSING
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.grouping import check_groups, group_numbers
from sdcmetrics.microdata.schema import Harmonised, Variable

LevelOrders = Mapping[str, Sequence[Sequence[str]]]
"""Levels of a category as each data set declares them, original first."""


class Scale(StrEnum):
    """Scale of a predictor: unordered, ordered or numeric."""

    NUMBER = "number"
    ORDERED = "ordered levels"
    LEVELS = "levels"


@dataclass(frozen=True)
class Predictor:
    """One predictor over the stacked records.

    Attributes
    ----------
    name : str
        The column, or the column with ``_NA`` or ``_cna_j`` for an indicator.
    column : str
        The column it was made from.
    scale : Scale
    values : float array of shape (records,)
        Numbers; for levels the position in `labels`.
    labels : tuple of str or None
        Labels of the levels, None being missing; empty for numbers.
    """

    name: str
    column: str
    scale: Scale
    values: Floats
    labels: tuple[str | None, ...] = ()

    @property
    def size(self) -> int:
        """Number of levels; 2 for a number, which takes one coefficient as two levels do."""
        return len(self.labels) or 2


@dataclass(frozen=True)
class Stacked:
    """Synthetic records above original ones.

    Attributes
    ----------
    predictors : tuple of Predictor
        Without those that have one value only.
    synthetic : bool array of shape (records,)
        Which records are synthetic.
    constant : tuple of str
        Columns that were left out because they have one value only.
    """

    predictors: tuple[Predictor, ...]
    synthetic: npt.NDArray[np.bool_]
    constant: tuple[str, ...]

    @property
    def n_synthetic(self) -> int:
        """Number of synthetic records."""
        return int(self.synthetic.sum())

    @property
    def n_original(self) -> int:
        """Number of original records."""
        return len(self.synthetic) - self.n_synthetic


@dataclass(frozen=True)
class _Source:
    """A predictor in each data set apart; orders holds the codes in each one's order."""

    name: str
    column: str
    scale: Scale
    parts: tuple[Floats, ...]
    labels: tuple[str | None, ...] = ()
    orders: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Prepared:
    """Predictors of an original and m syntheses; any two of them can be stacked."""

    sources: tuple[_Source, ...]
    sizes: tuple[int, ...]

    def put_together(self, synthesis: int, against: int = 0) -> Stacked:
        """Stack one synthesis above the original, or above another synthesis."""
        stacked = [_stack(source, synthesis, against) for source in self.sources]
        varying = tuple(p for p in stacked if not _constant(p))
        left = tuple(p.name for p in stacked if _constant(p) and p.name == p.column)
        synthetic = np.zeros(self.sizes[synthesis] + self.sizes[against], dtype=bool)
        synthetic[: self.sizes[synthesis]] = True
        return Stacked(varying, synthetic, left)


def prepare(
    data: Harmonised,
    *,
    level_orders: LevelOrders,
    ordered: Sequence[str] = (),
    ngroups: int | None = None,
) -> Prepared:
    """Turn harmonised variables into predictors.

    Numbers and dates come first with missing values and missing codes set to 0; then, in column
    order, the indicators of missing (``_NA``) and of each code (``_cna_1``, ...). With `ngroups`
    numbers are grouped instead, codes and missing being levels. Categories, and booleans that
    are sometimes missing, are levels; other booleans are 0 and 1.

    Parameters
    ----------
    data : Harmonised
    level_orders : mapping of column to the levels of each data set, in its own order
        Decides which level is the reference, and which of two equally good splits comes first.
    ordered : names of the categories whose order has a meaning
    ngroups : int, optional

    Raises
    ------
    StudyError
        If `ngroups` is below two.
    """
    if ngroups is not None:
        check_groups(ngroups)
    main: list[_Source] = []
    added: list[_Source] = []
    for variable in data.variables.values():
        if variable.kind is Kind.NUMBER and ngroups is not None:
            main.append(_grouped(variable, ngroups))
        elif variable.kind in (Kind.NUMBER, Kind.DATE):
            main.append(_numbers(variable))
            added.extend(_indicators(variable))
        else:
            main.append(
                _levels(variable, level_orders.get(variable.name), variable.name in ordered)
            )
    return Prepared((*main, *added), data.sizes)


def _numbers(variable: Variable) -> _Source:
    parts = []
    for part in variable.values:
        values = np.where(np.isnan(part), 0.0, part)
        for code in variable.missing_codes:
            values[part == code] = 0.0
        parts.append(values)
    return _Source(variable.name, variable.name, Scale.NUMBER, tuple(parts))


def _indicators(variable: Variable) -> list[_Source]:
    name = variable.name
    out = []
    missing = tuple(np.isnan(part).astype(np.float64) for part in variable.values)
    if any(part.any() for part in missing):
        out.append(_Source(f"{name}_NA", name, Scale.NUMBER, missing))
    for i, code in enumerate(variable.missing_codes, start=1):
        parts = tuple((part == code).astype(np.float64) for part in variable.values)
        out.append(_Source(f"{name}_cna_{i}", name, Scale.NUMBER, parts))
    return out


def _grouped(variable: Variable, ngroups: int) -> _Source:
    groups = group_numbers(
        variable.values[0],
        variable.values[1:],
        ngroups=ngroups,
        missing_codes=variable.missing_codes,
        fewest=2,
    )
    codes = tuple(groups.assign(part) for part in variable.values)
    return _coded(variable.name, groups.labels, codes, None, Scale.LEVELS)


def _levels(
    variable: Variable,
    orders: Sequence[Sequence[str]] | None,
    ordered: bool,  # noqa: FBT001
) -> _Source:
    if variable.kind is Kind.BOOLEAN and not any((part < 0).any() for part in variable.codes):
        parts = tuple(part.astype(np.float64) for part in variable.codes)
        return _Source(variable.name, variable.name, Scale.NUMBER, parts)
    scale = Scale.ORDERED if ordered else Scale.LEVELS
    known_orders = None if ordered else orders  # an order that means something is the original's
    return _coded(variable.name, variable.levels, variable.codes, known_orders, scale)


def _coded(
    name: str,
    levels: Sequence[str],
    codes: Sequence[Ints32],
    orders: Sequence[Sequence[str]] | None,
    scale: Scale,
) -> _Source:
    place = {level: i for i, level in enumerate(levels)}
    missing = len(levels)
    parts = tuple(np.where(part < 0, missing, part).astype(np.float64) for part in codes)
    declared = [list(levels)] * len(parts) if orders is None else orders
    level_orders = tuple(
        tuple(dict.fromkeys([*(place[v] for v in of if v in place), *range(missing + 1)]))
        for of in declared
    )
    return _Source(name, name, scale, parts, (*levels, MISSING), level_orders)


def _stack(source: _Source, synthesis: int, against: int) -> Predictor:
    pair = (synthesis, against)
    values = np.concatenate([source.parts[part] for part in pair])
    if source.scale is Scale.NUMBER:
        return Predictor(source.name, source.column, source.scale, values)
    # The order of the levels is the replica's; those that only the original uses come after.
    order: dict[int, None] = {}
    for part in pair:
        used = set(np.unique(source.parts[part]).astype(int).tolist())
        order.update(dict.fromkeys(code for code in source.orders[part] if code in used))
    codes = sorted(order) if source.scale is Scale.ORDERED else list(order)
    rank = np.zeros(len(source.labels), dtype=np.float64)
    rank[codes] = np.arange(len(codes))
    labels = tuple(source.labels[code] for code in codes)
    return Predictor(source.name, source.column, source.scale, rank[values.astype(np.intp)], labels)


def _constant(predictor: Predictor) -> bool:
    return bool((predictor.values == predictor.values[0]).all())


def distinct_records(
    stacked: Stacked,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find records that agree in every predictor.

    Returns
    -------
    int array of shape (records,)
        The kind of each record.
    int array of shape (kinds,)
        A record of each kind.
    """
    index = np.zeros(len(stacked.synthetic), dtype=np.int64)
    size = 1
    for predictor in stacked.predictors:
        codes, values = pd.factorize(predictor.values)
        index = index * len(values) + codes
        size *= len(values)
        if size > 1 << 40:
            index, distinct = pd.factorize(index)
            size = len(distinct)
    number, distinct = pd.factorize(index)
    first = np.full(len(distinct), -1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return number, first
