"""The cross-check of disclosure: every scenario and target, natively and by synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.agreement.tables import METRICS as TABLE_METRICS
from sdcmetrics.agreement.tables import behind, native_tables
from sdcmetrics.agreement.verdict import agree, judge_pair
from sdcmetrics.errors import RError
from sdcmetrics.measures.crosstables.counting import index_keys
from sdcmetrics.measures.disclosure.disclosure import measure
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.synthesis import Options
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.microdata.coding import Rule, by_groups, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised
from sdcmetrics.rbridge import disclosure as ask_disclosure
from sdcmetrics.rbridge import multi_disclosure as ask_multi_disclosure
from sdcmetrics.rbridge import presentation as shown
from sdcmetrics.rbridge.patience import Patience
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.utility import utility_tabs
from sdcmetrics.study.study import Options as StudyOptions
from sdcmetrics.study.study import Scenario

__all__ = ["METRICS", "check_scenario"]

METRICS: tuple[Measure, ...] = tuple(m for m in MEASURES.values() if m.twin and m.of is KEYS)
_MEAN = "repU, mean"  # multi.disclosure's table has repU of the first synthesis only (B11)
_MULTI = {"attrib.orig": "Dorig", "attrib.syn": "DiSCO", "ident.orig": "UiO", "ident.syn": "repU"}

_AS_1E5 = 1e5  # R writes some numbers from here on as 1e+05, and compares the text
Answer = Mapping[str, float] | RError


class _Question:
    """One set of keys with the targets of a scenario, and how their numbers are grouped."""

    def __init__(
        self, data: Harmonised, scenario: Scenario, options: StudyOptions, patience: Patience
    ) -> None:
        self.data = data
        self.keys = [name for name in data.variables if name in scenario.keys]
        self.groups = {
            **{k: n for k, n in options.ngroups_keys.items() if k in scenario.keys},
            **{t: n for t, n in options.ngroups_targets.items() if t in scenario.targets},
        }
        self.patience = patience

    def rule(self, name: str) -> Rule:
        return by_groups(self.groups[name]) if self.groups.get(name) else by_value

    def is_grouped(self, name: str) -> bool:
        return bool(self.groups.get(name)) and self.data.variables[name].kind is Kind.NUMBER

    def native(self, target: str) -> dict[str, float]:
        names = [*self.keys, target]
        coded = encode(self.data, {name: self.rule(name) for name in names}, names)
        chosen = Options(use_key_missing=dict.fromkeys(self.keys, True))
        result = measure(self.data, coded, index_keys(coded, self.keys), self.keys, target, chosen)
        mean = result.per_synthesis.mean()
        return {str(name): float(value) for name, value in mean.items()}

    def plain(self, targets: Sequence[str]) -> Synds:
        return shown.as_user_would(self.data, [*self.keys, *targets], self.patience.session)

    def alike(self, targets: Sequence[str], *, group_here: bool = False) -> Synds:
        names = [*self.keys, *targets]
        numbers = [
            name
            for name in names
            if self.is_grouped(name)
            and not group_here
            and not shown.needs_grouping_here(self.data.variables[name])
        ]
        return shown.aligned(
            self.data,
            names,
            self.patience.session,
            numbers=numbers,
            rules={name: self.rule(name) for name in names},
            missing_is_level=False,
        )

    def ask(self, synds: Synds, target: str, names: Mapping[str, str]) -> Answer:
        """Ask for one target; `names` are the variables' names in the handle."""
        groups = {names[k]: n for k, n in self.groups.items() if k in names}
        keys = [names[key] for key in self.keys]
        answer = self.patience.ask(
            lambda: ask_disclosure(
                synds,
                keys=keys,
                target=names[target],
                ngroups_keys={k: groups[k] for k in keys if k in groups} or None,
                ngroups_target=groups.get(names[target]),
            )
        )
        return answer if isinstance(answer, RError) else dict(answer.per_synthesis.mean())

    def ask_many(
        self, synds: Synds, targets: Sequence[str], names: Mapping[str, str]
    ) -> dict[str, dict[str, float]] | RError:
        groups = {names[k]: n for k, n in self.groups.items() if k in names}
        keys = [names[key] for key in self.keys]
        answer = self.patience.ask(
            lambda: ask_multi_disclosure(
                synds,
                keys=keys,
                targets=[names[target] for target in targets],
                ngroups_keys={k: groups[k] for k in keys if k in groups} or None,
                ngroups_targets={names[t]: groups.get(names[t], 0) for t in targets},
            )
        )
        if isinstance(answer, RError):
            return answer
        table = answer.attrs["table"]
        found = {}
        for target in targets:
            row = table[names[target]]
            found[target] = {symbol: float(row[name]) for name, symbol in _MULTI.items()}
            found[target][_MEAN] = float(answer["repU"].loc[names[target]])
        return found

    def grouping_agrees(self, names: Sequence[str]) -> bool:
        """Whether synthpop puts the grouped numbers into the same groups as this package."""
        for name in names:
            if not self.is_grouped(name):
                continue
            called = shown.r_names([name])[name]
            synds = shown.as_user_would(self.data, [name], self.patience.session)
            count = self.groups[name]
            theirs = self.patience.ask(
                lambda s=synds, n=count, v=called: utility_tabs(s, [(v,)], ngroups=n)  # type: ignore[misc]
            )
            coded = encode(self.data, by_groups(count), [name])
            ours = native_tables(coded, [(name,)], k_syn=False)[name,]
            found = theirs if isinstance(theirs, RError) else theirs[called,]
            if not isinstance(found, pd.Series) or not isinstance(ours, pd.Series):
                return False
            if not all(
                agree(ours[m.symbol], found[m.symbol], metric=m.symbol) for m in TABLE_METRICS
            ):
                return False
        return True


