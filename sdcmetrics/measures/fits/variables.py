"""The predictors and the response of a formula, evaluated on harmonised data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import ColumnError, StudyError, counted
from sdcmetrics.measures.expressions.tree import (
    DAY,
    Call,
    Name,
    Node,
    Number,
    Sign,
    columns_of,
    evaluate,
    known_values,
)
from sdcmetrics.measures.fits.formula import as_in_r
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised

AnyArray = TypeVar("AnyArray", Floats, Ints)

_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "I": lambda values: values,
}
_OPERATORS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}


@dataclass(frozen=True)
class Numbers:
    """A numeric predictor in the original and in every synthesis; NaN is missing."""

    parts: tuple[Floats, ...]

    def missing(self, part: int) -> npt.NDArray[np.bool_]:
        """Return which records lack a value."""
        return np.isnan(self.parts[part])


@dataclass(frozen=True)
class Categories:
    """A categorical predictor: codes over one set of levels, -1 is missing."""

    parts: tuple[Ints, ...]
    levels: tuple[str, ...]

    def missing(self, part: int) -> npt.NDArray[np.bool_]:
        """Return which records lack a value."""
        return self.parts[part] < 0

    def ordered_by_use(
        self, complete: tuple[npt.NDArray[np.bool_], ...], *, as_declared: bool = False
    ) -> Categories:
        """Drop levels that no complete record has; those of the original come first.

        So the level that the others are compared with is the first that the original uses.
        With `as_declared` levels are only dropped.
        """
        used = [
            np.bincount(codes[rows], minlength=len(self.levels)) > 0
            for codes, rows in zip(self.parts, complete, strict=True)
        ]
        in_any = np.logical_or.reduce(used)
        order = (
            np.flatnonzero(in_any).tolist()
            if as_declared
            else [*np.flatnonzero(used[0]), *np.flatnonzero(in_any & ~used[0])]
        )
        rank = np.full(len(self.levels) + 1, -1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        levels = tuple(self.levels[i] for i in order)
        return Categories(tuple(rank[codes] for codes in self.parts), levels)


Values = Numbers | Categories


def values_of(node: Node, data: Harmonised) -> Values:
    """Evaluate a predictor or a response on every data set.

    Booleans are categories with the levels FALSE and TRUE, and 0 and 1 in arithmetic; dates
    are numbers of days. Missing codes are missing.

    Raises
    ------
    ColumnError
        If text is used in arithmetic, or a function has no finite value for a record.
    """
    if isinstance(node, Name):
        variable = data.variables[node.text]
        if variable.kind in (Kind.CATEGORY, Kind.BOOLEAN):
            return Categories(tuple(c.astype(np.int64) for c in variable.codes), variable.levels)
    if isinstance(node, Call) and node.function == "factor":
        return _factor(node, data)
    with np.errstate(all="ignore"):
        every = np.broadcast_to(evaluate(node, _Floats(data)), (sum(data.sizes),))
    parts = _parts(every, data)
    for source, values in zip(data.sources, parts, strict=True):
        infinite = int(np.isinf(values).sum())
        if infinite:
            columns = ", ".join(columns_of(node))
            msg = (
                f"{source}: {as_in_r(node)} is infinite for {counted(infinite, 'record')} "
                f"(column {columns}). Use a function that is finite there, such as log1p(x) or "
                "sqrt(x)."
            )
            raise ColumnError(msg)
    return Numbers(parts)


def _parts(every: AnyArray, data: Harmonised) -> tuple[AnyArray, ...]:
    return tuple(np.split(every, np.cumsum(data.sizes)[:-1]))


def _factor(node: Call, data: Harmonised) -> Categories:
    inside = values_of(node.arguments[0], data)
    if isinstance(inside, Categories):
        return inside
    every = np.concatenate(inside.parts)
    missing = np.isnan(every)
    distinct = np.unique(every[~missing])
    codes = np.where(missing, -1, np.searchsorted(distinct, every)).astype(np.int64)
    return Categories(_parts(codes, data), tuple(f"{number:.15g}" for number in distinct.tolist()))


class _Floats:
    """Arithmetic on the records of all data sets, one after the other; NaN is missing."""

    def __init__(self, data: Harmonised) -> None:
        self._data = data

    def leaf(self, node: Node) -> Floats:
        if isinstance(node, Number):
            return np.array(node.value)
        assert isinstance(node, Name)  # noqa: S101  (the grammar of formulas has no other)
        variable = self._data.variables[node.text]
        if variable.kind is Kind.CATEGORY:
            msg = (
                f"column {variable.name!r} of {self._data.sources[0]} holds text, which cannot be "
                "used in arithmetic. Name it by itself, as a category."
            )
            raise ColumnError(msg)
        if variable.kind is Kind.BOOLEAN:
            codes = np.concatenate(variable.codes)
            return np.where(codes < 0, np.nan, codes).astype(np.float64)
        values = known_values(variable)
        return values / DAY if variable.kind is Kind.DATE else values

    def sign(self, node: Sign, operand: Floats) -> Floats:
        return -operand if node.operator == "-" else operand

    def combine(self, _: Node, operator: str, left: Floats, right: Floats) -> Floats:
        if operator not in _OPERATORS:
            msg = f"{operator!r} cannot be used in arithmetic. Write I() around arithmetic only."
            raise StudyError(msg)
        return _OPERATORS[operator](left, right)

    def call(self, node: Call, arguments: list[Floats]) -> Floats:
        if node.function == "factor":
            msg = f"{as_in_r(node)}: factor() makes categories, which have no arithmetic."
            raise StudyError(msg)
        return _FUNCTIONS[node.function](*arguments)
