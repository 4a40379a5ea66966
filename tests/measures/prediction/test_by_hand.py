"""Areas of few records, trees of a forest, and learners that do not converge."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction import forest
from sdcmetrics.measures.prediction import trained as module
from sdcmetrics.measures.prediction.forest import Forest
from sdcmetrics.measures.prediction.learners import _learn
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import _delong
from sdcmetrics.measures.prediction.trained import _MANY_LEVELS, _fresh, usual_learners
from sdcmetrics.measures.survey.households import Households


def test_the_variance_of_a_difference_of_areas_by_hand() -> None:
    positive = np.array([True, True, False, False, False])
    first, other = np.array([0.9, 0.4, 0.5, 0.5, 0.1]), np.array([0.6, 0.2, 0.7, 0.1, 0.2])
    # how many of the other side are below: 3 and 1 before, 2 and 1.5 after, of three
    of_positive = np.array([2 - 3, 1.5 - 1]) / 3
    # of two: 1 1 0 are before below, and after 0 2 1.5; turned round
    of_negative = np.array([2 - 1, 0 - 1, 0.5 - 0]) / 2
    expected = of_positive.var(ddof=1) / 2 + of_negative.var(ddof=1) / 3
    assert _delong(positive, first, other) == pytest.approx(expected)
    one = np.array([True, False, False, False, False])
    gained = np.array([1, 0, 0, 0]) - np.array([0, 0, 0, 0])
    assert _delong(one, first, other) == pytest.approx(gained.var(ddof=1) / 4)


@pytest.mark.parametrize(
    ("target", "kind", "most"),
    [("t", DecisionTreeClassifier, "sqrt"), ("y", DecisionTreeRegressor, None)],
)
def test_trees_of_levels_look_at_some_columns(
    target: str, kind: type, most: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Any]] = []
    tree_of = forest.tree_of

    def noted(*, is_number: bool) -> Any:
        maker = tree_of(is_number=is_number)

        def make(**options: Any) -> Any:
            made.append(options)
            tree = maker(**options)
            assert isinstance(tree, kind)
            return tree

        return make

    monkeypatch.setattr(forest, "tree_of", noted)
    n = np.arange(40)
    records = Records({"a": n % 4, "t": n % 2}, {"y": n / 7.0}, 40)
    Forest(records, target, ["a"], records, seed=1).grow(5)
    assert [options["max_features"] for options in made] == [most] * 5
    assert len({options["random_state"] for options in made}) == 5


class Model:
    def __init__(self, what: str) -> None:
        self.what = what

    def fit(self, _: np.ndarray, y: np.ndarray) -> None:
        if self.what == "raises":
            raise ValueError(y)
        category = {"converges": UserWarning, "fails": ConvergenceWarning}[self.what]
        warnings.warn("what", category, stacklevel=1)


@pytest.mark.parametrize(("classes", "levels"), [((), ""), ((0, 1, 2), " with 3 levels")])
def test_what_does_not_converge_is_noted_and_what_cannot_be_learnt_is_said(
    classes: tuple[int, ...], levels: str
) -> None:
    asked: list[bool] = []

    def learnt(what: str) -> tuple[str, ...]:
        def model(*, numeric: bool, **_: Any) -> Model:
            asked.append(numeric)
            return Model(what)

        learner = SimpleNamespace(words="a net", model=model)
        return _learn(("t", None, learner, 1, 7, classes, None, None), np.zeros(1), np.zeros(1))[1]

    assert learnt("converges") == ()
    assert learnt("fails") == ("a net did not converge for 't'",)
    with pytest.raises(NotComputable, match=f"^a net cannot learn 't'{levels} from 7 records$"):
        learnt("raises")
    assert set(asked) == {not classes}


@pytest.mark.parametrize(("more", "learners"), [(0, ["logistic", "tree"]), (1, ["tree"])])
def test_the_levels_of_the_original_decide_who_learns(more: int, learners: list[str]) -> None:
    levels = _MANY_LEVELS + more
    original = pd.DataFrame({"t": [f"level {i % levels}" for i in range(3 * levels)]})
    original["x"] = np.arange(len(original)) % 7
    replica = original.assign(t=[f"level {i % 2}" for i in range(len(original))])
    result = sdc.prediction(original, replica, targets="t", permutations=0)
    assert result.table["learner"].tolist() == learners
    assert list(usual_learners(0)) == ["logistic", "tree"]


class Numbered:
    """Records of which it is known which ones were taken."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows, self.n = rows, len(rows)

    def taken(self, which: np.ndarray) -> Numbered:
        return Numbered(self.rows[which])


