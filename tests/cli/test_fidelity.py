"""The command fidelity, and what check says of a holdout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, run_cli: Cli, tmp_path: Path) -> Cli:
    rng = np.random.default_rng(1)
    for name, n in (("o", 300), ("s", 200), ("h", 250)):
        frame = pd.DataFrame(
            {"=sum(a)": rng.choice(list("abc"), n), "sex": rng.choice(["f", "m"], n)}
        )
        frame.assign(age=rng.normal(size=n).round(9)).to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return run_cli


def test_distances_are_printed_beside_those_of_the_holdout(cli: Cli) -> None:
    code, out, err = cli("fidelity", "o.csv", "s.csv", "--holdout", "h.csv")
    assert (code, err) == (0, "")
    for text in ("1 (3)", "3 (1)", "fresh_tvd", "sex x age", "nothing speaks against"):
        assert text in out


def test_without_a_holdout_nothing_is_said_of_one(cli: Cli) -> None:
    code, out, _ = cli("fidelity", "o.csv", "s.csv", "--mode", "published")
    assert code == 0
    assert "holdout" not in out


def test_every_table_goes_to_csv_and_no_name_is_a_formula(cli: Cli, tmp_path: Path) -> None:
    assert cli("fidelity", "o.csv", "s.csv", "--csv", "out.csv")[0] == 0
    written = pd.read_csv(tmp_path / "out.csv")
    assert len(written) == 3 + 3 + 1
    assert written["variables"][0] == "'=sum(a)"


def test_a_wrong_holdout_is_told(cli: Cli, tmp_path: Path) -> None:
    both = pd.concat([pd.read_csv(tmp_path / "h.csv"), pd.read_csv(tmp_path / "o.csv")[:60]])
    both.to_csv(tmp_path / "mixed.csv", index=False)
    code, out, _ = cli("fidelity", "o.csv", "s.csv", "--holdout", "mixed.csv")
    assert code == 0
    assert "holdout: 60 of 310 records of mixed.csv equal a record of o.csv" in out
    text = '[data]\noriginal = "o.csv"\nholdout = "mixed.csv"\nreplicas = {s = "s.csv"}\n'
    (tmp_path / "study.toml").write_text(text + '[roles]\nkeys = "sex"\n', encoding="utf-8")
    code, out, _ = cli("check", "study.toml")
    assert code == 0
    assert "overlaps the training data" in out


def test_an_unknown_mode_is_refused(cli: Cli) -> None:
    code, _, err = cli("fidelity", "o.csv", "s.csv", "--mode", "publishd")
    assert code == 3
    assert "Did you mean 'published'?" in err
