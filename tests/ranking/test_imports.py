"""Ranking knows what a study asks and what a review found, and no measure by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.study.criteria import criterion, default_metrics
from tests.ranking.reviews import review

PACKAGE = Path(sdc.__file__).parent


def trees(folder: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        yield path.name, ast.parse(path.read_text("utf-8"))


@pytest.mark.parametrize(
    ("folder", "above"),
    [
        ("study", ("review", "ranking", "agreement", "report", "cli")),
        ("review", ("ranking", "agreement", "report", "cli")),
        ("ranking", ("agreement", "rbridge", "report", "cli")),
    ],
)
def test_imports_go_one_way(folder: str, above: tuple[str, ...]) -> None:
    result = {
        (name, node.module)
        for name, tree in trees(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert result
    assert not [
        (name, module)
        for name, module in result
        if module.startswith(tuple(f"sdcmetrics.{item}" for item in above))
    ]


def test_no_module_of_ranking_names_a_measure() -> None:
    texts = {
        (name, node.value)
        for name, tree in trees("ranking")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    symbols = set(MEASURES) - {"U"}  # SynthEval calls its sum of points for utility so
    assert not {(name, text) for name, text in texts if text.partition("_")[0] in symbols}


def test_a_measure_of_another_package_can_be_ranked_and_may_be_ranked_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Measure(
        symbol="Other",
        function=len,
        of=CROSSTABLES,
        family=GENERAL_UTILITY,
        title="Another",
        better="higher",
        low=0,
        high=1,
        ideal=1,
        meaning="",
        formula="",
        source="",
        limits="",
        ranked={2: 1.0},
    )
    monkeypatch.setitem(MEASURES, "Other", made)
    assert criterion("Other_one_way").direction == "higher is better"
    assert default_metrics("general")["Other_two_way"] == pytest.approx(0.5)
    assert sum(default_metrics("general").values()) == pytest.approx(1)


def test_what_is_declared_the_same_for_every_target_is_so() -> None:
    rows = review().mean_rows()
    declared = [symbol for symbol, measure in MEASURES.items() if measure.any_target]
    assert {"UiOiS", "repU"} <= set(declared)
    asked_for = [symbol for symbol, item in MEASURES.items() if item.of.option]
    declared = [
        item for item in declared if item not in asked_for and not item.startswith("match_risk")
    ]
    for symbol in declared:
        of = rows[rows["metric"] == symbol]
        assert (of.groupby(["replica", "scenario"])["value"].nunique() <= 1).all(), symbol
        assert len(of) > of["replica"].nunique(), symbol
