"""The loops of trees as plain Python, where an index beyond an array is an error."""

from __future__ import annotations

import importlib.util
from typing import Any

import numba
import numpy as np
import pytest

from sdcmetrics.measures.propensity import cart, growing, tree_columns
from sdcmetrics.measures.propensity.cart import Tree, TreeRules
from sdcmetrics.measures.propensity.predictors import Predictor, Scale
from sdcmetrics.measures.propensity.tree_columns import code_columns
from sdcmetrics.microdata import compiled

DEEPEST = 30
WHOLE = -1.0
"""A cp for which every split pays: the tree is grown to the end."""


def number(values: Any) -> Predictor:
    return Predictor("x", "x", Scale.NUMBER, np.asarray(values, dtype=float))


def levels(codes: Any) -> Predictor:
    distinct, code = np.unique(codes, return_inverse=True)
    return Predictor("f", "f", Scale.LEVELS, code.astype(float), tuple(map(str, distinct)))


@pytest.fixture(scope="module")
def plain() -> Any:
    """Loops that are not compiled."""
    spec = importlib.util.spec_from_file_location("plain_growing", growing.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba, "njit", lambda **_: lambda function: function)
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def _plain(plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "compiled", lambda *_: plain.grow_nodes)


pytestmark = [pytest.mark.traced, pytest.mark.usefixtures("_plain")]


def grow(predictors: Any, target: Any, **rules: Any) -> Tree:
    return cart.grow(
        code_columns(predictors), np.asarray(target, dtype=np.int8), TreeRules(**rules)
    )


def in_order(predictor: Predictor, rows: Any, target: Any) -> Any:
    """The values of a node's records in the order in which they go left."""
    distinct, code = np.unique(predictor.values[rows], return_inverse=True)
    if predictor.scale is Scale.LEVELS:
        share = np.bincount(code, target[rows] == 0) / np.bincount(code)
        return distinct[np.argsort(share, kind="stable")]
    return distinct


def first_best(predictors: Any, target: Any, rows: Any, fewest: int) -> Any:
    """Decrease, predictor and values that go left of the first candidate that no other exceeds.

    Of candidates of one column with the same decrease, whose rest is less pure by rounding only.
    """
    n, n_1 = len(rows), int(target[rows].sum())
    p0, p1 = (n - n_1) / n, n_1 / n
    whole = n * (p0 * (1 - p0)) + n * (p1 * (1 - p1))
    best: Any = (0.0, -1, ())
    for p, predictor in enumerate(predictors):
        values = in_order(predictor, rows, target)
        own: Any = (0.0, -1, ())
        least = 0.0
        for i in range(1, len(values)):
            left = np.isin(predictor.values[rows], values[:i])
            a, b = int(left.sum()), int((~left).sum())
            if min(a, b) < fewest:
                continue
            a1 = int(target[rows][left].sum())
            p0, p1, q0, q1 = (a - a1) / a, a1 / a, (b - (n_1 - a1)) / b, (n_1 - a1) / b
            rest = a * (p0 * (1 - p0)) + b * (q0 * (1 - q0))
            rest = rest + a * (p1 * (1 - p1)) + b * (q1 * (1 - q1))
            if whole - rest > own[0] or (own[1] >= 0 and whole - rest == own[0] and rest < least):
                own, least = (whole - rest, p, tuple(sorted(values[:i]))), rest
        if own[0] > best[0]:
            best = own
    return best


