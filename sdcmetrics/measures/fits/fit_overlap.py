"""Specific utility from two frames: the same model fitted to both, coefficient by coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.fits.coefficients import (
    Scale,
    each_synthesis,
    each_test,
    explained_by,
    fits_table,
    pooled,
    pooled_test,
    problems_of,
)
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.fitting import R2_KINDS, check_family, fit_design, results_of
from sdcmetrics.measures.fits.formula import Formula
from sdcmetrics.measures.fits.harmonised import read_model
from sdcmetrics.measures.fits.overlap import LackOfFit
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import ORIGINAL, SYNTHETIC, Readable, formerly, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MCFADDEN = "McFadden's adjusted pseudo-R2"


@dataclass(frozen=True)
class FitOverlap(
    Readable,
    shows=(
        "formula",
        "family",
        "mean_overlap",
        "mean_overlap_truncated",
        "mean_karr",
        "mean_abs_std_diff",
        "adjusted_r2",
        "problems",
        "fixes",
    ),
    table="coefficients",
):
    """One model fitted to the original and to a replica, compared.

    Attributes
    ----------
    formula, family : str
        The model, with every term written out.
    level : float
        Confidence level of the intervals.
    population_inference : bool
        Whether the synthetic standard errors are those for the population.
    coefficients : DataFrame
        Index term. Columns original, se_original, synthetic (mean over the syntheses that have
        the coefficient), se_synthetic (as synthpop: the original's, scaled for population
        inference), se_fit (of the synthetic fits themselves), std_diff, CIO (not truncated),
        CIO_truncated (0 instead of negative), Karr (each fit's own width), compared (whether it
        counts in the means and the test), flag (why a value is missing or cannot be relied on,
        else empty).
    per_synthesis : DataFrame
        Index synthesis and term; columns synthetic, se_fit, std_diff, CIO, CIO_truncated,
        Karr, flag.
    lack_of_fit : LackOfFit or None
        Pooled; None where too few syntheses or coefficients are left.
    lack_of_fit_per_synthesis : DataFrame
        Index synthesis; columns statistic, df, p_value, ratio.
    fits : DataFrame
        Index data set; columns n, dropped (records with a missing value), coefficients,
        adjusted_r2, converged, iterations, separated and aliased (tuples of terms).
    adjusted_r2 : float
        Of the model on the original; see `r2_kind`.
    r2_kind : str
    problems : tuple of str
        What makes a number here less than it seems; empty if nothing does.
    fixes : tuple of str
        Changes made to the inputs.
    level_counts : tuple of int
        Original records behind every level, or combination of levels, that a coefficient speaks
        of; sorted. See `Design.level_counts`.
    """

    formula: str
    family: str
    level: float
    population_inference: bool
    coefficients: pd.DataFrame
    per_synthesis: pd.DataFrame
    lack_of_fit: LackOfFit | None
    lack_of_fit_per_synthesis: pd.DataFrame
    fits: pd.DataFrame
    adjusted_r2: float
    r2_kind: str
    problems: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    level_counts: tuple[int, ...] = ()
    _read: tuple[Formula, Harmonised] | None = field(default=None, compare=False)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw every coefficient with its interval, of the original and of the replica.

        Differences from the original's coefficient in its standard errors, so that all terms fit
        on one axis.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed.
        """
        drawn = new_axes(ax)
        rows = self.coefficients.dropna(subset=["original", "synthetic", "se_synthetic"])
        rows = rows[rows["se_original"] > 0]
        half = NormalDist().inv_cdf((1 + self.level) / 2)
        places = np.arange(len(rows), dtype=float)
        unit = rows["se_original"].to_numpy()
        sets = (
            ("original", np.zeros(len(rows)), np.ones(len(rows)), ORIGINAL, -0.12),
            (
                "synthetic",
                (rows["synthetic"] - rows["original"]).to_numpy() / unit,
                rows["se_synthetic"].to_numpy() / unit,
                SYNTHETIC,
                0.12,
            ),
        )
        for name, middle, errors, colour, shift in sets:
            drawn.errorbar(
                middle, places + shift, xerr=half * errors, fmt="o", color=colour, label=name
            )
        drawn.set_yticks(places, list(map(str, rows.index)))
        drawn.invert_yaxis()
        drawn.legend()
        return label_axes(
            drawn,
            x=f"difference in standard errors, {100 * self.level:g} % intervals",
            y="coefficient",
            title=self.formula,
        )

    @cached_property
    def results(self) -> dict[str, Any]:
        """The results object of statsmodels for every data set, such as ``results["original"]``.

        OLS, GLM, MNLogit or OrderedModel; aliased columns are left out. Fitted anew when first
        asked for, so that a review of many models holds no model matrix.
        """
        if self._read is None:
            return {}
        design = make_design(*self._read, ordered=self.family == "ordered")
        return {
            source: results_of(design, part, self.family)
            for part, source in enumerate(design.sources)
        }

    @property
    def residual_df(self) -> int:
        """Records of the original that were used, less its estimated coefficients."""
        return int(self.fits["n"].iloc[0] - self.fits["coefficients"].iloc[0])

    @property
    def mean_overlap(self) -> float:
        """Mean CIO over all coefficients that are compared; not truncated."""
        return self._mean("CIO")

    @property
    def mean_overlap_truncated(self) -> float:
        """Mean of the CIO truncated at 0."""
        return self._mean("CIO_truncated")

    @property
    def mean_karr(self) -> float:
        """Mean of Karr's symmetric overlap."""
        return self._mean("Karr")

    @property
    def mean_abs_std_diff(self) -> float:
        """Mean absolute standardised difference."""
        return float(self._compared["std_diff"].abs().mean())

    @property
    def _compared(self) -> pd.DataFrame:
        return self.coefficients[self.coefficients["compared"]]

    def _mean(self, column: str) -> float:
        return float(self._compared[column].mean())

    @property
    def reliable(self) -> bool:
        """Whether every fit converged, none is separated, and all coefficients were compared."""
        return not self.problems


