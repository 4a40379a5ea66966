from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.measures.people import (
    Claim,
    Levels,
    boxes,
    people,
    people_of_files,
    whose_records,
)
from sdcmetrics.measures.people import testing as subject
from sdcmetrics.measures.people.intervals import beyond_duplicates, beyond_labels
from sdcmetrics.measures.people.subject import SUBJECT
from tests.measures.people.drawn import mixed, people_of, records, with_copies


@pytest.fixture
def rng() -> Any:
    return np.random.default_rng(1)


@pytest.fixture
def original(rng: np.random.Generator) -> Any:
    return people_of(rng, 200)


@pytest.fixture
def holdout(rng: np.random.Generator) -> Any:
    return people_of(rng, 200)


def test_people_who_are_not_of_the_original_are_not_accused(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    out = whose_records(records(original, people_of(rng, 200), holdout))
    assert out.claims == ()
    assert out.holdout == "used"
    assert out.noticed is not None
    assert 3 <= out.noticed <= 15
    assert out.people is not None
    assert out.people.low == 0


def test_copied_people_are_held_and_counted(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    out = whose_records(records(original, with_copies(rng, original, 30), holdout))
    assert Claim.HOLDS in out.claims
    assert out.accused
    assert out.hits[0] >= 30
    assert out.people is not None
    assert out.people.low <= 30 <= out.people.high
    assert out.noticed is None
    assert out.withheld == "something alarms"


def test_without_a_holdout_records_may_be_held_or_not_drawn_one_by_one(
    rng: np.random.Generator, original: pd.DataFrame
) -> None:
    out = whose_records(records(original, with_copies(rng, original, 40)))
    assert out.claims == (Claim.EITHER,)
    assert not out.larger_holdout
    assert set(out.tests) == {"TE", "TN"}


def test_a_few_people_left_out_cannot_speak(
    rng: np.random.Generator, original: pd.DataFrame
) -> None:
    out = whose_records(records(original, with_copies(rng, original, 40), people_of(rng, 12)))
    assert Claim.EITHER in out.claims
    assert out.larger_holdout


def test_jittered_people_are_followed_and_no_record_is_held(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    replica = mixed(original)
    for column in ("income", "rent"):
        replica[column] *= rng.normal(1, 0.01, 200)
    out = whose_records(records(original, replica, holdout))
    assert Claim.FOLLOWS in out.claims
    assert Claim.HOLDS not in out.claims


def test_a_holdout_that_is_hit_as_often_contradicts(rng: np.random.Generator) -> None:
    register = mixed(people_of(rng, 300).drop_duplicates())
    replica = mixed(register, seed=2).head(200)
    out = whose_records(records(register[:140], replica, register[140:280]))
    assert out.claims == (Claim.VOID,)
    assert out.tests["TE"].spoke
    assert not out.tests["TE"].alarmed
    assert out.withheld == "something alarms"


@pytest.mark.parametrize("count", [20, 60, 200])
def test_people_left_out_are_told_of(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame, count: int
) -> None:
    replica = mixed(pd.concat([holdout.head(count), people_of(rng, 200 - count)]))
    out = whose_records(records(original, replica, holdout))
    assert out.claims == (Claim.OUTSIDERS,)
    assert not out.accused
    assert out.hits[1] >= 0.9 * count
    several = people_of_files(
        [records(original, file, holdout) for file in (people_of(rng, 200), replica)]
    )
    assert several.claims == (Claim.OUTSIDERS,)


def test_people_of_original_and_holdout_alike_are_not_those_of_the_holdout(
    original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    replica = mixed(pd.concat([original, holdout]))
    assert Claim.OUTSIDERS not in whose_records(records(original, replica, holdout)).claims


@pytest.mark.parametrize("repeats", [False, True])
def test_records_that_equal_the_original_may_have_been_removed(*, repeats: bool) -> None:
    names = ["age", "sex", "region", "status"]
    for seed in range(10):  # what is left equals people of the holdout more often
        rng = np.random.default_rng(seed)
        original, holdout = people_of(rng, 600)[names], people_of(rng, 300)[names]
        replica = people_of(rng, 2400)[names]
        present = pd.MultiIndex.from_frame(original)
        replica = replica[~pd.MultiIndex.from_frame(replica).isin(present)]
        if not repeats:
            replica = replica.drop_duplicates()
        claims = whose_records(records(original, replica.head(600), holdout)).claims
        assert Claim.OUTSIDERS not in claims


def test_permuted_columns_never_hold_people(rng: np.random.Generator) -> None:
    # two columns: many pairs of values of the original come together again
    original = pd.DataFrame(
        {"wage": np.round(rng.lognormal(3, 1, 200), 2), "sex": rng.choice(["f", "m"], 200)}
    )
    aside = pd.DataFrame(
        {"wage": np.round(rng.lognormal(3, 1, 200), 2), "sex": rng.choice(["f", "m"], 200)}
    )
    held, columns = 0, 0
    for seed in range(10):
        shuffled = original.copy()
        shuffled["wage"] = np.random.default_rng(seed).permutation(original["wage"].to_numpy())
        claims = whose_records(records(original, shuffled, aside), seed=seed).claims
        held += Claim.HOLDS in claims
        columns += Claim.COLUMNS in claims
    assert held == 0
    assert columns >= 5


def test_a_holdout_that_differs_is_not_used_and_says_what_differs(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    moved = holdout.assign(income=holdout["income"] * 2)
    out = whose_records(records(original, people_of(rng, 200), moved))
    assert out.claims == (Claim.HOLDOUT_DIFFERS,)
    assert (out.holdout, set(out.tests)) == ("differs", {"TE", "TN"})
    assert "income" in out.holdout_most


def test_fewer_than_two_columns_are_not_judged(
    rng: np.random.Generator, original: pd.DataFrame
) -> None:
    out = whose_records(records(original[["age"]], people_of(rng, 200)[["age"]]))
    assert out.claims == (Claim.FEW_COLUMNS,)


def test_a_replica_without_repeats_is_not_judged_without_a_holdout(
    rng: np.random.Generator,
) -> None:
    def few(n: Any) -> Any:
        return people_of(rng, n)[["sex", "region", "status"]]

    out = whose_records(records(few(100), few(300).drop_duplicates()))
    assert Claim.DEDUPLICATED in out.claims
    assert out.tests["TE"].p is None
    assert "repeated" in out.withheld


def test_claims_between_confirmed_and_contradicted_are_undecided(
    rng: np.random.Generator,
    original: pd.DataFrame,
    holdout: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = records(original, with_copies(rng, original, 8), holdout)
    confirmed = whose_records(given)
    assert Claim.HOLDS in confirmed.claims
    p = confirmed.tests["LE"].p
    assert p is not None
    assert confirmed.tests["LE"].level < p < 0.01  # by twins alone
    monkeypatch.setattr(subject, "CONFIRMED", p / 2)
    assert Claim.HOLDS not in whose_records(given).claims
    assert Claim.UNDECIDED in whose_records(given).claims
    monkeypatch.setattr(subject, "CONTRADICTED", p / 2)
    assert Claim.VOID in whose_records(given).claims


@pytest.mark.parametrize("part", [False, True])
def test_near_tests_of_large_files_follow_changed_copies(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, *, part: bool
) -> None:
    if part:  # of the 6,000 records 4,200 at most
        monkeypatch.setattr(boxes, "_STEPS", 700 * 4_200 * (6 + 4 * 7))
    original = people_of(rng, 2000)
    replica = mixed(original)
    replica["income"] += rng.normal(0, 1, 2000)
    out = whose_records(records(original, replica, people_of(rng, 2000)))
    assert out.places is part
    assert Claim.FOLLOWS in out.claims


def test_eight_files_with_six_copied_people_each_are_one_leak(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    original, holdout, given = original[:120], holdout[:120], []
    for i in range(8):
        replica = people_of(rng, 120)
        replica.iloc[:6] = original.iloc[6 * i : 6 * i + 6]
        given.append(records(original, replica, holdout))
    out = people_of_files(given)
    assert Claim.HOLDS in out.claims
    assert out.noticed is None
    assert out.unions[-1].people is not None
    assert out.unions[-1].people.low <= 48 <= out.unions[-1].people.high
    assert out.worst is not None


def test_a_file_added_can_only_add_a_claim(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    copied = records(original, with_copies(rng, original, 40), holdout)
    others = [records(original, people_of(rng, 200), holdout) for _ in range(2)]
    alone = people_of_files([copied])
    more = people_of_files([copied, *others])
    assert more.files[0].claims == alone.files[0].claims
    assert set(alone.claims) <= set(more.claims)
    assert not people_of_files(others).accused


def test_levels_add_up_to_one_and_a_half() -> None:
    weights = [2 * Levels.of_file(i).weight for i in range(2, 5000)]
    assert Levels.of_file(1).weight == 1
    assert 1 + sum(weights) == pytest.approx(1.5, abs=1e-3)
    assert sum(Levels().of(holdout=True).values()) == pytest.approx(0.01)
    assert sum(Levels().of(holdout=False).values()) == pytest.approx(0.01)


def test_intervals_hold_the_number_of_copied_people() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(200):
        chance = rng.hypergeometric(280, 300, 40)
        out = beyond_labels(20 + chance, 40 - chance, 300, 300)
        inside += out.low <= 20 <= out.high
    assert inside >= 185
    out = beyond_duplicates(60, 80, 0.5, 300)
    assert out.low < out.estimate == 40 < out.high


def test_an_estimate_lies_between_its_limits_where_everybody_is_copied() -> None:
    out = beyond_labels(1000, 11, 1000, 500)
    assert out.low == out.estimate == out.high == 1000


def test_frames_are_asked_as_they_are(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    numbered = original.assign(id=np.arange(200))
    replica = people_of(rng, 200).assign(id=np.arange(200), extra=1)
    out = people(
        numbered,
        [replica, mixed(original).assign(id=np.arange(200))],
        holdout.assign(id=np.arange(200)),
    )
    assert Claim.COPY in out.claims
    assert out.running == ("id",)
    assert out.absent == ("extra",)
    lacking = people(original, people_of(rng, 200), holdout.drop(columns="rent"))
    assert lacking.holdout == "lacks columns"
    with pytest.raises(ColumnError):
        people(original, replica, variables=["age", "nowhere"])
    with pytest.raises(DataError):
        people_of_files([])


def test_text_instead_of_numbers_is_named(rng: np.random.Generator, original: pd.DataFrame) -> None:
    replica = people_of(rng, 200)
    replica["income"] = np.where(replica["income"] > 5000, "much", "little")
    out = people(original, replica)
    assert out.left_out == ("income",)
    assert Claim.LEFT_OUT in out.claims


def test_a_pair_of_a_review_gives_the_same(
    rng: np.random.Generator, original: pd.DataFrame, holdout: pd.DataFrame
) -> None:
    from sdcmetrics.measures.pair import Pair
    from sdcmetrics.microdata.frames import as_microdata

    replica = with_copies(rng, original, 30)
    files = [as_microdata(x, name) for x, name in ((original, "original"), (replica, "r"))]
    pair = Pair("r", files[0], files[1:], as_microdata(holdout, "holdout"))

    class Options:
        seed = 1

    class Plan:
        options, sample = Options(), None

    (given,) = SUBJECT.kinds[0].places(pair, Plan(), lambda _: None)
    assert given.result.claims == people(original, replica, holdout).claims
    assert sdc.__name__ == "sdcmetrics"


def test_flags_in_other_words_are_still_the_original_renamed(rng: np.random.Generator) -> None:
    flags = pd.DataFrame(rng.integers(0, 2, (150, 6)), columns=list("abcdef"))
    flags["a"] = flags["b"] & flags["c"]
    words = mixed(flags).replace({0: "without", 1: "with"})
    out = people(flags, words)
    assert Claim.RENAMED in out.claims
    assert out.left_out == tuple("abcdef")
    assert Claim.RENAMED not in people(flags, mixed(words.assign(a=words["d"]))).claims


@pytest.mark.parametrize("h", [300, 3000])
def test_a_small_holdout_cannot_deny_copies_and_a_large_one_confirms_them(h: int) -> None:
    # with a tenth as many people held out, hits by chance are many, and 300 copies no label tells:
    # they were said to be contradicted
    def people(rng: np.random.Generator, n: int) -> pd.DataFrame:
        number = rng.integers(0, 12_000, n)
        return pd.DataFrame({"a": (number // 100).astype(str), "b": (number % 100).astype(str)})

    for seed in range(3):
        rng = np.random.default_rng([4, seed])
        original, others, aside = people(rng, 3000), people(rng, 3000), people(rng, h)
        copied = mixed(pd.concat([original[:300], others[300:]], ignore_index=True))
        claims = set(whose_records(records(original, copied, aside)).claims)
        assert claims & {Claim.HOLDS, Claim.EITHER}
        assert Claim.HOLDS in claims or h < 3000
        assert not claims & {Claim.VOID, Claim.UNDECIDED}
        fresh = whose_records(records(original, others, aside))
        assert not fresh.claims
        assert fresh.noticed is not None
        assert fresh.noticed < 300
