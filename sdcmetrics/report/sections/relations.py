"""Relations that were found without being named: for internal eyes, since they name levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    column,
    count_cell,
    number,
    table,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source

if TYPE_CHECKING:
    from sdcmetrics.measures.rules.find_rules import FoundRule

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
    """What every original record keeps and a replica breaks, one table per replica.

    Attributes
    ----------
    searched : what was looked at, in words; empty where nothing was, and in checker mode
    tables : tuple of SafeTable
        Empty in checker mode.
    """

    searched: str
    tables: tuple[SafeTable, ...]


def relations(source: Source) -> Relations:
    """Return the relations that were found, if the mode shows them."""
    if source.release:
        source.guard.suppress(_HELD_BACK)
        return Relations("", ())
    return Relations(_searched(source), tuple(_candidates(source)))


def relations_table(source: Source) -> SafeTable | None:
    """Return all relations that were found, for a file; None in checker mode or without any."""
    if source.release:
        return None
    rows = [
        (source.named(replica), *_candidate(source, one))
        for replica, found in source.inside.candidates.items()
        for one in found.rules
    ]
    if not rows:
        return None
    columns = (column("replica"), *_RELATION)
    return table("Relations that the original keeps and a replica breaks", columns, rows)


def _searched(source: Source) -> str:
    found = source.inside.candidates
    if not found:
        return ""
    tested = max(one.tested for one in found.values())
    return (
        f"The search looked at {numbers.plural(tested, 'relation')} between columns. It lists "
        "those that "
        "every original record keeps, that many would break if the columns had nothing to do with "
        "each other (expected), and that some record of a replica breaks. Somebody who knows the "
        "data has to say which are rules; paste their texts into the study file."
    )


def _candidates(source: Source) -> list[SafeTable]:
    out = []
    for replica, found in source.inside.candidates.items():
        if found.rules:
            more = f" {found.left_out:,} more were found." if found.left_out else ""
            out.append(
                table(
                    ("Relations that the original keeps and ", source.name(replica), " breaks"),
                    _RELATION,
                    (_candidate(source, one) for one in found.rules),
                    f"For internal use: the texts name levels of the original.{more}",
                )
            )
    return out


def _candidate(source: Source, one: FoundRule) -> tuple[Content, ...]:
    text = clean(one.outcome.rule.text)
    broken = [counts.broken for counts in one.outcome.syntheses]
    share = one.outcome.broken_percent
    return (
        SafeCell(text, "name", full=text),
        one.kind,
        source.guard.share("rule_broken", share, sum(broken) / len(broken), None),
        None if math.isnan(one.expected) else count_cell(one.expected),
        one.alike or None,
    )
