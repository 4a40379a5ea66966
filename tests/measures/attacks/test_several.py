"""Several syntheses of one replica: whoever has them all attacks with all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import Study, conduct, exact_matches
from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks.intervals import excess_interval
from tests.measures.attacks.populations import drawn, three
from tests.measures.attacks.test_attacks import Attack, every


@every
def test_a_list_is_attacked_as_a_whole_and_file_by_file(attack: Attack) -> None:
    original, holdout, first = three(3)
    second = drawn(np.random.default_rng(99), 120)
    both = attack(original, [first, second], holdout)
    assert both.n_synthetic == len(first) + len(second)
    alone = [attack(original, item, holdout) for item in (first, second)]
    if both.attack == "linkability":
        by_either = np.maximum(alone[0].per_record, alone[1].per_record)
        np.testing.assert_array_equal(both.per_record, by_either)
        assert both.training == by_either.mean()
        assert both.control >= max(item.control for item in alone)
        assert both.baseline == max(item.baseline for item in alone)
    elif both.attack == "singling out":
        counts = [item.figures["descriptions"] for item in alone]
        assert both.figures["descriptions"] == sum(counts)
        np.testing.assert_array_equal(both.per_record, sum(item.per_record for item in alone))
        for name in ("training", "control"):
            mean = np.average([getattr(item, name) for item in alone], weights=counts)
            assert getattr(both, name) == pytest.approx(mean)
    else:
        stacked = attack(original, pd.concat([first, second], ignore_index=True), holdout)
        assert (both.training, both.control, both.p_value) == pytest.approx(
            (stacked.training, stacked.control, stacked.p_value)
        )
    assert [part.p_value for part in both.per_synthesis] == [item.p_value for item in alone]
    assert attack(original, [first], holdout).per_synthesis == ()


@every
def test_a_copy_in_several_files_is_no_safer_than_one(attack: Attack) -> None:
    original, holdout, _ = three(3)
    alone, several = (attack(original, files, holdout) for files in (original, [original] * 3))
    assert several.training >= alone.training - 1e-12
    assert several.p_value == pytest.approx(alone.p_value, abs=0.01)


@every
def test_an_empty_list_is_refused(attack: Attack) -> None:
    original, holdout, _ = three(1)
    with pytest.raises(DataError, match="empty list"):
        attack(original, [], holdout)


def test_people_spread_over_files_are_found_together_and_in_no_file_alone() -> None:
    original, holdout, fresh = three(5, n=400, h=400)
    files = [pd.concat([original[2 * i : 2 * i + 2], fresh[i::8]]) for i in range(8)]
    both = exact_matches(original, files, holdout)
    assert min(part.p_value for part in both.per_synthesis) > 0.1
    assert both.p_value < 0.001


def test_a_record_that_is_unique_in_one_file_counts_though_all_files_have_it() -> None:
    original, holdout, _ = three(5)
    whole = exact_matches(original, [original, original], holdout, unique_in_replica=True)
    assert whole.figures["matched"][0] == whole.per_synthesis[0].figures["matched"][0] > 100


def test_files_of_several_types_come_to_one_codebook() -> None:
    original, holdout, _ = three(5)
    other = original.astype({"age": str, "region": "category"})
    result = exact_matches(original, [original[:50], other[50:]], holdout)
    unique = result.figures["unique"][0]
    assert result.figures["matched"][0] >= 0.9 * unique


def test_a_review_tests_all_files_of_a_replica_once() -> None:
    original, holdout, fresh = three(5, n=400, h=400)
    files = [pd.concat([original[2 * i : 2 * i + 2], fresh[i::8]]) for i in range(8)]
    study = Study(
        original,
        {"spread": files},
        holdout=holdout,
        keys=["age", "region"],
        targets=["job"],
        attacks={"kinds": ["exact matches"]},
        ways=(1,),
        candidates=0,
        permutations=9,
        perturbed=(),
    )
    rows = conduct(study).to_frame()
    p = rows[rows["metric"].str.contains("p_value|matches_p", regex=True)]
    whole = exact_matches(original, files, holdout).p_value
    values = p.loc[p["synthesis"].isna(), "value"]
    assert any(abs(value - whole) < 1e-12 for value in values)


def test_the_interval_is_of_the_unique_records_of_either_file() -> None:
    original = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 7]})  # six are unique
    holdout = pd.DataFrame({"x": [11, 12, 13, 14]})
    replica = pd.DataFrame({"x": [1, 2, 3, 7, 11]})
    result = exact_matches(original, replica, holdout)
    assert (result.training, result.control) == (3 / 6, 1 / 4)
    assert result.seed is None  # nothing is drawn
    assert result.interval == excess_interval(3 / 6, 6, 1 / 4, 4)
    assert result.interval != excess_interval(3 / 6, 4, 1 / 4, 4)
