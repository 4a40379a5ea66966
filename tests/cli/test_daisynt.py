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
    found = sdc.daisynt(*data.values(), target="votes", mode=mode, tests=tests, seed=3)  # type: ignore[arg-type]
    saved = pd.read_csv("t.csv", index_col="daisynt")
    figures = found.select_dtypes("number").columns
    assert np.allclose(saved[figures], found[figures], equal_nan=True)
    assert list(found.index) == tests
    assert all(symbol in out for symbol in tests)
    assert "seed 3" in out
    # The second time the file is one of its own.
    assert run_cli("daisynt", *given, "--mode", mode, "--csv", "t.csv")[0] == 0


def test_a_holdout_of_the_same_records_is_refused(
    data: dict[str, pd.DataFrame], run_cli: Cli
) -> None:
    del data
    code, _, err = run_cli("daisynt", "o.csv", "s.csv", "--holdout", "o.csv", "--target", "votes")
    assert (code, "same records" in err) == (3, True)
