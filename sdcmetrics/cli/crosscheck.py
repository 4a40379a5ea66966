"""What ``sdcmetrics crosscheck`` prints: how much agrees with synthpop, and what does not."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from sdcmetrics.agreement.crosscheck import CrossCheck, crosscheck
from sdcmetrics.agreement.verdict import EQUAL
from sdcmetrics.cli.output import no_formula
from sdcmetrics.study.study import Study

__all__ = ["show_crosscheck"]

_SHOWN = 25
_console = Console(highlight=False)


def show_crosscheck(
    study: Study,
    csv: Path | None,
    json: Path | None,
    *,
    timeout: float,
    memory_mb: int | None,
    quiet: bool,
) -> bool:
    """Run the cross-check, print it, write all rows if asked; return whether it is ok."""

    def progress(step: str, done: int, steps: int) -> None:
        if not quiet:
            sys.stderr.write(f"[{done + 1}/{steps}] {step}\n")

    result = crosscheck(study, timeout=timeout, memory_mb=memory_mb, progress=progress)
    if csv is not None:
        table = _flat(result.table)
        for name in _NAMES:
            table[name] = table[name].map(no_formula)
        table.to_csv(csv, index=False)
    if json is not None:
        text = dumps(result.to_dict(), indent=1, allow_nan=False)
        json.write_text(text, encoding="utf-8")
    _show(result)
    return result.ok


_NAMES = ("replica", "variables", "scenario", "keys", "target")
"""Columns whose text comes from the data or the study."""


def _show(result: CrossCheck) -> None:
    said = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    _console.print(f"cross-check with {said}", markup=False)
    if result.note:
        _console.print(result.note, markup=False)
    table = Table("verdict", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("values", justify="right")
    for verdict, number in result.counts().items():
        table.add_row(verdict, f"{number:,}")
    _console.print(table)
    _console.print(
        f"largest relative difference of equal values: {result.largest_difference():.1e}"
    )
    _rows(result.table[result.table["explained"] & (result.table["verdict"] != EQUAL)])
    _rows(result.unexplained)
    _console.print(
        "everything is equal or explained" if result.ok else "NOT everything is explained"
    )


def _rows(rows: pd.DataFrame) -> None:
    """Print the verdicts in one line for each metric's place; values are not printed."""
    for _, row in _flat(rows).head(_SHOWN).iterrows():
        place = row["variables"] or f"{row['scenario']}: {row['keys']} -> {row['target']}"
        line = (
            f"  {row['replica']}, {row['function']}, {row['metric']} of {place}: {row['verdict']}"
        )
        _console.print(line, markup=False)
    if len(rows) > _SHOWN:
        _console.print(f"  ... and {len(rows) - _SHOWN} more; --csv FILE writes them all")


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with tuples of names as text and nothing for what does not apply."""
    out = table.copy()
    for name in ("variables", "keys"):
        out[name] = out[name].map(lambda v: ":".join(v) if isinstance(v, tuple) else "")
    for name in ("function", "scenario", "target"):
        out[name] = out[name].map(lambda v: v if isinstance(v, str) else "")
    return out
