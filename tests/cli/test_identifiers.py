"""Identifiers of people are said first: by init and by check."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import Cli


def people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "ident": [f"K{k:09d}" for k in rng.integers(0, 10**9, n)],
            "age": rng.integers(18, 80, n),
            "sex": rng.choice(["m", "f"], n),
            "job": rng.choice(list("abcdef"), n),
            "nr": np.arange(1, n + 1),
        }
    )


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    original = people(rng, 630)
    original.to_csv("o.csv", index=False)
    people(rng, 630).assign(ident=rng.permutation(original["ident"])).to_csv(
        "cart_1.csv", index=False
    )
    people(rng, 630).to_csv("fresh.csv", index=False)
    return original


HIT = (
    "ident: 630 different values in 630 records; 630 of them stand in cart_1.csv. Drop it from the "
    "replica."
)


def test_init_says_them_first_and_leaves_them_out(files: pd.DataFrame, run_cli: Cli) -> None:
    code, out, _ = run_cli("init", "o.csv", "cart_1.csv", "fresh.csv", "--out", "study.toml")
    assert code == 0
    assert out.splitlines()[0] == HIT
    text = Path("study.toml").read_text("utf-8")
    assert f"# {HIT}" in text
    assert text.index(HIT) < text.index("[study]")
    assert "All the same, their values are looked for in the replicas." in text
    assert "fresh.csv. Drop" not in text
    assert not any(value in out + text for value in files["ident"])


def test_check_says_them_before_anything_else_and_what_they_block(
    files: pd.DataFrame, run_cli: Cli
) -> None:
    run_cli("init", "o.csv", "cart_1.csv", "fresh.csv", "--out", "study.toml")
    code, out, _ = run_cli("check", "study.toml")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == HIT
    assert "they number the records, and name nobody" in out
    assert lines[-1].startswith("replica cart is for review, whatever the limits")
    assert lines[-1].endswith("Drop ident from it.")
    assert not any(value in out for value in files["ident"])


def test_without_identifiers_nothing_is_blocked(files: pd.DataFrame, run_cli: Cli) -> None:
    del files
    run_cli("init", "o.csv", "fresh.csv", "--out", "study.toml")
    out = run_cli("check", "study.toml")[1]
    assert out.splitlines()[-1] == "nothing blocks a review"
    assert "0 of them stand in fresh.csv. To ask: nearly every record has a value of its own" in out
