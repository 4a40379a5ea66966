"""The best specification of a model on the original, found by leaving out term after term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.fits.coefficients import explained_by
from sdcmetrics.measures.fits.design import Design, make_design
from sdcmetrics.measures.fits.fitting import check_family, check_rank, fit_part
from sdcmetrics.measures.fits.formula import Formula, Term
from sdcmetrics.measures.fits.harmonised import read_model
from sdcmetrics.measures.fits.model import Model
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import Readable, formerly

Criterion = Literal["adjusted_r2", "p", "aic"]

_CRITERIA = ("adjusted_r2", "p", "aic")


@dataclass(frozen=True)
class BackwardElimination(
    Readable, shows=("formula", "family", "criterion", "path", "fixes"), table="path"
):
    """Where an elimination ended, and how it got there.

    Attributes
    ----------
    formula, family, criterion : str
        The formula that is left, its family, and the criterion.
    path : DataFrame
        One row per step, from 0, the whole formula. Columns removed (the term left out at this
        step), formula, adjusted_r2, aic, p_value (of the test of the term removed) and n.
    fixes : tuple of str
        Changes made to the input.
    """

    formula: str
    family: str
    criterion: str
    path: pd.DataFrame
    fixes: tuple[str, ...] = ()


@formerly("original formula")
@checked
def backward_elimination(
    original: Frame,
    *,
    formula: str,
    family: str = "gaussian",
    criterion: Criterion = "adjusted_r2",
    alpha: float = 0.05,
    missing_codes: MissingCodes | None = None,
) -> BackwardElimination:
    """Leave out terms of a model on the original while that improves it.

    Parameters
    ----------
    original : data frame
    formula : str
        The largest model to consider; see `fit_overlap`.
    family : str
    criterion : "adjusted_r2", "p" or "aic"
        At every step the term is left out that raises adjusted R2 (McFadden's for other than
        linear models) most, that lowers Akaike's criterion most, or that has the largest
        p-value, as long as it is above `alpha` (F test of linear models, else likelihood
        ratio).
    alpha : float
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    BackwardElimination
        Of `path`, adjusted_r2 is at most 1, more being better; less is better of aic; p_value is 0
        to 1, and NaN in the first row, which leaves out nothing.

    Raises
    ------
    ColumnError
        If the formula names a column that the original lacks.
    NotComputable
        If too few records have no missing value in it.
    StudyError
        If the formula cannot be read, or an option is wrong.

    Notes
    -----
    Only records without a missing value in any variable of the whole formula are used, at every
    step, so that all steps are compared on the same records. A term stays while a product
    contains it. The p-values take records to be independent: with whole households terms stay
    that explain nothing. The formula that is left may use more records when it is fitted anew.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"y": [0.0, 2, 4, 6, 8, 9], "x": [0, 1, 2, 3, 4, 5], "z": [1, -1, 1, 1, -1, 1]}
    ... )
    >>> result = backward_elimination(frame, formula="y ~ x + z")
    >>> result.formula, result.path["removed"].tolist()
    ('y ~ x', ['', 'z'])
    """
    check_family(family)
    if criterion not in _CRITERIA:
        hint = did_you_mean(str(criterion), _CRITERIA)
        msg = f"criterion: expected one of {', '.join(_CRITERIA)} but got {criterion!r}.{hint}"
        raise StudyError(msg)
    data, current = read_model(original, original, formula, missing_codes)
    whole = make_design(current, data, ordered=family == "ordered")
    search = _Search(data, whole, family)
    model = search.fit(current)
    rows = [_row("", current, model, float("nan"))]
    while current.removable:
        tried = [search.without(current, model, term) for term in current.removable]
        chosen = _choose(tried, model, criterion, alpha)
        if chosen is None:
            break
        current, model = chosen.formula, chosen.model
        rows.append(_row(":".join(chosen.term), current, model, chosen.p_value))
    path = pd.DataFrame(rows)
    path.index.name = "step"
    fixes = tuple(str(fix) for fix in data.fixes)
    return BackwardElimination(str(current), family, criterion, path, fixes)


@dataclass(frozen=True)
class _Step:
    term: Term
    formula: Formula
    model: Model
    p_value: float


class _Search:
    """Fits smaller formulas on the complete records of the largest one."""

    def __init__(self, data: Harmonised, whole: Design, family: str) -> None:
        self._data, self._whole, self._family = data, whole, family

    def fit(self, formula: Formula) -> Model:
        design = make_design(
            formula,
            self._data,
            ordered=self._family == "ordered",
            complete=self._whole.complete,
        )
        model = fit_part(design, 0, self._family)
        check_rank(model, design, 0)
        return model

    def without(self, formula: Formula, model: Model, term: Term) -> _Step:
        smaller = formula.without(term)
        fitted = self.fit(smaller)
        return _Step(term, smaller, fitted, _p_value(model, fitted, self._family))


def _p_value(larger: Model, smaller: Model, family: str) -> float:
    from scipy import special

    df = larger.rank - smaller.rank
    if df <= 0:
        return 1.0
    gain = 2 * (larger.log_likelihood - smaller.log_likelihood)
    if family != "gaussian":
        return float(special.chdtrc(df, max(gain, 0.0)))
    left = larger.n - larger.rank
    ratio = (larger.residual_ratio(smaller) - 1) * left / df
    return float(special.fdtrc(df, left, ratio))


def _choose(tried: list[_Step], model: Model, criterion: str, alpha: float) -> _Step | None:
    if criterion == "p":
        best = max(tried, key=lambda step: step.p_value)
        return best if best.p_value > alpha else None
    if criterion == "aic":
        best = min(tried, key=lambda step: step.model.aic)
        return best if best.model.aic < model.aic else None
    best = max(tried, key=lambda step: explained_by(step.model))
    return best if explained_by(best.model) > explained_by(model) else None


def _row(removed: str, formula: Formula, model: Model, p_value: float) -> dict[str, object]:
    return {
        "removed": removed,
        "formula": str(formula),
        "adjusted_r2": explained_by(model),
        "aic": model.aic,
        "p_value": p_value,
        "n": model.n,
    }
