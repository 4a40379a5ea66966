"""How a value is shown follows from its place; what is said below a table, from what is beside."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.report.safety.cells import SafeCell
from sdcmetrics.report.sections.disclosure import _NO_HOLDOUT, _POSITION_NOTE, _note
from sdcmetrics.report.source import Source


def shown(per: str, unit: str, value: float) -> SafeCell:
    """Return a cell, made by a guard that says what it was asked."""
    guard = SimpleNamespace(
        share=lambda *_: SafeCell("share"), statistic=lambda *_: SafeCell("statistic")
    )
    source: Any = SimpleNamespace(guard=guard, _mean_of=lambda _: 1)
    measure: Any = SimpleNamespace(
        metric="m", unit=unit, count=1.0, total=2.0, of=SimpleNamespace(per=per)
    )
    return Source._share(source, measure, value)


@pytest.mark.parametrize(
    ("per", "unit", "text"),
    [
        ("rule", "percent", "share"),
        ("target", "percent", "share"),
        ("rule", "", "statistic"),
        ("rule", "records", "statistic"),
        ("target", "", "12.500"),
        ("target", "records", "12.5"),
    ],
)
def test_a_share_is_guarded_by_its_records_and_a_rule_as_a_statistic(
    per: str, unit: str, text: str
) -> None:
    assert shown(per, unit, 12.5).text == text


@pytest.mark.parametrize(
    ("references", "release", "roles", "note"),
    [
        ([1], False, ["holdout"], _POSITION_NOTE),
        ([1], True, [], _POSITION_NOTE),
        ([], False, ["original", "replica"], _NO_HOLDOUT),
        ([], False, ["original", "holdout"], ""),
        ([], True, ["original"], ""),
    ],
)
def test_a_table_says_what_stands_beside_it_or_that_there_is_no_holdout(
    references: list[Any], roles: list[str], note: str, *, release: bool
) -> None:
    inputs = [SimpleNamespace(role=role) for role in roles]
    source: Any = SimpleNamespace(release=release, review=SimpleNamespace(inputs=inputs))
    assert _note(source, references) == note
