"""Data sets of a study: one that is given twice is listed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdcmetrics import Study


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"k": list("aabb") * 10, "t": list("xyxy") * 10})
    frame.to_csv("o.csv", index=False)
    frame.iloc[::-1].to_csv("a.csv", index=False)
    frame.iloc[::-1].to_csv("b.csv", index=False)
    return frame


def repeats(study: Study) -> list[str]:
    data = [one for many in study.replicas.values() for one in many]
    fixes = [str(fix) for one in data for fix in one.fixes]
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
