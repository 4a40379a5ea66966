"""Cells and words of what stands beside fresh data, as exact as the edition allows."""

from __future__ import annotations

import math

from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Name, SafeCell, as_name, blank, text_cell
from sdcmetrics.report.source import Source
from sdcmetrics.results import Share
from sdcmetrics.review.fresh_data import FreshData

__all__ = [
    "INTERVAL",
    "PLUS_MINUS",
    "SPACE",
    "cell_of",
    "chance_in_words",
    "coarse",
    "distance_cell",
    "hidden",
    "margin_in_words",
    "matched_cell",
    "mean_cell",
    "named",
    "p_cell",
    "p_of_counts",
    "percent_cell",
    "safe_distance",
    "share_in_percent",
]

INTERVAL = 1.96
SPACE = "\N{NO-BREAK SPACE}"
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def safe_distance(source: Source, value: float) -> tuple[float, str]:
    """Return a distance in percent, and as text; no text says 0 that is none, or may be none."""
    decimals = source.guard.distance_decimals - 2
    safe = round(100 * value, decimals)
    if source.release and safe == 0:  # a table that equals the replica's is not told apart
        return safe, f"<{SPACE}{10.0**-decimals:.{decimals}f}{SPACE}%"
    return safe, numbers.percent_text(safe if source.release else 100 * value, decimals)


def distance_cell(source: Source, value: float) -> SafeCell:
    """Return the distance of one table, in percent."""
    safe, text = safe_distance(source, value)
    return SafeCell(text, "number", safe)


def coarse(value: float) -> float:
    """Round to two significant digits, which is all that a map shows."""
    return numbers.significant(value, 2)


def share_in_percent(share: float) -> float:
    """Return a share of a replica's records in percent, to one decimal."""
    return round(100 * share, 1)


def matched_cell(source: Source, share: Share, count: int) -> SafeCell:
    """Return how many records of a replica equal real ones, so many of them."""
    return source.guard.matched(share.proportion, count, share.total)


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


def p_cell(source: Source, value: float) -> SafeCell:
    """Return a p value; to hand out, only which of three limits it is within."""
    if math.isnan(value):
        return blank()
    if source.release:  # an exact p could be solved for the counts behind it
        for bound in (0.001, 0.01, 0.05):
            if value <= bound:
                return SafeCell(f"\N{LESS-THAN OR EQUAL TO}{SPACE}{bound:g}", "number", bound)
        return SafeCell(f">{SPACE}0.05", "number", 1.0)
    if value < 0.001:  # noqa: PLR2004  (shown with three decimals)
        return SafeCell(f"<{SPACE}0.001", "number", value)
    return SafeCell(f"{value:.3f}", "number", value)


def p_of_counts(source: Source, test: LabelTest) -> SafeCell:
    """Return the p value of a test of counts; nothing where the counts are hidden."""
    # Beside two hidden counts, the p value would say what they are not.
    if hidden(source, test):
        return SafeCell("not shown", "hidden")
    return p_cell(source, test.p_value)


def hidden(source: Source, test: LabelTest) -> bool:
    """Whether the counts of a test are too small for this edition."""
    return source.release and source.guard.small(test.training)


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
