"""All reachable states: each has an answer, none two statuses, and no sentence that is false.

The rules are written here a second time, apart from the table: the status of a state from the
specification, and every sentence checked by its words against the facts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from sdcmetrics.decision.answer import SENTENCES, answer
from sdcmetrics.decision.risk_sentences import RISK
from sdcmetrics.decision.state import (
    OTHER_RULES,
    ExcessFacts,
    IdentifierFacts,
    LimitFacts,
    PeopleFacts,
    State,
    TableFacts,
)
from sdcmetrics.decision.statement import Statement
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.decision.table import Row
from sdcmetrics.measures.people.claims import Claim

FAILS = {Claim.COPY, Claim.RENAMED, Claim.ALIGNED}
REVIEWS = {Claim.HOLDS, Claim.EITHER, Claim.FOLLOWS}
WORDS: dict[str, Any] = dict.fromkeys(
    [
        "holds", "its", "question", "position", "identifiers", "hits", "deciding",
        "clusters", "closer", "learns", "of_original", "whom", "but", "of_others", "chance",
        "untested", "others",
        "left_out", "share", "were", "cluster", "excess_unused", "tables_unused",
        "other_words", "drifted", "noticeable", "asked", "points", "silent",
        "silent_names", "known", "passed", "differs", "unnoticed", "noticed", "suspects",
        "failed", "size_fail", "called", "differ", "table_chance", "tables", "no_share",
        "notice", "notice_w", "advised", "advice", "none_of", "failed_of", "table_cluster",
        "passed_origin", "tables_origin", "invented", "one_sided",
        "earlier", "was_out", "them", "together", "those", "disclosing",
        *(
            f"{part}_{status.name}{of}"
            for part in ("limits", "table_limits", "rules", "models")
            for status in Status
            for of in ("", "_origin")
        ),
        "ordered", "outsiders", "avoided", "claimed_epsilon", "shown_epsilon", "largest_epsilon",
        "unbounded",
        "total_percent", "uncompared", "in_part", "kept", "lacking",
    ],
    "~",
)  # fmt: skip


def people_states() -> Iterator[PeopleFacts]:
    """Yield what can be known of people: sets of claims that the procedure can give."""
    yield PeopleFacts()
    yield PeopleFacts(tested=True, sampled=True)
    loud = [
        frozenset(few)
        for size in range(3)
        for few in combinations([*FAILS, *REVIEWS, Claim.CLOSER, Claim.UNDECIDED], size)
    ]
    quiet = [
        Claim.OUTSIDERS,
        Claim.AVOIDS,
        Claim.DEDUPLICATED,
        Claim.LEFT_OUT,
        Claim.FEW_COLUMNS,
        Claim.COLUMNS,
        Claim.VOID,
        Claim.ORDER,
    ]
    for claims, holdout in product(loud, ("none", "used", "differs", "lacks columns")):
        if (Claim.HOLDS in claims or Claim.CLOSER in claims) and holdout != "used":
            continue
        if Claim.UNDECIDED in claims and (len(claims) > 1 or holdout != "used"):
            continue
        if Claim.CLOSER in claims and len(claims) > 1:
            continue
        for size in range(3):
            for more in combinations(quiet, size):
                if {Claim.VOID, Claim.COLUMNS} & {*more} and claims & (FAILS | REVIEWS):
                    continue
                others = {Claim.OUTSIDERS, Claim.AVOIDS} & {*more}
                if others and (
                    holdout != "used" or {Claim.VOID, Claim.COLUMNS} & {*more} or len(others) > 1
                ):
                    continue
                if (Claim.VOID in more and holdout != "used") or (
                    Claim.DEDUPLICATED in more and holdout == "used"
                ):
                    continue
                far_or_most = (False, True) if {Claim.CLOSER, Claim.HOLDS} & claims else (False,)
                for much in far_or_most:
                    alarmed = bool(claims & (FAILS | REVIEWS))
                    for power in ((), ("noticed",), ("withheld",), ("blind",), ("blind", "few")):
                        if alarmed and power:
                            continue
                        yield PeopleFacts(
                            tested=True,
                            claims=claims | {*more},
                            far=much and Claim.CLOSER in claims,
                            most=much and Claim.HOLDS in claims,
                            holdout=holdout,  # type: ignore[arg-type]
                            clustered=size == 1,
                            **dict.fromkeys(power, True),  # type: ignore[arg-type]
                        )


def excess_states(people: PeopleFacts) -> Iterator[ExcessFacts]:
    """Yield what the test of excess can say beside what is known of people."""
    yield ExcessFacts()
    for reason in ("no keys", "clusters", OTHER_RULES):
        yield ExcessFacts(status=Status.NOT_JUDGED, reason=reason)
    yield ExcessFacts(status=Status.NOT_JUDGED, reason="other words", other_words=True)
    alarmed = bool(people.claims & (FAILS | REVIEWS))
    bases = ("holdout", "other people") if people.holdout == "used" else ("other people",)
    for basis, copyable, words, sure in product(bases, (0, 1, 2), (False, True), (False, True)):
        plain = ExcessFacts(
            basis=basis,  # type: ignore[arg-type]
            questions=2,
            copyable=copyable,
            silent=2 - copyable,
            other_words=words,
            sure=sure,
        )
        quiet = Status.WITHIN if copyable and not words else Status.NOT_JUDGED
        yield replace(plain, status=quiet, reason="" if copyable else "nothing copyable")
        if basis == "holdout":
            yield replace(plain, status=Status.NOT_JUDGED, reason="drift", drift=True)
        flagged = replace(plain, status=Status.REVIEW, flagged=True)
        yield flagged
        if basis == "holdout" or alarmed:
            yield replace(flagged, status=Status.FAIL, shown=True)
            yield replace(flagged, status=Status.FAIL)


def lesser(status: Status) -> Iterator[frozenset[Status]]:
    """Yield what other limits can say beside the worst."""
    less = [
        item for item in (Status.REVIEW, Status.NOT_JUDGED) if severity(item) < severity(status)
    ]
    for size in range(len(less) + 1):
        yield from map(frozenset, combinations(less, size))


def limit_states() -> Iterator[LimitFacts]:
    """Yield what the limits of a profile can say."""
    yield LimitFacts()
    for status, passed in product(Status, (False, True)):
        for besides in lesser(status):
            yield LimitFacts(status=status, besides=besides, passed=passed)


def earlier_of(people: PeopleFacts) -> list[Any]:
    """Return what can be known of files that were handed out earlier."""
    if not people.tested:
        return [""]
    claimed = people.claims & (FAILS | REVIEWS) or people.far
    return ["", "quiet", *(["more", "together", "anyway"] if claimed else [])]


@pytest.fixture(scope="module")
def every_state() -> list[State]:
    """Of the first question."""
    return list(risk_states())


def risk_states() -> Iterator[State]:
    """Yield states of the first question, limits and identifiers in turn beside the others.

    Of those with claims, three in ten: what a sentence hangs on is in hundreds of them.
    """
    beside = list(product(limit_states(), (False, True), (False, True)))
    turns = random.Random(1)  # noqa: S311  (which states are visited)
    for people in people_states():
        rare = not people.claims  # few states, each beside other limits several times
        for excess in [*excess_states(people)] * (9 if rare else 1):
            if not rare and turns.random() > 0.3:
                continue
            limits, hit, census = turns.choice(beside)
            together = excess.flagged and turns.random() < 0.3
            yield State(
                people=replace(people, earlier=turns.choice(earlier_of(people))),
                excess=replace(excess, together=together),
                limits=limits,
                identifiers=IdentifierFacts(
                    hit=hit, suspected=not hit, uncompared=turns.random() < 0.2
                ),
                census=census,
                intruder=turns.choice(["", "", "", "passed", "failed"]),
                epsilon=turns.choice(["", "", "", "untested", "open", "contradicted"]),
                of_holdout=people.holdout == "used" and turns.random() < 0.1,
                kept=turns.random() < 0.2,
                words=WORDS,
            )


def risk_by_rule(state: State) -> Status:
    """Return the answer to the first question by the specification's rules."""
    claims, excess, limits = state.people.claims, state.excess, state.limits
    parts: list[Status] = []
    if claims & FAILS or state.people.most or state.intruder == "failed":
        parts.append(Status.FAIL)
    if state.epsilon == "contradicted" or state.of_holdout or Claim.OUTSIDERS in claims:
        parts.append(Status.REVIEW)
    if state.kept or (Claim.AVOIDS in claims and not claims & (FAILS | REVIEWS)):
        parts.append(Status.REVIEW)
    if claims & REVIEWS or (Claim.CLOSER in claims and state.people.far) or state.identifiers.hit:
        parts.append(Status.REVIEW)
    people = state.people
    if not people.tested or people.sampled or people.few or state.identifiers.uncompared:
        parts.append(Status.NOT_JUDGED)
    if claims & {
        Claim.UNDECIDED,
        Claim.DEDUPLICATED,
        Claim.LEFT_OUT,
        Claim.FEW_COLUMNS,
    }:
        parts.append(Status.NOT_JUDGED)
    if excess.status != "off":
        parts.append(Status(excess.status))
    if excess.other_words or excess.drift:
        parts.append(Status.NOT_JUDGED)
    if limits.status != "off":
        parts.append(Status(limits.status))
    if excess.status == "off" and limits.status == "off":
        parts.append(Status.NOT_JUDGED)
    return max(parts, key=severity)


