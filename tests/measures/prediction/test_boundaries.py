"""Guards and shapes of what is learnt, and which records and households it is learnt from."""

# ruff: noqa: ARG001, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction import places, train_on_synthetic
from sdcmetrics.measures.prediction import trained as module
from sdcmetrics.measures.prediction.cross_fitting import cross_fit, folds
from sdcmetrics.measures.prediction.encoding import Encoder
from sdcmetrics.measures.prediction.forest import Forest, _distinct
from sdcmetrics.measures.prediction.learners import Predicted, fit
from sdcmetrics.measures.prediction.places import Prediction
from sdcmetrics.measures.prediction.records import Records, records_of
from sdcmetrics.measures.prediction.scores import Score, auc, difference_interval, f1, r2, score_of
from sdcmetrics.measures.prediction.trained import Trained, _p
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise

Put = pytest.MonkeyPatch
NAN = math.nan


@pytest.mark.parametrize("number", [2, 3])
def test_groups_are_dealt_by_their_mean_label_and_then_their_size(number: int) -> None:
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 5, 6, 6])
    labels = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1])
    fold = folds(groups + 50, labels + 7, number, seed=2)
    drawn = np.random.default_rng(2).permutation(7)
    mean = {g: labels[groups == g].mean() for g in range(7)}
    size = {g: (groups == g).sum() for g in range(7)}
    order = sorted(drawn.tolist(), key=lambda g: (mean[g], size[g]))
    expected = {g: place % number for place, g in enumerate(order)}
    assert fold.tolist() == [expected[g] for g in groups.tolist()]


def test_records_of_a_fold_are_predicted_by_the_others() -> None:
    records = Records({}, {"x": np.arange(6.0), "y": np.array([0.0, 0, 0, 9, 9, 9])}, 6)
    fold = np.array([0, 0, 0, 1, 1, 1])
    predicted = cross_fit(records, "y", "cart", fold=fold)
    assert predicted.guess.tolist() == [9, 9, 9, 0, 0, 0]
    assert (predicted.classes.shape, predicted.chances.shape) == ((0,), (6, 0))


@pytest.mark.parametrize(
    ("values", "scaled", "plain"),
    [
        ([5.0, NAN, 5.0], [[0, 0], [0, 1], [0, 0]], [[5], [-1e30], [5]]),
        ([5.0, NAN, NAN], [[0, 0], [0, 1], [0, 1]], [[5], [-1e30], [-1e30]]),
        ([NAN, NAN, NAN], [[0], [0], [0]], [[0], [0], [0]]),
        ([5.0, 5.0, 5.0], [[0], [0], [0]], [[0], [0], [0]]),
        ([1.0, 1.0, 4.0], [[-math.sqrt(0.5)], [-math.sqrt(0.5)], [math.sqrt(2)]], [[1], [1], [4]]),
    ],
)
def test_a_number_has_a_column_where_it_says_something(
    values: list[float], scaled: list[list[float]], plain: list[list[float]]
) -> None:
    records = Records({}, {"x": np.array(values)}, 3)
    for as_one, expected in ((True, scaled), (False, plain)):
        encoder = Encoder(records, ["x"], scaled=as_one)
        assert encoder(records) == pytest.approx(np.array(expected))
        width = 0 if np.array_equal(expected, np.zeros((3, 1))) else len(expected[0])
        assert encoder.width == width


def test_models_of_one_level_of_several_and_of_numbers() -> None:
    records = Records(
        {"one": np.array([3, 3, 3, 3]), "g": np.array([1, 1, 5, 5])},
        {"x": np.array([0.0, 1, 8, 9])},
        4,
    )
    one = fit(records, "one", "cart")
    assert one.notes == ("'one' has one level only",)
    predicted = one.predict(records)
    assert (predicted.chances.tolist(), predicted.guess.tolist()) == ([[1.0]] * 4, [3.0] * 4)
    assert predicted.chance_of(3).tolist() == [1] * 4
    assert predicted.chance_of(1).tolist() == [0] * 4
    of_levels = fit(records, "g", "cart").predict(records)
    assert of_levels.chances.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert of_levels.chance_of(5).tolist() == [0, 0, 1, 1]
    of_numbers = fit(records, "x", "cart", columns=["g", "x"])
    assert of_numbers.columns == ("g",)
    assert of_numbers.predict(records).chances.shape == (4, 0)
    assert of_numbers.predict(records).guess.tolist() == [0.5, 0.5, 8.5, 8.5]
    some = records.replaced("x", np.array([0.0, NAN, NAN, 9]))
    assert fit(some, "x", "cart").n == 2
    with pytest.raises(NotComputable, match="'x' is missing in every record"):
        fit(records.replaced("x", np.full(4, NAN)), "x", "cart")


