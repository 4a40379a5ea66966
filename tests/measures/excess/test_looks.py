"""Which look is made of which file, and what several looks say together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess import excess as module
from sdcmetrics.measures.excess.asking import Rule, SelfTest
from sdcmetrics.measures.excess.excess import excess_of_files, excess_together, united
from sdcmetrics.measures.excess.result import Excess, ExcessOfFiles, Question
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.columns import Kind
from tests.measures.excess.test_excess import question

RULE = Rule(1.0, 0.01, 0.5, 1)


def records(n: int = 6, h: int = 0, *, replica: bool = True, homes: bool = False) -> Records:
    holdout = np.zeros(h, dtype=np.int64) if h else None
    columns = (Column("k", Kind.CATEGORY, np.zeros(n, dtype=np.int64), np.zeros(3), holdout),)
    cluster = None
    if homes:
        numbers = np.arange(3 if replica else 0)
        cluster = Column("home", Kind.CATEGORY, np.arange(n), numbers, holdout)
    return Records(columns, n, 3, h, cluster)


def first_look(
    monkeypatch: pytest.MonkeyPatch,
    data: Records,
    questions: tuple[Question, ...],
    *,
    noticed: bool,
    words: tuple[str, ...] = (),
) -> tuple[Excess, list[int]]:
    """Judge a first file of which questions and self-test are given; and who was tested beside."""
    tested: list[int] = []

    def itself(asking: Any, *_: Any) -> SelfTest:
        tested.append(asking.records.h)
        return SelfTest(np.array([noticed]), {})

    monkeypatch.setattr(
        module, "asking_of", lambda given, *_: module.Asking(given, (), words, "", "")
    )
    monkeypatch.setattr(module, "original_itself", itself)
    monkeypatch.setattr(module, "asked_questions", lambda *_: questions)
    monkeypatch.setattr(module, "certain_of", lambda _: ("certain",))
    return module._first_look(data, [], RULE, {}), tested


@pytest.mark.parametrize(
    ("n", "h", "noticed", "homes", "replica", "beside", "basis"),
    [
        (7, 3, False, False, True, [3, 0], "other people"),  # less than half, and says nothing
        (6, 3, False, False, True, [3], "holdout"),
        (7, 3, True, False, True, [3], "holdout"),
        (7, 0, False, False, True, [0], "other people"),
        (7, 3, False, True, True, [3, 0], "other people"),
        (7, 3, False, True, False, [3], "holdout"),  # the replica's clusters are not known
    ],
)
def test_a_holdout_that_is_too_small_to_speak_gives_way(
    n: int,
    h: int,
    homes: bool,
    replica: bool,
    beside: list[int],
    basis: str,
    *,
    noticed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = records(n, h, homes=homes, replica=replica)
    look, tested = first_look(monkeypatch, data, (), noticed=noticed)
    assert (tested, look.basis) == (beside, basis)
    assert look.certain == ("certain",)
    assert (look.points, look.chance, look.limit) == (1.0, 0.01, 0.5)


@pytest.mark.parametrize(
    ("given", "noticed", "words", "reason", "of_a_further_file"),
    [
        ({"flagged": True}, False, ("x",), "", ""),
        ({"drift": True}, False, ("x",), "drift", "drift"),
        ({}, False, ("x",), "nothing copyable", "other words"),
        ({}, True, ("x",), "other words", "other words"),
        ({}, True, (), "", ""),
    ],
)
def test_why_nothing_is_flagged(
    given: dict[str, bool],
    noticed: bool,
    words: tuple[str, ...],
    reason: str,
    of_a_further_file: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = question(**given)
    look, _ = first_look(monkeypatch, records(), (one,), noticed=noticed, words=words)
    assert look.reason == reason
    further = module._further_look(records(), [], RULE, look, [])
    assert further.reason == of_a_further_file


@pytest.mark.parametrize(("basis", "h"), [("other people", 0), ("holdout", 3)])
def test_further_files_stand_beside_the_same_people(
    basis: Any, h: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def asking_of(given: Records, *_: Any) -> Any:
        asked.append(given.h)
        return module.Asking(given, (), (), "clusters", "home")

    monkeypatch.setattr(module, "asking_of", asking_of)
    look = module._further_look(records(7, 3), [], RULE, Excess("", basis), [])
    assert (asked, look.basis, look.reason, look.cluster) == ([h], basis, "clusters", "home")


@pytest.mark.parametrize(
    ("reason", "flagged_at", "looks", "earlier"),
    [
        ("", None, 4, 0),
        ("", 1, 2, 1),  # one earlier with two new
        ("", 2, 3, 2),  # then two earlier with one, which is flagged
        ("no keys", None, 0, 0),
        ("clusters", None, 0, 0),
        ("other words", None, 4, 0),
    ],
)
def test_files_together_with_earlier_ones(
    reason: Any, flagged_at: int | None, looks: int, earlier: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, float, int]] = []

    def look(data: Records, _: Any, rule: Rule, __: Any, so_far: Any) -> Excess:
        made.append((data.m, rule.weight, len(so_far)))
        flagged = flagged_at is not None and len(made) == flagged_at + 1
        return Excess("", "holdout", (question(flagged=flagged),))

    monkeypatch.setattr(module, "_further_look", look)
    result = ExcessOfFiles((Excess(reason, "holdout", (question(),)),))
    out = excess_together(result, [records()] * 2, [records()] * 2, [])
    assert made == [(6, 1 / 12, 1), (9, 1 / 24, 1), (9, 1 / 24, 1), (12, 1 / 40, 1)][:looks]
    assert out.earlier == earlier
    if earlier:
        names = ["files 1 to 2 and 1 file", "this file and 2 files"]
        assert [file.file for file in out.files] == ["", f"{names[earlier - 1]} handed out earlier"]
        assert out.only_together
    else:
        assert out is result


def test_files_have_names_where_there_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Excess("", "holdout", (question(),))
    so_far: list[int] = []
    monkeypatch.setattr(module, "_first_look", lambda *_: given)
    monkeypatch.setattr(
        module, "_further_look", lambda *rest: (so_far.append(len(rest[-1])), given)[1]
    )
    assert [file.file for file in excess_of_files([records()], []).files] == [""]
    three = excess_of_files([records()] * 3, [])
    assert [file.file for file in three.files][1:3] == ["file 2", "files 1 to 2"]
    assert so_far == [1, 2, 3, 4]


def test_files_as_one_are_of_one_codebook_and_lack_what_any_lacks() -> None:
    first = replace(records(), absent=("a",), incomparable=("b",))
    other = replace(records(), absent=("c", "a"), incomparable=("d",))
    both = united([first, other])
    assert (both.m, both.absent, both.incomparable) == (6, ("a", "c"), ("b", "d"))
    levels = replace(other, columns=(replace(other.columns[0], levels=("x",)),))
    with pytest.raises(Exception, match="column 'k': expected one list of levels"):
        united([first, levels])
    with pytest.raises(Exception, match="one original"):
        united([first, records(7)])
    with pytest.raises(Exception, match="over the same columns"):
        united([first, replace(other, columns=(replace(other.columns[0], name="z"),))])


SEVERE = [
    {"excess": 1.0, "p": 0.9},
    {"excess": 2.0, "p": 0.9},
    {"excess": 0.5, "p": 0.1},
    {"drift": True, "p": 1.0},
    {"flagged": True, "p": 1.0},
    {"failed_if_people": True, "p": 1.0},
    {"failed": True, "p": 1.0},
]


def test_questions_in_order_of_what_they_say() -> None:
    each = [question(name=str(i), **given) for i, given in enumerate(SEVERE)]
    assert sorted([*each[3:], *each[:3]], key=lambda item: item.severity) == each
    assert Excess("", "holdout", tuple(each)).worst is each[-1]
    assert Excess("", "holdout").worst is None


@pytest.mark.parametrize(
    ("given", "reason", "words", "alone", "beside_a_claim"),
    [
        ({"failed": True, "failed_if_people": True, "flagged": True}, "", (), "fail", "fail"),
        ({"failed_if_people": True, "flagged": True}, "", (), "review", "fail"),
        ({"flagged": True}, "other words", ("x",), "review", "review"),
        ({}, "drift", (), "not judged", "not judged"),
        ({}, "", ("x",), "not judged", "not judged"),
        ({}, "", (), "within", "within"),
    ],
)
def test_a_status(
    given: dict[str, Any], reason: Any, words: tuple[str, ...], alone: str, beside_a_claim: str
) -> None:
    one = Excess(reason, "other people", (question(**given),), words)
    assert one.status(people_alarm=False) == alone
    assert one.status(people_alarm=True) == beside_a_claim
    calm = Excess("", "other people", (question(),))
    for files in ((one, calm), (calm, one)):
        both = ExcessOfFiles(files)
        assert both.status(people_alarm=False) == alone
        assert both.other_words == words
        assert both.reason == ("" if given else reason)
        assert both.failing(people_alarm=True) == (
            ("a -> b",) if given.get("failed_if_people") else ()
        )


def test_what_a_copy_would_show_is_that_of_the_first_file() -> None:
    first, second = (
        Excess("", "holdout", tuple(question(name=name, copyable=name in names) for name in "ab"))
        for names in ("a", "b")
    )
    both = ExcessOfFiles((first, second))
    assert (both.copyable, both.silent) == (("a",), ("b",))


def test_drift_of_one_file_is_none_where_another_is_flagged() -> None:
    drifting, flagged = (
        Excess("", "holdout", (question(**given),))
        for given in ({"drift": True}, {"flagged": True})
    )
    assert ExcessOfFiles((drifting, flagged)).drifted == ()
    assert ExcessOfFiles((drifting, drifting)).drifted == ("a -> b",)
    assert drifting.drift
    assert not flagged.drift
    alone = ExcessOfFiles((drifting,))
    assert alone.whole is drifting
    both: Any = ExcessOfFiles((drifting, replace(flagged, file="file 2")))
    assert both.whole.file == ""
    assert both.n_questions == 1
