"""Fit the models of a study to a replica: rows of specific utility."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from sdcmetrics.errors import DataError, NotComputable
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, fit_overlap
from sdcmetrics.measures.fits.weighted_overlap import weigh
from sdcmetrics.measures.registry import SPECIFIC_UTILITY
from sdcmetrics.study.models import Model
from sdcmetrics.study.study import Study

__all__ = ["model_rows"]

Row = dict[str, Any]
Fits = dict[tuple[str, str, str], FitOverlap]
"""By replica, formula and family; empty where a model could not be fitted."""

_OVERLAPS = ("CIO", "CIO_truncated", "Karr", "std_diff", "lack_of_fit")


def model_rows(study: Study, replica: str) -> Iterator[tuple[str, list[Row], Fits]]:
    """Yield a step in words, its rows and its fit, model after model, then the weighted overlap.

    The formula stands in the column `scenario`, the response in `target`.
    """
    found: list[FitOverlap | tuple[str, str, str]] = []
    for model in study.models:
        step = f"model {model.formula}"
        try:
            fit = fit_overlap(
                study.original,
                list(study.replicas[replica]),
                model.formula,
                family=model.family,
                missing_codes=study.options.missing_codes,
            )
        except (NotComputable, DataError) as reason:
            found.append((model.formula, model.family, str(reason)))
            yield step, [_row(model, name, reason=str(reason)) for name in _symbols(model)], {}
        else:
            found.append(fit)
            yield step, list(_fit_rows(model, fit)), {(replica, *astuple(model)): fit}
    value = weigh(found).value
    why = "no model explains anything of the original" if math.isnan(value) else None
    row = {"family": SPECIFIC_UTILITY, "metric": "CIO_weighted"}
    yield "weighted overlap", [{**row, "value": value, "reason": why}], {}


def _symbols(model: Model) -> tuple[str, ...]:
    return (*_OVERLAPS, "adj_R2" if model.family == "gaussian" else "adj_pseudo_R2")


def _fit_rows(model: Model, fit: FitOverlap) -> Iterator[Row]:
    failed = [problem for problem in fit.problems if "did not converge" in problem]
    test = fit.lack_of_fit
    values = (
        fit.mean_overlap,
        fit.mean_overlap_truncated,
        fit.mean_karr,
        fit.mean_abs_std_diff,
        math.nan if test is None else test.ratio,
        fit.adjusted_r2,
    )
    for name, value in zip(_symbols(model), values, strict=True):
        if failed:
            yield _row(model, name, reason="; ".join(failed))
        elif math.isnan(value):
            yield _row(model, name, reason="the fits leave no variance to measure it by")
        else:
            yield _row(model, name, value=value)
    if len(fit.lack_of_fit_per_synthesis) > 1 and not failed:
        yield from _each_synthesis(model, fit)


def _each_synthesis(model: Model, fit: FitOverlap) -> Iterator[Row]:
    used = fit.coefficients.index[fit.coefficients["compared"]]
    for synthesis, test in fit.lack_of_fit_per_synthesis.iterrows():
        table = fit.per_synthesis.xs(synthesis, level="synthesis").loc[used]
        means = {name: table[name].mean() for name in ("CIO", "CIO_truncated", "Karr")}
        means["std_diff"] = table["std_diff"].abs().mean()
        means["lack_of_fit"] = test["ratio"]
        for name in _OVERLAPS:
            value = float(means[name])
            reason = "no coefficient can be compared" if math.isnan(value) else None
            yield {**_row(model, name, value=value, reason=reason), "synthesis": synthesis}


def _row(model: Model, name: str, *, value: float = math.nan, reason: str | None = None) -> Row:
    return {
        "family": SPECIFIC_UTILITY,
        "metric": name,
        "scenario": model.formula,
        "target": model.formula.partition("~")[0].strip(),
        "value": value,
        "reason": reason,
    }
