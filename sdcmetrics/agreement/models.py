"""The cross-check of specific utility: the study's models, fitted natively and by synthpop."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.agreement.compared import Answer, Compared
from sdcmetrics.agreement.verdict import agree
from sdcmetrics.errors import DataError, NotComputable, RError
from sdcmetrics.measures.expressions.tree import known_values
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, harmonised_overlap
from sdcmetrics.measures.fits.harmonised import read_model
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.rbridge import FitComparison, glm_fit, lm_fit, multinom_fit, polr_fit
from sdcmetrics.rbridge.session import Patience
from sdcmetrics.rbridge.synds import from_pair
from sdcmetrics.study.models import Model

_FAMILIES = ("binomial", "poisson")  # with R's default links
_CATEGORICAL = {"multinomial": multinom_fit, "ordered": polr_fit}
_OFF = 0.01  # standard errors; half a thousandth was seen
_LACK = "Mahalanobis distance ratio"


def compare_models(
    original: Any,
    syntheses: Sequence[Any],
    models: Sequence[Model],
    missing_codes: Any,
    patience: Patience,
    no_predictors: Collection[str] = (),
) -> Iterator[Compared]:
    """Compare every model; a dot in a formula leaves out `no_predictors`."""
    for model in models:
        place = {"target": model.formula.partition("~")[0].strip(), "model": model.name}
        data, formula = read_model(
            original, list(syntheses), model.formula, missing_codes, no_predictors
        )
        try:
            fit = harmonised_overlap(data, formula, family=model.family)
        except (NotComputable, DataError) as error:
            yield Compared(FIT, "compare(fit)", place, str(error), None)
            continue
        coded = {name: _codes_missing(v) for name, v in data.variables.items()}
        data = Harmonised(coded, data.sizes, data.sources, ())
        native = _native(fit)
        theirs, why = _ask(data, model, patience, fit)
        comparison = Compared(FIT, "compare(fit)", place, native, theirs, documented=why)
        if model.family in _CATEGORICAL:
            most = dict.fromkeys(native, _OFF)
            most["lack_of_fit"] *= 2.0 * max(1.0, native["lack_of_fit"])
            comparison = replace(comparison, allowed={s: (m, "optimiser") for s, m in most.items()})
            off = _off(native, theirs, most)
            if off:
                scaled = _rescaled(data, place["target"], centred=False)
                again, _ = _ask(scaled, model, patience, fit)
                if not isinstance(again, RError) and not _off(native, again, most):
                    aligned = {_NAMES[s]: native[s] for s in off}
                    defects = dict.fromkeys(off, "optimiser")
                    comparison = replace(comparison, aligned=aligned, defects=defects)
        elif not isinstance(theirs, RError) and not agree(
            native["lack_of_fit"], theirs[_LACK], rtol=_RTOL
        ):
            lack = _lack_in_other_units(data, place["target"], model, patience, fit)
            if lack is not None:
                aligned, defects = {_LACK: lack}, {"lack_of_fit": "B28"}
                comparison = replace(comparison, aligned=aligned, defects=defects)
        yield comparison


_RTOL = 1e-8  # of the catalogue's entries for fits
_NAMES = {"CIO": "ci.overlap", "std_diff": "Std. coef diff", "lack_of_fit": _LACK}
_FAR_FROM_0 = 1e-5  # what the inverse of a covariance keeps where numbers are far from 0; 1e-6 seen


def _off(native: dict[str, float], theirs: Answer, most: dict[str, float]) -> list[str]:
    """Return the measures that differ by more than an optimiser that stops early explains."""
    if isinstance(theirs, RError):
        return []
    pairs = {symbol: (native[symbol], theirs[name]) for symbol, name in _NAMES.items()}
    return [s for s, (a, b) in pairs.items() if not agree(a, b) and not abs(a - b) <= most[s]]


def _lack_in_other_units(
    data: Harmonised, response: str, model: Model, patience: Patience, fit: FitOverlap
) -> float | None:
    """Return synthpop's lack of fit in units that it can invert: ours if it is the same."""
    out = None
    for centred in (False, True):
        theirs, _ = _ask(_rescaled(data, response, centred=centred), model, patience, fit)
        if not isinstance(theirs, RError):
            out = theirs[_LACK]
            native = _native(fit)["lack_of_fit"]
            if agree(native, out, rtol=_FAR_FROM_0):
                return native
    return out


