"""Clusters of files, questions whose answer anybody has, and flags of several files."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess.asking import Asking, certain_of
from sdcmetrics.measures.excess.excess import _united_clusters
from sdcmetrics.measures.excess.exchange import Stopping, stopping
from sdcmetrics.measures.excess.households import _as_they_are, clusters_of, of_clusters
from sdcmetrics.measures.excess.questions import KeyQuestion
from sdcmetrics.measures.excess.result import ExcessOfFiles
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.columns import Kind


def column(name: str, original: list[int], replica: list[int]) -> Column:
    return Column(name, Kind.CATEGORY, np.array(original), np.array(replica))


@pytest.mark.parametrize(
    ("files", "numbers"),
    [
        (([5, 5, 9],), [0, 0, 1]),
        (([5, 5, 9], [5, 9, 9]), [0, 0, 1, 2, 3, 3]),  # of another file are others
        (([-1, 3, -1, 3],), [1, 0, 2, 0]),  # without one: by itself
        (([2.0, np.nan, 2.0], [np.nan]), [0, 1, 0, 2]),
        (([-1, -1],), [0, 1]),
        (([5, 5], [3], [4]), [0, 0, 1, 2]),
    ],
)
def test_clusters_are_numbered_from_0(files: tuple[list[float], ...], numbers: list[int]) -> None:
    assert clusters_of(*map(np.array, files)).tolist() == numbers


def test_clusters_of_several_syntheses_are_apart() -> None:
    def file(replica: list[int]) -> Any:
        return SimpleNamespace(cluster=column("home", [0, 0, 1], replica))

    united = _united_clusters([file([4, 4, 7]), file([4, 7])])
    assert united is not None
    assert united.replica.tolist() == [0, 0, 1, 2, 3]
    unknown = _united_clusters([file([4, 4]), file([])])
    assert unknown is not None
    assert len(unknown.replica) == 0
    assert _united_clusters([SimpleNamespace(cluster=None)]) is None  # type: ignore[list-item]


def test_whole_clusters_are_exchanged() -> None:
    # of three clusters of the original and two of the holdout; people 2 1 1 | 1 2
    clusters = np.array([0, 0, 1, 2, 3, 4, 4])
    disclosed = np.array([[True, True, True, False, False, False, False], [False] * 7])
    assert _as_they_are(3, 5).ravel().tolist() == [1, 1, 1, 0, 0]
    excess, p = of_clusters(disclosed, clusters, 4, 75.0, 1, Stopping(0.05, 999, 999))
    assert excess.tolist() == [75, 0]
    each = []
    for chosen in combinations(range(5), 3):
        inside = np.isin(clusters, chosen)
        each.append(100 * (disclosed[0][inside].mean() - disclosed[0][~inside].mean()))
    exact = np.mean(np.array(each) >= 75 - 1e-9)
    assert p[0] == pytest.approx(exact, abs=0.05)
    both = np.array([[True, False, False, False, True, False, False]])  # 1 of 4 and 1 of 3
    excess, _ = of_clusters(both, clusters, 4, 75.0, 1, Stopping(0.05, 999, 999))
    assert excess == pytest.approx([100 / 4 - 100 / 3])
    nothing = of_clusters(disclosed, clusters, 4, 75.1, 1, Stopping(0.05, 999, 999))[1]
    assert nothing.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("quick", "clusters", "draws", "clear"),
    [(False, False, 1_999, 999), (False, True, 999, 999), (True, False, 1_999, 199)],
)
def test_when_to_stop(*, quick: bool, clusters: bool, draws: int, clear: int) -> None:
    when = stopping(0.05, 0.001, quick=quick, clusters=clusters)
    assert (when.draws, when.clear, when.lost) == (draws, clear, round(0.05 * (draws + 1)))
    assert Stopping(1e-6, 99, 99).lost == 1
    assert Stopping(0.5, 4, 99).lost == 2  # of 5, rounded to even


@pytest.mark.parametrize(("others", "percent"), [(2, 80.0), (3, None)])
def test_what_nearly_everybody_tells_is_certain(others: int, percent: float | None) -> None:
    # eight agree with another; of key 2 nobody is met twice, and key 3 disagrees
    keys = [0] * 4 + [1] * 4 + ([2, 4] if others == 2 else [2, 3, 3])
    target = [0] * 4 + [1] * 4 + ([1, 0] if others == 2 else [1, 0, 1])
    n = len(keys)
    expected = () if percent is None else ((("k",), "t", percent),)
    for values in (target, [value - 1 for value in target]):  # -1: that it is missing
        records = Records((column("k", keys, keys), column("t", values, values)), n=n, m=n)
        asking = Asking(records, (KeyQuestion(("k",), "t"), KeyQuestion(("k",))), ())
        assert certain_of(asking) == expected


@pytest.mark.parametrize(
    ("earlier", "flags", "only"),
    [(0, [[], ["q"]], False), (1, [[], ["q"]], True), (2, [["q"], ["q"]], False)],
)
def test_flags_that_arise_only_together(
    earlier: int, flags: list[list[str]], *, only: bool
) -> None:
    files: Any = tuple(SimpleNamespace(flags=each) for each in flags)
    assert ExcessOfFiles(files, earlier).only_together is only
