"""The command line's tests of DAISYnt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.cli.conftest import Cli


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    frames = {}
    for i, name in enumerate("osh"):
        rng = np.random.default_rng(i)
        frame = pd.DataFrame({"age": rng.integers(20, 70, 90), "job": rng.choice(list("abc"), 90)})
        frames[name] = frame.assign(votes=np.where(rng.random(90) < 0.4, "yes", "no"))
        frames[name].to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frames


@pytest.mark.parametrize("mode", ["published", "corrected"])
def test_the_figures_are_those_of_the_function(
    data: dict[str, pd.DataFrame], run_cli: Cli, mode: str
) -> None:
    given = ["o.csv", "s.csv", "--holdout", "h.csv", "--target", "votes", "--seed", 3]
    tests = {"published": ["D_iv", "D_close"], "corrected": ["chi2_V", "identical"]}[mode]
    given += ["--tests", ",".join(tests)]
    code, out, err = run_cli("daisynt", *given, "--mode", mode, "--csv", "t.csv")
    assert (code, err) == (0, "")
    result = sdc.daisynt(*data.values(), target="votes", mode=mode, tests=tests, seed=3)  # type: ignore[arg-type]
    saved = pd.read_csv("t.csv", index_col="daisynt")
    figures = result.select_dtypes("number").columns
    assert np.allclose(saved[figures], result[figures], equal_nan=True)
    assert list(result.index) == tests
    assert all(symbol in out for symbol in tests)
    assert "seed 3" in out
    # The second time the file is one of its own.
    assert run_cli("daisynt", *given, "--mode", mode, "--csv", "t.csv")[0] == 0


STUDY = """
[data]
original = "o.csv"
holdout = "h.csv"
replicas.made = "s.csv"
replicas.twice = ["s.csv", "s.csv"]
[roles]
keys = ["age"]
targets = ["job", "votes"]
"""


def test_a_study_says_what_the_data_and_the_roles_are(
    data: dict[str, pd.DataFrame], run_cli: Cli
) -> None:
    Path("study.toml").write_text(STUDY)
    tests = ["D_corr", "D_inference"]
    given = ["study.toml", "made", "--tests", ",".join(tests), "--csv", "t.csv"]
    code, out, err = run_cli("daisynt", *given)
    assert (code, err) == (0, "")
    roles = {"target": "votes", "public": ["age"], "sensitive": ["job", "votes"]}
    result = sdc.daisynt(*data.values(), **roles, tests=tests, seed=1)  # type: ignore[arg-type]
    saved = pd.read_csv("t.csv", index_col="daisynt")
    assert saved["raw"].to_list() == pytest.approx(result["raw"].to_list(), nan_ok=True)
    assert result["raw"].notna().all()
    assert "seed 1" in out
    named = run_cli("daisynt", *given[:-2], "--public", "job", "--sensitive", "votes", "--seed", 0)
    assert named[0] == 0
    assert "seed 0" in named[1]
    assert named[1] != out


def test_a_study_lacks_the_replica_or_has_two_syntheses_or_no_file_has_a_target(
    data: dict[str, pd.DataFrame], run_cli: Cli
) -> None:
    del data
    Path("study.toml").write_text(STUDY)
    code, _, err = run_cli("daisynt", "study.toml", "mode")
    assert code == 3
    assert "there is no replica 'mode'. Did you mean 'made'?" in " ".join(err.split())
    assert "expected one synthesis but got 2" in run_cli("daisynt", "study.toml", "twice")[2]
    code, _, err = run_cli("daisynt", "o.csv", "s.csv")
    assert code == 2
    assert "expected --target" in err


def test_a_holdout_of_the_same_records_is_refused(
    data: dict[str, pd.DataFrame], run_cli: Cli
) -> None:
    del data
    code, _, err = run_cli("daisynt", "o.csv", "s.csv", "--holdout", "o.csv", "--target", "votes")
    assert (code, "same records" in err) == (3, True)
