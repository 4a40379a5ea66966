"""One model of a weighted, stratified or clustered sample beside that of a replica."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError, counted
from sdcmetrics.measures.fits.columns import Columns
from sdcmetrics.measures.fits.design import Design, make_design
from sdcmetrics.measures.fits.fitting import CATEGORICAL, SHARES, check_family, outcome_of
from sdcmetrics.measures.fits.generalised import family_of, quiet
from sdcmetrics.measures.fits.harmonised import harmonise_model
from sdcmetrics.measures.fits.model import placed
from sdcmetrics.measures.fits.overlap import interval_overlap
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.design import Design as SampleDesign
from sdcmetrics.measures.survey.design import DesignColumns, SurveyDesign
from sdcmetrics.measures.survey.files import read_sampled
from sdcmetrics.measures.survey.linearised import covariance
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.microdata.threads import one_thread
from sdcmetrics.results import Readable, formerly

_EPSILON = 1e-8
"""R's glm stops when the deviance changes by less than this share of itself (plus 0.1)."""


@dataclass(frozen=True)
class SurveyOverlap(
    Readable,
    shows=("formula", "family", "mean_overlap", "mean_abs_z", "degrees_of_freedom", "fixes"),
    table="coefficients",
):
    """One model fitted to a designed sample and to a replica, compared.

    Attributes
    ----------
    formula, family : str
    coefficients : DataFrame
        Index term. Columns original and se_original (design-based), synthetic and se_synthetic
        (means over the syntheses), z (difference over the standard error of the difference),
        CIO (overlap of both intervals, each of its own width, not truncated; 1 is best).
        NaN where either side cannot estimate a coefficient.
    mean_overlap : float
        Mean CIO of the coefficients that both sides have.
    mean_abs_z : float
        Mean absolute z; about 0.8 for an independent sample of the population.
    degrees_of_freedom : int
        Clusters minus strata of the original.
    fixes : tuple of str
        Changes made to the inputs.
    """

    formula: str
    family: str
    coefficients: pd.DataFrame
    mean_overlap: float
    mean_abs_z: float
    degrees_of_freedom: int
    fixes: tuple[str, ...] = ()


@formerly("original synthetic formula")
@checked
def survey_overlap(
    original: Frame,
    synthetic: Replica,
    *,
    formula: str,
    family: str = "gaussian",
    design: SampleDesign | None = None,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
    **columns: Unpack[DesignColumns],
) -> SurveyOverlap:
    """Fit one model to a designed sample and to a replica, and compare the coefficients.

    Parameters
    ----------
    original : data frame
        A sample with its weights, and columns that say how it was drawn.
    synthetic : data frame, or list of data frames
    formula : str
        In R's notation; see `fit_overlap`. A dot stands for all other columns but weights and
        clusters; strata are among them, as models of a stratified sample often have them.
    family : str
        "gaussian", "binomial" (or "probit", "cloglog") or "poisson".
    design, **columns : see `weighted_tables`
    level : float
        Confidence level, between 0 and 1.
    missing_codes : mapping of column to code or codes, optional
        Codes that mean missing; records that have one are left out of the model, not of the
        design.

    Returns
    -------
    SurveyOverlap
        Coefficients are those of the linear predictor (logits of "binomial"). z is 0 at best; CIO
        is at most 1 (best), 0 where intervals just touch, and below 0, without bound, where they
        lie apart.

    Raises
    ------
    ColumnError
        If a column is absent, or does not fit its use, or a weight is missing, zero or negative.
    DataError
        If the data sets cannot be compared.
    StudyError
        If the formula or `level` is wrong, the family has no such errors, or a stratum has one
        cluster and `lonely` does not say what to do.
    NotComputable
        If a data set has too few complete records.

    Notes
    -----
    Estimates and standard errors of each side equal ``svyglm`` of R's survey package: weighted
    scores, summed in clusters, about the mean of their stratum, with the factor a / (a - 1).

    References
    ----------
    Binder (1983), International Statistical Review 51(3), 279-292; Karr et al. (2006), The
    American Statistician 60, 224-232.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"y": [1.0, 2, 4, 5], "w": [1.0, 3, 1, 3]})
    >>> result = survey_overlap(sample, sample, formula="y ~ 1", weight="w", synthetic_weight="w")
    >>> result.coefficients[["original", "CIO"]].round(3).values.tolist()
    [[3.25, 1.0]]
    """
    if not 0.0 < level < 1.0:
        msg = f"level: expected a share between 0 and 1, such as 0.95, but got {level}."
        raise StudyError(msg)
    check_family(family)
    files = read_sampled(original, synthetic, design, **columns)
    drawn = (files.columns.weight, files.columns.cluster, files.columns.synthetic_weight)
    return overlap_of_designs(
        files.original,
        files.syntheses,
        formula,
        family,
        (files.design, *files.designs),
        level=level,
        missing_codes=missing_codes,
        no_predictors=[name for name in drawn if name],
    )


