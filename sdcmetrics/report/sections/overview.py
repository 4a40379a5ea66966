"""Everything at a glance: risks by target and scenario, tables by variable, for all replicas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from sdcmetrics.decision.answer import Answer as Decided
from sdcmetrics.decision.status import severity
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, Measure
from sdcmetrics.report.grid import Entry, chief_of_tables, listing, replica_columns
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    Words,
    as_name,
    blank,
    column,
    joined,
    number,
    plain,
    table,
    text_cell,
    without_detail,
)
from sdcmetrics.report.safety.guard import in_brief
from sdcmetrics.report.safety.names import LIMIT
from sdcmetrics.report.sections.answers import UTILITY, said_of
from sdcmetrics.report.sections.comparison import highest_cells
from sdcmetrics.report.sections.levels import commonest_share
from sdcmetrics.report.sections.people import copied_cell, singled_out_cell
from sdcmetrics.report.sections.utility import any_other, expected, to_original_size
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status
from sdcmetrics.study.roles import UNNAMED, Scenario

_INSIDE = "The internal edition says why."
_NAMED = 3
"""Columns that an intruder knows, up to which each is named."""


def chief_risks() -> list[Measure]:
    """Return the measures of risk that count for a ranking and stand beside the original's."""
    return [m for m in MEASURES.values() if m.ranked and m.baseline and m.family == DISCLOSURE_RISK]


def board_table(source: Source) -> SafeTable:
    """Return a table of the decisions: one row per replica, both answers with their statements."""
    return listing(
        "The decision on every replica, and why",
        (
            (column("Replica", "replica"), lambda d: source.named(d.replica)),
            (column("May it be released?", "risk"), lambda d: _status_cell(d.risk)),
            (column("Why", "risk_reason"), lambda d: _why(source, d.risk)),
            (column("Is it useful?", "utility"), lambda d: _status_cell(d.utility)),
            (column("Why", "utility_reason"), lambda d: _why(source, d.utility)),
        ),
        source.decisions.values(),
    )


def _why(source: Source, answer: Decided) -> SafeCell:
    """Return the statements that an answer rests on."""
    each = tuple(said_of(source, statement) for statement in answer.because) or ((_INSIDE,),)
    text, full = (" ".join(texts) for texts in zip(*_texts(each), strict=True))
    return SafeCell(text, "name", full=full, sentences=each)


def _texts(sentences: Iterable[Words]) -> Iterator[tuple[str, str]]:
    """Yield each sentence as shown, and in full."""
    for words in sentences:
        yield plain(words), as_name(words).full


def status_table(source: Source) -> SafeTable:
    """Return one row per replica."""
    chief = [m for m in MEASURES.values() if "first_page" in m.show]
    copied = number("Original records in it", "copied", "the same in every value")
    columns: list[Entry] = [
        (column("Replica", "replica"), source.named),
        (column("Disclosure risk", "risk"), lambda r: _status_cell(source.decisions[r].risk)),
        (copied, partial(copied_cell, source)),
    ]
    if any(copy.singled_out is not None for copy in source.copied):
        near = number("Single people it is close to", "singled_out", "singled out")
        columns.append((near, partial(singled_out_cell, source)))
    for measure in chief:
        columns += _highest(source, measure)
    columns += [
        (column("Utility", "utility"), lambda r: _status_cell(source.decisions[r].utility)),
        (column("Tables beyond review / fail", "beyond"), partial(_tables_beyond, source)),
    ]
    meanings = " ".join(f"{m.symbol}: {m.meaning}" for m in chief)
    return listing(
        "Status of every replica",
        columns,
        source.replicas,
        f"{meanings} The decision follows from the statements on the first page. In every "
        "table, values without a mark are within the limits or not judged.",
    )


def _status_cell(answer: Decided) -> SafeCell:
    status, words = answer.status, answer.words
    detail = "" if words == status.value else words
    return SafeCell(status.value, "status", status=status, detail=detail)


def _highest(source: Source, measure: Measure) -> list[Entry]:
    """Return a measure of each replica where it is highest, what the original has, and where."""
    cells = {replica: highest_cells(source, replica, measure) for replica in source.replicas}
    own = measure.baseline
    return [
        (number(measure.show["first_page"], measure.symbol), lambda r: cells[r][0]),
        (number("Original itself", own, own), lambda r: cells[r][1]),
        (column("Target", "target"), lambda r: cells[r][2]),
    ]


