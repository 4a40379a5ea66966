"""The command closest-record: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, run_cli: Cli, tmp_path: Path) -> Cli:
    rng = np.random.default_rng(1)
    for name, n in (("o", 300), ("s", 200), ("h", 300)):
        frame = pd.DataFrame({f"column_{i}": rng.integers(0, 6, n) for i in range(12)})
        frame.assign(age=rng.normal(size=n)).to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")  # whatever the machine says of its terminal

    return partial(run_cli, "closest-record")


def test_figures_tests_limits_and_columns_are_printed(cli: Cli) -> None:
    code, out, err = cli("o.csv", "s.csv", "--holdout", "h.csv", "--seed", 1)
    assert (code, err) == (0, "")
    assert "300 training, 200 synthetic, 300 holdout records" in out
    for text in ("DCR_share", "holdout itself", "one-sided p", "singled out", "limit:", "seed 1"):
        assert text in out
    assert "3 more columns with --json" in out
    assert "margin 3 columns" in out


def test_all_figures_are_written_as_json(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    options = ("--distance", "gower", "--permutations", 0, "--variables", "age,column_1")
    code, out, _ = cli("o.csv", "s.csv", "--holdout", "h.csv", "--json", path, *options)
    assert code == 0
    assert "permutations" not in out
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["columns"] == ["column_1", "age"] or written["columns"] == ["age", "column_1"]
    assert written["n_synthetic"] == 200


def test_copies_have_a_p_that_is_told_apart_from_zero(cli: Cli) -> None:
    code, out, _ = cli("o.csv", "o.csv", "--holdout", "h.csv", "--mode", "published")
    assert code == 0
    assert "< 1e-12" in out
    assert "published groups" in out


def test_several_files_are_one_replica(cli: Cli) -> None:
    options = ("--holdout", "h.csv", "--permutations", 9)
    code, out, _ = cli("s.csv", "s.csv", "o.csv", *options)
    assert code == 0
    assert "200 training, 500 synthetic, 300 holdout records" in out
    copied = next(line for line in out.splitlines() if "equal to a synthetic record" in line)
    assert copied.partition("record ")[2].split()[:2] == ["200", "0"]


def test_a_holdout_must_be_named(cli: Cli) -> None:
    code, _, err = cli("o.csv", "s.csv")
    assert code == 2
    assert "--holdout" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--holdout", "o.csv"), "same records"),
        (
            ("--holdout", "h.csv", "--distance", "cosine"),
            "distance: expected one of 'hamming', 'gower', 'euclidean'",
        ),
        (("--holdout", "h.csv", "--json", "no/where.json"), "there is no directory"),
        (("--holdout", "h.csv", "--json", "."), "this is a directory"),
        (("--holdout", "gone.csv"), "gone.csv"),
    ],
)
def test_what_is_wrong_is_said(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = cli("o.csv", "s.csv", *arguments)
    assert code == 3
    assert message in err


def test_a_file_that_cannot_be_written_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    code, _, err = cli("o.csv", "s.csv", "--holdout", "h.csv", "--json", "out.json")
    assert code == 3
    assert "out.json" in err
    assert "No space left" in err


def test_a_terminal_sees_how_far_the_search_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    code, out, err = cli("o.csv", "s.csv", "--holdout", "h.csv")
    assert code == 0
    assert "searching" in err
    assert "searching" not in out
