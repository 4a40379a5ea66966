"""What the command line prints of fitted models."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sdcmetrics.cli.output import list_fixes, write_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_lines, print_table
from sdcmetrics.measures.fits.fit_overlap import FitOverlap
from sdcmetrics.measures.fits.weighted_overlap import WeightedOverlap

__all__ = ["show_fits"]

_COLUMNS = ["original", "se_original", "synthetic", "std_diff", "CIO", "Karr"]


def show_fits(result: WeightedOverlap, csv: Path | None) -> None:
    """Print the coefficients of every model and the weighted overlap; write CSV if asked."""
    parts = {fit.formula: fit.coefficients for fit in result.fits}
    if parts:
        write_csv(pd.concat(parts, names=["formula"]), csv)
    for fit in result.fits:
        _show(fit)
    for formula, row in result.models.iterrows():
        if formula not in parts and pd.isna(row["mean_overlap"]):
            print_lines(f"{formula}: not fitted: {row['note']}")
    if len(result.models) > 1:
        print_lines(f"CIO weighted by adjusted R2: {number_text(result.value)}")
    list_fixes(list(dict.fromkeys(fix for fit in result.fits for fix in fit.fixes)))


def _show(fit: FitOverlap) -> None:
    r2 = number_text(fit.adjusted_r2)
    print_lines(f"{fit.formula} ({fit.family}); {fit.r2_kind} on the original {r2}")
    for source, row in fit.fits.iterrows():
        left = f", {row['dropped']:,} left out for a missing value" if row["dropped"] else ""
        print_lines(f"  {source}: {row['n']:,} records{left}")
    rows = [
        [one_line(str(term)), *(number_text(row[name]) for name in _COLUMNS)]
        for term, row in fit.coefficients.iterrows()
    ]
    print_table(["term"], _COLUMNS, rows)
    for term, flag in fit.coefficients["flag"].items():
        if flag:
            print_lines(f"  {one_line(str(term))}: {flag}")
    print_lines(
        f"mean CIO {number_text(fit.mean_overlap)} (1 is best); "
        f"truncated at 0 {number_text(fit.mean_overlap_truncated)}; "
        f"mean Karr {number_text(fit.mean_karr)}; "
        f"mean absolute std_diff {number_text(fit.mean_abs_std_diff)}"
    )
    test = fit.lack_of_fit
    if test is not None:
        of = str(test.df) if test.df2 is None else f"{test.df} and {test.df2}"
        print_lines(
            f"lack of fit {number_text(test.statistic)} on {of} degrees of freedom, "
            f"p {number_text(test.p_value)}; ratio {number_text(test.ratio)}, 1 is expected of a "
            "correct synthesis"
        )
    print_lines(*(f"note: {problem}" for problem in fit.problems))
