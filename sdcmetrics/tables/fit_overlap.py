"""Specific utility from two frames: the same model fitted to both, coefficient by coefficient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.metrics.specific_utility import overlap as ov
from sdcmetrics.metrics.specific_utility.explained import explained_by
from sdcmetrics.metrics.specific_utility.overlap import LackOfFit
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise
from sdcmetrics.models.design import Design, make_design
from sdcmetrics.models.fitting import (
    R2_KINDS,
    Fits,
    check_family,
    fit_design,
    match,
)
from sdcmetrics.models.formula import Formula, read_formula
from sdcmetrics.models.model import Model
from sdcmetrics.tables.inputs import Frame, Replica, list_syntheses

__all__ = ["FitOverlap", "fit_overlap", "harmonised_overlap", "read_model"]

Floats = npt.NDArray[np.float64]

MCFADDEN = "McFadden's adjusted pseudo-R2"


@dataclass(frozen=True)
class FitOverlap:
    """What one model says of the original and of a replica.

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
    """

    formula: str
    family: str
    level: float
    population_inference: bool
    coefficients: pd.DataFrame = field(repr=False)
    per_synthesis: pd.DataFrame = field(repr=False)
    lack_of_fit: LackOfFit | None
    lack_of_fit_per_synthesis: pd.DataFrame = field(repr=False)
    fits: pd.DataFrame = field(repr=False)
    adjusted_r2: float
    r2_kind: str
    problems: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()

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


def fit_overlap(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    formula: str,
    *,
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
    Equals ``compare(lm.synds(formula, data = object), original)`` of synthpop 1.9-2, or
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
    >>> result = fit_overlap(original, replica, "y ~ x")
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


def read_model(
    original: Frame, synthetic: Replica, formula: str, missing_codes: MissingCodes | None = None
) -> tuple[Harmonised, Formula]:
    """Read a formula and harmonise the columns that it uses."""
    one = as_microdata(original, "original")
    many = list_syntheses(synthetic, "synthetic", None)
    read = read_formula(formula, _common(one, many))
    given = {k: v for k, v in (missing_codes or {}).items() if k in read.columns}
    for name in missing_codes or {}:
        if name not in one.columns:
            given[name] = (missing_codes or {})[name]  # refused by harmonise, with a hint
    return harmonise(one, many, variables=read.columns, missing_codes=given), read


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
    n, k = float(data.sizes[0]), _harmonic_mean(data.sizes[1:])
    scale = _Scale(n, k, design.m, level, population_inference, proper, incomplete)
    per_synthesis = _per_synthesis(fits, scale)
    table = _pooled(fits, per_synthesis, scale)
    if not table["compared"].any():
        msg = f"no coefficient of {formula} has a finite estimate in both original and replica"
        raise NotComputable(msg)
    test, problem = _test(fits, table, per_synthesis, scale)
    problems = [*_problems(fits, design, table), *problem]
    return FitOverlap(
        formula=str(formula),
        family=family,
        level=level,
        population_inference=population_inference,
        coefficients=table,
        per_synthesis=per_synthesis,
        lack_of_fit=test,
        lack_of_fit_per_synthesis=_tests(fits, per_synthesis, scale),
        fits=_fits(fits, design),
        adjusted_r2=explained_by(fits.original),
        r2_kind=R2_KINDS.get(family, MCFADDEN),
        problems=tuple(problems),
        fixes=tuple(str(fix) for fix in data.fixes),
    )


@dataclass(frozen=True)
class _Scale:
    """How uncertain synthetic estimates are beside the original's."""

    n: float
    k: float
    m: int
    level: float
    population_inference: bool
    proper: bool
    incomplete: bool

    def standard_errors(self, se_original: Floats, between: Floats, m: int) -> Floats:
        """Synthetic standard errors; `between` is the variance over the syntheses."""
        if not self.population_inference:
            return se_original
        if self.incomplete:
            out: Floats = np.sqrt(between / m + se_original**2)
            return out
        if self.proper:
            return se_original * math.sqrt(1 + (self.n / self.k + 1) / m)
        return se_original * math.sqrt(1 + self.n / (self.k * m))


