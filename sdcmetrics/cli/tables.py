"""What the command line prints of tables: utility, disclosure, and fidelity to training data."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sdcmetrics.cli.saving import save_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_fixes, print_frame, print_lines
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.twin import NEWEST

_SHOWN = 25
"""Rows that fit a screen."""
_WORST = 10
_UTILITY = ["S_pMSE", "pMSE", "SPECKS", "MabsDD", "df"]
_DISCLOSURE = ("Dorig", "DiSCO", "baseCAPd", "DCAP", "CAPd", "TCAP_certain")
_HOLDOUT = ["holdout_tvd", "fresh_tvd", "ratio"]


def show_utility(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print the worst tables by S_pMSE; save all of them if asked."""
    save_csv(frame, csv)
    print_frame(frame.sort_values("S_pMSE", ascending=False).head(_SHOWN), _UTILITY)
    if len(frame) > _SHOWN:
        hint = f"saved to {csv}" if csv else "--csv FILE saves them all"
        print_lines(f"the worst {_SHOWN} of {len(frame):,} tables; {hint}")
    if frame["S_pMSE"].isna().any():
        print_lines("-: the table has one non-empty cell, so 0 degrees of freedom and no ratio")
    mean = number_text(frame["S_pMSE"].mean())
    print_lines(
        f"mean S_pMSE {mean} (1 + n_synthetic / n_original is expected of a fresh sample; at "
        "equal sizes 2, and below 3 is good)"
    )
    print_fixes(frame.attrs.get("fixes", ()))


def show_disclosure(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print one row per target, beside baseline and original; save all if asked."""
    save_csv(frame, csv)
    first = frame.iloc[0]
    print_lines(
        f"identity: {number_text(first['UiO'])} % of original records are unique by these keys "
        f"(UiO); {number_text(first['repU'])} % are unique in both (repU)"
    )
    # Columns have synthpop's names, and as headings what `explain` and a review call them.
    heads = {twin.name_in(NEWEST): s for s in _DISCLOSURE if (twin := MEASURES[s].twin)}
    print_frame(frame, heads, "target")
    if frame["TCAP"].isna().any():
        print_lines("-: no key combination of the original is unanimous in the replica")
    print_lines("percent of original records; sdcmetrics explain DiSCO says what each means")
    print_lines(
        "a verbatim copy has DiSCO = Dorig, DCAPd = CAPd and repU = UiO; what people who were not "
        "in the original have, only a holdout shows: name one in a study"
    )
    print_fixes(frame.attrs.get("fixes", ()))


def show_fidelity(fidelity: MarginalFidelity, check: HoldoutCheck | None, csv: Path | None) -> None:
    """Print the mean distances and the worst tables; save every table if asked."""
    tables = fidelity.tables.assign(variables=fidelity.tables["variables"].map(" | ".join))
    save_csv(tables.set_index("variables"), csv)
    columns = ["tvd", "se", *(_HOLDOUT if check is not None else ())]
    means = pd.DataFrame(fidelity[columns])
    means.index = pd.Index([f"{i} ({n:,.0f})" for i, n in fidelity["n_tables"].items()])
    print_frame(means, columns, "variables (tables)")
    worst = fidelity.tables.nlargest(_WORST, "tvd")
    worst.index = pd.Index(worst["variables"].map(" x ".join))
    columns = ["tvd", *(_HOLDOUT[:1] if check is not None else ())]
    print_frame(worst, columns, "furthest from the training data", short=False)
    if check is not None:
        say_holdout(check)
    print_fixes(fidelity.fixes)


def say_holdout(check: HoldoutCheck) -> None:
    """Print the objections to a holdout, or that there are none."""
    print_lines(*(f"holdout: {one_line(problem)}" for problem in check.problems))
    if check.ok:
        print_lines("holdout: nothing speaks against a random part of the same data")
