"""The cross-check as a whole without R: its steps, its rows, what it says of a version."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.agreement import crosscheck, disclosure, models, propensity, tables
from sdcmetrics.agreement.compared import Compared
from sdcmetrics.agreement.crosscheck import COLUMNS, CrossCheck
from sdcmetrics.agreement.verdict import DIFFERS, EQUAL
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.registry import MEASURES
from tests.agreement.test_crosscheck import mixed

Put = pytest.MonkeyPatch
OURS = dict.fromkeys(MEASURES, 40.0)
EVERY = {m.twin.name_in("1.9-3"): 40.0 for m in MEASURES.values() if m.twin}


class Standing(rbridge.Session):
    """A session that has a version and no R."""

    def __init__(self, version: str = "1.9.3") -> None:
        super().__init__()
        self.said = {"r": "4.4.1", "synthpop": version}
        self.closed = 0

    @property
    def versions(self) -> dict[str, str]:
        return self.said

    def close(self) -> None:
        self.closed += 1


def study(**said: Any) -> sdc.Study:
    options = {"keys": ["area", "flag"], "targets": ["target"], "ways": (1, 2)} | said
    return sdc.Study(mixed(), {"one": mixed(seed=2), "two": mixed(seed=3)}, **options)


@pytest.fixture
def asked(monkeypatch: Put) -> list[str]:
    """Return what is compared, each step of it with the values of a step in place of R's."""
    steps: list[str] = []

    def step(name: str, of: Any) -> Any:
        def compare(*given: Any) -> Any:
            ways = f" {given[1]}" if name == "tables" else ""
            steps.append(name + ways)
            yield Compared(of, name, {"variables": ("area",)}, OURS, EVERY)

        return compare

    monkeypatch.setattr(tables, "compare_tables", step("tables", CROSSTABLES))
    monkeypatch.setattr(disclosure, "compare_scenario", step("scenario", KEYS))
    monkeypatch.setattr(propensity, "compare_propensity", step("propensity", KEYS))
    monkeypatch.setattr(models, "compare_models", step("models", KEYS))
    return steps


@pytest.mark.parametrize("modelled", [True, False])
def test_every_step_of_every_replica_is_told(asked: list[str], *, modelled: bool) -> None:
    given = ["income ~ area"] if modelled else []
    messages: list[Any] = []
    session = Standing()
    result = sdc.crosscheck(
        study(models=given), session=session, progress=lambda *now: messages.append(now)
    )
    steps = ["tables 1", "tables 2", "scenario", "propensity", *(["models"] if modelled else [])]
    assert asked == steps * 2
    words = ["1-way tables", "2-way tables", "scenario default", "propensity models"]
    words += ["models"] if modelled else []
    assert messages == [
        (f"{replica}: {word}", i + len(words) * (replica == "two"), 2 * len(words))
        for replica in ("one", "two")
        for i, word in enumerate(words)
    ]
    assert session.closed == 0  # who gave it goes on with it
    assert result.seconds > 0
    assert result.versions["synthpop"] == "1.9.3"
    assert result.versions["sdcmetrics"] == sdc.__version__
    assert [*result.table.columns] == [*COLUMNS]
    for replica in ("one", "two"):
        rows = result.table[result.table["replica"] == replica]
        assert {*rows["metric"]} == {name for name, m in MEASURES.items() if m.twin}


def test_that_records_are_a_sample_is_told_first(asked: list[str], monkeypatch: Put) -> None:
    monkeypatch.setattr(crosscheck, "said_of_records", lambda *_: "Of 50 records.")
    monkeypatch.setattr(crosscheck, "in_memory", lambda given: (given, None))
    messages: list[Any] = []
    result = sdc.crosscheck(study(), session=Standing(), progress=lambda *now: messages.append(now))
    assert messages[:2] == [("Of 50 records.", 0, 8), ("one: 1-way tables", 0, 8)]
    assert result.note.endswith("Of 50 records.")
    assert sdc.crosscheck(study(), session=Standing()).note == result.note  # nobody is told
    assert asked


def test_what_nobody_asks_for_is_listed_with_the_reason(asked: list[str]) -> None:
    for version, absent in (("1.9-2", "TCAP_certain"), ("1.9-3", "TCAP_matched")):
        session = Standing(version.replace("-", "."))
        result = sdc.crosscheck(study(), session=session).table.set_index("metric")
        left = result[result["function"].isna()]
        assert {*left.loc[absent, "verdict"]} == {f"not compared: not in synthpop {version}"}
        here = left[~left["verdict"].str.endswith(version)]
        assert {*here["verdict"]} == {"not compared: nothing in this study asks synthpop for it"}
        assert left["explained"].all()
        assert {*left["replica"]} == {"one", "two"}
        assert here.loc["CIO", "family"].tolist() == [MEASURES["CIO"].family] * 2
    assert asked


def test_a_session_of_its_own_is_closed(asked: list[str], monkeypatch: Put) -> None:
    made: list[Any] = []

    def session(**said: Any) -> Any:
        made.append((Standing(), said))
        return made[-1][0]

    monkeypatch.setattr(rbridge, "Session", session)
    sdc_study = study()
    monkeypatch.setattr(crosscheck, "_versions", lambda _: {})
    crosscheck.crosscheck(sdc_study, timeout=5, memory_mb=700)
    assert asked
    assert [(item.closed, text) for item, text in made] == [(1, {"timeout": 5, "memory_mb": 700})]


def test_a_version_that_is_not_known_is_said(asked: list[str]) -> None:
    for version, nearest in (("2.0-1", "1.9-3"), ("1.8-0", "1.9-2")):
        note = sdc.crosscheck(study(), session=Standing(version.replace("-", "."))).note
        assert note.startswith(f"synthpop {version} is not one of the versions")
        assert f"as if it were {nearest}," in note
    assert sdc.crosscheck(study(), session=Standing()).note == ""
    assert asked


def test_a_result_counts_and_ranks_what_is_equal() -> None:
    table = pd.DataFrame(
        {
            "verdict": [EQUAL, EQUAL, DIFFERS, "differs as documented: A1: it: stopped"],
            "explained": [True, True, False, True],
            "relative": [1e-12, np.nan, 0.5, 0.25],
            "absolute": [math.inf, 1.0, 2.0, math.nan],
            "variables": [("area", "flag"), None, None, None],
        }
    ).reindex(columns=list(COLUMNS))
    result = CrossCheck(table, {"r": "4"}, 2.5)
    assert result.largest_difference() == 1e-12
    assert math.isnan(CrossCheck(table[1:]).largest_difference())
    assert result.counts() == {EQUAL: 2, DIFFERS: 1, "differs as documented: A1": 1}
    said = result.to_dict()
    assert (said["ok"], said["versions"], said["seconds"]) == (False, {"r": "4"}, 2.5)
    assert "note" not in said
    assert CrossCheck(table, note="new").to_dict()["note"] == "new"
    first, second = said["rows"][:2]
    assert first == {
        "verdict": EQUAL, "explained": True, "relative": 1e-12, "variables": ["area", "flag"],
    }  # fmt: skip
    assert second == {"verdict": EQUAL, "explained": True, "absolute": 1.0}
    assert SimpleNamespace(**said).counts == result.counts()
