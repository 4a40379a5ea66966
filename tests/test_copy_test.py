"""The copy test of the docs: it is current, and what it says of a copy and the holdout holds."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.measure import DISCLOSURE_RISK

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
script: Any = importlib.import_module("copy_test")


@pytest.fixture(scope="module")
def review() -> sdc.Review:
    """All of it, what a study must ask for among it."""
    whole: sdc.Review = script.review()
    return whole


def _cells(lines: list[str]) -> dict[str, list[str]]:
    """Return what the page has of each measure of this package."""
    rows = [line.split("|")[1:-1] for line in lines if line.count("|") == 8]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


def _numbers(cell: str) -> list[float]:
    """Return a cell's numbers: versions of other packages move what models learnt a little."""
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", cell)]


def test_the_page_is_that_of_today(review: sdc.Review) -> None:
    recorded = script.PAGE.read_text(encoding="utf-8")
    today = script.page(review)
    assert (
        recorded.partition("measures tell the two apart")[0]
        == (today.partition("measures tell the two apart")[0])
    ), "run benchmarks/copy_test.py"
    cells, cells_today = _cells(recorded.splitlines()), _cells(today.splitlines())
    risks = {
        measure.symbol for measure in sdc.MEASURES.values() if measure.family == DISCLOSURE_RISK
    }
    assert risks - set(cells) == set(), "run benchmarks/copy_test.py"
    assert list(cells) == list(cells_today)
    for symbol, (title, copy, *rest) in cells_today.items():
        was_title, was_copy, *was = cells[symbol]
        assert (title, rest[0], rest[2:]) == (was_title, was[0], was[2:]), symbol
        for cell, was_cell in ((copy, was_copy), (rest[1], was[1])):
            numbers = _numbers(was_cell)
            assert _numbers(cell) == pytest.approx(numbers, rel=0.01, abs=0.002), symbol


def test_whatever_gives_a_verdict_tells_a_copy_from_people_who_were_not_in_it(
    review: sdc.Review,
) -> None:
    given = [verdict for verdict in script.verdicts(review) if verdict.copy_fails is not None]
    assert len(given) > 50
    assert [verdict.measure.symbol for verdict in given if not verdict.copy_fails] == []
    # One draw of people, and two tests of the same attack with p = .026: see every-p-tested.
    called = {verdict.measure.symbol for verdict in given if verdict.fresh_fails}
    assert called == {"singling_out", "singling_out_p"}
