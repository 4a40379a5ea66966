"""General utility by fitted propensity models, from two frames: utility_gen."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.propensity.cart import TreeRules
from sdcmetrics.measures.propensity.fitter import Fitter, Model, fitter, prepare_pair
from sdcmetrics.measures.propensity.models import Outcome
from sdcmetrics.measures.propensity.predictors import Prepared
from sdcmetrics.measures.propensity.statistics import expected_p_mse, s_p_mse, statistics
from sdcmetrics.measures.survey.households import HouseholdColumn, Households, set_aside, two_sides
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS, Seed, checked
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.microdata.threads import one_thread
from sdcmetrics.results import Readable

Resampling = Literal["perm", "pairs", "none"]
Random = np.random.Generator | Seed | None

_STANDARDISED = {"pMSE": "S_pMSE", "SPECKS": "S_SPECKS", "PO50": "S_PO50", "U": "S_U"}
_LAST_SEED = 2**63


@dataclass(frozen=True)
class UtilityGen(
    Readable,
    shows=("method", "p_mse", "s_p_mse", "resampling", "notes", "fixes"),
    table="per_synthesis",
):
    """How well a fitted model tells a replica from the original.

    Attributes
    ----------
    method : str
        "logit" or "cart".
    per_synthesis : DataFrame
        Index synthesis; columns pMSE, S_pMSE, SPECKS, PO50 (score cut at 1/2), PO50_c (cut at
        the share of synthetic records), U, df, parameters (coefficients or leaves), converged,
        separated (records whose score goes to 0 or 1), aliased (columns that depend on earlier
        ones). With resampling also S_SPECKS, S_PO50 and S_U.
    mean : Series
        Mean of the numbers over the syntheses.
    by_variable : DataFrame
        What tells the data sets apart, largest first, mean over syntheses. Logit: the part of
        pMSE that is lost without all terms of the variable (`pMSE_lost`, by the linear
        probability model), their number, and the part over its expectation (`S_lost`, about 1
        for draws from the original and 1 + n_s/n_d for fresh data). Cart: the decrease of Gini's
        index by splits on the variable, and its share of all.
    terms : DataFrame
        Logit: the terms with the largest z values; `z_linear`, from the linear probability
        model, stays finite where the logistic fit separates.
        Cart: the splits of the tree. Both hold labels and cuts, so they are for internal use.
    resampling : str
        How S_pMSE was standardised: "analytic", "perm", "pairs" or "none".
    null : DataFrame
        The resampled pMSE, SPECKS, PO50 and U; empty if there was no resampling.
    seed : int or None
        Seed of the permutations; None if there were none or a generator was given.
    notes : tuple of str
        What limits the numbers: separation, no convergence, a tree without splits.
    fixes : tuple of str
        Changes made to the inputs.
    """

    method: str
    per_synthesis: pd.DataFrame
    mean: pd.Series[float]
    by_variable: pd.DataFrame
    terms: pd.DataFrame
    resampling: str
    null: pd.DataFrame
    seed: int | None
    notes: tuple[str, ...]
    fixes: tuple[str, ...]

    @property
    def p_mse(self) -> float:
        """Mean pMSE over the syntheses."""
        return float(self.mean["pMSE"])

    @property
    def s_p_mse(self) -> float:
        """Mean standardised pMSE over the syntheses."""
        return float(self.mean["S_pMSE"])


@checked
def utility_gen(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    *,
    method: Literal["logit", "cart"] = "cart",
    maxorder: int = 1,
    variables: Sequence[str] | None = None,
    ngroups: int | None = None,
    missing_codes: MissingCodes | None = None,
    k_syn: bool = False,
    nperms: int = 50,
    resampling: Resampling | None = None,
    cp: float = 1e-3,
    minbucket: int = 5,
    max_params: int | None = None,
    household: HouseholdColumn | Sequence[HouseholdColumn] = None,
    seed: Random = None,
) -> UtilityGen:
    """Fit a model that tells synthetic from original records, and measure how well it does.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    method : "logit" or "cart"
        Logistic regression, or a classification tree.
    maxorder : int
        Logit: order of interactions, 0 for main effects, 1 for all pairs, ...
    variables : names, optional
        By default every column that all data sets have.
    ngroups : int, optional
        Group numbers into this many levels, as `utility_tab` does.
    missing_codes : mapping of column to code or codes, optional
        Codes such as -8; each has an indicator, and is 0 as a number.
    k_syn : bool
        True if the number of synthetic records was drawn too: scores are compared with 1/2, and
        nothing is taken off df.
    nperms : int
        Permutations of the labels, where S_pMSE is standardised by them.
    resampling : "perm", "pairs" or "none", optional
        By default logit uses the analytic expectation and cart permutations; "pairs" compares
        m > 1 syntheses with each other; "none" leaves S_pMSE out.
    cp, minbucket : float, int
        Cart: a split must pay `cp` of the misclassified records; fewest records of a leaf.
    max_params : int, optional
        Logit: refuse models with more parameters (synthpop: 400). By default there is no limit
        but memory; the size of a huge model is logged before it is fitted.
    household : name of a column, or Households of each synthesis, optional
        Who lives together, in original and syntheses: the labels of whole households are
        permuted. Of the analytic expectation and of pairs it changes nothing.
    seed : int or numpy Generator, optional
        Seed of the permutations; by default a fresh one, which the result records.

    Returns
    -------
    UtilityGen
        Lower is better. pMSE is 0 to c (1 - c), c the share of synthetic records; SPECKS is 0 to 1;
        PO50 and PO50_c are percentage points, up to 50. S_pMSE is 0 and more: fresh data have about
        1 + n_s/n_d by the analytic expectation, and 2 by resampling.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    StudyError
        If an option is wrong, or the model has more than `max_params` parameters.
    NotComputable
        If no column has more than one value, or the model does not fit in memory.

    Notes
    -----
    Equals ``synthpop::utility.gen(object, data, method=)``: logit to 1e-8 (1e-13 seen),
    cart to 1e-10; permutations are random in both. A tree may differ from rpart's in a node
    that is split only by looking more than one split ahead: none seen at the default
    `minbucket`, one in some hundred random trees at 1. A permutation that leaves no tree a split
    gives 0. Intended differences:

    * A fit that diverges in synthpop (B4: pMSE of exactly 0.25, coefficients of 1e16) is solved
      stably here; separated records are counted and noted.
    * Missing values on one side only (B6) get their indicator or level, as those on both sides
      do; synthpop drops the records and misaligns their scores. So for booleans and dates.
    * Columns with one value are left out, whatever is printed (B12).
    * With `ngroups` every column has its own missing codes (B15), and quantiles that leave one
      group are replaced by groups of equal width, where synthpop stops.
    * PO50 cuts scores at 1/2 as synthpop does; PO50_c at c, which means the same for data sets
      of unequal size.
    * S_PO50 is standardised by PO50, where synthpop takes SPECKS (B5).

    With resampling a statistic is divided by half the mean of the resampled ones, as in
    synthpop. For data sets of unequal size that differs from the analytic expectation of pMSE
    by the factor 2 (1 - c).

    References
    ----------
    Snoke, J., Raab, G. M., Nowok, B., Dibben, C. and Slavkovic, A. (2018). General and specific
    utility measures for synthetic data. JRSS A 181(3).

    Examples
    --------
    A score of 45/100 for a and of 55/100 for b: pMSE is 0.05**2, expected 1/8/200.

    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": ["a"] * 55 + ["b"] * 45})
    >>> replica = pd.DataFrame({"x": ["a"] * 45 + ["b"] * 55})
    >>> result = utility_gen(original, replica, method="logit", maxorder=0)
    >>> result.mean[["pMSE", "S_pMSE", "df"]].round(4).to_dict()
    {'pMSE': 0.0025, 'S_pMSE': 4.0, 'df': 1.0}
    """
    how = _resampling(method, resampling, nperms)
    original, synthetic, households = _with_households(
        household, variables, original, synthetic, how
    )
    data, prepared, more = prepare_pair(original, synthetic, variables, missing_codes, ngroups)
    m = len(data.sizes) - 1
    if how == "pairs" and m < 2:  # noqa: PLR2004
        msg = "resampling='pairs' compares syntheses with each other, but there is only one."
        raise StudyError(msg)
    model = fitter(method, maxorder, max_params, TreeRules(cp, minbucket), k_syn=k_syn)
    fixes = [*data.fixes, *more]
    outcomes = []
    fitted = [model(prepared, i, 0) for i in range(1, m + 1)]
    for i, fitted_model in enumerate(fitted, start=1):
        what = "one value only, so it tells nothing apart"
        fixes.extend(Fix(data.sources[i], name, what) for name in fitted_model.stacked.constant)
        outcomes.append(fitted_model.observed())
    used, generator = _generator(seed)
    nulls = _nulls(how, model, prepared, fitted, nperms, generator, households)
    table = _table(outcomes, nulls, how)
    numbers = table.astype({"converged": float})
    notes = [f"synthesis {i}: {note}" for i, o in enumerate(outcomes, 1) for note in o.notes]
    return UtilityGen(
        method=method,
        per_synthesis=table,
        mean=numbers.mean(),
        by_variable=_by_variable(method, fitted),
        terms=pd.concat(
            {i: model.terms() for i, model in enumerate(fitted, start=1)},
            names=["synthesis", "rank"],
        ),
        resampling=how,
        null=_null_frame(nulls, how),
        seed=used if how == "perm" else None,
        notes=tuple(notes),
        fixes=tuple(dict.fromkeys(str(fix) for fix in fixes)),
    )


def _resampling(method: str, resampling: str | None, nperms: int) -> str:
    how = resampling or ("analytic" if method == "logit" else "perm")
    if how == "perm" and nperms < 1:
        msg = f"nperms: expected at least 1 but got {nperms}; resampling='none' needs none."
        raise StudyError(msg)
    if how == "perm" and nperms > MOST_PERMUTATIONS:
        msg = f"nperms: expected at most {MOST_PERMUTATIONS:,} but got {nperms:,}."
        raise StudyError(msg)
    return how


def _generator(rng: Random) -> tuple[int | None, np.random.Generator]:
    if isinstance(rng, np.random.Generator):
        return None, rng
    seed = int(np.random.default_rng().integers(_LAST_SEED)) if rng is None else int(rng)
    return seed, np.random.default_rng(seed)


def _nulls(
    how: str,
    model: Fitter,
    prepared: Prepared,
    fitted: Sequence[Model],
    nperms: int,
    rng: np.random.Generator,
    households: Sequence[Households | None],
) -> list[list[dict[str, float]]]:
    """Return the statistics of each resample, for each synthesis."""
    if how == "pairs":
        pairs = combinations(range(1, len(prepared.sizes)), 2)
        every = [statistics(model(prepared, i, j).observed().records) for i, j in pairs]
        return [every for _ in fitted]
    if how != "perm":
        return [[] for _ in fitted]
    out = []
    for i, fitted_model in enumerate(fitted):
        labels = _permutations(
            fitted_model.stacked.synthetic, nperms, rng, households[i] if households else None
        )
        # a model in each thread: those of its linear algebra would only wait for each other
        with one_thread(), ThreadPoolExecutor(os.cpu_count()) as threads:
            out.append(
                [statistics(records) for records in threads.map(fitted_model.relabelled, labels)]
            )
    return out


def _permutations(
    synthetic: npt.NDArray[np.bool_],
    nperms: int,
    rng: np.random.Generator,
    households: Households | None,
) -> Iterator[npt.NDArray[np.bool_]]:
    for _ in range(nperms):
        if households is None:
            yield rng.permutation(synthetic)
        else:  # the synthetic records are stacked above the original's
            is_synthetic = np.ones(len(synthetic), dtype=np.bool_)
            is_synthetic[households.drawn(rng)] = False
            yield np.roll(is_synthetic, -households.n)


def _with_households(
    household: HouseholdColumn | Sequence[HouseholdColumn],
    variables: Sequence[str] | None,
    original: Frame,
    synthetic: Replica,
    how: str,
) -> tuple[Frame, Replica, list[Households | None]]:
    """Return the data sets without the households, and who lives together in each pair of them."""
    if household is None:
        return original, synthetic, []
    frames = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    each = [household] * len(frames) if isinstance(household, str | Households) else list(household)
    if len(each) != len(frames):
        msg = f"household: expected one for each of {len(frames)} syntheses but got {len(each)}."
        raise StudyError(msg)
    households = [
        two_sides(home, (original, "original"), (frame, "synthetic"), together=False)
        for home, frame in zip(each, frames, strict=True)
        if how == "perm"
    ]
    named = household if isinstance(household, str) else None
    first, *rest = set_aside(
        named, variables, (original, "original"), *((frame, "synthetic") for frame in frames)
    )
    return first, rest, households


def _table(
    outcomes: Sequence[Outcome], nulls: Sequence[Sequence[dict[str, float]]], how: str
) -> pd.DataFrame:
    rows = []
    for outcome, null in zip(outcomes, nulls, strict=True):
        values, df = statistics(outcome.records), outcome.records.df
        analytic = s_p_mse(outcome.records) if how == "analytic" else math.nan
        row: dict[str, Any] = {"pMSE": values["pMSE"], "S_pMSE": analytic}
        row |= {name: values[name] for name in ("SPECKS", "PO50", "PO50_c", "U")}
        row |= {
            "df": math.nan if df is None else float(df),
            "parameters": outcome.parameters,
            "converged": outcome.converged,
            "separated": outcome.separated,
            "aliased": outcome.aliased,
        }
        if null:
            for name, standardised in _STANDARDISED.items():
                mean = float(np.mean([resample[name] for resample in null]))
                row[standardised] = 2.0 * values[name] / mean if mean else math.nan
        rows.append(row)
    return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="synthesis"))


def _null_frame(nulls: Sequence[Sequence[dict[str, float]]], how: str) -> pd.DataFrame:
    if how == "pairs":
        return pd.DataFrame(nulls[0])
    parts = {i: pd.DataFrame(null) for i, null in enumerate(nulls, start=1) if null}
    return pd.concat(parts, names=["synthesis", "resample"]) if parts else pd.DataFrame()


def _by_variable(method: str, fitted: Sequence[Model]) -> pd.DataFrame:
    parts = []
    for model in fitted:
        part = model.by_variable()
        if method == "logit":
            n = len(model.stacked.synthetic)
            share = model.stacked.n_synthetic / n
            expected = [expected_p_mse(int(k), share, n) for k in part["coefficients"]]
            part["S_lost"] = part["pMSE_lost"] / np.where(expected, expected, math.nan)
        parts.append(part)
    whole = pd.concat(parts).groupby(level=0, sort=False).mean()
    return whole.sort_values(whole.columns[0], ascending=False, kind="stable")
