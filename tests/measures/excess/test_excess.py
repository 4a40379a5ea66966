"""The procedure: statuses, their reasons, and several files handed out together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.measures.excess import excess as procedure
from sdcmetrics.measures.excess.excess import excess_of_files, united
from sdcmetrics.measures.excess.places import excess_disclosure
from sdcmetrics.measures.excess.questions import IN_GROUPS, Scenario, questions_of
from sdcmetrics.measures.excess.result import Excess, ExcessOfFiles, Question
from sdcmetrics.measures.records import Records
from tests.measures.excess.people import KEYS, asked, excess, people, records

ALL = Scenario(KEYS, ("income", "vote"))
HOLDOUTS = pytest.mark.parametrize("h", [300, 60, 0])


def files(seed: int, h: int) -> tuple[np.random.Generator, pd.DataFrame, pd.DataFrame | None]:
    rng = np.random.default_rng(seed)
    return rng, people(rng, 300), people(rng, h) if h else None


@HOLDOUTS
@pytest.mark.parametrize("m", [60, 300, 1500])
def test_other_people_are_within(m: int, h: int) -> None:
    rng, original, holdout = files(1, h)
    result = excess(records(original, people(rng, m), holdout), [ALL])
    assert result.status(people_alarm=True) == "within"
    assert [question.name for question in result.questions] == asked("income", "vote")
    assert result.copyable
    assert result.basis == ("holdout" if h else "other people")


@HOLDOUTS
def test_a_copy_fails_without_a_holdout_beside_people_only(h: int) -> None:
    rng, original, holdout = files(2, h)
    shuffled = original.sample(frac=1, random_state=3)
    result = excess(records(original, shuffled, holdout), [ALL])
    assert result.status(people_alarm=True) == "fail"
    assert result.status(people_alarm=False) == ("fail" if h else "review")
    assert bool(result.failing(people_alarm=False)) == (h > 0)
    assert result.worst is not None
    assert result.worst.position == pytest.approx(1, abs=0.1 if h else 1e-9)
    assert rng is not None


@HOLDOUTS
def test_a_part_that_is_copied_asks_for_a_look(h: int) -> None:
    rng, original, holdout = files(4, h)
    part = pd.concat([original.iloc[:60], people(rng, 240)])
    result = excess(records(original, part, holdout), [ALL])
    assert result.status(people_alarm=True) == "review"
    flagged = [question for question in result.questions if question.flagged]
    assert all(item.excess >= 1 and item.p <= 0.005 for item in flagged)
    assert all(0.05 < item.position < 0.5 for item in flagged if item.position is not None)


@pytest.mark.parametrize(("h", "ours"), [(300, 270), (300, 295), (300, 150), (60, 50)])
def test_a_holdout_with_people_of_the_original_hides_nothing(h: int, ours: int) -> None:
    # beside such a holdout alone these files were "within" or not judged
    for seed in range(3):
        rng = np.random.default_rng([5, seed])
        original, others, aside = people(rng, 300), people(rng, 300), people(rng, h)
        part = pd.concat([original.iloc[100:160], others[60:]])
        overlapping = pd.concat([original[:ours], aside[ours:]], ignore_index=True)
        result = excess(records(original, part, overlapping), [ALL])
        assert result.status(people_alarm=False) == "review"
        assert result.basis == "other people"
        fresh = excess(records(original, others, overlapping), [ALL])
        assert fresh.status(people_alarm=True) == "within"


def test_a_copy_fails_beside_a_holdout_with_people_of_the_original() -> None:
    rng, original, holdout = files(2, 300)
    overlapping = pd.concat([original[:200], holdout[200:]], ignore_index=True)  # type: ignore[index]
    result = excess(records(original, original.sample(frac=1, random_state=3), overlapping), [ALL])
    assert result.basis == "holdout"
    assert result.status(people_alarm=False) == "fail"
    assert rng is not None


def test_keys_and_values_that_are_jittered_show_in_groups() -> None:
    rng, original, holdout = files(5, 300)
    jittered = original.assign(
        age=original["age"] + rng.normal(0, 0.01, 300),
        income=original["income"] * (1 + 1e-6 * rng.normal(size=300)),
    )
    result = excess(records(original, jittered, holdout), [ALL])
    assert result.status(people_alarm=False) == "fail"
    assert {question.encoding for question in result.questions if question.failed} == {IN_GROUPS}


def test_shares_of_either_side_make_the_excess() -> None:
    _, original, holdout = files(6, 300)
    result = excess(records(original, original, holdout), [Scenario(KEYS, ("vote",))])
    for question in result.questions:
        assert question.excess == pytest.approx(question.original - question.others)
        assert question.n == 300


def test_a_share_above_what_a_copy_has_is_not_shown() -> None:
    rng, original, _ = files(7, 0)
    sure = original.assign(vote=np.where(original["age"] > 48, "left", "right"))
    told = pd.concat([original.assign(vote="left"), sure]).sample(300, random_state=1)
    told["region"] = "1"
    result = excess(records(original.assign(region="1"), told), [Scenario(("age",), ("vote",))])
    over = [
        question
        for question in result.questions
        if question.share is not None and question.share > 1.2
    ]
    assert all(item.position is None for item in over)
    assert rng is not None


def test_where_a_copy_would_not_be_noticed_it_is_not_judged() -> None:
    rng = np.random.default_rng(8)
    original, replica = (
        pd.DataFrame(rng.integers(0, 2, (200, 3)), columns=list("abc")) for _ in range(2)
    )
    result = excess(records(original, replica), [Scenario(("a", "b"), ("c",))])
    assert (result.reason, result.copyable) == ("nothing copyable", ())
    assert result.silent == ("a, b -> c", "alone with a, b")
    assert result.status(people_alarm=True) == "not judged"


def test_a_small_holdout_that_cannot_speak_gives_way_to_other_people() -> None:
    rng = np.random.default_rng(9)
    original, replica, holdout = (people(rng, n) for n in (600, 600, 3))
    result = excess(records(original, replica, holdout), [ALL])
    assert result.basis == "other people"
    assert result.status(people_alarm=True) == "within"


def test_no_keys_and_other_words_are_not_judged() -> None:
    rng, original, _ = files(10, 0)
    replica = people(rng, 300)
    assert excess(records(original, replica), []).reason == "no keys"
    units = replica.assign(income=replica["income"] * 100)
    some = excess(records(original, units), [ALL])
    assert (some.other_words, some.reason) == (("income",), "other words")
    assert [question.name for question in some.questions] == asked("vote")
    assert some.status(people_alarm=False) == "not judged"
    renamed = replica.assign(region="R" + replica["region"])
    none = excess(records(original, renamed), [ALL])
    assert (none.other_words, none.n_questions, none.reason) == (("region",), 0, "other words")
    assert none.status(people_alarm=False) == "not judged"


def test_a_holdout_of_other_people_than_the_population_is_drift() -> None:
    rng, original, _ = files(31, 0)
    elsewhere = people(rng, 300)
    elsewhere["region"] = "z" + elsewhere["region"]
    result = excess(records(original, people(rng, 300), elsewhere), [Scenario(KEYS, ("vote",))])
    assert result.drifted
    assert not result.flags
    assert (result.reason, result.status(people_alarm=True)) == ("drift", "not judged")


def test_what_is_learnt_of_everybody_is_named() -> None:
    rng, original, _ = files(12, 0)
    frames = [item.assign(old=item["age"] >= 65) for item in (original, people(rng, 300))]
    result = excess(records(*frames), [Scenario(("age",), ("old", "vote"))])
    (keys, target, percent), *others = result.certain
    assert (keys, target) == (("age",), "old")
    once = frames[0]["age"].map(frames[0]["age"].value_counts()) == 1
    assert percent == pytest.approx(100 * (1 - once.mean()))  # whoever is of an age with somebody
    assert not others


def test_questions_are_asked_once() -> None:
    scenarios = [Scenario(("a", "b"), ("c", "d")), Scenario(("b", "a"), ("c",)), Scenario(("a",))]
    names = [item.name for item in questions_of(scenarios)]
    assert names == ["a, b -> c", "a, b -> d", "alone with a, b", "alone with a"]


def test_the_same_seed_gives_the_same_result() -> None:
    rng, original, _ = files(13, 0)
    data = records(original, pd.concat([original.iloc[:60], people(rng, 240)]))
    assert excess(data, [ALL]).questions == excess(data, [ALL]).questions


def partly_copied(
    rng: np.random.Generator, original: pd.DataFrame, shares: list[int]
) -> list[pd.DataFrame]:
    return [pd.concat([original.iloc[:k], people(rng, 300 - k)]) for k in shares]


def test_a_further_file_adds_a_flag_and_takes_none_away() -> None:
    rng, original, _ = files(14, 0)
    result = None
    copied, *others = partly_copied(rng, original, [300, 0, 0])
    for frames in ([copied], [copied, others[0]], [copied, *others]):
        before, result = result, excess_disclosure(original, frames, keys=list(KEYS))
        assert result.status(people_alarm=True) == "fail"
        if before is not None:
            assert set(before.flags) <= set(result.flags)
            assert set(before.fails) <= set(result.fails)
            first = [replace(item, file="") for item in (before.files[0], result.files[0])]
            assert first[0].questions == first[1].questions
    late = excess_disclosure(original, [*others, copied], keys=list(KEYS))
    assert late.files[0].status(people_alarm=True) == "within"
    assert late.status(people_alarm=True) == "fail"
    assert [file.file for file in late.files] == [
        "file 1",
        "file 2",
        "files 1 to 2",
        "file 3",
        "files 1 to 3",
    ]


def test_further_files_share_half_of_the_level_however_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = files(17, 0)[1]
    data = [records(original, original.sample(frac=1, random_state=i)) for i in range(5)]
    looks = []

    def look(part: Records, _scenarios: object, rule: Any, first: Excess, *_: object) -> Excess:
        looks.append((part.m, rule.weight, rule.seed))
        return first

    monkeypatch.setattr(procedure, "_further_look", look)
    result = excess_of_files(data, [Scenario(("age",), ("vote",))])
    assert [m for m, _, _ in looks] == [300, 600, 300, 900, 300, 1200, 300, 1500]
    weights = [weight for _, weight, _ in looks]
    assert weights == [1 / k for k in (12, 12, 24, 24, 40, 40, 60, 60)]
    # 1 / 2 less what is left for later files: the sum of 1 / (i (i + 1)) from 2 on
    assert sum(weights) == pytest.approx(1 / 2 - 1 / 6)
    assert len({seed for _, _, seed in looks}) == 8

    looks.clear()
    procedure.excess_together(result, data[:2], data[2:4], [Scenario(("age",), ("vote",))])
    assert [m for m, _, _ in looks] == [600, 900, 900, 1200]
    assert [weight for _, weight, _ in looks] == [1 / 12, 1 / 24, 1 / 24, 1 / 40]
    assert len({seed for _, _, seed in looks}) == 4


def test_several_files_of_other_people_are_within() -> None:
    rng, original, holdout = files(15, 300)
    frames = partly_copied(rng, original, [0, 0, 0])
    for aside in (holdout, None):
        result = excess_disclosure(original, frames, aside, keys=list(KEYS))
        assert result.status(people_alarm=True) == "within"
        assert result.copyable


def test_files_as_one_have_all_records() -> None:
    rng, original, _ = files(16, 0)
    data = [records(original, original.iloc[:k]) for k in (100, 50)]
    whole = united(data)
    assert (whole.n, whole.m) == (300, 150)
    assert all(len(column.replica) == 150 for column in whole.columns)
    with pytest.raises(DataError, match="one original"):
        united([data[0], records(original.iloc[:20], original)])
    with pytest.raises(DataError, match="at least one"):
        excess_of_files([], [ALL])
    assert rng is not None


def question(**given: object) -> Question:
    values: dict[str, object] = {
        "keys": ("a",), "target": "b", "name": "a -> b", "excess": 2.0, "p": 0.5,
        "position": None, "share": None, "flagged": False, "failed": False,
        "failed_if_people": False, "copyable": True, "drift": False, "encoding": "as they are",
        "original": 3.0, "others": 1.0, "n": 9,
    }  # fmt: skip
    return Question(**(values | given))  # type: ignore[arg-type]  # as tests give them


def test_of_several_files_the_worst_counts_and_copies_of_the_first() -> None:
    calm, flagged = question(copyable=False), question(flagged=True, p=0.001, copyable=True)
    first, second = Excess("", "holdout", (calm,)), Excess("", "holdout", (flagged,))
    both = ExcessOfFiles((first, second))
    assert both.status(people_alarm=False) == "review"
    assert (both.flags, both.copyable, both.silent) == (("a -> b",), (), ("a -> b",))
    assert both.n_questions == 1
    drifting = ExcessOfFiles((first, Excess("drift", "holdout", (question(drift=True),))))
    assert (drifting.status(people_alarm=False), drifting.reason) == ("not judged", "drift")
    assert drifting.drift


class TestFrames:
    def test_targets_are_all_other_columns(self) -> None:
        rng, original, _ = files(17, 0)
        result = excess_disclosure(original, people(rng, 300), keys=["age"])
        assert [question.target for question in result.questions] == [
            "region",
            "income",
            "vote",
            "",
        ]

    def test_a_column_that_the_replica_lacks_is_not_asked_for(self) -> None:
        rng, original, _ = files(18, 0)
        replica = people(rng, 300).drop(columns="income")
        result = excess_disclosure(original, replica, keys=list(KEYS))
        assert result.other_words == ("income",)
        assert [question.name for question in result.questions] == asked("vote")

    def test_a_column_that_cannot_be_compared_is_not_asked_for(self) -> None:
        rng, original, _ = files(19, 0)
        replica = people(rng, 300).assign(income="high")
        result = excess_disclosure(original, replica, keys=list(KEYS))
        assert result.other_words == ("income",)

    def test_a_holdout_that_lacks_a_column_is_not_used(self) -> None:
        rng, original, holdout = files(20, 300)
        assert holdout is not None
        short = holdout.drop(columns="income")
        result = excess_disclosure(original, people(rng, 300), short, keys=list(KEYS))
        assert result.basis == "other people"
        assert result.n_questions == 3

    def test_clusters_are_named_by_a_column(self) -> None:
        rng, original, _ = files(21, 0)
        frames = [item.assign(home=np.arange(300) // 2) for item in (original, people(rng, 300))]
        result = excess_disclosure(*frames, keys=list(KEYS), cluster="home")
        assert result.cluster == "home"
        assert "home" not in [question.target for question in result.questions]

    @pytest.mark.parametrize("role", ["keys", "targets", "cluster"])
    def test_names_are_checked(self, role: str) -> None:
        _, original, _ = files(22, 0)
        names = {"keys": ["age"], role: "ages" if role == "cluster" else ["ages"]}
        with pytest.raises(ColumnError, match="'ages' is not a column of original"):
            excess_disclosure(original, original, **names)  # type: ignore[arg-type]


_ROUTES = np.random.default_rng(7).integers(0, [[14], [3], [100], [2600]], (4, 600))


def trips(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw trips: whoever knows day, line and start often knows where to, and no fares agree."""
    share = np.arange(1, 601) ** -0.9
    line, start, to, miles = _ROUTES[:, rng.choice(600, n, p=share / share.sum())]
    text = pd.DataFrame({"line": line, "start": start, "to": to}).astype(str)
    day, fare = rng.integers(0, 365, n), np.round(rng.gamma(2, 40, n), 4)
    return text.assign(miles=miles, day=day, fare=fare)


