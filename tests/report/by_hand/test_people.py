"""Sections on disclosure and on people, of sources made by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.measures.reference_values import References
from sdcmetrics.report.figures.charts import Dot
from sdcmetrics.report.safety.cells import SafeCell, blank, p_cell
from sdcmetrics.report.sections import disclosure, people
from tests.report.by_hand.cells import SCENARIO, cell, marks


@pytest.mark.parametrize(
    ("low", "high", "value", "release", "text"),
    [
        (20.0, 60.0, 30.0, False, "25 %"),
        (20.0, 60.0, 19.0, False, "below"),
        (20.0, 60.0, 20.0, False, "0 %"),
        (20.0, 25.0, 25.0, False, "100 %"),  # five points are enough
        (20.0, 24.9, 22.0, False, ""),
        (20.0, 60.0, 66.0, True, "120 %"),
        (20.0, 60.0, 37.0, True, "40 %"),
        (None, 60.0, 37.0, False, ""),
        (20.0, None, 37.0, False, ""),
        (20.0, 60.0, None, False, ""),
    ],
)
def test_a_position_is_between_baseline_and_original(
    low: float | None, high: float | None, value: float | None, text: str, *, release: bool
) -> None:
    values = {"base": cell(low), "orig": cell(high), "DCAP": cell(value)}
    source: Any = With(risk=lambda _, symbol, *__: values[symbol], release=release)
    measure: Any = With(symbol="DCAP", show={"between": ("base", "orig")}, baseline="base")
    position = disclosure._position(source, measure, SCENARIO, "vote")
    result: Any = position({"replica": "a"})
    shown = (
        "" if result is None or (result.number is None and result.text != "below") else result.text
    )
    assert shown.replace("\N{NO-BREAK SPACE}", " ") == text
    assert position({"replica": "a", "role": "original"}) is None


@pytest.mark.parametrize(
    ("shown", "dot"),
    [
        (SafeCell("5 %", "number", 5.0), Dot(5.0, "5 %")),
        (SafeCell("> 5 %", "bound", None, bound=5.0), Dot(5.0, "> 5 %", bound="above")),
        (SafeCell("< 5 %", "bound", None, bound=5.0), Dot(5.0, "< 5 %", bound="below")),
        (SafeCell("not shown", "hidden"), None),
    ],
)
def test_a_dot_is_hollow_at_a_bound(shown: SafeCell, dot: Dot | None) -> None:
    assert disclosure.dot(shown) == dot


FULL = References(at=40, value_at=12.0, copy_at=50.0, fresh=9.0, p=0.2)


def test_reference_values_are_shown_where_every_replica_has_them() -> None:
    both = marks(a=FULL, b=References(at=60, value_at=1.0, copy_at=2.0, fresh=3.0, p=0.5))
    assert [*disclosure._marks(both, "DCAP", "s", "vote")] == ["a", "b"]
    for lacking in (None, References(), References(at=40, value_at=12.0), References(fresh=1.0)):
        assert disclosure._marks(marks(a=FULL, b=lacking), "DCAP", "s", "vote") == {}
    both.release = True
    assert disclosure._marks(both, "DCAP", "s", "vote") == {}


@pytest.mark.parametrize(("sizes", "head"), [((40, 40), "at 40 records"), ((40, 60), "at equal")])
def test_columns_of_references_say_of_how_many_records(sizes: tuple[int, int], head: str) -> None:
    of = {
        name: References(at=n, value_at=12.0, copy_at=50.0, fresh=9.0, p=0.2)
        for name, n in zip("ab", sizes, strict=True)
    }
    columns = disclosure.reference_columns(marks(**of), "DCAP", "s", "vote")
    assert columns[0][0].title.startswith(f"DCAP {head}")
    texts = [getattr(value({"replica": "a"}), "text", "") for _, value in columns]  # type: ignore[operator]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts[:3]] == [
        "12.0 %", "50.0 %", "9.0 %",
    ]  # fmt: skip
    assert all(value({"role": "original"}) is None for _, value in columns)  # type: ignore[operator]


def test_people_are_a_percentage_of_all() -> None:
    assert disclosure._people(12.5, 1000) == "125"
    assert disclosure._people(0.24, 1000) == "2"


def test_only_people_who_were_compared_have_a_p() -> None:
    results = {"a": None, "b": With(value=None), "c": With(value=0.25)}
    source: Any = With(measures=With(risk=lambda replica, *_: results[replica]))
    shown = [people._p(source, replica, "p", "s", "t") for replica in results]
    assert shown == [blank(), blank(), p_cell(0.25)]


@pytest.mark.parametrize("release", [True, False])
def test_reference_values_stand_beside_replicas_and_not_the_original(
    monkeypatch: pytest.MonkeyPatch, *, release: bool
) -> None:
    monkeypatch.setattr(people, "grid", lambda *given, **_: given)
    monkeypatch.setattr(people, "replica_rows", lambda _: ["replicas"])
    marks = References(value_at=0.25, outsiders=0.125)
    monkeypatch.setattr(people, "_marks", lambda *_: marks)
    monkeypatch.setattr(people, "shown_in", lambda *_: [])
    source: Any = With(release=release, replicas=("r", "q"), name=str)
    measure = With(symbol="m", baseline="b", of_original=False, show={"people": (1, "M", "")})
    monkeypatch.setattr(people, "measured", lambda *_: [measure])
    *_, rows, columns = people.people_table(source, SCENARIO)  # type: ignore[misc]
    if release:
        assert (rows, len(columns)) == ([], 1)
        return
    (names, place), *others = rows
    assert (names, others) == (("Original itself",), ["replicas"])
    for (_, shown), value in zip(columns[1:], (0.25, 0.125), strict=True):
        assert shown(place) is None
        assert shown({"replica": "q"}) == people.percent_of(value)


def test_notes_of_models_stand_once_and_begin_as_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_learnt", lambda _: [("row",) * 11])
    notes = ("few records", "", "slow model", "few records")
    source: Any = With(
        release=False,
        inside=With(predictions={"a": [With(note=n) for n in notes[:2]],
                                 "b": [With(note=n) for n in notes[2:]]}),
    )  # fmt: skip
    assert people.learnt_table(source).note.endswith("halves do. Few records. Slow model.")
    source.release = True
    assert people.learnt_table(source).note.endswith("halves do.")
    assert not people.learnt_table(source).rows


def test_attacks_on_membership_stand_beside_the_notes_of_their_replicas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "_attacked", lambda _, *place: [(" ".join(place),) + ("",) * 20])
    monkeypatch.setattr(people, "table", lambda *parts: With(rows=[*parts[2]], note=parts[3]))
    monkeypatch.setattr(people, "_by_all", lambda _: "")
    monkeypatch.setattr(people, "membership_notes", lambda _, names: [f"Of {sorted(names)}."])
    places = [("a", "membership", "", ""), ("b", "membership", "", ""),
              ("b", "linkability", "s", ""), ("b", people.INFERENCE.name, "s", "vote")]  # fmt: skip
    source: Any = With(
        release=False, inside=With(attacks_by_all=dict.fromkeys(places)),
        within=lambda name: (" in ", name),
    )  # fmt: skip
    result: Any = people.membership_table(source)
    assert [(row[0].text, row[1]) for row in result.rows] == [
        ("membership", "membership  "), ("linkability in s", "linkability s "),
    ]  # fmt: skip
    assert result.note == "Of ['a', 'b']."
