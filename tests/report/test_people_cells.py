"""Cells of people and of what is learnt, of a source made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.measures.attacks.membership import OF_VALUES
from sdcmetrics.measures.attacks.places import MEMBERSHIP
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.sections.people import (
    _counted,
    _learnt,
    _mean_cell,
    _surest,
    copied_cell,
    membership_notes,
    singled_out_cell,
)
from sdcmetrics.study.profile import Profile


def made(*, release: bool = False, copied: Any = (), min_cell: int = 10, zeros: bool = True) -> Any:
    rounding = Rounding.of(Profile("p", "P", "o", {}, min_cell=min_cell, zeros_disclosive=zeros))
    guard = SimpleNamespace(
        fitted=lambda value: f"fitted {value:g}", rounding=rounding, small=rounding.small
    )
    return SimpleNamespace(release=release, copied=copied, guard=guard)


def told(cell: Any) -> str:
    return f"{cell.text} {cell.detail}".replace("\N{NO-BREAK SPACE}", " ").strip()


def test_what_was_not_learnt_is_a_row_with_its_reason() -> None:
    def measurement(**changed: Any) -> Any:
        given = {
            "of": PREDICTION, "metric": "TSTR", "value": None, "replica": "r", "target": "t",
            "scenario": "tree", "reason": "one class",
        }  # fmt: skip
        return SimpleNamespace(**(given | changed))

    every = [
        measurement(),
        measurement(metric="TRTR", replica="s"),
        measurement(value=0.5),
        measurement(of=None),
    ]
    source: Any = SimpleNamespace(
        inside=SimpleNamespace(predictions={}),
        measures=SimpleNamespace(of_no_table=lambda: every),
        named=lambda name: f"named {name}",
    )
    (row,) = _learnt(source)
    assert row[:4] == ("named r", "named t", "tree", "")
    cell: Any = row[4]
    assert told(cell) == "not computed one class"
    assert row[5:] == (None,) * 6


def test_a_mean_without_a_value_is_blank() -> None:
    each: Any = [SimpleNamespace(baseline=value) for value in (1.0, 3.0)]
    assert _mean_cell(made(), each, "baseline") == "fitted 2"  # type: ignore[comparison-overlap]
    none: Any = [SimpleNamespace(baseline=math.nan)]
    assert _mean_cell(made(), none, "baseline").text == "\N{EN DASH}"


@pytest.mark.parametrize(
    ("release", "count", "text"),
    [
        (False, 3, "3 of 1,000"), (False, 1234, "1,234 of 1,000"), (True, 9, "< 10"),
        (True, 10, "about 10 of about 1,000"),
    ],
)  # fmt: skip
def test_people_are_counted_and_few_of_them_not_told_outside(
    count: int, text: str, *, release: bool
) -> None:
    cell = _counted(made(release=release), count, 1000)
    assert told(cell) == text
    assert (cell.kind == "hidden") is (text == "< 10")
    assert cell.number == (None if text == "< 10" else count)


@pytest.mark.parametrize(
    ("zeros", "count", "text"),
    [
        (True, 0, "< 5"), (True, 4, "< 5"), (True, 5, "about 5 of about 20"),
        (False, 0, "0 of about 20"), (False, 1, "< 6"), (False, 6, "about 6 of about 20"),
    ],
)  # fmt: skip
def test_the_bound_of_few_people_is_that_of_their_protection(
    count: int, text: str, *, zeros: bool
) -> None:
    assert told(_counted(made(release=True, min_cell=3, zeros=zeros), count, 20)) == text


def copy(replica: str = "r", **changed: Any) -> Any:
    given = {
        "copied": 4, "n": 200, "every": 1, "singled_out": 5, "n_near": 200, "others": 2,
        "n_others": 200,
    }  # fmt: skip
    return SimpleNamespace(replica=replica, **(given | changed))


def test_copies_are_those_of_the_worst_synthesis() -> None:
    source = made(copied=[copy(copied=4), copy(copied=7), copy("other", copied=99)])
    assert told(copied_cell(source, "r")) == "7 of 200"
    assert told(copied_cell(made(copied=[copy(every=3)]), "r")) == "4 of 200 drawn"
    assert copied_cell(source, "none").text == "\N{EN DASH}"


def test_people_who_are_singled_out_stand_beside_those_of_the_holdout() -> None:
    source = made(copied=[copy(singled_out=5), copy(singled_out=8, others=3), copy("other")])
    assert told(singled_out_cell(source, "r")) == "8 of 200, vs 3"
    first = made(copied=[copy(singled_out=0), copy(singled_out=1, others=3)])
    assert told(singled_out_cell(first, "r")) == "1 of 200, vs 3"
    other = made(copied=[copy(n_others=1500)])
    assert told(singled_out_cell(other, "r")) == "5 of 200, vs 2 of 1,500"
    assert told(singled_out_cell(made(copied=[copy(others=None)]), "r")) == "5 of 200"
    assert singled_out_cell(made(copied=[copy(singled_out=None)]), "r").text == "\N{EN DASH}"


def test_a_small_p_that_rests_on_values_of_columns_says_so() -> None:
    def attacked(*notes: str) -> Any:
        return SimpleNamespace(notes=notes)

    of = {
        ("r", MEMBERSHIP.name, "", ""): attacked(OF_VALUES),
        ("q", MEMBERSHIP.name, "", ""): attacked(),
        ("q", "linkability", "s", ""): attacked("another"),
    }
    source: Any = SimpleNamespace(release=False, inside=SimpleNamespace(attacks_by_all=of))
    (note,) = membership_notes(source, ["r", "q"])
    assert note.startswith(" Only values of single columns differ beyond chance")
    assert note.endswith("tells of no person by itself.")
    assert membership_notes(source, ["q"]) == ()
    source.release = True
    assert membership_notes(source, ["r"]) == ()
    assert [_surest(result) != "" for result in of.values()] == [True, False, False]
