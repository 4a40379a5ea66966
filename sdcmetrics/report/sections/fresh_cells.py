"""Cells and words of what stands beside fresh data, as exact as the edition allows."""

from __future__ import annotations

import math

from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Name, SafeCell, as_name, blank, text_cell
from sdcmetrics.report.source import Source
from sdcmetrics.review.fresh_data import FreshData

DECIMALS = 2
INTERVAL = 1.96
SPACE = "\N{NO-BREAK SPACE}"
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def distance_cell(value: float) -> SafeCell:
    """Return the distance of one table, in percent."""
    return SafeCell(numbers.percent_text(100 * value, DECIMALS), "number", 100 * value)


def coarse(value: float) -> float:
    """Round to two significant digits, which is all that a map shows."""
    return numbers.significant(value, 2)


def share_in_percent(share: float) -> float:
    """Return a share of a replica's records in percent, to one decimal."""
    return round(100 * share, 1)


def percent_cell(share: float) -> SafeCell:
    """Return the cell of a share of a replica's records."""
    return SafeCell(numbers.percent_text(100 * share), "number", share_in_percent(share))


def mean_cell(value: float) -> SafeCell:
    """Return the cell of a mean distance."""
    return SafeCell(f"{value:.2f}", "number", round(value, 2))


def chance_in_words(found: ClosestRecord) -> str:
    """Return the share that permuted labels give, with a 95 % range."""
    test = found.permutation
    if math.isnan(test.sd):
        return "not known"
    return f"{100 * test.mean:.1f} {PLUS_MINUS} {100 * INTERVAL * test.sd:.1f} %".replace(
        " ", SPACE
    )


def p_cell(value: float, reached: int = 1) -> SafeCell:
    """Return a p value; where no draw has `reached` what was observed, it is at most so large."""
    if math.isnan(value):
        return blank()
    if not reached:
        return SafeCell(f"\N{LESS-THAN OR EQUAL TO}{SPACE}{value:.2g}", "number", value)
    if value < 0.001:  # noqa: PLR2004  (shown with three decimals)
        return SafeCell(f"<{SPACE}0.001", "number", value)
    return SafeCell(f"{value:.3f}", "number", value)


def margin_in_words(found: ClosestRecord) -> str:
    """Return by how much nearer a record is that is singled out."""
    if found.distance == "hamming":
        return f"{found.margin:g} columns or more"
    return f"a distance of {found.margin:.2g} or more"


def named(source: Source, fresh: FreshData, replica: str, synthesis: int) -> tuple[str | Name, ...]:
    """Return a replica's name, with the number of the synthesis where there are several."""
    many = sum(name == replica for name, _ in fresh.closest) > 1
    return (source.name(replica), f" {synthesis}") if many else (source.name(replica),)


def cell_of(source: Source, fresh: FreshData, replica: str, synthesis: int) -> SafeCell:
    """Return the cell that names a replica, or one synthesis of it."""
    return text_cell(as_name(named(source, fresh, replica, synthesis)))
