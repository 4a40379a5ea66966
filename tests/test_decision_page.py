"""Pages on decisions are those of the recorded tables, which stand in benchmarks."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
script: Any = importlib.import_module("decision_page")
interval: Any = importlib.import_module("decisions").interval


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(ROOT / "benchmarks" / "decisions.csv")


def test_every_decision_is_on_its_page(rows: pd.DataFrame) -> None:
    page = ROOT / "docs" / "every-decision-tested.md"
    assert page.read_text(encoding="utf-8") == script.page(rows), "run benchmarks/decision_page.py"


def test_how_often_a_decision_is_wrong_is_that_of_the_recorded_table(rows: pd.DataFrame) -> None:
    text = (ROOT / "docs" / "the-decision.md").read_text(encoding="utf-8")
    fresh = rows[rows["replica"] == "fresh"]
    for words, holdout in (
        ("as many people as the original", 1.0),
        ("a fifth as many", 0.2),
        ("none", 0.0),
    ):
        part = fresh[fresh["holdout"] == holdout]
        accused = int(part["accused"].sum())
        end = interval(accused, len(part)).rpartition(", ")[2].rstrip("]")
        assert f"| {words} | {accused} | {len(part)} | {end} % |" in text
    review = (fresh["risk"] == "review").sum(), (fresh["utility"] == "review").sum()
    assert f"were {review[0]} of these {len(fresh)} on risk" in text
    assert f"and {review[1]} on usefulness; none failed" in text
    assert not (fresh[["risk", "utility"]] == "fail").to_numpy().any()


def test_so_it_is_of_the_tables_of_r() -> None:
    tables = pd.read_csv(ROOT / "benchmarks" / "decision_tables.csv")
    fresh = tables[tables["replica"] == "fresh"]
    beside, alone = fresh[fresh["holdout"] > 0], fresh[fresh["holdout"] == 0]
    assert not beside["accused"].astype(bool).any()
    text = " ".join((ROOT / "docs" / "the-decision.md").read_text(encoding="utf-8").split())
    assert (
        f"Of random parts of {len(beside)} tables of R's packages none was accused beside a "
        f"holdout, and {int(alone['accused'].astype(bool).sum())} without one"
    ) in text
