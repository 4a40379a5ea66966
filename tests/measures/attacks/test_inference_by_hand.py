"""What the best constant of a replica is right about, counted by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks import inference
from sdcmetrics.measures.attacks.inference import Learner, _constant, infer_target
from sdcmetrics.measures.attacks.people import People
from sdcmetrics.measures.attacks.result import AttackResult


def people(original: list[float], replica: list[float]) -> People:
    """Return original and replica with one number, and a holdout like the original."""
    parts = tuple(np.array(part, dtype=np.float64) for part in (original, replica, original))
    sizes = (len(original), len(replica), len(original))
    return People(codes={}, numbers={"x": parts}, sizes=sizes, fixes=())


@pytest.mark.parametrize(
    ("within", "share"),
    [
        (math.nan, 1 / 4),  # the value that is most frequent in the replica: 9
        (0.0, 1 / 4),
        (1.0, 3 / 4),  # 1, 2 and 3 together are more: all within 1 of 2
        (0.5, 1 / 4),
    ],
)
def test_the_best_constant_has_most_of_the_replica_about_it(within: float, share: float) -> None:
    assert _constant(people([1, 2, 3, 9], [1, 2, 3, 9, 9]), "x", within) == share


def test_a_missing_number_is_nobodys_and_without_numbers_there_is_none() -> None:
    assert _constant(people([1, math.nan], [1, math.nan, math.nan]), "x", 0.0) == 0.5
    assert math.isnan(_constant(people([1, 2], [math.nan]), "x", 0.0))


@pytest.mark.parametrize("learner", ["forest", "cart", "boosting", "nearest"])
@pytest.mark.parametrize(("replica", "right"), [(np.arange(8.0), 0.0), ([math.nan] * 8, 1.0)])
def test_of_a_number_that_everybody_lacks_nothing_but_a_missing_one_is_right(
    learner: Learner, replica: list[float], right: float
) -> None:
    data = people([math.nan] * 6, [*replica])
    codes = tuple(np.arange(len(part)) % 3 for part in data.numbers["x"])
    data = People({"k": codes}, data.numbers, data.sizes, fixes=())

    def infer() -> AttackResult:
        return infer_target(data, target="x", learner=learner, seeds=1, permutations=9, seed=1)

    if right and learner != "nearest":  # models have nothing to learn from
        with pytest.raises(StudyError, match="missing in every record to learn from"):
            infer()
    else:
        result = infer()
        assert (result.training, result.control, result.p_value) == (right, right, 1.0)
        assert result.figures["within"] == 0.0


def test_trees_are_grown_until_few_answers_change(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = iter([10, 12, 12, 12])  # of 40: 2 that change are more than 1/16 of .3 x .7, 0 are not

    class Grown:
        def __init__(self, *_: Any, **__: Any) -> None: ...
        def grow(self, trees: int) -> None: ...
        def closeness(self, truth: Any) -> Any:
            return truth

        def guess(self) -> Any:
            return (np.arange(40) < next(wrong)).astype(float)

    monkeypatch.setattr(inference, "Forest", Grown)
    zeros = np.zeros(20)
    data = People({"k": (zeros.astype(int),) * 3}, {"x": (zeros,) * 3}, (20, 20, 20), fixes=())
    right, _, trees = inference._by_forest(data, ["k"], "x", 0.0, 9, 1)
    assert (right.sum(), trees) == (28, 150)
