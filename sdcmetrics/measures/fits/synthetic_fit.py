"""Inference of a replica's user: one model, fitted to the syntheses and combined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.expressions.tree import columns_of
from sdcmetrics.measures.fits.coefficients import (
    Scale,
    fits_table,
    join_flags,
    problems_of_fits,
)
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.fit_overlap import mean_size
from sdcmetrics.measures.fits.fitting import Fits, check_family, fit_design
from sdcmetrics.measures.fits.harmonised import harmonise_model
from sdcmetrics.measures.pair import Replica, list_syntheses
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import tell_apart
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable, formerly

F = TypeVar("F", bound=Callable[..., Any])

_FEW = 5
"""Syntheses below which the spread over them says little of its expectation; as in synthpop."""


@dataclass(frozen=True)
class SyntheticFit(
    Readable,
    shows=("formula", "family", "n_original", "population_inference", "problems", "fixes"),
    table="coefficients",
):
    """One model fitted to a replica, without the original.

    Attributes
    ----------
    formula, family : str
        The model, with every term written out.
    n_original : int
        Records of the original that the standard errors speak of.
    population_inference : bool
        Whether they are those of estimates of the population, and not of the original's.
    incomplete : bool
        Whether they rest on the spread over the syntheses.
    coefficients : DataFrame
        Index term. Columns estimate (mean over the syntheses that have it), se, z, p_value,
        syntheses (that have it), flag (why a value is missing or cannot be relied on, else
        empty).
    per_synthesis : DataFrame
        Index synthesis and term; columns estimate, se, z, p_value, flag of each fit by itself.
    fits : DataFrame
        Index data set; columns as in `FitOverlap`.
    problems : tuple of str
        What makes a number here less than it seems; empty if nothing does.
    fixes : tuple of str
        Changes made to the inputs.
    """

    formula: str
    family: str
    n_original: int
    population_inference: bool
    incomplete: bool
    coefficients: pd.DataFrame
    per_synthesis: pd.DataFrame
    fits: pd.DataFrame
    problems: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


@formerly("formula synthetic", "synthetic formula")
@checked
def synthetic_fit(  # noqa: PLR0913  (synthpop's own options)
    synthetic: Replica,
    *,
    formula: str,
    n_original: int | None = None,
    family: str = "gaussian",
    population_inference: bool = False,
    proper: bool = False,
    incomplete: bool | None = None,
    not_synthesised: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
) -> SyntheticFit:
    """Fit one model to a replica, and infer from it as its user would, without the original.

    Parameters
    ----------
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    formula, family : see `fit_overlap`
    n_original : int, optional
        Records of the original; by default as many as a synthesis has.
    population_inference : bool
        False gives the estimates and standard errors that are expected of the original. True
        gives standard errors for the population, which are larger: the synthesis adds to them.
    proper : bool
        True if the replica was made by proper synthesis (parameters drawn as well).
    incomplete : bool, optional
        True if the response was not synthesised: standard errors for the population then rest on
        the spread over the syntheses. By default whether the response is `not_synthesised`.
    not_synthesised : names of columns, optional
        Columns that are the original's own.
    missing_codes : mapping of column to code or codes, optional
        Codes that mean missing; records that have one are left out.

    Returns
    -------
    SyntheticFit
        Estimates are those of the linear predictor (logits of "binomial"). p_value is 0 to 1, for a
        coefficient of 0. Nothing here is of the original's records.

    Raises
    ------
    StudyError
        If the formula, the family or `n_original` is wrong.
    ColumnError, DataError
        If a column is absent, or does not fit its use in the model.
    NotComputable
        If a synthesis has too few complete records.

    Notes
    -----
    Equals ``summary()`` of synthpop's ``lm.synds``, ``glm.synds``, ``polr.synds`` and
    ``multinom.synds`` (1.9-2 and 1.9-3) to rounding error, or to where R's search stops. With
    n records of the original, k of each of m syntheses, and v the mean of the squared standard
    errors of the m fits, the squared standard error is ``v k / n``; for the population times
    ``1 + n / (k m)``, with proper synthesis ``1 + (n / k + 1) / m``; with an incomplete one
    ``v k / n + b / m``, b being the variance of the m estimates. z and p are those of a normal
    distribution, for linear models too. All of this holds where the model of the synthesis is
    right, which only `fit_overlap` can tell.

    Intended differences: the base level of a category is the same in every synthesis, where R
    takes the first that each one has, and coefficients without a finite estimate are flagged.

    References
    ----------
    Raab, Nowok and Dibben (2017), Practical data synthesis for large samples, Journal of Privacy
    and Confidentiality 7(3); Reiter (2003), Survey Methodology 29.

    Examples
    --------
    >>> import pandas as pd
    >>> replica = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [0.0, 2, 4, 6]})
    >>> fit = synthetic_fit(replica, formula="y ~ x", n_original=16)  # se (2 / 2) ** 0.5, halved
    >>> fit.coefficients[["estimate", "se"]].round(6).values.tolist()
    [[1.0, 0.5], [4.0, 0.707107]]
    >>> wide = synthetic_fit(replica, formula="y ~ x", n_original=16, population_inference=True)
    >>> (wide.coefficients["se"] / fit.coefficients["se"]).round(6).tolist()  # (1 + 16/4) ** 0.5
    [2.236068, 2.236068]
    """
    check_family(family)
    if n_original is not None and n_original < 1:
        msg = f"n_original: expected the number of records of the original but got {n_original}."
        raise StudyError(msg)
    syntheses = list_syntheses(synthetic, None)
    syntheses = tell_apart(syntheses, [f"synthetic {i}" for i in range(1, len(syntheses) + 1)])
    aside = [not_synthesised] if isinstance(not_synthesised, str) else list(not_synthesised or ())
    check_names(aside, syntheses[0], "not_synthesised")
    data, read = harmonise_model(syntheses[0], syntheses[1:], formula, missing_codes)
    if incomplete is None:
        incomplete = any(name in aside for name in columns_of(read.response))
    design = make_design(read, data, ordered=family == "ordered")
    fits = fit_design(design, family)
    m, k = len(syntheses), mean_size(data.sizes)
    n = float(n_original or k)
    scale = Scale(n, k, m, 0.95, population_inference, proper, incomplete and m > 1)
    each = _each(fits)
    of_term = each.groupby(level="term", sort=False)
    variance = (each["se"] ** 2).groupby(level="term", sort=False).mean().to_numpy(np.float64)
    between = np.asarray(of_term["estimate"].var(), np.float64)
    expected: Floats = np.sqrt(variance * k / n)
    se = scale.standard_errors(expected, between, m)
    table = _tested(of_term["estimate"].mean(), se)
    table["syntheses"] = of_term["estimate"].count()
    table["flag"] = of_term["flag"].agg(lambda flags: join_flags(flags.tolist()))
    problems = [
        *problems_of_fits(fits, design),
        *_of_synthesis(read.columns, aside, m, rests_on_spread=incomplete and population_inference),
    ]
    return SyntheticFit(
        formula=str(read),
        family=family,
        n_original=int(n),
        population_inference=population_inference,
        incomplete=incomplete,
        coefficients=table,
        per_synthesis=each,
        fits=fits_table(fits, design),
        problems=tuple(problems),
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def _each(fits: Fits) -> pd.DataFrame:
    frames = {}
    for number, model in enumerate((fits.original, *fits.synthetic), start=1):
        index = pd.Index(fits.names, name="term")
        frame = _tested(pd.Series(model.coefficients, index), model.standard_errors)
        frame["flag"] = ""
        frame.iloc[list(model.confounded or {}), -1] = "not there, or aliased"
        frame.iloc[list(model.separated), -1] = "no finite estimate"
        frames[number] = frame
    return pd.concat(frames, names=["synthesis"])


def _tested(estimate: pd.Series[float], se: Floats) -> pd.DataFrame:
    """Return estimates with standard errors, z and the p-value that they are 0."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate.to_numpy() / se
    columns = {"estimate": estimate, "se": se, "z": z, "p_value": 2 * ndtr(-np.abs(z))}
    return pd.DataFrame(columns, index=estimate.index)


def _of_synthesis(
    columns: Sequence[str], aside: Sequence[str], m: int, *, rests_on_spread: bool
) -> Iterator[str]:
    """Return in words how the way of synthesis enters the standard errors."""
    not_synthesised = [name for name in columns if name in aside]
    if not_synthesised and m == 1:
        yield (
            f"{', '.join(not_synthesised)} not synthesised, and there is one synthesis: results "
            "may be wrong, "
            "as what was not synthesised may not have been used to synthesise the rest"
        )
    if rests_on_spread and m == 1:
        yield (
            "population inference from an incomplete synthesis needs more than one synthesis; the "
            "standard errors are those of a complete one, and larger than they should be"
        )
    elif rests_on_spread and m < _FEW:
        yield (
            f"population inference from an incomplete synthesis rests on the spread over {m} "
            f"syntheses; with fewer than {_FEW} the standard errors may be far off"
        )
