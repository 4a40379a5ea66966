"""Fit one family of models to the original and to every synthesis of a design."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sdcmetrics.errors import ColumnError, NotComputable, StudyError, counted, did_you_mean
from sdcmetrics.measures.fits.columns import Columns
from sdcmetrics.measures.fits.design import Design
from sdcmetrics.measures.fits.formula import as_in_r
from sdcmetrics.measures.fits.model import Model
from sdcmetrics.measures.fits.variables import Categories
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.threads import one_thread

FamilyName = str
"""gaussian, binomial, probit, cloglog, poisson, multinomial or ordered."""

LINEAR = "gaussian"
SHARES = ("binomial", "probit", "cloglog")
CATEGORICAL = ("multinomial", "ordered")
FAMILIES = (LINEAR, *SHARES, "poisson", *CATEGORICAL)
R2_KINDS = {LINEAR: "adjusted R2"}
"""What the adjusted R2 of a family is; McFadden's adjusted pseudo-R2 unless listed."""


@dataclass(frozen=True)
class Fits:
    """A model of the original and one of each synthesis, coefficient by coefficient.

    Attributes
    ----------
    names : tuple of str
        Names of the coefficients.
    original : Model
    synthetic : tuple of Model
    """

    names: tuple[str, ...]
    original: Model
    synthetic: tuple[Model, ...]


def check_family(family: str) -> None:
    """Raise StudyError unless the family is known."""
    if family not in FAMILIES:
        hint = did_you_mean(str(family), FAMILIES) or f" Known: {', '.join(FAMILIES)}."
        msg = f"family: {family!r} is not known.{hint}"
        raise StudyError(msg)


def fit_design(design: Design, family: FamilyName) -> Fits:
    """Fit the models.

    Raises
    ------
    StudyError
        If the family is not known.
    ColumnError
        If the response does not fit the family.
    NotComputable
        If a data set has too few complete records.
    """
    check_family(family)
    # without the results, each of which holds a model matrix
    parts = range(design.m + 1)
    models = [replace(fit_part(design, part, family), make_results=None) for part in parts]
    for part, model in enumerate(models):
        check_rank(model, design, part)
    return Fits(_names(design, family), models[0], tuple(models[1:]))


def fit_part(design: Design, part: int, family: FamilyName) -> Model:
    """Fit the model of one data set; see `fit_design`."""
    outcome = outcome_of(design, part, family)
    matrix = design.matrix(part)
    with one_thread(matrix.shape[1]):
        return _fit(design, part, family, matrix, outcome)


def _fit(design: Design, part: int, family: FamilyName, matrix: Floats, outcome: Floats) -> Model:
    from sdcmetrics.measures.fits.generalised import fit_glm, fit_lm

    intercept = design.formula.intercept
    source = design.sources[part]
    if family in CATEGORICAL:
        from sdcmetrics.measures.fits.categorical import fit_multinomial, fit_ordered

        assert isinstance(design.response, Categories)  # noqa: S101  (for the type checker)
        levels = len(design.response.levels)
        if family == "multinomial":
            return fit_multinomial(matrix, outcome, levels, source)
        if not intercept:
            msg = "family 'ordered': its thresholds are the intercepts; remove the 0 or -1."
            raise StudyError(msg)
        return fit_ordered(matrix[:, 1:], outcome, levels, source)
    if family == LINEAR:
        return fit_lm(matrix, outcome, intercept=intercept)
    return fit_glm(matrix, outcome, family, intercept=intercept)


def results_of(design: Design, part: int, family: FamilyName) -> Any:
    """Return the results object of statsmodels for one data set, its coefficients named."""
    model = fit_part(design, part, family)
    assert model.make_results is not None  # noqa: S101  (every fit has some)
    results = model.make_results()
    ordered = family == "ordered"
    columns = Columns(design.matrix(part)).independent[1 if ordered else 0 :]
    names = [design.names[j] for j in columns]
    cuts = results.model.exog_names[len(names) :] if ordered else []
    results.model.data.xnames = [*names, *cuts]
    return results