def check_scenario(
    data: Harmonised, scenario: Scenario, options: StudyOptions, patience: Patience
) -> Iterator[dict[str, Any]]:
    """Yield one row a target and measure, for disclosure and for multi.disclosure."""
    question = _Question(data, scenario, options, patience)
    native = {target: question.native(target) for target in scenario.targets}
    place = {"scenario": scenario.name, "keys": tuple(question.keys)}
    for target in scenario.targets:
        names = [*question.keys, target]
        theirs = question.ask(question.plain([target]), target, shown.r_names(names))
        again = None
        if not _all_equal(native[target], theirs):
            again = _ask_again(question, target, native[target], theirs)
        why = _why(data, question, names)
        for metric in METRICS:
            yield {
                **place,
                "family": metric.family,
                "metric": metric.symbol,
                "function": "disclosure",
                "target": target,
                **_judge(metric, native[target], theirs, again, why),
            }
    yield from _check_many(question, scenario, native, place)


def _check_many(
    question: _Question,
    scenario: Scenario,
    native: Mapping[str, Mapping[str, float]],
    place: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    targets = [name for name in question.data.variables if name in scenario.targets]
    names = [*question.keys, *targets]
    theirs = question.ask_many(question.plain(targets), targets, shown.r_names(names))
    again: dict[str, dict[str, float]] | RError | None = None
    if isinstance(theirs, RError) or not all(
        _all_equal(native[target], theirs[target], _MULTI.values()) for target in targets
    ):
        again = question.ask_many(question.alike(targets), targets, shown.safe_names(names))
        if isinstance(again, RError) or not all(
            _all_equal(native[target], again[target], _MULTI.values()) for target in targets
        ):
            coded = question.ask_many(
                question.alike(targets, group_here=True), targets, shown.safe_names(names)
            )
            if not isinstance(coded, RError) and question.grouping_agrees(names):
                again = coded
    for target in scenario.targets:
        why = _why(question.data, question, [*question.keys, target])
        for symbol in _MULTI.values():
            metric = MEASURES[symbol]
            first = theirs if isinstance(theirs, RError) else theirs[target]
            second = again if again is None or isinstance(again, RError) else again[target]
            row = _judge(metric, native[target], first, second, why)
            if symbol == "repU" and not row["explained"] and not isinstance(first, RError):
                row = _judge(metric, native[target], first, {"repU": first[_MEAN]}, "B11")
            yield {
                **place,
                "family": metric.family,
                "metric": metric.symbol,
                "function": "multi.disclosure",
                "target": target,
                **row,
            }


def _ask_again(
    question: _Question, target: str, native: Mapping[str, float], theirs: Answer
) -> Answer | None:
    """Ask with the levels shown in one order; numbers that need it are grouped here at last."""
    if isinstance(theirs, RError) and theirs.kind != "error":
        return None
    names = [*question.keys, target]
    safe = shown.safe_names(names)
    again = question.ask(question.alike([target]), target, safe)
    grouped = any(question.is_grouped(name) for name in names)
    if _all_equal(native, again) or not grouped:
        return again
    # Labels of groups are re-sorted as text as well; that the groups are the same is checked.
    coded = question.ask(question.alike([target], group_here=True), target, safe)
    return coded if question.grouping_agrees(names) else again


def _all_equal(native: Mapping[str, float], theirs: Answer, symbols: Any = None) -> bool:
    if isinstance(theirs, RError):
        return False
    chosen = METRICS if symbols is None else [MEASURES[symbol] for symbol in symbols]
    return all(
        agree(
            native[m.symbol],
            float(theirs[m.twin_name]),
            rtol=m.rtol,
        )
        for m in chosen
    )


def _judge(
    metric: Measure,
    native: Mapping[str, float],
    theirs: Answer,
    again: Answer | None,
    why: str,
) -> dict[str, Any]:
    name = metric.twin_name
    error = theirs if isinstance(theirs, RError) else again if isinstance(again, RError) else None
    agreement = judge_pair(
        native[metric.symbol],
        None if isinstance(theirs, RError) else float(theirs[name]),
        None if again is None or isinstance(again, RError) else float(again[name]),
        metric=metric.symbol,
        rtol=metric.rtol,
        defect=behind(error) or why,
        reason="" if error is None else error.reason,
        known=error is not None and bool(error.defects),
    )
    return asdict(agreement)


def _why(data: Harmonised, question: _Question, names: Sequence[str]) -> str:
    """Return the defects that can make synthpop's own answer differ."""
    found = ["B2"]
    for name in names:
        variable = data.variables[name]
        texts = set(variable.levels)
        missing = any(len(part) and bool((part < 0).any()) for part in variable.codes)
        bare_number = variable.kind is Kind.NUMBER and not question.is_grouped(name)
        collide = (
            name in ("keys", "target")
            or any("|" in text for text in texts)
            or variable.kind in (Kind.BOOLEAN, Kind.DATE)
            or (missing and "Missing" in texts)
            or (bare_number and any((np.abs(part) >= _AS_1E5).any() for part in variable.values))
        )
        if collide:
            found.append("B8")
    return ", ".join(dict.fromkeys(found))
