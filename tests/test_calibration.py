"""Every p, interval and expectation of the package has been tried, and holds or says why not."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics import MEASURES, measures
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.distributions.places import NUMBERS

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
bench: Any = importlib.import_module("calibration")
data: Any = importlib.import_module("calibration_data")
paged: Any = importlib.import_module("calibration_page")


@pytest.fixture(scope="module")
def recorded() -> pd.DataFrame:
    table: pd.DataFrame = bench.recorded()
    return table


@pytest.fixture(scope="module")
def outcomes(recorded: pd.DataFrame) -> Any:
    """Return what every recorded statement came to."""
    return paged.outcomes(recorded)


LACKING: Mapping[str, Collection[str]] = defaultdict(tuple) | {
    "DAISYnt's mean_MMD": {"categorical"},
    "numbers of a sample": {"categorical"},
    "DAISYnt's MMD_joint": {"categorical"},
    "DAISYnt's close": {"categorical", "tied"},
}
"""Populations without numbers, or where nearly everybody is close to a replica record."""


class TestTheRecordedTable:
    def test_has_whatever_a_measure_says_was_tried(self, recorded: pd.DataFrame) -> None:
        seen = {
            (name.split(" where ")[0].split(" in ")[0], states, kind)
            for name, states, kind in recorded[["statement", "states", "kind"]].itertuples(
                index=False
            )
        }
        for measure in MEASURES.values():
            for states in measure.tested:
                kinds = data.MODELS if measure.of.per == "model" else data.KINDS
                if measure.of.option in ("[propensity]", "[prediction]"):
                    kinds = data.KINDS
                without = {"categorical"} if measure.of is NUMBERS else LACKING[measure.of.name]
                kinds = {kind: draw for kind, draw in kinds.items() if kind not in without}
                missing = [kind for kind in kinds if (measure.symbol, states, kind) not in seen]
                assert not missing, f"{measure.symbol}: run benchmarks/calibration.py"

    def test_has_every_p_of_a_result(self, recorded: pd.DataFrame) -> None:
        result = set(ps_of_results())
        assert bench.DECIDED.isdisjoint(bench.EVIDENCE)
        assert result >= bench.DECIDED
        assert {"LabelTest.p_value", "HoldoutCheck.p_more"} <= result - bench.DECIDED
        assert result - bench.DECIDED <= set(bench.EVIDENCE)
        assert {*bench.EVIDENCE.values(), bench.NOTICE} <= set(recorded["statement"])

    def test_has_nothing_that_fails_without_a_reason(self, outcomes: Any) -> None:
        assert paged.failing(outcomes) <= set(paged.WHY)

    def test_is_what_the_page_shows(self, recorded: pd.DataFrame, outcomes: Any) -> None:
        assert bench.PAGE.read_text(encoding="utf-8") == paged.page(recorded, outcomes)


def ps_of_results() -> Iterator[str]:
    """Every number p of a class in `measures`, as Class.name."""
    for module in pkgutil.walk_packages(measures.__path__, "sdcmetrics.measures."):
        for cls in vars(importlib.import_module(module.name)).values():
            if not isinstance(cls, type) or cls.__module__ != module.name:
                continue
            fields = (
                {field.name: field.type for field in dataclasses.fields(cls)}
                if (dataclasses.is_dataclass(cls))
                else {}
            )
            fields |= {
                name: item.fget.__annotations__.get("return")
                for name, item in vars(cls).items()
                if isinstance(item, property) and item.fget is not None
            }
            for name, kind in fields.items():
                parts = name.split("_")
                if kind == "float" and "p" in (parts[0], parts[-1]) and name != "p_mse":
                    yield f"{cls.__name__}.{name}"


class TestAMeasure:
    @pytest.mark.parametrize("symbol", ["identical_p", "S_pMSE"])
    def test_with_a_p_or_an_expectation_that_nobody_has_tried_is_refused(self, symbol: str) -> None:
        with pytest.raises(StudyError, match=r"no simulation has seen. Run benchmarks/calibration"):
            dataclasses.replace(MEASURES[symbol], tested=())


@pytest.fixture(scope="module")
def quick() -> pd.DataFrame:
    """A few draws, small ones: of fresh and drawn people, and of a copy; of categories, of fresh.

    Whether a statement holds is judged by the former, and a copy is found by any draw.
    """
    drawn = [
        bench.draw_round(
            0,
            seed=1,
            kinds=(kind,),
            sizes=(data.Sizes(90, 60, 45),),
            extras=(bench.of_rules,),
            conditions=data.CONDITIONS[:conditions],  # fresh, drawn, and a copy
        )
        for kind, conditions in (("numeric", 3), ("categorical", 1))
    ]
    result: pd.DataFrame = bench.sum_up(pd.concat(drawn))
    return result


class TestAQuickRun:
    """The recorded table is of the day it was recorded; this is of today's code."""

    def test_finds_nothing_that_fails_and_is_not_known_to(self, quick: pd.DataFrame) -> None:
        assert paged.failing(paged.outcomes(quick)) <= set(paged.WHY)

    def test_states_nothing_that_the_recorded_table_has_not(
        self, quick: pd.DataFrame, recorded: pd.DataFrame
    ) -> None:
        assert set(quick["statement"]) <= set(recorded["statement"])

    def test_finds_copies(self, quick: pd.DataFrame) -> None:
        for name in ("DCR_p", "identical_p"):
            copies = quick[(quick["statement"] == name) & (quick["condition"] == "copy")]
            assert (copies["wrong"] == copies["draws"]).all()

    def test_knows_a_wrong_p_a_wrong_mean_and_a_short_interval_when_it_sees_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = {"kind": "numeric", "sizes": "9 / 9 / 9", "condition": "fresh", "draws": 200}
        table = pd.DataFrame(
            [
                {**rows, "statement": "p", "states": "p", "wrong": 25},
                {**rows, "statement": "right p", "states": "p", "wrong": 15},
                {**rows, "statement": "se", "states": "interval", "wrong": 25},
                {**rows, "statement": "mean", "states": "fresh", "mean": 1.1, "sd": 0.1},
                {**rows, "statement": "right mean", "states": "fresh", "mean": 1.1, "sd": 0.9},
            ]
        ).assign(expected=1.0)
        assert paged.failing(paged.outcomes(table)) == {"p", "se", "mean"}
        monkeypatch.setattr(paged, "WHY", {})
        table.attrs = dict.fromkeys(("when", "rounds", "seed", "versions", "sizes"), "")
        table.attrs["draws"] = 1
        assert "| right p | 7.5 | 7.5 (numeric) |" in paged.page(table)
        assert "* se: not yet explained." in paged.page(table)
