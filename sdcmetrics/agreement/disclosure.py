"""The cross-check of disclosure: every scenario and target, natively and by synthpop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.agreement.compared import Answer, Compared
from sdcmetrics.agreement.tables import native_tables
from sdcmetrics.agreement.verdict import agree
from sdcmetrics.errors import RError
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.disclosure import measure
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.synthesis import Options
from sdcmetrics.microdata.coding import Rule, by_groups, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised
from sdcmetrics.rbridge import disclosure as ask_disclosure
from sdcmetrics.rbridge import multi_disclosure as ask_multi_disclosure
from sdcmetrics.rbridge import presentation as shown
from sdcmetrics.rbridge.session import Patience
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.utility import utility_tabs
from sdcmetrics.study.study import Options as StudyOptions
from sdcmetrics.study.study import Scenario

_MULTI = {"attrib.orig": "Dorig", "attrib.syn": "DiSCO", "ident.orig": "UiO", "ident.syn": "repU"}
_AS_1E5 = 1e5  # R writes some numbers from here on as 1e+05, and compares the text

Answers = dict[str, Answer]
Ask = Callable[[Synds, Sequence[str], Mapping[str, str]], Answers]


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

    def compare(self, ask: Ask, comparisons: dict[str, Compared]) -> Iterator[Compared]:
        """Measure several targets in one call, and again with their levels in one order."""
        targets = list(comparisons)
        names = [*self.keys, *targets]
        session, version = self.patience.session, self.patience.version
        theirs = ask(shown.as_user_would(self.data, names, session), targets, shown.r_names(names))
        comparisons = {t: replace(comparisons[t], synthpop=theirs[t]) for t in targets}
        again: Answers = {}
        if any(comparison.worth_asking_again(version) for comparison in comparisons.values()):
            safe = shown.safe_names(names)
            again = ask(self._alike(names), targets, safe)
            grouped = any(self.is_grouped(name) for name in names)
            if grouped and not self._settled(comparisons, again):
                # Labels of groups are re-sorted as text as well; that the groups are the same
                # is checked.
                coded = ask(self._alike(names, group_here=True), targets, safe)
                failed = any(isinstance(answer, RError) for answer in coded.values())
                again = again if failed or not self._grouping_agrees(names) else coded
        for target in targets:
            yield replace(comparisons[target], aligned=again.get(target))

    def _settled(self, comparisons: Mapping[str, Compared], again: Answers) -> bool:
        version = self.patience.version
        return all(
            replace(comparisons[t], synthpop=again[t]).all_equal(version) for t in comparisons
        )

    def _alike(self, names: Sequence[str], *, group_here: bool = False) -> Synds:
        numbers = [
            name
            for name in names
            if self.is_grouped(name)
            and not group_here
            and not shown.needs_grouping_here(self.data.variables[name])
        ]
        rules = {name: self.rule(name) for name in names}
        session = self.patience.session
        return shown.aligned(
            self.data, names, session, numbers=numbers, rules=rules, missing_is_level=False
        )

    def _options(self, names: Mapping[str, str]) -> dict[str, Any]:
        groups = {names[k]: self.groups[k] for k in self.keys if k in self.groups}
        return {"keys": [names[key] for key in self.keys], "ngroups_keys": groups or None}

    def ask(self, synds: Synds, targets: Sequence[str], names: Mapping[str, str]) -> Answers:
        """Ask disclosure(); `names` are the variables' names in the handle."""
        (target,) = targets
        options = self._options(names) | {"ngroups_target": self.groups.get(target)}
        answer = self.patience.ask(lambda: ask_disclosure(synds, target=names[target], **options))
        return {target: answer if isinstance(answer, RError) else dict(answer.per_synthesis.mean())}

    def ask_many(self, synds: Synds, targets: Sequence[str], names: Mapping[str, str]) -> Answers:
        """Ask multi.disclosure(), whose table has repU of the first synthesis only (B11)."""
        originals = [names[target] for target in targets]
        options = self._options(names)
        options["ngroups_targets"] = {names[t]: self.groups.get(t, 0) for t in targets}
        answer = self.patience.ask(
            lambda: ask_multi_disclosure(synds, targets=originals, **options)
        )
        if isinstance(answer, RError):
            return dict.fromkeys(targets, answer)
        table = answer.attrs["table"]
        return {
            target: {
                **{symbol: float(table[names[target]][name]) for name, symbol in _MULTI.items()},
                "repU, mean": float(answer["repU"].loc[names[target]]),
            }
            for target in targets
        }

    def _grouping_agrees(self, names: Sequence[str]) -> bool:
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
            answer = theirs if isinstance(theirs, RError) else theirs[called,]
            if isinstance(answer, RError):
                return False
            if not Compared(CROSSTABLES, "", {}, ours, dict(answer)).all_equal(
                self.patience.version
            ):
                return False
        return True

    def why(self, names: Sequence[str]) -> str:
        """Return the known defects of synthpop that can explain a difference."""
        for name in names:
            variable = self.data.variables[name]
            texts = set(variable.levels)
            missing = any(len(part) and bool((part < 0).any()) for part in variable.codes)
            bare_number = variable.kind is Kind.NUMBER and not self.is_grouped(name)
            if (
                name in ("keys", "target")
                or any("|" in text for text in texts)
                or variable.kind in (Kind.BOOLEAN, Kind.DATE)
                or (missing and "Missing" in texts)
                or (bare_number and any((np.abs(p) >= _AS_1E5).any() for p in variable.values))
            ):
                return "B2, B8"
        return "B2"


