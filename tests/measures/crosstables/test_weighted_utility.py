"""Weighted margins and weights, against R's survey, toys and simulated designs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import check_weights, weighted_compare, weighted_tables
from sdcmetrics.errors import StudyError
from tests.demo import answers, demo
from tests.measures.survey.test_linearised import DESIGNS, clustered, designed, fresh

SAMPLED = {"weight": "w", "strata": "st", "cluster": "cl"}


def test_ratios_and_distances_of_weighted_shares_by_hand() -> None:
    sample = pd.DataFrame({"x": list("aabb"), "w": [10.0, 20.0, 30.0, 40.0]})
    row = weighted_tables(sample, pd.DataFrame({"x": list("abbb")}), weight="w").table.loc["x"]
    assert row["ROC"] == pytest.approx((0.25 / 0.3 + 0.7 / 0.75) / 2)
    # shares of 0.3 drawn four times
    assert row["TVD_drawn"] == pytest.approx(np.sqrt(2 / np.pi * 0.21 / 4))


def test_what_the_original_has_not_counts_as_nothing_alike() -> None:
    sample = pd.DataFrame({"x": list("aabb"), "w": [1.0, 1.0, 1.0, 1.0]})
    row = weighted_tables(sample, pd.DataFrame({"x": list("aabc")}), weight="w").table.loc["x"]
    assert row["ROC"] == pytest.approx((1 + 0.5 + 0) / 3)


@pytest.mark.parametrize("seed", range(20))
def test_a_column_of_one_value_differs_by_nothing(seed: int) -> None:
    weights = np.random.default_rng(seed).gamma(1, 1, 60)  # which rounding may add up to above 1
    original = pd.DataFrame({"x": ["a"] * 60, "w": weights})
    table = weighted_tables(original, original[["x"]], weight="w", ways=1).table
    values = table[["TVD", "TVD_expected", "TVD_drawn"]].to_numpy(float)
    assert values == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("original", "replica"), [("varies", "a"), ("a", "varies"), ("a", "b")])
def test_where_a_side_has_one_level_a_difference_is_none_of_chance(
    original: str, replica: str, weighted: bool
) -> None:
    rng = np.random.default_rng(2)

    def side(level: str) -> pd.DataFrame:
        x = rng.choice(["a", "b", "c"], 400) if level == "varies" else [level] * 400
        return pd.DataFrame({"x": x, "w": rng.gamma(4, 0.25, 400)})

    tables = weighted_tables(
        side(original),
        side(replica),
        weight="w",
        synthetic_weight="w" if weighted else None,
        ways=1,
        against="population",
    )
    row = tables.table.loc["x"]
    assert row[["p_first_order", "p", "p_drawn"]].max() == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(row["S_VW_corrected"]) == (weighted and (original, replica) == ("a", "b"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ways": 0}, "ways: expected a whole number from 1 to 2 but got 0"),
        ({"ways": 3}, "ways: expected a whole number from 1 to 2 but got 3"),
        ({"tables": [("x",), ()]}, "at least one table, of at least one variable"),
        ({"variables": []}, "at least one column that is compared"),
    ],
)
def test_wrong_tables_are_refused(options: dict[str, Any], words: str) -> None:
    sample = pd.DataFrame({"x": list("ab"), "y": list("ab"), "w": [1.0, 2.0]})
    with pytest.raises(StudyError, match=words):
        weighted_tables(sample, sample, weight="w", **options)


def test_of_several_tables_and_syntheses() -> None:
    rng = np.random.default_rng(4)
    sample, files = clustered(rng), [fresh(rng, 400), fresh(rng, 300)]
    both = weighted_tables(sample, files, variables=["x", "y"], ways=2, **SAMPLED)
    assert both.table.index.tolist() == [("y", "x")]
    assert (both.n, both.m) == (len(sample), 400)
    assert both.table["TVD_drawn"].notna().all()
    of_x = [weighted_tables(sample, f, variables=["x"], **SAMPLED).table for f in files]
    mean = weighted_tables(sample, files, variables=["x"], **SAMPLED).table
    for name in ("TVD", "ROC", "S_VW", "S_VW_fresh"):
        assert mean[name].item() == pytest.approx(np.mean([t[name].item() for t in of_x]))
    for name in ("p", "p_first_order", "p_unweighted", "p_drawn"):
        least = min(2 * min(t[name].item() for t in of_x), 1.0)
        assert mean[name].item() == pytest.approx(least)
    corrected = mean["S_VW"] / mean["S_VW_fresh"]
    assert mean["S_VW_corrected"].item() == pytest.approx(corrected.item())


class TestWeights:
    @staticmethod
    def calibrated(rng: np.random.Generator, n: int) -> pd.DataFrame:
        sex = rng.choice(["f", "m"], n)
        region = rng.choice(list("abc"), n)
        weights = rng.uniform(5, 15, n) * np.where(sex == "f", 1.0, 1.6)
        return pd.DataFrame({"sex": sex, "region": region, "w": weights})

    def test_a_copy_reproduces_everything(self) -> None:
        file = self.calibrated(np.random.default_rng(1), 300)
        result = check_weights(file, file, weight="w")
        assert result.ok
        assert result.W1 == 0
        assert result.total_ratio == 1
        assert (result.margins["difference"].abs() < 1e-12).all()

    def test_draws_of_the_original_pass_in_99_of_a_hundred(self) -> None:
        rng = np.random.default_rng(2)
        file = self.calibrated(rng, 400)
        passed = [
            check_weights(file, file.sample(400, replace=True, random_state=rng), weight="w").ok
            for _ in range(150)
        ]
        assert sum(passed) >= 142  # 3 statements at 1 % at most

    def test_weights_in_another_order_are_found_by_their_margins_only(self) -> None:
        rng = np.random.default_rng(3)
        file = self.calibrated(rng, 600)
        shuffled = file.assign(w=rng.permutation(file["w"]))
        result = check_weights(file, shuffled, weight="w")
        assert result.W1 == 0
        assert result.total_ratio == pytest.approx(1)
        assert not result.ok
        assert "weighted shares of 'sex' are not the original's" in result.problems[0]

    def test_a_total_of_other_people_is_a_problem(self) -> None:
        file = self.calibrated(np.random.default_rng(4), 300)
        result = check_weights(
            file, file.assign(v=file["w"] * 1.2), weight="w", synthetic_weight="v"
        )
        assert result.tests.index.tolist() == ["sex", "region"]
        (problem,) = result.problems
        assert problem.startswith("the replica's weights add up to 120.0 % of the original's")

    def test_a_file_of_weights_alone_has_no_benchmark(self) -> None:
        with pytest.raises(StudyError, match="at least one benchmark that both data sets have"):
            check_weights(pd.DataFrame({"w": [1.0, 2]}), pd.DataFrame({"w": [1.0, 2]}), weight="w")

    def test_a_level_that_the_original_has_not_is_a_problem(self) -> None:
        file = self.calibrated(np.random.default_rng(5), 300)
        result = check_weights(file, file.replace({"region": {"c": "d"}}), weight="w")
        assert result.tests.loc["region", "p"] == 0
        assert not result.ok


class TestSurveyOfR:
    @pytest.mark.parametrize("name", DESIGNS)
    def test_distances_ratios_and_tests_of_shares(self, name: str) -> None:
        two_samples = answers("survey")["two samples"]
        replica = demo("cart_1")
        for table in ("educ_x_vote", "PID_x_vote", "selfLR_x_educ", "vote", "educ"):
            wanted = two_samples[table][name]
            result = weighted_tables(
                designed(), replica, weight="w", tables=[table.split("_x_")], **DESIGNS[name]
            ).table.iloc[0]
            first, other = (np.array(two_samples[table][p]) for p in ("p_O", "p_S"))
            used = first + other > 0
            ratios = np.minimum(first, other)[used] / np.maximum(first, other)[used]
            assert result["ROC"] == pytest.approx(ratios.mean(), rel=1e-9)
            assert result["TVD"] == pytest.approx(wanted["tvd"], rel=1e-9)
            assert result["p_drawn"] == pytest.approx(wanted["p_conditional_on_O"], rel=1e-9)
            spread = np.sqrt(2 / np.pi * first * (1 - first) / two_samples["m"]).sum() / 2
            assert result["TVD_drawn"] == pytest.approx(spread, rel=1e-9)

    def test_ratios_of_counts(self) -> None:
        replica = demo("cart_1")
        for table, wanted in answers("survey")["weighted_tvd"].items():
            result = weighted_tables(
                designed(), replica, weight="w", tables=[table.split("_x_")]
            ).table.iloc[0]
            assert result["ROC"] == pytest.approx(wanted["roc_mean_over_union_cells"], rel=1e-9)
            assert result["TVD"] == pytest.approx(
                wanted["tvd_weighted_original_v_cart_1"], rel=1e-9
            )


SCRIPT = """
suppressMessages(library(survey)); options(digits = 17)
o <- read.csv("o.csv"); s <- read.csv("s.csv")
d <- svydesign(ids = ~cl, strata = ~st, weights = ~w, data = o, nest = TRUE)
e <- svydesign(ids = ~1, weights = ~v, data = s)
for (one in list(d, e)) {
  m <- svymean(~factor(x), one)
  cat(as.vector(coef(m)), as.vector(SE(m)), as.vector(coef(svymean(~y, one))),
      as.vector(coef(svytotal(~factor(x), one))), "\\n")
}
"""


@pytest.mark.r
def test_weighted_shares_and_totals_of_both_sides_are_those_of_survey(tmp_path: Path) -> None:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("Rscript is not installed")
    rng = np.random.default_rng(11)
    sample = clustered(rng)
    replica = fresh(rng, 400).assign(v=rng.uniform(1, 9, 400))
    sample.to_csv(tmp_path / "o.csv")
    replica.to_csv(tmp_path / "s.csv")
    made = subprocess.run(
        [program, "-e", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "there is no package" in made.stderr:
        pytest.skip("R's survey package is not installed")
    assert made.returncode == 0, made.stderr
    ours, theirs = (np.array(line.split(), dtype=float) for line in made.stdout.splitlines())
    result = weighted_tables(sample, replica, variables=["x"], synthetic_weight="v", **SAMPLED)
    row = result.table.iloc[0]
    first, other = ours[:4], theirs[:4]
    assert row["TVD"] == pytest.approx(np.abs(first - other).sum() / 2, rel=1e-9)
    ratios = np.minimum(first, other) / np.maximum(first, other)
    assert row["ROC"] == pytest.approx(ratios.mean(), rel=1e-9)
    spread = np.sqrt(2 / np.pi * (ours[4:8] ** 2 + theirs[4:8] ** 2)).sum() / 2
    assert row["TVD_expected"] == pytest.approx(spread, rel=1e-9)
    drawn = np.sqrt(2 / np.pi * theirs[4:8] ** 2).sum() / 2
    assert row["TVD_drawn"] == pytest.approx(drawn, rel=1e-9)
    margins = check_weights(
        sample, replica, weight="w", synthetic_weight="v", variables=["x"], ngroups=9
    ).margins
    np.testing.assert_allclose(np.sort(margins["original"]), np.sort(ours[9:]), rtol=1e-9)
    np.testing.assert_allclose(np.sort(margins["synthetic"]), np.sort(theirs[9:]), rtol=1e-9)


def test_shares_of_levels_are_means_of_their_flags() -> None:
    sample = clustered(np.random.default_rng(7)).assign(
        x=lambda file: np.array(list("abcd"))[file["x"]]
    )
    flags = pd.get_dummies(sample["x"]).astype(float).assign(w=sample["w"])
    flags = flags.assign(st=sample["st"], cl=sample["cl"])
    replica = sample.sample(100, random_state=1).reset_index(drop=True)
    levels = weighted_compare(sample, replica, variables=["x"], **SAMPLED).table
    other = pd.get_dummies(replica["x"]).astype(float).assign(st=replica["st"], cl=replica["cl"])
    means = weighted_compare(flags, other, variables=list("abcd"), **SAMPLED).table
    means = means[means["statistic"] == "mean"]
    assert levels["statistic"].tolist() == means["variable"].tolist() == list("abcd")
    numbers = levels.columns[2:]
    np.testing.assert_allclose(
        levels[numbers].astype(float), means[numbers].astype(float), rtol=1e-9
    )
