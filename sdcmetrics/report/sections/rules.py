"""Rules: relations that every record is to keep, and who breaks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcmetrics.report.measures import Measure
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
    number,
    said,
    sentence,
    table,
    without_detail,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status

if TYPE_CHECKING:
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
    holds : whether every record that is shown keeps it
    """

    title: Name
    text: str
    description: str
    table: SafeTable
    remarks: tuple[Sentence, ...]
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


def _measure(source: Source, replica: str, rule: Rule, metric: str) -> Measure | None:
    return source.measures.risk(replica, metric, rule.text, "")


def _broken(source: Source, replica: str, rule: Rule) -> SafeCell:
    """Return the share that breaks a rule, with what the profile says of its severity."""
    cell = source.cell(_measure(source, replica, rule, "rule_broken"))
    severity = _measure(source, replica, rule, "rule_severity")
    if severity is None or severity.value is None:
        return cell
    return source.guard.judged(cell, source.status(severity))


def _kept(source: Source, rule: Rule) -> SafeCell:
    """Return the share of the original, from the first replica that the rule fits."""
    cells = [source.cell(_measure(source, r, rule, "rule_kept")) for r in source.replicas]
    known = (cell for cell in cells if cell.number is not None or cell.kind == "hidden")
    return next(known, cells[0])


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
                without_detail(_kept(source, rule)),
                *(without_detail(_broken(source, replica, rule)) for replica in source.replicas),
            )
            for rule in source.review.study.rules
        ),
        "Means over the syntheses of a replica. Records in which a missing value leaves a "
        "rule open neither keep nor break it.",
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
        columns.append(number("Severity", "severity"))
    remarks = tuple(_remarks(source, rule))
    broken = [_broken(source, replica, rule).number for replica in source.replicas]
    kept = _kept(source, rule).number
    holds = not remarks and kept == _ALL and all(share == 0 for share in broken)
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
        holds,
    )


def _rows(source: Source, rule: Rule) -> Iterator[tuple[Content, ...]]:
    """Yield the original, the holdout if there is one, and each replica that the rule fits."""
    found = {r: source.review.rules.get((r, rule.text)) for r in source.replicas}
    known = next((outcome for outcome in found.values() if outcome is not None), None)
    if known is None:
        return
    cells = _of_confidential(source, known.original)
    yield "original", _kept(source, rule), *cells[1:], None
    if known.holdout is not None:
        yield "holdout", *_of_confidential(source, known.holdout), None
    for replica, outcome in found.items():
        if outcome is not None:
            kept, _, *others = (_share(source, outcome.syntheses, field) for field, _ in _SHARES)
            broken = _broken(source, replica, rule)
            severity = source.cell(_measure(source, replica, rule, "rule_severity"))
            yield source.named(replica), kept, broken, *others, severity


def _of_confidential(source: Source, counts: RuleCounts) -> list[SafeCell]:
    if source.release:
        return [SafeCell("not shown", "hidden") for _ in _SHARES]
    return [_share(source, [counts], field) for field, _ in _SHARES]


def _share(source: Source, sets: Sequence[RuleCounts], field: str) -> SafeCell:
    """Return a share of the records of syntheses; outside, of nothing else."""
    count = sum(getattr(counts, field) for counts in sets) / len(sets)
    total = sum(counts.n for counts in sets) / len(sets)
    percent = sum(100.0 * getattr(counts, field) / counts.n for counts in sets) / len(sets)
    return source.guard.share("rule_broken", percent, count, total)


def _remarks(source: Source, rule: Rule) -> list[Sentence]:
    out = []
    if source.names_rare_level(rule.text):
        source.guard.suppress(source.rule_rare)
        out.append(sentence(f"Held back by the rule: {source.rule_rare}."))
    for replica in source.replicas:
        measure = _measure(source, replica, rule, "rule_broken")
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
    kept = _kept(source, rule)
    original: Words = ()
    if kept.number is not None or kept.bound is not None:
        original = (f", which {said(kept)} of the original records keep",)
    limit = worst.threshold
    kind = "" if limit is None else f" ({limit.kind})"
    return sentence(
        source.name(finding.replica),
        f" breaks {len(beyond):,} of {numbers.plural(len(same), 'rule')} more often than the "
        f"profile allows{kind}. The worst is ",
        _title(source, rule),
        f": {said(source.cell(_measure(source, finding.replica, rule, 'rule_broken')))} of its "
        "records break it",
        *original,
        ".",
        status=finding.status,
        link="rules",
    )


def _excess(source: Source, finding: Finding) -> float:
    """Return how much more a rule is broken than in the original; outside, how severely."""
    found = source.review.rules.get((finding.replica, finding.scenario))
    if source.release or found is None:
        return finding.value
    return found.broken_percent - found.original.broken_share.percent


def rules_table(source: Source) -> SafeTable:
    """Return the table that goes to a file: one row per rule and replica."""
    rows, names = [], ("rule_kept", "rule_broken", "rule_severity")
    for rule in source.review.study.rules:
        for replica in source.replicas:
            kept = source.cell(_measure(source, replica, rule, "rule_kept"))
            broken = _broken(source, replica, rule)
            severity = _measure(source, replica, rule, "rule_severity")
            cells = (kept, broken, source.cell(severity))
            hidden = [
                f"{name} {cell.text}".replace("\N{NO-BREAK SPACE}", " ")
                for name, cell in zip(names, cells, strict=True)
                if cell.number is None
            ]
            status = Status.NOT_JUDGED if severity is None else source.status(severity)
            rows.append(
                (
                    source.rule_text(rule.text),
                    source.named(rule.name),
                    source.named(replica),
                    *cells,
                    status.value,
                    "; ".join(hidden),
                )
            )
    columns = [*map(column, ("rule", "name", "replica")), *map(number, names)]
    columns += [column("status"), column("not shown", "not_shown")]
    return table("Rules by replica", columns, rows)
