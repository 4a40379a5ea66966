"""Estimates of an analysis of the original beside those of a replica."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses.analysis import Analysis
from sdcmetrics.measures.analyses.estimates import Estimates
from sdcmetrics.measures.analyses.estimating import sides_of
from sdcmetrics.measures.analyses.own_function import Function
from sdcmetrics.measures.fits.overlap import truncated
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.survey.design import (
    Design,
    DesignColumns,
    SurveyDesign,
    one_design,
)
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise
from sdcmetrics.results import Readable

_SIDES = ("value", "error", "lower", "upper")


@dataclass(frozen=True, repr=False)
class AnalysisOverlap(
    Readable,
    shows=("name", "statistic", "overlap", "same_conclusions", "problems"),
    table="estimates",
):
    """Estimates of one analysis from the original and from a replica, compared.

    Attributes
    ----------
    name, statistic : str
    estimates : DataFrame
        Index term. Columns original, se_original, lower_original, upper_original (of 95 %) and the
        same of the synthetic data (means over the syntheses); std_diff (synthetic minus original
        over the original's standard error); CIO (overlap of the original's interval with the same
        interval about the synthetic estimate, 1 is best, negative without bound); CIO_truncated (0
        where that is negative); Karr (overlap of both intervals as they are); same (1 if sign and
        significance are the same, else 0; NaN where an estimate is tested against nothing).
        NaN where either side has no estimate or no error.
    per_synthesis : tuple of DataFrame
        The same of each synthesis.
    overlap : float
        Mean CIO of the terms that both sides estimate.
    same_conclusions : float
        Share of tested terms whose sign and significance are the same, 0 to 1; NaN without any.
    problems : tuple of str
        What is not compared, and why.
    digest : str
        SHA-256 of the file of a user's own function; empty without.
    """

    name: str
    statistic: str
    estimates: pd.DataFrame
    per_synthesis: tuple[pd.DataFrame, ...]
    overlap: float
    same_conclusions: float
    problems: tuple[str, ...] = ()
    digest: str = ""


_OF_DESIGN = tuple(DesignColumns.__annotations__)


@checked
def analysis(
    original: Frame,
    synthetic: Replica,
    statistic: str | Callable[..., Any],
    variables: str | Sequence[str] = (),
    *,
    design: Design | None = None,
    missing_codes: MissingCodes | None = None,
    **entries: Any,
) -> AnalysisOverlap:
    """Make one analysis of an original and of a replica, and compare the estimates.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    statistic : str, or function
        One of those of `Analysis`; or a function of a pandas frame and a series of weights that
        returns a frame with the columns ``estimate`` and ``se``, one row per term. Its
        ``attrs["null"]`` may say what estimates are tested against, by default 0.
    variables : name or names of columns
        What the statistic is of; what a function is given.
    design : survey.Design, optional
        How the original was sampled. Errors are linearised: influences are summed in clusters.
    missing_codes : mapping of column to code or codes, optional
    **entries
        Further entries of `Analysis`, such as ``by=``, ``at=`` or ``formula=``; and in place of
        `design` what it is made of, as ``weight=``.

    Returns
    -------
    AnalysisOverlap
        Estimates are in the unit of the statistic: of the column for means and quantiles, 0 to 1
        for shares, rates and gini. std_diff is 0 at best; CIO and Karr are at most 1 (best), and
        below 0, without bound, where intervals lie apart. `overlap` is the mean CIO.

    Raises
    ------
    ColumnError
        If a column is absent, or a weight is missing, zero or negative.
    StudyError
        If there is no such statistic, or an entry of it is missing or wrong.
    NotComputable
        If either side cannot be estimated, or no term has an error on both.

    Notes
    -----
    Estimates and errors equal those of R's survey and convey (linearised), survival and lme4.

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60, 224-232; Deville
    (1999), Survey Methodology 25(2), 193-203 (linearised errors).

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"income": [1.0, 2, 3, 6]})  # (1 + 6 + 15 + 42) / (4 * 12) - 1
    >>> result = analysis(people, people, "gini", "income")
    >>> round(float(result.estimates["original"].iloc[0]), 4), result.overlap
    (0.3333, 1.0)
    """
    by_keyword = {name: entries.pop(name) for name in _OF_DESIGN if name in entries}
    sample = one_design(design, **by_keyword)
    own = statistic if callable(statistic) else None
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    given: dict[str, Any] = {
        "name": str(entries.pop("name", statistic if own is None else _name_of(own))),
        "statistic": "function" if own is not None else statistic,
        "variables": names,
        **entries,
    }
    if own is not None:
        given["function"] = _name_of(own)
    declared = Analysis(**given)
    data = as_microdata(original, "original")
    syntheses = list_syntheses(synthetic, None)
    declared.check(data)
    columns = list(declared.columns_of(list(data.columns)))
    designs: list[SurveyDesign | None] = [None] * (1 + len(syntheses))
    if any(name is not None for name in sample.columns[:-1]):
        designs[0] = sample.read(data)
    if any(name is not None for name in sample.columns):
        designs[1:] = [sample.read_replica(synthesis) for synthesis in syntheses]
    codes = {name: code for name, code in (missing_codes or {}).items() if name in columns}
    harmonised = harmonise(data, syntheses, variables=columns, missing_codes=codes)
    return overlap_of_analysis(declared, harmonised, designs, own)


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "function"))


def overlap_of_analysis(
    declared: Analysis,
    data: Harmonised,
    designs: Sequence[SurveyDesign | None],
    function: Function | None = None,
    digest: str = "",
) -> AnalysisOverlap:
    """Compare an analysis of harmonised data; see `analysis`.

    Raises
    ------
    NotComputable
        If either side cannot be estimated, or no term has an estimate on both.
    """
    sides = sides_of(declared, data, designs, function)
    original = sides.estimates(0)
    syntheses = [sides.estimates(part) for part in range(1, len(data.sizes))]
    matched = [_matched(original, estimates) for estimates in syntheses]
    mean = {name: np.mean([estimates[name] for estimates in matched], axis=0) for name in _SIDES}
    each = tuple(_compare(original, estimates) for estimates in matched)
    table = each[0] if len(each) == 1 else _compare(original, mean)
    compared = table["CIO"].notna()
    if not compared.any():
        msg = f"no term of {declared.name!r} has an estimate and an error on both sides"
        raise NotComputable(msg)
    return AnalysisOverlap(
        declared.name,
        declared.statistic,
        table,
        each,
        float(table["CIO"].mean()),
        float(table["same"].astype(np.float64).mean()),
        tuple(_problems(original, syntheses, table)),
        digest,
    )


def _matched(original: Estimates, synthetic: Estimates) -> dict[str, Floats]:
    """Return the replica's estimates of the original's terms; NaN where there is none."""
    frame = pd.DataFrame({name: getattr(synthetic, name) for name in _SIDES}, synthetic.terms)
    matched = frame.reindex(list(original.terms))
    return {name: matched[name].to_numpy(np.float64) for name in _SIDES}


@np.errstate(over="ignore", invalid="ignore")  # estimates that are no finite number
def _compare(original: Estimates, synthetic: Mapping[str, Floats]) -> pd.DataFrame:
    value, error = synthetic["value"], synthetic["error"]
    gap = value - original.value
    width = original.upper - original.lower
    own = synthetic["upper"] - synthetic["lower"]
    shared = np.minimum(original.upper, synthetic["upper"]) - np.maximum(
        original.lower, synthetic["lower"]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        overlap = np.where(width > 0, 1.0 - np.abs(gap) / width, np.nan)
        karr = np.where((width > 0) & (own > 0), (shared / width + shared / own) / 2, np.nan)
        standardised = np.where(original.error > 0, gap / original.error, np.nan)
    columns: dict[str, Any] = {
        "original": original.value,
        "se_original": original.error,
        "lower_original": original.lower,
        "upper_original": original.upper,
        "synthetic": value,
        "se_synthetic": error,
        "lower_synthetic": synthetic["lower"],
        "upper_synthetic": synthetic["upper"],
        "std_diff": standardised,
        "CIO": overlap,
        "CIO_truncated": truncated(overlap),
        "Karr": karr,
        "same": _same(original, synthetic),
    }
    return pd.DataFrame(columns, index=pd.Index(original.terms, name="term"))


def _same(original: Estimates, synthetic: Mapping[str, Floats]) -> Any:
    """Whether sign and significance are the same; NaN where not tested."""
    if math.isnan(original.null):
        return np.full(len(original.terms), np.nan)

    def verdict(value: Floats, lower: Floats, upper: Floats) -> Floats:
        significant = (lower > original.null) | (upper < original.null)
        return np.where(significant, np.sign(value - original.null), 0.0)

    ours = verdict(original.value, original.lower, original.upper)
    theirs = verdict(synthetic["value"], synthetic["lower"], synthetic["upper"])
    same = (ours == theirs) & (
        np.sign(original.value - original.null) == np.sign(synthetic["value"] - original.null)
    )
    observed = np.isfinite(
        original.value + original.error + synthetic["value"] + synthetic["error"]
    )
    return np.where(observed, same.astype(np.float64), np.nan)


def _problems(
    original: Estimates, syntheses: Sequence[Estimates], table: pd.DataFrame
) -> list[str]:
    out = []
    absent = [
        term
        for term in original.terms
        if any(term not in synthesis.terms for synthesis in syntheses)
    ]
    if absent:
        out.append(f"the replica has no estimate of: {', '.join(absent)}")
    without = [str(term) for term in table.index[table["CIO"].isna()] if term not in absent]
    if without:
        out.append(f"without an error, and not compared: {', '.join(without)}")
    new = {term for synthesis in syntheses for term in synthesis.terms} - {*original.terms}
    if new:
        out.append(f"only the replica has: {', '.join(sorted(new))}")
    return out