def truths(state: State) -> list[tuple[str, bool]]:
    """Return patterns of words, and whether a sentence that has them is true of a state."""
    people, excess, limits = state.people, state.excess, state.limits
    claims = people.claims
    alarmed = bool(claims & (FAILS | REVIEWS))
    off = excess.status == "off"
    quiet = excess.copyable > 0 and not excess.flagged and not excess.drift
    whole = quiet and not people.sampled
    said = {limits.status, *limits.besides}
    return [
        (r"^It is the original\.$", Claim.COPY in claims),
        ("values renamed", Claim.RENAMED in claims),
        ("of its rows are the person of the same row", Claim.ALIGNED in claims),
        (
            "^~ records of people of the original: ",
            Claim.HOLDS in claims and not (people.most and not claims & FAILS),
        ),
        ("^It holds most of the original", people.most and not claims & FAILS),
        (
            "either it holds or follows",
            Claim.EITHER in claims and not claims & {Claim.HOLDS, *FAILS},
        ),
        ("would decide", Claim.EITHER in claims and not claims & {Claim.HOLDS, *FAILS}),
        ("follow single people", Claim.FOLLOWS in claims and not claims & FAILS),
        (
            "equal records are no more than chance may give",
            Claim.FOLLOWS in claims and not claims & {Claim.HOLDS, Claim.EITHER, *FAILS},
        ),
        ("[Nn]o person of the original was found", not alarmed),
        (
            "of people of the holdout, more than",
            Claim.OUTSIDERS in claims and not state.of_holdout,
        ),
        ("^Fewer people of the original than chance", Claim.AVOIDS in claims and not alarmed),
        ("^Fewer people .*, and whoever sees where it has nobody", people.holdout == "used"),
        ("much closer", Claim.CLOSER in claims and people.far),
        ("a little closer", Claim.CLOSER in claims and not people.far),
        ("left out, by more", people.holdout == "used"),
        ("column by column", Claim.COLUMNS in claims),
        ("order of those", Claim.ORDER in claims),
        ("common records, or people of one register", Claim.VOID in claims),
        ("neither confirms", Claim.UNDECIDED in claims and people.holdout == "used"),
        (
            "no repeated record",
            Claim.DEDUPLICATED in claims and people.holdout != "used" and not claims & FAILS,
        ),
        ("hardly ~ the original", Claim.LEFT_OUT in claims),
        ("Fewer than two columns", Claim.FEW_COLUMNS in claims and not claims & FAILS),
        ("holdout differs from the original~, and was not", people.holdout == "differs"),
        ("name the column that says", people.holdout == "differs" and not people.clustered),
        ("would have noticed in 9", people.noticed and not alarmed),
        ("cannot be said", people.withheld),
        ("^No number of copied people", people.blind and not people.few),
        ("too few records to tell whose they are", people.few),
        ("Whether it holds .* was not tested", not people.tested),
        ("tested on a random part", people.tested and people.sampled),
        ("holdout, which lacks columns", people.holdout == "lacks columns"),
        ("^The holdout lacks columns", people.holdout == "lacks columns"),
        ("is the holdout itself", state.of_holdout),
        ("identify people of the original are", state.identifiers.hit),
        ("^Small counts of the original are in its tables, ", state.kept and not claims & FAILS),
        ("may identify people", state.identifiers.suspected),
        ("^Columns of it in no table, distance or set of keys: ~", state.identifiers.uncompared),
        ("intruder identified somebody", state.intruder == "failed"),
        ("tried, and identified nobody", state.intruder == "passed"),
        ("contradicts that: by whom", state.epsilon == "contradicted"),
        ("does not contradict that, which certifies nothing", state.epsilon == "open"),
        ("contradicts that was not tested: ~", state.epsilon == "untested"),
        (
            "of what the original itself would have in its place",
            excess.status == Status.FAIL and excess.shown,
        ),
        ("the original itself would, or more", excess.status == Status.FAIL and not excess.shown),
        (
            r"people in the original, ~ ~ of ~ \(p",
            (excess.status == Status.REVIEW or (excess.status == Status.FAIL and excess.shown))
            and excess.basis == "holdout",
        ),
        (
            "from as many records of other people it would be",
            (excess.status == Status.REVIEW or (excess.status == Status.FAIL and excess.shown))
            and excess.basis == "other people",
        ),
        (
            "there this replica was not found to disclose",
            whole,
        ),
        ("^In a random part of the records it was not found", quiet and people.sampled),
        ("as many records of other people would\\.", excess.basis == "other people"),
        ("more than people who were not in it", excess.basis == "holdout" and not state.census),
        ("There is no holdout", people.holdout == "none"),
        ("In the holdout even a copy", people.holdout == "used"),
        ("stand in for the holdout", people.holdout in ("differs", "lacks columns")),
        ("stand in for the holdout\\.", people.holdout == "differs"),
        ("holds everybody", whole and state.census and excess.basis == "other people"),
        ("On none of the", excess.questions > 0 and not excess.copyable and not excess.flagged),
        ("does not stand out", excess.drift),
        ("were not asked", excess.other_words),
        ("measured by other rules", excess.reason == OTHER_RULES),
        ("No keys and target", excess.reason == "no keys"),
        ("Rows belong together, or seem to", excess.reason == "clusters"),
        ("nothing can be said there", excess.silent > 0 and whole),
        (
            "nothing else can be said",
            excess.silent > 0 and not quiet and (excess.flagged or excess.copyable > 0),
        ),
        ("in the original or not", excess.sure),
        ("switched off", off and limits.status == "off"),
        ("forbids a release", Status.FAIL in said),
        ("asks for a closer look", Status.REVIEW in said),
        ("could not be computed", Status.NOT_JUDGED in said),
        ("are kept", limits.status == Status.WITHIN),
        ("others was not tested", off),
        ("does not count", limits.passed),
        ("nothing more is claimed", people.earlier == "quiet"),
        ("from file to file", people.earlier == "quiet" and people.holdout != "used"),
        ("earlier more is claimed", people.earlier == "more"),
        ("found only together", people.earlier == "together"),
        ("and without the replica", people.earlier == "anyway"),
        ("not from the replica alone", excess.together),
    ]