@pytest.mark.parametrize(("n", "of_replica", "size"), [(8, 9, 4), (9, 9, 4), (9, 4, 4), (9, 3, 3)])
def test_halves_share_no_record_and_are_as_large_as_what_is_beside_them(
    n: int, of_replica: int, size: int
) -> None:
    originals: list[np.ndarray] = []
    replicas: list[np.ndarray] = []

    def score_of(seen: list[np.ndarray]) -> Any:
        def score(records: Numbered) -> float:
            seen.append(records.rows)
            return float(records.rows.sum())

        return score

    original: Any = Numbered(2 ** np.arange(n))
    replica: Any = Numbered(1000 + np.arange(of_replica))
    scores = score_of(originals), score_of(replicas)
    between, to_replica = _fresh(original, replica, *scores, 1)
    assert {len(rows) for rows in originals + replicas} == {size}
    halves = list(zip(originals[::2], originals[1::2], strict=True))
    assert all(len({*first, *other}) == 2 * size for first, other in halves)
    gaps = [other.sum() - first.sum() for first, other in halves]
    assert min(gaps) < 0 < max(gaps)
    assert between == np.abs(gaps).mean()
    beside = [part.sum() - first.sum() for part, (first, _) in zip(replicas, halves, strict=True)]
    assert to_replica == np.mean(beside)


def people(n: int, first: int) -> pd.DataFrame:
    """Two to a household, whose first is numbered so; what is learnt follows from x."""
    x = np.arange(n) % 5
    return pd.DataFrame({"y": np.where(x > 1, "a", "b"), "x": x, "h": first + np.arange(n) // 2})


def test_labels_of_whole_households_of_those_who_are_learnt_from_are_exchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sides: list[tuple[np.ndarray, ...]] = []
    order = Households.order

    def watched(self: Households, rng: np.random.Generator) -> Any:
        sides.append(tuple(np.split(self.number, [self.n])))
        return order(self, rng)

    monkeypatch.setattr(Households, "order", watched)
    sdc.prediction(
        people(30, 0),
        people(20, 100),
        people(20, 200),
        targets="y",
        learners="tree",
        household="h",
        permutations=1,
    )
    ((first, second),) = sides
    assert not {*first} & {*second}
    for side in (first, second):  # ten whole households of either
        assert np.unique(side, return_counts=True)[1].tolist() == [2] * 10


def test_households_are_set_aside_without_a_holdout_too() -> None:
    files = people(30, 0), people(20, 100)
    given = {"targets": "y", "learners": "tree", "permutations": 0}
    table = sdc.prediction(*files, household="h", **given).table
    assert table["n_training"].tolist() == [20]
    assert "it was made of" in table["note"][0]


def test_whole_households_of_the_original_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[np.ndarray] = []
    fitted = module.fitted

    def watched(pair: Any, records: Records, *rest: Any, **given: Any) -> Any:
        learnt.append(records.numbers["i"])
        return fitted(pair, records, *rest, **given)

    monkeypatch.setattr(module, "fitted", watched)
    files = [people(n, first).assign(i=first + np.arange(n)) for n, first in ((30, 0), (20, 900))]
    table = sdc.prediction(
        *files, files[0], targets="y", learners="tree", household="h", permutations=0
    ).table
    assert table["n_training"].tolist() == [20]
    rows = learnt[0].astype(int)
    assert len(rows) == 20
    assert np.unique(rows // 2, return_counts=True)[1].tolist() == [2] * 10
    assert max(rows) >= 20  # ten of fifteen households, drawn at random


def test_who_lives_together_is_known_of_those_who_are_learnt_from() -> None:
    number = np.append(np.arange(30) // 2, 100 + np.arange(20) // 2)
    files = [Records({}, {"h": part.astype(float)}, len(part)) for part in np.split(number, [30])]
    *parts, drawn = module._samples(
        files[0], files[1], 20, Households(number, 30), np.random.default_rng(1)
    )
    assert drawn is not None
    assert drawn.n == 20
    assert drawn.number.tolist() == [*parts[0].numbers["h"], *parts[1].numbers["h"]]
