"""Replicas that keep away from people of the original, as a filter of near records leaves them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from sdcmetrics.measures.people import Claim, people_of_files, whose_records
from sdcmetrics.measures.people.claims import People
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.near import Near, _test_label_sets
from sdcmetrics.measures.people.testing import PeopleTests
from tests.measures.people.drawn import mixed, people_of, records

FEW = ["age", "sex", "region", "status"]


def without_equal(replica: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    present = pd.MultiIndex.from_frame(original)
    return replica[~pd.MultiIndex.from_frame(replica).isin(present)]


def without_near(replica: pd.DataFrame, original: pd.DataFrame, share: float) -> pd.DataFrame:
    """Drop the share that is nearest to a person, by differences in standard deviations."""
    apart = np.zeros((len(replica), len(original)))
    for name in original:
        a, b = (file[name].to_numpy() for file in (replica, original))
        if a.dtype.kind in "if":
            apart += np.abs(a[:, None] - b) / original[name].std()
        else:
            apart += a[:, None] != b
    nearest = apart.min(axis=1)
    return replica[nearest > np.quantile(nearest, share)]


def test_a_filter_of_equal_records_is_noticed() -> None:
    calls = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        original, holdout = people_of(rng, 400)[FEW], people_of(rng, 400)[FEW]
        others = people_of(rng, 1200)[FEW]
        fresh = whose_records(records(original, others.head(400), holdout))
        assert Claim.AVOIDS not in fresh.claims
        assert fresh.avoided is None
        out = whose_records(records(original, without_equal(others, original)[:400], holdout))
        calls += Claim.AVOIDS in out.claims
        if out.avoided is not None:
            assert not out.accused
            assert out.avoided[0] < out.avoided[1] / 3
    assert calls >= 9


def test_a_filter_of_near_records_is_noticed() -> None:
    calls = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        original, holdout = people_of(rng, 400), people_of(rng, 400)
        others = people_of(rng, 1000)
        assert Claim.AVOIDS not in whose_records(records(original, others[:400], holdout)).claims
        kept = without_near(others, original, 0.4)[:400]
        out = whose_records(records(original, kept, holdout))
        calls += out.claims == (Claim.AVOIDS,)
        assert whose_records(records(original, kept)).avoided is None  # who left out would tell
    assert calls >= 4


def test_p_is_that_of_so_few_in_the_worst_set_times_the_sets() -> None:
    of_original = np.arange(20) < 10
    sets = [np.array([0, 1, 12, 13, 14, 15]), np.array([0, 10, 11, 12, 13, 14, 15, 16, 17])]
    rng = np.random.default_rng(1)
    out = _test_label_sets(Near(), sets, of_original, rng, 0.01, None)
    p = [hypergeom.cdf(2, 20, 10, 6), hypergeom.cdf(1, 20, 10, 9)]
    assert out.p_avoided == pytest.approx(2 * p[1])
    assert out.avoided == (1, 8)
    assert p[1] < p[0]
    control = _test_label_sets(Near(), sets, of_original, rng, None, None)
    assert (control.p_avoided, control.avoided) == (1, (0, 0))  # of controls it is not asked


@pytest.mark.parametrize(
    ("hits", "near", "avoided"),
    [
        ((0, 10), 1.0, (0, 10)),  # 2^-10 is .00098, and a little less without replacement
        ((0, 9), 1.0, None),
        ((0, 9), 0.001, (3, 40)),
        ((0, 9), 0.0011, None),
        ((0, 12), 0.00001, (3, 40)),
    ],
)
def test_equal_and_near_records_have_half_of_a_level_each(
    hits: tuple[int, int], near: float, avoided: tuple[int, int] | None
) -> None:
    def tests(levels: dict[str, float], h: int = 2000) -> Any:
        prepared: Any = None
        out = PeopleTests(prepared, levels, np.random.default_rng(1))
        files: Any = type("", (), {"n": 2000, "h": h})()
        equal: Any = type("", (), {"original": hits[0], "holdout": hits[1]})()
        of_near = Near(p_avoided=near, avoided=(3, 40))
        prepared = type("", (), {"files": files})()
        out.prepared = prepared
        searches = type("", (), {"equal": equal})()
        vars(out).update(searches=searches, _nearest=(of_near, None, False))
        return out

    assert tests({"LE": 0.002}).avoided == avoided
    assert tests({"LE": 0.002}, h=0).avoided is None
    assert tests({"TE": 0.002}).avoided is None


def test_who_holds_people_of_the_holdout_is_said_to_and_no_more() -> None:
    rng = np.random.default_rng(3)
    original, holdout = people_of(rng, 200), people_of(rng, 200)
    replica = mixed(pd.concat([holdout.head(60), people_of(rng, 140)]))
    out = whose_records(records(original, replica, holdout))
    assert out.claims == (Claim.OUTSIDERS,)
    assert out.avoided is None
    quiet = People((Claim.AVOIDS, Claim.VOID), 9, 9, 9, avoided=(0, 5))
    assert PeopleOfFiles((quiet,)).claims == (Claim.AVOIDS,)  # and not that it is no sign
    both = PeopleOfFiles((quiet, People((Claim.OUTSIDERS,), 9, 9, 9)))
    assert both.claims == (Claim.OUTSIDERS,)


def test_each_of_several_files_and_both_together_are_asked() -> None:
    rng = np.random.default_rng(4)
    original, holdout = people_of(rng, 400)[FEW], people_of(rng, 400)[FEW]
    files = [
        records(original, without_equal(people_of(rng, 900)[FEW], original)[:400], holdout)
        for _ in range(2)
    ]
    result = people_of_files(files)
    assert Claim.AVOIDS in result.claims
    assert not result.accused
