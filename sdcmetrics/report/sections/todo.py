"""Remedies: per replica, what to change in how it is made, or in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcmetrics.decision.answer import Decision
from sdcmetrics.measures.homogeneity.places import KIND as EQUAL_TABLES
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES
from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeTable,
    Sentence,
    Words,
    as_name,
    column,
    joined,
    sentence,
    table,
)
from sdcmetrics.report.sections.answers import UTILITY
from sdcmetrics.report.sections.manners import Manner, manner_of
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.study.study import Scenario

if TYPE_CHECKING:
    from sdcmetrics.review.remedies import Remedies

_BEYOND = (Status.FAIL, Status.REVIEW)
_MOST = 2
"""Pairs of variables that are named per replica; the others are in the annex."""
_FEW = 0.01
"""Share of the original up to which records are dropped one by one."""
_NEAR = (Claim.FOLLOWS.value, Claim.CLOSER.value)
"""Claims that say nothing of equal records, where they stand first."""


@dataclass(frozen=True, slots=True)
class ToDo:
    """Changes by replica, and their effect where it was counted again."""

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
        tuple(
            (source.name(replica), tuple(_steps(source, replica))) for replica in source.replicas
        ),
        _effect(source, remedied),
    )


def _steps(source: Source, replica: str) -> Iterator[Sentence]:
    held = source.held.get(replica)
    if held is not None and held.whole:
        yield sentence(
            "Do not hand it out: it holds the original, or most of it. "
            f"{_manner(source, replica).again} To coarsen, blank or drop values here would leave "
            "the file of real people that it is.",
            link="fresh",
        )
        return
    manner, decision = _manner(source, replica), source.decisions[replica]
    findings = [f for f in source.findings if f.replica == replica and f.status in _BEYOND]
    risk, useful = [*_copies(source, replica)], list[Sentence]()
    if decision.risk.status in _BEYOND:  # a limit need not count: then nothing is asked for
        risk += _identifiers(source, replica)
        risk += _kept(source, replica)
        risk += _risks(source, replica, [f for f in findings if f.family == DISCLOSURE_RISK])
        risk += _other_grounds(source, replica) if risk else ()
    if decision.utility.status in _BEYOND:
        of = [f for f in findings if f.family in UTILITY]
        useful += _tables(manner, source, [f for f in of if MEASURES[f.metric].of.per == "table"])
        useful += _others(manner, source, [f for f in of if MEASURES[f.metric].of.per != "table"])
        useful += _totals(source, replica)
        useful += _derived(source, replica)
    yield from (*risk, *useful)
    yield from _without_steps(source, decision, risk, useful)


def _without_steps(
    source: Source, decision: Decision, risk: Sequence[Sentence], useful: Sequence[Sentence]
) -> Iterator[Sentence]:
    """Yield what to do about an answer to which no step belongs."""
    open_risk = decision.risk.status in _BEYOND and not risk
    open_use = decision.utility.status in _BEYOND and not useful
    unjudged = [
        words
        for words, answer in (("risk", decision.risk), ("use", decision.utility))
        if answer.status is Status.NOT_JUDGED
    ]
    inside = ", in the internal edition" if source.release else ""
    if unjudged:
        which = " and its ".join(unjudged)
        yield sentence(
            f"Have its {which} judged: the decision says what was lacking{inside}.",
            link="overview",
        )
    if not (risk or useful or open_risk or open_use or unjudged):
        yield sentence("Nothing that this profile asks for. What was not checked may still ask.")
    if not (open_risk or open_use):
        return
    on = ""
    if risk or useful:
        on = f" on {'whether it may be released' if open_risk else 'whether it is useful'}"
    yield sentence(
        f"Look at what the decision states{on}{inside}: no single measure asks for more.",
        link="overview",
    )


def _identifiers(source: Source, replica: str) -> Iterator[Sentence]:
    if not source.release and source.states[replica].identifiers.hit:
        yield sentence(
            "Leave out the columns and levels that identify people of the original, or replace "
            "them by made-up ones.",
            link="overview",
        )


def _kept(source: Source, replica: str) -> Iterator[Sentence]:
    if not source.release and source.states[replica].kept:
        yield sentence(
            "Synthesise the columns whose small counts it keeps as well, or draw its records anew "
            "from the model instead of fitting them to counts. If the counts are those of a "
            "design, name its column first, as strata in [sample], and review again.",
            link="overview",
        )


def _other_grounds(source: Source, replica: str) -> Iterator[Sentence]:
    """Yield where to look for what speaks against a release and has no step of its own."""
    if source.release:
        return
    state = source.states[replica]
    if (
        state.intruder == "failed"
        or state.epsilon == "contradicted"
        or state.of_holdout
        or state.excess.flagged
        or not {Claim.OUTSIDERS, Claim.AVOIDS}.isdisjoint(state.people.claims)
    ):
        yield sentence(
            "These steps may not answer everything that the decision states on whether it may be "
            "released: look at the rest there.",
            link="overview",
        )


def _totals(source: Source, replica: str) -> Iterator[Sentence]:
    if not source.release and source.states[replica].tables.totals:
        yield sentence(
            "Scale its weights, so that they add up to those of the original, or tell users that "
            "its totals are of another number of people.",
            link="overview",
        )


def _copies(source: Source, replica: str) -> Iterator[Sentence]:
    held = source.held.get(replica)
    if held is None or not held.alarming:
        return
    looser = sentence(_manner(source, replica).looser, link="fresh")
    if held.words in _NEAR:
        yield looser
        return
    shares = [copy for copy in source.copied if copy.replica == replica and copy.n]
    worst = max(shares, key=lambda copy: copy.copied / copy.n, default=None)
    if worst is not None and worst.copied > _FEW * worst.n:
        percent = numbers.percent_text(100 * worst.copied / worst.n)
        which = f"{worst.copied:,} original records ({percent})"
        if source.release:
            which = "Original records"
        elif worst.every > 1:
            which = (
                f"{worst.copied:,} of {worst.n:,} original records ({percent}), those with one in "
                f"{worst.every:,} combinations of values, drawn at random,"
            )
        where = "one of its files" if worst.synthesis else "it"
        yield sentence(
            f"{which} are in {where} in every value: too many to be dropped one by one, as what is "
            "missing then tells who they are.",
            link="fresh",
        )
        yield looser
        return
    if source.release or worst is None or worst.copied:  # of the checker's edition 0 is no figure
        yield sentence(
            "Drop the records that equal an original record and are unique in it, then review "
            "again; sdcmetrics remedies lists them.",
            link="fresh",
        )
    yield looser


def _manner(source: Source, replica: str) -> Manner:
    return manner_of(source.review.study.kinds.get(replica))


def _risks(source: Source, replica: str, findings: list[Finding]) -> Iterator[Sentence]:
    """Yield the keys to coarsen, and the targets to protect."""
    manner = _manner(source, replica)
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
        more: Words = ()
        for scenario, records in places:
            if records:
                n_unique = numbers.plural(records, "original record")
                more += (f"; {n_unique} unique only through it", *source.within(scenario.name))
        name = source.described(key) if key else ("the key with the most levels",)
        link = source.anchor(places[0][0], "")
        how = f" {manner.before} (wider groups, top coding; [coarsen] in the study tries it)"
        yield sentence("Coarsen ", *name, how, *more, ".", link=link)
    if targets:
        yield sentence(
            manner.target[0],
            *joined(map(source.described, targets), last=" and "),
            manner.target[1],
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


def _tables(manner: Manner, source: Source, findings: list[Finding]) -> Iterator[Sentence]:
    pairs = list(dict.fromkeys(f.variables for f in findings))
    single = [of[0] for of in pairs if len(of) == 1]
    several = [of for of in pairs if len(of) > 1 and not {*single} & {*of}]
    with_them = len(pairs) - len(single) - len(several)
    if single:
        left = len(single) - _MOST
        names = joined(map(source.described, single[:_MOST]), last=" and ")
        before, how = manner.alone
        own = "their own distributions" if len(single) > 1 else "its own distribution"
        how = how or f" from {own} again: "
        more = f" {numbers.plural(left, 'other is', 'others are')} off, too." if left > 0 else ""
        off = f"{'each' if len(single) > 1 else 'it'} is off by itself.{more}"
        yield sentence(before, *names, how, off, link="overview")
    if with_them:
        tables = numbers.plural(with_them, "table with such columns is", "tables with them are")
        yield sentence(f"Look again afterwards: {tables} off, too.", link="utility")
    for of in several[:_MOST]:
        first, *others = of
        yield sentence(
            manner.related[0],
            *source.described(first),
            manner.related[1],
            *joined(map(source.described, others), last=" and "),
            manner.related[2],
            link="utility",
        )
    if len(several) > _MOST:
        rest = numbers.plural(len(several) - _MOST, "more table")
        yield sentence(f"Do the same for {rest}, listed in the annex.", link="utility")


def _derived(source: Source, replica: str) -> Iterator[Sentence]:
    """Yield what to do about values of its own, and about tables of what follows from values."""
    if source.release or source.states[replica].tables.status not in _BEYOND:
        return
    results = source.inside.evidence.of(EQUAL_TABLES)
    called = [t for (name, _), of in results.items() if name == replica for t in of.called]
    invented = dict.fromkeys(t.variables[0] for t in called if t.invented)
    names = joined(map(source.described, [*invented][:_MOST]), last=" and ")
    if invented:
        left = len(invented) - _MOST
        more = (
            f" {numbers.plural(left, 'other column has', 'others have')} such, too."
            if left > 0
            else ""
        )
        yield sentence(
            _manner(source, replica).rules,
            "values of ",
            *names,
            f" that can be (bounds, codes): some are in it that the original has nowhere.{more}",
            link="utility",
        )
    for of in [t for t in called if t.derived and not t.invented][:_MOST]:
        variables = joined(map(source.described, of.variables), last=" and ")
        if of.one_sided:
            yield sentence(
                "Mend the values of ",
                *variables,
                " that one file alone has: keep a tail or a level that only the original has, or "
                "tell users that it is cut; leave nothing missing that is not so in the original.",
                link="utility",
            )
        else:
            yield sentence(
                "Mend afterwards, by rounding, bounds or swaps within records, what follows from ",
                *variables,
                f" ({of.name.split(' of ')[0]}).",
                link="utility",
            )


def _others(manner: Manner, source: Source, findings: list[Finding]) -> Iterator[Sentence]:
    rules = [f for f in findings if f.place.rule]
    if rules:
        texts = joined((source.rule_text(f.scenario) for f in rules[:_MOST]), last=" and ")
        yield sentence(manner.rules, *texts, ".", link="rules")
    if len(rules) < len(findings):
        yield sentence(
            "Fit the models of the study to it before it goes out, and tell users which differ.",
            link="specific",
        )


def _effect(source: Source, remedied: Remedies | None) -> SafeTable:
    worst = []
    if remedied is not None and not source.release:
        beyond = [name for name, held in source.held.items() if held.whole]
        some = remedied.effect[~remedied.effect["replica"].isin(beyond)]
        for _, part in some.groupby(["replica", "scenario"], sort=False):
            at_risk = (part["unique"] + part["learnt"]).to_numpy()
            worst.append(part.iloc[int(at_risk.argmax())].to_dict())
    counts = figures(
        int,
        unique=("Unique in both", "records"),
        unique_after="after",
        learnt=("Disclosed", "records"),
        learnt_after="after",
        copied=("Copied", "records"),
        blanked="Values to blank",
        dropped="Records to drop",
    )
    return listing(
        "If each record at risk is treated on its own: counted again",
        [*texts(source.named, replica="Replica", scenario="Intruder"), *counts],
        worst,
    )
