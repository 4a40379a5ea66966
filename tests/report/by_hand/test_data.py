"""Sections on data and on single variables, of sources made by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.report import distributions
from sdcmetrics.report.safety.cells import Name, blank, text_cell
from sdcmetrics.report.safety.protect.levels import Group
from sdcmetrics.report.safety.protect.tables import ProtectedVariable
from sdcmetrics.report.sections import by_variable, data, disclosure
from tests.report.by_hand.cells import cell, plain_of


class TestData:
    def test_a_replica_of_several_syntheses_says_so(self) -> None:
        def given(name: str, role: str = "replica", synthesis: int = 1) -> Any:
            return With(name=name, role=role, synthesis=synthesis)

        inputs = [given("o", "original"), given("a"), given("b"), given("b", synthesis=2)]
        source: Any = With(
            replicas=("a", "b"), review=With(inputs=inputs), name=lambda n: Name(n, n)
        )
        assert [synthesis.text for synthesis in data._with_syntheses(source)] == [
            "a", "b (mean of 2 syntheses)",
        ]  # fmt: skip
        assert [data._role(source, item).text for item in inputs] == [
            "Original", "a", "b, synthesis 1", "b, synthesis 2",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("number", "release", "words"),
        [(1, False, "1 record"), (630, False, "630 records"), (630, True, "about 630 records"),
         (None, True, "fewer than 10 records")],
    )  # fmt: skip
    def test_records_in_words(self, number: int | None, words: str, *, release: bool) -> None:
        guard = With(records=lambda _: cell(number), rounding=With(least=10))
        source: Any = With(guard=guard, release=release)
        assert data.records_in_words(source, 5) == words

    def test_what_is_missing_is_told_of_the_level_or_of_all(self) -> None:
        def missing(distribution: Any) -> list[str]:
            source: Any = With(distributions={"x": distribution}, replicas=("a", "b"))
            return [item.text for item in data._missing(source, "x")]

        blank = disclosure.blank()
        level = With(missing=True, share=cell(5), replicas=(cell(6), cell(7)))
        other = With(missing=False, share=cell(1), replicas=(blank, cell(1)))
        assert missing(With(levels=[other, level], missing={})) == ["5", "6", "7"]
        assert missing(With(levels=[other], missing={})) == ["none", blank.text, "none"]
        assert missing(With(levels=[], missing={})) == ["none", "none", "none"]
        hidden = missing(With(levels=[other], missing={"b": cell(9)}))
        assert hidden[1:] == [blank.text, "9"]
        assert missing(None) == [blank.text] * 3

    def test_names_of_files_are_not_told(self) -> None:
        inputs = [
            With(source="o.csv", role="original", name="o"),
            With(source="a.csv", role="replica", name="cart"),
            With(source="holdout", role="holdout", name="h"),
        ]
        source: Any = With(review=With(inputs=inputs))
        what = "levels of o.csv and a.csv, and of the holdout"
        assert data._without_sources(source, what) == (
            "levels of the original and the cart, and of the holdout"
        )


def test_shares_of_levels_are_exact_inside_only() -> None:
    for release, number in ((False, 12.345678), (True, 12.35)):
        result = distributions._share_cell(With(release=release), 12.345678)  # type: ignore[arg-type]
        assert (plain_of(result), result.number) == ("12.3 %", number)
    assert distributions._share_cell(With(release=False), 100.0 + 1e-9).number == 100.0  # type: ignore[arg-type]


def test_a_level_has_its_share_and_those_of_replicas() -> None:
    guard: Any = With(release=False, names=lambda n: Name(str(n), str(n)))
    shares = {"a": (25.0, 75.0)}  # in percent
    level = distributions._level(guard, "yes", 30, 40, 1, shares, ("a", "b"))
    assert (level.count.number, level.share.number, level.missing) == (30.0, 75.0, False)
    assert [cell.number for cell in level.replicas] == [75.0, None]
    none = distributions._level(guard, None, 0, 0, 0, shares, ("a",))
    assert (none.share.number, none.missing, none.replicas[0].number) == (0.0, True, 25.0)


def test_groups_of_two_levels_and_the_rest_are_folded() -> None:
    groups = (Group("1", "1", 1), Group("2 to 3", "2|3", 2), Group("Other", "4|5", 1, other=True))
    variable = ProtectedVariable("x", "number", groups, (40, 30, 10), {}, {}, grouped=False)
    notes: list[Any] = []
    guard: Any = With(
        release=True, names=lambda n: Name(str(n), str(n)), rounding=With(least=10),
        suppress=lambda *note: notes.append(note),
    )  # fmt: skip
    out = distributions._protected(variable, (), guard)
    assert [level.folded for level in out.levels] == [False, True, True]
    assert (out.folded, out.size) == (3, 4)
    assert notes == [("Levels of fewer than 10 original records", 3)]
    single = replace(variable, groups=groups[:1], counts=(40,))
    assert distributions._protected(single, (), guard).folded == 0
    assert len(notes) == 1


@pytest.mark.parametrize("release", [True, False])
def test_a_change_is_told_of_its_column_or_of_the_whole_data_set(*, release: bool) -> None:
    suppressed: list[str] = []
    fixes = [
        ("original", With(column=None, what="o.csv: two columns left out", cells=3)),
        ("r", With(column="age", what="as in o.csv and r.csv", cells=0)),
    ]
    inputs = [
        With(name="Original", role="original", source="o.csv"),
        With(name="r", role="replica", source="r.csv"),
        With(name="holdout", role="holdout", source=""),
    ]
    source: Any = With(
        release=release,
        review=With(fixes=fixes, inputs=inputs),
        named=lambda name: text_cell(name.upper()),
        guard=With(suppress=suppressed.append),
    )
    rows = [[shown.text for shown in row] for row in data.fixes_table(source).rows]
    whats = ["the original: two columns left out", "as in the original and the r"]
    if not release:
        whats = [fix.what for _, fix in fixes]
    assert rows == [["Original", blank().text, whats[0], "3"], ["R", "AGE", whats[1], "0"]]
    assert len(suppressed) == release


@pytest.mark.parametrize(
    ("grouped", "release", "noted"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_that_groups_may_be_others_than_those_drawn_is_said_of_numbers_inside(
    monkeypatch: pytest.MonkeyPatch, *, grouped: bool, release: bool, noted: bool
) -> None:
    monkeypatch.setattr(by_variable, "one_way_measures", lambda _: ["TVD"])
    monkeypatch.setattr(by_variable, "by_replica", lambda _: [])
    monkeypatch.setattr(by_variable, "grid", lambda *_, note, **__: note)
    source: Any = With(release=release, name=lambda n: Name(n, n))
    note = str(by_variable._measures(source, "x", grouped=grouped))
    assert note.startswith("These groups are the same for all replicas.") is noted
    assert bool(note) is noted


def test_variables_have_the_number_of_their_levels_and_how_many_are_folded() -> None:
    def distribution(size: int, folded: int, *, grouped: bool = False) -> Any:
        return With(size=size, folded=folded, grouped=grouped, levels=[], missing={})

    source: Any = With(
        review=With(
            scenarios=[With(keys=("a", "b"), targets=("b",))],
            variables=dict.fromkeys("abcd", "category"),
        ),
        distributions={
            "a": distribution(3, 0), "b": distribution(1234, 1200),
            "c": distribution(5, 0, grouped=True),
        },
        replicas=(), release=False, name=lambda n: Name(n, n), named=text_cell,
        label=lambda _: "",
    )  # fmt: skip
    rows = data.variables_table(source).rows
    assert [row[3].text for row in rows] == [
        "3 levels", "1,234 levels, 1,200 folded", "5 groups", blank().text,
    ]  # fmt: skip
    assert [row[2].text for row in rows] == ["key", "key, target", blank().text, blank().text]


def test_the_largest_levels_are_listed_in_their_own_order() -> None:
    levels: Any = tuple(With(count=cell(count)) for count in (3, 9, None, 5))
    listed = by_variable._largest(levels, 2)
    assert [level.count.number for level in listed] == [9, 5]
    assert by_variable._largest(levels, 4) == by_variable._largest(levels, 9) == levels


@dataclass
class AskedFor:
    original: str = "o.csv"
    models: tuple[str, ...] = ("y ~ x",)
    rules: tuple[str, ...] = ()
    people: int | None = 0
    attacks: str | None = None


def test_settings_of_a_study_are_what_it_asks_for() -> None:
    settings: Any = data._settings
    assert [*settings(AskedFor())] == [("models", ("y ~ x",)), ("people", 0)]
    frame = as_microdata(pd.DataFrame({"w": [1.0]}), "o")
    part: Any = AskedFor(attacks=Sample(frame, weight="w", lonely="certain"))  # type: ignore[arg-type]
    assert dict(settings(part))["attacks"] == {
        "weight": "w", "lonely": "certain", "population_size": None, "synthetic_weight": "",
        "against": "population",
    }  # fmt: skip


def test_what_the_study_says_follows_the_questions_that_are_asked_of_all() -> None:
    source: Any = With(
        review=With(study=With(context={"purpose": "teaching", "extra word": "more"}))
    )
    rows = [[shown.text for shown in row] for row in data.context_table(source).rows]
    assert len(rows) == 7
    assert rows[0] == ["Safe projects", "What is the replica for, and would less do?", "teaching"]
    assert [row[2] for row in rows[1:6]] == ["Not stated"] * 5
    assert rows[6] == ["Extra word", blank().text, "more"]


@pytest.mark.parametrize(
    ("role", "release", "kind", "text"),
    [
        ("original", False, "number", "630"), ("holdout", True, "number", "about 630"),
        ("original", True, "hidden", "630"), ("replica", True, "number", "632"),
    ],
)  # fmt: skip
def test_the_size_of_a_data_set_of_people_is_as_exact_as_elsewhere(
    role: str, kind: Any, text: str, *, release: bool
) -> None:
    guard = With(records=lambda _: replace(cell(630), kind=kind))
    source: Any = With(guard=guard, release=release)
    size: Any = data._size(source, With(role=role, n=632))  # type: ignore[arg-type]
    assert (str(size) if role == "replica" else plain_of(size)) == text


def test_labels_of_files_are_listed_inside_only() -> None:
    original = With(
        level_codes={"a": {"low": 1.0, "high": "h"}}, value_labels={"b": {2.5: "two and a half"}}
    )
    source: Any = With(
        release=False, inside=With(study=With(original=original)), named=text_cell,
        review=With(variables="abc"), label=lambda name: {"a": "the first"}.get(name, ""),
    )  # fmt: skip
    rows = [[shown.text for shown in row] for row in data.dictionary_table(source).rows]
    assert rows == [
        ["a", "", "the first"], ["a", "1", "low"], ["a", "h", "high"],
        ["b", "2.5", "two and a half"],
    ]  # fmt: skip
    source.release = True
    assert len(data.dictionary_table(source)) == 0


@pytest.mark.parametrize("release", [False, True])
def test_what_it_takes_to_do_it_again_has_no_settings_and_times_outside(*, release: bool) -> None:
    seconds = dict(zip("abcdef", (1.0, 6.0, 3.0, 0.5, 2.0, 4.0), strict=True))
    profile = With(name="p", zeros_disclosive=True, bands={"CIO": (0.5, 0.75)})
    versions = {"sdcmetrics": "1", "R": ""}
    source: Any = With(
        release=release, profile=profile, guard=With(rounding=With(least=10), base=5),
        review=With(
            study=With(command="sdcmetrics review in/s.toml --seed 3"), versions=versions,
            created="2026",
        ),
        inside=With(settings={"ways": (1, 2)}, study=AskedFor(), seconds=seconds),
    )  # fmt: skip
    rows = {row[0].text: row[1].text for row in data.reproduce_table(source).rows}
    assert rows["Profile"].endswith(
        "below 10 are not shown to a checker, zeros are not shown, counts are rounded to 5"
    )
    outside = {"Command", "Profile", "sdcmetrics"}  # nothing is known of R
    if release:
        assert rows["Command"] == "sdcmetrics review s.toml"
        assert {*rows} == outside
        return
    assert rows["Command"] == "sdcmetrics review in/s.toml --seed 3"
    assert {*rows} == outside | {
        "Made at", "Option ways", "Study models", "Study people", "Bands of CIO", "Seconds",
        "Slowest steps",
    }  # fmt: skip
    assert rows["Seconds"] == "16.5"
    assert rows["Slowest steps"] == "b: 6.00 s; f: 4.00 s; c: 3.00 s; e: 2.00 s; a: 1.00 s"
    source.inside.seconds, profile.zeros_disclosive = {}, False
    rows = {row[0].text: row[1].text for row in data.reproduce_table(source).rows}
    assert "Seconds" not in rows
    assert "zeros are shown," in rows["Profile"]
