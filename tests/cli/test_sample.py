"""Commands for samples: each prints and saves what its function returns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.cli.conftest import Cli
from tests.study.test_sample import ROLES, survey

DESIGN = ["--weight", "w", "--strata", "st", "--cluster", "cl"]
ROLES_OF = {"weight": "w", "strata": "st", "cluster": "cl"}
NAMES = ["sex", "age", "ill"]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, run_cli: Cli, tmp_path: Path) -> Cli:
    survey().to_csv(tmp_path / "o.csv", index=False)
    survey(2).drop(columns=list(ROLES.values())).to_csv(tmp_path / "s.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return run_cli


def saved(cli: Cli, *given: str) -> tuple[str, pd.DataFrame]:
    code, out, err = cli(*given, "--csv", f"{given[0]}.csv")
    assert (code, err) == (0, "")
    return out, pd.read_csv(f"{given[0]}.csv")


KEYS = ["--keys", "sex,age"]


def test_risks_of_one_file(cli: Cli) -> None:
    more = ["--weight", "w", "--household", "home"]
    out, table = saved(cli, "individual-risk", "o.csv", *KEYS, *more)
    result = sdc.individual_risk(survey(), keys=["sex", "age"], weight="w", household="home")
    assert "records that are identified, expected: 3.252" in out
    assert table["risk"].sum() == pytest.approx(result.expected)
    assert table["household_risk"].sum() == pytest.approx(result.household_expected)
    out, table = saved(cli, "population-uniques", "o.csv", *KEYS, "--weight", "w")
    uniques = sdc.population_uniques(survey(), keys=["sex", "age"], weight="w")
    assert table["population_unique"].sum() == pytest.approx(uniques.population_uniques)
    assert "z_uniques" in out
    out, table = saved(cli, "attacker-risks", "o.csv", *KEYS, "--population", "o.csv")
    assert table.set_index("attacker").loc["journalist, largest", "risk"] == 1.0
    assert "the population (o.csv): the file is the same, byte for byte, as the file (o.csv)" in out
    out, table = saved(cli, "household-uniqueness", "o.csv", *KEYS, "--household", "home")
    assert "households: 80" in out
    assert len(table) == 240


def test_weighted_comparisons(cli: Cli) -> None:
    both = survey(), survey(2).drop(columns=list(ROLES.values()))
    out, table = saved(cli, "weighted-tables", "o.csv", "s.csv", *DESIGN)
    tables = sdc.weighted_tables(*both, variables=NAMES, **ROLES_OF).table
    assert table.set_index("variable")["p"].to_dict() == pytest.approx(tables["p"].to_dict())
    assert "degrees of freedom 18; design effect of unequal weights alone 1.169" in out
    out, table = saved(cli, "weighted-compare", "o.csv", "s.csv", *DESIGN)
    means = sdc.weighted_compare(*both, variables=NAMES, **ROLES_OF).table
    assert table["z"].dropna().tolist() == pytest.approx(means["z"].dropna().tolist())
    given = ["survey-overlap", "o.csv", "s.csv", "--formula", "age ~ sex", *DESIGN]
    out, table = saved(cli, *given)
    fit = sdc.survey_overlap(*both, formula="age ~ sex", **ROLES_OF)
    assert table["CIO"].mean() == pytest.approx(fit.mean_overlap)
    assert "about 0.8" in out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["individual-risk", "o.csv", *KEYS, "--weight", "ww"], "Did you mean 'w'"),
        (["population-uniques", "o.csv", *KEYS], "--population-size or --sampling-fraction"),
        (["household-uniqueness", "x.csv", *KEYS, "--household", "home"], "x.csv"),
        (["attacker-risks", "o.csv", *KEYS, "--population", "x.csv"], "x.csv"),
        (["weighted-tables", "o.csv", "s.csv", "--strata", "id"], "single record"),
        (["weighted-compare", "o.csv", "s.csv", "--synthetic-weight", "w"], "s.csv"),
        (["weighted-tables", "o.csv", "s.csv", "--lonely", "no"], "expected one of fail, adjust"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_column(cli: Cli, given: list[str], words: str) -> None:
    code, out, err = cli(*given)
    assert (code, out) == (3, "")
    assert words in err