@cache
def matches(text: str) -> tuple[int, ...]:
    """Places in `truths` of the patterns whose words a sentence has."""
    patterns = [words for words, _ in truths(State(words=WORDS))]
    return tuple(i for i, words in enumerate(patterns) if re.search(words, text))


@cache
def text_of(template: str) -> str:
    """Return a sentence in the words of every state here."""
    return str(Statement(None, template, WORDS))


def faults(state: State, table: tuple[Row, ...]) -> list[str]:
    """Return what is wrong with the answer to the first question."""
    reply = answer(state, "risk", table)
    texts = [
        text_of(statement.template) if statement.fields is WORDS else str(statement)
        for statement in reply.statements
    ]
    out = []
    if reply.status is not risk_by_rule(state):
        out.append(f"status {reply.status} where the rules say {risk_by_rule(state)}")
    if not reply.because:
        out.append("no sentence carries the status")
    if len({*texts}) < len(texts):
        out.append("stated twice")
    checks = truths(state)
    stated: set[int] = set()
    for text in texts:
        hits = matches(text)
        stated.update(hits)
        if not hits or not all(checks[i][1] for i in hits):
            out.append(f"false, or not checked: {text}")
    out += [
        f"true and not stated: {words}"
        for i, (words, true) in enumerate(checks)
        if true and i not in stated and words in _ALWAYS
    ]
    return out


