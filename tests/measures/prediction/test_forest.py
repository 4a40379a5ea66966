"""Forests on distinct records with weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction import forest
from sdcmetrics.measures.prediction.forest import Forest
from sdcmetrics.measures.prediction.learners import fit
from sdcmetrics.measures.prediction.records import Records

NAN = np.nan


def drawn(seed: int, n: int) -> Records:
    """Draw a level and a number that hang on six levels and a number with few values."""
    rng = np.random.default_rng(seed)
    job, age = rng.integers(0, 6, n), rng.integers(20, 40, n).astype(float)
    age[rng.random(n) < 0.1] = NAN
    t = (rng.random(n) < 1 / (1 + np.exp(3 - 6 * ((job % 2) + (np.nan_to_num(age) > 30)) / 2))) + 1
    y = 10.0 * (job % 2) + np.nan_to_num(age) / 10 + rng.normal(0, 0.5, n).round(1)
    y[rng.random(n) < 0.05] = NAN
    return Records({"job": job, "t": t.astype(np.int64)}, {"age": age, "y": y}, n)


def grown(*given: Any, trees: int, seed: int) -> npt.NDArray[np.float64]:
    """Return what a forest of so many trees guesses."""
    made = Forest(*given, seed=seed)
    made.grow(trees)
    return made.guess()


def test_a_forest_is_as_right_as_scikit_learns() -> None:
    training, asked = drawn(1, 2_000), drawn(2, 1_000)
    ours = grown(training, "t", ["job", "age"], asked, trees=50, seed=1)
    theirs = fit(training, "t", "forest", columns=["job", "age"], n_jobs=1).predict(asked).guess
    truth = asked.values("t")
    assert (ours == truth).mean() == pytest.approx((theirs == truth).mean(), abs=0.015)
    assert (ours == theirs).mean() > 0.93  # some people are about as likely to be either


def test_one_level_that_was_taught_is_the_vote_of_all_trees() -> None:
    training = Records({"x": np.array([0, 1, 2]), "t": np.array([4, 4, 4])}, {}, 3)
    made = Forest(training, "t", ["x"], training, seed=1)
    made.grow(3)
    assert made.guess().tolist() == [4, 4, 4]
    assert made.closeness(np.array([4.0, 5.0, np.nan])).tolist() == [1, 0, 0]


def test_a_number_is_learnt_as_scikit_learns_forest_learns_it() -> None:
    training, asked = drawn(3, 2_000), drawn(4, 1_000)
    ours = grown(training, "y", ["job", "age"], asked, trees=50, seed=1)
    theirs = fit(training, "y", "forest", columns=["job", "age"], n_jobs=1).predict(asked).guess
    assert np.corrcoef(ours, theirs)[0, 1] > 0.99
    taught = ~np.isnan(asked.values("y"))
    errors = [np.abs(guess - asked.values("y"))[taught].mean() for guess in (ours, theirs)]
    assert errors[0] == pytest.approx(errors[1], rel=0.1)


def test_trees_learn_distinct_records_as_often_as_a_bootstrap_draws_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    x, t = rng.integers(0, 3, 900), rng.integers(1, 3, 900)
    t[x == 2] = 1
    training = Records({"x": x, "t": t}, {}, 900)
    given: list[Any] = []

    class Seen(forest.tree_of(is_number=False)):  # type: ignore[misc]
        def fit(self, rows: Any, values: Any, **options: Any) -> Any:
            given.append((len(rows), options["sample_weight"]))
            return super().fit(rows, values, **options)

    monkeypatch.setattr(forest, "tree_of", lambda *, is_number: Seen)  # noqa: ARG005
    grown(training, "t", ["x"], training, trees=200, seed=1)
    assert {rows for rows, _ in given} == {5}  # 2 of t by 2 of x, and one
    weights = np.array([weight for _, weight in given])
    assert (weights.sum(axis=1) == 900).all()
    counts = np.unique(np.column_stack([x, t]), axis=0, return_counts=True)[1]
    error = np.sqrt(counts * (1 - counts / 900) / 200)
    assert (np.abs(np.sort(weights.mean(axis=0)) - np.sort(counts)) < 4 * error).all()


def test_numbers_between_those_of_people_are_taken_for_what_is_around_them() -> None:
    learnt, asked = np.arange(0.0, 100.0, 2), np.arange(1.0, 99.0, 2)
    level = (learnt >= 50).astype(np.int64) + 1
    training = Records({"t": level}, {"x": learnt}, 50)
    queried = Records({"t": np.ones(49, np.int64)}, {"x": asked}, 49)
    guess = grown(training, "t", ["x"], queried, trees=20, seed=1)
    assert (guess == (asked >= 50) + 1)[np.abs(asked - 50) > 5].all()


def test_guesses_do_not_depend_on_how_levels_are_numbered() -> None:
    rng = np.random.default_rng(6)
    x, t = rng.integers(0, 8, 600), rng.integers(1, 4, 600)
    t = np.where(rng.random(600) < 0.8, x % 3 + 1, t)
    asked = Records({"x": np.arange(8)}, {}, 8)
    new = rng.permutation(8)
    ours = grown(Records({"x": x, "t": t}, {}, 600), "t", ["x"], asked, trees=50, seed=1)
    renamed = Records({"x": new[x], "t": t}, {}, 600)
    other = grown(renamed, "t", ["x"], Records({"x": new}, {}, 8), trees=50, seed=2)
    assert ours.tolist() == other.tolist() == [i % 3 + 1 for i in range(8)]


def test_order_of_records_says_nothing_and_a_seed_repeats_a_forest() -> None:
    training, asked = drawn(7, 300), drawn(8, 100)
    order = np.random.default_rng(9).permutation(300)
    guesses = [
        grown(part, "t", ["job", "age"], asked, trees=5, seed=3)
        for part in (training, training, training.taken(order))
    ]
    assert guesses[0].tolist() == guesses[1].tolist()
    assert (guesses[0] == guesses[2]).mean() > 0.9


def test_missing_numbers_and_levels_that_were_never_met_get_a_guess() -> None:
    training = Records(
        {"x": np.array([1, 1, 2, 2] * 10), "t": np.array([1, 1, 2, 2] * 10)},
        {"z": np.array([NAN, 5, 1e30, -1e300] * 10)},
        40,
    )
    asked = Records({"x": np.array([1, 2, 7])}, {"z": np.array([NAN, NAN, 2.0])}, 3)
    guess = grown(training, "t", ["x", "z"], asked, trees=30, seed=1)
    assert guess[:2].tolist() == [1, 2]
    assert guess[2] in (1, 2)


def test_one_level_is_guessed_and_no_number_cannot_be() -> None:
    same = Records({"x": np.array([1, 2]), "t": np.array([4, 4])}, {"y": np.full(2, NAN)}, 2)
    assert grown(same, "t", ["x"], same, trees=1, seed=1).tolist() == [4, 4]
    with pytest.raises(NotComputable, match="missing in every record"):
        Forest(same, "y", ["x"], same)


def test_a_forest_grows_on() -> None:
    training, asked = drawn(7, 300), drawn(8, 100)
    for target in ("t", "y"):
        at_once = grown(training, target, ["job", "age"], asked, trees=9, seed=3)
        by_steps = Forest(training, target, ["job", "age"], asked, seed=3)
        for trees in (2, 7):
            by_steps.grow(trees)
        assert by_steps.guess().tolist() == at_once.tolist()
