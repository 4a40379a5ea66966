"""Coefficients of the original beside those of every synthesis and of their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.fits import overlap as ov
from sdcmetrics.measures.fits.design import Design
from sdcmetrics.measures.fits.fitting import Fits, match
from sdcmetrics.measures.fits.model import Model
from sdcmetrics.measures.fits.overlap import LackOfFit
from sdcmetrics.microdata.arrays import Floats


def adjusted_r2(r2: float, n: int, coefficients: int, *, intercept: bool = True) -> float:
    """Share of the variance that a linear model explains, adjusted for its size.

    ``1 - (1 - R2) (n - 1) / (n - p)`` for p coefficients, the intercept among them; n in place
    of n - 1 without an intercept. At most 1; below 0 where chance would explain more.

    Examples
    --------
    >>> adjusted_r2(0.5, 11, 6)
    0.0
    """
    freedom = n - coefficients
    return 1 - (1 - r2) * (n - intercept) / freedom if freedom > 0 else math.nan


def mcfadden_adjusted(log_likelihood: float, null: float, slopes: int) -> float:
    """McFadden's pseudo-R2 of a model without variance, adjusted for the number of slopes.

    ``1 - (ln L - k) / ln L0``, L0 being the likelihood of an intercept only. At most 1; 0.2 to
    0.4 is already a very good fit.

    References
    ----------
    McFadden (1974), Conditional logit analysis of qualitative choice behavior.

    Examples
    --------
    >>> mcfadden_adjusted(-73.0, -100.0, 2)
    0.25
    """
    return 1 - (log_likelihood - slopes) / null if null < 0 else math.nan


def weights_of(explained: Floats) -> Floats:
    """Weights of models by their adjusted R2: shares of the sum, 0 where not positive.

    Examples
    --------
    >>> weights_of(np.array([0.6, 0.2, -0.1])).round(2).tolist()
    [0.75, 0.25, 0.0]
    """
    positive = np.fmax(explained, 0.0)  # 0 of a missing one, too
    total = positive.sum()
    out: Floats = positive / total if total > 0 else positive
    return out


def explained_by(model: Model) -> float:
    """Adjusted R2 of a linear model, McFadden's adjusted pseudo-R2 of any other."""
    if model.linear:
        intercept = model.rank > model.slopes
        return adjusted_r2(model.r2, model.n, model.rank, intercept=intercept)
    return mcfadden_adjusted(model.log_likelihood, model.null_log_likelihood, model.slopes)


@dataclass(frozen=True)
class Scale:
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


def _columns(original: Model, estimate: Floats, se: Floats, scale: Scale) -> dict[str, Floats]:
    """Set estimates beside the original's."""
    pair = (original.coefficients, estimate, original.standard_errors)
    overlap = ov.interval_overlap(*pair, se, level=scale.level)
    return {
        "std_diff": ov.standardised_difference(*pair),
        "CIO": overlap,
        "CIO_truncated": ov.truncated(overlap),
    }


def each_synthesis(fits: Fits, scale: Scale) -> pd.DataFrame:
    """Compare every synthesis with the original, coefficient by coefficient."""
    frames = {}
    original = fits.original
    for number, model in enumerate(fits.synthetic, start=1):
        reasons = match(original, model)
        compared = np.array([not reason for reason in reasons])
        estimate = np.where(compared, model.coefficients, np.nan)
        se_fit = np.where(compared, model.standard_errors, np.nan)
        se = scale.standard_errors(original.standard_errors, np.full(len(estimate), np.nan), 1)
        pair = (original.coefficients, estimate, original.standard_errors)
        karr = ov.interval_overlap(*pair, se_fit, level=scale.level)
        columns = {
            "synthetic": estimate,
            "se_fit": se_fit,
            **_columns(original, estimate, se, scale),
            "Karr": np.where(np.isfinite(karr), karr, np.nan),
            "flag": [reason or _separation(j, original, model) for j, reason in enumerate(reasons)],
        }
        frames[number] = pd.DataFrame(columns, index=pd.Index(fits.names, name="term"))
    return pd.concat(frames, names=["synthesis"])


