"""Records as models take them, and what is learnt from them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.cross_fitting import cross_fit, folds
from sdcmetrics.measures.prediction.encoding import Encoder
from sdcmetrics.measures.prediction.learners import LEARNERS, fit, fitted
from sdcmetrics.measures.prediction.records import Records, records_of_pair
from sdcmetrics.measures.prediction.scores import accuracy, auc, r2
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.suites.syntheval.learnt import permutation_importances

NAN = np.nan


def drawn(seed: int, n: int = 300) -> Records:
    """Draw a level and a number that hang on a level and a number, and one of each that do not."""
    rng = np.random.default_rng(seed)
    job, x = rng.integers(1, 4, n), rng.normal(size=n)
    x[rng.random(n) < 0.1] = NAN
    known = np.nan_to_num(x)
    t = (known + (job == 2) + rng.normal(0, 0.5, n) > 0.4).astype(np.int64) + 1
    y = known + 2 * (job == 1) + rng.normal(0, 0.3, n)
    noise, other = rng.integers(0, 5, n), rng.normal(size=n)
    return Records({"job": job, "t": t, "noise": noise}, {"x": x, "y": y, "other": other}, n)


def pair(**holdout: object) -> Pair:
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame({"t": rng.choice(["p", "q"], 80), "x": rng.normal(size=80)}) for _ in range(3)
    ]
    original, synthetic, held = (
        as_microdata(f, name) for f, name in zip(frames, "osh", strict=True)
    )
    return Pair("one", original, [synthetic], held, **holdout)  # type: ignore[arg-type]


class TestEncoder:
    training = Records(
        {"level": np.array([1, 1, 2, 0]), "same": np.array([3, 3, 3, 3])},
        {"x": np.array([1.0, 3.0, NAN, 5.0]), "none": np.full(4, NAN), "one": np.ones(4)},
        4,
    )
    fresh = Records(
        {"level": np.array([2, 7]), "same": np.array([3, 4])},
        {"x": np.array([3.0, NAN]), "none": np.array([1.0, NAN]), "one": np.array([9.0, NAN])},
        2,
    )

    def test_scales_by_the_training_records_and_flags_what_is_missing(self) -> None:
        encoder = Encoder(self.training, ["x"], scaled=True)
        sd = np.sqrt(8 / 3)
        expected = [[-2 / sd, 0], [0, 0], [0, 1], [2 / sd, 0]]
        np.testing.assert_allclose(encoder(self.training), expected)
        np.testing.assert_allclose(encoder(self.fresh), [[0, 0], [0, 1]])

    def test_an_unseen_level_has_zeros_and_missing_is_a_level(self) -> None:
        encoder = Encoder(self.training, ["level"], scaled=True)
        assert encoder(self.training).tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        assert encoder(self.fresh).tolist() == [[0, 0, 1], [0, 0, 0]]

    @pytest.mark.parametrize("scaled", [True, False])
    def test_what_never_varies_is_left_out(self, scaled: bool) -> None:
        encoder = Encoder(self.training, ["same", "none", "one"], scaled=scaled)
        assert encoder.width == 0
        assert encoder(self.fresh).tolist() == [[0.0], [0.0]]

    def test_missing_numbers_are_below_all_others_for_trees(self) -> None:
        encoded = Encoder(self.training, ["x"], scaled=False)(self.training)[:, 0]
        assert encoded.tolist()[:2] == [1.0, 3.0]
        assert encoded[2] < -1e20

    def test_rare_levels_beyond_255_have_no_column(self) -> None:
        codes = np.concatenate([np.arange(1, 401), np.arange(146, 401)])
        encoder = Encoder(Records({"a": codes}, {}, len(codes)), ["a"], scaled=False)
        assert encoder.width == 255
        assert encoder(Records({"a": np.array([145, 146])}, {}, 2)).sum(axis=1).tolist() == [0, 1]


@pytest.mark.parametrize("learner", LEARNERS)
class TestLearners:
    def test_predicts_levels_and_numbers_of_fresh_records(self, learner: str) -> None:
        training, fresh = drawn(1), drawn(2)
        levels = fit(training, "t", learner).predict(fresh)
        assert levels.classes.tolist() == [1, 2]
        np.testing.assert_allclose(levels.chances.sum(axis=1), 1)
        assert accuracy(fresh.values("t"), levels.guess) > 0.75
        assert auc(fresh.values("t") == 2, levels.chance_of(2)) > 0.75
        assert r2(fresh.values("y"), fit(training, "y", learner).predict(fresh).guess) > 0.5

    def test_a_seed_repeats(self, learner: str) -> None:
        result = [fit(drawn(1), "t", learner, seed=3, n_jobs=1).predict(drawn(2)) for _ in "ab"]
        np.testing.assert_array_equal(result[0].chances, result[1].chances)

    def test_what_is_tested_leaves_the_model_as_it_is(self, learner: str) -> None:
        model, fresh = fit(drawn(1), "t", learner), drawn(2)
        alone = model.predict(fresh.taken(np.arange(5)))
        strange = fresh.replaced("x", np.where(np.arange(300) > 4, 1e6, fresh.numbers["x"]))
        among = model.predict(strange)
        np.testing.assert_allclose(alone.chances, among.chances[:5], rtol=1e-9)

    def test_one_level_is_always_guessed(self, learner: str) -> None:
        one = Records({"t": np.full(9, 4)}, {"x": np.arange(9.0)}, 9)
        model = fit(one, "t", learner)
        assert model.predict(one).guess.tolist() == [4.0] * 9
        assert model.notes == ("'t' has one level only",)
        assert model.predict(one).chance_of(5).tolist() == [0.0] * 9


def test_records_without_the_number_to_learn_are_left_out() -> None:
    training = drawn(1)
    without = training.replaced("y", np.where(np.arange(300) < 50, NAN, training.numbers["y"]))
    there = training.taken(np.arange(50, 300))
    result = [fit(item, "y", "cart").predict(drawn(2)).guess for item in (without, there)]
    np.testing.assert_array_equal(*result)
    nothing = training.replaced("y", np.full(300, NAN))
    with pytest.raises(NotComputable, match="'y' is missing in every record"):
        fit(nothing, "y", "cart")


def test_what_cannot_be_learnt_is_said_without_values() -> None:
    few = Records({"t": np.array([1, 2])}, {"x": np.array([1.5, 2.5])}, 2)
    with pytest.raises(NotComputable, match="cannot learn 't' with 2 levels from 2 records"):
        fit(few, "t", "network")
    with pytest.raises(StudyError, match="Did you mean 'forest'"):
        fit(few, "t", "forrest")


def test_a_number_to_learn_may_be_of_any_scale() -> None:
    training, fresh = drawn(1), drawn(2)
    small = fit(training, "y", "network").predict(fresh).guess
    large = training.replaced("y", 1e6 + 1e4 * training.numbers["y"])
    np.testing.assert_allclose(fit(large, "y", "network").predict(fresh).guess, 1e6 + 1e4 * small)


def test_a_model_is_fitted_once_per_data_set_and_that_of_the_original_for_all_replicas() -> None:
    shared: dict[object, object] = {}
    first, other = pair(shared=shared), pair(shared=shared)
    original, synthetic, _ = records_of_pair(first)
    of_original = fitted(first, original, "t", "cart", shared=True)
    assert fitted(first, original, "t", "cart", shared=True) is of_original
    assert fitted(other, records_of_pair(other)[0], "t", "cart", shared=True) is of_original
    of_replica = fitted(first, synthetic, "t", "cart")
    assert fitted(first, synthetic, "t", "cart") is of_replica
    assert fitted(other, records_of_pair(other)[1], "t", "cart") is not of_replica
    assert fitted(first, synthetic, "t", "cart", seed=2) is not of_replica
    assert fitted(first, synthetic, "x", "cart") is not of_replica
    assert [part.n for part in records_of_pair(first)] == [80, 80, 80]


class TestFolds:
    def test_a_group_stays_together_and_labels_are_spread(self) -> None:
        rng = np.random.default_rng(1)
        groups, labels = rng.integers(0, 300, 900), rng.integers(0, 3, 300)
        fold = folds(groups, labels[groups], 5, seed=1)
        assert len(set(zip(groups, fold, strict=True))) == len(set(groups.tolist()))
        table = pd.crosstab(fold, labels[groups])
        assert table.shape == (5, 3)
        assert ((table - table.mean()).abs() < 15).all(axis=None)

    def test_copies_of_records_do_not_make_chance_labels_predictable(self) -> None:
        rng = np.random.default_rng(1)
        few = Records({"t": rng.integers(1, 3, 300)}, {"x": rng.normal(size=300)}, 300)
        thrice = few.taken(np.repeat(np.arange(300), 3))
        apart = folds(np.arange(900), thrice.values("t"), 5, seed=1)
        together = folds(thrice.identity, thrice.values("t"), 5, seed=1)
        truth = thrice.values("t")
        assert accuracy(truth, cross_fit(thrice, "t", "cart", fold=apart).guess) > 0.9
        assert accuracy(truth, cross_fit(thrice, "t", "cart", fold=together).guess) < 0.6

    def test_every_record_is_predicted_by_a_model_that_has_not_seen_it(self) -> None:
        records = drawn(1)
        fold = folds(records.identity, records.values("t"), 4, seed=1)
        result = cross_fit(records, "t", "logistic", fold=fold)
        by_hand = fit(records.taken(fold != 2), "t", "logistic").predict(records.taken(fold == 2))
        np.testing.assert_array_equal(result.chances[fold == 2], by_hand.chances)
        assert cross_fit(records, "y", "cart", fold=fold).guess.shape == (300,)


def test_importances_see_what_the_target_hangs_on() -> None:
    fresh = drawn(2, 150)
    model = fit(drawn(1, 150), "y", "forest", columns=["job", "noise", "x", "other"])
    result = permutation_importances(model, fresh, lambda p: r2(fresh.values("y"), p.guess))
    assert result.shape == (4, 5)
    job, noise, x, other = result.mean(axis=1)
    assert min(job, x) > 0.3
    assert max(abs(noise), abs(other)) < 0.05


def test_records_alike_have_one_identity_also_where_values_are_missing() -> None:
    records = Records({"a": np.array([1, 1, 2, 1])}, {"x": np.array([NAN, NAN, NAN, 0.0])}, 4)
    identity = records.identity
    assert identity[0] == identity[1]
    assert len(set(identity.tolist())) == 3


def test_scikit_learn_is_imported_when_something_is_learnt() -> None:
    code = (
        "import sys, sdcmetrics.measures.prediction.learners, sdcmetrics.measures.registry\n"
        "assert not any(name.startswith('sklearn') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("seed", range(3))
def test_records_are_identical_where_they_are_in_every_column(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = {name: rng.integers(-1, 3, 60) for name in "ab"}
    numbers = {"x": rng.choice([0.5, 2.0, np.nan], 60)}
    result = Records(codes, numbers, 60).identity
    rows = [
        (int(a), int(b), str(x))
        for a, b, x in zip(codes["a"], codes["b"], numbers["x"], strict=True)
    ]
    assert (result[:, None] == result).tolist() == [
        [row == other for other in rows] for row in rows
    ]
