"""The only place that prints: lines, tables, numbers and progress, to a terminal, a pipe or a file.

No name from the data is ever taken for markup, and no control character reaches a terminal.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sdcmetrics.report.safety.names import Names, clean

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

_LONGEST = 600
"""Characters of a line: a name of thousands must not bury the rest."""
_WIDE = 160
"""Columns of a pipe or a file, which have no width of their own."""
_NAME_WIDTH = 14
"""Columns that a name gets at least before columns of numbers are left out."""


def one_line(text: str, limit: int = _LONGEST) -> str:
    r"""Return the text without control characters, its middle left out where it is long.

    Examples
    --------
    >>> one_line("a\nb"), one_line("x" * 50, limit=11)
    ('a b', 'xxxxx…xxxxx')
    """
    shown = clean(text)
    if len(shown) <= limit:
        return shown
    half = (limit - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


def number_text(value: float) -> str:
    """Return a number in four digits, and a hyphen where there is none.

    Examples
    --------
    >>> number_text(0.123456), number_text(12345.6), number_text(2.0), number_text(float("nan"))
    ('0.1235', '12,346', '2', '-')
    """
    number = float(value) + 0.0  # which takes the sign from 0
    if number != number:  # noqa: PLR0124  (NaN, without loading numpy)
        return "-"
    if abs(number) >= 1000:  # noqa: PLR2004  (four digits are shown in any case)
        return f"{number:,.0f}"
    return f"{number:.0f}" if number.is_integer() else f"{number:.4g}"


def print_lines(*lines: str) -> None:
    """Print lines; on a terminal they are wrapped, in a pipe or a file they stay whole."""
    for line in lines:
        if sys.stdout.isatty():
            _console().print(clean(line))
        else:
            sys.stdout.write(clean(line) + "\n")


def text_width() -> int:
    """Width that running text is wrapped to."""
    return min(_width() or shutil.get_terminal_size().columns, 100) - 1


def print_table(
    names: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table; in a narrow terminal its last columns of numbers are left out, and said so."""
    from rich import box
    from rich.table import Table

    console = _console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    fit = _fitting(console.width, names, numbers, rows)
    for name in numbers[:fit]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row[: len(names) + fit])
    console.print(table)
    if fit < len(numbers):
        left_out = ", ".join(numbers[fit:])
        print_lines(f"too narrow for {left_out}; widen the terminal, or see --csv")


def print_frame(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | Sequence[str],
    *names: str,
    short: bool = True,
    text: Callable[[float], str] = number_text,
) -> None:
    """Print columns of a frame beside its index.

    Parameters
    ----------
    frame : DataFrame
        An index of several levels becomes as many columns of names.
    columns : sequence of columns, or mapping of columns to their headings
    *names : str
        Headings of the index; by default its own names.
    short : bool
        Names longer than 60 characters are cut; rules and formulas stay whole.
    """
    shown = Names()
    headings = columns if isinstance(columns, Mapping) else dict(zip(columns, columns, strict=True))
    rows = []
    for index, values in zip(frame.index, frame[list(headings)].to_numpy(), strict=True):
        labels = map(str, index if isinstance(index, tuple) else (index,))
        rows.append(
            [*(shown(label).text if short else one_line(label) for label in labels)]
            + [text(value) for value in values]
        )
    print_table(names or [str(name) for name in frame.index.names], list(headings.values()), rows)


def print_fixes(fixes: Iterable[Any]) -> None:
    """Print what was done to make the data sets comparable."""
    listed = list(dict.fromkeys(map(str, fixes)))
    if not listed:
        print_lines("no fix was needed to compare the data sets")
        return
    print_lines(
        f"{len(listed)} {'fix' if len(listed) == 1 else 'fixes'} made to compare the data sets:",
        *(f"  - {one_line(fix)}" for fix in listed),
    )


@contextmanager
def progress(*, quiet: bool = False, lines: bool = True) -> Iterator[Callable[..., None] | None]:
    """Yield a callback ``(step, done, steps)``: a bar on a terminal, else a line per stage.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    lines : bool
        False shows nothing where standard error is no terminal.
    """
    if quiet or not (lines or sys.stderr.isatty()):
        yield None
    elif sys.stderr.isatty():
        with _bar() as report_progress:
            yield report_progress
    else:
        stages = _Stages()
        try:
            yield stages
        finally:
            stages.say()


class _Stages:
    """Prints the seconds of each replica and stage when it is over.

    A step is "replica: stage of something"; steps of one replica whose stage begins with the same
    word are one line.
    """

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._steps: dict[str, None] = {}
        self._stage = ("", "")

    def __call__(self, step: str, done: int, steps: int) -> None:
        del done, steps
        step = re.sub(r", \d+ %$", "", step)
        replica, _, what = step.rpartition(": ") if ": " in step else ("", "", step)
        replica = step.partition(": ")[0] if replica else ""
        what = step[len(replica) :].removeprefix(": ")
        stage = (replica, what.partition(" ")[0])
        if step.startswith("reference"):  # some seventeen data sets, and none of the user's
            stage = ("", "references")
        if stage != self._stage:
            self.say()
            self._stage = stage
        self._steps[step] = None
        self._last = time.monotonic()

    def say(self) -> None:
        """Print the stage that has ended."""
        if not self._steps:
            return
        replica, word = self._stage
        label = next(iter(self._steps))
        if len(self._steps) > 1:
            words = _in_common(list(self._steps)) if replica else word
            label = f"{words}, {len(self._steps)} steps"
        sys.stderr.write(f"{one_line(label)}: {self._last - self._began:.1f} s\n")
        self._steps, self._began = {}, self._last


def _in_common(steps: list[str]) -> str:
    """Return the words with which all steps begin, without what joins them to the rest.

    Examples
    --------
    >>> _in_common(["cart: disclosure of age", "cart: disclosure of sex"])
    'cart: disclosure'
    >>> _in_common(["cart: whose records are in it", "cart: whose records are in it: file 1 of 2"])
    'cart: whose records are in it'
    """
    words = []
    for each in zip(*(step.replace(":", " :").split(" ") for step in steps), strict=False):
        if len(set(each)) > 1:
            break
        words.append(each[0])
    while words and words[-1] in {"of", "on", "~", ":"}:
        words.pop()
    return " ".join(words).replace(" :", ":")


@contextmanager
def _bar() -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    console = Console(stderr=True, emoji=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    counts = (MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Bar(*columns, *counts, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def update(step: str, done: int, steps: int) -> None:
            shown = one_line(step, limit=max(20, console.width - 65))
            bar.update(task, description=shown, completed=done, total=steps)

        yield update


def _console() -> Console:
    from rich.console import Console

    class OfPipes(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704  (rich would end the program with 1, without a word)

    return OfPipes(highlight=False, markup=False, emoji=False, width=_width())


def _width() -> int | None:
    """Return the width of a pipe or a file: no terminal is there to cut lines to. Else None."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE


def _fitting(
    width: int, names: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]
) -> int:
    """Return how many columns of numbers leave room enough for the names."""
    longest = [max(map(len, cells)) for cells in zip([*names, *numbers], *rows, strict=True)]
    room = width - sum(min(length, _NAME_WIDTH) + 2 for length in longest[: len(names)])
    for fit, length in enumerate(longest[len(names) :]):
        room -= length + 2
        if room < 0:
            return max(fit, 1)
    return len(numbers)
