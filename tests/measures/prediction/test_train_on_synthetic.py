"""Train on synthetic records, test on real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, r2_score, roc_auc_score

import sdcmetrics as sdc
from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.measures.prediction import trained as module
from sdcmetrics.measures.prediction.learners import Predicted
from sdcmetrics.measures.prediction.scores import Score, difference_interval
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.study.profile import load_profile

Z = 1.959963984540054


def people(seed: int, n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, g = np.round(rng.normal(size=n), 1), rng.choice(["a", "b", "c"], n)
    hidden = x + (g == "b")
    return pd.DataFrame(
        {
            "x": x,
            "g": g,
            "vote": np.where(hidden + 0.5 * rng.logistic(size=n) > 0.3, "yes", "no"),
            "level": np.char.add("l", np.digitize(hidden, [-0.3, 0.8]).astype(str)),
            "income": hidden + rng.normal(size=n),
        }
    )


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


def row(*data: pd.DataFrame | None, target: str = "vote", **options: object) -> pd.Series:
    chosen = {"learners": "tree", "permutations": 19, **options}
    return sdc.prediction(*data, targets=target, **chosen).table.iloc[0]  # type: ignore[arg-type,misc]


def said(guess: np.ndarray, positive: np.ndarray | None = None) -> Predicted:
    if positive is None:
        return Predicted(np.zeros(0), np.zeros((len(guess), 0)), guess)
    return Predicted(np.array([1.0]), positive[:, None], guess)


class TestTheInterval:
    rng = np.random.default_rng(3)

    def test_of_an_auc_is_that_of_delong_with_every_pair_compared(self) -> None:
        n = 60
        truth = (self.rng.random(n) < 0.3).astype(float)
        first, other = (np.round(truth + self.rng.normal(size=n), 1) for _ in range(2))
        low, high = difference_interval(
            Score("AUC", 1.0), truth, said(first, first), said(other, other), 1
        )
        positive = truth == 1
        placed = [
            (s[positive][:, None] > s[~positive]) + 0.5 * (s[positive][:, None] == s[~positive])
            for s in (first, other)
        ]
        covariance = np.cov([p.mean(axis=1) for p in placed]) / positive.sum()
        covariance += np.cov([p.mean(axis=0) for p in placed]) / (~positive).sum()
        half = Z * np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        gap = roc_auc_score(truth, other) - roc_auc_score(truth, first)
        assert (low, high) == pytest.approx((gap - half, gap + half), rel=1e-9)

    def test_of_an_f1_is_that_of_records_drawn_again(self) -> None:
        n = 120
        truth = self.rng.integers(0, 4, n).astype(float)
        one, other = (
            np.where(self.rng.random(n) < share, truth, self.rng.integers(0, 4, n))
            for share in (0.4, 0.7)
        )
        result = difference_interval(Score("macro F1"), truth, said(one), said(other), 1)
        drawn = [self.rng.integers(0, n, n) for _ in range(300)]
        gaps = [
            f1_score(truth[i], other[i], average="macro")
            - f1_score(truth[i], one[i], average="macro")
            for i in drawn
        ]
        assert result == pytest.approx(tuple(np.quantile(gaps, (0.025, 0.975))), abs=0.04)

    def test_of_an_r2_is_that_of_the_jackknife(self) -> None:
        n = 400
        truth = self.rng.normal(size=n)
        one, other = (truth + s * self.rng.normal(size=n) for s in (0.8, 0.5))
        low, high = difference_interval(Score("R2"), truth, said(one), said(other), 1)
        left = np.array(
            [
                r2_score(np.delete(truth, i), np.delete(other, i))
                - r2_score(np.delete(truth, i), np.delete(one, i))
                for i in range(n)
            ]
        )
        se = np.sqrt((n - 1) * np.mean((left - left.mean()) ** 2))
        assert (high - low) / 2 == pytest.approx(Z * se, rel=0.02)


class TestAReplica:
    @pytest.mark.parametrize(
        ("target", "score"), [("vote", "AUC"), ("level", "macro F1"), ("income", "R2")]
    )
    def test_that_is_a_copy_teaches_what_the_original_does(self, target: str, score: str) -> None:
        result = row(people(1), people(1), people(2), target=target)
        assert result["score"] == score
        assert result["gap"] == 0
        assert result["TSTR"] == result["TRTR"] > result["baseline"]
        assert result["gap_p"] > 0.05

    @pytest.mark.parametrize("learner", ["tree", "logistic"])
    def test_whose_columns_have_nothing_to_do_with_each_other_teaches_nothing(
        self, learner: str
    ) -> None:
        result = row(people(1), shuffled(people(3)), people(2), learners=learner)
        assert result["TSTR"] < result["TRTR"] - 0.1
        assert result["gap_high"] < 0
        assert result["gap_p"] == 1 / 20
        assert result["half_gap"] < -result["fresh_gap"]

    def test_scores_what_the_learner_alone_scores(self) -> None:
        from sklearn.tree import DecisionTreeRegressor

        original, replica, holdout = people(1, 150), people(2, 150), people(3, 80)
        frames = [item[["x", "income"]] for item in (original, replica, holdout)]
        result = row(*frames, target="income", permutations=0)
        for frame, score in zip(frames, ("TRTR", "TSTR"), strict=False):
            tree = DecisionTreeRegressor(min_samples_leaf=7, random_state=1)
            guess = tree.fit(frame[["x"]], frame["income"]).predict(frames[2][["x"]])
            assert result[score] == pytest.approx(r2_score(frames[2]["income"], guess), rel=1e-12)
        assert np.isnan(result["gap_p"])

    def test_of_another_size_is_learnt_from_as_many_records(self) -> None:
        result = row(people(1, 90), people(2, 250), people(3, 60))
        assert (result["n_training"], result["n_test"]) == (90, 60)

    def test_without_a_holdout_says_what_it_was_tested_on(self) -> None:
        result = row(people(1), people(2))
        assert "that it was made of" in result["note"]
        assert np.isnan(result[["gap_p", "fresh_gap", "half_gap"]].astype(float)).all()
        assert result["TRTR"] < row(people(1), people(2), people(1))["TRTR"]  # by folds

    def test_that_never_varies_has_a_reason(self) -> None:
        result = row(people(1), people(2).assign(vote="yes"), people(3))
        assert np.isnan(result["TSTR"])
        assert "never varies in the replica" in result["note"]

    def test_of_many_levels_says_what_its_score_is_worth(self) -> None:
        frames = [
            item.assign(level=(item["x"] * 5).round().astype(str))
            for item in map(people, (1, 2, 3))
        ]
        result = sdc.prediction(*frames, targets="level", permutations=0).table
        assert result["learner"].tolist() == ["tree"]
        assert "macro F1 counts a rare one" in result["note"][0]

    def test_is_judged_the_same_each_time(self) -> None:
        data = people(1), people(2, 150), people(3)
        pd.testing.assert_series_equal(row(*data), row(*data))

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"target": "votes"}, "Did you mean 'vote'"),
            ({"learners": "tre"}, "Did you mean 'tree'"),
            ({"permutations": -1}, "permutations"),
        ],
    )
    def test_of_wrong_arguments_is_refused_in_words(self, options: dict, words: str) -> None:  # type: ignore[type-arg]
        with pytest.raises(SdcMetricsError, match=words):
            row(people(1), people(2), people(3), **options)


class TestTheP:
    def test_stops_when_enough_draws_are_as_bad(self) -> None:
        drawn: list[int] = []

        def gap_of(order: np.ndarray) -> float:  # type: ignore[type-arg]
            drawn.append(len(order))
            return -1.0 if len(drawn) % 2 else 1.0

        rng = np.random.default_rng(0)
        assert module._p(0.0, 6, gap_of, 99, rng) == 10 / 19
        assert len(drawn) == 19

    def test_counts_ties_and_the_replica_itself(self) -> None:
        gaps = iter([0.0, 1.0, 1.0, -1.0])
        rng = np.random.default_rng(0)
        assert module._p(0.0, 6, lambda _: next(gaps), 4, rng) == (1 + 2) / 5

    @pytest.mark.parametrize(("n", "m", "h"), [(50, 50, 50), (40, 90, 30)])
    def test_of_fresh_people_is_small_as_often_as_it_may_be(self, n: int, m: int, h: int) -> None:
        ps = [
            row(people(3 * i, n), people(3 * i + 1, m), people(3 * i + 2, h))["gap_p"]
            for i in range(20)
        ]
        assert sum(p <= 0.05 for p in ps) <= 4  # of a binomial of 20 and 0.05: 3 in 1000
        assert 0.3 < np.mean(ps) < 0.75


@pytest.fixture(scope="module")
def review() -> sdc.Review:
    study = sdc.Study(
        people(1),
        {"fresh": [people(2), people(4)], "shuffled": shuffled(people(5))},
        keys=["g"],
        targets=["vote"],
        holdout=people(3),
        prediction={"learners": "tree", "permutations": 19},
        variables=["x", "g", "vote"],
        ways=(1,),
        perturbed=(),
        candidates=0,
        permutations=0,
    )
    return sdc.conduct(study, reference_values=False)


class TestAReview:
    def test_has_a_row_per_measure_target_and_learner(self, review: sdc.Review) -> None:
        frame = review.frame[review.frame["metric"] == "TSTR_p"]
        fresh = frame[frame["replica"] == "fresh"].set_index("synthesis", drop=False)["value"]
        single = fresh[fresh.index.notna()]
        assert len(single) == 2
        assert fresh.iloc[0] == min(1, 2 * single.min())
        assert frame[frame["replica"] == "shuffled"]["value"].tolist() == [1 / 20]
        assert set(frame["target"]) == {"vote"}

    def test_gives_what_the_function_gives(self, review: sdc.Review) -> None:
        sets = [item[["x", "g", "vote"]] for item in (people(1), shuffled(people(5)), people(3))]
        expected = row(*sets)
        frame = review.mean_rows()
        result = frame[frame["replica"] == "shuffled"].set_index("metric")["value"]
        assert result["TSTR"] == expected["TSTR"]
        assert result["TSTR_gap"] == expected["gap"]
        assert result["TSTR_fresh_gap"] == expected["fresh_gap"]

    def test_shows_it_inside_and_never_in_a_release(self, review: sdc.Review) -> None:
        profile = load_profile("default")
        shown = safe_report(review, profile, "internal").learnt
        assert [row[0].text for row in shown.rows] == ["fresh", "shuffled"]
        assert "to" in shown.rows[1][7].detail
        assert safe_report(review, profile, "checker").learnt.rows == ()

    def test_without_the_table_learns_nothing(self) -> None:
        study = sdc.Study(people(1), {"one": people(2)}, keys=["g"], holdout=people(3))
        assert study.prediction is None

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"target": "vote"}, "unknown entry 'target'. Did you mean 'targets'"),
            ({"targets": "votes"}, "is not a column of the original. Did you mean 'vote'"),
            ({"learners": ["tre"]}, "Did you mean 'tree'"),
            ({"permutations": -1}, "at least 0"),
        ],
    )
    def test_refuses_a_wrong_entry(self, given: object, words: str) -> None:
        with pytest.raises(StudyError, match=words):
            sdc.Study(people(1), {"one": people(2)}, keys=["g"], prediction=given)  # type: ignore[arg-type]

    def test_is_asked_for_in_a_study_file(self, tmp_path: Path) -> None:
        for i, name in enumerate(("o", "s", "h")):
            people(i, 30).to_csv(tmp_path / f"{name}.csv", index=False)
        (tmp_path / "study.toml").write_text(
            '[data]\noriginal = "o.csv"\nholdout = "h.csv"\nreplicas = {s = "s.csv"}\n'
            '[roles]\nkeys = ["g"]\n[prediction]\ntargets = "vote"\nlearners = "tree"\n',
            encoding="utf-8",
        )
        asked = sdc.read_study(tmp_path / "study.toml").prediction
        assert asked is not None
        assert (asked.targets, asked.learners, asked.permutations) == (("vote",), ("tree",), 99)
