"""What the command line prints of distances to the closest record: figures, never a record."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress as Bar

from sdcmetrics.cli.output import list_fixes
from sdcmetrics.cli.terminal import number_text, one_line, print_lines, print_table
from sdcmetrics.errors import FileError
from sdcmetrics.measures.closeness.closest_record import ClosestRecord
from sdcmetrics.measures.closeness.exchangeable import LabelTest
from sdcmetrics.measures.closeness.neighbours import Progress
from sdcmetrics.measures.closeness.shares import ClosestRecords, dcr_share

__all__ = ["progress_bar", "show_closest_record"]

_COLUMNS_SHOWN = 10
_SMALLEST_P = 1e-12


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Show how far the search is, where somebody looks at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def show_closest_record(result: ClosestRecord, path: Path | None) -> None:
    """Print the share with its test, the tests of single records and the columns; write JSON."""
    if path is not None:
        _write(result, path)
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
        print_lines(
            f"by chance the share is {number_text(null.mean)} with standard deviation "
            f"{number_text(null.sd)}: z {number_text(null.z)}, one-sided p {_p(null.p_value)} "
            f"(closer to the training data; {null.permutations:,} permutations)"
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
    _show_columns(result)
    print_lines(*(f"note: {one_line(note)}" for note in result.notes))
    print_lines(*(f"limit: {limit}" for limit in result.limits))
    print_lines(f"seed {result.seed}; {result.seconds:.1f} s")
    list_fixes(list(result.fixes))


def _write(result: ClosestRecord, path: Path) -> None:
    try:
        path.write_text(json.dumps(result.to_dict(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"--json {path}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None


def _figures(closest: ClosestRecords) -> list[str]:
    counts = (closest.closer, closest.equal, closest.further)
    means = (closest.training.mean(), closest.holdout.mean())
    return [
        number_text(dcr_share(closest)),
        *(f"{count:,}" for count in counts),
        *(number_text(float(mean)) for mean in means),
    ]


def _counts(test: LabelTest) -> list[str]:
    return [
        f"{test.training:,}",
        f"{test.holdout:,}",
        number_text(test.expected),
        _p(test.p_value),
    ]


def _p(value: float) -> str:
    return f"< {_SMALLEST_P:g}" if value < _SMALLEST_P else f"{value:.2g}"


def _show_columns(result: ClosestRecord) -> None:
    shown = result.by_column.head(_COLUMNS_SHOWN)
    rows = [
        [one_line(str(name)), *(number_text(float(value)) for value in row)]
        for name, row in zip(shown.index, shown.to_numpy(), strict=True)
    ]
    print_table(["column"], ["training", "holdout", "difference"], rows)
    more = len(result.by_column) - len(shown)
    left = f"; {more} more columns with --json" if more else ""
    print_lines(f"what each column adds to the distance to the closest records{left}")
