"""Commands that look at one file by its keys."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdcmetrics import key_importance, match_risk, special_uniques
from tests.cli.conftest import Cli

KEYS = ["sex", "age", "region"]


@pytest.fixture
def file() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "sex": list("mmffmfmf"),
            "age": [30, 31, 30, 31, 31, 30, 30, 42],
            "region": list("NNSSNNNS"),
            "vote": list("aabbabab"),
        }
    )


@pytest.fixture
def cli(
    file: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
    run_cli: Cli,
    tmp_path: Path,
) -> Cli:
    file.to_csv(tmp_path / "o.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return run_cli


@pytest.mark.parametrize(
    ("command", "more", "words", "column"),
    [
        ("k-anonymity", [], "k (smallest class): 1", "records_below"),
        ("l-diversity", ["--target", "vote"], "distinct l: 1", "recursive_l"),
        ("t-closeness", ["--target", "vote"], "if keys and target were unrelated", "t_closeness"),
        ("match-risk", ["--population-size", "800"], "unique match is right", "match_risk"),
        ("special-uniques", [], "special uniques: ", "dis_suda"),
        ("key-importance", [], "% unique by sex, age, region: ", "contribution"),
    ],
)
def test_each_prints_its_figures_and_saves_its_table(
    cli: Cli, command: str, more: list[str], words: str, column: str
) -> None:
    code, out, err = cli(command, "o.csv", "--keys", ",".join(KEYS), *more, "--csv", "t.csv")
    assert (code, err) == (0, "")
    assert words in out
    assert column in Path("t.csv").read_text().splitlines()[0]
    again, _, _ = cli(command, "o.csv", "--keys", ",".join(KEYS), *more, "--csv", "t.csv")
    assert again == 0  # a table of its own may be overwritten


def test_the_tables_are_those_of_the_functions(cli: Cli, file: pd.DataFrame) -> None:
    cli("special-uniques", "o.csv", "--keys", ",".join(KEYS), "--csv", "s.csv")
    scores = special_uniques(file, keys=KEYS).of_record["score"]
    assert pd.read_csv("s.csv")["score"].tolist() == scores.tolist()
    cli("match-risk", "o.csv", "--keys", "sex,age", "--sampling-fraction", 0.1, "--csv", "m.csv")
    risk = match_risk(file, keys=["sex", "age"], sampling_fraction=0.1).risk
    assert pd.read_csv("m.csv")["match_risk"].tolist() == pytest.approx([risk])
    cli("key-importance", "o.csv", "--keys", ",".join(KEYS), "--csv", "k.csv")
    added = key_importance(file, keys=KEYS).by_key["uniques"]
    assert pd.read_csv("k.csv")["uniques"].tolist() == added.tolist()


def test_what_is_wrong_is_said(cli: Cli) -> None:
    assert "did you mean" in cli("k-anonymity", "o.csv", "--keys", "sexx")[2].lower()
    code, _, err = cli("match-risk", "o.csv", "--keys", "sex")
    assert (code, "--population-size or --sampling-fraction" in err) == (3, True)
    assert cli("l-diversity", "o.csv", "--keys", "sex")[0] == 2
    code, _, err = cli("k-anonymity", "o.csv", "--keys", "sex", "--csv", "o.csv")
    assert (code, "read by the same command" in err) == (3, True)
