"""People of the original: who is copied, whether a match is right, what attacks and models find."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from sdcmetrics.measures.anonymity.places import FILES
from sdcmetrics.measures.attacks.membership import OF_VALUES
from sdcmetrics.measures.attacks.places import INFERENCE, MEMBERSHIP
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.prediction.trained import Trained
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.registry import MEASURES, of_kind
from sdcmetrics.report.grid import Column, Place, Row, grid, measured, replica_rows, shown_in
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Mark,
    SafeCell,
    SafeTable,
    Sentence,
    as_name,
    blank,
    column,
    joined,
    number,
    number_cell,
    p_cell,
    percent_of,
    sentence,
    table,
    text_cell,
    three_decimals,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.people import Copied
from sdcmetrics.study.study import Scenario


def people_table(source: Source, scenario: Scenario) -> SafeTable:
    """Return how likely a match is right, and who is odd; nothing in checker mode."""
    keys = joined(map(source.name, scenario.keys), last=" and ")
    caption = ("Whether a match is right, and who is alone by up to three of ", *keys)
    of_baseline = {m.baseline: m.symbol for m in of_kind(FILES)}
    shown = measured(source, shown_in(source, "people"))
    # A fact about the original has its own symbol, and that of the same fact about a replica.
    symbols = [
        {
            "original": m.symbol if m.of_original else m.baseline,
            "": of_baseline.get(m.symbol, "") if m.of_original else m.symbol,
        }
        for m in shown
    ]
    columns: list[Column] = [
        (number(title, m.symbol, detail), {"metric": roles})
        for m, roles in zip(shown, symbols, strict=True)
        for _, title, detail in [m.show["people"]]
    ]
    place = (scenario.name, scenario.targets[0])
    rows: list[Row] = []
    if not source.release:
        own = {"replica": source.replicas[0], "role": "original"}
        rows = [(("Original itself",), own), *replica_rows(source)]
        references = {r: _marks(source, r, symbols[-1][""], *place) for r in source.replicas}

        def reference(name: str) -> Callable[[Place], Content]:
            return lambda row: (
                None if "role" in row else percent_of(getattr(references[row["replica"]], name))
            )

        if not any(math.isnan(mark.outsiders) for mark in references.values()):
            fewer = number("the same of fewer originals", "value_at", "as many as in the holdout")
            columns.append((fewer, reference("value_at")))
            columns.append((number("of the holdout", "outsiders"), reference("outsiders")))
    heads = (column("Data set", "data_set"),)
    return grid(source, caption, heads, rows, columns, scenario=place[0], target=place[1])


def keys_table(source: Source, scenario: Scenario) -> SafeTable:
    """Return what each key adds to the original records that are unique."""
    every = source.measures.every(source.replicas[0], "key_uniques")
    rows = [] if source.release else [m for m in every if m.scenario == scenario.name]
    return table(
        "Which keys matter",
        (column("Key", "key"), number("Unique only through it", "key_uniques", "original")),
        (
            (source.named(m.variables[0]), source.cell(m))
            for m in sorted(rows, key=lambda m: -(m.value or 0.0))
        ),
    )


def inference_table(source: Source, scenario: str, target: str) -> SafeTable:
    """Return what a model of each replica infers of the original and of the holdout."""
    caption = ("What a model of the replica infers of ", source.name(target))
    rows = [] if source.release else _attacked(source, INFERENCE.name, scenario, target)
    return table(caption, _ATTACKED, rows, _by_all(source))


def membership_table(source: Source) -> SafeTable:
    """Return what attacks say of who was in the original; in a release bands, where there are."""
    caption = "Attacks: who was in the original"
    if source.release:
        bands = [m for m in of_kind(MEMBERSHIP) if m.release is not None]
        return grid(
            source,
            caption,
            (column("Replica", "replica"),),
            replica_rows(source) if measured(source, bands) else (),
            [(number(m.title, m.symbol), {"metric": m.symbol}) for m in bands],
        )
    every = source.inside.attacks_by_all
    attacks = dict.fromkeys(place[1:] for place in every)
    return table(
        caption,
        (column("Attack", "attack"), *_ATTACKED),
        (
            (text_cell(as_name((attack, *(source.within(scenario) if scenario else ())))), *row)
            for attack, scenario, target in attacks
            if attack != INFERENCE.name
            for row in _attacked(source, attack, scenario, target)
        ),
        _by_all(source) + "".join(membership_notes(source, {place[0] for place in every})),
    )


def membership_notes(source: Source, replicas: Collection[str]) -> tuple[str, ...]:
    """Return in sentences what a p of who was in the original rests on; nothing in a release."""
    every = {} if source.release else source.inside.attacks_by_all
    notes = dict.fromkeys(
        note
        for (replica, attack, *_), result in every.items()
        if attack == MEMBERSHIP.name and replica in replicas
        for note in result.notes
    )
    return tuple(f" {note[0].upper()}{note[1:]}." for note in notes)


def _by_all(source: Source) -> str:
    several = any(m > 1 for m in source.syntheses.values())
    return " Of several syntheses, it is the attack of whoever has all of them." if several else ""


_ATTACKED = (
    column("Replica", "replica"),
    number("Original records", "training"),
    number("Holdout", "control"),
    number("A copy", "copy"),
    number("Excess", "excess", "95 % interval"),
    number("p", "p", "one-sided"),
)


def _attacked(
    source: Source, attack: str, scenario: str, target: str
) -> Iterator[tuple[Content, ...]]:
    """Yield a row per replica; of several syntheses the attack by all their files together."""
    declared = [
        m for m in MEASURES.values() if m.of.name == attack and m.of.option == MEMBERSHIP.option
    ]
    first, last = declared[0], declared[-1]
    percent = percent_of if first.unit == "percent" else three_decimals
    for replica in source.replicas:
        result = source.inside.attacks_by_all.get((replica, attack, scenario, target))
        if result is not None:
            references = _marks(source, replica, first.symbol, scenario, target)
            yield (
                source.named(replica),
                source.risk(replica, first.symbol, scenario, target),
                *map(percent, (references.fresh, references.copy)),
                _excess(result),
                replace(_p(source, replica, last.symbol, scenario, target), detail=_surest(result)),
            )


def _surest(result: AttackResult) -> str:
    """Return what a p rests on where that tells of no person."""
    return "values of single columns" if OF_VALUES in result.notes else ""


def _excess(result: AttackResult) -> SafeCell:
    value, ends = result.excess, result.interval
    low, text, high = (numbers.with_decimals(x, 3) for x in (ends[0], value, ends[1]))
    return number_cell(value, text, "" if any(map(math.isnan, ends)) else f"{low} to {high}")


def _marks(source: Source, replica: str, metric: str, scenario: str, target: str) -> References:
    measure = source.measures.risk(replica, metric, scenario, target)
    return References() if measure is None else measure.references


def _p(source: Source, *place: str) -> SafeCell:
    p = source.measures.risk(*place)
    return blank() if p is None or p.value is None else p_cell(p.value)


def _mean(values: Iterable[float]) -> float:
    each = list(values)
    return math.fsum(each) / len(each)


_LEARNT = (
    column("Replica", "replica"),
    column("Target", "target"),
    column("Learner", "learner"),
    column("Score", "score"),
    number("Learnt from the replica", "TSTR", "TSTR"),
    number("from the original", "TRTR", "as many records"),
    number("A guess", "baseline", "always the same"),
    number("Difference", "TSTR_gap", "95 % interval"),
    number("p", "p", "one-sided"),
    number("From half of it", "half_gap", "difference to a half of the original"),
    number("Halves", "TSTR_fresh_gap", "difference of two halves of the original"),
)


def learnt_table(source: Source) -> SafeTable:
    """Return a row per replica, target and learner; none in checker mode, or if not asked for."""
    rows = [] if source.release else list(_learnt(source))
    trained = (
        [prediction for each in source.inside.predictions.values() for prediction in each]
        if rows
        else []
    )
    notes = dict.fromkeys(prediction.note for prediction in trained if prediction.note)
    return table(
        "What can be learnt from each replica, tested on the holdout",
        _LEARNT,
        rows,
        "The score is the AUC of a column with two levels, macro F1 of one with more, and R2 of a "
        "number. The interval says how much depends on who was tested, for these two models; p how "
        "often labels original and synthetic, given at random, make a replica teach so much less. "
        "People who were not in the original differ from a half of the original by about as much "
        "as two halves do." + "".join(f" {note[0].upper()}{note[1:]}." for note in notes),
    )


def _learnt(source: Source) -> Iterator[tuple[Content, ...]]:
    for (replica, target, learner), each in source.inside.predictions.items():
        symbols = ("TSTR", "TRTR", "TSTR_gap", "TSTR_fresh_gap")
        cells = {s: source.risk(replica, s, learner, target) for s in symbols}
        gap = cells["TSTR_gap"]
        if len(each) == 1:
            ends = map(numbers.with_commas, (each[0].gap_low, each[0].gap_high))
            gap = replace(gap, detail=" to ".join(ends))
        yield (
            source.named(replica),
            source.named(target),
            learner,
            each[0].score,
            cells["TSTR"],
            cells["TRTR"],
            _mean_cell(source, each, "baseline"),
            gap,
            _p(source, replica, "TSTR_p", learner, target),
            _mean_cell(source, each, "half_gap"),
            cells["TSTR_fresh_gap"],
        )
    for m in source.measures.of_no_table():
        if m.of is PREDICTION and m.metric == "TSTR" and m.value is None:
            start = (source.named(m.replica), source.named(m.target), m.scenario, "")
            yield (*start, SafeCell("not computed", detail=m.reason), *[None] * 6)


def _mean_cell(source: Source, each: Sequence[Trained], name: str) -> SafeCell:
    value = _mean(getattr(result, name) for result in each)
    return blank() if math.isnan(value) else source.guard.fitted(value)


_SPACE = "\N{NO-BREAK SPACE}"


def people_sentences(source: Source) -> tuple[Sentence, ...]:
    """Return one sentence per replica of which people of the original are claimed."""
    return tuple(
        sentence(source.name(held.replica), f" {held.words}.", status=Mark.NOTICE, link="decision")
        for held in source.held.values()
        if held.alarming
    )


def copied_cell(source: Source, replica: str) -> SafeCell:
    """Return how many original records a replica holds in every value, at most in a synthesis."""
    each = _of(source, replica)
    if not each:
        return blank()
    cell = _counted(source, max(copy.copied for copy in each), each[0].n)
    return replace(cell, detail=f"{cell.detail} drawn") if each[0].every > 1 else cell


def singled_out_cell(source: Source, replica: str) -> SafeCell:
    """Return how many single people of the original a replica is close to; see `copied_cell`."""
    each = [copy for copy in _of(source, replica) if copy.singled_out is not None]
    if not each:
        return blank()
    worst = max(each, key=lambda copy: copy.singled_out or 0)
    cell = _counted(source, worst.singled_out or 0, worst.n_near)
    if worst.others is None:
        return cell
    of = "" if worst.n_others == worst.n_near else f" of{_SPACE}{worst.n_others:,}"
    return replace(cell, detail=f"{cell.detail}, vs{_SPACE}{worst.others:,}{of}")


def _of(source: Source, replica: str) -> list[Copied]:
    return [copy for copy in source.copied if copy.replica == replica]


def _counted(source: Source, count: int, n: int) -> SafeCell:
    if source.release and source.guard.small(count):
        return SafeCell(f"<{_SPACE}{source.guard.rounding.least}", "hidden")
    about = "about " if source.release else ""
    text = f"{about if count else ''}{count:,}".replace(" ", _SPACE)
    return SafeCell(text, "number", float(count), detail=f"of {about}{n:,}")