def check_rank(model: Model, design: Design, part: int) -> None:
    """Raise NotComputable unless there are more records than coefficients."""
    if model.n <= model.rank:
        msg = (
            f"{design.sources[part]} has {counted(model.n, 'complete record')}, too few for the "
            f"{counted(model.rank, 'coefficient')} of {design.formula}"
        )
        raise NotComputable(msg)


def match(original: Model, synthetic: Model) -> list[str]:
    """Say of each coefficient why its two estimates cannot be compared; empty where they can.

    A column that one fit leaves out as aliased has no estimate there. The columns that it is a
    combination of mean something else in a fit that keeps it, so they are not compared either,
    unless both fits leave it out for the same reason.
    """
    reasons = [""] * len(original.coefficients)
    ours, theirs = original.confounded or {}, synthetic.confounded or {}
    for own, other, where in ((ours, theirs, "original"), (theirs, ours, "synthetic")):
        for column, sources in own.items():
            if other.get(column) == sources:
                continue
            for source in sources:
                reasons[source] = reasons[source] or f"confounded in the {where} data"
    for where, aliased in (("synthetic", theirs), ("original", ours)):
        for column, sources in aliased.items():
            what = "aliased" if sources else "not there"
            reasons[column] = f"{what} in the {where} data"
    return reasons


def _names(design: Design, family: FamilyName) -> tuple[str, ...]:
    if family not in CATEGORICAL:
        return design.names
    assert isinstance(design.response, Categories)  # noqa: S101  (for the type checker)
    levels = design.response.levels
    if family == "multinomial":
        return tuple(f"{level}:{name}" for level in levels[1:] for name in design.names)
    thresholds = [f"{low}|{high}" for low, high in itertools.pairwise(levels)]
    return (*design.names[1:], *thresholds)


def outcome_of(design: Design, part: int, family: FamilyName) -> Floats:
    """Return the response of the complete records as the family takes it."""
    response, outcome = design.response, design.outcome(part)
    text, source = as_in_r(design.formula.response), design.sources[part]
    if family in CATEGORICAL:
        if not isinstance(response, Categories):
            msg = (
                f"response {text!r}: family {family!r} needs categories but got numbers. Write "
                f"factor({text}) to take every number as a category."
            )
            raise ColumnError(msg)
        return outcome
    if isinstance(response, Categories):
        return _codes_as_numbers(response, outcome, text, source, family)
    low, high = float(outcome.min()), float(outcome.max())
    if family == "poisson" and low < 0:
        msg = f"response {text!r} of {source}: family 'poisson' needs counts but got negative ones."
        raise ColumnError(msg)
    if family in SHARES and (low < 0 or high > 1):
        msg = (
            f"response {text!r} of {source}: family {family!r} needs two categories, booleans, or "
            f"numbers from 0 to 1. Write factor({text}) to take numbers as categories."
        )
        raise ColumnError(msg)
    return outcome


def _codes_as_numbers(
    response: Categories, outcome: Floats, text: str, source: str, family: FamilyName
) -> Floats:
    boolean = response.levels in {("FALSE", "TRUE"), ("FALSE",), ("TRUE",), ("TRUE", "FALSE")}
    if family in (LINEAR, "poisson"):
        if not boolean:
            msg = (
                f"response {text!r} of {source}: family {family!r} needs numbers but the column "
                "holds categories. Choose family 'binomial', 'multinomial' or 'ordered'."
            )
            raise ColumnError(msg)
        return _truth(response, outcome)
    if len(response.levels) < 2:  # noqa: PLR2004
        msg = (
            f"response {text!r} has one level only among the complete records of all data sets, so "
            "there is nothing to predict."
        )
        raise ColumnError(msg)
    if boolean:
        return _truth(response, outcome)
    return (outcome > 0).astype(np.float64)


def _truth(response: Categories, outcome: Floats) -> Floats:
    if "TRUE" not in response.levels:
        return np.zeros_like(outcome)
    out: Floats = (outcome == response.levels.index("TRUE")).astype(np.float64)
    return out
