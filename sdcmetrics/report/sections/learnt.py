"""What can be learnt from each replica beside the original, tested on fresh people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.prediction.trained import Trained
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    blank,
    column,
    number,
    table,
)
from sdcmetrics.report.sections.fresh_cells import p_cell
from sdcmetrics.report.source import Source

_COLUMNS = (
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
    rows = [] if source.release else list(_rows(source))
    notes = {one.note: None for _, one in _found(source) if one.note} if rows else {}
    return table(
        "What can be learnt from each replica, tested on the holdout",
        _COLUMNS,
        rows,
        "The score is the AUC of a column with two levels, macro F1 of one with more, and R2 of a "
        "number. The interval says how much depends on who was tested, for these two models; p how "
        "often labels original and synthetic, given at random, make a replica teach so much less. "
        "Fresh people differ from a half of the original by about as much as two halves do."
        + "".join(f" {note[0].upper()}{note[1:]}." for note in notes),
    )


def _found(source: Source) -> Iterator[tuple[str, Trained]]:
    for (replica, _, _), each in source.inside.predictions.items():
        for one in each:
            yield replica, one


def _rows(source: Source) -> Iterator[tuple[Content, ...]]:
    for (replica, target, learner), each in source.inside.predictions.items():

        def cell(symbol: str, where: tuple[str, str, str] = (replica, learner, target)) -> SafeCell:
            return source.risk(where[0], symbol, *where[1:])

        p = source.measures.risk(replica, "TSTR_p", learner, target)
        yield (
            source.named(replica),
            source.named(target),
            learner,
            each[0].score,
            cell("TSTR"),
            cell("TRTR"),
            _mean(source, [one.baseline for one in each]),
            _gap(cell("TSTR_gap"), each),
            blank() if p is None or p.value is None else p_cell(p.value),
            _mean(source, [one.half_gap for one in each]),
            cell("TSTR_fresh_gap"),
        )
    for m in source.measures.of_no_table():
        if m.of is PREDICTION and m.metric == "TSTR" and m.value is None:
            reason = SafeCell("not computed", detail=m.reason)
            yield (
                source.named(m.replica),
                source.named(m.target),
                m.scenario,
                "",
                reason,
                *[None] * 6,
            )


def _gap(cell: SafeCell, each: Sequence[Trained]) -> SafeCell:
    if len(each) > 1:
        return cell
    low, high = (numbers.with_commas(end) for end in (each[0].gap_low, each[0].gap_high))
    return replace(cell, detail=f"{low} to {high}")


def _mean(source: Source, values: Sequence[float]) -> SafeCell:
    value = math.fsum(values) / len(values)
    return blank() if math.isnan(value) else source.guard.fitted(value)