def compare_scenario(
    data: Harmonised, scenario: Scenario, options: StudyOptions, patience: Patience
) -> Iterator[Compared]:
    """Compare every target, for disclosure and for multi.disclosure."""
    question = _Question(data, scenario, options, patience)
    comparisons = {
        target: Compared(
            KEYS,
            "disclosure",
            {"scenario": scenario.name, "keys": tuple(question.keys), "target": target},
            question.native(target),
            None,
            defect=question.why([*question.keys, target]),
        )
        for target in data.variables
        if target in scenario.targets
    }
    for target in scenario.targets:
        for comparison in question.compare(question.ask, {target: comparisons[target]}):
            yield _with_absent_keys(comparison)
    in_common = {
        target: replace(comparison, function="multi.disclosure", only=_MULTI.values())
        for target, comparison in comparisons.items()
    }
    for comparison in question.compare(question.ask_many, in_common):
        yield _with_mean(comparison)


def _with_mean(comparison: Compared) -> Compared:
    """Explain a repU of the first synthesis only, where the native value is a mean over all."""
    answers = _answers(comparison)
    if not answers or isinstance(comparison.native, str):
        return comparison
    native = comparison.native["repU"]
    means = [answer["repU, mean"] for answer in answers if "repU, mean" in answer]
    if agree(native, answers[-1]["repU"]) or not any(agree(native, mean) for mean in means):
        return comparison
    return _explained(comparison, "repU", "B11")


def _with_absent_keys(comparison: Compared) -> Compared:
    """Explain uniques of a single key that count as in the replica because it has their level."""
    answers = _answers(comparison)
    if len(comparison.place["keys"]) > 1 or not answers or isinstance(comparison.native, str):
        return comparison
    native, theirs = comparison.native, answers[-1]["UiOiS"]
    if agree(native["UiOiS"], theirs) or not agree(native["UiO"], theirs):
        return comparison
    return _explained(comparison, "UiOiS", "B29")


def _explained(comparison: Compared, symbol: str, defect: str) -> Compared:
    """Return a comparison whose aligned answer has the native value, for a defect that is known."""
    native = dict(comparison.native) if not isinstance(comparison.native, str) else {}
    aligned = {**(_values(comparison.aligned) or {}), symbol: native[symbol]}
    return replace(comparison, aligned=aligned, defects={symbol: defect})


def _answers(comparison: Compared) -> list[Mapping[str, float]]:
    """Return what synthpop answered with values, the last being the aligned one if there is."""
    both = (_values(comparison.synthpop), _values(comparison.aligned))
    return [values for values in both if values is not None]


def _values(answer: Answer | None) -> Mapping[str, float] | None:
    return None if isinstance(answer, RError) else answer