def test_a_forest_of_one_tree_and_of_none() -> None:
    n = np.arange(40)
    y: Any = n % 2 * 10.0
    records = Records({"g": n % 2 + 1, "t": n % 2 + 4}, {"y": y}, 40)
    asked = Records({"g": np.array([1, 2])}, {}, 2)
    forest = Forest(records, "t", ["g"], asked, seed=1)
    assert forest.closeness(np.array([4.0, 5.0])).tolist() == [0, 0]
    forest.grow(1)
    assert forest.closeness(np.array([4.0, 5.0])).tolist() == [1, 1]
    number = Forest(records, "y", ["g"], asked, seed=1)
    number.grow(2)
    number.grow(1)
    assert number.guess().tolist() == [0, 10]
    one = Forest(records.replaced("t", np.full(40, 9)), "t", ["g"], asked, seed=1)
    one.grow(3)
    assert one.guess().tolist() == [9, 9]


def test_distinct_records_and_how_often_they_are() -> None:
    records = Records({"g": np.array([2, 1, 2, 2])}, {"x": np.array([NAN, 1, NAN, 3])}, 4)
    first, kind, counts = _distinct(records)
    assert records.taken(first).codes["g"][kind].tolist() == [2, 1, 2, 2]
    assert kind[0] == kind[2] != kind[3]
    assert counts[kind].tolist() == [2, 1, 2, 1]


def test_scores_without_records_or_of_one_side() -> None:
    nothing = np.zeros(0)
    with np.errstate(all="ignore"):
        assert math.isnan(f1(nothing, nothing))
    assert math.isnan(f1(nothing, nothing, "micro"))
    assert math.isnan(r2(nothing, nothing))
    assert math.isnan(r2(np.ones(2), np.zeros(2)))
    assert r2(np.array([1.0, 3]), np.array([3.0, 1])) == -3
    assert auc(np.array([True, False]), np.array([1.0, 0])) == 1
    assert math.isnan(auc(np.array([False]), np.array([1.0])))
    assert f1(np.array([4.0]), np.array([4.0])) == 1
    assert f1(np.array([4.0]), np.array([7.0])) == 0


@pytest.mark.parametrize(
    ("levels", "score"),
    [
        ([3, 1, 3], Score("AUC", 3.0)),
        ([1, 2, 3], Score("macro F1")),
        ([2, 2, 2], Score("macro F1")),
    ],
)
def test_the_second_of_two_levels_is_the_positive_one(levels: list[int], score: Score) -> None:
    made = score_of(Records({"t": np.array(levels)}, {}, len(levels)), "t")
    assert made.name == score.name
    assert made.positive == pytest.approx(score.positive, nan_ok=True)


def test_an_interval_of_areas_is_around_their_difference() -> None:
    truth = np.array([2.0, 2, 5, 5])
    chances = [np.array([0.1, 0.6, 0.5, 0.9]), np.array([0.1, 0.2, 0.5, 0.9])]
    first, other = (
        Predicted(np.array([2.0, 5]), np.column_stack([1 - p, p]), np.zeros(4)) for p in chances
    )
    low, high = difference_interval(Score("AUC", 5.0), truth, first, other, 1)
    assert (low + high) / 2 == pytest.approx(1 - 3 / 4)
    # of positives one gains 1/2, of the others one: variances 1/8 over 2, twice
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(1 / 8))


def test_codes_of_records_start_at_1_and_missing_codes_are_none() -> None:
    frames = [
        pd.DataFrame({"g": ["a", None, "b"], "x": [1.0, -9, np.nan]}),
        pd.DataFrame({"g": ["b", "a"], "x": [-9.0, 2]}),
    ]
    parts = [as_microdata(frame, name) for frame, name in zip(frames, "os", strict=True)]
    first, other = records_of(harmonise(parts[0], parts[1:], missing_codes={"x": -9}))
    assert first.codes["g"][1] == 0
    assert {*first.codes["g"].tolist()} == {0, 1, 2}
    assert other.codes["g"].tolist() == first.codes["g"][[2, 0]].tolist()
    np.testing.assert_array_equal(first.numbers["x"], [1, NAN, NAN])
    np.testing.assert_array_equal(other.numbers["x"], [NAN, 2])
    assert (first.n, other.n) == (3, 2)


@pytest.mark.parametrize(("as_low", "p"), [(9, (1 + 9) / 100), (10, 10 / 99), (4, 5 / 100)])
def test_draws_stop_at_ten_that_are_as_low(as_low: int, p: float) -> None:
    asked: list[int] = []

    def gap_of(order: np.ndarray) -> float:
        assert sorted(order.tolist()) == [0, 1, 2]
        asked.append(1)
        return 0.0 if len(asked) > 99 - as_low else 1.0

    rng = np.random.default_rng(1)
    assert _p(0.5, 3, gap_of, 99, rng) == pytest.approx(p)
    asked.clear()
    turns = iter([1.0, 0.0] * 10)  # the tenth that is as low is the twentieth
    assert _p(0.5, 3, lambda order: next(turns), 99, rng) == 10 / 20


