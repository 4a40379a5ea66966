"""One target in one synthesis: every disclosure measure, without building a single frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.key_counting import (
    KeyIndex,
    KeyTargetCounts,
    count_keys_and_target,
)
from sdcmetrics.measures.disclosure import attribution, identity
from sdcmetrics.measures.disclosure import correct_attribution as ca
from sdcmetrics.measures.disclosure.exclusions import Exclusions, exclude
from sdcmetrics.measures.disclosure.flags import Row, one_way_rows, two_way_rows
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.results import Share

RISKS = ("repU", "DiSCO", "DiSDiO")


@dataclass(frozen=True)
class Options:
    """Options of the disclosure measures: exclusions, and thresholds of flags."""

    use_key_missing: Mapping[str, bool]
    use_target_missing: bool = True
    not_target_levels: tuple[str, ...] = ()
    exclusions: tuple[tuple[str, str, str], ...] = ()
    denom_lim: int | None = None
    one_way_thresholds: tuple[float, float] = (50, 90)
    two_way_thresholds: tuple[float, float] = (4, 80)


@dataclass(frozen=True)
class Figures:
    """The figures of one synthesis, without its records and cells.

    Attributes
    ----------
    values : dict of measure to number
        Percent, or records for max_denom and mean_denom.
    denominators : dict of name to records
        What the TCAPs are divided by; synthpop 1.9-3 calls them so, two of them by each other's
        name.
    numerators : dict of measure to count
    before : dict of identity measure to percent, before exclusions
    left_out : dict of table to records left out, by reason; see `Exclusions`
    one_way, two_way : rows of the flags
    """

    values: dict[str, float]
    denominators: dict[str, int]
    numerators: dict[str, int]
    before: dict[str, float]
    left_out: dict[str, list[int]]
    one_way: list[Row]
    two_way: list[Row]


@dataclass(frozen=True)
class Measured:
    """The measures of one synthesis.

    Attributes
    ----------
    figures : Figures
    at_risk : dict of measure to bool array of shape (original records,)
        Which original records the measure counts; empty unless asked for.
    counts : KeyTargetCounts
        What all of it was computed from, before any exclusion.
    """

    figures: Figures
    at_risk: dict[str, Bools]
    counts: KeyTargetCounts


def measure_synthesis(
    coded: Coded,
    index: KeyIndex,
    target: str,
    options: Options,
    *,
    synthesis: int = 1,
    records: bool = True,
) -> Measured:
    """Measure one target in one synthesis; with ``records=False`` no record is pointed at."""
    variable = coded.variables[target]
    counts, cell_of = count_keys_and_target(coded, index, target, synthesis=synthesis)
    reasons = _reasons(counts, coded, index, target, options)
    left = exclude(counts, reasons, denom_lim=options.denom_lim)
    values, numerators = _row(counts, left)
    risky = _risky_cells(counts, left) if records else {}
    figures = Figures(
        values=values,
        denominators={
            "denom_DiSCO": counts.n_original,
            "denom_TCAPs": counts.n_synthetic,
            "denom_TCAPb": ca.matching(left.reduced),
            "denom_TCAP": attribution.di_s(counts, keep=left.keep_original).count,
        },
        numerators=numerators,
        before={name: share.percent for name, share in _identity(counts, counts).items()},
        left_out=left.left_out,
        one_way=one_way_rows(
            counts,
            variable.labels,
            thresholds=options.one_way_thresholds,
            keep=left.keep_original,
        ),
        two_way=two_way_rows(
            counts,
            index.levels,
            {key: coded.variables[key].labels for key in index.levels},
            variable.labels,
            thresholds=options.two_way_thresholds,
            keep=left.keep_original,
        ),
    )
    at_risk = {name: cells[cell_of] for name, cells in risky.items()}
    return Measured(figures, at_risk, counts)


def _identity(reduced: KeyTargetCounts, counts: KeyTargetCounts) -> dict[str, Share]:
    present = counts.synthetic_by_key > 0
    return {
        "UiO": identity.ui_o(reduced),
        "UiS": identity.ui_s(reduced),
        "UiOiS": identity.ui_oi_s(reduced, present=present),
        "repU": identity.rep_u(reduced),
    }


def _row(counts: KeyTargetCounts, left: Exclusions) -> tuple[dict[str, float], dict[str, int]]:
    keep, reduced = left.keep_original, left.reduced
    disclosed = attribution.disco(counts, keep=keep)
    shares = {
        **_identity(reduced, counts),
        "Dorig": attribution.d_orig(counts, keep=keep),
        "Dsyn": attribution.d_syn(counts, keep=left.keep_synthetic),
        "iS": attribution.i_s(counts, keep=keep),
        "DiS": attribution.di_s(counts, keep=keep),
        "DiSCO": disclosed,
        "DiSDiO": attribution.di_s_di_o(counts, keep=keep),
    }
    row = {name: share.percent for name, share in shares.items()}
    row["max_denom"] = attribution.max_denom(counts, keep=keep)
    row["mean_denom"] = attribution.mean_denom(counts, keep=keep)
    row["baseCAPd"] = 100.0 * ca.cap_baseline(counts)
    row["CAPd"] = 100.0 * ca.cap_original(reduced)
    row["CAPs"] = 100.0 * ca.cap_in_synthetic(reduced)
    row["DCAP"] = 100.0 * ca.dcap_zero(reduced)
    row["DCAPs"] = 100.0 * ca.dcap_over_synthetic(reduced)
    row["DCAPb"] = 100.0 * ca.dcap_over_matching(reduced)
    row["TCAPs"] = 100.0 * ca.tcap_over_synthetic(reduced, disclosed=disclosed)
    row["TCAPb"] = 100.0 * ca.tcap_over_matching(reduced, disclosed=disclosed)
    row["TCAP_matched"] = ca.tcap_matched(reduced, disclosed=disclosed).percent
    row["TCAP_certain"] = ca.tcap_certain(counts, keep=keep).percent
    return row, {name: share.count for name, share in shares.items()}


def _risky_cells(counts: KeyTargetCounts, left: Exclusions) -> dict[str, npt.NDArray[np.bool_]]:
    disclosed = attribution.disclosed_cells(counts) & left.keep_original
    reduced = left.reduced
    replicated = (reduced.original_of_key == 1) & (reduced.synthetic_of_key == 1)
    return {
        "repU": replicated & (reduced.original > 0),
        "DiSCO": disclosed,
        "DiSDiO": disclosed & attribution.disclosive_in_original(counts),
    }


def _reasons(
    counts: KeyTargetCounts, coded: Coded, index: KeyIndex, target: str, options: Options
) -> dict[str, npt.NDArray[np.bool_]]:
    out: dict[str, npt.NDArray[np.bool_]] = {}
    variable = coded.variables[target]
    if options.not_target_levels:
        codes = [
            _code(level, variable.labels, f"not_target_levels for {target!r}")
            for level in options.not_target_levels
        ]
        out["excluded target"] = np.isin(counts.target, codes)
    if not options.use_target_missing:
        out["missing target"] = counts.target == variable.missing_code
    missing = np.zeros(len(counts.key), dtype=bool)
    for key, used in options.use_key_missing.items():
        if not used:
            missing |= index.levels[key][counts.key] == coded.variables[key].missing_code
    out["missing in keys"] = missing
    chosen = np.zeros(len(counts.key), dtype=bool)
    for key, key_level, target_level in options.exclusions:
        key_code = _code(key_level, coded.variables[key].labels, f"exclusions for key {key!r}")
        target_code = _code(target_level, variable.labels, f"exclusions for target {target!r}")
        chosen |= (index.levels[key][counts.key] == key_code) & (counts.target == target_code)
    out["set to exclude"] = chosen
    return out


def _code(level: str, labels: tuple[str | None, ...], option: str) -> int:
    if level not in labels:
        # The known levels are data of the original, so the message cannot list them.
        msg = f"{option}: a level that was given does not occur. Check its spelling."
        raise StudyError(msg)
    return labels.index(level)
