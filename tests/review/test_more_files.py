"""One more file makes no answer milder: earlier files and syntheses, in any order and size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.decision.status import Status, severity
from tests.measures.people.drawn import mixed, people_of


def files_of(
    rng: np.random.Generator, original: pd.DataFrame, times: int = 1
) -> list[pd.DataFrame]:
    """Draw files of several sizes that hold nobody, few or some people, and one of them twice."""
    files = []
    for size, copies in ((60, 0), (90, 3 * times), (140, 4 * times), (90, 5 * times)):
        parts = [people_of(rng, size - copies), original.sample(copies, random_state=rng)]
        files.append(mixed(pd.concat(parts, ignore_index=True), seed=size))
    return [*files, files[2]]


def risk(
    original: pd.DataFrame,
    replica: pd.DataFrame | list[pd.DataFrame],
    holdout: pd.DataFrame | None,
    earlier: Sequence[pd.DataFrame] = (),
    name: str = "replica",
) -> sdc.Decision:
    study = sdc.Study(
        original,
        {name: replica},
        keys=["age", "sex"],
        targets=["status"],
        holdout=holdout,
        earlier_files=earlier,
        ways=(1,),
        candidates=0,
    )
    return sdc.conduct(study).decisions[name]


@pytest.mark.parametrize(
    ("seed", "holdout"), [(3, True), (2, False)]
)  # where something is for review: what is not cannot become milder
def test_a_file_that_is_out_makes_no_answer_milder(seed: int, holdout: bool) -> None:
    rng = np.random.default_rng(seed)
    original = people_of(rng, 100)
    left_out = people_of(rng, 90) if holdout else None
    files = files_of(rng, original, 1 if holdout else 2)
    order = rng.permutation(len(files))
    replica, *earlier = (files[i] for i in order)
    answers = [
        risk(original, replica, left_out, earlier[:count], name=f"file {count}")
        for count in range(len(earlier) + 1)
    ]
    levels = [severity(answer.risk.status) for answer in answers]
    assert levels == sorted(levels)
    assert levels[-1] > severity(Status.WITHIN)
    assert {answer.utility.status for answer in answers} == {answers[0].utility.status}


@pytest.mark.parametrize(("seed", "holdout"), [(0, True), (0, False)])
def test_a_further_synthesis_makes_no_answer_milder(seed: int, holdout: bool) -> None:
    rng = np.random.default_rng(10 + seed)
    original = people_of(rng, 100)
    left_out = people_of(rng, 90) if holdout else None
    files = [files_of(rng, original)[i] for i in rng.permutation(5)]
    levels = [
        severity(risk(original, files[:count], left_out).risk.status)
        for count in range(1, len(files) + 1)
    ]
    assert levels == sorted(levels)
    assert levels[-1] > severity(Status.WITHIN)


def test_a_name_changes_no_answer_and_a_duplicate_of_a_file_is_a_file() -> None:
    rng = np.random.default_rng(5)
    original, holdout = people_of(rng, 100), people_of(rng, 90)
    files = files_of(rng, original)
    first, second = (
        risk(original, files[1], holdout, [files[2], files[4]], name=name).risk
        for name in ("a", "another name")
    )
    assert first == second
    twice = risk(original, files[2], holdout, [files[4]]).risk
    alone = risk(original, files[2], holdout).risk
    assert severity(twice.status) >= severity(alone.status)


def test_together_they_are_for_review_where_each_is_not() -> None:
    """So that what is tested above is no order of equal answers."""
    rng = np.random.default_rng(4)
    # Rounded, so that few have a rent of their own, which with an income would identify them.
    original, holdout = (people_of(rng, 150).round({"rent": -2}) for _ in range(2))
    halves = original.iloc[:75], original.iloc[75:]
    files = [
        mixed(pd.concat([others, half.sample(3, random_state=3)], ignore_index=True))
        for half in halves
        for others in [people_of(rng, 147).round({"rent": -2})]
    ]
    alone = risk(original, files[1], holdout).risk.status
    both = risk(original, files[1], holdout, files[:1]).risk.status
    assert severity(both) > severity(alone)
