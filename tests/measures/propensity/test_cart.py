"""Trees beside a slow tree written from the definition, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.propensity import growing, tree_columns
from sdcmetrics.measures.propensity.cart import Tree, TreeRules, grow
from sdcmetrics.measures.propensity.predictors import Predictor, Scale
from sdcmetrics.measures.propensity.tree_columns import code_columns


def number(name: str, values: Any) -> Predictor:
    return Predictor(name, name, Scale.NUMBER, np.asarray(values, dtype=float))


def levels(name: str, codes: Any) -> Predictor:
    distinct, code = np.unique(codes, return_inverse=True)
    labels = tuple(str(value) for value in distinct)
    return Predictor(name, name, Scale.LEVELS, code.astype(float), labels)


def slow_splits(predictor: Predictor, rows: Any, target: Any) -> Any:
    """Yield the records that go left, for every candidate in order."""
    values = predictor.values[rows]
    present = sorted(set(values.tolist()))
    if predictor.scale is Scale.LEVELS:
        share = {v: np.mean(target[rows][values == v] == 0) for v in present}
        present.sort(key=lambda v: share[v])
    for i in range(1, len(present)):
        yield np.isin(values, present[:i])


def gini(target: Any) -> float:
    return len(target) * 2 * np.mean(target) * (1 - np.mean(target)) if len(target) else 0.0


def wrong(rows: Any, target: Any) -> int:
    return int(min(target[rows].sum(), len(rows) - target[rows].sum()))


def slow_best(predictors: Any, target: Any, rows: Any, fewest: int) -> Any:
    best, chosen = 1e-9, None
    for predictor in predictors:
        for left in slow_splits(predictor, rows, target):
            a, b = rows[left], rows[~left]
            decrease = gini(target[rows]) - gini(target[a]) - gini(target[b])
            if min(len(a), len(b)) >= fewest and decrease > best + 1e-9:
                best, chosen = decrease, (a, b)
    return chosen


def slow_node(
    predictors: Any, target: Any, rules: TreeRules, alpha: float, rows: Any, depth: int = 0
) -> Any:
    errors = wrong(rows, target)
    leaf = {"rows": rows, "wrong": errors, "below": errors, "splits": 0, "each": 0.0}
    if len(rows) < rules.minsplit or errors <= alpha or depth == 30:
        return leaf
    chosen = slow_best(predictors, target, rows, rules.minbucket)
    if chosen is None:
        return leaf
    sides = [slow_node(predictors, target, rules, alpha, part, depth + 1) for part in chosen]
    below = sum(side["below"] for side in sides)
    splits = 1 + sum(side["splits"] for side in sides)
    each = (errors - below) / splits
    for side in sorted(sides, key=lambda side: side["each"]):
        if each > side["each"]:
            below += side["wrong"] - side["below"]
            splits -= side["splits"]
            each = (errors - below) / splits
    if each <= alpha:
        return leaf
    return leaf | {"below": below, "splits": splits, "each": each, "sides": sides}


def slow_tree(predictors: Any, target: Any, rules: TreeRules) -> list[tuple[int, int]]:
    """Leaves (records, synthetic records) of the pruned tree."""
    alpha = rules.cp * min(target.sum(), len(target) - target.sum())

    def leaves(node: Any) -> Any:
        if "sides" not in node:
            return [(len(node["rows"]), int(target[node["rows"]].sum()))]
        return [pair for side in node["sides"] for pair in leaves(side)]

    return sorted(leaves(slow_node(predictors, target, rules, alpha, np.arange(len(target)))))


def fast_leaves(tree: Tree) -> list[tuple[int, int]]:
    pairs = zip(tree.n[tree.leaves].tolist(), tree.synthetic[tree.leaves].tolist(), strict=True)
    return sorted(pairs)


@pytest.mark.parametrize("few_values", [256, 3], ids=["counted", "ranked"])
@pytest.mark.parametrize("seed", range(12))
def test_a_tree_equals_the_slow_one(
    seed: int, few_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_columns, "_FEW_VALUES", few_values)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    target = (rng.random(n) < (0.4, 0.7)[seed % 2]).astype(np.int8)  # fewer or more synthetic
    predictors = [
        number("x", rng.normal(size=n) + 0.5 * target),
        number("y", rng.normal(size=n).round(1)),
        levels("f", rng.integers(0, 6, n)),
    ]
    rules = TreeRules(cp=float(rng.choice([0.0, 0.01, 0.05])), minbucket=int(rng.choice([1, 5])))
    tree = grow(code_columns(predictors), target, rules)
    # Exact ties may be decided otherwise by the slow tree's order of operations.
    assert fast_leaves(tree) == slow_tree(predictors, target, rules)


small = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.booleans()), min_size=20, max_size=60
).filter(lambda rows: 0 < sum(t for *_, t in rows) < len(rows))


@settings(max_examples=60, deadline=None, database=None)
@given(small, st.randoms(use_true_random=False))
def test_the_order_of_records_and_the_names_of_levels_do_not_matter(rows: Any, random: Any) -> None:
    def leaves_of(rows: Any, names: dict[str, str]) -> list[tuple[int, int]]:
        x, f, t = zip(*rows, strict=True)
        predictors = [number("x", x), levels("f", [names[level] for level in f])]
        target = np.array(t, dtype=np.int8)
        return fast_leaves(grow(code_columns(predictors), target, TreeRules(0.0, 2)))

    shuffled = list(rows)
    random.shuffle(shuffled)
    same = leaves_of(rows, {"a": "a", "b": "b", "c": "c"})
    assert leaves_of(shuffled, {"a": "first", "b": "second", "c": "third"}) == same


def test_the_smaller_child_must_have_minbucket_records() -> None:
    x = number("x", [0] * 4 + [1] * 26)
    target = np.array([1] * 4 + [0] * 14 + [1] * 12, dtype=np.int8)
    assert len(grow(code_columns([x]), target, TreeRules(0.0, 5)).leaves) == 1
    assert len(grow(code_columns([x]), target, TreeRules(0.0, 4)).leaves) == 2


@pytest.mark.parametrize("fewest", [0, -5])
def test_a_leaf_without_records_is_refused(fewest: int) -> None:
    with pytest.raises(StudyError, match="minbucket: expected at least 1"):
        TreeRules(minbucket=fewest)
    assert TreeRules(minbucket=1).minsplit == 3


def test_the_values_that_go_left_can_be_read() -> None:
    f = levels("f", list("aabbccdd") * 4)
    target = np.array([1, 1, 0, 0, 1, 1, 0, 0] * 4, dtype=np.int8)
    tree = grow(code_columns([f]), target, TreeRules())
    assert tree.goes_left[0].tolist() in ([1, 3], [0, 2])
    assert tree.decrease[0] == pytest.approx(gini(target))


@pytest.mark.parametrize("sizes", [(70_000,), (40_000, 30_000), (60_000, 5_000)])
def test_codes_of_many_levels_do_not_wrap(sizes: tuple[int, ...]) -> None:
    codes = [np.arange(70_000) % size for size in sizes]
    columns = code_columns(
        [Predictor("x", "x", Scale.LEVELS, code.astype(float), ("",) * len(code)) for code in codes]
    )
    for code, bins, start in zip(codes, columns.bins.T, columns.start, strict=False):
        assert (bins == start + code).all()
    assert columns.bins.itemsize == (2 if sum(sizes) == 65_000 else 4)


@pytest.mark.traced
@pytest.mark.parametrize("number", [1, 2, 3, 7, 49, 64, 65])
def test_many_levels_are_in_the_order_of_their_shares_and_equal_ones_in_their_own(
    number: int,
) -> None:
    for levels_of_share in (3, 1000):
        share = np.random.default_rng(number).integers(0, levels_of_share, number) / 7.0
        order = growing._in_order.py_func(share, number)  # type: ignore[attr-defined]
        assert order.tolist() == np.argsort(share, kind="stable").tolist()
