"""Hostile files, names and studies on the command line: a sentence and an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdcmetrics.cli.to_r import _stem
from sdcmetrics.microdata.grouping import round_half_even

Cli = Callable[..., tuple[int, str, str]]
STUDY = """[data]
original = "o.csv"
[data.replicas]
a = "r.csv"
[roles]
keys = ["sex"]
targets = ["age"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"sex": ["m", "f"] * 20, "age": [20, 30, 40, 50] * 10})
    frame.to_csv("o.csv", index=False)
    frame.iloc[::-1].to_csv("r.csv", index=False)
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_not_utf8(run_cli: Cli, folder: Path) -> None:
    name = os.fsdecode(b"\xff.csv")
    (folder / "o.csv").rename(folder / name)
    code, out, err = run_cli("utility-tables", name, "r.csv")
    assert (code, err) == (0, "")
    assert "sex" in out
    frame = pd.read_csv(folder / "r.csv")
    (folder / "p.parquet").write_bytes(frame.to_parquet(index=False))
    (folder / "p.parquet").rename(folder / os.fsdecode(b"\xfe.parquet"))
    assert run_cli("utility-tables", os.fsdecode(b"\xfe.parquet"), "r.csv")[0] == 0
    code, _, err = run_cli("init", name, "r.csv", "--out", "first.toml")
    assert (code, "this name is not UTF-8" in err) == (3, True)
    assert not (folder / "first.toml").exists()
    (folder / "by_pattern.toml").write_text(STUDY.replace("o.csv", "?.csv"), encoding="utf-8")
    assert run_cli("check", "by_pattern.toml")[0] == 3


def test_text_in_parquet_that_is_not_utf8(run_cli: Cli, folder: Path) -> None:
    offsets = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"\xffab")])
    pq.write_table(pa.table({"s": broken, "t": [1, 2, 3]}), folder / "bad.parquet")
    code, _, err = run_cli("utility-tables", "bad.parquet", "bad.parquet")
    assert (code, "column 's' holds text that is not UTF-8" in err) == (3, True)


@pytest.mark.parametrize("arguments", [["check"], ["review", "-q"]], ids=" ".join)
def test_nested_lists_in_a_study(run_cli: Cli, folder: Path, arguments: list[str]) -> None:
    deep = "[" * 10_000 + "]" * 10_000
    (folder / "study.toml").write_text(f"{STUDY}[options]\nvariables = {deep}\n", encoding="utf-8")
    code, _, err = run_cli(*arguments, "study.toml")
    assert (code, "nested thousands of levels deep" in err) == (3, True)


@pytest.mark.parametrize("option", ["--profile", "--preset"])
def test_nested_lists_in_a_profile_or_a_preset(run_cli: Cli, folder: Path, option: str) -> None:
    deep = "[" * 10_000 + "]" * 10_000
    (folder / "p.toml").write_text(f"x = {deep}\n", encoding="utf-8")
    code, _, err = run_cli("review", "study.toml", option, "p.toml", "-q")
    assert (code, "nested thousands of levels deep" in err) == (3, True)


@pytest.mark.parametrize(
    "arguments",
    [["diff", "j.json", "j.json"], ["rank", "j.json"], ["review", "--from", "j.json"]],
    ids=" ".join,
)
def test_a_hundred_thousand_nested_lists_of_json(
    run_cli: Cli, folder: Path, arguments: list[str]
) -> None:
    (folder / "j.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    profile = ["--profile", "default"] if arguments[0] == "review" else []
    code, _, err = run_cli(*arguments, *profile)
    assert (code, "expected" in err) == (3, True)


@pytest.mark.usefixtures("folder")
def test_a_name_that_no_file_can_have(run_cli: Cli) -> None:
    code, _, err = run_cli("utility-tables", "o.csv", "r.csv", "--csv", "n" * 300)
    assert (code, "no file can have this name" in err) == (3, True)
    assert len(_stem("n" * 300)) < 100
    assert _stem("n" * 300) != _stem("n" * 301)
    assert _stem("a/b") == "a_b"


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("std::bad_alloc")])
def test_too_little_memory_is_said(
    run_cli: Cli, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sdcmetrics.study.reading.read_study", fail)
    code, _, err = run_cli("check", "study.toml")
    assert (code, "there is too little memory" in err) == (3, True)
    assert "report it" not in err


def test_interrupted_while_it_is_loaded() -> None:
    program = (
        "import sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from sdcmetrics.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"sdcmetrics: interrupted\n")


def test_a_step_below_all_precision_rounds_nothing() -> None:
    values = np.array([1.5, 30.0, np.nan, -0.0])
    for step in (1e-320, 1e-300, 1e-17):
        assert np.array_equal(round_half_even(values, step), values, equal_nan=True)


def test_init_writes_toml_for_names_with_control_letters(run_cli: Cli, folder: Path) -> None:
    frame = pd.read_csv(folder / "o.csv").rename(columns={"sex": "se\x7fx", "age": "a\x01ge"})
    frame.to_csv(folder / "o.csv", index=False)
    frame.to_csv(folder / "r\x7f.csv", index=False)
    assert run_cli("init", "o.csv", "r\x7f.csv", "--out", "new.toml")[0] == 0
    assert run_cli("check", "new.toml")[0] == 0


def test_check_lists_what_was_done_to_the_holdout(folder: Path, run_cli: Cli) -> None:
    frame = pd.DataFrame({"sex": ["m", "f"] * 10, "age": [20, 30, 40, 50] * 5})
    frame.to_csv(folder / "h.csv", index=False, sep=";")
    text = STUDY.replace("[data.replicas]", 'holdout = "h.csv"\n[data.replicas]')
    Path("study.toml").write_text(text, encoding="utf-8")
    code, out, _ = run_cli("check", "study.toml")
    assert (code, "h.csv: fields are separated by a semicolon, which was used" in out) == (0, True)


@pytest.mark.parametrize(("times", "words"), [(1, ""), (2, "twice"), (3, "3 times")])
def test_rows_that_were_doubled_are_noted(
    folder: Path, run_cli: Cli, times: int, words: str
) -> None:
    frame = pd.DataFrame({"sex": ["m", "f"] * 20, "age": range(40)})
    pd.concat([frame] * times).to_csv("o.csv", index=False)
    frame.iloc[::-1].to_csv("r.csv", index=False)
    code, out, _ = run_cli("check", "study.toml")
    noted = [line for line in out.splitlines() if "every record occurs" in line]
    assert (code, len(noted)) == (0, bool(words))
    assert all(f"o.csv: every record occurs {words}, or a multiple" in line for line in noted)
    run_cli("review", "study.toml", "-q", "--fail-on", "never")
    fixes = json.loads((folder / "out" / "review.json").read_text("utf-8"))["fixes"]
    noted = [fix["what"] for fix in fixes if "every record occurs" in fix["what"]]
    assert len(noted) == bool(words)


def test_check_says_that_a_file_of_outsiders_is_not_there(folder: Path, run_cli: Cli) -> None:
    more = '[[external]]\nname = "voters"\nfile = "voters.csv"\nkeys = ["sex"]\n'
    (folder / "study.toml").write_text(STUDY + more, encoding="utf-8")
    words = "external 'voters' will not be measured: voters.csv: there is no such file."
    code, out, _ = run_cli("check", "study.toml")
    assert (code, words in out) == (0, True)
    (folder / "o.csv").rename(folder / "voters.csv")
    (folder / "o.csv").write_bytes((folder / "voters.csv").read_bytes())
    assert words not in run_cli("check", "study.toml")[1]