def checked(tree: Tree, predictors: Any, target: Any, minbucket: int) -> int:
    """Compare a whole tree with the definition, node by node; return its depth."""
    target = np.asarray(target)
    waiting, deepest = [(0, np.arange(len(target)), 0)], 0
    while waiting:
        node, rows, depth = waiting.pop()
        deepest = max(deepest, depth)
        assert (tree.n[node], tree.synthetic[node]) == (len(rows), target[rows].sum())
        decrease, p, values = first_best(predictors, target, rows, minbucket)
        if len(rows) < 3 * minbucket or depth == DEEPEST or p < 0:
            assert tree.left[node] == -1
            continue
        split = tree.decrease[node], tree.position[node]
        assert split == (decrease, p)
        column = predictors[p].values
        going = np.unique(column)[tree.goes_left[node]]
        assert set(np.unique(column[rows])) & set(going) == set(values)
        left = np.isin(column[rows], values)
        child = int(tree.left[node])
        waiting += [(child, rows[left], depth + 1), (child + 1, rows[~left], depth + 1)]
    return deepest


def pruned(tree: Tree, alpha: float, node: int = 0) -> tuple[int, int, float, Any]:
    """Errors below a node once pruned, splits, errors saved by each, and the leaves."""
    wrong = int(min(tree.synthetic[node], tree.n[node] - tree.synthetic[node]))
    leaf = wrong, 0, 0.0, [(int(tree.n[node]), int(tree.synthetic[node]))]
    if tree.left[node] < 0 or wrong <= alpha:
        return leaf
    sides = [pruned(tree, alpha, int(tree.left[node]) + i) for i in (0, 1)]
    whole = [pruned(tree, np.inf, int(tree.left[node]) + i)[0] for i in (0, 1)]
    below, splits = sides[0][0] + sides[1][0], 1 + sides[0][1] + sides[1][1]
    for i in sorted((0, 1), key=lambda i: sides[i][2]):
        if (wrong - below) / splits > sides[i][2]:
            below, splits = below + whole[i] - sides[i][0], splits - sides[i][1]
    each = (wrong - below) / splits
    return (below, splits, each, sides[0][3] + sides[1][3]) if each > alpha else leaf


def gini(label: Any) -> float:
    return float(2 * label.sum() * (1 - label.mean()))


def some_predictors(rng: Any, target: Any) -> list[Predictor]:
    n = len(target)
    kinds = [
        lambda: number(rng.normal(size=n) + 0.5 * target),
        lambda: number((rng.normal(size=n) + 0.3 * target).round(int(rng.integers(0, 2)))),
        lambda: levels(rng.integers(0, rng.choice([2, 3, 6, 12]), n)),
        lambda: levels(rng.permutation(n) % rng.choice([55, 80])),
        lambda: number(np.ones(n)),
    ]
    return [kinds[int(rng.integers(0, len(kinds)))]() for _ in range(int(rng.integers(1, 5)))]


@pytest.mark.parametrize("seed", range(60))
def test_whole_trees_split_by_the_first_best_candidate_and_pruned_ones_are_parts_of_them(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_columns, "_FEW_VALUES", (256, 3)[seed % 2])
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 160))
    target = (rng.random(n) < rng.choice([0.05, 0.3, 0.5, 0.7, 0.95])).astype(np.int8)
    target[:2] = 0, 1
    predictors = some_predictors(rng, target)
    minbucket = int(rng.choice([1, 2, 5]))
    tree = grow(predictors, target, cp=WHOLE, minbucket=minbucket)
    checked(tree, predictors, target, minbucket)
    for cp in (0.0, 0.02, 0.05, 0.08, 0.12, 0.3):
        part = grow(predictors, target, cp=cp, minbucket=minbucket)
        leaves = zip(
            part.n[part.leaves].tolist(), part.synthetic[part.leaves].tolist(), strict=True
        )
        *_, expected = pruned(tree, cp * min(target.sum(), n - target.sum()))
        assert sorted(leaves) == sorted(expected)


def test_a_tree_ends_at_the_deepest_level_while_a_sibling_waits_at_each() -> None:
    group = np.repeat(np.arange(36), [400, *[6] * 35])
    one = np.zeros(len(group), dtype=bool)
    one[400::6] = True  # a record of each group that is of the original, as the large group is
    predictors = [number(group == 1 + i) for i in range(35)]  # equally good: the first first
    predictors += [number((group == 1 + i) & one) for i in range(35)]
    target = ((group > 0) & ~one).astype(np.int8)
    tree = grow(predictors, target, cp=WHOLE, minbucket=1)
    assert checked(tree, predictors, target, 1) == DEEPEST
    assert sorted(tree.n[tree.leaves].tolist()) == sorted([1, 5] * (DEEPEST - 1) + [6, 400 + 6 * 5])


