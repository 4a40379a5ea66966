"""What the command line prints of marginal fidelity: figures and names, never a record."""

from __future__ import annotations

from pathlib import Path

from sdcmetrics.cli.output import list_fixes, write_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_lines, print_table
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity

__all__ = ["say_holdout", "show_fidelity"]

_WORST = 10
_OF_HOLDOUT = ("holdout_tvd", "fresh_tvd", "ratio")


def show_fidelity(found: MarginalFidelity, check: HoldoutCheck | None, path: Path | None) -> None:
    """Print the mean distances and the worst tables; write every table as CSV."""
    columns = ["tvd", "se", *(_OF_HOLDOUT if check is not None else ())]
    rows = [
        [f"{ways} ({found.figure(ways, 'n_tables'):,.0f})"]
        + [number_text(found.figure(ways, column)) for column in columns]
        for ways in found.index
    ]
    print_table(["variables (tables)"], columns, rows)
    worst = found.tables.nlargest(_WORST, "tvd")
    columns = ["tvd", "holdout_tvd"] if check is not None else ["tvd"]
    shown = [
        [
            one_line(" x ".join(row["variables"])),
            *(number_text(float(row[column])) for column in columns),
        ]
        for _, row in worst.iterrows()
    ]
    print_table(["furthest from the training data"], columns, shown)
    if check is not None:
        say_holdout(check)
    list_fixes(list(found.fixes))
    if path is not None:
        names = found.tables["variables"].map(" | ".join)
        write_csv(found.tables.assign(variables=names).set_index("variables"), path)


def say_holdout(check: HoldoutCheck) -> None:
    """Print what speaks against a holdout, or that nothing does."""
    print_lines(*(f"holdout: {one_line(problem)}" for problem in check.problems))
    if check.ok:
        print_lines("holdout: nothing speaks against a random part of the same data")
