"""The cross-check of specific utility: the study's models, fitted natively and by synthpop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from sdcmetrics.agreement.verdict import judge_pair
from sdcmetrics.errors import DataError, NotComputable, RError
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, harmonised_overlap, read_model
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.rbridge import FitComparison, glm_fit, lm_fit
from sdcmetrics.rbridge.patience import Patience
from sdcmetrics.rbridge.synds import from_pair
from sdcmetrics.study.models import Model

__all__ = ["METRICS", "check_models"]

METRICS: tuple[Measure, ...] = tuple(m for m in MEASURES.values() if m.twin and m.of is FIT)
_FAMILIES = {"binomial": "binomial", "poisson": "poisson"}  # with R's default links


def check_models(
    original: Any,
    syntheses: Sequence[Any],
    models: Sequence[Model],
    missing_codes: Any,
    patience: Patience,
) -> Iterator[dict[str, Any]]:
    """Yield one row a model and measure; the formula stands in the column `scenario`."""
    for model in models:
        place = {"scenario": model.formula, "target": model.formula.partition("~")[0].strip()}
        data, formula = read_model(original, list(syntheses), model.formula, missing_codes)
        native: FitOverlap | None = None
        reason = ""
        try:
            native = harmonised_overlap(data, formula, family=model.family)
        except (NotComputable, DataError) as error:
            reason = str(error)
        theirs = _ask(data, model, patience) if native is not None else None
        fits_differ = _why(native, theirs)
        for metric in METRICS:
            why = fits_differ or _inverses_differ(native, metric.symbol)
            value = None if native is None else _native(native, metric.symbol)
            answer = _synthpop(theirs, metric.symbol)
            if isinstance(theirs, RError):
                reason = theirs.reason
            known = native is None or (isinstance(theirs, RError) and bool(theirs.defects))
            agreement = judge_pair(
                math.nan if value is None else value,
                answer,
                None,
                metric=metric.symbol,
                rtol=metric.rtol,
                reason=reason,
                known=known,
            )
            if why and not agreement.explained:
                # Known from the fits themselves: other terms, or separated ones.
                verdict = f"differs as documented: {why}"
                agreement = replace(agreement, verdict=verdict, explained=True)
            yield {
                **place,
                "family": metric.family,
                "metric": metric.symbol,
                "function": "compare(fit)",
                **asdict(agreement),
            }


def _ask(data: Harmonised, model: Model, patience: Patience) -> FitComparison | RError:
    if model.family != "gaussian" and model.family not in _FAMILIES:
        reason = f"synthpop's lm.synds and glm.synds are not asked for the family {model.family}"
        return RError(reason, defects=("family",))
    coded = {name: _codes_missing(v) for name, v in data.variables.items()}
    synds = replace(
        from_pair(Harmonised(coded, data.sizes, data.sources, ())), session=patience.session
    )
    if model.family == "gaussian":
        return patience.ask(lambda: lm_fit(synds, model.formula))
    return patience.ask(lambda: glm_fit(synds, model.formula, family=_FAMILIES[model.family]))


def _codes_missing(variable: Variable) -> Variable:
    """Make missing codes missing: in a model they are no numbers, which synthpop takes them for."""
    if variable.kind is not Kind.NUMBER or not variable.missing_codes:
        return variable
    parts = tuple(
        np.where(np.isin(part, variable.missing_codes), np.nan, part) for part in variable.values
    )
    return replace(variable, values=parts, missing_codes=())


def _native(fit: FitOverlap, symbol: str) -> float:
    if symbol == "CIO":
        return fit.mean_overlap
    if symbol == "std_diff":
        return fit.mean_abs_std_diff
    return math.nan if fit.lack_of_fit is None else fit.lack_of_fit.ratio


def _synthpop(fit: FitComparison | RError | None, symbol: str) -> float | None:
    if fit is None or isinstance(fit, RError):
        return None
    if symbol == "CIO":
        return float(fit.summary["mean.ci.overlap"])
    if symbol == "std_diff":
        return float(fit.summary["mean.abs.std.diff"])
    return float(fit.summary["lack.of.fit"]) / float(fit.summary["ncoef"])


def _inverses_differ(native: FitOverlap | None, symbol: str) -> str:
    """Say if synthpop's generalised inverse drops directions: its answer depends on units then.

    With incomes in place of incomes per 100,000, synthpop's statistic of the same data is 1.858
    in place of 1.927, which the whole inverse gives in any unit.
    """
    test = None if native is None else native.lack_of_fit
    dropped = symbol == "lack_of_fit" and test is not None and test.ill_conditioned
    return "synthpop's generalised inverse leaves out small directions" if dropped else ""


def _why(native: FitOverlap | None, theirs: FitComparison | RError | None) -> str:
    if native is None or not isinstance(theirs, FitComparison):
        return ""
    if "B9" in theirs.defects:
        return "B9"
    used = native.coefficients["compared"]
    return "" if bool(used.all()) else "B9: coefficients without a finite estimate are left out"