_ALWAYS = {
    r"^It is the original\.$",
    "values renamed",
    "of its rows are the person of the same row",
    "^It holds records",
    "either it holds or follows",
    "would decide",
    "follow single people",
    "much closer",
    "a little closer",
    "column by column",
    "order of those",
    "neither confirms",
    "no repeated record",
    "Fewer than two columns",
    "hardly ~ the original",
    "holdout differs from the original~, and was not",
    "name the column that says",
    "would have noticed in 9",
    "cannot be said",
    "^No number of copied people",
    "too few records to tell whose they are",
    "Whether it holds .* was not tested",
    "tested on a random part",
    "^The holdout lacks columns",
    "identify people of the original are",
    "may identify people",
    "intruder identified somebody",
    "tried, and identified nobody",
    "contradicts that: by whom",
    "does not contradict that, which certifies nothing",
    "contradicts that was not tested: ~",
    "does not stand out",
    "were not asked",
    "No keys and target",
    "measured by other rules",
    "Rows belong together, or seem to",
    "nothing can be said there",
    "nothing else can be said",
    "in the original or not",
    "switched off",
    "are kept",
    "does not count",
    "nothing more is claimed",
    "from file to file",
    "earlier more is claimed",
    "found only together",
    "and without the replica",
    "not from the replica alone",
    "On none of the",
    "there this replica was not found to disclose",
    "^In a random part of the records it was not found",
    "common records, or people of one register",
    "holds everybody",
    "of what the original itself would have in its place",
    "the original itself would, or more",
    r"people in the original, ~ ~ of ~ \(p",
    "from as many records of other people it would be",
    "forbids a release",
    "asks for a closer look",
    "could not be computed",
}