def overlap_of_designs(
    data: Microdata,
    replicas: Sequence[Microdata],
    formula: str,
    family: str,
    designs: Sequence[SurveyDesign],
    *,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
    no_predictors: Collection[str] = (),
) -> SurveyOverlap:
    """Compare one model of data sets whose designs are known: the original's, and each replica's.

    Raises
    ------
    ColumnError, DataError, NotComputable, StudyError
        If the model cannot be fitted, or its family has no design-based errors.
    """
    if family in CATEGORICAL:
        msg = (
            f"family: {family!r} has no design-based errors here. Choose gaussian, binomial, "
            "probit, cloglog or poisson."
        )
        raise StudyError(msg)
    ours, *theirs = designs
    both, read = harmonise_model(data, replicas, formula, missing_codes, no_predictors)
    design = make_design(read, both)
    estimate, error = _fit(design, 0, family, ours)
    others = [_fit(design, part, family, design_) for part, design_ in enumerate(theirs, start=1)]
    synthetic_estimates = np.array([estimates for estimates, _ in others])
    errors = np.array([error_ for _, error_ in others])
    gap = synthetic_estimates - estimate
    rows = {
        "original": estimate,
        "se_original": error,
        "synthetic": synthetic_estimates.mean(axis=0),
        "se_synthetic": errors.mean(axis=0),
        "z": (gap / np.hypot(error, errors)).mean(axis=0),
        "CIO": np.mean(
            [
                interval_overlap(estimate, synthetic_estimate, error, own, level=level)
                for synthetic_estimate, own in others
            ],
            axis=0,
        ),
    }
    table = pd.DataFrame(rows, index=pd.Index(design.names, name="term"))
    listed = (*both.fixes, *ours.fixes, *(fix for design_ in theirs for fix in design_.fixes))
    return SurveyOverlap(
        formula=str(read),
        family=family,
        coefficients=table,
        mean_overlap=float(table["CIO"].mean()),
        mean_abs_z=float(table["z"].abs().mean()),
        degrees_of_freedom=ours.degrees_of_freedom,
        fixes=tuple(dict.fromkeys(map(str, listed))),
    )


def _fit(design: Design, part: int, family: str, survey: SurveyDesign) -> tuple[Floats, Floats]:
    """Return weighted estimates and their design-based standard errors; NaN where aliased."""
    from statsmodels.genmod.generalized_linear_model import GLM

    rows = design.complete[part]
    matrix, outcome = design.matrix(part), outcome_of(design, part, family)
    weights = survey.weights[rows] / survey.weights.mean()  # of the whole file, as in svyglm
    columns = Columns(matrix)
    if len(outcome) <= len(columns.independent):
        msg = (
            f"{design.sources[part]} has {counted(len(outcome), 'complete record')}, too few for "
            f"the {len(columns.independent)} coefficients of {design.formula}"
        )
        raise NotComputable(msg)
    link = family_of(family)
    try:
        with one_thread(matrix.shape[1]), quiet():
            model = GLM(outcome, columns.scaled, family=link, var_weights=weights)
            if family in SHARES:  # where R starts, so that its last step is R's
                link.starting_mu = lambda y: (weights * y + 0.5) / (weights + 1.0)
            results = model.fit(atol=0.1 * _EPSILON, rtol=_EPSILON)
            params = results.params
            mean = link.fitted(columns.scaled @ params)
            residuals = (outcome - mean) * link.link.deriv(mean)
            before = link.fitted(columns.scaled @ results.fit_history["params"][-2])
            working = weights / (link.link.deriv(before) ** 2 * link.variance(before))
        bread = np.linalg.inv(columns.scaled.T @ (columns.scaled * working[:, None]))
    except (np.linalg.LinAlgError, ValueError) as fault:
        what = (
            "has one value of the response"
            if np.ptp(outcome) == 0
            else f"leads the iterations of the {family} model out of what numbers can express"
        )
        msg = f"{design.sources[part]} {what}, so that {design.formula} has no errors"
        raise NotComputable(msg) from fault
    influence = np.zeros((survey.n, len(columns.independent)))
    influence[rows] = (columns.scaled * (working * residuals)[:, None]) @ bread
    scale = columns.scale
    inside = covariance(influence, survey) / np.outer(scale, scale)
    coefficients, spread = placed(params / scale, inside, columns.independent, matrix.shape[1])
    return coefficients, np.sqrt(np.diagonal(spread))
