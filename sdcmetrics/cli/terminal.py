"""How text and tables go to a terminal, a pipe or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from sdcmetrics.report.safety.names import clean

__all__ = ["number_text", "one_line", "print_lines", "print_table", "text_width"]

_LONGEST = 600
_WIDE = 160
_NAME_WIDTH = 14


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


def _console() -> Console:
    # Into a pipe or a file, lines are not cut to the width of a terminal that is not there.
    unbound = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    width = _WIDE if unbound else None
    return Console(highlight=False, markup=False, emoji=False, width=width)


def print_lines(*lines: str) -> None:
    """Print lines; on a terminal they are wrapped, in a pipe or a file they stay whole."""
    console = _console()
    for line in lines:
        console.print(clean(line), soft_wrap=not console.is_terminal)


def text_width() -> int:
    """Width that running text is wrapped to."""
    return min(_console().width, 100) - 1


def print_table(
    names: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table; in a narrow terminal its last columns of numbers are left out, and said so."""
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


def number_text(value: float) -> str:
    """Return a number in four digits; a hyphen where there is none."""
    if pd.isna(value):
        return "-"
    if abs(value) >= 1000:  # noqa: PLR2004  (four digits are shown in any case)
        return f"{value:,.0f}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"
