"""Places of fits: every model, all of them, and the mean of every numeric column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import DataError, NotComputable
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, harmonised_overlap
from sdcmetrics.measures.fits.harmonised import harmonise_model
from sdcmetrics.measures.fits.mean_ci_overlap import overlap_of_means
from sdcmetrics.measures.kind import Given, Kind, Option, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair

FitOutcome = FitOverlap | tuple[str, str, str]
"""A fit, or formula, family and reason of a model that cannot be fitted."""


@dataclass(frozen=True)
class Compared:
    """A model of the original beside that of a replica, or of one of its syntheses.

    Attributes
    ----------
    coefficients : DataFrame
        One row per coefficient that is compared: columns CIO, CIO_truncated, Karr, std_diff.
    lack_of_fit : statistic over its degrees of freedom; NaN where there is none
    adjusted_r2 : of the model on the original
    """

    coefficients: pd.DataFrame
    lack_of_fit: float
    adjusted_r2: float


def _models(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    for model, fit in zip(plan.models, _fitted(pair, plan, tell), strict=True):
        step = f"model {model.formula}"
        response = model.formula.partition("~")[0].strip()
        places = (Place(target=response, model=model.name),)
        other = "adj_pseudo_R2" if model.family == "gaussian" else "adj_R2"
        if not isinstance(fit, FitOverlap):
            yield Given(step, places, reason=fit[2], leaves_out=frozenset({other}))
            continue
        failed = [problem for problem in fit.problems if "did not converge" in problem]
        yield Given(
            step,
            places,
            () if failed else tuple(_each(fit)),
            whole=_whole(fit),
            reason="; ".join(failed),
            undefined="the fits leave no variance to measure it by",
            leaves_out=frozenset({other}),
            result=fit,
        )


def _weighted(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    if plan.models:
        yield Given("weighted overlap", (Place(),), whole=_fitted(pair, plan, tell))


def _means(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    tell("means of numeric columns")
    try:
        overlap = overlap_of_means(pair.data, variables=plan.options.variables)
    except NotComputable as reason:
        yield Given("means of numeric columns", (Place(),), reason=str(reason))
    else:
        yield Given("means of numeric columns", (Place(),), whole=overlap)


def _fitted(pair: Pair, plan: Plan, tell: Tell) -> list[FitOutcome]:
    def fit() -> list[FitOutcome]:
        fits: list[FitOutcome] = []
        for model in plan.models:
            tell(f"model {model.formula}")
            try:
                aside = () if plan.sample is None else plan.sample.no_predictors
                data, formula = harmonise_model(
                    pair.original, pair.syntheses, model.formula, pair.missing_codes, aside
                )
                overlap = harmonised_overlap(data, formula, family=model.family)
            except (NotComputable, DataError) as reason:
                fits.append((model.formula, model.family, str(reason)))
            else:
                fits.append(overlap)
        return fits

    fits: list[FitOutcome] = pair.cached("fits", fit)
    return fits


def _whole(fit: FitOverlap) -> Compared:
    test = fit.lack_of_fit
    ratio = np.nan if test is None else test.ratio
    return Compared(fit.coefficients[fit.coefficients["compared"]], ratio, fit.adjusted_r2)


def _each(fit: FitOverlap) -> Iterator[Compared]:
    if len(fit.lack_of_fit_per_synthesis) < 2:  # noqa: PLR2004  (one synthesis is the whole)
        return
    used = fit.coefficients.index[fit.coefficients["compared"]]
    for synthesis, test in fit.lack_of_fit_per_synthesis.iterrows():
        table = fit.per_synthesis.xs(synthesis, level="synthesis").loc[used]
        yield Compared(pd.DataFrame(table), float(test["ratio"]), fit.adjusted_r2)


MODELLED = Option("[[model]]", lambda plan: bool(plan.models))
INTERVALS = {
    "L": "lower end of what both intervals share",
    "U": "upper end of what both intervals share",
    "L_o": "lower end of the original's interval",
    "U_o": "upper end of the original's interval",
    "L_s": "lower end of the replica's interval",
    "U_s": "upper end of the replica's interval",
}
FIT = Kind(
    "a fitted model",
    "`Compared`; a number",
    _models,
    per="model",
    option=MODELLED,
    symbols={
        "b_o": "coefficients on the original",
        "b_s": "coefficients on the replica",
        "se_o": "standard error on the original",
        "z": "quantile of the normal law, 1.96 for 95 %",
        **INTERVALS,
        "V_o": "covariance of the coefficients on the original",
        "n": "original records",
        "k": "records of a synthesis",
        "m": "number of syntheses",
        "p": "number of coefficients",
    },
)
FITS = Kind(
    "all fitted models",
    "list of `FitOverlap`, and of formula, family and reason where there is none; a number",
    _weighted,
    option=MODELLED,
)
MEANS = Kind(
    "means of the numeric columns",
    "`MeanOverlap`; a number",
    _means,
    counted=True,
    symbols={
        **INTERVALS,
        "z": "quantile of the normal law, 1.96 for 95 %",
        "s": "standard deviation of the column in a file",
        "n": "its records with a value",
    },
)
