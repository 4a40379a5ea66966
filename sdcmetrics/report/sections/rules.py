"""Rules: relations that every record is to keep, named or searched for, and who breaks them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcmetrics.report.grid import replica_columns
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Section,
    Sentence,
    Words,
    column,
    count_cell,
    in_sentence,
    number,
    sentence,
    table,
    withheld,
    without_detail,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status

if TYPE_CHECKING:
    from sdcmetrics.measures.rules.find_rules import FoundRule
    from sdcmetrics.measures.rules.outcome import RuleCounts
    from sdcmetrics.measures.rules.rule import Rule

_ALL = 100.0
_SHARES = (
    ("kept", "Keep it"),
    ("broken", "Break it"),
    ("unknown", "Left open"),
    ("applies", "It applies to"),
)


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """One rule: its text and what every data set makes of it.

    Attributes
    ----------
    title : its name, or its number
    text : the rule, or that it is held back
    description : what the study says of it
    table : one row per data set
    remarks : why it could not be checked, where it could not
    note : how a rule is judged that the original itself breaks
    holds : whether every record that is shown keeps it
    """

    title: Name
    text: str
    description: str
    table: SafeTable
    remarks: tuple[Sentence, ...]
    note: str = ""
    holds: bool = False


def rules_section(source: Source) -> Section[RuleBlock]:
    """Return the section on rules."""
    rules = source.review.study.rules
    return Section(
        summary=_summary(source),
        blocks=tuple(_block(source, rule) for rule in rules),
        none=""
        if rules
        else "The study names no rule, so nothing was checked. Name relations that every record "
        "must keep in the study file, such as age_married <= age.",
    )


def _broken(source: Source, replica: str, rule: Rule) -> SafeCell:
    """Return the share that breaks a rule, with what the profile says of its severity."""
    cell = source.at(replica, "rule_broken", scenario=rule.text)
    severity = source.measures.find(replica, "rule_severity", rule.text)
    if severity is None or severity.value is None:
        return cell
    return source.guard.judged(cell, source.status(severity))


def _kept_share(source: Source, rule: Rule) -> SafeCell:
    """Return the share of the original, from the first replica that the rule fits."""
    cells = [source.at(r, "rule_kept", scenario=rule.text) for r in source.replicas]
    shown = (cell for cell in cells if cell.number is not None or cell.kind == "hidden")
    return next(shown, cells[0])


def _summary(source: Source) -> SafeTable:
    return table(
        "Records that break a rule, in percent of each replica",
        (
            column("Rule", "rule"),
            number("Original", "original", "keeps it"),
            *replica_columns(source),
        ),
        (
            (
                _title(source, rule),
                without_detail(_kept_share(source, rule)),
                *(without_detail(_broken(source, replica, rule)) for replica in source.replicas),
            )
            for rule in source.review.study.rules
        ),
    )


def _title(source: Source, rule: Rule) -> Name:
    if rule.name:
        return source.name(rule.name)
    return source.rule_text(rule.text)


def _block(source: Source, rule: Rule) -> RuleBlock:
    place = f"Rule {source.review.study.rules.index(rule) + 1}"
    title = source.name(rule.name) if rule.name else Name(place, place)
    columns = [column("Data set", "data_set")]
    columns += [number(heading, field) for field, heading in _SHARES]
    if not source.release:
        columns += [
            number("Severity", "severity"),
            number("p", "p", "if by chance alone"),
        ]
    remarks = tuple(_remarks(source, rule))
    outcomes = [source.review.rules.get((replica, rule.text)) for replica in source.replicas]
    kept_by_all = all(
        outcome is not None and all(counts.fulfilled == counts.n for counts in outcome.syntheses)
        for outcome in outcomes
    )
    holds = not remarks and _kept_share(source, rule).number == _ALL and kept_by_all
    return RuleBlock(
        title,
        source.rule_text(rule.text).full,
        clean(rule.description),
        table(
            "Records that keep, break or leave open the rule",
            columns,
            (row[: len(columns)] for row in _rows(source, rule)),
        ),
        remarks,
        _how_judged(source, rule),
        holds,
    )


def _how_judged(source: Source, rule: Rule) -> str:
    """Return how a rule is judged that the original itself breaks; inside only."""
    limit = source.profile.thresholds.get("rule_severity")
    measures = (source.measures.find(replica, "rule_p", rule.text) for replica in source.replicas)
    chances = [measure for measure in measures if measure is not None and measure.value is not None]
    if source.release or limit is None or limit.chance is None or not chances:
        return ""
    return (
        "People of the original or the holdout break this rule, too: a replica is called where it "
        "breaks it more often than the original by more than chance (p, times the number of such "
        f"rules, at most {limit.chance:g})."
    )


def _rows(source: Source, rule: Rule) -> Iterator[tuple[Content, ...]]:
    """Yield the original, the holdout if there is one, and each replica that the rule fits."""
    outcomes = {r: source.review.rules.get((r, rule.text)) for r in source.replicas}
    first = next((outcome for outcome in outcomes.values() if outcome is not None), None)
    if first is None:
        return
    cells = _of_confidential(source, first.original)
    yield "original", _kept_share(source, rule), *cells[1:], None, None
    if first.holdout is not None:
        yield "holdout", *_of_confidential(source, first.holdout), None, None
    for replica, outcome in outcomes.items():
        if outcome is not None:
            holds, _, *others = (_share(source, outcome.syntheses, field) for field, _ in _SHARES)
            broken = _broken(source, replica, rule)
            judged = (
                source.at(replica, name, scenario=rule.text) for name in ("rule_severity", "rule_p")
            )
            yield source.named(replica), holds, broken, *others, *judged


def _of_confidential(source: Source, counts: RuleCounts) -> list[SafeCell]:
    if source.release:
        return [withheld() for _ in _SHARES]
    return [_share(source, [counts], field) for field, _ in _SHARES]


def _share(source: Source, sets: Sequence[RuleCounts], field: str) -> SafeCell:
    """Return a share of the records of syntheses; outside, of nothing else."""
    count = sum(counts.entries[field] for counts in sets) / len(sets)
    total = sum(counts.n for counts in sets) / len(sets)
    percent = sum(100.0 * counts.entries[field] / counts.n for counts in sets) / len(sets)
    return source.guard.share("rule_broken", percent, count, total)


def _remarks(source: Source, rule: Rule) -> list[Sentence]:
    out = []
    if source.names_rare_level(rule.text):
        source.guard.suppress(source.rule_rare)
        out.append(sentence(f"Held back by the rule: {source.rule_rare}."))
    for replica in source.replicas:
        measure = source.measures.find(replica, "rule_broken", rule.text)
        if measure is not None and measure.value is None:
            why = "." if source.release else f": {clean(measure.reason)}"
            out.append(sentence("Not checked in ", source.name(replica), why))
    return out


def rule_sentence(source: Source, finding: Finding) -> Sentence:
    """Return what a replica breaks, in words: how many rules, and the worst of them."""
    same = [
        f
        for f in source.findings
        if (f.replica, f.metric) == (finding.replica, finding.metric) and f.threshold is not None
    ]
    beyond = [f for f in same if f.status in (Status.FAIL, Status.REVIEW)]
    worst = max(beyond, key=lambda f: (f.status is Status.FAIL, _excess(source, f)))
    rule = next(r for r in source.review.study.rules if r.text == worst.scenario)
    share = _kept_share(source, rule)
    original: Words = ()
    if share.number is not None or share.bound is not None:
        original = (f", which {in_sentence(share)} of the original records keep",)
    limit = worst.threshold
    broken = source.at(finding.replica, "rule_broken", scenario=rule.text)
    kind = "" if limit is None else f" ({limit.kind})"
    return sentence(
        source.name(finding.replica),
        f" breaks {len(beyond):,} of {numbers.plural(len(same), 'rule')} more often than the "
        f"profile allows{kind}. The worst is ",
        _title(source, rule),
        f": {in_sentence(broken)} of its records break it",
        *original,
        ".",
        status=finding.status,
        link="rules",
    )


def _excess(source: Source, finding: Finding) -> float:
    """Return how much more a rule is broken than in the original; outside, how severely."""
    outcome = source.review.rules.get((finding.replica, finding.scenario))
    if source.release or outcome is None:
        return finding.value
    return outcome.broken_percent - outcome.original.broken_share.percent


def rules_table(source: Source) -> SafeTable:
    """Return the table that goes to a file: one row per rule and replica."""
    rows: list[tuple[Content, ...]] = []
    for rule, replica in itertools.product(source.review.study.rules, source.replicas):
        cells = {
            "rule_kept": source.at(replica, "rule_kept", scenario=rule.text),
            "rule_broken": _broken(source, replica, rule),
            "rule_severity": source.at(replica, "rule_severity", scenario=rule.text),
        }
        hidden = (f"{name} {cell.text}" for name, cell in cells.items() if cell.number is None)
        severity = source.measures.find(replica, "rule_severity", rule.text)
        status = Status.NOT_JUDGED if severity is None else source.status(severity)
        start = (source.rule_text(rule.text), source.named(rule.name), source.named(replica))
        remark = "; ".join(hidden).replace("\N{NO-BREAK SPACE}", " ")
        rows.append((*start, *cells.values(), status.value, remark))
    columns = (
        *map(column, ("rule", "name", "replica")),
        *map(number, ("rule_kept", "rule_broken", "rule_severity")),
        column("status"),
        column("not shown", "not_shown"),
    )
    return table("Rules by replica", columns, rows)


_HELD_BACK = "Relations found automatically: they name levels and hold in all original records"
_RELATION = (
    column("Relation", "rule"),
    column("Kind", "kind"),
    number("Broken", "broken"),
    number("Expected", "expected", "original records, if unrelated"),
    number("More alike", "alike"),
)


@dataclass(frozen=True, slots=True)
class Relations:
    """Relations that every original record keeps and a replica breaks, a table per replica.

    Attributes
    ----------
    searched : how many relations; empty where nothing was, and in checker mode
    tables : tuple of SafeTable
        Empty in checker mode.
    """

    searched: str
    tables: tuple[SafeTable, ...]


def relations(source: Source) -> Relations:
    """Return the relations that a search came upon, if the mode shows them."""
    if source.release:
        source.guard.suppress(_HELD_BACK)
        return Relations("", ())
    searches = source.inside.candidates
    tested = max((search.tested for search in searches.values()), default=0)
    return Relations(
        numbers.plural(tested, "relation") if searches else "",
        tuple(
            table(
                ("Relations that the original keeps and ", source.name(replica), " breaks"),
                _RELATION,
                (_candidate(source, rule) for rule in search.rules),
                "For internal use: the texts name levels of the original."
                + (f" {search.left_out:,} more were found." if search.left_out else "")
                + (f" {search.sampled}" if search.sampled else ""),
            )
            for replica, search in searches.items()
            if search.rules
        ),
    )


def relations_table(source: Source) -> SafeTable | None:
    """Return all relations of the search, for a file; None in checker mode or without any."""
    if source.release:
        return None
    rows = [
        (source.named(replica), *_candidate(source, rule))
        for replica, search in source.inside.candidates.items()
        for rule in search.rules
    ]
    columns = (column("replica"), *_RELATION)
    caption = "Relations that the original keeps and a replica breaks"
    return table(caption, columns, rows) if rows else None


def _candidate(source: Source, rule: FoundRule) -> tuple[Content, ...]:
    outcome = rule.outcome
    broken = [counts.broken for counts in outcome.syntheses]
    count = sum(broken) / len(broken)
    return (
        SafeCell(text := clean(outcome.rule.text), "name", full=text),
        rule.kind,
        source.guard.share("rule_broken", outcome.broken_percent, count, None),
        None if math.isnan(rule.expected) else count_cell(rule.expected),
        rule.alike or None,
    )
