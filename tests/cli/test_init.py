"""A first study file can be reviewed as it is written."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import Microdata, demo, load_profile, read, read_study
from sdcmetrics.cli.app import app
from sdcmetrics.cli.check import show_check
from sdcmetrics.errors import DataError, FileError, IncomparableError, StudyError
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.suggested import suggest
from tests.measures.homogeneity.test_fixed_strata import sample


def init(*arguments: str | Path) -> None:
    app.main(["init", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    demo.load_original().to_csv(tmp_path / "people.csv", index=False)
    for number, replica in enumerate(demo.load_replicas()["cart"], start=1):
        replica.to_csv(tmp_path / f"cart_{number}.csv", index=False)
    demo.load_holdout().to_csv(tmp_path / "kept.csv", index=False)
    return tmp_path


def test_what_is_written_can_be_reviewed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    init("people.csv", "cart_1.csv", "cart_2.csv", "--holdout", "kept.csv", "--profile", "own.toml")
    study = read_study(files / "study.toml")
    assert {name: len(parts) for name, parts in study.replicas.items()} == {"cart": 2}
    assert study.holdout is not None
    assert "age" in study.scenarios[0].keys
    assert study.scenarios[0].targets == ("income", "vote")
    own, default = load_profile("own.toml"), load_profile()
    assert (own.tables, own.excess) == (default.tables, default.excess)
    assert own.tables is not None
    assert own.tables.fail == 10
    assert "rule_severity" not in own.thresholds
    assert conduct(study, reference_values=False).frame["value"].notna().any()


def test_limits_that_a_first_study_lacks_are_comments(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    init("people.csv", "cart_1.csv", "--profile", "own.toml")
    lines = Path("own.toml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "[thresholds" in line] == [
        "[thresholds.S_pMSE]",
        "[thresholds.DiSCO]",
        "[thresholds.repU]",
        "# [thresholds.rule_severity]",
    ]


def test_what_is_written_can_be_released(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    init("people.csv", "cart_1.csv", "cart_2.csv")
    asked = ["review", "study.toml", "--mode", "checker", "--out", "handout", "--quiet"]
    with pytest.raises(SystemExit) as ended:
        app.main(asked, standalone_mode=False)
    assert ended.value.code == 0
    assert (files / "handout" / "report.html").is_file()


def test_of_a_folder_a_file_is_to_be_named(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    Path("parts").mkdir()
    for named in (("parts", "cart_1.csv"), ("people.csv", "parts")):
        with pytest.raises(StudyError, match=r"^parts: init looks at files.*Name one file of it"):
            init(*named)
    with pytest.raises(StudyError, match=r"^parts: init"):
        init("people.csv", "cart_1.csv", "--holdout", "parts")
    assert not Path("study.toml").exists()


def test_nothing_of_the_user_is_overwritten(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    init("people.csv", "cart_1.csv")
    with pytest.raises(FileError, match="exists"):
        init("people.csv", "cart_1.csv")
    init("people.csv", "cart_1.csv", "--force")
    with pytest.raises(FileError, match="read by the same command"):
        init("people.csv", "cart_1.csv", "--out", "cart_1.csv", "--force")


def frame(n: int = 60) -> Microdata:
    rng = np.random.default_rng(1)
    return as_microdata(
        pd.DataFrame(
            {
                "person": [f"p{i}" for i in range(n)],
                "design_weight": rng.uniform(1, 9, n),
                "Sex": rng.choice(["f", "m"], n),
                "region_2": rng.choice(list("abcd"), n),
                "wage": np.where(rng.random(n) < 0.1, -8.0, rng.integers(1, 90, n)),
                "hours": np.where(rng.random(n) < 0.1, 999.0, rng.integers(1, 60, n)),
                "plain": rng.integers(-3, 3, n),
                "empty": np.full(n, 4),
            }
        ),
        "people",
    )


def test_roles_and_codes_are_guessed_from_names_and_values() -> None:
    result = suggest(frame(), [frame()])
    assert result.keys[:2] == ("Sex", "region_2")
    assert result.targets == ("wage",)
    assert result.identifiers == ("person",)
    assert result.weights == ("design_weight",)
    assert result.missing_codes["wage"] == (-8.0,)
    assert result.missing_codes["hours"] == (999.0,)
    assert "empty" not in result.keys


def test_without_a_key_and_a_target_there_is_no_study() -> None:
    one = as_microdata(pd.DataFrame({"x": [1, 1, 2]}), "people")
    with pytest.raises(StudyError, match="at least two columns"):
        suggest(one, [one])


def test_names_that_toml_would_not_take_are_quoted(tmp_path: Path) -> None:
    odd = 'a "b" = [x]'
    people = pd.DataFrame({odd: list("xyxyzz"), "age": [1, 2, 3, 4, 5, 5], "id#": range(6)})
    people.to_csv(tmp_path / "p q.csv", index=False)
    people.to_csv(tmp_path / 'r"1.csv', index=False)
    out = tmp_path / "study.toml"
    init(tmp_path / "p q.csv", tmp_path / 'r"1.csv', "--out", out)
    entries = tomllib.loads(out.read_text())
    assert odd in [*entries["roles"]["keys"], *entries["roles"]["targets"]]
    assert list(entries["data"]["replicas"]) == ['r"']
    read(tmp_path / entries["data"]["original"])


@pytest.mark.parametrize("only_here", [[], ["w"]])
def test_a_weight_is_offered_as_one(tmp_path: Path, only_here: list[str]) -> None:
    people = pd.DataFrame({"age": [1, 2, 3, 4, 5, 5], "pay": list("xyxyzz"), "w": [1.5, 2, 3] * 2})
    people.to_csv(tmp_path / "p.csv", index=False)
    people.drop(columns=only_here).to_csv(tmp_path / "r.csv", index=False)
    out = tmp_path / "study.toml"
    init(tmp_path / "p.csv", tmp_path / "r.csv", "--out", out)
    assert read_study(out).sample.columns == {"weight": "w"}


def survey(n: int, first: int) -> pd.DataFrame:
    rng = np.random.default_rng(first + 1)
    return pd.DataFrame(
        {
            "hid": first + np.arange(n) // 2,
            "pid": first + np.arange(n),
            "hsize": rng.integers(1, 5, n),
            "region": rng.choice(list("abcd"), n),
            "econ": rng.integers(1, 8, n),
            "wgt": rng.uniform(1, 9, n).round(1),
        }
    )


def test_a_column_of_few_values_numbers_no_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = survey(80, 0).drop(columns=["hid", "wgt"])
    data["pid"] = ["left", "right", "none", "both"] * (len(data) // 4) + ["left"] * (len(data) % 4)
    data.to_csv("o.csv", index=False)
    data.to_csv("r.csv", index=False)
    init("o.csv", "r.csv")
    assert read_study("study.toml").sample is None
    capsys.readouterr()


def test_a_household_survey_gets_target_weight_and_households(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    survey(80, 0).to_csv("o.csv", index=False)
    survey(60, 1000).to_csv("h.csv", index=False)
    survey(80, 5000).drop(columns=["hid", "pid", "wgt"]).to_csv("r.csv", index=False)
    init("o.csv", "r.csv", "--holdout", "h.csv")
    study = read_study("study.toml")
    (scenario,) = study.scenarios
    assert scenario.targets == ("econ",)
    assert set(scenario.keys) == {"region", "hsize"}
    assert study.sample is not None
    assert study.sample.columns == {"weight": "wgt", "household": "hid", "person": "pid"}
    text = Path("study.toml").read_text()
    assert "econ: 7 values): codes, or what is counted?" in text
    assert tomllib.loads(text)["release"] == {"unit": ""}
    capsys.readouterr()
    app.main(["check", "study.toml"], standalone_mode=False)
    out = capsys.readouterr().out
    assert 'codes? Then say kinds = { econ = "category" } in [read]' in out
    assert 'hsize = "category"' not in out
    assert "looks like one by its name and is not used" not in out
    assert "rows of o.csv belong together by hid, and replica r lacks it" in out
    bare = text.replace("[sample]", "[context]")
    Path("bare.toml").write_text(bare)
    app.main(["check", "bare.toml"], standalone_mode=False)
    out = capsys.readouterr().out
    assert 'To use it, say weight = "wgt" in [sample]' in out
    assert 'rows of o.csv seem to belong together by hid: say household = "hid" in' in out
    assert "nothing speaks against a random part" in out  # whatever people are numbered


def test_households_that_the_holdout_splits_are_no_more_than_a_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = survey(80, 0)
    people.iloc[::2].to_csv("o.csv", index=False)
    people.iloc[1::2].to_csv("h.csv", index=False)
    survey(80, 5000).drop(columns=["hid", "pid", "wgt"]).to_csv("r.csv", index=False)
    init("o.csv", "r.csv", "--holdout", "h.csv")
    text = Path("study.toml").read_text()
    assert "# It cannot be used as it is:" in text
    assert "sample" not in tomllib.loads(text)


def test_the_file_without_a_common_column_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    survey(20, 0).to_csv("o.csv", index=False)
    survey(20, 1).to_csv("r.csv", index=False)
    survey(20, 2).add_prefix("x_").to_csv("s.csv", index=False)
    with pytest.raises(DataError, match=r"o.csv and s.csv have no column in common"):
        init("o.csv", "r.csv", "s.csv")
    survey(20, 2)[["hsize"]].to_csv("s.csv", index=False)
    survey(20, 2)[["econ"]].to_csv("t.csv", index=False)
    with pytest.raises(DataError, match=r"with each of r.csv, s.csv, t.csv, but none with all"):
        init("o.csv", "r.csv", "s.csv", "t.csv")


def test_a_column_that_is_coded_otherwise_is_left_out_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    people = pd.DataFrame(
        {"age": rng.integers(20, 70, 60), "sex": [*"fm"] * 30, "ill": rng.choice([*"yn"], 60)}
    )
    people.to_csv("o.csv", index=False)
    people.assign(age=(people["age"] // 10).map(lambda d: f"{d}0-{d}9")).to_csv("r.csv")
    init("o.csv", "r.csv")
    out = capsys.readouterr().out.splitlines()[0]
    assert out.startswith("column 'age' holds numbers in o.csv but text or labels in r.csv")
    assert out.endswith("It is left out of the study file, which says how to compare it.")
    text = Path("study.toml").read_text()
    assert '# kinds = { age = "category" } in [read], and age = "groups.csv" in [coarsen]' in text
    assert tomllib.loads(text)["options"]["variables"] == ["sex", "ill"]
    study = read_study("study.toml")
    assert conduct(study, reference_values=False).frame["value"].notna().any()
    people[["age"]].to_csv("o.csv", index=False)
    pd.DataFrame({"age": ["20-29", "30-39"]}).to_csv("r.csv", index=False)
    with pytest.raises(IncomparableError, match="holds numbers in o"):
        init("o.csv", "r.csv", "--force")


def test_a_decimal_comma_can_be_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f'{i % 3};"1.{200 + i},5"\n' for i in range(30))
    for name in ("o.csv", "r.csv"):
        Path(name).write_text("sex;income\n" + rows)
    init("o.csv", "r.csv", "--decimal", ",")
    assert tomllib.loads(Path("study.toml").read_text())["read"]["decimal"] == ","
    income = read_study("study.toml").original.to_pandas()["income"]
    assert income.iloc[0] == 1200.5


def test_the_default_profile_is_laid_out_by_criteria_that_judge_nothing() -> None:
    default = load_profile()
    assert [item.name for item in default.criteria] == ["singling out", "linkability", "inference"]
    assert default.limited == ("rule_severity", "S_pMSE", "DiSCO", "repU")


def test_a_kind_of_a_name_with_a_blank_is_a_line_for_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = survey(80, 0).drop(columns=["hid", "pid", "wgt"]).rename(columns={"econ": "econ now"})
    for name in ("o.csv", "r.csv"):
        frame.to_csv(name, index=False)
    init("o.csv", "r.csv")
    capsys.readouterr()
    app.main(["check", "study.toml"], standalone_mode=False)
    words = re.sub(r"\s+", " ", capsys.readouterr().out)
    line = re.search(r"Then say (kinds = \{.*?\})", words)
    assert line is not None
    assert tomllib.loads(line.group(1)) == {"kinds": {"econ now": "category"}}


def test_metadata_are_read_and_named_in_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + i % 40},{1 + i % 2},{i % 7 if i % 9 else -8}\n" for i in range(90))
    for name in ("lfs.csv", "cart.csv"):
        (tmp_path / name).write_text(f"age,sex,jobs\n{rows}")
    book = (
        '<codeBook xmlns="ddi:codebook:2_5"><stdyDscr/><dataDscr><var name="age"/>'
        '<var name="sex"><catgry><catValu>1</catValu><labl>man</labl></catgry>'
        "<catgry><catValu>2</catValu><labl>woman</labl></catgry></var>"
        '<var name="jobs"><invalrng><item VALUE="-8"/></invalrng></var></dataDscr></codeBook>'
    )
    (tmp_path / "lfs.xml").write_text(book)
    init("lfs.csv", "cart.csv", "--metadata", "lfs.xml")
    study = read_study(tmp_path / "study.toml")
    assert 'metadata = "lfs.xml"' in (tmp_path / "study.toml").read_text()
    assert set(study.original.table.column("sex").to_pylist()) == {"man", "woman"}
    assert study.options.missing_codes["jobs"] == [-8.0]


@pytest.mark.parametrize("name", ["stratum", "district"])
def test_strata_are_written_by_their_name_and_asked_by_their_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, seed in (("o.csv", 1), ("r.csv", 2)):
        sample(seed).rename(columns={"district": name}).to_csv(file, index=False)
    init("o.csv", "r.csv")
    study = read_study("study.toml")
    text = Path("study.toml").read_text("utf-8")
    asked = '# within them, so many of each: strata = "district" in [sample].'
    assert (asked in text) == (name == "district")
    assert (study.sample is not None and study.sample.strata == name) == (name == "stratum")
    capsys.readouterr()
    show_check(study)
    told = 'if it is one, say strata = "district" in [sample]'
    assert (told in capsys.readouterr().out) == (name == "district")


def test_files_of_another_encoding_have_it_in_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, seed in (("o.csv", 1), ("r.csv", 2)):
        frame = sample(seed).rename(columns={"district": "région"})
        frame.to_csv(file, index=False, encoding="latin-1")
    with pytest.raises(FileError, match="not utf-8"):
        init("o.csv", "r.csv")
    init("o.csv", "r.csv", "--encoding", "latin-1", "--out", "a study.toml")
    assert 'encoding = "latin-1"' in Path("a study.toml").read_text("utf-8")
    assert "région" in read_study("a study.toml").original.columns
    assert "next: sdcmetrics check 'a study.toml', then" in capsys.readouterr().out


def test_names_that_differ_in_case_are_told_of(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    replica = pd.read_csv("cart_1.csv").rename(columns={"age": "AGE"})
    replica.to_csv("cart_1.csv", index=False)
    init("people.csv", "cart_1.csv")
    end = "in the names of columns: age. Write them alike to compare them."
    assert end in " ".join(capsys.readouterr().out.split())
