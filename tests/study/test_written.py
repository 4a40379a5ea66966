"""No file is overwritten that this program did not write, whoever writes and whatever it holds."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import report
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.report.plot import Drawing
from sdcmetrics.review.cache import Cache
from sdcmetrics.review.progress import Log
from sdcmetrics.study.demo.review import refuse_changed, write_study
from sdcmetrics.study.written import is_ours, make_folder, note, own_key, state_folder, write_result

NAMES = re.findall(
    r"\w+",
    "S_pMSE DiSCO tvd CIO p_value broken_percent verdict weighted_score classification "
    "identical_records ok records_below recursive_l daisynt t_closeness match_risk dis_suda "
    "attack_score protection",
)


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder / "sdcmetrics"


@pytest.fixture
def pair() -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = pd.DataFrame({"k": list("aabb") * 10, "t": list("xyxy") * 10})
    return frame, frame.iloc[::-1].reset_index(drop=True)


@pytest.fixture
def review(pair: tuple[pd.DataFrame, pd.DataFrame]) -> sdc.Review:
    return sdc.conduct(sdc.Study(pair[0], {"cart": pair[1]}, keys=["k"], targets=["t"]))


@pytest.mark.parametrize("name", NAMES)
def test_no_heading_makes_a_file_ours(tmp_path: Path, name: str) -> None:
    table, figures = tmp_path / "court.csv", tmp_path / "court.json"
    table.write_text(f"id,{name},age\n1,guilty,40\n", encoding="utf-8")
    figures.write_text(f'{{"{name}": 1, "measurements": []}}', encoding="utf-8")
    assert not is_ours(table)
    assert not is_ours(figures)


def test_what_was_written_is_ours_until_it_is_changed(tmp_path: Path, state: Path) -> None:
    path = write_result(tmp_path / "a.csv", "a\n1\n")
    assert is_ours(path)
    assert write_result(path, "a\n2\n") == path
    assert path.rename(tmp_path / "b.csv").read_text() == "a\n2\n"
    assert is_ours(tmp_path / "b.csv")
    (tmp_path / "b.csv").write_text("a\n3\n")
    with pytest.raises(FileError, match="not a result of sdcmetrics, or was changed"):
        write_result(tmp_path / "b.csv", "a\n4\n")
    assert write_result(tmp_path / "b.csv", "a\n4\n", force=True).read_text() == "a\n4\n"
    assert b"a\n" not in (state / "written").read_bytes()
    (state / "cache.key").unlink()
    assert not is_ours(tmp_path / "b.csv")  # another user's


def test_state_is_kept_where_the_system_says_or_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert state_folder() != tmp_path / "local" / "sdcmetrics"  # the other is asked first
    monkeypatch.delenv("XDG_STATE_HOME")
    assert state_folder() == tmp_path / "local" / "sdcmetrics"
    monkeypatch.delenv("LOCALAPPDATA")
    assert state_folder() == tmp_path / ".local" / "state" / "sdcmetrics"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_its_owner_may_enter_the_state_or_read_the_key(state: Path) -> None:
    assert own_key() is not None
    assert [path.stat().st_mode & 0o077 for path in (state, state / "cache.key")] == [0, 0]


def test_nobody_without_a_home_loses_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    assert own_key() is None
    write_result(tmp_path / "a.csv", "a\n")
    with pytest.raises(FileError, match="pass force=True"):
        write_result(tmp_path / "a.csv", "b\n")


def test_a_file_read_in_parts_has_the_digest_of_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdcmetrics.study.written._AT_ONCE", 2)
    file = tmp_path / "a.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    assert not is_ours(file)
    note("a,b\n1,2\n")
    assert is_ours(file)


def test_what_is_noted_stays_short(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdcmetrics.study.written._MOST", 10)
    for i in range(31):
        note(str(i))
    assert (state / "written").stat().st_size <= 10 * 32
    (tmp_path / "last").write_text("30")
    assert is_ours(tmp_path / "last")


Write = Callable[..., Any]
WRITERS: dict[str, Write] = {
    "html": report.write_html,
    "json": report.write_json,
    "xlsx": report.write_xlsx,
    "to_json": lambda review, path, **how: review.to_json(path, **how),
    "plot": lambda _, path, **how: Drawing("<svg/>", "a", "b").save(path, **how),
    "ranking": lambda review, path, **how: sdc.compare_replicas(review).to_csv(path, **how),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_of_python_keeps_the_rule(
    review: sdc.Review, tmp_path: Path, name: str
) -> None:
    path, write = tmp_path / "file", WRITERS[name]
    path.write_text("id,verdict\n1,theirs\n", encoding="utf-8")
    with pytest.raises(FileError, match="force"):
        write(review, path)
    assert path.read_text("utf-8") == "id,verdict\n1,theirs\n"
    write(review, path, force=True)
    write(review, path)
    with pytest.raises(FileError, match="cannot be written"):
        write(review, tmp_path / "missing" / "file")


def test_tables_in_a_folder(review: sdc.Review, tmp_path: Path) -> None:
    (tmp_path / "fixes.csv").write_text("theirs", encoding="utf-8")
    with pytest.raises(FileError, match=r"fixes\.csv"):
        report.write_csv(review, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["fixes.csv"]
    report.write_csv(review, tmp_path, force=True)
    report.write_csv(review, tmp_path)


class TestFolder:
    def test_a_review_json_of_somebody_else(self, review: sdc.Review, tmp_path: Path) -> None:
        (tmp_path / "review.json").write_text('{"classification": "internal"}', encoding="utf-8")
        with pytest.raises(StudyError, match=r"review\.json is not known"):
            report.write_all(review, tmp_path)

    def test_their_table_among_ours(self, review: sdc.Review, tmp_path: Path) -> None:
        report.write_all(review, tmp_path)
        theirs = tmp_path / "tables" / "notes.csv"
        theirs.write_text("theirs", encoding="utf-8")
        with pytest.raises(StudyError, match=r"notes\.csv is not known"):
            report.write_all(review, tmp_path)
        assert theirs.read_text("utf-8") == "theirs"
        theirs.unlink()
        report.write_all(review, tmp_path)

    def test_results_of_another_computer_are_results(
        self, review: sdc.Review, tmp_path: Path, state: Path
    ) -> None:
        report.write_all(review, tmp_path)
        (state / "written").unlink()
        report.write_all(review, tmp_path)

    def test_the_checkpoint(self, tmp_path: Path) -> None:
        path = tmp_path / "partial.csv"
        path.write_text("id,verdict\n", encoding="utf-8")
        with pytest.raises(FileError, match="remove it"):
            Log(None, 1, path)
        path.unlink()
        Log(None, 1, path)
        Log(None, 1, path)

    def test_a_step_of_somebody_else_stays(
        self, pair: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path
    ) -> None:
        study = sdc.Study(pair[0], {"cart": pair[1]}, keys=["k"], targets=["t"])
        theirs = tmp_path / "dance.step"
        theirs.write_bytes(b"one two three" * 10)
        steps = Cache.of(tmp_path, study)
        steps.prune()
        assert theirs.exists()


def test_an_edited_demo_is_kept(tmp_path: Path) -> None:
    file = write_study(tmp_path)
    refuse_changed(tmp_path)
    file.write_text("# mine\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"study\.toml.*--force"):
        refuse_changed(tmp_path)


def test_a_folder_is_made_with_its_parents_or_refused_with_a_remedy(tmp_path: Path) -> None:
    for _ in range(2):  # one that is there stays
        make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match=r"cannot be made .* Name another"):
        make_folder(tmp_path / "file" / "b")
