"""Many columns: the report shows the worst and a picture, files have everything."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report import document, measures, write_all
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.figures import draw
from sdcmetrics.report.formats import write
from sdcmetrics.report.safety import rows
from sdcmetrics.report.safety.cells import LongTable, column, number
from sdcmetrics.report.sections import by_variable, utility
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make five columns many."""
    monkeypatch.setattr(measures, "LARGE_REVIEW", 10)
    monkeypatch.setattr(write, "LARGE_REVIEW", 10)
    monkeypatch.setattr(document, "_LONGEST", 10)
    monkeypatch.setattr(utility, "_DRAWN", 3)
    monkeypatch.setattr(utility, "_LISTED", 2)
    monkeypatch.setattr(by_variable, "_BLOCKS", 4)


def pair_rows(review: Review) -> pd.DataFrame:
    """Return the measurements of pairs of variables."""
    frame = review.mean_rows()
    return frame[frame["variables"].map(len) == 2]


@pytest.mark.usefixtures("small_limits")
class TestMany:
    def test_files_have_every_measurement(
        self, review: Review, profile: Profile, tmp_path: Path
    ) -> None:
        write_all(review, tmp_path, profile=profile)
        result = pd.read_parquet(tmp_path / "tables" / "measurements.parquet")
        assert result["value"].tolist() == pytest.approx(
            review.mean_rows()["value"].tolist(), nan_ok=True
        )
        pairs = pair_rows(review)
        text = (tmp_path / "tables" / "utility_twoway.csv").read_text("utf-8")
        wide = list(csv.DictReader(io.StringIO(text)))
        assert len(wide) == len({*zip(pairs["variables"], pairs["replica"], strict=True)})
        for row in wide:
            of = pairs[pairs["replica"] == row["replica"]]
            names = (row["variable_1"], row["variable_2"])
            expected = of[of["variables"] == names].set_index("metric")["value"].dropna()
            shown = {m: float(row[m]) for m in expected.index}
            assert shown == expected.to_dict()

    @pytest.mark.parametrize("mode", ["internal", "checker"])
    def test_the_json_holds_of_pairs_what_can_be_released_and_names_the_files(
        self, review: Review, profile: Profile, tmp_path: Path, mode: str
    ) -> None:
        write_all(review, tmp_path, profile=profile, mode=mode)
        document = json.loads((tmp_path / "review.json").read_text("utf-8"))
        assert "utility_twoway" not in document
        assert document["in_files_only"]["utility_twoway"] == 20
        pairs = [row for row in document["measurements"] if " | " in row.get("variables", "")]
        assert {row["metric"] for row in pairs} == {"S_pMSE", "TVD"}
        assert all(MEASURES[row["metric"]].release for row in pairs)
        assert (tmp_path / "tables" / "measurements.parquet").exists() == (mode == "internal")

    def test_the_report_shows_the_worst_and_says_where_the_rest_is(
        self, review: Review, profile: Profile
    ) -> None:
        report = safe_report(review, profile, "internal")
        first = report.utility.one_way[0]
        assert len(first.rows) == 2
        assert "3 better variables in the CSV file only" in first.note
        assert len(report.by_variable) == 4
        assert {"region", "job", "vote", "age"} == {b.name.text for b in report.by_variable}

    def test_a_picture_holds_every_pair_once_in_its_band(
        self, review: Review, profile: Profile
    ) -> None:
        heats = safe_report(review, profile, "internal").utility.heats
        assert [block.figure.named for block in heats] == [True, True, False, False]
        for block in heats[2:]:
            assert len(block.figure.cells) == 10  # 5 variables
            svg = draw(block.figure, "fig")
            side = 600 // 5
            drawn = [int(part.split("h")[1]) for part in _runs(svg)]
            assert sum(drawn) == side * 10
            assert f'stroke-width="{side}"' in svg


def test_measurements_of_very_many_tables_read_as_those_of_few(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed() -> list[dict[str, str | float]]:
        return rows.as_rows(safe_report(review, profile, "internal").exports["measurements"])

    few = listed()
    monkeypatch.setattr(measures, "LARGE_REVIEW", 10)
    kept = [
        row
        for row in few
        if MEASURES[str(row["metric"])].release or " | " not in str(row.get("variables"))
    ]
    assert len(kept) < len(few)
    assert {row["status"] for row in kept} > {"not judged"}
    assert listed() == kept
    monkeypatch.setattr(rows, "_AT_ONCE", 7)
    assert listed() == kept


@pytest.mark.parametrize("at_once", [1, 2, 3, 4])
def test_a_long_table_is_written_as_the_whole_one(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", at_once)
    columns = (column("name"), number("value"))
    names, values = ["a", "=b", ""], np.array([0.5, math.nan, 2.0])
    asked = []

    def part(chosen: slice) -> tuple[list[str], npt.NDArray[np.float64]]:
        asked.append(names[chosen])
        return names[chosen], values[chosen]

    long = LongTable(columns, 3, part)
    assert rows.as_csv(long) == "name,value\na,0.5\n'=b,\n,2\n"
    assert max(map(len, asked)) == min(at_once, 3)
    assert rows.as_rows(long) == [{"name": "a", "value": 0.5}, {"name": "=b"}, {"value": 2}]
    assert rows.as_csv(LongTable(columns, 0, lambda _: ([], np.zeros(0)))) == "name,value\n"
    assert [[cell.number for cell in row] for row in long.rows] == [
        [None, 0.5],
        [None, None],
        [None, 2.0],
    ]


def _runs(svg: str) -> list[str]:
    paths = [part.split('"')[0] for part in svg.split('<path d="')[1:]]
    return [run for path in paths for run in path.split("M")[1:]]


def test_few_columns_have_no_parquet_file_and_everything_in_the_json(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    write_all(review, tmp_path, profile=profile)
    assert not list(tmp_path.rglob("*.parquet"))
    document = json.loads((tmp_path / "review.json").read_text("utf-8"))
    assert document["in_files_only"] == {}
    assert len(document["measurements"]) == len(review.mean_rows())


def test_a_release_looks_at_keys_and_targets_first_and_says_of_how_many_pairs_nothing(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdcmetrics.report.safety.protect.tables.MOST_PAIRS", 4)
    other = replace(profile, title="of four")  # what was protected is known by its profile
    report = safe_report(review, other, "checker")
    pairs = [row for row in report.exports["utility_twoway"].rows if row[2].full == "good"]
    assert [(row[0].full, row[1].full) for row in pairs] == [
        *(("age", name) for name in ("region", "job", "vote")),  # keys and targets; not income
        ("region", "job"),
    ]
    words = ["".join(map(str, item.words)) for item in report.decision.unchecked]
    assert any(text.startswith("6 tables of two variables") for text in words)
