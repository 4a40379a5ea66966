"""Model matrices as R makes them, over the same columns for the original and every synthesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import ColumnError, NotComputable
from sdcmetrics.measures.fits.formula import Formula, Term
from sdcmetrics.measures.fits.variables import Categories, Numbers, Values, values_of
from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.microdata.schema import Harmonised

INTERCEPT = "(Intercept)"

_Piece = tuple[str, int]
"""A predictor and the level whose indicator it is, or -1 for a numeric predictor."""


@dataclass(frozen=True)
class Design:
    """The design of one formula on an original and m syntheses.

    Attributes
    ----------
    formula : Formula
    names : tuple of str
        Names of the columns, as R's model.matrix names them.
    sources : tuple of str
        What each data set is called.
    complete : tuple of bool arrays
        Records without a missing value in any variable of the formula.
    response : Numbers or Categories
        Categories have the levels that the original uses first.
    unseen : tuple of str
        Columns of levels that only a synthesis has.
    """

    formula: Formula
    names: tuple[str, ...]
    sources: tuple[str, ...]
    complete: tuple[Bools, ...]
    response: Values
    unseen: tuple[str, ...]
    _predictors: dict[str, Values]
    _pieces: tuple[tuple[_Piece, ...], ...]

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.sources) - 1

    def matrix(self, part: int) -> Floats:
        """Model matrix of the complete records; 0 is the original, 1..m the syntheses."""
        rows = self.complete[part]
        out = np.ones((int(rows.sum()), len(self.names)))
        cut = {text: values.parts[part][rows] for text, values in self._predictors.items()}
        for j, pieces in enumerate(self._pieces):
            for text, level in pieces:
                values = cut[text]
                out[:, j] *= values if level < 0 else values == level
        return out

    def outcome(self, part: int) -> npt.NDArray[np.float64]:
        """Response of the complete records: numbers, or codes of its categories."""
        out: Floats = self.response.parts[part][self.complete[part]].astype(np.float64)
        return out

    @cached_property
    def dropped(self) -> tuple[int, ...]:
        """Number of records of each data set that were left out for a missing value."""
        return tuple(int(rows.size - rows.sum()) for rows in self.complete)

    @cached_property
    def level_counts(self) -> tuple[int, ...]:
        """Complete records of the original behind every level that a coefficient speaks of.

        Base levels, combinations of levels, levels of the response and those that only a
        synthesis has are included; a number with two values counts as a level each. Sorted.
        """
        rows = self.complete[0]
        codes = {text: _codes(values.parts[0][rows]) for text, values in self._predictors.items()}
        terms = {tuple(dict.fromkeys(text for text, _ in pieces)) for pieces in self._pieces}
        counts = [0] * len(self.unseen)
        for term in terms:
            codes_of_term = [code for text in term if (code := codes[text]) is not None]
            if codes_of_term:
                counts += np.unique(np.stack(codes_of_term), axis=1, return_counts=True)[1].tolist()
        for pieces in self._pieces:
            levels = [values for values in pieces if values[1] >= 0]
            parts = [self._predictors[text].parts[0][rows] == level for text, level in levels]
            if parts and not np.logical_and.reduce(parts).any():
                counts.append(0)
        response = _codes(self.response.parts[0][rows])
        if response is not None:
            counts += np.unique(response, return_counts=True)[1].tolist()
        return tuple(sorted(counts))


def _codes(values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> Floats | None:
    """Return codes of categories, or of a number that has two values; None of other numbers."""
    categories = np.issubdtype(values.dtype, np.integer)
    if not categories and len(np.unique(values)) > 2:  # noqa: PLR2004  (yes and no)
        return None
    return values.astype(np.float64)


def make_design(
    formula: Formula,
    data: Harmonised,
    *,
    ordered: bool = False,
    complete: tuple[Bools, ...] | None = None,
) -> Design:
    """Evaluate a formula on harmonised data.

    Categories are coded by treatment contrasts: an indicator for every level but the first,
    or for every level where the terms before do not cover it, as in R. The first level is the
    first that the original uses, for every data set, so that a column means the same in each.

    Parameters
    ----------
    formula : Formula
    data : Harmonised
    ordered : bool
        True leaves the levels of the response in the order in which they were declared.
    complete : tuple of bool arrays, optional
        Records to use; by default those without a missing value.

    Raises
    ------
    ColumnError
        If a categorical predictor has one level only.
    NotComputable
        If a data set has no complete record.
    """
    predictors = {text: values_of(node, data) for text, node in formula.predictors.items()}
    response = values_of(formula.response, data)
    if complete is None:
        complete = tuple(
            ~np.logical_or.reduce([v.missing(part) for v in (response, *predictors.values())])
            for part in range(len(data.sizes))
        )
    for rows, source in zip(complete, data.sources, strict=True):
        if not rows.any():
            msg = f"{source} has no record without a missing value in the variables of {formula}"
            raise NotComputable(msg)
    if isinstance(response, Categories):
        response = response.ordered_by_use(complete, as_declared=ordered)
    predictors = {
        text: values.ordered_by_use(complete) if isinstance(values, Categories) else values
        for text, values in predictors.items()
    }
    _check_levels(predictors, " and ".join(dict.fromkeys(data.sources)))
    columns = tuple(_columns(formula, predictors))
    used = {
        text: int(values.parts[0][complete[0]].max()) + 1
        for text, values in predictors.items()
        if isinstance(values, Categories)
    }
    names = tuple(_name(pieces, predictors) for pieces in columns)
    return Design(
        formula=formula,
        names=names,
        sources=data.sources,
        complete=complete,
        response=response,
        unseen=tuple(
            name
            for name, pieces in zip(names, columns, strict=True)
            if any(level >= used.get(text, level + 1) for text, level in pieces)
        ),
        _predictors=predictors,
        _pieces=columns,
    )


def _check_levels(predictors: dict[str, Values], sources: str) -> None:
    for text, values in predictors.items():
        if isinstance(values, Categories) and len(values.levels) < 2:  # noqa: PLR2004
            msg = (
                f"column {text!r} has one level only among the complete records of {sources}, so "
                "it has no effect to estimate. Leave it out."
            )
            raise ColumnError(msg)


def _columns(formula: Formula, predictors: dict[str, Values]) -> Iterator[tuple[_Piece, ...]]:
    if formula.intercept:
        yield ()
    whole = None if formula.intercept else _first_factor(formula, predictors)
    for place, term in enumerate(formula.terms):
        before = [set(t) for t in formula.terms[:place]]
        columns: list[tuple[_Piece, ...]] = [()]
        for text in term:
            values = predictors[text]
            if isinstance(values, Numbers):
                pieces = [(text, -1)]
            else:
                rest = set(term) - {text}
                covered = not rest or any(rest <= other for other in before)
                first = 0 if (term, text) == whole or not covered else 1
                pieces = [(text, level) for level in range(first, len(values.levels))]
            # the levels of the first predictor of a product vary fastest
            columns = [(*column, piece) for piece in pieces for column in columns]
        yield from columns


def _first_factor(formula: Formula, predictors: dict[str, Values]) -> tuple[Term, str] | None:
    """Find the factor that takes the place of the intercept in a formula without one."""
    for term in formula.terms:
        for text in term:
            if isinstance(predictors[text], Categories):
                return term, text
    return None


def _name(pieces: tuple[_Piece, ...], predictors: dict[str, Values]) -> str:
    if not pieces:
        return INTERCEPT
    parts = []
    for text, level in pieces:
        values = predictors[text]
        parts.append(f"{text}{values.levels[level]}" if isinstance(values, Categories) else text)
    return ":".join(parts)
