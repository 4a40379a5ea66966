"""Baselines, votes, folds, encodings and intervals, by hand or by a definition of their own."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction import places, scores
from sdcmetrics.measures.prediction import trained as module
from sdcmetrics.measures.prediction.cross_fitting import cross_fit, folds
from sdcmetrics.measures.prediction.encoding import Encoder
from sdcmetrics.measures.prediction.forest import Forest, _places
from sdcmetrics.measures.prediction.learners import (
    LEARNERS,
    Predicted,
    fit,
    learner_of,
)
from sdcmetrics.measures.prediction.places import Prediction
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import (
    Score,
    _bootstrap,
    accuracy,
    auc,
    difference_interval,
    f1,
    r2,
)
from sdcmetrics.measures.prediction.trained import (
    Trained,
    _baseline,
    _check_levels,
    _notes,
    _p,
    _part,
    _with_target,
)

NAN = math.nan


def codes(**columns: list[int]) -> Records:
    n = len(next(iter(columns.values())))
    return Records({name: np.array(part) for name, part in columns.items()}, {}, n)


def test_records_are_taken_joined_and_replaced() -> None:
    first = Records({"g": np.array([1, 2, 0])}, {"x": np.array([5.0, NAN, 7.0])}, 3)
    part = first.taken(np.array([True, False, True]))
    assert (part.n, part.codes["g"].tolist(), part.numbers["x"].tolist()) == (2, [1, 0], [5, 7])
    twice = first.taken(np.array([2, 2]))
    assert (twice.n, twice.codes["g"].tolist()) == (2, [0, 0])
    both = part.joined(twice)
    assert (both.n, both.codes["g"].tolist()) == (4, [1, 0, 0, 0])
    assert both.numbers["x"].tolist() == [5, 7, 7, 7]
    assert (first.levels("g"), first.levels("x")) == (3, 0)
    assert first.replaced("g", np.array([4, 4, 4])).codes["g"].tolist() == [4, 4, 4]
    assert first.replaced("x", np.array([0.5, 1, 2])).numbers["x"].tolist() == [0.5, 1, 2]
    other = first.replaced("g", np.array([1, 2, 1]))
    assert first.digest != other.digest
    assert first.digest == first.replaced("g", np.array([1, 2, 0])).digest


def test_areas_and_shares_by_hand() -> None:
    yes = np.array([True, True, False])
    assert auc(yes, np.array([3.0, 1.0, 2.0])) == 0.5
    assert auc(yes, np.array([3.0, 3.0, 2.0])) == 1.0
    assert math.isnan(auc(~np.ones(2, dtype=bool), np.arange(2.0)))
    truth, guess = np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 2, 2])
    # 2 of 3, 2 of 4 and none of 1
    assert f1(truth, guess) == pytest.approx((2 / 3 + 2 / 4 + 0) / 3)
    assert f1(truth, guess, "weighted") == pytest.approx((2 * 2 / 3 + 2 / 4) / 4)
    assert f1(truth, guess, "micro") == accuracy(truth, guess) == 0.5
    assert r2(np.array([1.0, 3.0]), np.array([1.0, 2.0])) == 0.5


def test_a_baseline_is_the_best_constant_of_the_original() -> None:
    truth = np.array([1.0, 2.0, 2.0, 2.0])
    assert _baseline(Score("AUC", 1.0), truth, truth) == 0.5
    # who says 1, as most of the original are: 2 * 1 / (1 + 4), and nothing of 2
    result = _baseline(Score("macro F1"), np.array([1.0, 1.0, 2.0]), truth)
    assert result == pytest.approx((2 / 5) / 2)
    assert _baseline(Score("R2"), np.array([1.0, 2.0]), truth) == pytest.approx(
        1 - ((truth - 1.5) ** 2).sum() / ((truth - 1.75) ** 2).sum()
    )


def test_what_never_varies_cannot_be_learnt() -> None:
    _check_levels("t", {"replica": codes(t=[1, 2])})
    with pytest.raises(NotComputable, match="'t' never varies in the holdout"):
        _check_levels("t", {"replica": codes(t=[1, 2]), "holdout": codes(t=[2, 2])})


def test_records_that_lack_the_target_are_left_out() -> None:
    some = Records({}, {"y": np.array([1.0, NAN, 3.0])}, 3)
    assert _with_target(some, "y").n == 2
    whole = codes(t=[1, 2])
    assert _with_target(whole, "t") is whole


def test_a_part_is_drawn_without_replacement_where_there_are_more() -> None:
    rng = np.random.default_rng(1)
    records = codes(t=[*range(9)])
    assert _part(records, 9, rng) is records
    drawn = _part(records, 4, rng).codes["t"].tolist()
    assert len(set(drawn)) == 4
    assert drawn == sorted(drawn)


@pytest.mark.parametrize(
    ("levels", "holdout", "words"),
    [(10, True, 0), (11, True, 1), (10, False, 1), (11, False, 2), (0, True, 0)],
)
def test_notes(levels: int, words: int, *, holdout: bool) -> None:
    assert len(_notes(levels, holdout=holdout)) == words


def test_no_p_without_draws_or_gap() -> None:
    rng = np.random.default_rng(1)
    assert math.isnan(_p(0.0, 4, lambda _: 0.0, 0, rng))
    assert math.isnan(_p(NAN, 4, lambda _: 0.0, 5, rng))
    assert _p(0.0, 4, lambda _: 1.0, 4, rng) == 1 / 5
    assert _p(0.0, 4, lambda _: 0.0, 9, rng) == 1
    assert _p(0.0, 4, lambda _: 0.0, 99, rng) == 1


def forest_of(target: str) -> Forest:
    n = np.arange(60)
    records = Records({"g": n % 3 + 1, "t": n % 3 + 4}, {"y": (n % 3) * 10.0}, 60)
    made = Forest(records, target, ["g"], codes(g=[1, 2, 3, 3]), seed=1)
    made.grow(4)
    return made


def test_how_near_a_forest_is_to_the_truth() -> None:
    of_levels = forest_of("t")
    assert of_levels.guess().tolist() == [4, 5, 6, 6]
    # each tree is sure; nobody has taught level 9 or 5.5
    assert of_levels.closeness(np.array([4.0, 5.0, 5.0, 9.0])).tolist() == [1, 1, 0, 0]
    assert of_levels.closeness(np.array([5.5, 3.0, NAN, 6.0])).tolist() == [0, 0, 0, 1]
    of_numbers = forest_of("y")
    assert of_numbers.guess().tolist() == [0, 10, 20, 20]
    assert of_numbers.closeness(np.array([1.0, 10, 17, NAN])).tolist() == [-1, 0, -3, -3]
    assert of_numbers.closeness(np.full(4, NAN)).tolist() == [0] * 4


def test_places_are_ranks_over_both_parts_and_missing_is_first() -> None:
    here, there = _places(np.array([5.0, NAN, 1.0]), np.array([3.0, 5.0]))
    assert (here.tolist(), there.tolist()) == ([3, 0, 1], [2, 3])


def test_folds_deal_groups_of_alike_labels_in_turn() -> None:
    fold = folds(np.arange(20), np.arange(20) % 2, 2, seed=3)
    for label in (0, 1):
        assert np.bincount(fold[np.arange(20) % 2 == label]).tolist() == [5, 5]
    groups = np.array([0] * 5 + [1] * 5 + [2, 3, 4, 5])
    sizes = np.bincount(folds(groups, np.zeros(14), 2, seed=1))
    assert sizes.tolist() == [7, 7]  # large groups are dealt too, one to each


def test_a_level_that_other_folds_lack_has_no_chance() -> None:
    records = codes(t=[1, 1, 2, 2, 1, 2, 1, 3], x=[1, 1, 2, 2, 1, 2, 1, 3])
    result = cross_fit(records, "t", "cart", fold=np.array([0, 1, 0, 1, 0, 1, 0, 1]))
    assert result.classes.tolist() == [1, 2, 3]
    assert result.chances[7, 2] == 0
    assert result.guess[:7].tolist() == [1, 1, 2, 2, 1, 2, 1]
    assert result.chance_of(2)[[0, 2]].tolist() == [0, 1]


def test_an_encoder_knows_its_places() -> None:
    training = Records(
        {"g": np.array([1, 2, 3, 1]), "one": np.full(4, 1)},
        {"x": np.array([1.0, 2, NAN, 3]), "z": np.arange(4.0), "gone": np.array([5, NAN, 5, 5])},
        4,
    )
    scaled = Encoder(training, ["g", "one", "x", "z", "gone"], scaled=True)
    assert scaled.width == 3 + 2 + 1 + 2
    where = [[*range(8)[scaled.places(name)]] for name in (*training.columns, "absent")]
    assert where == [[0, 1, 2], [], [3, 4], [5], [6, 7], []]
    assert scaled(training)[:, 6:].tolist() == [[0, 0], [0, 1], [0, 0], [0, 0]]
    assert scaled(training)[:, 5] == pytest.approx((np.arange(4) - 1.5) / np.std(np.arange(4)))
    plain = Encoder(training, ["x", "gone"], scaled=False)
    assert plain.width == 2
    assert plain(training)[:, 1].tolist() == [5, -1e30, 5, 5]


def test_levels_are_in_order_and_the_first_of_equally_frequent_ones_stay() -> None:
    records = codes(g=[3, 1, 2, 2])
    encoded = Encoder(records, ["g"], scaled=False)(codes(g=[1, 2, 3]))
    assert encoded.tolist() == np.eye(3).tolist()


def test_a_model_of_numbers_is_scaled_where_the_learner_needs_it() -> None:
    records = Records({}, {"x": np.arange(8.0), "y": 1000 + 10 * np.arange(8.0)}, 8)
    ridge, tree = (fit(records, "y", learner) for learner in ("logistic", "tree"))
    assert (ridge.centre, ridge.spread) == (1035, 10 * np.std(np.arange(8)))
    assert (tree.centre, tree.spread, tree.n) == (0, 1, 8)
    constant = fit(records.replaced("y", np.full(8, 7.0)), "y", "logistic")
    assert (constant.centre, constant.spread) == (7, 1)
    assert constant.predict(records).guess == pytest.approx([7.0] * 8)
    by_x = np.polyval(np.polyfit(np.arange(8), records.numbers["y"], 1), 3.5)
    assert by_x == pytest.approx(1035)
    middle = Records({}, {"x": np.array([3.5])}, 1)
    assert ridge.predict(middle).guess == pytest.approx([1035])


def test_cores_are_those_that_are_asked_for_where_a_learner_can() -> None:
    forest, tree = LEARNERS["forest"], LEARNERS["tree"]
    assert forest.model(numeric=True, seed=3, n_jobs=2).n_jobs == 2
    assert forest.model(numeric=False, seed=3, n_jobs=None).n_jobs == -1
    made = tree.model(numeric=True, seed=3, n_jobs=2)
    assert (type(made).__name__, made.random_state) == ("DecisionTreeRegressor", 3)
    assert learner_of(tree) is tree


def said(guess: np.ndarray, classes: list[float] | None = None) -> Predicted:
    return Predicted(np.array(classes or []), np.zeros((len(guess), len(classes or []))), guess)


def test_the_interval_of_an_r2_by_hand() -> None:
    truth = np.array([0.0, 1.0, 2.0, 5.0])
    first, other = np.array([0.0, 2.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0, 5.0])
    low, high = difference_interval(Score("R2"), truth, said(first), said(other), 1)
    around = (truth - 2) ** 2
    gained = np.array([-1.0, 1, 0, 1])  # squared errors 0 1 0 1 before and 1 0 0 0 after
    off = gained - around * gained.mean() / around.mean()
    half = 1.959963984540054 * math.sqrt(off.var() / 4) / around.mean()
    assert (low + high) / 2 == pytest.approx(1 / 14)
    assert (high - low) / 2 == pytest.approx(half)


def test_the_bootstrap_of_an_f1_is_of_the_counts_that_it_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scores, "_DRAWS", 40)
    rng = np.random.default_rng(2)
    truth, first, other = (rng.integers(0, 3, 30).astype(float) for _ in range(3))
    other[0] = 3.0  # guessed once or not at all in most draws
    rows, counts = np.unique(np.column_stack([truth, first, other]), axis=0, return_counts=True)
    drawn = np.random.default_rng(7).multinomial(30, counts / 30, size=40)
    gaps = []
    for times in drawn:
        t, a, b = np.repeat(rows, times, axis=0).T
        gaps.append(f1_score(t, b, average="macro") - f1_score(t, a, average="macro"))
    expected = tuple(np.quantile(gaps, (0.025, 0.975)))
    assert _bootstrap(truth, first, other, 7) == pytest.approx(expected)


def plan(section: Prediction | None, variables: Any = None) -> Any:
    scenario = SimpleNamespace(targets=("t", "u"))
    return SimpleNamespace(
        section=lambda _: section,
        scenarios=(scenario, scenario),
        options=SimpleNamespace(variables=variables, seed=4),
        sample=None,
    )


def test_what_a_study_asks_to_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def learnt(_pair: Any, i: int, target: str, learner: str, **given: Any) -> Trained:
        asked.append((i, target, learner, given["among"], given["permutations"], given["seed"]))
        if learner == "cart":
            msg = "too few"
            raise NotComputable(msg)
        return Trained(target, learner)

    monkeypatch.setattr(places, "trained", learnt)
    monkeypatch.setattr(places, "records_of_pair", lambda *_: [SimpleNamespace(levels=len)])
    pair: Any = SimpleNamespace(
        holdout=1, m=2, syntheses=[1, 2], beside_holdout=SimpleNamespace(variables={"a": 1, "t": 1})
    )
    assert list(places._places(pair, plan(None), str)) == []
    given = list(places._places(pair, plan(Prediction()), str))
    assert [(item.places[0].target, item.places[0].model) for item in given] == [
        (target, learner_of(learner).words) for target in "tu" for learner in ("logistic", "tree")
    ]
    assert asked[:2] == [(i, "t", "logistic", ("a", "t"), 99, 4) for i in (1, 2)]
    assert asked[-1] == (2, "u", "tree", ("a", "t", "u"), 99, 4)
    assert len(asked) == 8
    assert [len(item.each) for item in given] == [2] * 4
    section = Prediction(targets=("u",), learners=("cart", "tree"), permutations=0)
    failed, other = places._places(pair, plan(section, ["a"]), str)
    assert failed.reason == "too few"
    assert other.undefined == "the labels were not permuted"
    assert asked[-1][3:5] == (("a", "u"), 0)
    pair.holdout = None
    (none,) = places._places(pair, plan(section), str)
    assert none.reason.startswith("there is no holdout")


def test_usual_learners_are_two_up_to_ten_levels() -> None:
    assert module.usual_learners(10) == ("logistic", "tree")
    assert module.usual_learners(11) == ("tree",)
