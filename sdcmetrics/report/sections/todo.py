"""What to do about it: per replica, what to change in the synthesis or in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeTable,
    Sentence,
    Words,
    as_name,
    column,
    joined,
    number,
    sentence,
    table,
)
from sdcmetrics.report.sections.answers import UTILITY
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.study.study import Scenario

if TYPE_CHECKING:
    from sdcmetrics.review.remedies import Remedies

_BEYOND = (Status.FAIL, Status.REVIEW)
_MOST = 2
"""Pairs of variables that are named per replica; the others are in the annex."""
_EACH = "their own distributions again: each is"


@dataclass(frozen=True, slots=True)
class ToDo:
    """What to change, by replica, and what it would bring where that was counted again."""

    replicas: tuple[tuple[Name, tuple[Sentence, ...]], ...]
    effect: SafeTable

    @property
    def table(self) -> SafeTable:
        """The same as a table, one row per step."""
        return table(
            "What to do",
            (column("Replica", "replica"), column("What to do", "what")),
            ((name, as_name(step.words)) for name, steps in self.replicas for step in steps),
        )


def to_do(source: Source, remedied: Remedies | None = None) -> ToDo:
    """Return the board's third page; `remedied` as from `remedies`, for an internal report."""
    return ToDo(
        tuple((source.name(one), tuple(_steps(source, one))) for one in source.replicas),
        _effect(source, remedied),
    )


def _steps(source: Source, replica: str) -> Iterator[Sentence]:
    held = source.held.get(replica)
    if held is not None and held.whole:
        yield sentence(
            "Do not hand it out: it holds the original, or most of it. Synthesise again, and "
            "review what comes of that. To coarsen, blank or "
            "drop values here would leave the file of real people that it is.",
            link="fresh",
        )
        return
    found = [f for f in source.findings if f.replica == replica and f.status in _BEYOND]
    useful = [f for f in found if f.family in UTILITY]
    steps = (
        *_copies(source, replica),
        *_risks(source, [f for f in found if f.family == DISCLOSURE_RISK]),
        *_tables(source, [f for f in useful if MEASURES[f.metric].of.per == "table"]),
        *_others(source, [f for f in useful if MEASURES[f.metric].of.per != "table"]),
    )
    nothing = sentence("Nothing that this profile asks for. What was not checked may still ask.")
    yield from steps or (nothing,)


def _copies(source: Source, replica: str) -> Iterator[Sentence]:
    held = source.held.get(replica)
    if held is None or not held.alarming:
        return
    yield sentence(
        "Drop the records that equal an original record and are unique in it, then review again; "
        "sdcmetrics remedies lists them.",
        link="fresh",
    )
    yield sentence(
        "Where it was synthesised, loosen the model, which repeats people: conditional inference "
        "trees, or leaves of 20 records or more, take most of this away at hardly any cost of "
        "usefulness; smoothing of numbers does not.",
        link="fresh",
    )


def _risks(source: Source, findings: list[Finding]) -> Iterator[Sentence]:
    """Yield the keys to coarsen, and the targets to protect."""
    keys: dict[str, list[tuple[Scenario, int]]] = {}
    targets: dict[str, str] = {}
    for scenario in source.review.scenarios:
        here = [f for f in findings if f.place.scenario == scenario.name]
        if here:
            key, records = _key(source, scenario)
            keys.setdefault(key, []).append((scenario, records))
        for f in here:
            if f.target and not MEASURES[f.metric].any_target:
                targets.setdefault(f.target, source.anchor(scenario, f.target))
    for key, places in keys.items():
        said: Words = ()
        for scenario, records in places:
            if records:
                many = numbers.plural(records, "original record")
                said += (f"; {many} unique only through it", *source.within(scenario.name))
        name = source.said(key) if key else ("the key with the most levels",)
        link = source.anchor(places[0][0], "")
        how = " before the synthesis (wider groups, top coding)"
        yield sentence("Coarsen ", *name, how, *said, ".", link=link)
    if targets:
        yield sentence(
            "Synthesise ",
            *joined(map(source.said, targets), last=" and "),
            " with fewer of the keys as predictors, with smoothing or top coding of numbers and "
            "rare levels merged.",
            link=next(iter(targets.values())),
        )


def _key(source: Source, scenario: Scenario) -> tuple[str, int]:
    """Return the key that makes most original records unique; a release does not tell."""
    adds = [
        m
        for replica in (() if source.release else source.replicas)
        for m in source.measures.every(replica, "key_uniques")
        if m.scenario == scenario.name and m.count
    ]
    most = max(adds, key=lambda m: m.count or 0.0, default=None)
    return ("", 0) if most is None else (most.variables[0], round(most.count or 0.0))


def _tables(source: Source, findings: list[Finding]) -> Iterator[Sentence]:
    pairs = list(dict.fromkeys(f.variables for f in findings))
    single = [of[0] for of in pairs if len(of) == 1]
    several = [of for of in pairs if len(of) > 1]
    if single:
        left = len(single) - _MOST
        names = joined(map(source.said, single[:_MOST]), last=" and ")
        own = "its own distribution again: it is" if len(single) == 1 else _EACH
        more = f" {numbers.plural(left, 'other is', 'others are')} off, too." if left > 0 else ""
        how = f" from {own} off by itself.{more}"
        yield sentence("Synthesise ", *names, how, link="overview")
    for of in several[:_MOST]:
        first, *others = of
        yield sentence(
            "Synthesise ",
            *source.said(first),
            " after ",
            *joined(map(source.said, others), last=" and "),
            ", with them among its predictors: their relation is lost or exaggerated.",
            link="utility",
        )
    if len(several) > _MOST:
        rest = numbers.plural(len(several) - _MOST, "more table")
        yield sentence(f"Do the same for {rest}; they are in the annex.", link="utility")


def _others(source: Source, findings: list[Finding]) -> Iterator[Sentence]:
    rules = [f for f in findings if f.place.rule]
    if rules:
        texts = joined((source.rule_text(f.scenario) for f in rules[:_MOST]), last=" and ")
        yield sentence("Impose on the synthesis: ", *texts, ".", link="rules")
    if len(rules) < len(findings):
        yield sentence(
            "Fit the models of the study to it before it goes out, and tell users which differ.",
            link="specific",
        )


def _effect(source: Source, remedied: Remedies | None) -> SafeTable:
    columns = (
        column("Replica", "replica"),
        column("Intruder", "scenario"),
        number("Unique in both", "unique", "records"),
        number("after", "unique_after"),
        number("Disclosed", "learnt", "records"),
        number("after", "learnt_after"),
        number("Copied", "copied", "records"),
        number("Values to blank", "blanked"),
        number("Records to drop", "dropped"),
    )
    caption = "If each record at risk is treated on its own: counted again"
    if source.release or remedied is None:
        return table(caption, columns)
    rows: list[tuple[Content, ...]] = []
    beyond = [name for name, one in source.held.items() if one.whole]
    some = remedied.effect[~remedied.effect["replica"].isin(beyond)]
    for (replica, scenario), part in some.groupby(["replica", "scenario"], sort=False):
        worst = part.iloc[int((part["unique"] + part["learnt"]).to_numpy().argmax())]
        counts = (int(worst[one.field]) for one in columns[2:])
        rows.append((source.named(str(replica)), source.named(str(scenario)), *counts))
    return table(
        caption,
        columns,
        rows,
        "The worst synthesis of each. One key is blanked in the replica records that show "
        "somebody, or they are dropped (sdcmetrics remedies lists them). Whoever learns of this "
        "rule can tell from the holes who was in the original: it is for a few records. "
        "To coarsen a key is safer.",
    )
