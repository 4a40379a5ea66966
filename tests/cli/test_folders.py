"""What is named by a folder: replicas of several Parquet files, and a study by its review."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdcmetrics.release.label import SAYS
from sdcmetrics.report.formats.output import _classification, replace_results
from tests.release.studies import people, write_study

Run = Callable[..., tuple[int, str, str]]
STUDY = """
[data]
original = "original.parquet"
[data.replicas]
cart = "cart"
[roles]
keys = ["age", "sex"]
targets = ["region"]
[options]
ways = [1]
"""
SIZES = (60, 70)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    people(150, 5).to_parquet(tmp_path / "original.parquet")
    for i, n in enumerate(SIZES):
        (tmp_path / "cart" / f"p{i}").mkdir(parents=True)
        people(n, i).to_parquet(tmp_path / "cart" / f"p{i}" / "a.parquet")
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def named(study: Path, pattern: str) -> Path:
    study.write_text(study.read_text().replace('"cart"', f'"{pattern}"'))
    return study


@pytest.mark.parametrize("given", ["cart", "cart/*/*.parquet"])
def test_each_file_of_a_folder_has_a_labelled_copy(run_cli: Run, study: Path, given: str) -> None:
    out = study.parent / "out"
    code, text, err = run_cli("label", named(study, given), "--out", out)
    assert (code, err) == (0, "")
    assert "cart_synthetic (2 files, values as in" in text
    copies = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.parquet"))
    assert copies == [f"cart_synthetic/p{i}/a_synthetic.parquet" for i in range(2)]
    for i, n in enumerate(SIZES):
        copy = pd.read_parquet(out / copies[i])
        assert set(copy.pop("synthetic_data")) == {SAYS}
        pd.testing.assert_frame_equal(copy, people(n, i))
    assert "there is such a folder already" in run_cli("label", study, "--out", out)[2]


@pytest.mark.parametrize("given", ["cart", "cart/*/*.parquet"])
def test_a_folder_is_handed_out_as_one_file(run_cli: Run, study: Path, given: str) -> None:
    code, text, err = run_cli("ledger", "add", named(study, given), "cart")
    assert (code, err) == (0, "")
    assert f"{given}  (cart, study.toml)" in text
    assert "already" in run_cli("ledger", "add", study, "cart")[1]
    assert run_cli("ledger", "check", study)[0] == 0
    out = study.parent / "out"
    assert run_cli("review", study, "-o", out, "-q", "--fail-on", "never")[0] == 0
    inputs = json.loads((out / "review.json").read_text("utf-8"))["inputs"]
    earlier = [row["records"] for row in inputs if row["data_set"] not in ("Original", "cart")]
    assert earlier == [sum(SIZES)]
    people(70, 9).to_parquet(study.parent / "cart" / "p1" / "a.parquet")
    code, text, _ = run_cli("ledger", "check", study)
    assert (code, "was changed since. Put it back" in text) == (1, True)


def test_a_folder_without_parquet_is_not_handed_out(run_cli: Run, study: Path) -> None:
    for i in range(2):
        file = study.parent / "cart" / f"p{i}" / "a.parquet"
        pd.read_parquet(file).to_csv(file.with_suffix(".csv"), index=False)
        file.unlink()
    assert "this is a folder without any" in run_cli("ledger", "add", study, "cart")[2]
    pattern = named(study, "cart/*/*.csv")
    assert "there is no such file" in run_cli("ledger", "add", pattern, "cart")[2]


def test_sheet_and_metadata_describe_the_files_of_a_folder_as_one(
    run_cli: Run, study: Path
) -> None:
    folder = study.parent
    given = ("--mode", "release", "--fail-on", "never", "--out", folder / "out")
    assert run_cli("review", study, *given)[0] == 0
    more = ("--release", folder / "out", "--out", folder / "sheet")
    code, _, err = run_cli("sheet", study, "cart", *more)
    assert (code, err) == (0, "")
    text = (folder / "sheet" / "user-sheet.md").read_text("utf-8")
    assert "| cart | 130 | 4 |" in text
    # Figures that somebody edited are in no sheet, unless their author answers for them.
    file = folder / "out" / "release.json"
    copy = folder / "copy.json"
    copy.write_text(file.read_text("utf-8").replace('"mu"', '"Mu"'), "utf-8")
    given = ("sheet", study, "cart", "--out", folder / "sheet", "--release")
    assert "edited since sdcmetrics wrote it" in run_cli(*given, copy)[2]
    assert run_cli(*given, copy, "--elsewhere")[0] == 0
    assert run_cli(*given, file)[0] == 0
    file.write_text(copy.read_text("utf-8"), "utf-8")
    for elsewhere in ((), ("--elsewhere",)):
        code, _, err = run_cli(*given, file.parent, *elsewhere)
        assert (code, "release.json: this file was changed since" in err) == (3, True)
    # A file that lies beside results of another review is of none.
    replace_results(folder / "inside", {"review.json": "{}"})
    (folder / "inside" / "release.json").write_text(copy.read_text("utf-8"), "utf-8")
    code, _, err = run_cli(*given, folder / "inside")
    assert (code, "release.json: SHA256SUMS does not list this file" in err) == (3, True)
    assert run_cli("metadata", study, "cart", "--out", folder / "meta")[0] == 0
    crate = json.loads((folder / "meta" / "croissant.json").read_text("utf-8"))
    assert [entry["name"] for entry in crate["distribution"]] == ["cart"]


@pytest.mark.parametrize("given", ["cart", "cart/*/*.parquet"])
def test_analyses_of_a_folder_are_verified_as_those_of_one_file(
    run_cli: Run, study: Path, given: str
) -> None:
    folder = study.parent
    asked = folder / "asked.toml"
    asked.write_text('[[analysis]]\nname = "age"\nstatistic = "mean"\nvariables = ["age"]\n')
    command = ("verify", named(study, given), "cart", asked, "--mu", "0.5", "--json")
    code, text, err = run_cli(*command, folder / "a.json")
    assert (code, err) == (0, "")
    assert "spent: mu 0.5 of 1" in text
    sheet = ("sheet", study, "cart", "--out", folder / "sheet", "--answers")
    assert run_cli(*sheet, folder / "a.json")[0] == 0
    parts = [pd.read_parquet(folder / "cart" / f"p{i}" / "a.parquet") for i in range(2)]
    pd.concat(parts).to_parquet(folder / "whole.parquet")
    study.write_text(study.read_text().replace(f'"{given}"', '"whole.parquet"'))
    text = run_cli(*command, folder / "b.json")[1]
    assert "spent: mu 0.5 of 1" in text  # the same question
    answers = [json.loads((folder / f"{name}.json").read_text()) for name in "ab"]
    assert answers[0][0].pop("sha256") != answers[1][0].pop("sha256")
    assert answers[0] == answers[1]
    code, _, err = run_cli(*sheet, folder / "a.json")
    assert (code, "these answers are not of whole.parquet as it is now" in err) == (3, True)


def test_a_study_is_named_by_the_folder_of_its_review(run_cli: Run, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", people(50, 7))
    folder = study.parent
    out = tmp_path / "out"
    assert run_cli("review", study, "-o", out, "-q", "--fail-on", "never")[0] == 0
    for place in (out, out / "review.json"):
        assert run_cli("check", place)[0] == 0
        assert run_cli("ledger", "add", place, "cart")[0] == 0
    assert run_cli("label", out, "--out", folder / "copies")[0] == 0
    assert run_cli("sheet", out, "cart", "--out", folder / "sheet")[0] == 0
    assert run_cli("metadata", out, "cart", "--out", folder / "meta")[0] == 0
    code, _, err = run_cli("check", folder)
    assert (code, "Name the study file (TOML) in it" in err) == (3, True)


def test_a_study_of_folders_is_named_by_its_review_too(run_cli: Run, study: Path) -> None:
    out = study.parent / "out"
    study.write_text(STUDY.replace('"original.parquet"', '"originals"'))
    (study.parent / "originals").mkdir()
    (study.parent / "original.parquet").rename(study.parent / "originals" / "a.parquet")
    other = write_study(study.parent / "other", people(50, 7))
    never = ("-q", "--fail-on", "never")
    assert run_cli("review", other, "-o", out, *never)[0] == 0
    assert run_cli("review", study, "-o", out, *never)[0] == 0
    assert run_cli("label", out, "--out", study.parent / "copies")[0] == 0
    assert (study.parent / "copies" / "cart_synthetic").is_dir()  # and no file of the other study
    code, _, err = run_cli("review", "--from", out, "-o", study.parent / "again")
    assert (code, "that review kept no steps" in err) == (3, True)
    assert run_cli("make-keys", study.parent / "key")[0] == 0
    bundle = ("bundle", out, "--key", study.parent / "key", "--name", "Anna", "--out")
    assert run_cli(*bundle, study.parent / "before")[0] == 0
    part = study.parent / "cart" / "p1" / "a.parquet"
    content = part.read_bytes()
    people(70, 9).to_parquet(part)
    code, _, err = run_cli(*bundle, study.parent / "after")
    assert (code, "a file that it names was changed" in err) == (3, True)
    part.write_bytes(content)
    assert run_cli("review", other, "-o", out, "--no-cache", *never)[0] == 0
    assert run_cli("sheet", out, "other", "--out", study.parent / "sheet")[0] == 0


@pytest.mark.parametrize(
    ("name", "edition"), [("review.json", None), ("release.json", "release"), ("other.json", None)]
)
def test_a_release_is_known_by_its_edition_and_a_review_by_its_entries(
    tmp_path: Path, name: str, edition: str | None
) -> None:
    (tmp_path / name).write_text('{"classification": "release"}', "utf-8")
    assert _classification(tmp_path) == edition