def _native(fit: FitOverlap) -> dict[str, float]:
    lack = math.nan if fit.lack_of_fit is None else fit.lack_of_fit.ratio
    return {"CIO": fit.mean_overlap, "std_diff": fit.mean_abs_std_diff, "lack_of_fit": lack}


def _ask(data: Harmonised, model: Model, patience: Patience, fit: FitOverlap) -> tuple[Answer, str]:
    """Return synthpop's answer, and the known defect that the fits show, if any."""
    synds = replace(from_pair(data), session=patience.session)
    if model.family == "gaussian":
        theirs = patience.ask(lambda: lm_fit(synds, model.formula))
    elif model.family in _FAMILIES:
        theirs = patience.ask(lambda: glm_fit(synds, model.formula, family=model.family))
    elif model.family == "multinomial" and _is_binary(data, model):
        return RError("multinom.synds has two levels to tell apart", defects=("binary",)), ""
    elif model.family in _CATEGORICAL:
        theirs = patience.ask(lambda: _CATEGORICAL[model.family](synds, model.formula))
    else:
        reason = f"synthpop is not asked for the family {model.family}"
        return RError(reason, defects=("family",)), ""
    if isinstance(theirs, RError):
        return theirs, ""
    return _synthpop(theirs), _why(fit, theirs)


def _is_binary(data: Harmonised, model: Model) -> bool:
    response = data.variables.get(model.formula.partition("~")[0].strip())
    return response is not None and len(response.levels) == 2  # noqa: PLR2004  (as it says)


def _synthpop(fit: FitComparison) -> dict[str, float]:
    summary = {str(name): float(value) for name, value in fit.summary.items()}
    return {
        _NAMES["CIO"]: summary["mean.ci.overlap"],
        _NAMES["std_diff"]: summary["mean.abs.std.diff"],
        _LACK: summary["lack.of.fit"] / summary["ncoef"],
    }


def _why(native: FitOverlap, theirs: FitComparison) -> str:
    if "B9" in theirs.defects:
        return "B9"
    table = native.coefficients
    if not bool(table["compared"].all()):
        return "B9: coefficients without a finite estimate are left out"
    flagged = bool((table["flag"] != "").any())
    return "B9: a synthesis lacks a level, or cannot tell two terms apart" if flagged else ""


def _codes_missing(variable: Variable) -> Variable:
    """Replace missing codes by missing values: synthpop's models take them for numbers."""
    parts = tuple(known_values(variable, part) for part in range(len(variable.values)))
    return replace(variable, values=parts, missing_codes=())


def _rescaled(data: Harmonised, response: str, *, centred: bool) -> Harmonised:
    """Scale every predictor to about 1 by a power of two, so that nothing is rounded.

    The lack of fit of all coefficients does not depend on units; synthpop's does (B28). Where the
    model has an intercept and a slope for each predictor it does not depend on where numbers
    start either, and dates start far from 0.
    """
    out = {}
    for name, variable in data.variables.items():
        out[name] = variable
        if variable.kind in (Kind.NUMBER, Kind.DATE) and name != response:
            numbers = np.concatenate(variable.values).astype(np.float64)
            numbers = np.sort(numbers[~np.isnan(numbers)])
            start = float(numbers[len(numbers) // 2]) if centred and len(numbers) else 0.0
            size = float(np.abs(numbers - start).max(initial=0.0))
            unit = 2.0 ** -round(math.log2(size)) if size > 0 else 1.0
            values = tuple((part - start) * unit for part in variable.values)
            out[name] = replace(variable, kind=Kind.NUMBER, values=values)
    return Harmonised(out, data.sizes, data.sources, ())
