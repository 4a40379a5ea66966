"""What the command line prints of propensity models: statistics and variables, no data value."""

from __future__ import annotations

import math
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from sdcmetrics.measures.propensity.utility_gen import UtilityGen

__all__ = ["show_propensity"]

_SHOWN = ("pMSE", "S_pMSE", "SPECKS", "PO50", "PO50_c", "U", "df", "parameters", "separated")
_VARIABLES = 15
_console = Console(highlight=False)


def show_propensity(result: UtilityGen, csv: Path | None) -> None:
    """Print the statistics of each synthesis and the variables that tell most; write CSV."""
    if csv is not None:
        result.per_synthesis.to_csv(csv)
    # One line a statistic: there are more of them than fit beside each other.
    table = _table(["", *(f"synthesis {i}" for i in result.per_synthesis.index)])
    for name in _SHOWN:
        values = result.per_synthesis[name].astype(float)
        table.add_row(name, *(_number(value) for value in values))
    _console.print(table)
    _console.print(f"S_pMSE: {result.resampling}; about 1 is expected of a fresh sample")
    columns = list(result.by_variable.columns)
    table = _table(["variable", *columns])
    for variable, row in result.by_variable.head(_VARIABLES).iterrows():
        table.add_row(str(variable), *(_number(float(row[name])) for name in columns))
    _console.print(table)
    for note in result.notes:
        _console.print(f"note: {note}", soft_wrap=True)
    if result.seed is not None:
        _console.print(f"seed {result.seed}")
    for fix in result.fixes:
        _console.print(f"fix: {fix}", soft_wrap=True, markup=False)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.5g}"


def _table(columns: list[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right")
    return table
