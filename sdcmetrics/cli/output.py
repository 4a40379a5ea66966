"""What the command line prints: short tables and texts, never a data value of the original."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from pathlib import Path

import pandas as pd

from sdcmetrics.cli.terminal import number_text, one_line, print_lines, print_table, text_width
from sdcmetrics.errors import DataError, FileError, StudyError
from sdcmetrics.measures.registry import MEASURES, explain
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.report.safety.names import Names
from sdcmetrics.study.profile import PROFILES, idle_limits, load_profile, refuse_idle_limits
from sdcmetrics.study.study import Study

__all__ = [
    "check_csv",
    "check_file",
    "list_fixes",
    "no_formula",
    "show_check",
    "show_disclosure",
    "show_metric",
    "show_metrics",
    "show_profile",
    "show_profiles",
    "show_utility",
    "write_csv",
]

_SHOWN = 25
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_DIRECTION = {
    "lower": "lower is better",
    "higher": "higher is better",
    "none": "no direction: it helps to read other metrics",
}


def check_csv(path: Path | None) -> None:
    """Raise FileError if --csv cannot be written, before anything is measured."""
    check_file(path, "--csv")


def check_file(path: Path | None, option: str) -> None:
    """Raise FileError if a file cannot be written there, before anything is measured."""
    if path is None:
        return
    if path.is_dir():
        msg = f"{option} {path}: this is a directory. Name a file in it."
        raise FileError(msg)
    if not path.parent.is_dir():
        msg = f"{option} {path}: there is no directory {str(path.parent)!r}."
        raise FileError(msg)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        msg = f"{option} {path}: the file cannot be written. Check the permissions."
        raise FileError(msg)


def show_utility(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print the worst tables by S_pMSE; write all of them as CSV if asked."""
    write_csv(frame, csv)
    ordered = frame.sort_values("S_pMSE", ascending=False)
    names = Names()
    rows = []
    for index, row in ordered.head(_SHOWN).iterrows():
        variables = index if isinstance(index, tuple) else (index,)
        cells = [number_text(row[name]) for name in _UTILITY]
        rows.append([*(names(str(name)).text for name in variables), *cells])
    print_table([str(name) for name in frame.index.names], _UTILITY, rows)
    if len(frame) > _SHOWN:
        hint = f"written to {csv}" if csv else "--csv FILE writes them all"
        print_lines(f"the worst {_SHOWN} of {len(frame):,} tables; {hint}")
    if frame["S_pMSE"].isna().any():
        print_lines("-: the table has one non-empty cell, so 0 degrees of freedom and no ratio")
    mean = number_text(frame["S_pMSE"].mean())
    print_lines(f"mean S_pMSE {mean} (1 is expected of a fresh sample; below 3 is good)")
    _fixes(frame)


def show_disclosure(frame: pd.DataFrame, csv: Path | None) -> None:
    """Print one row a target, beside baseline and original; write all as CSV if asked."""
    write_csv(frame, csv)
    first = frame.iloc[0]
    print_lines(
        f"identity: UiO {number_text(first['UiO'])} % of original records are unique by these "
        f"keys; repU {number_text(first['repU'])} % are unique in both"
    )
    symbols = ["Dorig", "DiSCO", "baseCAPd", "DCAPd", "CAPd", "TCAP"]
    columns = [*symbols[:3], "DCAP", "CAPd", "TCAP_certain"]  # what explain and a review call them
    names = Names()
    rows = [
        [names(str(target)).text, *(number_text(row[name]) for name in symbols)]
        for target, row in frame.iterrows()
    ]
    print_table(["target"], columns, rows)
    if frame["TCAP"].isna().any():
        print_lines("-: no key combination of the original is unanimous in the replica")
    print_lines("percent of original records; sdcmetrics explain DiSCO says what each means")
    _fixes(frame)


def show_metric(symbol: str) -> None:
    """Print the catalogue's entry of one metric.

    Raises
    ------
    StudyError
        If there is no such metric.
    """
    try:
        metric = explain(symbol)
    except StudyError as error:
        msg = f"{error} 'sdcmetrics explain' lists all."
        raise StudyError(msg) from None
    unit = f", {metric.unit}" if metric.unit else ""
    lines = [
        *textwrap.wrap(f"{metric.symbol}: {metric.title} ({metric.family})", text_width()),
        "",
        *textwrap.wrap(metric.meaning, text_width()),
        "",
        *_field("range", f"{metric.range}{unit}; {_DIRECTION[metric.better]}"),
        *_field("formula", metric.formula),
        *_field("source", metric.source),
        *_field("limits", metric.limits),
    ]
    if metric.twin:
        lines += _field("synthpop", f"equals {metric.twin.words}")
        lines += _field("differs", metric.twin.differs)
    print_lines(*lines)


def show_metrics() -> None:
    """Print every metric in one line each."""
    family = ""
    for metric in MEASURES.values():
        if metric.family != family:
            print_lines(*([""] if family else []), metric.family)
            family = metric.family
        print_lines(f"  {metric.symbol:<16} {metric.title}")