@formerly("original synthetic formula")
@checked
def fit_overlap(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    *,
    formula: str,
    family: str = "gaussian",
    population_inference: bool = False,
    level: float = 0.95,
    proper: bool = False,
    incomplete: bool | None = None,
    missing_codes: MissingCodes | None = None,
) -> FitOverlap:
    """Fit one model to the original and to a replica, and compare the coefficients.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    formula : str
        In R's notation, such as ``"income ~ age + I(age^2) + sex*region"``. Names with other
        signs than letters, digits, points and underscores go between backticks.
    family : str
        "gaussian" (linear model), "binomial" (logit; "probit" and "cloglog" with another
        link), "poisson", "multinomial" (polytomous logit) or "ordered" (proportional odds).
    population_inference : bool
        True compares intervals for the population; False those expected of the original.
    level : float
        Confidence level, between 0 and 1.
    proper : bool
        True if the replica was made by proper synthesis (parameters drawn as well); used
        with population_inference.
    incomplete : bool, optional
        True if some of the variables, the response above all, were not synthesised. The lack
        of fit is then tested against the spread over the syntheses, and needs more of them
        than coefficients. By default False.
    missing_codes : mapping of column to code or codes, optional
        Codes that mean missing; records that have one are left out.

    Returns
    -------
    FitOverlap
        CIO and Karr are at most 1 (best), and below 0 where intervals lie apart; CIO_truncated is 0
        to 1; std_diff is synthetic less original in standard errors, 0 at best. A small p_value of
        the lack of fit says that the coefficients differ by more than synthesis explains.

    Raises
    ------
    StudyError
        If the formula, the family or the level is wrong.
    ColumnError, DataError
        If a column is absent, or does not fit its use in the model.
    NotComputable
        If a data set has too few complete records, or no coefficient can be compared.

    Notes
    -----
    Equals ``compare(lm.synds(formula, data = object), original)`` of synthpop, or
    ``glm.synds``, to rounding error. As there, intervals are ``estimate -+ z se`` with normal
    quantiles for linear models too, and by default the original's standard errors serve for
    both sides, so that ``CIO = 1 - |difference| / (2 z se)``; with population inference the
    synthetic ones are these times ``sqrt(1 + n / (k m))``, n and k being the records of both.

    Intended differences: coefficients are matched by name, where synthpop pairs them by
    position and repeats a value where one is missing. A level that only one side has is
    flagged, and the level that the others are compared with is the original's in every fit.
    Missing codes mean missing, where synthpop takes them as numbers. Ordered factors are coded
    as other factors. Whether the synthesis is incomplete is said by the caller, where synthpop
    looks at the first variable of the formula only. The lack-of-fit test inverts the whole
    covariance matrix, where synthpop's generalised inverse leaves out directions eight orders
    of magnitude smaller than the largest. Fits that do not converge or are separated are listed
    in `problems`, and coefficients without a finite estimate are left out of the means.
    Multinomial and ordered models are fitted to full convergence, where R's multinom stops
    earlier.

    References
    ----------
    Nowok, Raab and Dibben (2016), Journal of Statistical Software 74(11); Raab and Nowok (2017),
    Inference from fitted models in synthpop; Karr et al. (2006), The American Statistician 60.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [0.0, 2, 4, 6]})
    >>> replica = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [1.0, 3, 5, 7]})
    >>> result = fit_overlap(original, replica, formula="y ~ x")
    >>> table = result.coefficients[["original", "se_original", "synthetic", "std_diff"]]
    >>> table.round(6).values.tolist()  # residual variance 4 / 2, se (2 / 2) ** 0.5
    [[1.0, 1.0, 2.0, 1.0], [4.0, 1.414214, 4.0, 0.0]]
    >>> result.coefficients["CIO"].round(4).to_dict()  # 1 - 1 / (2 * 1.96)
    {'(Intercept)': 0.7449, 'x': 1.0}
    """
    _check_level(level)
    check_family(family)
    data, read = read_model(original, synthetic, formula, missing_codes)
    return harmonised_overlap(
        data,
        read,
        family=family,
        population_inference=population_inference,
        level=level,
        proper=proper,
        incomplete=bool(incomplete),
    )