def utility_states() -> Iterator[State]:
    """Yield the states of the second question."""
    flags = list(product((False, True), repeat=4))
    parts = [LimitFacts(), *(LimitFacts(status=item) for item in Status)]
    parts.append(LimitFacts(status=Status.FAIL, besides=frozenset({Status.REVIEW})))
    for status, limits, rules, models in product(("off", *Status), parts, parts, parts):
        reasons = (
            ("no table", "clusters", "weights", "few records", OTHER_RULES)
            if status == Status.NOT_JUDGED
            else ("",)
        )
        for reason, (few, repeats, notice, advice), ways in product(reasons, flags, (2, 3)):
            tested = reason == "few records" or status not in ("off", Status.NOT_JUDGED)
            if (not tested and (few or repeats or advice)) or (
                notice and status in ("off", Status.NOT_JUDGED)
            ):
                continue
            yield State(
                tables=TableFacts(
                    status=status,
                    reason=reason,
                    derived=status == Status.REVIEW and few and not (advice and ways == 2),
                    advice=advice,
                    repeats=repeats,
                    few=few and status != Status.FAIL,
                    few_clusters=repeats,
                    assumed_clusters=repeats,
                    ways=ways,
                    notice=notice,
                    weighted=tested and advice is few,
                    counted_once=tested and advice is few and repeats,
                    skipped=tested and few and ways == 2,
                    totals=tested and advice is few and not repeats and ways == 2,
                    invented=status in (Status.REVIEW, Status.FAIL) and advice,
                    only_invented=status == Status.REVIEW and advice and ways == 2,
                    one_sided=tested and repeats and ways == 2,
                    unexchanged=tested and repeats and few,
                ),
                table_limits=limits,
                rules=rules,
                models=models,
                lacking=few is advice,
                words=WORDS,
            )


def utility_by_rule(state: State) -> Status:
    """Return the answer to the second question by the specification's rules."""
    each = (state.tables, state.table_limits, state.rules, state.models)
    parts = [Status(item.status) for item in each if item.status != "off"]
    if state.tables.totals:
        parts.append(Status.REVIEW)
    return max(parts, key=severity, default=Status.NOT_JUDGED)


