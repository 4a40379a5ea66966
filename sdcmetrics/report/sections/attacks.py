"""Who is at risk: what the keys say of people, and what attacks find beyond fresh people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from sdcmetrics.measures.anonymity.places import FILES
from sdcmetrics.measures.attacks.places import INFERENCE, MEMBERSHIP
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.registry import MEASURES, of_kind
from sdcmetrics.measures.yardstick import Marks
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    as_name,
    blank,
    column,
    joined,
    number,
    number_cell,
    percent_of,
    table,
    text_cell,
    three_decimals,
)
from sdcmetrics.report.sections.fresh_cells import p_cell
from sdcmetrics.report.sections.shown import columns_in, shown_in
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario


def people_table(source: Source, scenario: Scenario) -> SafeTable:
    """Return how likely a match is right, and who is odd; nothing in checker mode."""
    target = scenario.targets[0]
    keys = joined(map(source.name, scenario.keys), last=" and ")
    caption = ("Whether a match is right, and who is alone by up to three of ", *keys)
    metrics = source.measures.metrics
    shown = [one for one in shown_in(source, "people") if one.symbol in metrics]
    columns = [column("Data set", "data_set")]
    columns += [one for one in columns_in(source, "people") if one.field in metrics]
    if source.release:
        return table(caption, columns)

    def cells(symbols: Iterable[str], replica: str = source.replicas[0]) -> Iterator[SafeCell]:
        return (source.risk(replica, one, scenario.name, target) for one in symbols)

    beside = {one.beside: one.symbol for one in of_kind(FILES)}
    of_original = [one.symbol if one.of_original else one.beside for one in shown]
    own = [beside.get(one.symbol, "") if one.of_original else one.symbol for one in shown]
    rows: list[tuple[Content, ...]] = [("Original itself", *cells(of_original))]
    marks = {r: _marks(source, r, own[-1], scenario.name, target) for r in source.replicas}
    known = not any(math.isnan(one.outsiders) for one in marks.values())
    if known:
        columns += [
            number("the same of fewer originals", "value_at", "as many as fresh people"),
            number("of fresh people", "outsiders", "holdout"),
        ]
        rows[0] = (*rows[0], None, None)
    for r in source.replicas:
        fresh = [percent_of(marks[r].value_at), percent_of(marks[r].outsiders)] if known else []
        rows.append((source.named(r), *cells(own, r), *fresh))
    note = (
        "A unique match: somebody looks a person of the population up by these keys, and one "
        "record fits. Of synthetic records, this and the smallest class say nothing about people; "
        "of perturbed ones, they do. "
        if "match_risk" in metrics
        else "With the population\N{RIGHT SINGLE QUOTATION MARK}s size (population_size in "
        "[options]) the chance that a unique match is right stands here. "
    )
    return table(
        caption,
        columns,
        rows,
        note
        + "People who are alone by two or three keys are found first, by those who know little. "
        "Beside fresh people the original is cut to their number, as in fewer records more are "
        "alone.",
    )


def keys_table(source: Source, scenario: Scenario) -> SafeTable:
    """Return what each key adds to the original records that are unique."""
    first = source.replicas[0]
    found = [m for m in source.measures.every(first, "key_uniques") if m.scenario == scenario.name]
    columns = (column("Key", "key"), number("Unique only through it", "key_uniques", "original"))
    listed = sorted(found, key=lambda m: -(m.value or 0.0)) if not source.release else []
    return table(
        "Which keys matter",
        columns,
        ((source.named(m.variables[0]), source.cell(m)) for m in listed),
        "Original records that are unique by all keys and not without this one. To coarsen the "
        "first of these keys protects most; sdcmetrics key-importance and remedies say more.",
    )


def inference_table(source: Source, scenario: str, target: str) -> SafeTable:
    """Return what a model of each replica infers of the original and of fresh people."""
    caption = ("What a model of the replica infers of ", source.name(target))
    rows = [] if source.release else list(_rows(source, INFERENCE.name, scenario, target))
    return table(
        caption,
        _COLUMNS,
        rows,
        "What holds of fresh people as well, the replica teaches about anybody. Only the excess is "
        "about those who were in the original: of what is not learnt about anybody, the share that "
        "is learnt about them, with its 95 % interval; 0 if the replica knows nobody.",
    )


def membership_table(source: Source) -> SafeTable:
    """Return what attacks say of who was in the original; in a release bands, where there are."""
    caption = "Attacks: who was in the original"
    if source.release:
        told = [m for m in of_kind(MEMBERSHIP) if m.release is not None]
        measured = any(m.symbol in source.measures.metrics for m in told)
        return table(
            caption,
            (column("Replica", "replica"), *(number(m.title, m.symbol) for m in told)),
            (
                (source.named(r), *(source.risk(r, m.symbol, "", "") for m in told))
                for r in (source.replicas if measured else ())
            ),
            "0.5 if the replica knows nobody, 1 for a copy.",
        )
    attacks = {
        (attack, scenario, target): None
        for _, attack, scenario, target in source.inside.attacks
        if attack != INFERENCE.name
    }
    return table(
        caption,
        (column("Attack", "attack"), *_COLUMNS),
        (
            (text_cell(as_name((attack, *(source.within(scenario) if scenario else ())))), *row)
            for attack, scenario, target in attacks
            for row in _rows(source, attack, scenario, target)
        ),
        "Every attack runs the same way on the original and on the holdout. Membership: the chance "
        "that a person of the original is nearer to the replica than a fresh one; the other "
        "attacks: success in percent. A copy: the original itself handed out. p: the labels "
        "original and holdout given at random.",
    )


_COLUMNS = (
    column("Replica", "replica"),
    number("Original records", "training"),
    number("Fresh people", "control"),
    number("A copy", "copy"),
    number("Excess", "excess", "95 % interval"),
    number("p", "p", "one-sided"),
)


def _rows(source: Source, attack: str, scenario: str, target: str) -> Iterator[tuple[Content, ...]]:
    """Yield a row per replica; of several syntheses means, p the smallest times their number."""
    declared = [
        m for m in MEASURES.values() if m.of.name == attack and m.of.option == MEMBERSHIP.option
    ]
    first, last = declared[0], declared[-1]
    for replica in source.replicas:
        found = source.inside.attacks.get((replica, attack, scenario, target))
        if not found or not isinstance(found[0], AttackResult):
            continue

        def cell(symbol: str, replica: str = replica) -> SafeCell:
            return source.risk(replica, symbol, scenario, target)

        marks = _marks(source, replica, first.symbol, scenario, target)
        percent = first.unit == "percent"
        shown = [percent_of(x) if percent else three_decimals(x) for x in (marks.fresh, marks.copy)]
        p = source.measures.risk(replica, last.symbol, scenario, target)
        yield (
            source.named(replica),
            cell(first.symbol),
            *shown,
            _excess(found),
            blank() if p is None or p.value is None else p_cell(p.value),
        )


def _excess(found: Sequence[AttackResult]) -> SafeCell:
    value = math.fsum(one.excess for one in found) / len(found)
    ends = [math.fsum(one.interval[i] for one in found) / len(found) for i in (0, 1)]
    known = len(found) == 1 and not any(map(math.isnan, ends))
    low, text, high = (numbers.with_decimals(x, 3) for x in (ends[0], value, ends[1]))
    return number_cell(value, text, f"{low} to {high}" if known else "")


def _marks(source: Source, replica: str, metric: str, scenario: str, target: str) -> Marks:
    found = source.measures.risk(replica, metric, scenario, target)
    return Marks() if found is None else found.marks