def harmonised_overlap(
    data: Harmonised,
    formula: Formula,
    *,
    family: str = "gaussian",
    population_inference: bool = False,
    level: float = 0.95,
    proper: bool = False,
    incomplete: bool = False,
) -> FitOverlap:
    """Compare the fits of one formula on harmonised data; see `fit_overlap`."""
    design = make_design(formula, data, ordered=family == "ordered")
    fits = fit_design(design, family)
    if not np.nan_to_num(fits.original.standard_errors).max() > 0:
        msg = f"{formula} fits the original without error, so its intervals have no width"
        raise NotComputable(msg)
    n, k = float(data.sizes[0]), mean_size(data.sizes[1:])
    scale = Scale(n, k, design.m, level, population_inference, proper, incomplete)
    per_synthesis = each_synthesis(fits, scale)
    table = pooled(fits, per_synthesis, scale)
    if not table["compared"].any():
        msg = f"no coefficient of {formula} has a finite estimate in both original and replica"
        raise NotComputable(msg)
    test, problem = pooled_test(fits, table, per_synthesis, scale)
    problems = [*problems_of(fits, design, table), *problem]
    return FitOverlap(
        formula=str(formula),
        family=family,
        level=level,
        population_inference=population_inference,
        coefficients=table,
        per_synthesis=per_synthesis,
        lack_of_fit=test,
        lack_of_fit_per_synthesis=each_test(fits, per_synthesis, scale),
        fits=fits_table(fits, design),
        adjusted_r2=explained_by(fits.original),
        r2_kind=R2_KINDS.get(family, MCFADDEN),
        problems=tuple(problems),
        fixes=tuple(str(fix) for fix in data.fixes),
        level_counts=design.level_counts,
        _read=(formula, data),
    )


def mean_size(sizes: Sequence[int]) -> float:
    """Records of a synthesis; where they differ, the number that gives the mean its variance."""
    if len(set(sizes)) == 1:
        return float(sizes[0])
    return len(sizes) / sum(1 / size for size in sizes)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        msg = f"level: expected a share between 0 and 1, such as 0.95, but got {level}."
        raise StudyError(msg)
