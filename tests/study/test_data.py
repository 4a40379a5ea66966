"""Data sets of a study: one that is given twice is listed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics import Study
from sdcmetrics.errors import ColumnError
from sdcmetrics.study import data
from sdcmetrics.study.sampled import drawn


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"k": list("aabb") * 10, "t": list("xyxy") * 10})
    frame.to_csv("o.csv", index=False)
    frame.iloc[::-1].to_csv("a.csv", index=False)
    frame.iloc[::-1].to_csv("b.csv", index=False)
    return frame


def repeats(study: Study) -> list[str]:
    syntheses = [item for replica in study.replicas.values() for item in replica]
    fixes = [str(fix) for data_set in syntheses for fix in data_set.fixes]
    return [fix for fix in fixes if "the same once more" in fix]


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        ({"one": "a.csv", "two": "a.csv"}, "those of one (a.csv)"),
        ({"one": "a.csv", "two": "b.csv"}, "those of a.csv"),
        ({"one": ["a.csv", "./a.csv"]}, "those of one 1 (a.csv)"),
    ],
)
def test_a_file_that_is_given_twice(
    files: pd.DataFrame, replicas: dict[str, str | list[str]], expected: str
) -> None:
    study = Study(files, replicas, keys=["k"], targets=["t"])
    assert len(repeats(study)) == 1
    assert expected in repeats(study)[0]


def test_a_frame_that_is_given_twice(files: pd.DataFrame) -> None:
    other = files.iloc[::-1]
    study = Study(files, {"one": [other, other]}, keys=["k"], targets=["t"])
    assert len(repeats(study)) == 1
    study = Study(files, {"one": [other, files.iloc[1:]]}, keys=["k"], targets=["t"])
    assert repeats(study) == []


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_is_said_of_a_column_that_a_replica_lacks_is_said_of_the_others(
    files: pd.DataFrame, form: str
) -> None:
    coded = files.assign(code=range(40), part="1,5")
    for name, frame in (("o", coded), ("a", coded[::-1]), ("b", coded.drop(columns="code"))):
        getattr(frame, f"to_{form}")(f"{name}.{form}", index=False)
    read: dict[str, Any] = {"kinds": {"code": "category", "k": "category"}}
    read["decimal"] = {"part": ",", "code": "."}
    paths = {name: f"{name}.{form}" for name in ("a", "b")}
    study = Study(f"o.{form}", paths, keys=["k"], targets=["t"], read_options=read)
    kinds = [str(study.replicas[name][0].table.schema.field("k").type) for name in paths]
    assert kinds[0] == kinds[1]
    assert str(study.replicas["a"][0].table.schema.field("code").type) == "string"
    assert "code" not in study.replicas["b"][0].columns
    read["kinds"] = {"cod": "category"}
    with pytest.raises(ColumnError, match=f"o.{form}: kinds names 'cod'"):
        Study(f"o.{form}", paths, keys=["k"], targets=["t"], read_options=read)


def test_reading_options_go_to_files_that_can_have_them() -> None:
    given = {"encoding": "latin-1", "delimiter": ";", "metadata": "book", "decimal": None}
    for form, names in {
        "csv": {"encoding", "delimiter", "metadata"}, "parquet": {"metadata"},
        "feather": {"metadata"}, "spss": {"encoding"},
    }.items():  # fmt: skip
        assert data._applicable(given, form) == {name: given[name] for name in names}


def test_samples_are_drawn_where_a_data_set_is_larger() -> None:
    for large, sizes, size in (
        (True, (9, 100), 0), (True, (101, 9), 100), (True, (9, 101), 100), (False, (101,), 0),
    ):  # fmt: skip
        of: Any = With(options=With(sample_size=100), original=With(large=large))
        assert drawn(of, sizes) == size


def test_a_folder_that_went_out_leaves_a_study_in_memory(tmp_path: Path) -> None:
    frame = pd.DataFrame({"k": ["a", "b"] * 5, "x": range(10)})
    folder = tmp_path / "out"
    folder.mkdir()
    frame.to_parquet(folder / "part.parquet", index=False)
    whole = data.load(frame, {"r": [frame[::-1]]}, None, {}, [folder])
    assert not any(data_set.large for data_set in (*whole.every, *whole.earlier_files))
    assert whole.earlier_files[0].to_pandas().equals(frame)
    counted = data.load(frame, {"r": [folder]}, None, {}, [folder])
    assert all(data_set.large for data_set in (*counted.every, *counted.earlier_files))
