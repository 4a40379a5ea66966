"""Commands that attack a replica."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import attribute_inference, membership
from sdcmetrics.errors import StudyError
from tests.cli.conftest import Cli


@pytest.fixture
def data() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(1)
    return {
        name: pd.DataFrame(
            {
                "age": rng.integers(20, 70, n),
                "sex": rng.choice(["f", "m"], n),
                "job": rng.choice(list("abcd"), n),
            }
        )
        for name, n in (("o", 80), ("s", 80), ("h", 60))
    }


@pytest.fixture
def cli(
    data: dict[str, pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
    run_cli: Cli,
    tmp_path: Path,
) -> Cli:
    for name, frame in data.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return run_cli


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["membership"], "at distance 0: "),
        (["singling-out", "--columns", "2", "--permutations", "9"], "band of chance: "),
        (["linkability", "--keys", "age", "--other-keys", "sex,job"], "interval of the excess"),
        (["attribute-inference", "--target", "job", "--learner", "nearest"], "baseline"),
        (["exact-matches", "--unique-in-replica"], "unique: "),
    ],
)
def test_each_prints_its_figures_and_saves_them_by_record(
    cli: Cli, command: list[str], words: str
) -> None:
    code, out, err = cli(*command, "o.csv", "s.csv", "--holdout", "h.csv", "--csv", "t.csv")
    assert (code, err) == (0, "")
    for text in (words, "training ", "control ", "of the holdout", "  p "):
        assert text in out
    assert len(pd.read_csv("t.csv")["attack_score"]) == 80
    code, out, _ = cli(*command, "o.csv", "s.csv", "o.csv", "--holdout", "h.csv", "--csv", "t.csv")
    assert code == 0
    assert "by 2 syntheses together" in out
    assert "synthesis 2 alone: training " in out


def test_the_figures_are_those_of_the_functions(cli: Cli, data: dict[str, pd.DataFrame]) -> None:
    o, s, h = data["o"], data["s"], data["h"]
    _, out, _ = cli("membership", "o.csv", "s.csv", "--holdout", "h.csv")
    assert f"training {membership(o, s, h).training:.4g}" in out
    options = ["--target", "job", "--learner", "cart", "--seed", 3]
    _, out, _ = cli("attribute-inference", "o.csv", "s.csv", "--holdout", "h.csv", *options)
    result = attribute_inference(o, s, h, target="job", learner="cart", seed=3)
    assert f"control {result.control:.4g}" in out


def test_perturbed_records_are_linked_back(cli: Cli) -> None:
    code, out, err = cli("record-linkage", "o.csv", "s.csv", "--keys", "age,sex", "--csv", "l.csv")
    assert (code, err) == (0, "")
    assert re.search(r"finds [\d.]+ % of the records; .* protection bought: [\d.]+ %", out)
    assert "synthetic" not in out.partition("protection bought")[2]  # the file is given once
    assert pd.read_csv("l.csv")["method"].tolist() == ["gower", "hamming", "fellegi-sunter", "em"]


def test_without_a_holdout_no_attack_is_made(cli: Cli) -> None:
    assert cli("membership", "o.csv", "s.csv")[0] == 2
    code, _, err = cli("membership", "o.csv", "s.csv", "--holdout", "o.csv")
    assert (code, "same records" in err) == (3, True)


def test_a_bound_of_epsilon_says_what_it_rests_on(cli: Cli) -> None:
    asked = ["epsilon-bound", "o.csv", "o.csv", "--holdout", "h.csv"]
    code, _, err = cli(*asked)
    assert code == 3
    assert "divided at random before the synthesis" in err
    code, out, _ = cli(*asked, "--random-holdout", "--csv", "t.csv")
    assert code == 0
    assert "epsilon is at least" in out
    assert pd.read_csv("t.csv")["right"].iloc[0] == 10


@pytest.mark.parametrize(("asked", "seed"), [([], 1), (["--seed", "0"], 0), (["--seed", "2"], 2)])
def test_a_seed_is_the_one_that_was_asked_for_or_1(
    cli: Cli, asked: list[str], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def measured(*_: object, seed: int = 1, **__: object) -> None:
        seeds.append(seed)
        msg = "enough"
        raise StudyError(msg)

    for name in ("membership", "epsilon_of_release", "singling_out"):
        monkeypatch.setattr(sdc, name, measured)
    for command in ("membership", "epsilon-bound", "singling-out"):
        assert cli(command, "o.csv", "s.csv", "--holdout", "h.csv", *asked)[0] == 3
    assert seeds == [seed] * 3


@pytest.mark.parametrize(
    ("entries", "announced"),
    [
        ("", True),
        ('learner = "boosting"', False),
        ('kinds = ["membership"]', False),
        ('kinds = ["attribute inference"]', True),
    ],
)
def test_check_announces_what_takes_minutes(
    cli: Cli, entries: str, monkeypatch: pytest.MonkeyPatch, *, announced: bool
) -> None:
    roles = '[roles]\nkeys = ["age", "sex"]\ntargets = ["job"]\n'
    files = '[data]\noriginal = "o.csv"\nholdout = "h.csv"\n[data.replicas]\none = "s.csv"\n'
    Path("study.toml").write_text(f"{files}{roles}[attacks]\n{entries}\n")
    assert "a forest takes minutes" not in cli("check", "study.toml")[1]
    monkeypatch.setattr("sdcmetrics.measures.attacks.section._MINUTES_FROM", 80)
    code, out, _ = cli("check", "study.toml")
    assert code == 0
    assert ("attacks: of 80 records a forest takes minutes" in out) == announced
