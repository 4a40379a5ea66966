"""What holds of every attack: a copy is the worst, the holdout is nobody."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import (
    AttackResult,
    attribute_inference,
    exact_matches,
    linkability,
    membership,
    singling_out,
)
from sdcmetrics.errors import ColumnError, DataError, StudyError
from sdcmetrics.measures.attacks.membership import infer_membership
from sdcmetrics.measures.attacks.people import people
from sdcmetrics.measures.attacks.singling_out import single_out
from tests.measures.attacks.populations import drawn, three

Attack = Callable[..., AttackResult]

ATTACKS: dict[str, Attack] = {
    "membership": membership,
    "singling out": partial(singling_out, columns=3, permutations=199),
    "linkability": partial(
        linkability, keys=["age", "region"], other_keys=["income", "job"], permutations=199
    ),
    "inference": partial(attribute_inference, target="income", learner="nearest", permutations=199),
    "tree": partial(attribute_inference, target="job", learner="cart"),
    "matches": exact_matches,
}
every = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())


@every
def test_a_verbatim_copy_is_found(attack: Attack) -> None:
    original, holdout, _ = three(1)
    result = attack(original, original, holdout)
    assert result.p_value <= 0.01
    assert result.training > result.control
    if not np.isnan(result.copy):
        assert result.training == pytest.approx(result.copy)
    assert len(result.per_record) == len(original)


@every
def test_an_independent_replica_is_found_as_often_as_the_level_says(attack: Attack) -> None:
    values = [attack(o, s, h).p_value for o, h, s in map(three, range(25))]
    # Binomial(25, 5 %): seven or more in one of 5,000 cases.
    assert sum(p <= 0.05 for p in values) <= 6


@every
def test_people_and_rows_in_another_order_and_text_as_categories_give_the_same(
    attack: Attack,
) -> None:
    original, holdout, replica = three(3)
    rng = np.random.default_rng(0)
    texts = ["region", "job", "sex"]
    again = [
        frame.iloc[rng.permutation(len(frame))].astype(dict.fromkeys(texts, "category"))
        for frame in (original, replica, holdout)
    ]
    first, other = attack(original, replica, holdout), attack(*again)
    assert (first.training, first.control) == pytest.approx((other.training, other.control))


@every
def test_what_cannot_be_attacked_is_said(attack: Attack) -> None:
    original, _, replica = three(4)
    with pytest.raises(DataError, match="cannot be done afterwards"):
        attack(original, replica, None)
    for files in (replica, [replica, replica]):
        with pytest.raises(DataError, match=r"^holdout holds the same records as original"):
            attack(original, files, original)


@every
def test_tiny_data_have_an_answer(attack: Attack) -> None:
    rng = np.random.default_rng(5)
    result = attack(drawn(rng, 3), drawn(rng, 1), drawn(rng, 2))
    assert 0 <= result.training <= 1 or np.isnan(result.training)
    assert result.p_value > 0.05 or np.isnan(result.p_value)


def test_nine_leaked_outliers_are_found_among_the_nearest_and_not_by_the_auc() -> None:
    rng = np.random.default_rng(6)
    original, holdout, replica = drawn(rng, 600), drawn(rng, 600), drawn(rng, 600)
    odd = original.assign(age=np.where(original.index < 9, 200 + original.index, original["age"]))
    leaked = pd.concat([replica, odd.head(9)])
    result = membership(odd, leaked, holdout)
    assert result.figures["p_auc"] > 0.05
    assert result.p_value <= 0.05
    assert result.figures["at_distance_0"][0] >= 9


def test_controls_of_unequal_size_do_not_accuse_fresh_people_of_being_single() -> None:
    rng = np.random.default_rng(7)
    excess = [
        singling_out(
            drawn(rng, 300), drawn(rng, 300), drawn(rng, 60), columns=2, permutations=9
        ).excess
        for _ in range(24)
    ]
    assert abs(np.mean(excess)) < 0.05  # three standard errors; its parts are .25 and .40


def test_a_replica_that_knows_the_population_teaches_nothing_about_its_people() -> None:
    rng = np.random.default_rng(8)

    def people(n: int) -> pd.DataFrame:
        frame = drawn(rng, n)
        return frame.assign(vote=np.where(frame["age"] > 50, "yes", "no"))

    result = attribute_inference(
        people(300), people(300), people(200), target="vote", learner="cart"
    )
    assert min(result.training, result.control) > 0.95
    assert result.baseline < 0.7
    assert result.p_value > 0.05


@pytest.mark.parametrize("learner", ["forest", "boosting"])
def test_a_seed_repeats_a_model(learner: str) -> None:
    original, holdout, replica = three(9, 80, 60, 80)
    first, other = (
        attribute_inference(
            original,
            replica,
            holdout,
            target="income",
            learner=learner,  # type: ignore[arg-type]
            seeds=1,
            seed=4,
        )
        for _ in range(2)
    )
    assert first.per_record.tolist() == other.per_record.tolist()


def test_options_that_cannot_be_are_refused() -> None:
    original, holdout, replica = three(10, 30, 20, 30)
    data = (original, replica, holdout)
    with pytest.raises(StudyError, match="without a common one"):
        linkability(*data, keys=["age"], other_keys=["age"])
    with pytest.raises(StudyError, match="learner"):
        attribute_inference(*data, target="age", learner="svm")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="from 1 to 5"):
        singling_out(*data, columns=6)
    with pytest.raises(ColumnError, match="agee"):
        attribute_inference(*data, target="agee", keys=["sex"])
    with pytest.raises(StudyError, match="none of the columns"):
        exact_matches(*data, variables=["agee"])
    with pytest.raises(StudyError, match="seeds: expected a whole number of at least 1"):
        attribute_inference(*data, target="age", seeds=0)
    with pytest.raises(StudyError, match="at least one column beside the target"):
        attribute_inference(*data, target="age", keys=[])
    for columns in (0, 6):
        with pytest.raises(StudyError, match=f"from 1 to 5 but got {columns}"):
            singling_out(*data, columns=columns)
    with pytest.raises(StudyError, match="permutations: expected a whole number of at least 1"):
        single_out(people(*data), columns=1, permutations=0, seed=1)
    assert single_out(people(*data), columns=1, permutations=1, seed=1).p_value in {0.5, 1.0}
    empty = replica.assign(income=np.nan)
    with pytest.raises(StudyError, match="target: "):
        attribute_inference(original, empty, holdout, target="income", learner="cart")


def test_a_forest_grows_until_more_trees_change_nothing_whoever_was_in_the_original() -> None:
    original, holdout, replica = three(11, 150, 150, 300)
    few = attribute_inference(original, replica, holdout, target="sex", seeds=1)
    assert few.figures["trees"] == 50
    ours, swapped = (
        attribute_inference(*sets, target="job", keys=["age", "region"], seeds=40)
        for sets in ((original, replica, holdout), (holdout, replica, original))
    )
    assert 50 < ours.figures["trees"] == swapped.figures["trees"] < 2_000
    assert (ours.training, ours.control) == (swapped.control, swapped.training)
    assert set(ours.per_record) <= {0.0, 1.0}


def test_a_forest_that_learns_a_copy_is_right_about_the_copied() -> None:
    original, holdout, _ = three(12, 200, 200, 1)
    for target in ("job", "income"):
        result = attribute_inference(original, original, holdout, target=target)
        assert result.training > 0.95 or target == "income"
        assert result.p_value < 1e-3
        assert result.training > result.control + 0.05


def test_a_copy_is_0_from_itself_and_holds_all_that_a_search_finds() -> None:
    original, holdout, _ = three(13, 120, 80, 1)
    data = people(original, original, holdout)
    searched, at_once = (infer_membership(item, seed=1) for item in (data, data.copied()))
    assert at_once.per_record.tolist() == searched.per_record.tolist()
    asked = [each.figures.pop("p_belonging") for each in (searched, at_once)]
    assert np.isnan(asked).tolist() == [False, True]  # of a copy it has been asked
    assert at_once.figures == searched.figures
    assert (at_once.training, at_once.p_value) == (searched.training, searched.p_value)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_membership_holds_its_excess(seed: int) -> None:
    original, holdout, replica = three(seed)
    for synthetic in (replica, original):
        result = membership(original, synthetic, holdout)
        low, high = result.interval
        assert -1 <= low <= result.excess <= high <= 1