def test_every_state_of_risk_has_one_answer_and_no_false_sentence(
    every_state: list[State],
) -> None:
    for state in every_state:
        wrong = faults(state, SENTENCES)
        assert not wrong, (state, wrong)
    assert len(every_state) > 10_000


@pytest.mark.parametrize("way", ["intruder", "epsilon"])
def test_what_else_is_told_never_makes_an_answer_milder(every_state: list[State], way: str) -> None:
    others = ("passed", "failed") if way == "intruder" else ("untested", "open", "contradicted")
    for state in every_state[::29]:
        without = answer(replace(state, **{way: ""}), "risk")
        for other in others:
            reply = answer(replace(state, **{way: other}), "risk")
            assert severity(reply.status) >= severity(without.status)
            assert {str(s) for s in without.statements} < {str(s) for s in reply.statements}
            if other in ("passed", "untested", "open"):
                assert reply.status is without.status


def test_every_state_of_utility_has_one_answer() -> None:
    for state in utility_states():
        reply = answer(state, "utility")
        texts = "\n".join(map(str, reply.statements))
        assert reply.status is utility_by_rule(state)
        assert reply.because
        assert ("No limit on tables" in texts) == (
            {state.tables.status, state.table_limits.status, state.rules.status}
            | {state.models.status}
            == {"off"}
        )
        assert ("of the original that are not in it" in texts) == state.lacking
        assert ("Rows belong together" in texts) == (state.tables.reason == "clusters")
        assert ("its rows were taken to belong" in texts) == state.tables.assumed_clusters
        assert ("fewer than 30 records" in texts) == state.tables.few
        weighted, once = state.tables.weighted, state.tables.counted_once
        assert ("the weights of both files" in texts) == (weighted and not once)
        assert ("each of its records counts once" in texts) == (weighted and once)
        assert ("The files are counted batch by batch: which" in texts) == state.tables.skipped
        assert ("weights add up to" in texts) == state.tables.totals
        assert ("that the original has nowhere" in texts) == state.tables.invented
        assert ("that the other file has nowhere" in texts) == state.tables.one_sided
        assert ("one of the files has were not looked for" in texts) == state.tables.unexchanged
        assert ("by more than chance (p" in texts) == (
            state.tables.status == Status.REVIEW and not state.tables.only_invented
        )
        assert ("by which tables could not be made" in texts) == (state.tables.reason == "weights")
        few_records = state.tables.reason == "few records"
        assert ("too few records to judge tables" in texts) == few_records
        assert ("and by more than a small" in texts) == (
            state.tables.status == Status.WITHIN or few_records
        )
        for part, facts in (("rules", state.rules), ("models", state.models)):
            assert (f"limits on {part} are kept" in texts) == (facts.status == Status.WITHIN)
        for plural, part in (("Rules are", state.rules), ("Models are", state.models)):
            asked = {part.status, *part.besides}
            assert (f"{plural} beyond the limit that means" in texts) == (Status.FAIL in asked)
            assert (f"{plural} beyond the limit that asks" in texts) == (Status.REVIEW in asked)


BROKEN = {
    "always true": lambda row: replace(row, condition=lambda _: True),
    "never true": lambda row: replace(row, condition=lambda _: False),
    "another status": lambda row: replace(
        row, status=Status.FAIL if row.status is Status.REVIEW else Status.REVIEW
    ),
}


@pytest.fixture(scope="module")
def some_states(every_state: list[State]) -> list[State]:
    """Those without a fault, and some of the others."""
    quiet = [
        item for item in every_state if risk_by_rule(item) in (Status.WITHIN, Status.NOT_JUDGED)
    ]
    return [
        *quiet,
        *(item for item in every_state if risk_by_rule(item) is Status.REVIEW),
        *every_state[::15],
    ]


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_table_is_noticed(some_states: list[State], way: str) -> None:
    for place, row in enumerate(RISK):
        if row.status is None and way == "another status":
            continue
        table = (*RISK[:place], BROKEN[way](row), *RISK[place + 1 :])
        touched = (  # any other state has the answer of the whole table, which has no fault
            state for state in some_states if row.condition(state) is not (way == "always true")
        )
        assert any(faults(state, table) for state in touched), (way, row.words)
