"""What the command line prints: short tables and texts, never a data value of the original."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from sdcmetrics import resources
from sdcmetrics.catalogue import CATALOGUE, explain
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.policy import load_profile
from sdcmetrics.study import Study

__all__ = [
    "show_check",
    "show_disclosure",
    "show_metric",
    "show_metrics",
    "show_profile",
    "show_profiles",
    "show_utility",
]

_SHOWN = 25
_console = Console(highlight=False)
_DIRECTION = {
    "lower": "lower is better",
    "higher": "higher is better",
    "none": "no direction: it helps to read other metrics",
}


def show_utility(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print the worst tables by S_pMSE; write all of them as CSV if asked."""
    _write(frame, csv)
    ordered = frame.sort_values("S_pMSE", ascending=False)
    table = _table([*(str(name) for name in frame.index.names)], _UTILITY)
    for index, row in ordered.head(_SHOWN).iterrows():
        names = index if isinstance(index, tuple) else (index,)
        cells = [_number(row[name]) for name in _UTILITY]
        table.add_row(*(str(name) for name in names), *cells)
    _console.print(table)
    if len(frame) > _SHOWN:
        _console.print(f"the worst {_SHOWN} of {len(frame)} tables; --csv FILE writes them all")
    mean = _number(frame["S_pMSE"].mean())
    _console.print(f"mean S_pMSE {mean} (1 is expected of a fresh sample; below 3 is good)")
    _fixes(frame)


def show_disclosure(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print one row a target, beside baseline and original; write all as CSV if asked."""
    _write(frame, csv)
    first = frame.iloc[0]
    _console.print(
        f"identity: UiO {_number(first['UiO'])} % of original records are unique by these keys; "
        f"repU {_number(first['repU'])} % are unique in both"
    )
    columns = ["Dorig", "DiSCO", "baseCAPd", "DCAP", "CAPd", "TCAP"]
    table = _table(["target"], columns)
    for target, row in frame.iterrows():
        table.add_row(str(target), *(_number(row[name]) for name in columns))
    _console.print(table)
    _console.print("percent of original records; sdcmetrics explain DiSCO says what each means")
    _fixes(frame)


def show_metric(symbol: str) -> None:
    """Print the catalogue's entry of one metric."""
    metric = explain(symbol)
    unit = f", {metric.unit}" if metric.unit else ""
    lines = [
        f"{metric.symbol}: {metric.title} ({metric.family})",
        "",
        *textwrap.wrap(metric.meaning, 90),
        "",
        f"range      {metric.range}{unit}; {_DIRECTION[metric.better]}",
        *_field("formula", metric.formula),
        *_field("source", metric.source),
        *_field("limits", metric.limits),
    ]
    if metric.synthpop:
        lines += _field("synthpop", f"equals {metric.synthpop} of synthpop 1.9-2")
        lines += _field("differs", metric.differs)
    _console.print("\n".join(lines), markup=False)


def show_metrics() -> None:
    """Print every metric in one line each."""
    family = ""
    for metric in CATALOGUE.values():
        if metric.family != family:
            family = metric.family
            _console.print(f"\n{family}", markup=False)
        _console.print(f"  {metric.symbol:<16} {metric.title}", markup=False)


def show_profiles() -> None:
    """Print the names of the profiles that come with the package."""
    for path in sorted(resources.profiles().glob("*.toml")):
        profile = load_profile(path.stem)
        _console.print(f"{profile.name:<14} {profile.title}", markup=False)


def show_profile(name: str) -> None:
    """Print the thresholds of a profile with their sources."""
    profile = load_profile(name)
    zeros = "not released" if profile.zeros_disclosive else "released"
    lines = [
        f"{profile.name}: {profile.title} (owner: {profile.owner})",
        (
            f"counts below {profile.min_cell} are not released, zeros are {zeros}, "
            f"counts are rounded to {profile.round_base}"
        ),
    ]
    for threshold in profile.thresholds.values():
        lines += [
            "",
            f"{threshold.metric}: review beyond {threshold.review}, fail beyond {threshold.fail}",
            *_field("kind", threshold.kind),
            *_field("source", threshold.source),
            f"owner      {threshold.owner}, {threshold.date}",
        ]
    _console.print("\n".join(lines), markup=False)


def show_check(study: Study) -> None:
    """Print what a study would compare, and every fix that is needed."""
    table = _table(["data set"], ["records", "columns"])
    rows = [("original", study.original)]
    rows += [(name, data) for name, many in study.replicas.items() for data in many]
    if study.holdout is not None:
        rows.append(("holdout", study.holdout))
    for name, data in rows:
        label = name if name == data.source else f"{name}: {data.source}"
        table.add_row(label, f"{data.n:,}", str(len(data.columns)))
    _console.print(table)
    for scenario in study.scenarios:
        _console.print(
            f"scenario {scenario.name}: keys {', '.join(scenario.keys)}; "
            f"targets {', '.join(scenario.targets)}",
            markup=False,
        )
    fixes: dict[str, None] = {}
    for syntheses in study.replicas.values():
        both = harmonise(
            study.original,
            syntheses,
            variables=study.options.variables,
            missing_codes=study.options.missing_codes,
        )
        fixes |= dict.fromkeys(str(fix) for fix in both.fixes)
    _list_fixes(list(fixes))
    _console.print("nothing blocks a review")


def _field(name: str, text: str) -> list[str]:
    wrapped = textwrap.wrap(text, 79) or [""]
    return [f"{name:<11}{wrapped[0]}", *(" " * 11 + line for line in wrapped[1:])]


_UTILITY = ["S_pMSE", "pMSE", "SPECKS", "MabsDD", "df"]


def _table(names: list[str], numbers: list[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _number(value: float) -> str:
    if pd.isna(value):
        return "-"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"


def _write(frame: pd.DataFrame, csv: Path | None) -> None:
    if csv is not None:
        frame.to_csv(csv)


def _fixes(frame: pd.DataFrame) -> None:
    _list_fixes(list(frame.attrs.get("fixes", ())))


def _list_fixes(fixes: list[str]) -> None:
    if not fixes:
        _console.print("no fix was needed to compare the data sets")
        return
    _console.print(f"{len(fixes)} fix(es) made to compare the data sets:")
    for fix in fixes:
        _console.print(f"  - {fix}", markup=False)
