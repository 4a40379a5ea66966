"""synthpop's fitted models: lm.synds, glm.synds, and compare() of a fit with the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call
from sdcmetrics.rbridge.flat import by_synthesis, long_frame, wide
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, handle

__all__ = ["FitComparison", "glm_fit", "lm_fit"]


@dataclass(frozen=True)
class FitComparison:
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
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def lm_fit(
    data: Pair,
    formula: str,
    *,
    population_inference: bool = False,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> FitComparison:
    """Fit a linear model, by ``synthpop::lm.synds``, and compare it with the original's.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    formula : str
        R's formula, such as "income ~ age + sex".
    population_inference : bool
        Standard errors for the population rather than for the original's estimates.
    level : float
        Of the confidence intervals.
    missing_codes, printed, session : see `utility_tab`

    Returns
    -------
    FitComparison

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    settings = {"population.inference": population_inference, "ci.level": level}
    return _fit(
        data,
        "lm",
        formula,
        "",
        settings,
        missing_codes=missing_codes,
        printed=printed,
        session=session,
    )


def glm_fit(
    data: Pair,
    formula: str,
    *,
    family: str = "binomial",
    population_inference: bool = False,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> FitComparison:
    """Fit a generalised linear model, by ``synthpop::glm.synds``, and compare it.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    formula : str
    family : str
        R's name: "binomial", "poisson", "gaussian", "Gamma", ...
    others : see `lm_fit`

    Returns
    -------
    FitComparison
    """
    settings = {"population.inference": population_inference, "ci.level": level}
    return _fit(
        data,
        "glm",
        formula,
        family,
        settings,
        missing_codes=missing_codes,
        printed=printed,
        session=session,
    )


def _fit(
    data: Pair,
    type_: Literal["lm", "glm"],
    formula: str,
    family: str,
    settings: dict[str, Any],
    *,
    missing_codes: MissingCodes | None,
    printed: bool,
    session: Session | None,
) -> FitComparison:
    synds = handle(data, missing_codes=missing_codes, session=session)
    answer = call(
        synds,
        "fit",
        f"{type_}.synds",
        type=type_,
        formula=formula,
        family=family,
        options=settings,
        print=printed,
    )
    original = wide(answer.value["original"], "term")
    synthetic = wide(answer.value["synthetic"], "term")
    overlap = wide(answer.value["overlap"], "term").iloc[:, 0].rename("CI overlap")
    found = []
    each = by_synthesis(answer.value["each"])
    if list(original.index) != list(each.columns):
        found.append("B9")
    if (overlap < 0).any():
        found.append("B19")
    summary = long_frame(answer.value["summary"]).set_index("symbol")["value"]
    return FitComparison(
        formula=formula,
        original=original,
        synthetic=synthetic,
        difference=wide(answer.value["difference"], "term"),
        overlap=overlap,
        per_synthesis=each,
        summary=summary.rename_axis(None),
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=tuple(dict.fromkeys((*synds.defects, *found))),
    )