def _separation(j: int, original: Model, synthetic: Model) -> str:
    models = {"original": original, "synthetic": synthetic}
    where = [name for name, model in models.items() if j in model.separated]
    return f"no finite estimate in the {' and '.join(where)} data" if where else ""


def _wide(per_synthesis: pd.DataFrame, column: str, fits: Fits) -> Floats:
    out: Floats = per_synthesis[column].to_numpy(np.float64).reshape(-1, len(fits.names))
    return out


def pooled(fits: Fits, per_synthesis: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Compare the mean over the syntheses with the original."""
    original = fits.original
    estimates = _wide(per_synthesis, "synthetic", fits)
    present = ~np.isnan(estimates)
    number = present.sum(axis=0)
    mean = _mean(estimates, present)
    spread = np.where(present, estimates - mean, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (spread**2).sum(axis=0) / (number - 1)
    se = scale.standard_errors(original.standard_errors, between, scale.m)
    columns = _columns(original, mean, se, scale)
    se_fit = _wide(per_synthesis, "se_fit", fits)
    karr = _wide(per_synthesis, "Karr", fits)
    flags = per_synthesis["flag"].to_numpy().reshape(-1, len(fits.names))
    return pd.DataFrame(
        {
            "original": original.coefficients,
            "se_original": original.standard_errors,
            "synthetic": mean,
            "se_synthetic": np.where(number > 0, se, np.nan),
            "se_fit": np.sqrt(_mean(se_fit**2, present)),
            **columns,
            "Karr": _mean(karr, ~np.isnan(karr)),
            "compared": ~np.isnan(columns["CIO"]) & ~_separated(fits),
            "flag": [join_flags(flags[:, j].tolist()) for j in range(len(fits.names))],
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


def join_flags(flags: Sequence[str]) -> str:
    """Return the flags of a coefficient in every synthesis as one text."""
    places = {
        flag: [i for i, f in enumerate(flags, start=1) if f == flag] for flag in flags if flag
    }
    if len(flags) == 1:
        return "".join(places)
    return "; ".join(
        flag if len(where) == len(flags) else f"{flag} (synthesis {', '.join(map(str, where))})"
        for flag, where in places.items()
    )


def pooled_test(
    fits: Fits, table: pd.DataFrame, per_synthesis: pd.DataFrame, scale: Scale
) -> tuple[LackOfFit | None, list[str]]:
    """Test the lack of fit of the mean over the syntheses; or say why there is no test."""
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


def each_test(fits: Fits, per_synthesis: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Test the lack of fit of every synthesis."""
    rows = []
    estimates = _wide(per_synthesis, "synthetic", fits)
    for estimate in estimates:
        used = ~np.isnan(estimate) & ~np.isnan(fits.original.coefficients)
        covariance = fits.original.covariance[np.ix_(used, used)] * scale.n / scale.k
        test = ov.lack_of_fit((estimate - fits.original.coefficients)[used], covariance)
        rows.append((test.statistic, test.df, test.p_value, test.ratio))
    index = pd.RangeIndex(1, len(rows) + 1, name="synthesis")
    return pd.DataFrame(rows, columns=["statistic", "df", "p_value", "ratio"], index=index)


def fits_table(fits: Fits, design: Design) -> pd.DataFrame:
    """Describe every fit: records, convergence, separation, aliasing."""
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


def problems_of_fits(fits: Fits, design: Design) -> list[str]:
    """Return which fits are unreliable, in words."""
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
    return out


def problems_of(fits: Fits, design: Design, table: pd.DataFrame) -> list[str]:
    """Return the problems of a comparison, in words."""
    out = problems_of_fits(fits, design)
    for source, model in zip(design.sources, (fits.original, *fits.synthetic), strict=True):
        if not np.nan_to_num(model.standard_errors).max() > 0:
            out.append(f"{source}: the model fits without error, so Karr's overlap has no value")
    missing = [str(name) for name in table.index[~table["compared"]]]
    if missing:
        out.append(
            f"{len(missing)} of {len(table)} coefficients are not compared and left out of the "
            f"means: {', '.join(missing)}"
        )
    return out
