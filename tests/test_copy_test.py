"""The copy test of the docs: it is current, and what it says of a copy and the holdout holds."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.measure import DISCLOSURE_RISK

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
script: Any = importlib.import_module("copy_test")


@pytest.fixture(scope="module")
def found() -> sdc.Review:
    """What is always measured; what a study must ask for takes long, and its lines are recorded."""
    review: sdc.Review = script.review(optional=False)
    return review


def test_the_page_has_every_measure_of_risk_and_the_lines_of_today(found: sdc.Review) -> None:
    lines = script.PAGE.read_text(encoding="utf-8").splitlines()
    head, _, _ = script.page(found).partition("measures tell the two apart")
    assert "\n".join(lines).startswith(head.rpartition("\n\n")[0])
    on_page = {line.split("|")[1].strip(): line for line in lines if line.count("|") == 8}
    risks = {
        measure.symbol for measure in sdc.MEASURES.values() if measure.family == DISCLOSURE_RISK
    }
    assert risks - set(on_page) == set(), "run benchmarks/copy_test.py"
    today = {line.split("|")[1].strip(): line for line in script.lines(found)}
    assert today
    assert {symbol: on_page[symbol] for symbol in today} == today, "run benchmarks/copy_test.py"


def test_whatever_gives_a_verdict_tells_a_copy_from_fresh_people(found: sdc.Review) -> None:
    given = [verdict for verdict in script.verdicts(found) if verdict.copy_fails is not None]
    assert len(given) > 20
    assert [item.measure.symbol for item in given if not item.copy_fails] == []
    assert [item.measure.symbol for item in given if item.fresh_fails] == []