def test_of_equal_candidates_the_rounding_decides_and_then_their_order() -> None:
    x = np.repeat([0, 1, 2], [13, 4, 13])  # both cuts tell as much; what is left differs by 1e-15
    target = np.concatenate([np.arange(13) < 1, np.arange(4) < 2, np.arange(13) < 12])
    checked(grow([number(x)], target, cp=WHOLE, minbucket=1), [number(x)], target, 1)
    for seed in (388, 534, 957, 993, 1396, 1588):  # mirrored: other sums, of which one is larger
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 40))
        target = rng.random(n) < 0.5
        target[:2] = False, True
        x = rng.integers(0, 3, n)
        predictors = [number(x), number(-x)][:: -1 if rng.random() < 0.5 else 1]
        checked(grow(predictors, target, cp=WHOLE, minbucket=1), predictors, target, 1)


@pytest.mark.parametrize("seed", range(40))
def test_no_block_is_passed_over_that_has_the_best_cut(seed: int, plain: Any) -> None:
    rng = np.random.default_rng(seed)
    n, fewest = int(rng.integers(17, 90)), int(rng.integers(1, 4))
    code = np.sort(rng.integers(0, rng.choice([5, 200]), n))
    label = np.zeros(n, dtype=np.int32)
    label[rng.permutation(n)[: int(rng.choice([1, 2, n // 2]))]] = 1
    if seed % 2:
        label = label[::-1]
    cuts = [i for i in range(fewest, n - fewest + 1) if code[i - 1] != code[i]]
    decrease = [gini(label) - gini(label[:i]) - gini(label[i:]) for i in cuts]
    best = max([0.0, *decrease])
    keys = (2 * code + label).astype(np.int32)
    node = n, int(label.sum()), fewest
    for short in (1e-10, 0.01, 0.5):
        most = plain._most_ranked(keys, node, best * (1 - short))
        assert most == pytest.approx(best, rel=1e-13, abs=1e-13)
    assert plain._most_ranked(keys, node, 2 * best + 1) == 2 * best + 1


@pytest.mark.parametrize("few_values", [256, 0], ids=["counted", "ranked"])
def test_records_that_nothing_tells_apart_or_that_are_too_few_are_one_leaf(
    few_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_columns, "_FEW_VALUES", few_values)
    same = grow([number(np.ones(40))] * 2, np.arange(40) % 2, cp=0.0)
    assert (same.n.tolist(), same.left.tolist()) == ([40], [-1])
    few = grow([number(np.arange(4))], [0, 0, 1, 1], cp=0.0, minbucket=5)
    assert (few.n.tolist(), few.left.tolist()) == ([4], [-1])


@pytest.mark.parametrize("few_values", [256, 3], ids=["counted", "ranked"])
def test_one_synthetic_record_is_split_off(
    few_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_columns, "_FEW_VALUES", few_values)
    target = np.eye(1, 50)[0]
    weak = np.where(np.arange(50) < 2, 0, np.arange(50) % 8 // 7 + 1)  # it and another record
    for predictors in ([number(np.arange(50))], [number(weak), number(np.arange(50))]):
        tree = grow(predictors, target, cp=0.0, minbucket=1)
        assert sorted(tree.n[tree.leaves].tolist()) == [1, 49]


def test_a_split_is_kept_if_it_saves_more_than_cp_asks_for() -> None:
    x = np.repeat([0, 1], [18, 22])  # 18 are wrong, none after a split
    for cp, leaves in ((0.9999, 2), (1.0, 1)):
        assert len(grow([number(x)], x, cp=cp, minbucket=2).leaves) == leaves
