"""Explanations of metrics and of profiles of thresholds on the command line."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from sdcmetrics.cli.terminal import print_lines, text_width
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.reference_values import ITSELF, ReferenceValues
from sdcmetrics.measures.registry import MEASURES, explain

if TYPE_CHECKING:
    from sdcmetrics.study.limits import ExcessRule, TableRule, Threshold

_DIRECTION = {
    "lower": "lower is better",
    "higher": "higher is better",
    "none": "no direction: it helps to read other metrics",
}
_INDEPENDENT = (
    "Its p takes records to be independent. Where people of one household are in a file together, "
    "it may be too small: docs/households.md says which tests exchange whole households where "
    "these are named."
)
_FIELD = 11
"""Columns before the text of a field."""


def show_metric(symbol: str) -> None:
    """Print the declaration of one metric.

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
        *_wrap(f"{metric.symbol}: {metric.title} ({metric.family})"),
        "",
        *_wrap(metric.meaning),
        "",
        *_field("range", f"{metric.range}{unit}; {_DIRECTION[metric.better]}"),
        *_field("formula", metric.formula),
        *(_field("where", metric.where) if metric.where else ()),
        *_field("source", metric.source),
        *_field("limits", metric.limits),
    ]
    if metric.reference_values:
        lines += _field("copy", _copy(metric.reference_values))
    if {"p", "z"} & {*metric.tested} or (
        metric.reference_values and metric.reference_values.tested
    ):
        lines += _field("p", _INDEPENDENT)
    if metric.twin:
        lines += _field("synthpop", f"equals {metric.twin.words}")
        lines += _field("differs", metric.twin.differs)
    print_lines(*lines)


def _copy(reference_values: ReferenceValues) -> str:
    """Return in words what a verbatim copy scores, and whether the measure recognises one."""
    copy = reference_values.copy
    if isinstance(copy, float):
        return f"a verbatim copy has {copy:g}. {reference_values.words}"
    if isinstance(copy, str) and copy != ITSELF:
        return f"a verbatim copy has {copy}. {reference_values.words}"
    return reference_values.words


def show_metrics() -> None:
    """Print every metric in one line each, under its family."""
    for i, family in enumerate(dict.fromkeys(metric.family for metric in MEASURES.values())):
        print_lines(*([""] if i else []), family)
        for metric in MEASURES.values():
            if metric.family == family:
                print_lines(f"  {metric.symbol:<16} {metric.title}")


def show_profiles() -> None:
    """Print the names of the profiles that come with the package."""
    from sdcmetrics.study.profile import PROFILES, load_profile  # it loads pydantic

    for path in sorted(PROFILES.glob("*.toml")):
        profile = load_profile(path.stem)
        print_lines(f"{profile.name:<14} {profile.title}")


def show_profile(name: str) -> None:
    """Print the thresholds of a profile with their sources."""
    from sdcmetrics.report.safety.protect.rounding import Rounding
    from sdcmetrics.study.profile import load_profile  # it loads pydantic

    profile = load_profile(name)
    rounding = Rounding.of(profile)
    zeros = "not shown" if profile.zeros_disclosive else "shown"
    rules = (
        f"counts below {rounding.least} are not shown to a checker, zeros are {zeros}, "
        f"counts are rounded to {rounding.base}"
    )
    lines = [f"{profile.name}: {profile.title} (owner: {profile.owner})", *_wrap(rules)]
    for rule, metrics in (
        (profile.tables, () if profile.tables is None else (profile.tables.metric,)),
        (profile.excess, () if profile.excess is None else profile.excess.metrics),
    ):
        if rule is not None:
            lines += ["", *_wrap(f"{', '.join(metrics)}: {rule.rule}"), *_whose(rule)]
    for threshold in profile.thresholds.values():
        both = {"review": threshold.review, "fail": threshold.fail}
        limits = [f"{word} beyond {x:g}" for word, x in both.items() if x is not None]
        lines += ["", f"{threshold.metric}: {', '.join(limits)}"]
        if threshold.rule:
            lines += _field("rule", threshold.rule)
        lines += _whose(threshold)
        reference_values = MEASURES[threshold.metric].reference_values
        if reference_values and reference_values.tells == "no":
            lines += _field("copy", reference_values.words)
    print_lines(*lines)


def _whose(limit: Threshold | TableRule | ExcessRule) -> list[str]:
    return [
        *_field("kind", limit.kind),
        *_field("source", limit.source),
        *_field("owner", f"{limit.owner}, {limit.date}"),
    ]


def _field(name: str, text: str) -> list[str]:
    return _wrap(text or "-", f"{name:<{_FIELD}}", " " * _FIELD)


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, text_width(), initial_indent=first, subsequent_indent=rest)
