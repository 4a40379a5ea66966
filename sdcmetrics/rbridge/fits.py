"""synthpop's fitted models, such as lm.synds, and compare() of a fit with the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from sdcmetrics.microdata.arguments import checked
from sdcmetrics.rbridge.call import FromR, Question
from sdcmetrics.rbridge.columns import by_synthesis, long_frame, wide
from sdcmetrics.rbridge.synds import Pair


@dataclass(frozen=True)
class FitComparison(FromR):
    """A model fitted to the syntheses, beside the same model of the original.

    Attributes
    ----------
    formula : str
    original : DataFrame
        ``coef.obs``: Beta, se(Beta), Z by term.
    synthetic : DataFrame
        ``coef.syn``: combined over the syntheses, by term. Without population inference the
        standard error is the original's, as in synthpop.
    difference : DataFrame
        ``coef.diff``: Synthetic, Observed, Diff, Std. coef diff.
    overlap : Series
        Overlap of the confidence intervals by term, not truncated.
    per_synthesis : DataFrame
        Coefficients of each synthesis.
    summary : Series
        mean.ci.overlap, mean.abs.std.diff, lack.of.fit, lof.pvalue, ncoef, incomplete, m, n, k.
    fixes, output, warnings, defects : tuples and text
        B9 where the terms of the two fits differ: synthpop pairs them by position, so that
        `difference` and `overlap` are wrong; B19 where an overlap is negative.
    """

    formula: str
    original: pd.DataFrame
    synthetic: pd.DataFrame
    difference: pd.DataFrame
    overlap: pd.Series[float]
    per_synthesis: pd.DataFrame
    summary: pd.Series[float]


@checked
def lm_fit(data: Pair, formula: str, **options: Any) -> FitComparison:
    """Fit a linear model, by ``synthpop::lm.synds``, and compare it with the original's.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    formula : str
        R's formula, such as "income ~ age + sex".
    **options
        population_inference: standard errors for the population rather than for the original's
        estimates; level of the confidence intervals. Others: see `utility_tab`.

    Returns
    -------
    FitComparison

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    return _fit(data, "lm", formula, "", options)


@checked
def glm_fit(data: Pair, formula: str, *, family: str = "binomial", **options: Any) -> FitComparison:
    """Fit a generalised linear model, by ``synthpop::glm.synds``, and compare it.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    formula : str
    family : str
        R's name: "binomial", "poisson", "gaussian", "Gamma", ...
    **options : see `lm_fit`

    Returns
    -------
    FitComparison
    """
    return _fit(data, "glm", formula, family, options)


@checked
def polr_fit(data: Pair, formula: str, **options: Any) -> FitComparison:
    """Fit a proportional odds model, by ``synthpop::polr.synds``, and compare it; see `lm_fit`."""
    return _fit(data, "polr", formula, "", options)


@checked
def multinom_fit(data: Pair, formula: str, **options: Any) -> FitComparison:
    """Fit a polytomous logit, by ``synthpop::multinom.synds``, and compare it; see `lm_fit`."""
    return _fit(data, "multinom", formula, "", options)


def _fit(
    data: Pair,
    type_: Literal["lm", "glm", "polr", "multinom"],
    formula: str,
    family: str,
    options: dict[str, Any],
) -> FitComparison:
    question = Question(f"{type_}.synds", data, options)
    answer = question.ask("fit", type=type_, formula=formula, family=family)
    terms = ("original", "synthetic", "difference", "overlap")
    original, synthetic, difference, overlaps = (wide(answer.value[p], "term") for p in terms)
    overlap = overlaps.iloc[:, 0].rename("CI overlap")
    each = by_synthesis(answer.value["each"])
    terms_of_original = [name.replace(" : ", ":") for name in original.index]  # as multinom does
    terms_of_replica = [name.replace(" : ", ":") for name in each.columns]
    defects_ = ["B9"] if terms_of_original != terms_of_replica else []
    defects_ += ["B19"] if (overlap < 0).any() else []
    summary = long_frame(answer.value["summary"]).set_index("symbol")["value"].rename_axis(None)
    context = question.fields(answer, *defects_)
    return FitComparison(
        formula, original, synthetic, difference, overlap, each, summary, **context
    )
