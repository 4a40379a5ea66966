"""What ``sdcmetrics crosscheck`` prints: how much agrees with synthpop, and what does not."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.agreement.verdict import EQUAL
from sdcmetrics.cli.saving import save_csv, save_json
from sdcmetrics.cli.terminal import one_line, print_lines, print_table
from sdcmetrics.rbridge.defects import named_in

_SHOWN = 25
"""Rows that fit a screen."""


def show_crosscheck(result: CrossCheck, csv: Path | None, json: Path | None) -> None:
    """Print the verdicts; save all rows if asked."""
    table = _flat(result.table)
    save_csv(table.set_index("replica"), csv)
    if json is not None:
        save_json(result.to_dict(), json)
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    print_lines(f"cross-check with {versions}")
    print_lines(*([result.note] if result.note else []))
    counts = [[verdict, f"{number:,}"] for verdict, number in result.counts().items()]
    print_table(["verdict"], ["values"], counts)
    documented = named_in(result.table["verdict"])
    print_lines(*(f"{number}: in synthpop, {words}" for number, words in documented.items()))
    largest = result.largest_difference()
    print_lines(f"largest relative difference of equal values: {largest:.1e}")
    _rows(table[result.table["explained"] & (result.table["verdict"] != EQUAL)])
    _rows(_flat(result.unexplained))
    print_lines("everything is equal or explained" if result.ok else "NOT everything is explained")


def _rows(rows: pd.DataFrame) -> None:
    """Print one line per metric and place; values are not printed."""
    for _, row in rows.head(_SHOWN).iterrows():
        roles = f"{row['scenario']}: {row['keys']} -> {row['target']}" if row["keys"] else ""
        place = row["variables"] or row["model"] or roles or (row["function"] and "all variables")
        metric = f"{row['metric']} of {place}" if place else row["metric"]
        what = ", ".join(filter(None, (row["replica"], row["function"], metric)))
        print_lines(f"  {one_line(what)}: {row['verdict']}")
    if len(rows) > _SHOWN:
        print_lines(f"  ... and {len(rows) - _SHOWN} more; --csv FILE saves them all")


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with tuples of names as text and nothing for what does not apply."""
    out = table.copy()
    for name in ("variables", "keys"):
        out[name] = out[name].map(lambda v: ":".join(v) if isinstance(v, tuple) else "")
    for name in ("function", "scenario", "target", "model"):
        out[name] = out[name].map(lambda v: v if isinstance(v, str) else "")
    return out