TRIPS = Scenario(("day", "line", "start"), ("to", "miles"))


def several_times(rng: np.random.Generator, frame: pd.DataFrame, how: str) -> pd.DataFrame:
    n = len(frame)
    rows = {
        "one to five times": np.repeat(np.arange(n), rng.integers(1, 6, n)),
        "drawn again": rng.integers(0, n, n),
        "drawn three times": rng.integers(0, n, 3 * n),
    }[how]
    return frame.iloc[rows].reset_index(drop=True)


@pytest.mark.parametrize("how", ["one to five times", "drawn again", "drawn three times"])
def test_other_people_whose_records_are_repeated_are_not_flagged(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = 0
    for seed in range(1, 4):
        rng = np.random.default_rng(seed)
        original, others = trips(rng, 2_000), trips(rng, 2_000)
        data = records(original, several_times(rng, others, how))
        assert not excess(data, [TRIPS]).flags
        monkeypatch.setattr(Records, "different", lambda _: None)  # as if each were a draw
        before += bool(excess(data, [TRIPS]).flags)
        monkeypatch.undo()
        fifth = pd.concat([original[:400], others[400:]], ignore_index=True)
        assert excess(records(original, several_times(rng, fifth, how)), [TRIPS]).flags
    assert before == 3


@pytest.mark.parametrize(
    ("original", "replica", "rows"),
    [
        (range(8), [1, 1, 2, 2, 3, 3, 3, 9], [0, 2, 4, 7]),
        (range(8), [1, 1, 2, 2, 3, 4, 5, 6], None),  # half is alone
        ([1, 1, 2, 2, 3, 3, 4, 4], [5, 5, 6, 6, 7, 7, 8, 8], None),  # as the original does
        ([1, 1, 2, 2, 3, 3, 4, 5], [5, 5, 5, 6, 6, 6, 6, 7], [0, 3, 7]),  # 5 are more than 4.5
        ([1, 1, 2, 2, 3, 3, 4, 4], [5, 5, 5, 6, 6, 6, 6, 7], None),
    ],
)
def test_different_records_are_those_of_a_replica_that_repeats_more(
    original: Any, replica: Any, rows: Any
) -> None:
    frames = [pd.DataFrame({"x": list(x), "y": "a"}) for x in (original, replica)]
    data = records(*frames)
    different = data.different()
    if rows is None:
        assert different is None
    else:
        assert different is not None
        assert different.m == len(rows)
        assert different.columns[0].replica.tolist() == data.columns[0].replica[rows].tolist()
        assert different.columns[0].original.tolist() == data.columns[0].original.tolist()


@pytest.mark.parametrize(
    ("fails", "holdout", "others", "basis"),
    [
        (True, True, True, "holdout"),
        (False, True, True, "other people"),
        (False, True, False, "holdout"),
        (False, False, True, "other people"),
        (False, False, False, "other people"),
    ],
)
def test_of_both_looks_the_stricter_one_stands(
    monkeypatch: pytest.MonkeyPatch, *, fails: bool, holdout: bool, others: bool, basis: str
) -> None:
    weights = {}

    def look(data: Records, _: Any, rule: Any, __: Any) -> Excess:
        weights[bool(data.h)] = rule.weight
        flagged = holdout if data.h else others
        questions = (question(flagged=flagged, failed=fails and data.h > 0),)
        return Excess("", "holdout" if data.h else "other people", questions)

    monkeypatch.setattr(procedure, "_first_look", look)
    monkeypatch.setattr(procedure, "holdout_overlaps", lambda *_: True)
    _, original, aside = files(7, 60)
    assert excess(records(original, original, aside), [ALL]).basis == basis
    assert weights[True] == 0.5  # of the level: two are asked
    assert weights.get(False, 1) == 1
