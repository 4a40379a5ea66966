"""What makes the numbers of a first page say little stands on that page."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.attacks.section import Attacks
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.safety.cells import Mode, plain
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample

ORIGINAL, HOLDOUT, REPLICA = sample(400, 1), sample(400, 2), sample(400, 3)
HOLDOUTS = {
    "overlaps": pd.concat([ORIGINAL[:200], HOLDOUT[:200]]),
    "others": HOLDOUT.assign(region="North"),
    "fresh": HOLDOUT,
}


def reviewed(**given: Any) -> Review:
    frames: dict[str, Any] = {"original": ORIGINAL, "replicas": {"r": REPLICA}}
    return conduct(Study(**(frames | {"keys": ["region"], "targets": ["vote"]} | given)))


def told(profile: Profile, review: Review, mode: Mode = "internal") -> str:
    page = safe_report(review, profile, mode).decision
    return "\n".join(plain(item.words) for item in page.unchecked).replace(
        "\N{NO-BREAK SPACE}", " "
    )


@cache
def with_a_part() -> Review:
    return reviewed(replicas={"whole": REPLICA, "part": REPLICA.drop(columns="income")})


@cache
def beside(holdout: str) -> Review:
    return reviewed(holdout=HOLDOUTS[holdout])


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_a_column_that_one_of_the_replicas_lacks_is_named(profile: Profile, mode: Mode) -> None:
    text = told(profile, with_a_part(), mode)
    assert "income of part: not in that replica" in text
    assert "of whole" not in text


def test_a_column_that_no_replica_has_is_named_and_the_answer_says_so(profile: Profile) -> None:
    part = REPLICA.drop(columns="income")
    review = reviewed(replicas={"r": part})
    text = told(profile, review)
    assert "income of r: not in that replica, so not compared." in text
    assert "left out" not in text
    outside = told(profile, review, "checker")  # of a name that is in no replica the number
    assert "1 column of the original: not in every replica, or left out." in outside
    assert "income" not in outside
    answer = str(review.decisions["r"].utility)
    assert "Columns of the original that are not in it" in answer
    assert "nothing of them was tested: income." in answer
    files = reviewed(replicas={"r": [part, REPLICA.drop(columns="age")], "whole": REPLICA})
    assert "age and income of r: not in each file of it, so not compared." in told(profile, files)
    assert "of whole" not in told(profile, files)
    assert "nothing of them was tested: age, income." in str(files.decisions["r"].utility)
    assert "nothing of them was tested" not in str(files.decisions["whole"].utility)


def test_a_column_that_the_study_leaves_out_is_not_missing_from_the_replica(
    profile: Profile,
) -> None:
    variables = ["region", "vote", "age"]
    review = reviewed(replicas={"r": REPLICA.drop(columns="income")}, variables=variables)
    others = [name for name in ORIGINAL.columns if name not in variables]
    names = ", ".join(others[:-1]) + f" and {others[-1]}" if others[1:] else others[0]
    assert f"{names}: left out, so not compared." in told(profile, review)
    assert "nothing of them was tested" not in str(review.decisions["r"].utility)


@pytest.mark.parametrize(
    ("holdout", "says"),
    [
        ("overlaps", "it overlaps the original"),
        ("others", "it is not a random part of the same population"),
        ("fresh", ""),
    ],
)
@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_a_holdout_that_cannot_be_fresh_people_is_told_where_they_are_counted(
    profile: Profile, holdout: str, says: str, mode: Mode
) -> None:
    text = told(profile, beside(holdout), mode)
    assert ("What the holdout shows" in text) is bool(says)
    assert not says or f"What the holdout shows: {says}" in text


def test_a_replica_that_is_the_holdout_is_told(profile: Profile) -> None:
    replicas = {"other": REPLICA, "fresh": HOLDOUT.copy()}
    text = told(profile, reviewed(holdout=HOLDOUT, replicas=replicas))
    assert "fresh beside the holdout: it is a copy of the holdout" in text
    assert "other beside" not in text


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_attacks_that_were_made_are_not_called_absent(profile: Profile, mode: Mode) -> None:
    attacks = Attacks(kinds=("attribute inference",), learner="nearest", seeds=1)
    text = told(profile, reviewed(holdout=HOLDOUT, attacks=attacks), mode)
    assert 'who was in the original ("membership")' in text
    assert "what a model of the replica knows" not in text


def test_keys_that_are_never_found_are_told_since_every_risk_is_zero(profile: Profile) -> None:
    coded = REPLICA.assign(region=REPLICA["region"].str.upper())
    text = told(profile, reviewed(replicas={"r": REPLICA, "coded": coded}))
    assert "Disclosure by coded: the keys of 0 % of the original records are in it" in text
    assert "Disclosure by r:" not in text


def test_of_tables_of_one_variable_the_noun_is_in_the_singular(profile: Profile) -> None:
    review = reviewed(ways=[1])
    text = told(profile, review, "checker")
    assert "No table of more than 1 variable: relations among 2 or more variables" in text
    # the answers of that edition are those of the internal one, which may rest on three
    end = "Whether the answers rest on larger ones the internal edition says."
    assert end in text
    assert end not in told(profile, review)


def test_small_counts_that_nobody_looked_for_are_told(profile: Profile) -> None:
    rng = np.random.default_rng(3)
    homes = np.repeat(np.arange(30), 3)
    frames = [
        pd.DataFrame({"age": rng.integers(0, 90, 90), "sex": rng.integers(0, 2, 90), "hid": homes})
        for _ in "xy"
    ]
    words = (
        "Whether small counts of the original are in tables of a replica was not asked: the files"
    )
    study = {"keys": ["age"], "targets": ["sex"]}
    large = [of_memory(as_microdata(frame, "file")) for frame in frames]
    counted = conduct(Study(large[0], {"r": large[1]}, **study))
    assert words in told(profile, counted)
    assert words not in told(profile, counted, "checker")
    alone = [of_memory(as_microdata(frame.drop(columns="hid"), "file")) for frame in frames]
    assert words not in told(profile, conduct(Study(alone[0], {"r": alone[1]}, **study)))
    together = conduct(Study(frames[0], {"r": frames[1]}, sample={"household": "hid"}, **study))
    assert words not in told(profile, together)
