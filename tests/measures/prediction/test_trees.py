"""Trees of levels are those that scikit-learn grows from the same seed, vote for vote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.tree import DecisionTreeClassifier

from sdcmetrics.measures.prediction.forest import Forest
from sdcmetrics.measures.prediction.records import Records


def column(rng: np.random.Generator, levels: int, n: int) -> npt.NDArray[np.int64]:
    return rng.integers(0, levels, n)


@pytest.mark.parametrize(
    ("n", "levels", "classes", "seed"),
    [
        (40, (20,), 2, 1),  # one column
        (300, (200, 5, 2), 3, 2),  # one column of three is tried
        (400, (2, 2, 1, 3, 2), 30, 3),  # two of five: constant columns, leaves that are not pure
        (900, (900, 900, 4, 900), 200, 4),  # more values than can be counted in small nodes
        (60, (3, 1, 1, 1, 1, 1, 1, 1, 1, 1), 2, 5),  # nearly all are constant
    ],
)
def test_votes_are_scikit_learns(n: int, levels: tuple[int, ...], classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(len(levels))]
    first = column(rng, levels[0], n)
    t = (first * classes // levels[0] + column(rng, 3, n)) % classes
    records = Records(
        {name: column(rng, k, n) for name, k in zip(names, levels, strict=True)} | {"t": t}, {}, n
    )
    records.codes["x0"][:] = first
    queries = Records(
        {name: column(rng, k + 2, 2 * n) for name, k in zip(names, levels, strict=True)}, {}, 2 * n
    )
    forest = Forest(records, "t", names, queries, seed=seed)
    forest.grow(3)
    again = Forest(records, "t", names, queries, seed=seed)
    drawn, counts = again._rng, again._counts
    expected = np.zeros_like(again._votes)
    for _ in range(3):
        weights = drawn.multinomial(n, counts / n).astype(np.float64)
        x, asked = again._reordered(drawn)
        tree = DecisionTreeClassifier(
            max_features="sqrt", random_state=int(drawn.integers(2**31))
        ).fit(x.T, again._values, sample_weight=weights)
        expected += tree.predict_proba(asked.T)
    assert forest._votes.sum() == pytest.approx(3 * len(expected))
    assert forest._votes.tolist() == expected.tolist()


def test_a_split_that_gains_nothing_by_itself_is_made() -> None:
    a, b = np.tile([0, 0, 1, 1], 10), np.tile([0, 1, 0, 1], 10)
    records = Records({"a": a, "b": b, "t": a ^ b}, {}, 40)
    forest = Forest(records, "t", ["a", "b"], records, seed=1)
    forest.grow(20)
    assert forest.guess().tolist() == (a ^ b).tolist()
