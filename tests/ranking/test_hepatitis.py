"""SynthEval's eleven replicas of the hepatitis data, and adult's five, from file to ranking."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.ranking.result import Ranking
from tests.only import OF_A_RANKING, only
from tests.ranking.reviews import conduct
from tests.recorded import SHARED

DATA = Path(SHARED).parents[1] / "data"
HEPATITIS, ADULT = DATA / "hepatitis", DATA / "platzer"
KEYS = ["Age", "Gender", "BMI"]
TARGETS = ["Baselinehistological staging", "RNA EF", "Jaundice"]


def categorical() -> list[str]:
    """Return the columns that the data's README declares categorical."""
    text = " ".join((HEPATITIS / "README.md").read_text("utf-8").split())
    listed = re.search(r"Categorical columns: (.*?) \(", text)
    assert listed is not None
    return [name.strip() for name in listed.group(1).split(",")]


@cache
@only(*OF_A_RANKING)
def hepatitis() -> tuple[sdc.Review, Ranking]:
    replicas: dict[str, Any] = {
        path.name[0]: path for path in sorted(HEPATITIS.glob("[a-k]_*.csv"))
    }
    roles = [*KEYS, *TARGETS]
    others = [name for name in categorical() if name not in roles]
    study = sdc.Study(
        HEPATITIS / "hepatitis_train.csv",
        replicas,
        holdout=HEPATITIS / "hepatitis_test.csv",
        keys=KEYS,
        targets=TARGETS,
        variables=[*roles, *others],  # 19 of 29, which have less than half of their tables
        ways=(1, 2),  # no metric of a ranking is of tables of three
        read_options={"kinds": dict.fromkeys(categorical(), "category")},
    )
    review = conduct(study)
    return review, sdc.compare_replicas(review, anchors=True)


@pytest.mark.skipif(not HEPATITIS.is_dir(), reason="the shared data are not in this checkout")
class TestHepatitis:
    def test_all_eleven_are_ranked_on_every_default_metric(self) -> None:
        _, ranking = hepatitis()
        assert len(categorical()) == 17
        assert len(ranking.replicas) == 11
        assert ranking.values.shape == (11, 6)
        assert ranking.values.notna().all(axis=None)

    def test_utility_and_risk_pull_apart_as_in_the_paper(self) -> None:
        _, ranking = hepatitis()
        sides = ranking.sides
        # Table 4: the first CART and BN have the most utility, deletion and imputation (c) the
        # least but one of the most private; CART (e, h) are more useful than CTGAN and ADSGAN.
        assert sides["utility"].idxmax() == "c"
        assert sides["utility"]["e"] < sides["utility"][["f", "g", "j", "k"]].min()
        assert sides["risk"]["c"] < sides["risk"]["e"]
        assert ranking.map.loc["e", "utility"] > ranking.map.loc["c", "utility"]

    def test_references_are_where_they_belong(self) -> None:
        _, ranking = hepatitis()
        result = ranking.map
        assert result.loc["original (reference)", "protection"] == 0.0
        assert result.loc["independent (reference)", "protection"] == 1.0
        # Replica a was drawn from the marginals alone.
        assert result.loc["a", "utility"] == pytest.approx(
            result.loc["independent (reference)", "utility"], abs=0.3
        )
        assert result.loc["holdout (reference)", "protection"] > 0.9


@pytest.mark.skipif(not ADULT.is_dir(), reason="the shared data are not in this checkout")
@only(*OF_A_RANKING)
def test_on_adult_the_weight_of_risk_decides_between_synthpop_and_safer_data() -> None:
    names = ("synthpop", "ctgan", "tvae", "mostly", "flip90")

    def some(name: str) -> pd.DataFrame:
        """Every fifth record: what is said here holds of 5,000 as of 24,000, a fifth as fast."""
        return pd.read_parquet(ADULT / f"adult_{name}.parquet").iloc[::5]

    study = sdc.Study(
        some("trn"),
        {name: some(name) for name in names},
        holdout=some("val"),
        keys=["age", "race", "sex", "marital-status"],
        targets=["income", "occupation", "hours-per-week"],
        round_to={"age": 5, "hours-per-week": 5},
        ways=(1, 2),
    )
    ranking = sdc.compare_replicas(conduct(study), anchors=True)
    assert ranking.stretches[0].first == ("synthpop",)
    assert ranking.map.loc["synthpop", "utility"] > 0.9
    # Nine of ten values of flip90 are those of others: no relations, and full protection.
    assert ranking.map.loc["flip90", "protection"] > 0.9
    assert ranking.anchored.loc["flip90", "S_pMSE_two_way"] < 0.2
    assert ranking.map.loc["holdout (reference)", "utility"] > 0.95
