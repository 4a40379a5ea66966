"""The command that trains on a replica and tests on a holdout."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.cli.conftest import Cli
from tests.measures.prediction.test_train_on_synthetic import people


def test_prints_and_saves_what_the_function_gives(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate(("o", "s", "h")):
        people(i, 60).to_csv(f"{name}.csv", index=False)
    options = ["--targets", "vote", "--learners", "tree", "--permutations", "3"]
    code, out, _ = run_cli(
        "prediction", "o.csv", "s.csv", "--holdout", "h.csv", *options, "--csv", "found.csv"
    )
    assert code == 0
    assert "learnt from the replica 0." in out
    sets = (sdc.read(f"{name}.csv") for name in "osh")
    expected = sdc.prediction(*sets, targets="vote", learners="tree", permutations=3).table
    assert pd.read_csv("found.csv")["TSTR"].tolist() == pytest.approx(expected["TSTR"].tolist())
