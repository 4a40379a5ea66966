"""Shares of missing values beside each variable, of replicas that have it and that lack it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sdcmetrics.report.safety.cells import SafeCell, blank
from sdcmetrics.report.sections.data import _missing


def missing(**shares: str) -> list[str]:
    level = SimpleNamespace(missing=False, replicas=(SafeCell("40 %"), blank()))
    cells = {replica: SafeCell(text) for replica, text in shares.items()}
    source: Any = SimpleNamespace(
        replicas=("has", "lacks"),
        distributions={"x": SimpleNamespace(levels=(level,), missing=cells)},
    )
    return [cell.text for cell in _missing(source, "x")]


def test_nothing_is_said_of_a_replica_that_lacks_the_column() -> None:
    assert missing(has="5 %") == ["not shown", "5 %", "\N{EN DASH}"]
    assert missing() == ["none", "none", "\N{EN DASH}"]
