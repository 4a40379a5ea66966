"""What a file is asked, and what of the answers is flagged, fails or is shown."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess import asking as module
from sdcmetrics.measures.excess.asking import (
    Asking,
    Rule,
    SelfTest,
    _confirmed,
    _effective,
    _of_family,
    _own_excess,
    asked_questions,
    asking_of,
    has_values,
    original_itself,
)
from sdcmetrics.measures.excess.exchange import Family
from sdcmetrics.measures.excess.questions import AS_THEY_ARE, IN_GROUPS, KeyQuestion, Scenario
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.columns import Kind

RULE = Rule(points=1.0, chance=0.01, limit=0.5, seed=1)
NONE = np.zeros(0, dtype=np.int64)


def column(name: str, *parts: Any) -> Column:
    return Column(name, Kind.CATEGORY, *map(np.array, parts))


def files(*, h: int = 0, cluster: Column | None = None) -> Records:
    """Return six records of the original, three of the replica and so many of a holdout."""
    parts = ([0, 0, 1, 1, 2, 2], [0, 1, 2], *([[0, 1, 2, 0][:h]] if h else []))
    return Records((column("k", *parts), column("t", *parts)), 6, 3, h, cluster)


def test_a_level_is_of_one_encoding_and_of_a_file_by_its_weight() -> None:
    assert (RULE.level, RULE.sure) == (0.005, 0.001)
    further = replace(RULE, weight=0.25)
    assert (further.level, further.sure) == pytest.approx((0.00125, 0.00025))
    seeds = [RULE.stream(0), RULE.stream(1), RULE.stream(1, 1), replace(RULE, seed=2).stream(0)]
    assert len(set(seeds)) == 4
    assert RULE.stream(1) == RULE.stream(1, 0)


@pytest.mark.parametrize(("values", "there"), [(None, False), ([], False), ([3], True)])
def test_values_are_there_from_one_on(values: list[int] | None, *, there: bool) -> None:
    assert has_values(None if values is None else np.array(values)) is there


def test_clusters_count_in_place_of_records() -> None:
    assert _effective(files()) == (6, 3)
    assert _effective(files(h=4)) == (10, 3)
    homes = column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2])
    assert _effective(files(cluster=homes)) == (3, 2)
    assert _effective(files(h=4, cluster=replace(homes, holdout=np.array([7, 7, 7, 8])))) == (5, 2)
    assert _effective(files(cluster=replace(homes, replica=NONE))) == (3, 3)


@pytest.mark.parametrize(
    ("cluster", "h", "reason", "held"),
    [
        (None, 4, "", 4),
        (column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2], [5, 5, 6, 6]), 4, "", 4),
        (column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2], []), 4, "", 0),
        (column("home", [1, 1, 2, 2, 3, 3], [], [5, 5, 6, 6]), 4, "", 4),
        (column("home", [1, 1, 2, 2, 3, 3], [], []), 4, "clusters", 0),
        (column("home", [1, 1, 2, 2, 3, 3], []), 0, "clusters", 0),
        (column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2]), 0, "", 0),
    ],
)
def test_labels_are_exchanged_between_files_that_say_what_belongs_together(
    cluster: Column | None, h: int, reason: str, held: int
) -> None:
    asking = asking_of(files(h=h, cluster=cluster), [Scenario(("k",), ("t",))])
    assert (asking.reason, asking.records.h) == (reason, held)
    assert [question.name for question in asking.questions] == (
        [] if reason else ["k -> t", *([] if cluster else ["alone with k"])]
    )


def test_clusters_are_those_of_the_sides_that_are_exchanged() -> None:
    homes = column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2], [5, 5, 6, 6])
    asking = Asking(files(h=4, cluster=homes), (), ())
    beside = asking.clusters(holdout=True)
    replica = asking.clusters(holdout=False)
    assert beside is not None
    assert replica is not None
    assert beside.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert replica.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert Asking(files(), (), ()).clusters(holdout=True) is None
    alone = Asking(files(cluster=replace(homes, holdout=None)), (), ())
    assert alone.clusters(holdout=True) is None


def test_a_column_that_one_question_needs_stops_no_other() -> None:
    missing = files()
    asking = asking_of(missing, [Scenario(("k",), ("t", "absent"))])
    assert (asking.reason, asking.other_words) == ("", ("absent",))
    assert [question.name for question in asking.questions] == ["k -> t", "alone with k"]
    assert [column.name for column in asking.columns] == ["k", "t"]
    none = asking_of(missing, [Scenario(("absent",), ("t",))])
    assert (none.reason, none.questions, none.other_words) == ("other words", (), ("absent",))


def family(excess: list[float], p: list[float], copy: Any = None) -> Family:
    return Family(np.array(excess) + 10.0, np.full(len(excess), 10.0), np.array(p), copy)


def judged(
    excess: float, p: float, own: float, *, flagged: bool, confirmed: bool, h: int = 0
) -> Any:
    (out,) = _of_family(
        Asking(files(h=h), (KeyQuestion(("k",), "t"),), ()),
        RULE,
        IN_GROUPS,
        family([excess], [p]),
        np.array([flagged]),
        np.array([confirmed]),
        np.array([own]),
    )
    return out


def test_a_question_has_both_shares_and_their_difference() -> None:
    one = judged(3.0, 0.002, 4.0, flagged=True, confirmed=True)
    assert (one.keys, one.target, one.name, one.encoding) == (("k",), "t", "k -> t", IN_GROUPS)
    assert (one.original, one.others, one.excess, one.p, one.n) == (13, 10, 3, 0.002, 6)
    assert (one.share, one.position) == (0.75, 0.75)
    assert not one.copyable


@pytest.mark.parametrize(
    ("excess", "own", "share", "shown"),
    [
        (3.0, 1.0, 3.0, None),  # of a point, it is a share, above 1.2 none that says anything
        (3.0, 0.99, None, None),
        (3.0, float("nan"), None, None),
        (3.0, 2.5, 1.2, 1.2),
        (3.0, 2.49, 3 / 2.49, None),
    ],
)
def test_a_share_of_what_the_original_itself_has(
    excess: float, own: float, share: float | None, shown: float | None
) -> None:
    one = judged(excess, 0.5, own, flagged=False, confirmed=False)
    assert (one.share, one.position) == (share, shown)


@pytest.mark.parametrize(
    ("excess", "p", "own", "confirmed", "fails"),
    [
        (2.0, 0.001, 4.0, True, True),  # half of a copy's, at a tenth of the chance
        (1.99, 0.001, 4.0, True, False),
        (2.0, 0.0011, 4.0, True, False),
        (2.0, 0.001, 4.0, False, False),
        (2.0, 0.001, 0.9, True, False),
    ],
)
def test_what_fails_and_what_drifts(
    excess: float, p: float, own: float, *, confirmed: bool, fails: bool
) -> None:
    for h in (0, 1):
        one = judged(excess, p, own, flagged=True, confirmed=confirmed, h=h)
        assert one.flagged is confirmed
        assert one.drift is not confirmed
        assert one.failed_if_people is fails
        assert one.failed is (fails and h > 0)
    assert not judged(excess, p, own, flagged=False, confirmed=False).drift


def test_the_excess_of_the_original_itself_is_asked_where_something_is_flagged() -> None:
    asking = Asking(files(), (KeyQuestion(("k",), "t"),), ())
    tested = SelfTest(np.array([True]), {AS_THEY_ARE: np.array([5.0])})
    yes, no = np.array([True]), np.array([False])
    own = family([2.0], [0.001], lambda: np.array([7.0]))
    assert np.isnan(_own_excess(asking, RULE, AS_THEY_ARE, own, no, tested)).all()
    assert _own_excess(asking, RULE, AS_THEY_ARE, own, yes, tested).tolist() == [7]
    without = family([2.0], [0.001])
    assert _own_excess(asking, RULE, AS_THEY_ARE, without, yes, tested).tolist() == [5]


@pytest.mark.parametrize("given", [None, {"x": np.array([1.0])}])
def test_it_is_found_where_nobody_has_found_it(
    given: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = Asking(files(), (KeyQuestion(("k",), "t"),), ())
    result = SelfTest(np.array([True]), {AS_THEY_ARE: np.array([6.0])})
    monkeypatch.setattr(module, "original_itself", lambda *_: result)
    tested = None if given is None else SelfTest(np.array([False]), given)
    # in groups is as they are, where no number is grouped
    own = _own_excess(asking, RULE, IN_GROUPS, family([2.0], [0.001]), np.array([True]), tested)
    assert own.tolist() == [6]


@pytest.mark.parametrize(
    ("cluster", "h", "m", "clusters"),
    [
        (None, 0, 3, None),
        (None, 4, 3, None),
        (column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2]), 0, 6, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
        (
            column("home", [1, 1, 2, 2, 3, 3], [1, 1, 2], [5, 5, 6, 6]),
            4,
            6,
            [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
        ),
    ],
)
def test_the_original_stands_in_the_place_of_as_many_records(
    cluster: Column | None, h: int, m: int, clusters: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def test(columns: Any, sizes: Any, questions: Any, **given: Any) -> Any:
        calls.append((sizes, given["clusters"], given["level"], given["sure"], given["seed"]))
        return SimpleNamespace(columns=columns, questions=questions)

    monkeypatch.setattr(module, "self_test", test)
    shared: dict[Any, Any] = {}
    asking = Asking(files(h=h, cluster=cluster), (KeyQuestion(("k",), "t"),), ())
    for _ in range(2):
        original_itself(asking, RULE, shared)
    ((sizes, numbers, *rule),) = calls
    assert sizes == (6, m, h)
    assert (None if numbers is None else numbers.tolist()) == clusters
    assert rule == [0.005, 0.001, RULE.stream(0)]


def test_flags_beside_a_holdout_count_where_other_people_confirm_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asking = Asking(
        files(h=4), (KeyQuestion(("k",), "t"), KeyQuestion(("k",)), KeyQuestion(("t",))), ()
    )
    pools: list[tuple[int, ...]] = []

    def other_people(pool: Any, *_: Any, **given: Any) -> Family:
        pools.append(pool.sizes)
        assert given["quick"]
        assert (given["when"].level, given["when"].draws) == (0.1, 1999)
        assert given["matters"](None).tolist() == [True, True, False]
        return family([2.0, 2.0, 2.0], [0.1, 0.11, 0.0])

    monkeypatch.setattr(module, "over_other_people", other_people)
    flagged = np.array([True, True, False])
    assert _confirmed(asking, RULE, AS_THEY_ARE, flagged, 1).tolist() == [True, False, False]
    assert pools == [(6, 3)]
    nothing = np.zeros(3, dtype=np.bool_)
    assert _confirmed(asking, RULE, AS_THEY_ARE, nothing, 1) is nothing
    homes = column("home", [1, 1, 2, 2, 3, 3], [], [5, 5, 6, 6])
    unsaid = Asking(files(h=4, cluster=homes), asking.questions, ())
    assert _confirmed(unsaid, RULE, AS_THEY_ARE, flagged, 1) is flagged
    assert len(pools) == 1


@pytest.mark.parametrize(
    ("excess", "flagged", "fails", "copies", "asked"),
    [
        (2.0, False, False, 0, True),
        (1.0, False, False, 0, True),
        (0.9, False, False, 0, False),
        (0.9, True, False, 0, False),
        (2.0, False, True, 0, False),  # it fails already
        (2.0, True, False, 1, False),  # half of what a copy has would fail it, and no less
        (3.0, True, False, 1, True),
        (2.0, True, False, None, True),  # what a copy has is not known
    ],
)
def test_of_a_further_file_is_asked_what_earlier_ones_leave_open(
    excess: float,
    flagged: bool,
    fails: bool,
    copies: int | None,
    *,
    asked: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted: list[list[bool]] = []
    counted: list[int] = []

    def copy() -> Any:
        counted.append(1)
        return np.array([6.0, 6.0])

    def people(*_: Any, matters: Any, **__: Any) -> Family:
        own = family([excess, 5.0], [1.0, 1.0], None if copies is None else copy)
        wanted.append(matters(own).tolist())
        return own

    monkeypatch.setattr(module, "over_people", people)
    asking = Asking(files(), (KeyQuestion(("k",), "t"), KeyQuestion(("k",))), ())
    so_far: Any = [SimpleNamespace(name="k -> t", flagged=flagged, failed_if_people=fails)]
    asked_questions(asking, RULE, None, so_far)
    assert wanted == [[asked, True]]
    assert len(counted) == (copies or 0)  # a copy is counted where it decides


def test_of_both_encodings_that_counts_which_says_most(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.arange(12.0)
    parts = numbers, numbers[:6]
    records = Records((Column("x", Kind.NUMBER, *parts), Column("t", Kind.NUMBER, *parts)), 12, 6)
    asking = Asking(records, (KeyQuestion(("x",), "t"), KeyQuestion(("x",))), ())

    def people(_pool: Any, _questions: Any, encoding: str, **_: Any) -> Family:
        p = [0.002, 0.5] if encoding == IN_GROUPS else [0.004, 0.003]
        return family([2.0, 2.0], p, lambda: np.array([9.0, 9.0]))

    monkeypatch.setattr(module, "over_people", people)
    tested = SelfTest(np.array([True, False]), {})
    first, second = asked_questions(asking, RULE, tested, [])
    assert (first.encoding, first.p, first.flagged, first.copyable) == (
        IN_GROUPS,
        0.002,
        True,
        True,
    )
    assert (second.encoding, second.p, second.copyable) == (AS_THEY_ARE, 0.003, False)
    assert not first.drift
    first, _ = asked_questions(asking, RULE, None, [])
    assert not first.copyable
