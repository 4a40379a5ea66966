"""Beside a holdout: who is disclosed, as the measures of disclosure count, and an exact p."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.excess.families import disclosed_people, exact_p
from sdcmetrics.measures.excess.questions import AS_THEY_ARE, KeyQuestion, Pool, pool_of
from tests.measures.excess.people import KEYS, people, records


def test_people_by_hand() -> None:
    # key 0: the replica says 1 and 1; key 1: it says 0 and 1; key 2: it says 1; key 3: nothing
    key = np.array([0, 0, 1, 2, 3, 0, 0, 1, 1, 2, 0, 2, 3])
    target = np.array([1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1])
    pool = Pool({"key": key, "target": target}, (5, 5, 3))
    marks = disclosed_people(
        pool, [KeyQuestion(("key",), "target"), KeyQuestion(("key",))], AS_THEY_ARE
    )
    assert marks[0].tolist() == [True, False, False, True, False, True, False, False]
    assert not marks[1].any()  # key 2 is alone in the replica, but two real people have it


def test_who_is_alone_is_told_from_original_and_holdout_together() -> None:
    pool = Pool({"key": np.array([0, 1, 2, 0, 1, 3, 1, 4])}, (3, 3, 2))
    marks = disclosed_people(pool, [KeyQuestion(("key",))], AS_THEY_ARE)
    assert marks[0].tolist() == [True, False, False, False, False]


def test_shares_are_those_of_disco() -> None:
    rng = np.random.default_rng(3)
    original, replica, holdout = (people(rng, n) for n in (400, 500, 300))
    both = records(original, replica, holdout)
    pool = pool_of(both.columns, (400, 500, 300))
    marks = disclosed_people(pool, [KeyQuestion(KEYS, "vote")], AS_THEY_ARE)[0]
    for part, frame in ((marks[:400], original), (marks[400:], holdout)):
        shares = sdc.disclosure(frame, replica, keys=list(KEYS), target="vote").attribution
        assert 100 * part.mean() == pytest.approx(shares["DiSCO"], abs=1e-9)


def test_p_is_fishers_by_holm() -> None:
    marks = np.zeros((2, 6), dtype=np.bool_)
    marks[0, :3] = True  # the three of the original of six: one way in twenty
    marks[1, [0, 3]] = True
    assert exact_p(marks, 3).tolist() == pytest.approx([0.1, 0.8])


def test_whoever_is_drawn_at_random_is_rarely_flagged() -> None:
    rng = np.random.default_rng(4)
    flags = 0
    for _ in range(400):
        marks = np.tile(rng.random(120) < 0.2, (3, 1))
        flags += bool((exact_p(marks, 60) <= 0.05).any())
    assert flags <= 30  # at most one in twenty; 30 of 400 has .004 if it were exactly that


def test_missing_is_a_level() -> None:
    frame = pd.DataFrame({"key": ["a", "b", "c"], "target": ["x", None, "y"]})
    both = records(frame, frame, frame.assign(target=["x", "x", None]))
    pool = pool_of(both.columns, (3, 3, 3))
    marks = disclosed_people(pool, [KeyQuestion(("key",), "target")], AS_THEY_ARE)[0]
    assert marks.tolist() == [True, True, True, True, False, False]
