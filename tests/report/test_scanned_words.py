"""Which words must stay inside, and which are public: at the limits of what a label is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.report.safety.cells import Name, SafeCell, number_cell
from sdcmetrics.report.safety.rows import _text, _whole
from sdcmetrics.report.scan import _rows
from sdcmetrics.report.scan.exact import Exact
from sdcmetrics.report.scan.pieces import Piece, _lines
from sdcmetrics.report.scan.words import (
    Words,
    _is_all,
    _longer,
    _module,
    _phrase,
    _stands_beside,
    _template,
    _texts_in,
    kept_levels,
    own_words,
    small,
)
from sdcmetrics.study.profile import Profile


def words(*labels: str) -> Words:
    made: Any = object.__new__(Words)
    made.__dict__ |= {"_secret": defaultdict(list), "_own": set(), "_levels": set(), "_key": ""}
    made.__dict__ |= {"_names": [], "_digests": [], "_studies": [], "_sources": set()}
    for label in labels:
        made._keep(label, label)
    return made


@pytest.mark.parametrize(
    ("label", "text", "told"),
    [
        ("Zqx", "of Zqx only", True),
        ("Zqx", "of zqx only", False),  # short ones are compared with their capitals
        ("Zqxj", "of zqxj only", True),
        ("Zqxj vvw", "of zqxj only", False),
        ("Zqxj vvw", "zqxj, Vvw", True),
        ("12345", "12345 of it", False),  # it equals too many numbers
        ("123456", "123456 of it", True),
        ("1z", "1z of it", True),
        ("!?", "!? of it", False),
    ],
)
def test_a_label_is_found_as_words(label: str, text: str, *, told: bool) -> None:
    assert [*words(label).problems(Piece(text, "a page"))] == ([label] if told else [])


def test_the_key_of_a_profile_is_told_nowhere() -> None:
    given = words()
    given.__dict__["_key"] = "k3y"
    told = [[*given.problems(Piece(text, "a page"))] for text in ("a k3y", "a key")]
    assert told == [["the key of the profile is told"], []]


def test_what_the_study_and_its_profile_are_called_is_public() -> None:
    limit = With(source="a book", owner="the unit", kind="a rule", date="2026-11-21")
    study = With(
        title="Survey",
        context={"purpose": "teaching"},
        scenarios=[With(name="neighbour", description="next door")],
    )
    review: Any = With(
        study=study, variables={"age": "number"}, replicas=["r"], versions={"numpy": 2},
        created="2026-11-22T09:30",
    )  # fmt: skip
    profile: Any = With(
        title="Rules", owner="Bureau", name="p", thresholds={"DiSCO": limit}, tables=None,
        excess=With(source="a paper", owner="x", kind="y", date="2026-11-20"),
        criteria=(With(frame="WP216", name="inference", source="an opinion"),),
    )  # fmt: skip
    assert own_words(review, profile) == {
        "Survey", "purpose", "teaching", "2026-11-22", "age", "r", "Rules", "Bureau", "p",
        "neighbour", "next door", "a book", "the unit", "a rule", "2026-11-21", "a paper", "x", "y",
        "2026-11-20", "numpy", "2", "WP216", "inference", "an opinion",
    }  # fmt: skip


@pytest.mark.parametrize(("line", "listed"), [("__all__ = ['a']", True), ("NAMES = ['a']", False)])
def test_public_names_of_a_module_are_no_text_of_a_report(line: str, *, listed: bool) -> None:
    (assigned,) = ast.parse(line).body
    assert isinstance(assigned, ast.Assign)
    assert _is_all(assigned) is listed


@pytest.mark.parametrize(
    ("places", "lines"),
    [
        ([(10, 5), (10.5, 5), (22, 5)], ["1", "234"]),  # half a point, and nearly twelve
        ([(10, 5), (22, 5)], ["1", "2", "3"]),  # twelve points
        ([(10, 5), (9, 5)], ["1", "2", "3"]),  # back
        ([(10, 5), (10, 5)], ["1", "2", "3"]),  # over it
        ([(10, 5), (12, 6)], ["1", "2", "3"]),  # another line
    ],
)
def test_signs_that_are_drawn_one_by_one_are_a_word(
    places: list[tuple[float, float]], lines: list[str]
) -> None:
    signs = iter("123456789")
    drawn = f"/F 9 Tf <000{next(signs)}> Tj "
    drawn += "".join(f"1 0 0 1 {x} {y} Tm <000{next(signs)}> Tj " for x, y in places) + "ET"
    fonts = {b"F": {i: str(i) for i in range(10)}}
    assert [line for line in _lines(drawn.encode(), fonts) if line] == lines


def test_a_level_is_read_in_full_where_a_page_shortens_it() -> None:
    count = SafeCell("15", "number", 15.0)
    rows = [(SafeCell("lo\u2026", "name", full="long"), count), (SafeCell("b"), SafeCell("< 10"))]
    block = With(name=Name("v\u2026", "variable"), table=With(rows=rows), figure=None)
    report: Any = With(exports={}, by_variable=[block])
    assert [row for _, row in _rows(report)] == [
        {"variable": "variable", "level": "long", "data_set": "original", "count": 15.0},
        {"variable": "variable", "level": "b"},
    ]


def test_the_size_of_a_replica_is_public_and_that_of_the_original_is_not() -> None:
    columns = ["metric", "unit", "total", "count", "value"]
    study = With(
        title="", context={}, scenarios=[], options=With(sample_size=7777),
    )  # fmt: skip
    inputs = [
        With(role="original", n=1234),
        With(role="holdout", n=432),
        With(role="replica", n=1300),
    ]
    review: Any = With(
        n_original=1234, variables={}, replicas=[], study=study, distributions={}, rules={},
        frame=pd.DataFrame(columns=columns).astype({"total": float, "count": float}),
        inputs=inputs, versions={}, created="",
    )  # fmt: skip
    exact = Exact(review, Profile("p", "P", "o", {}), [], [])
    told = [[*exact.problems(Piece(f"{n:,} records", "a page"))] for n in (1234, 432, 1300)]
    assert [bool(problems) for problems in told] == [True, True, False]


def test_numbers_and_texts_of_files() -> None:
    assert [type(x) for x in _whole([2.0**53 - 1, 2.0**53, 0.5])] == [int, float, float]
    assert _whole([float("inf"), float("nan"), None]) == [None] * 3
    assert _text(SafeCell("<\N{NO-BREAK SPACE}10", "hidden")) == "< 10"
    assert number_cell(-0.0).text == "0"


def test_what_a_module_may_write_is_neither_documentation_nor_a_public_name(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""Documented."""\n__all__ = ["listed"]\nx = "Said here"\n', encoding="utf-8")
    assert set(_module(file)) == {"said", "here"}


