"""Families of questions: beside whom, in whole or by a part, and the shares they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess import families
from sdcmetrics.measures.excess.asking import self_test
from sdcmetrics.measures.excess.exchange import FIRST_DRAWS, Stopping
from sdcmetrics.measures.excess.families import over_other_people, over_people
from sdcmetrics.measures.excess.households import ClustersLeftOut, clusters_left_out
from sdcmetrics.measures.excess.left_out import LeaveOneOut, LeftOut, drawn_labels
from sdcmetrics.measures.excess.questions import AS_THEY_ARE, KeyQuestion, Pool
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.columns import Kind

WHEN = Stopping(0.005, 1999, 999)
DISCO, REPU = KeyQuestion(("key",), "target"), KeyQuestion(("key",))


def pool(n: int, *sizes: int) -> Pool:
    """Return people with keys of their own, the replica a copy of the first of them."""
    key, target = np.arange(n), np.arange(n) % 4
    files = [np.arange(n), *(np.arange(m) for m in sizes)]
    return Pool(
        {"key": np.concatenate([key[rows] for rows in files]),
         "target": np.concatenate([target[rows] for rows in files])},
        (n, *sizes),
    )  # fmt: skip


def test_shares_beside_a_holdout_are_of_its_people() -> None:
    # of four of the original three are disclosed, of two of the holdout one
    key = np.array([0, 0, 1, 2, 0, 1, 0, 2])
    given = Pool({"key": key, "target": np.array([1, 1, 0, 0, 1, 0, 1, 1])}, (4, 2, 2))
    family = over_people(
        given, [DISCO], AS_THEY_ARE, clusters=None, points=1.0, seed=1, when=WHEN, matters=None
    )
    assert (family.original.tolist(), family.others.tolist()) == ([75], [50])
    assert family.copy is None
    clusters = np.array([0, 0, 1, 2, 3, 4])
    of_clusters = over_people(
        given, [DISCO], AS_THEY_ARE, clusters=clusters, points=30.0, seed=1, when=WHEN
    )
    assert of_clusters.excess.tolist() == [25]
    assert of_clusters.p.tolist() == [1]  # too few points to be decided


def test_without_a_holdout_it_is_the_other_people() -> None:
    family = over_people(pool(40, 40), [DISCO], AS_THEY_ARE, clusters=None, points=1.0, seed=1,
                         when=WHEN)  # fmt: skip
    assert family.copy is not None
    assert family.excess.tolist() == pytest.approx(family.copy().tolist())
    few = over_other_people(pool(40, 40), [DISCO], AS_THEY_ARE, clusters=None, seed=1, when=WHEN,
                            points=float(family.excess[0]) + 1e-9)  # fmt: skip
    assert few.p.tolist() == [1]
    enough = over_other_people(pool(40, 40), [DISCO], AS_THEY_ARE, clusters=None, seed=1,
                               points=float(family.excess[0]), when=WHEN)  # fmt: skip
    assert enough.p[0] < 0.005


@pytest.mark.parametrize(
    ("quick", "large", "draws"),
    [
        (True, 79, [FIRST_DRAWS]),  # the part alone decides
        (True, 80, [999]),
        (False, 79, [999]),
    ],
)
def test_of_a_large_pool_a_part_is_tried_first(
    quick: bool, large: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, list[bool], float]] = []
    chance = families._by_chance

    def by_chance(left_out: LeftOut, observed: Any, wanted: Any, when: Stopping, rng: Any) -> Any:
        p = chance(left_out, observed, wanted, when, rng)
        if wanted.any():
            asked.append((when.clear, wanted.tolist(), float(observed[0])))
        return p

    monkeypatch.setattr(families, "_by_chance", by_chance)
    monkeypatch.setattr(families, "_LARGE", large)
    monkeypatch.setattr(families, "_PART", 40)
    family = over_other_people(
        pool(40, 40), [DISCO], AS_THEY_ARE, clusters=None, points=1.0, seed=1,
        when=Stopping(0.005 if not quick or large > 79 else 0.01, 1999, 999), quick=quick,
    )  # fmt: skip
    assert [clear for clear, _, _ in asked] == draws
    assert family.stands_out(1.0, 0.01).all()
    assert (asked[0][2] < family.excess[0] - 1) == (draws == [FIRST_DRAWS])


def test_what_the_part_leaves_open_the_whole_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    each = iter([np.array([0.005, 0.006, 0.9]), np.array([1.0, 0.003, 1.0])])
    asked: list[list[bool]] = []

    def by_chance(_left_out: Any, _observed: Any, wanted: Any, when: Stopping, _rng: Any) -> Any:
        asked.append(wanted.tolist())
        assert (when.draws, when.clear) == (FIRST_DRAWS, FIRST_DRAWS)
        return next(each)

    monkeypatch.setattr(families, "_by_chance", by_chance)
    monkeypatch.setattr(families, "_LARGE", 79)
    questions = [DISCO, REPU, KeyQuestion(("target",))]
    family = over_other_people(
        pool(40, 40), questions, AS_THEY_ARE, clusters=None, points=1.0, seed=1, when=WHEN,
        quick=True, matters=lambda _: np.array([True, True, False]),
    )  # fmt: skip
    assert asked == [[True, True, False], [False, True, False]]
    assert family.p.tolist() == [0.005, 0.003, 0.9]


def test_draws_are_made_in_steps_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = LeftOut(pool(40, 40), [DISCO], AS_THEY_ARE)
    steps: list[int] = []
    drawn = left_out.drawn
    monkeypatch.setattr(
        left_out, "drawn", lambda b, rng: (steps.append(b), drawn(b, rng))[1], raising=False
    )
    rng, never = np.random.default_rng(1), Stopping(0.9, 300, 300)
    families._by_chance(left_out, np.array([0.0]), np.array([True]), never, rng)
    assert steps == [128, 71, 101][: len(steps)]
    assert steps[:2] == [128, 71]
    steps.clear()
    monkeypatch.setattr(families, "_LABELS_AT_ONCE", 80 * 100)
    families._by_chance(left_out, np.array([99.0]), np.array([True]), Stopping(0.1, 199, 199), rng)
    assert steps == [100, 99]


@pytest.mark.parametrize(("homes", "k", "asked"), [(1, 0, False), (2, 1, True)])
def test_of_one_cluster_there_are_no_others(homes: int, k: int, *, asked: bool) -> None:
    n = 4 * homes
    key = np.concatenate([np.repeat(np.arange(homes), 4), np.repeat(np.arange(homes), 4)])
    given = Pool({"key": key, "target": key}, (n, n))
    clusters = np.repeat(np.arange(2 * homes), 4)
    questions = [DISCO, DISCO]
    assert ClustersLeftOut(given, clusters, questions, AS_THEY_ARE).k == k
    family = clusters_left_out(
        given, clusters, questions, AS_THEY_ARE, matters=None, points=50.0, seed=1, when=WHEN
    )
    # one of the two clusters of the replica is drawn: half of the time it is one's own
    assert family.original.tolist() == [50.0 if asked else 0.0] * 2
    assert family.others.tolist() == [0, 0]
    assert (family.p < 1).tolist() == [asked, asked]


def test_forms_of_an_original_and_a_replica() -> None:
    forms = LeaveOneOut(5, 3)
    assert (forms.k, forms.halves) == (3, (2, 3))
    assert (LeaveOneOut(5, 9).k, LeaveOneOut(5, 9).halves) == (4, (2, 3))
    # one of two records of five is in a half of two: alone in it with 2 * 2/5 * 3/4, per record
    assert forms.alone_in_original[:3].tolist() == pytest.approx([0, 0.2, 0.3])
    # all three of the replica are used: one of them is there, of two always both
    assert forms.alone_in_replica.tolist() == pytest.approx([0, 1, 0, 0])
    assert forms.alone_in_copy[:3].tolist() == pytest.approx([0, 0.6, 0.6])
    assert len(forms.alone_in_original) == 6
    # halves of one record: none
    assert LeaveOneOut(1, 3).alone_in_original.tolist() == [0, 0]
    assert LeaveOneOut(1, 3).alone_in_both.tolist() == [0, 0]


def test_labels_are_drawn_in_parts_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdcmetrics.measures.excess.left_out._UNIFORM_AT_ONCE", 6)
    labels = drawn_labels(4, 7, 3, np.random.default_rng(1))
    assert labels.shape == (7, 3)
    assert labels.sum(axis=0).tolist() == [4, 4, 4]


def test_the_original_is_asked_as_a_replica_of_as_many_records() -> None:
    key = np.arange(60)
    columns = [Column("key", Kind.CATEGORY, key, key), Column("target", Kind.CATEGORY, key, key)]
    result = {
        m: self_test(columns, (60, m, 0), [DISCO], clusters=None, points=1.0, level=0.01,
                     sure=0.001, seed=1)
        for m in (60, 30)
    }  # fmt: skip
    assert [item.noticed.tolist() for item in result.values()] == [[True], [True]]
    assert [*result[60].excess] == [AS_THEY_ARE]
    whole = over_other_people(
        Pool({"key": np.tile(key, 2), "target": np.tile(key, 2)}, (60, 60)), [DISCO], AS_THEY_ARE,
        clusters=None, points=1.0, seed=1, when=WHEN,
    )  # fmt: skip
    assert result[60].excess[AS_THEY_ARE] == pytest.approx(whole.excess)
    assert result[30].excess[AS_THEY_ARE][0] > 0


def test_of_three_alike_one_by_one_is_alone_in_both() -> None:
    # all three of a combination, one in the first part and one in the second
    assert LeaveOneOut(3, 1).halves == (1, 1)
    assert LeaveOneOut(3, 1).alone_in_both.tolist() == pytest.approx([0, 0, 1 / 3, 1])
