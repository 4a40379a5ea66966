"""What the command line prints of distances to the closest record: figures, never a record."""

from __future__ import annotations

from pathlib import Path

from sdcmetrics.cli.saving import save_json
from sdcmetrics.cli.terminal import (
    number_text,
    one_line,
    print_fixes,
    print_frame,
    print_lines,
    print_table,
)
from sdcmetrics.errors import counted
from sdcmetrics.measures.closeness.closest_record import ClosestRecord
from sdcmetrics.measures.closeness.shares import ClosestRecords, dcr_share
from sdcmetrics.measures.exchangeable import LabelTest

_COLUMNS_SHOWN = 10
_SMALLEST_P = 1e-12
"""Below it the digits of a p say nothing, but it is not zero."""


def show_closest_record(result: ClosestRecord, json: Path | None) -> None:
    """Print the share with its test, the tests of single records and the columns; save JSON."""
    save_json(result.to_dict(), json)
    training, synthetic, holdout = result.sizes
    mode = f", {result.mode} groups" if result.mode else ""
    print_lines(
        f"{result.distance} distance{mode}, {result.effective_columns} of {len(result.columns)} "
        f"columns vary; {training:,} training, {synthetic:,} synthetic, {holdout:,} holdout records"
    )
    columns = ["DCR_share", "closer", "equal", "further", "DCR_training", "DCR_holdout"]
    sets = (("synthetic", result.closest), ("holdout itself", result.baseline))
    print_table(["data set"], columns, [[name, *_figures(closest)] for name, closest in sets])
    null = result.permutation
    if null.permutations:
        bound = "" if null.reached else "<= "
        print_lines(
            f"by chance the share is {number_text(null.mean)} with standard deviation "
            f"{number_text(null.sd)}: z {number_text(null.z)}, one-sided p "
            f"{bound}{_p(null.p_value)} "
            f"(closer to the training data; {null.permutations:,} permutations)"
        )
    copied = result.copied.permutation
    if copied is not None:
        print_lines(
            f"a verbatim copy of the training data has a share of {number_text(copied.observed)}, "
            f"the holdout {number_text(training / (training + holdout))}"
        )
    apart = f"{result.margin:g} columns" if result.distance == "hamming" else f"{result.margin:.3g}"
    print_table(
        ["real records"],
        ["training", "holdout", "expected in training", "p"],
        [
            ["equal to a synthetic record", *_counts(result.identical)],
            [f"singled out by a synthetic record, margin {apart}", *_counts(result.singled_out)],
        ],
    )
    shown = result.by_column.head(_COLUMNS_SHOWN)
    headings = dict(zip(shown.columns, ("training", "holdout", "difference"), strict=True))
    print_frame(shown, headings, "column", short=False)
    more = len(result.by_column) - len(shown)
    left = f"; {counted(more, 'more column')} with --json" if more else ""
    print_lines(f"what each column adds to the distance to the closest records{left}")
    print_lines(*(f"note: {one_line(note)}" for note in result.notes))
    print_lines(*(f"limit: {limit}" for limit in result.limits))
    print_lines(f"seed {result.seed}; {result.seconds:.1f} s")
    print_fixes(result.fixes)


def _figures(closest: ClosestRecords) -> list[str]:
    counts = (closest.closer, closest.equal, closest.further)
    figures = (dcr_share(closest), *counts, closest.training.mean(), closest.holdout.mean())
    return [number_text(figure) for figure in figures]


def _counts(test: LabelTest) -> list[str]:
    return [*map(number_text, (test.training, test.holdout, test.expected)), _p(test.p_value)]


def _p(value: float) -> str:
    return f"< {_SMALLEST_P:g}" if value < _SMALLEST_P else number_text(value)