def show_profiles() -> None:
    """Print the names of the profiles that come with the package."""
    for path in sorted(PROFILES.glob("*.toml")):
        profile = load_profile(path.stem)
        print_lines(f"{profile.name:<14} {profile.title}")


def show_profile(name: str) -> None:
    """Print the thresholds of a profile with their sources."""
    profile = load_profile(name)
    zeros = "not released" if profile.zeros_disclosive else "released"
    rules = (
        f"counts below {profile.min_cell} are not released, zeros are {zeros}, "
        f"counts are rounded to {profile.round_base}"
    )
    lines = [
        f"{profile.name}: {profile.title} (owner: {profile.owner})",
        *textwrap.wrap(rules, text_width()),
    ]
    for threshold in profile.thresholds.values():
        limits = [
            f"{word} beyond {limit:g}"
            for word, limit in (("review", threshold.review), ("fail", threshold.fail))
            if limit is not None
        ]
        lines += [
            "",
            f"{threshold.metric}: {', '.join(limits)}",
            *_field("kind", threshold.kind),
            *_field("source", threshold.source),
            *_field("owner", f"{threshold.owner}, {threshold.date}"),
        ]
    print_lines(*lines)


def show_check(study: Study) -> None:
    """Print what a study would compare, and every fix that is needed.

    Raises
    ------
    DataError
        If a replica cannot be compared with the original; one line for each.
    """
    data = [("original", study.original)]
    data += [(name, one) for name, many in study.replicas.items() for one in many]
    if study.holdout is not None:
        data.append(("holdout", study.holdout))
    names = Names()
    rows = [[_label(names, name, one), f"{one.n:,}", f"{len(one.columns):,}"] for name, one in data]
    print_table(["data set"], ["records", "columns"], rows)
    for scenario in study.scenarios:
        keys, targets = (
            ", ".join(names(name).text for name in role)
            for role in (scenario.keys, scenario.targets)
        )
        print_lines(f"scenario {names(scenario.name).text}: keys {keys}; targets {targets}")
    print_lines(*(f"rule: {one_line(rule.text)}" for rule in study.rules))
    print_lines(*(f"model: {one_line(model.formula)}" for model in study.models))
    fixes: dict[str, None] = {}
    problems: dict[str, None] = {}
    kinds: dict[str, str] = {}
    needed = [name for s in study.scenarios for name in (*s.keys, *s.targets)]
    for syntheses in study.replicas.values():
        try:
            both = harmonise(
                study.original,
                syntheses,
                variables=study.options.variables,
                required=list(dict.fromkeys(needed)),
                missing_codes=study.options.missing_codes,
            )
        except (DataError, StudyError) as error:
            problems[str(error)] = None
            continue
        kinds |= {name: variable.kind.value for name, variable in both.variables.items()}
        fixes |= dict.fromkeys(str(fix) for fix in both.fixes)
    counts = ", ".join(f"{count} of kind {kind}" for kind, count in Counter(kinds.values()).items())
    print_lines(f"columns compared: {len(kinds)} ({counts})" if kinds else "no column was compared")
    list_fixes(list(fixes))
    if study.holdout is not None and not problems:
        _check_holdout(study)
    if problems:
        raise DataError("\n".join(problems))
    profile = load_profile(study.profile)
    aside = study.holdout is not None
    refuse_idle_limits(profile, study, holdout=aside)
    for symbol, why in idle_limits(profile, study, holdout=aside).items():
        print_lines(
            f"the limit on {symbol} of the profile {profile.name} judges nothing here: {why}"
        )
    print_lines("nothing blocks a review")


def _check_holdout(study: Study) -> None:
    from sdcmetrics.cli.fidelity import say_holdout
    from sdcmetrics.measures.fidelity.holdout_check import check_holdout

    codes = study.options.missing_codes
    say_holdout(check_holdout(study.original, study.holdout, missing_codes=codes))


def _label(names: Names, name: str, data: Microdata) -> str:
    shown = names(name).text
    source = names(data.source).text
    return source if source.startswith(shown) else f"{shown}: {source}"


def _field(name: str, text: str) -> list[str]:
    indent = " " * 11
    return textwrap.wrap(
        text or "-", text_width(), initial_indent=f"{name:<11}", subsequent_indent=indent
    )


_UTILITY = ["S_pMSE", "pMSE", "SPECKS", "MabsDD", "df"]


def write_csv(frame: pd.DataFrame, csv: Path | None) -> None:
    """Write a table as CSV if asked; no name in it is taken for a formula."""
    if csv is None:
        return
    safe = frame.rename(index=no_formula)
    try:
        safe.to_csv(csv)
    except OSError as error:
        msg = f"--csv {csv}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None


def no_formula(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if str(name).startswith(_FORMULA) else name


def _fixes(frame: pd.DataFrame) -> None:
    list_fixes(list(frame.attrs.get("fixes", ())))


def list_fixes(fixes: list[str]) -> None:
    """Print what was done to make the data sets comparable."""
    if not fixes:
        print_lines("no fix was needed to compare the data sets")
        return
    print_lines(
        f"{len(fixes)} {'fix' if len(fixes) == 1 else 'fixes'} made to compare the data sets:"
    )
    print_lines(*(f"  - {one_line(fix)}" for fix in fixes))
