"""Changes between two documents, row by row."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.report.safety.cells import SafeTable
from sdcmetrics.report.sections import since as section
from sdcmetrics.report.since import Changes, _alike, _better, _people, _size, _worse, changes

ROW = {"replica": "r", "target": "", "variables": ""}


def results(n: int = 200, **document: Any) -> Any:
    empty: dict[str, Any] = {"decision": [], "measurements": [], "inputs": []}
    return SimpleNamespace(document={**empty, **document}, n_original=n)


def row(metric: str, value: float | None, status: str = "", **more: str) -> dict[str, Any]:
    entries = {} if value is None else {"value": value}
    return {**ROW, "metric": metric, **entries, "status": status, **more}


def between(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Changes:
    return changes(results(200, measurements=before), results(100, measurements=after))


def test_measurements_that_differ_are_told_those_of_most_people_first() -> None:
    before = [
        row("DiSCO", 10.0, target="a"), row("DiSCO", 10.0, target="b"), row("repU", 5.0),
        row("DCAP", 20.0), row("S_pMSE", 2.0), row("TVD", 0.5), row("Hellinger", 0.1),
        row("pMSE", None), row("KS", 1.0),
    ]  # fmt: skip
    after = [
        row("DiSCO", 12.0, target="a"), row("DiSCO", 10.0, target="b"), row("repU", 4.0),
        row("DCAP", 50.0), row("S_pMSE", 4.0), row("TVD", 0.4), row("Hellinger", 0.1 * (1 + 1e-10)),
        row("pMSE", None), row("BhattD", 1.0),
    ]  # fmt: skip
    table = between(before, after).measurements
    assert table["metric"].tolist() == ["DiSCO", "repU", "DCAP", "KS", "BhattD", "S_pMSE", "TVD"]
    assert table["change"].tolist()[:5] == ["worse", "better", "worse", "gone", "new"]
    assert table["change"].tolist()[5:] == ["worse", "better"]
    # of the smaller original, of 100
    assert table["people"].tolist()[:3] == pytest.approx([2, 1, 30])
    assert table["people"].isna().tolist() == [False] * 3 + [True] * 4
    assert table[["before", "after"]].to_numpy().tolist()[:2] == [[10, 12], [5, 4]]
    assert math.isnan(table["after"].iloc[3])


@pytest.mark.parametrize(
    ("first", "other", "alike"),
    [
        (1.0, 1.0 + 9e-10, True),
        (1.0, 1.0 + 2e-9, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
    ],
)
def test_values_are_alike_up_to_the_order_of_adding(
    first: float, other: float, *, alike: bool
) -> None:
    assert _alike(first, other) is alike
    assert _alike(other, first) is alike


def test_sizes_directions_and_people() -> None:
    assert _size(1.0, 4.0) == _size(4.0, 1.0) == 0.75
    assert _size(-4.0, 1.0) == 1.25
    assert _size(0.0, 0.0) == 0
    assert _size(math.nan, 1.0) == math.inf
    assert _better("S_pMSE", 2.0, 1.0) == "better"
    assert _better("S_pMSE", 1.0, 2.0) == "worse"
    assert _better("ROC", 0.5, 0.6) == "better"
    assert _better("ROC", 0.6, 0.5) == "worse"
    for metric, after in (("unheard", 2.0), ("S_pMSE", 1.0), ("S_pMSE", math.nan)):
        assert _better(metric, 1.0, after) == "neither"
    assert _people("DiSCO", 12.0, 10.0) == pytest.approx(0.02)
    assert math.isnan(_people("S_pMSE", 1.0, 2.0))
    assert math.isnan(_people("unheard", 1.0, 2.0))
    of_others = (
        "repSU",
        "TCAP_certain",
        "k_below_5",
        "IMS_training",
        "Dsyn",
        "DCAPs",
        "match_risk",
    )
    assert all(math.isnan(_people(metric, 1.0, 2.0)) for metric in of_others)
    of_people = ("UiO", "repU", "iS", "DiSDiO", "DCAP", "special_uniques", "exact_copies")
    assert all(_people(metric, 1.0, 2.0) == pytest.approx(0.01) for metric in of_people)


def test_what_is_the_same_for_every_target_moves_once() -> None:
    before = [row(metric, 5.0, target=target) for metric in ("repU", "DiSCO") for target in "ab"]
    moved = between(before, [{**entry, "value": 4.0} for entry in before]).moved
    assert list(zip(moved["metric"], moved["target"], strict=True)) == [
        ("repU", ""), ("DiSCO", "a"), ("DiSCO", "b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ("within", "review", True), ("review", "fail", True), ("review", "within", False),
        ("review", "review", False), ("", "review", False), ("", "fail", True),
        ("within", "not judged", False), ("not judged", "review", False),
        ("not judged", "fail", True), ("fail", "fail", False), ("fail", "", False),
        ("fail", "not judged", False),
    ],
)  # fmt: skip
def test_a_status_that_is_worse(before: str, after: str, *, worse: bool) -> None:
    assert _worse(before, after) is worse
    result = between([row("DiSCO", 1.0, before)], [row("DiSCO", 1.0, after)])
    assert result.worse is worse
    assert len(result.measurements) == (before != after)


@pytest.mark.parametrize(
    ("before", "after", "worse"), [("within", "not judged", True), ("review", "review", False),
                                   ("fail", "review", False), (None, "fail", False)]
)  # fmt: skip
def test_verdicts_that_differ(before: str | None, after: str, *, worse: bool) -> None:
    def of(status: str | None) -> Any:
        answers = {"risk": {"status": status}, "utility": {"status": "within"}}
        return results(decision=[] if status is None else [{"replica": "r", **answers}])

    result = changes(of(before), of(after))
    told = [("r", "risk", before, after)] if before != after else []
    if before is None:
        told.append(("r", "utility", None, "within"))
    assert [tuple(line) for line in result.verdicts.to_numpy().tolist()] == told
    assert result.worse is worse


def test_data_and_settings_that_differ() -> None:
    def of(records: int, value: int, **more: Any) -> Any:
        return results(
            inputs=[{"data_set": "original", "records": records, "source": "o.csv"}],
            reproduce=[{"what": "Seed", "value": value}, {"what": "Made at", "value": value}],
            thresholds=[{"measure": "DiSCO", "review_beyond": value, "unknown": value}],
            scenarios=[{"name": "s", "knows": ["a", "b"], "wants": ["c"]}],
            context=[{"what": "Use", "value": "science"}],
            **more,
        )

    result = changes(of(10, 1), of(11, 2, title="New"))
    assert result.data.to_numpy().tolist() == [["original", "records", "10", "11"]]
    assert result.settings.to_numpy().tolist() == [
        ["Seed", "1", "2"],
        ["Limit on DiSCO, review beyond", "1", "2"],
        ["Title", "", "New"],
    ]
    assert not result.worse


def told(verdicts: int = 0, **kinds: int) -> str:
    """Return the summary of so many changed verdicts and measurements of each kind."""
    rows = [kind for kind, times in kinds.items() for _ in range(times)]
    differences: Any = SimpleNamespace(
        measurements=pd.DataFrame({"change": rows}, dtype=object), verdicts=[None] * verdicts
    )
    return section._summary(differences)


def test_what_has_changed_is_told_in_a_sentence() -> None:
    assert told() == "No verdict has changed. No measurement has changed."
    assert told(1, new=2) == "1 verdict changed. Measurements: 2 new."
    assert told(2, neither=1200) == (
        "2 verdicts changed. Measurements: 1,200 changed, neither better nor worse."
    )
    assert told(gone=1, worse=3, better=2, neither=1) == (
        "No verdict has changed. Measurements: 2 better, 3 worse, 1 gone, 1 changed, neither "
        "better nor worse."
    )


@pytest.mark.parametrize(("moved", "note"), [(30, ""), (31, "1 more: sdcmetrics diff lists all.")])
def test_changes_are_listed_those_of_most_people_first(moved: int, note: str) -> None:
    before = [row("DiSCO", 10.0, target=f"t{i}", scenario="s") for i in range(moved)]
    after = [row("DiSCO", 50.0 - i, target=f"t{i}", scenario="s") for i in range(moved)]
    first = results(
        measurements=before, title="Old", decision=[DECIDED | {"risk": {"status": "fail"}}]
    )
    other = results(measurements=[*after, row("pMSE", 0.1)], title="New", decision=[DECIDED])
    verdicts, values, data, settings = section._tables(changes(first, other))
    assert texts(verdicts) == [["r", "risk", "fail", "within"]]
    assert texts(values)[:2] == [
        ["r", "DiSCO", "s, t0", "10.0", "50.0", "worse"],
        ["r", "DiSCO", "s, t1", "10.0", "49.0", "worse"],
    ]
    assert (len(values.rows), values.note) == (30, note)
    assert texts(data) == []
    assert [column.title for column in settings.columns] == ["What", "Before", "Now"]
    assert texts(settings) == [["Title", "Old", "New"]]


DECIDED = {"replica": "r", "risk": {"status": "within"}, "utility": {"status": "within"}}


def texts(table: SafeTable) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]