def _tables_beyond(source: Source, replica: str) -> SafeCell:
    findings = [
        f
        for f in source.findings
        if f.replica == replica
        and f.family in UTILITY
        and MEASURES[f.metric].of.per == "table"
        and f.variables
        and f.status is not Status.NOT_JUDGED
    ]
    if not findings:
        return blank()
    fail = sum(f.status is Status.FAIL for f in findings)
    beyond = fail + sum(f.status is Status.REVIEW for f in findings)
    return SafeCell(f"{beyond:,} / {fail:,} of {len(findings):,}")


_FEW = 3
"""Replicas beside which a table leaves room for figures."""
_ROOM, _LEAST = 30, 10
"""Lines of both matrices that fit on a page with the maps, of which a risk takes two; and the least
number of variables."""
_SHADES = 4
_PALEST = 0.05
"""Share of what the original gives away below which a risk has no shade."""
_STEPS = (1.0, 3.0, 10.0, 30.0)
"""From which a colour is stronger: 1 is expected of a ratio to chance, 3 and 10 are advice."""

_NOTHING = (-math.inf, 0)
_MARKED = " The rule of excess marks what any synthesis discloses, or several of them together."
_CUT = "the same of fewer records, as many as the holdout has, "
_ALIKE = "people alike are not counted"
_OTHERS = "vs people of the holdout"
_FOLLOWED = " Records can follow people without being near one person only: then 0 are singled out."


@dataclass(frozen=True, slots=True)
class Overview:
    """Two matrices of the same columns: what is at risk, and what is of use."""

    risk: SafeTable
    utility: SafeTable


def overview(source: Source) -> Overview:
    """Return the board's second page."""
    risk = _risks(source)
    return Overview(risk, _utility(source, len(risk)))


def _risks(source: Source) -> SafeTable:
    people, targets = _of_people(source), list(_of_targets(source))
    learnt = [row for _, row in targets]
    small = [cell.detail for row in learnt for cell in row[4:] if "vs" in cell.detail]
    several = max(source.syntheses.values(), default=1) > 1
    follows = any(Claim.FOLLOWS in state.people.claims for state in source.states.values())
    cut = _CUT if any(not detail.startswith("vs") for detail in small) else ""
    risks = table(
        "Disclosure risk: what somebody learns, by scenario and target",
        (
            column("Intruder", "scenario"),
            column("Learns", "what"),
            number("Original itself", "original", "as a copy"),
            number("Base rate", "commonest", "blind guess"),
            *replica_columns(source),
        ),
        (*people.values(), *learnt),
        "Percent of the original records; the stronger the colour, the nearer to what the original "
        "itself gives away. Base rate: how often a guess of the commonest value is right, whatever "
        "a replica holds; a risk of no more than that says little of single people."
        + (
            " Of several syntheses, the mean; of copied and singled out, the worst."
            if several
            else ""
        )
        + (_FOLLOWED if follows else "")
        + (_MARKED if several and source.profile.excess and not source.release else "")
        + (
            " Copied: of records drawn at random, as there are too many to compare all."
            if any(copy.every > 1 for copy in source.copied)
            else ""
        )
        + (
            f" Small: {cut}vs what the holdout would show in place of the replica." if small else ""
        ),
    )
    return replace(risks, anchors=(*people, *(anchor for anchor, _ in targets)))


def _of_people(source: Source) -> dict[str, tuple[Content, ...]]:
    """Return, by anchor, how many people are copied, and singled out, where that is known."""
    copied, near = (
        [cell(source, replica) for replica in source.replicas]
        for cell in (copied_cell, singled_out_cell)
    )
    fewer = any((c.number or 0.0) > (n.number or 0.0) for c, n in zip(copied, near, strict=True))
    others = any("vs" in cell.detail for cell in near)
    rows = [
        ("Anybody", SafeCell(title, detail=detail), None, None, *cells)
        for title, detail, cells in (
            ("Copied: the same in every value", "", copied),
            (
                "Singled out: near one person only",
                "; ".join([*[_OTHERS] * others, *[_ALIKE] * fewer]),
                near,
            ),
        )
        if any(cell != blank() for cell in cells)
    ]
    return {f"risk-{i}-people": row for i, row in enumerate(rows, start=1)}


def _of_targets(source: Source) -> Iterator[tuple[str, tuple[SafeCell, ...]]]:
    """Yield, with its anchor, what an intruder of each scenario learns of each target."""
    for i, scenario in enumerate(source.review.scenarios):
        for measure in chief_risks():
            targets = scenario.targets[:1] if measure.any_target else scenario.targets
            for j, target in enumerate(targets):
                of = scenario.name, target
                what = replace(source.named(target), detail=measure.symbol)
                base = blank() if measure.any_target else commonest_share(source, scenario, target)
                if measure.any_target:
                    what = SafeCell("who somebody is", detail=measure.symbol)
                own = source.risk(source.replicas[0], measure.baseline, *of)
                yield (
                    f"risk-{i}" if measure.any_target else f"risk-{i}-{j}",
                    (
                        _intruder(source, scenario),
                        what,
                        without_detail(own),
                        base,
                        *(
                            _risk(source, r, measure.symbol, *of, own.number)
                            for r in source.replicas
                        ),
                    ),
                )