def _per_synthesis(fits: Fits, scale: _Scale) -> pd.DataFrame:
    frames = []
    original = fits.original
    for model in fits.synthetic:
        reasons = match(original, model)
        compared = np.array([not reason for reason in reasons])
        estimate = np.where(compared, model.coefficients, np.nan)
        se_fit = np.where(compared, model.standard_errors, np.nan)
        se = scale.standard_errors(original.standard_errors, np.full(len(estimate), np.nan), 1)
        overlap = ov.interval_overlap(
            original.coefficients, estimate, original.standard_errors, se, level=scale.level
        )
        karr = ov.karr_overlap(
            original.coefficients, estimate, original.standard_errors, se_fit, level=scale.level
        )
        columns = {
            "synthetic": estimate,
            "se_fit": se_fit,
            "std_diff": ov.standardised_difference(
                original.coefficients, estimate, original.standard_errors
            ),
            "CIO": overlap,
            "CIO_truncated": ov.truncated(overlap),
            "Karr": karr,
            "flag": [reason or _separation(j, original, model) for j, reason in enumerate(reasons)],
        }
        frames.append(pd.DataFrame(columns, index=pd.Index(fits.names, name="term")))
    keys = pd.RangeIndex(1, len(frames) + 1, name="synthesis")
    return pd.concat(frames, keys=keys)


def _separation(j: int, original: Model, synthetic: Model) -> str:
    where = [
        name
        for name, model in (("original", original), ("synthetic", synthetic))
        if j in model.separated
    ]
    return f"no finite estimate in the {' and '.join(where)} data" if where else ""


def _wide(per_synthesis: pd.DataFrame, column: str, fits: Fits) -> Floats:
    out: Floats = per_synthesis[column].to_numpy(np.float64).reshape(-1, len(fits.names))
    return out


