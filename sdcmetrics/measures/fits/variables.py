"""The predictors and the response of a formula, evaluated on harmonised data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.fits.expression import Call, Name, Node, Number, Unary, names_in
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable

__all__ = ["Categories", "Numbers", "Values", "evaluate"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DAY = 86_400_000.0
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
        """Tell which records lack a value."""
        return np.isnan(self.parts[part])


@dataclass(frozen=True)
class Categories:
    """A categorical predictor: codes over one set of levels, -1 is missing."""

    parts: tuple[Ints, ...]
    levels: tuple[str, ...]

    def missing(self, part: int) -> npt.NDArray[np.bool_]:
        """Tell which records lack a value."""
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


def evaluate(node: Node, data: Harmonised) -> Values:
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
    parts = tuple(_numeric(node, data, part) for part in range(len(data.sizes)))
    for source, values in zip(data.sources, parts, strict=True):
        infinite = int(np.isinf(values).sum())
        if infinite:
            columns = ", ".join(dict.fromkeys(names_in(node)))
            msg = (
                f"{source}: {node} is infinite for {infinite} record(s) (column {columns}). Use a "
                "function that is finite there, such as log1p(x) or sqrt(x)."
            )
            raise ColumnError(msg)
    return Numbers(parts)


def _factor(node: Call, data: Harmonised) -> Categories:
    inside = evaluate(node.argument, data)
    if isinstance(inside, Categories):
        return inside
    pooled = np.concatenate(inside.parts)
    distinct = np.unique(pooled[~np.isnan(pooled)])
    parts = []
    for values in inside.parts:
        codes = np.searchsorted(distinct, np.where(np.isnan(values), math.inf, values))
        codes[np.isnan(values)] = -1
        parts.append(codes.astype(np.int64))
    return Categories(tuple(parts), tuple(f"{value:.15g}" for value in distinct.tolist()))


def _numeric(node: Node, data: Harmonised, part: int) -> Floats:
    if isinstance(node, Number):
        return np.array(node.value)
    if isinstance(node, Name):
        return _column(data.variables[node.text], part, data)
    if isinstance(node, Unary):
        value = _numeric(node.operand, data, part)
        return -value if node.operator == "-" else value
    with np.errstate(all="ignore"):
        if isinstance(node, Call):
            if node.function == "factor":
                msg = f"{node}: factor() makes categories, which cannot be used in arithmetic."
                raise StudyError(msg)
            return _FUNCTIONS[node.function](_numeric(node.argument, data, part))
        if node.operator in _OPERATORS:
            left, right = _numeric(node.left, data, part), _numeric(node.right, data, part)
            return _OPERATORS[node.operator](left, right)
    msg = f"{node}: ':' cannot be used in arithmetic."
    raise StudyError(msg)


def _column(variable: Variable, part: int, data: Harmonised) -> Floats:
    if variable.kind is Kind.CATEGORY:
        msg = (
            f"column {variable.name!r} of {data.sources[0]} holds text, which cannot be used in "
            "arithmetic. Name it by itself, as a category."
        )
        raise ColumnError(msg)
    if variable.kind is Kind.BOOLEAN:
        codes = variable.codes[part]
        return np.where(codes < 0, np.nan, codes).astype(np.float64)
    values = variable.values[part]
    if variable.kind is Kind.DATE:
        return values / _DAY
    if variable.missing_codes:
        return np.where(np.isin(values, variable.missing_codes), np.nan, values)
    return values
