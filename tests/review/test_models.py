"""Models in a study file and in a review."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import MEASURES
from sdcmetrics.errors import ColumnError, SdcMetricsError, StudyError
from sdcmetrics.measures.registry import SPECIFIC_UTILITY
from sdcmetrics.study.models import Model

RNG = np.random.default_rng(3)


def sample(n: int) -> pd.DataFrame:
    x = RNG.normal(size=n)
    return pd.DataFrame(
        {
            "age": RNG.integers(20, 60, n),
            "x": x,
            "y": 2 * x + RNG.normal(size=n),
            "won": np.where(x + RNG.normal(size=n) > 0, "yes", "no"),
        }
    )


ORIGINAL = sample(120)
REPLICAS = {"one": sample(100), "many": [sample(100), sample(110)]}
MODELS = ["y ~ x + age", ("won ~ x", "binomial")]


def study(**options: object) -> sdc.Study:
    return sdc.Study(ORIGINAL, REPLICAS, keys=["age"], targets=["won"], ways=[1], **options)


class TestStudy:
    def test_takes_formulas_pairs_and_mappings(self) -> None:
        given = ["y ~ x", ("won ~ x", "binomial"), {"formula": "y ~ age"}]
        assert study(models=given).models == (
            Model("y ~ x"),
            Model("won ~ x", "binomial"),
            Model("y ~ age"),
        )

    @pytest.mark.parametrize(
        ("models", "error", "says"),
        [
            (["y ~ X"], ColumnError, "model 'y ~ X': variable 'X' is not a column"),
            (["y ~"], StudyError, "it ends too early"),
            ([("y ~ x", "normal")], StudyError, "'normal' is not known"),
            (["y ~ x", "y ~ x"], StudyError, "more than once"),
            ([{"formla": "y ~ x"}], StudyError, "Did you mean 'formula'"),
            ([3], StudyError, "expected formulas"),
        ],
    )
    def test_mistakes_are_refused_before_anything_is_measured(
        self, models: list[object], error: type[SdcMetricsError], says: str
    ) -> None:
        with pytest.raises(error, match=says):
            study(models=models)

    def test_is_read_from_a_file(self, tmp_path: Path) -> None:
        ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
        (tmp_path / "study.toml").write_text(
            '[data]\noriginal = "o.csv"\nreplicas = {same = "o.csv"}\n[roles]\nkeys = ["age"]\n'
            '[[model]]\nformula = "y ~ x"\n[[model]]\nformula = "won ~ x"\nfamily = "binomial"\n',
            encoding="utf-8",
        )
        read = sdc.read_study(tmp_path / "study.toml")
        assert read.models == (Model("y ~ x"), Model("won ~ x", "binomial"))


class TestReview:
    def test_has_every_measure_of_every_model(self) -> None:
        review = sdc.conduct(study(models=MODELS))
        rows = review.frame[review.frame["family"] == SPECIFIC_UTILITY]
        asked = ("", "[[model]]")
        specific = {s: m for s, m in MEASURES.items() if m.family == SPECIFIC_UTILITY}
        listed = {s for s, m in specific.items() if m.of.option in asked}
        assert set(rows["metric"]) == listed
        means = rows[rows["synthesis"].isna() & (rows["replica"] == "many")]
        fit = sdc.fit_overlap(ORIGINAL, REPLICAS["many"], formula="y ~ x + age")
        result = means[means["model"] == "y ~ x + age"].set_index("metric")["value"]
        assert result["CIO"] == fit.mean_overlap
        assert result["adj_R2"] == fit.adjusted_r2
        assert set(rows[rows["synthesis"] == 2]["metric"]) == {
            "CIO",
            "CIO_truncated",
            "Karr",
            "std_diff",
            "lack_of_fit",
        }
        assert (rows["value"].isna() == rows["reason"].notna()).all()

    def test_a_model_that_cannot_be_fitted_is_a_row_with_a_reason(self) -> None:
        constant = ORIGINAL.assign(won="yes")
        review = sdc.conduct(
            sdc.Study(
                ORIGINAL,
                {"constant": constant.assign(x=1.0)},
                keys=["age"],
                targets=["won"],
                ways=[1],
                models=["won ~ x"],
            )
        )
        rows = review.frame[review.frame["family"] == SPECIFIC_UTILITY]
        rows = rows[rows["metric"] != "CIO_means"]
        assert rows["value"].isna().all()
        assert (rows["reason"].str.len() > 0).all()
