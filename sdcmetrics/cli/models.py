"""What the command line prints of fitted models, and of models that tell a replica apart."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sdcmetrics.cli.saving import save_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_fixes, print_frame, print_lines
from sdcmetrics.measures.fits.fit_overlap import FitOverlap
from sdcmetrics.measures.fits.synthetic_fit import SyntheticFit
from sdcmetrics.measures.fits.weighted_overlap import WeightedOverlap
from sdcmetrics.measures.prediction.train_on_synthetic import PredictionResult
from sdcmetrics.measures.propensity.utility_gen import UtilityGen

_COLUMNS = ["original", "se_original", "synthetic", "std_diff", "CIO", "Karr"]
_STATISTICS = ["pMSE", "S_pMSE", "SPECKS", "PO50", "PO50_c", "U", "df", "parameters", "separated"]
_GAPS = ("gap", "gap_low", "gap_high", "gap_p", "half_gap", "fresh_gap")
_VARIABLES = 15
"""Variables that are shown, those first that tell most."""


def show_propensity(result: UtilityGen, csv: Path | None) -> None:
    """Print the statistics of each synthesis and the most telling variables; save CSV."""
    save_csv(result.per_synthesis, csv)
    # One line per statistic: there are more of them than fit beside each other.
    across = result.per_synthesis[_STATISTICS].astype(float).T
    across.columns = pd.Index([f"synthesis {i}" for i in across.columns])
    print_frame(across, list(across.columns), "")
    print_lines(
        f"S_pMSE: {result.resampling}; a fresh sample has about 1 + n_synthetic / n_original"
    )
    variables = result.by_variable.head(_VARIABLES).astype(float)
    print_frame(variables, list(variables.columns), "variable")
    print_lines(*(f"note: {note}" for note in result.notes))
    if result.seed is not None:
        print_lines(f"seed {result.seed}")
    print_fixes(result.fixes)


def show_prediction(result: PredictionResult, csv: Path | None) -> None:
    """Print the scores of models of each synthesis and of the original; save CSV if asked."""
    save_csv(result.table.set_index("target"), csv)
    syntheses = bool((result.table["synthesis"] > 1).any())
    for row in result.table.to_dict("records"):
        of = f", synthesis {row['synthesis']}" if syntheses else ""
        print_lines(one_line(f"{row['target']} by {row['learner']}{of}"))
        if row["score"]:
            figure = {name: number_text(row[name]) for name in ("TSTR", "TRTR", "baseline", *_GAPS)}
            print_lines(
                f"  {row['score']}, tested on {row['n_test']:,} records, of "
                f"{row['n_training']:,}: learnt from the replica {figure['TSTR']}, from the "
                f"original {figure['TRTR']}, a guess {figure['baseline']}",
                f"  difference {figure['gap']} ({figure['gap_low']} to {figure['gap_high']} for "
                f"these two models), p {figure['gap_p']}",
                f"  difference to a half of the original {figure['half_gap']}; two halves differ "
                f"by {figure['fresh_gap']}",
            )
        if row["note"]:
            print_lines(f"  note: {one_line(row['note'])}")
    print_lines(f"seed {result.seed}")
    print_fixes(result.fixes)


def show_fits(result: WeightedOverlap, csv: Path | None) -> None:
    """Print the coefficients of every model and the weighted overlap; save CSV if asked."""
    parts = {fit.formula: fit.coefficients for fit in result.fits}
    if parts:
        save_csv(pd.concat(parts, names=["formula"]), csv)
    for fit in result.fits:
        _show(fit)
    for formula, row in result.models.iterrows():
        if formula not in parts:
            print_lines(f"{formula}: not fitted: {row['note']}")
    if len(result.models) > 1:
        print_lines(f"CIO weighted by adjusted R2: {number_text(result.value)}")
    print_fixes(fix for fit in result.fits for fix in fit.fixes)


def show_synthetic_fit(
    fit: SyntheticFit, csv: Path | None, *, by_synthesis: bool, assumed: bool
) -> None:
    """Print the coefficients of a replica alone, combined or by synthesis; save CSV if asked.

    Parameters
    ----------
    fit : SyntheticFit
    csv : Path or None
    by_synthesis : bool
    assumed : bool
        Whether nobody said how many records the original has.
    """
    save_csv(fit.per_synthesis if by_synthesis else fit.coefficients, csv)
    print_lines(f"{fit.formula} ({fit.family})")
    what = "for the population" if fit.population_inference else "as expected of the original"
    source = ", taken to be as many as in a synthesis (--n-original)" if assumed else ""
    print_lines(f"  standard errors {what}; {fit.n_original:,} records in the original{source}")
    if by_synthesis:
        for number, table in fit.per_synthesis.groupby(level="synthesis"):
            print_lines(f"  synthesis {number}, standard errors of its own fit")
            _show_tested(table.droplevel("synthesis"))
    else:
        _show_tested(fit.coefficients)
    print_lines(*(f"note: {problem}" for problem in fit.problems))
    if fit.fixes:
        print_fixes(fit.fixes)


def _show_tested(table: pd.DataFrame) -> None:
    print_frame(table, ["estimate", "se", "z", "p_value"], "term", short=False)
    for term, flag in table["flag"].items():
        if flag:
            print_lines(f"  {one_line(str(term))}: {flag}")


def _show(fit: FitOverlap) -> None:
    r2 = number_text(fit.adjusted_r2)
    print_lines(f"{fit.formula} ({fit.family}); {fit.r2_kind} on the original {r2}")
    for source, row in fit.fits.iterrows():
        left = f", {row['dropped']:,} left out for a missing value" if row["dropped"] else ""
        print_lines(f"  {source}: {row['n']:,} records{left}")
    print_frame(fit.coefficients, _COLUMNS, "term", short=False)
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