def _pooled(fits: Fits, per_synthesis: pd.DataFrame, scale: _Scale) -> pd.DataFrame:
    original = fits.original
    estimates = _wide(per_synthesis, "synthetic", fits)
    present = ~np.isnan(estimates)
    many = present.sum(axis=0)
    mean = _mean(estimates, present)
    spread = np.where(present, estimates - mean, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (spread**2).sum(axis=0) / (many - 1)
    se = scale.standard_errors(original.standard_errors, between, scale.m)
    overlap = ov.interval_overlap(
        original.coefficients, mean, original.standard_errors, se, level=scale.level
    )
    se_fit = _wide(per_synthesis, "se_fit", fits)
    karr = _wide(per_synthesis, "Karr", fits)
    flags = per_synthesis["flag"].to_numpy().reshape(-1, len(fits.names))
    return pd.DataFrame(
        {
            "original": original.coefficients,
            "se_original": original.standard_errors,
            "synthetic": mean,
            "se_synthetic": np.where(many > 0, se, np.nan),
            "se_fit": np.sqrt(_mean(se_fit**2, present)),
            "std_diff": ov.standardised_difference(
                original.coefficients, mean, original.standard_errors
            ),
            "CIO": overlap,
            "CIO_truncated": ov.truncated(overlap),
            "Karr": _mean(karr, ~np.isnan(karr)),
            "compared": ~np.isnan(overlap) & ~_separated(fits),
            "flag": [_join_flags(flags[:, j].tolist()) for j in range(len(fits.names))],
        },
        index=pd.Index(fits.names, name="term"),
    )


def _separated(fits: Fits) -> npt.NDArray[np.bool_]:
    """Coefficients without a finite estimate in any of the fits."""
    out = np.zeros(len(fits.names), dtype=np.bool_)
    for model in (fits.original, *fits.synthetic):
        out[list(model.separated)] = True
    return out


def _mean(values: Floats, present: npt.NDArray[np.bool_]) -> Floats:
    with np.errstate(invalid="ignore"):
        out: Floats = np.where(present, values, 0.0).sum(axis=0) / present.sum(axis=0)
    return out


def _join_flags(flags: Sequence[str]) -> str:
    found = {flag: [i for i, f in enumerate(flags, start=1) if f == flag] for flag in flags if flag}
    if len(flags) == 1:
        return "".join(found)
    return "; ".join(
        flag if len(where) == len(flags) else f"{flag} (synthesis {', '.join(map(str, where))})"
        for flag, where in found.items()
    )


def _test(
    fits: Fits, table: pd.DataFrame, per_synthesis: pd.DataFrame, scale: _Scale
) -> tuple[LackOfFit | None, list[str]]:
    used = table["compared"].to_numpy()
    difference = (table["synthetic"] - table["original"]).to_numpy()[used]
    if not scale.incomplete:
        covariance = fits.original.covariance[np.ix_(used, used)] * scale.n / (scale.k * scale.m)
        return ov.lack_of_fit(difference, covariance), []
    estimates = _wide(per_synthesis, "synthetic", fits)[:, used]
    if scale.m <= int(used.sum()):
        what = (
            f"no lack-of-fit test: for incomplete synthesis it needs more than {int(used.sum())} "
            f"syntheses, one more than there are coefficients, but there are {scale.m}"
        )
        return None, [what]
    if np.isnan(estimates).any():
        return None, ["no lack-of-fit test: a coefficient is missing from some of the syntheses"]
    original = fits.original.coefficients[used]
    return ov.lack_of_fit_incomplete(estimates - original), []


def _tests(fits: Fits, per_synthesis: pd.DataFrame, scale: _Scale) -> pd.DataFrame:
    rows = []
    estimates = _wide(per_synthesis, "synthetic", fits)
    for estimate in estimates:
        used = ~np.isnan(estimate) & ~np.isnan(fits.original.coefficients)
        covariance = fits.original.covariance[np.ix_(used, used)] * scale.n / scale.k
        test = ov.lack_of_fit((estimate - fits.original.coefficients)[used], covariance)
        rows.append((test.statistic, test.df, test.p_value, test.ratio))
    index = pd.RangeIndex(1, len(rows) + 1, name="synthesis")
    return pd.DataFrame(rows, columns=["statistic", "df", "p_value", "ratio"], index=index)


def _fits(fits: Fits, design: Design) -> pd.DataFrame:
    rows = []
    for part, model in enumerate((fits.original, *fits.synthetic)):
        rows.append(
            {
                "n": model.n,
                "dropped": design.dropped[part],
                "coefficients": model.rank,
                "adjusted_r2": explained_by(model),
                "converged": model.converged,
                "iterations": model.iterations,
                "separated": tuple(fits.names[j] for j in model.separated),
                "aliased": tuple(fits.names[j] for j in model.confounded or {}),
            }
        )
    return pd.DataFrame(rows, index=pd.Index(design.sources, name="data"))


def _problems(fits: Fits, design: Design, table: pd.DataFrame) -> list[str]:
    out = []
    for source, model in zip(design.sources, (fits.original, *fits.synthetic), strict=True):
        if not model.converged:
            out.append(f"{source}: the fit did not converge in {model.iterations} iterations")
        if model.separated:
            names = ", ".join(fits.names[j] for j in model.separated)
            out.append(
                f"{source}: the predictors separate the response, so there is no finite estimate "
                f"of {names}; what is shown there depends on where the fit stopped"
            )
    missing = [str(name) for name in table.index[~table["compared"]]]
    if missing:
        out.append(
            f"{len(missing)} of {len(table)} coefficients are not compared and left out of the "
            f"means: {', '.join(missing)}"
        )
    return out


def _common(original: Microdata, syntheses: Sequence[Microdata]) -> list[str]:
    return [name for name in original.columns if all(name in s.columns for s in syntheses)]


def _harmonic_mean(sizes: Sequence[int]) -> float:
    """Records of a synthesis; where they differ, the number that gives the mean its variance."""
    if len(set(sizes)) == 1:
        return float(sizes[0])
    return len(sizes) / sum(1 / size for size in sizes)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        msg = f"level: expected a share between 0 and 1, such as 0.95, but got {level}."
        raise StudyError(msg)