def people(n: int, first: int, missing: int = 0) -> pd.DataFrame:
    """Two to a household, whose first is numbered so; of the first so many y is missing."""
    i = np.arange(n)
    y = np.where(i < missing, np.nan, i % 5 + i / 100)
    return pd.DataFrame({"y": y, "x": i % 5, "h": first + i // 2})


@pytest.mark.parametrize(("missing", "of_replica"), [((10, 0), 20), ((0, 6), 36)])
def test_households_are_of_records_whose_target_is_known(
    monkeypatch: Put, missing: tuple[int, int], of_replica: int
) -> None:
    sides: list[list[list[int]]] = []
    order = Households.order

    def watched(self: Households, rng: np.random.Generator) -> Any:
        sides.append([part.tolist() for part in np.split(self.number, [self.n])])
        return order(self, rng)

    monkeypatch.setattr(Households, "order", watched)
    files = people(30, 0, missing[0]), people(of_replica, 100, missing[1])
    table = sdc.prediction(
        *files, people(20, 200), targets="y", learners="tree", household="h", permutations=1
    ).table
    size = min(30 - missing[0], of_replica - missing[1])
    assert table["n_training"].tolist() == [size]
    # households are numbered over both files, 15 of the first
    for file, side, lost, start in zip(files, sides[0], missing, (0, 15 - 100), strict=True):
        # whole, so that everybody whose target is known is there, once
        counts = pd.Series(side).value_counts()
        assert len(side) == size
        assert (counts == 2).all()
        assert {*side} == {*(start + file["h"][lost:])}


def test_each_synthesis_has_its_own_households_and_row(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def trained(pair: Any, i: int, target: str, learner: str, **given: Any) -> Trained:
        asked.append((i, target, learner, given["households"].n, given["households"].total))
        if i == 2:
            msg = "too few"
            raise NotComputable(msg)
        return Trained(target, learner)

    monkeypatch.setattr(train_on_synthetic, "trained", trained)
    files = [people(8, 100), people(12, 200)]
    result = sdc.prediction(
        people(10, 0), files, targets="y", learners="tree", household="h", permutations=0
    )
    assert asked == [(1, "y", "tree", 10, 18), (2, "y", "tree", 10, 22)]
    assert result.table["synthesis"].tolist() == [1, 2]
    assert result.table["note"].tolist() == ["", "too few"]


def test_a_place_has_the_households_of_each_synthesis(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def trained(pair: Any, i: int, target: str, learner: str, **given: Any) -> Trained:
        asked.append((i, given["households"], given["permutations"]))
        return Trained(target, learner)

    monkeypatch.setattr(places, "trained", trained)
    monkeypatch.setattr(places, "labels_of", lambda *_: (["first", "second"], 7, "why"))
    monkeypatch.setattr(places, "records_of_pair", lambda *_: [SimpleNamespace(levels=len)])
    plan: Any = SimpleNamespace(
        section=lambda _: Prediction(targets=("t",), learners=("tree",)), scenarios=(),
        options=SimpleNamespace(variables=["a"], seed=4), sample=None,
    )  # fmt: skip
    pair: Any = SimpleNamespace(holdout=1, m=2, syntheses=[1, 2])
    (given,) = places._places(pair, plan, lambda step: None)
    assert asked == [(1, "first", 7), (2, "second", 7)]
    assert given.undefined == "why"


@pytest.mark.parametrize("holdout", [True, False])
def test_what_is_learnt_is_tested_on_the_holdout_or_by_folds(
    monkeypatch: Put, *, holdout: bool
) -> None:
    dealt: list[Any] = []
    kept = folds

    def watched(groups: Any, labels: Any, number: int, seed: int) -> Any:
        dealt.append((len(groups), labels.tolist(), number))
        return kept(groups, labels, number, seed)

    monkeypatch.setattr(module, "folds", watched)
    i = np.arange(40)
    original = pd.DataFrame({"t": np.where(i % 2, "a", "b"), "x": i % 2, "y": i % 7 * 1.5})
    wrong = original.assign(t=np.where(i % 2, "b", "a"))
    given = {"learners": "cart", "permutations": 0}
    row = sdc.prediction(
        original,
        wrong,
        original[:22] if holdout else None,
        targets="t",
        **given,  # type: ignore[arg-type]
    ).table.iloc[0]
    assert (row["score"], row["TSTR"], row["TRTR"], row["gap"]) == ("AUC", 0.0, 1.0, -1.0)
    assert (row["n_training"], row["n_test"]) == (40, 22 if holdout else 40)
    assert row["baseline"] == 0.5
    assert len(dealt) == (0 if holdout else 1)
    if not holdout:
        assert (dealt[0][0], {*dealt[0][1]}, dealt[0][2]) == (40, {1.0, 2.0}, 5)
        sdc.prediction(original, wrong, targets="y", **given)  # type: ignore[arg-type]
        assert dealt[1] == (40, [0.0] * 40, 5)
