"""The Comparative Metrics Framework's specific utility: overlaps weighted by adjusted R2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.fits.coefficients import weights_of
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, fit_overlap
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

Model = str | tuple[str, str]
"""A formula, fitted as a linear model, or a formula and a family."""


@dataclass(frozen=True)
class WeightedOverlap(
    Readable, shows=("value", "value_truncated", "models", "fixes"), table="models"
):
    """Overlaps of several models, and their weighted mean.

    Attributes
    ----------
    value : float
        Sum of weight times mean overlap; NaN where every weight is 0.
    value_truncated : float
        The same with overlaps truncated at 0.
    models : DataFrame
        Index formula. Columns family, mean_overlap, mean_overlap_truncated, adjusted_r2 (on
        the original), r2_kind, weight (the adjusted R2 over their sum; 0 where negative),
        contribution (weight times mean overlap), note.
    fits : tuple of FitOverlap
        In the order of the models; a model that could not be fitted is not among them.
    """

    value: float
    value_truncated: float
    models: pd.DataFrame
    fits: tuple[FitOverlap, ...]

    @property
    def fixes(self) -> tuple[str, ...]:
        """Changes made to the inputs of the models, each once."""
        return tuple(dict.fromkeys(fix for fit in self.fits for fix in fit.fixes))


@checked
def weighted_overlap(
    original: Frame,
    synthetic: Replica,
    *,
    models: Sequence[Model],
    population_inference: bool = False,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
) -> WeightedOverlap:
    """Average the mean overlaps of several models, weighted by adjusted R2 on the original.

    A model that explains much of the original counts more, as it is of more use to somebody.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    models : sequence of formulas, or of pairs of formula and family
    population_inference, level, missing_codes : see `fit_overlap`

    Returns
    -------
    WeightedOverlap
        `value` is at most 1 (best), and below 0, without bound, where intervals lie apart;
        `value_truncated` is 0 to 1. A model that cannot be fitted has weight 0, and a note.

    Raises
    ------
    StudyError
        If no model is given, or a formula or family is wrong.
    ColumnError, DataError
        If a column is absent, or does not fit its use in a model.

    Notes
    -----
    Section 3 of the framework. A negative adjusted R2 gives weight 0, and the note says so.
    Adjusted R2 of linear models and McFadden's of others are on different scales: McFadden's is
    smaller for a model of equal use, so models of one family are best averaged apart. The
    framework does not say which pseudo-R2 it means.

    References
    ----------
    Chan, Comparative Metrics Framework, section 3.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [0.0, 2, 4, 6], "z": [0.0, 1, 1, 0]})
    >>> result = weighted_overlap(original, original, models=["y ~ x", "z ~ x"])
    >>> round(result.value, 9), result.models["weight"].tolist(), result.models["note"].tolist()[1]
    (1.0, [1.0, 0.0], 'adjusted R2 is not positive, so the weight is 0')
    """
    if isinstance(models, str) or not models:
        msg = "models: expected a list of formulas, or of pairs of formula and family."
        raise StudyError(msg)
    fits: list[FitOverlap | tuple[str, str, str]] = []
    for model in models:
        formula, family = (model, "gaussian") if isinstance(model, str) else model
        try:
            fit = fit_overlap(
                original,
                synthetic,
                formula=formula,
                family=family,
                population_inference=population_inference,
                level=level,
                missing_codes=missing_codes,
            )
        except NotComputable as reason:
            fits.append((formula, family, str(reason)))
        else:
            fits.append(fit)
    return weigh(fits)


def weigh(fits: Sequence[FitOverlap | tuple[str, str, str]]) -> WeightedOverlap:
    """Average fits already made; a triple of formula, family and reason stands for a failed one."""
    rows = []
    for fit in fits:
        if not isinstance(fit, FitOverlap):
            formula, family, reason = fit
            rows.append((formula, family, math.nan, math.nan, math.nan, "", reason))
            continue
        notes = list(fit.problems)
        if not fit.adjusted_r2 > 0:
            notes.insert(0, "adjusted R2 is not positive, so the weight is 0")
        rows.append(
            (
                fit.formula,
                fit.family,
                fit.mean_overlap,
                fit.mean_overlap_truncated,
                fit.adjusted_r2,
                fit.r2_kind,
                "; ".join(notes),
            )
        )
    columns = ["formula", "family", "mean_overlap", "mean_overlap_truncated"]
    columns += ["adjusted_r2", "r2_kind", "note"]
    models = pd.DataFrame(rows, columns=columns).set_index("formula")
    models.insert(5, "weight", weights_of(models["adjusted_r2"].to_numpy()))
    contribution = (models["weight"] * models["mean_overlap"]).fillna(0.0)
    models.insert(6, "contribution", contribution)
    any_weight = bool((models["weight"] > 0).any())
    clipped = (models["weight"] * models["mean_overlap_truncated"]).fillna(0.0)
    return WeightedOverlap(
        value=float(contribution.sum()) if any_weight else math.nan,
        value_truncated=float(clipped.sum()) if any_weight else math.nan,
        models=models,
        fits=tuple(fit for fit in fits if isinstance(fit, FitOverlap)),
    )
