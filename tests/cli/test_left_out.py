"""What check says of columns that go out with a replica, and that nothing compares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.check import show_check
from sdcmetrics.measures.identifiers.identifiers import identifiers_of_study


@pytest.mark.parametrize(
    ("variables", "listed"), [(["a", "b"], "c"), (["a", "c"], ""), (["b"], "c"), (None, "")]
)
def test_columns_that_nothing_compares_are_listed(
    variables: list[str] | None, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({name: rng.integers(0, 4, 60) for name in "abc"}) for _ in range(2)
    )
    show_check(sdc.Study(original, {"r": replica}, keys=["a"], targets=["b"], variables=variables))
    text = " ".join(capsys.readouterr().out.split())
    words = f"columns of replica r in no table, distance or set of keys: {listed}. Leave them out"
    assert (words in text) is bool(listed)
    assert ("set of keys:" in text) is bool(listed)


def survey(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, 4, 200)
    return pd.DataFrame(
        {
            "a": rng.integers(0, 4, 200),
            "b": rng.integers(0, 4, 200),
            "strata": strata,
            "village": strata * 50 + rng.integers(0, 9, 200) * 5,
            "weight": np.round(rng.gamma(9, 30, 200), 4),
            "size": np.array([9_000, 8_000, 7_000, 6_000])[strata],
        }
    )


def listed_of(replica: pd.DataFrame, **design: str) -> tuple[str, ...]:
    study = sdc.Study(
        survey(1),
        {"r": replica},
        keys=["a"],
        sample={"weight": "weight", "strata": "strata", "cluster": "village", **design},
    )
    result = identifiers_of_study(
        (study.original, study.replicas["r"], None),
        study.sample,
        study.options.variables or study.original.columns,
    )
    return result.uncompared


def test_columns_of_the_sample_that_nothing_names_are_listed() -> None:
    replica = survey(2)
    assert listed_of(replica) == ("village",)  # strata of all files are compared
    assert listed_of(replica, population_size="size") == ("village", "size")
    assert listed_of(replica.drop(columns="strata")) == ("village",)


def test_clusters_numbered_anew_are_not_asked_about() -> None:
    replica = survey(2)
    anew = pd.factorize(replica["village"])[0] + 1
    assert listed_of(replica.assign(village=anew)) == ()
    assert listed_of(replica.assign(village=[f"v{number}" for number in anew])) == ()


def test_weights_are_asked_about_only_where_they_were_taken_from_people() -> None:
    replica = survey(2).drop(columns=["strata", "village"])
    assert listed_of(replica) == ()
    rng = np.random.default_rng(3)
    assert listed_of(replica.assign(weight=rng.permutation(survey(1)["weight"]))) == ("weight",)
    few = replica.assign(weight=survey(1)["size"] / 100)
    assert listed_of(few) == ()
