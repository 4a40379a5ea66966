"""Files of a command: checked before it measures, and saved without formulas."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from sdcmetrics.cli.saving import check_output, data_files, is_input, save_csv, save_json
from sdcmetrics.errors import FileError


def refused(given: dict[str, Path | None], inputs: list[Path], *, force: bool = False) -> str:
    with pytest.raises(FileError) as caught:
        check_output(given, inputs, force=force)
    return str(caught.value)


def test_a_file_of_a_stranger_needs_force_and_ours_does_not(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    check_output({"--csv": file, "--json": None}, [], force=False)
    save_csv(pd.DataFrame({"x": [1]}), file)
    check_output({"--csv": file}, [], force=False)
    file.write_text("theirs")
    assert "the file exists and is not a result of sdcmetrics" in refused({"--csv": file}, [])
    check_output({"--csv": file}, [], force=True)


def test_a_file_that_cannot_be_written_is_told_with_its_option(tmp_path: Path) -> None:
    said = refused({"--csv": tmp_path}, [])
    assert said == f"--csv {tmp_path}: this is a directory. Name a file in it."
    nowhere = tmp_path / "no" / "x.csv"
    assert f"there is no directory {str(nowhere.parent)!r}." in refused({"--json": nowhere}, [])
    assert "no file can have this name" in refused({"--csv": tmp_path / ("x" * 300)}, [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.access", lambda path, _: path != tmp_path)
        assert "Check the permissions." in refused({"--csv": tmp_path / "x"}, [])
        (tmp_path / "x").touch()
        patch.setattr("os.access", lambda path, _: path == tmp_path)
        assert "Check the permissions." in refused({"--csv": tmp_path / "x"}, [], force=True)
        check_output({"--csv": tmp_path / "new"}, [], force=False)


def test_inputs_and_other_outputs_are_safe_even_by_force(tmp_path: Path) -> None:
    file, other = tmp_path / "in.csv", tmp_path / "other.csv"
    file.write_text("x\n1\n")
    link, hard = tmp_path / "link.csv", tmp_path / "hard.csv"
    link.symlink_to(file)
    hard.hardlink_to(file)
    for path in (file, link, hard, tmp_path / "." / "in.csv"):
        assert is_input(path, [other, file])
        assert "is read by the same command" in refused({"--csv": path}, [file], force=True)
    assert not is_input(other, [file])
    assert not is_input(file, [other])
    assert is_input(other, [other])  # though nothing is there
    two: dict[str, Path | None] = {"--csv": other, "--json": other}
    assert "two options name this file" in refused(two, [])
    check_output({"--csv": other, "--json": tmp_path / "third"}, [file], force=False)


@pytest.mark.parametrize("text", ["", "=", "data = 3\nstudy = [1]", "[data]\nreplicas = 3"])
def test_of_a_study_that_cannot_be_read_its_own_file_is_known(tmp_path: Path, text: str) -> None:
    study = tmp_path / "study.toml"
    study.write_text(text)
    assert data_files(study) == [study]
    assert data_files(tmp_path / "none.toml") == [tmp_path / "none.toml"]


def test_the_files_of_a_study_lie_beside_it(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        '[data]\noriginal = "o.csv"\nholdout = ["h1.csv", 3, "h2.csv"]\n'
        'replicas = {a = "a.csv", b = ["b1.csv", "b2.csv"]}\n[study]\nprofile = "/p.toml"\n',
        encoding="utf-8-sig",
    )
    names = ["o.csv", "h1.csv", "h2.csv", "a.csv", "b1.csv", "b2.csv"]
    assert sorted(data_files(study)) == sorted(
        [study, *(tmp_path / name for name in names), Path("/p.toml")]
    )


def test_no_text_of_a_table_is_a_formula(tmp_path: Path) -> None:
    frame = pd.DataFrame({"t": ["=1+1", None], "n": [-1.5, 2.0]}, index=["@a", 3])
    file = tmp_path / "x.csv"
    save_csv(frame, file)
    lines = file.read_bytes().decode().split("\n")
    assert lines[0] == ",t,n"
    assert lines[1].endswith("=1+1,-1.5")
    assert not lines[1].startswith("@")
    assert ",=1+1" not in lines[1]
    assert lines[2:] == ["3,,2.0", ""]
    assert frame["t"].tolist()[0] == "=1+1"
    save_csv(frame, None)


def test_figures_are_json_and_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    save_json({"a": [1, None]}, file)
    assert json.loads(file.read_text()) == {"a": [1, None]}
    assert file.read_text().endswith("}\n")
    save_json({}, None)
    for save in (save_json, save_csv):
        given = {"a": 1} if save is save_json else pd.DataFrame({"a": [1]})
        with pytest.raises(FileError, match="the file cannot be written"):
            save(given, tmp_path / "gone" / "x")  # type: ignore[operator]