def test_what_stands_beside_public_words_on_one_side_only_is_no_public_phrase() -> None:
    given = words("Zqxj")
    given.__dict__ |= {"_own": {"from Zqxj to"}}
    for text, told in (("from Zqxj to", 0), ("from Zqxj by", 1), ("of Zqxj to", 1), ("Zqxj", 1)):
        assert len([*given.problems(Piece(text, "a page"))]) == told


def test_levels_and_rules_of_few_records_are_secret_and_others_are_not() -> None:
    frame = With(labels=("Aaa", "Bbbb", None), original=(9, 10, 12), breaks=())
    rules = {(0, "x = Cccc"): With(level_counts=(20, 9)), (0, "x = Dddd"): With(level_counts=(20,))}
    profile: Any = With(
        name="p", title="P", owner="o", min_cell=10, zeros_disclosive=False, tables=None,
        excess=None, thresholds={}, criteria=(),
    )  # fmt: skip
    study = With(title="", context={}, scenarios=[], command="", profile="", analyses=())
    review: Any = With(
        distributions={"x" * 50: frame}, rules=rules, variables=(), replicas=(), inputs=(),
        study=study, versions={}, created="2026-11-27",
    )  # fmt: skip
    assert kept_levels(review, "x" * 50, profile) == {"Bbbb", "(missing)"}
    given = Words(review, profile, [])
    few = f"a level of too few original records is named (variable {'x' * 40!r})"
    quoted = "a rule that names a level of too few original records is quoted"
    texts = {"Aaa": few, "Bbbb": "", "x = Cccc": quoted, "x = Dddd": ""}
    for text, kind in texts.items():
        assert [*given.problems(Piece(text, "a page"))] == ([kind] if kind else [])


def test_few_records_are_below_the_threshold_and_none_where_zeros_disclose() -> None:
    for disclosive in (True, False):
        profile: Any = With(min_cell=10, zeros_disclosive=disclosive)
        counts = [count for count in (0, 1, 9, 10) if small(count, profile)]
        assert counts == [*([0] if disclosive else []), 1, 9]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Bern West", ["", "bern", "west", ""]), ("(Bern)", [" ", "bern", " "]),
        ("-Bern", [" ", "bern", ""]), ("Bern: 5 %", ["", "bern", "5", " "]), ("", ["", ""]),
        ("a (west) b", ["", "a", "west", "b", ""]), ("x", ["", "x", ""]),
    ],
)  # fmt: skip
def test_a_phrase_has_its_words_and_whether_signs_are_around_them(
    text: str, phrase: list[str]
) -> None:
    assert _phrase(text) == phrase


def test_what_may_stand_beside_public_words() -> None:
    beside = {expected: [_stands_beside(expected, c) for c in ("", "a", "b")] for expected in "a "}
    assert beside == {"a": [False, True, False], " ": [False, True, True]}
    assert [_stands_beside("", c) for c in ("", "a")] == [True, True]


def test_a_longer_name_of_a_command_is_none_of_a_file() -> None:
    command = "sdcmetrics review in/mydata.csv my-data.csv data.csv other"
    assert _longer(command, {"data.csv", "more.csv"}) == ["mydata.csv"]


def test_a_text_that_is_filled_in_is_public_in_parts(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('say("None zqy. {held} first", plural(n, "zqgroup"))', encoding="utf-8")
    places = _module(file)
    assert (["", "none", "zqy", " "], 2) in places["zqy"]  # whatever fills it
    assert ["", "zqgroups", ""] in [phrase for phrase, _ in places["zqgroups"]]


def test_where_a_text_ends_in_a_blank_something_follows() -> None:
    given = words("zqin")
    given.__dict__["_places"] = {"zqin": [(["", "pairs", "zqin", " "], 2)]}
    assert [*given.problems(Piece("pairs zqin ", "a page"))] == []  # the replica's name, in bold
    assert [*given.problems(Piece("pairs zqin", "a page"))] == ["zqin"]
    assert [*given.problems(Piece("pairs zqin now", "a page"))] == []


def test_attributes_are_public_in_parts(tmp_path: Path) -> None:
    file = tmp_path / "page.html.j2"
    file.write_text('<div class="zqside{% if a > 4 %} zqhigh{% endif %}">', encoding="utf-8")
    assert (["", "zqside", ""], 1) in _template(file)["zqside"]
    assert [" ", "zqhigh", ""] in [phrase for phrase, _ in _template(file)["zqhigh"]]


def test_nested_texts_of_a_declaration() -> None:
    assert _texts_in({"a": (4, "x", ["y", {"b": "z"}]), "c": None}) == ["x", "y", "z"]