def _intruder(source: Source, scenario: Scenario) -> SafeCell:
    """Return the name of a scenario; of one without, what somebody knows in it."""
    if scenario.name != UNNAMED:
        return source.named(scenario.name)
    if len(scenario.keys) > _NAMED:
        return text_cell(f"knows {len(scenario.keys)} columns")
    return text_cell(as_name(("knows ", *joined(map(source.name, scenario.keys), last=" and "))))


def _risk(
    source: Source, replica: str, metric: str, scenario: str, target: str, of_original: float | None
) -> SafeCell:
    measured = source.measures.risk(replica, metric, scenario, target)
    cell = in_brief(source.cell(measured))
    if measured is not None and not source.release and not math.isnan(measured.references.fresh):
        cut, holdout = (
            numbers.percent_text(v)
            for v in (measured.references.value_at, measured.references.fresh)
        )
        same = "" if cut == cell.text else cut.partition("\N{NO-BREAK SPACE}")[0]
        cell = replace(cell, detail=f"{same} vs\N{NO-BREAK SPACE}{holdout}".strip())
    if cell.number is None or not of_original or cell.number < _PALEST * of_original:
        return cell
    return replace(cell, shade=min(math.ceil(_SHADES * cell.number / of_original), _SHADES))


def _utility(source: Source, risks: int) -> SafeTable:
    chief = chief_of_tables()
    metric = chief.symbol
    # Of wide data, a cell is made of the worst pair only.
    pairs: dict[tuple[str, str], tuple[float, int]] = {}
    for replica, symbol, tables in source.measures.by_table(2):
        if symbol != metric:
            continue
        for i, variables, value in zip(tables, *source.measures.values(tables), strict=True):
            for name in variables:
                if value is not None and value > pairs.get((replica, name), _NOTHING)[0]:
                    pairs[replica, name] = (value, i)

    def worst(name: str, replica: str) -> SafeCell:
        cells = {"alone": source.table(replica, metric, (name,))}
        if (replica, name) in pairs:
            pair = source.measures.at(pairs[replica, name][1])
            other = (source.name(variable) for variable in pair.variables if variable != name)
            cells[f"with {plain(joined(other))}"] = source.cell(pair)
        where, cell = max(cells.items(), key=lambda item: _badness(item[1]))
        if cell.number is not None:
            cell = _at_size(cell, to_original_size(source, replica, chief))
            cell = replace(cell, shade=sum((cell.number or 0.0) > step for step in _STEPS))
        return replace(cell, detail="; ".join(filter(None, (where, cell.detail))))

    rows = {
        name: tuple(worst(name, replica) for replica in source.replicas)
        for name in source.review.variables
        if any(source.measures.table(r, metric, (name,)) for r in source.replicas)
    }
    order = sorted(rows, key=lambda name: -max(c.number or 0.0 for c in rows[name]))
    listed = max(_LEAST, _ROOM - 2 * risks)
    room = LIMIT if len(source.replicas) <= _FEW else LIMIT // 2  # or labels make rows of a page
    left = len(order) - listed
    other = any_other(source, chief)
    size = ", as if a replica had the size of the original" if other else ""
    more = f" {numbers.plural(left, 'better variable')} in the annex." if left > 0 else ""
    return table(
        f"Utility: {metric} of every variable, alone or in its worst table with another",
        (column("Variable", "variable"), *replica_columns(source)),
        ((source.labelled(name, room), *rows[name]) for name in order[:listed]),
        f"{chief.title}; {expected(source, chief)}. The worse of both numbers{size}; a stronger "
        f"colour above {', '.join(f'{step:g}' for step in _STEPS)}.{more}",
    )


def _badness(cell: SafeCell) -> tuple[int, float]:
    """Return what orders cells: a status that calls for attention first, then the number."""
    judged = 0 if cell.status is None else severity(cell.status)
    value = cell.number if cell.number is not None else cell.bound
    return (
        judged if cell.status in (Status.REVIEW, Status.FAIL) else 0,
        -math.inf if value is None else value,
    )


def _at_size(cell: SafeCell, scale: float) -> SafeCell:
    """Return a cell with the number that is judged: that of a replica of the original's size."""
    if scale == 1 or cell.number is None:
        return cell
    return replace(cell, number=scale * cell.number, text=numbers.with_commas(scale * cell.number))
