"""Parts of editions for outside and of the sheet, each made of values by hand."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Generator
from sdcmetrics.measures.kind import Place, Scenario
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.release.estimates import Estimate
from sdcmetrics.release.questions import NEAREST, Question
from sdcmetrics.report.outside import edition, sheet, words, write
from sdcmetrics.report.outside.parts import Cell, Figures, Section, estimate_cell
from sdcmetrics.review.judge import Status
from sdcmetrics.study.roles import UNNAMED

FIGURE = Estimate(
    "DiSCO", "r", "s", "t", "", 0, "original", "percent", 12.34, -0.04, 1234.5, 0.05,
    Status.WITHIN, limited=True,
)  # fmt: skip
SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("changes", "cell"),
    [
        ({}, Cell(f"12.34{SPACE}%", "figure", f"{MINUS}0.04 to 1,234.50", Status.WITHIN)),
        ({"unit": "share", "limited": False}, Cell("12.34", "figure", f"{MINUS}0.04 to 1,234.50")),
        ({"low": -0.001}, Cell(f"12.34{SPACE}%", "figure", "0.00 to 1,234.50", Status.WITHIN)),
        ({"low": 0.5}, Cell(f"12.34{SPACE}%", "figure", "0.50 to 1,234.50", Status.WITHIN)),
        ({"low": 0.0}, Cell(f"12.34{SPACE}%", "figure", "0.00 to 1,234.50", Status.WITHIN)),
        ({"value": math.nan}, Cell("lost in noise", "figure", "", Status.WITHIN)),
    ],
)
def test_a_figure_is_shown_as_noise_leaves_it(changes: dict[str, Any], cell: Cell) -> None:
    figure = replace(FIGURE, **changes)
    assert figure.decimals == 2
    assert estimate_cell(figure) == cell


def test_how_many_people_are_compared_is_said_where_it_is_not_all() -> None:
    replicas: list[Any] = [With(name="small", n=200_000), With(name="large", n=200_001)]
    (sentence,) = words.drawn(replicas)  # 4e10 pairs fit
    assert sentence.startswith("With large, of 200,001 records, one in 2 people is compared;")


def test_a_status_goes_to_files_where_there_is_a_limit() -> None:
    entries = [write._entry(replace(FIGURE, limited=limited)) for limited in (True, False)]
    assert [entry["status"] for entry in entries] == ["within", ""]
    cells = [estimate_cell(replace(FIGURE, limited=limited)) for limited in (True, False)]
    assert [write._plain(cell)["status"] for cell in cells] == ["within", ""]
    assert write._plain(Cell("r", "name")) == "r"


def test_a_number_that_is_lost_is_none_in_files() -> None:
    entry = write._entry(replace(FIGURE, value=math.nan, low=-math.inf, high=0.0))
    assert [entry[name] for name in ("value", "low", "high", "sd")] == [None, None, 0.0, 0.05]


def test_three_columns_that_somebody_knows_are_named_and_more_are_counted() -> None:
    for keys, name in ((("a", "b", "c"), "a, b, c"), (("a", "b", "c", "d"), "4 columns")):
        assert words.called(Scenario(UNNAMED, keys, ())) == name
        assert words.called(Scenario("Neighbour", keys, ())) == "Neighbour"


def test_what_several_files_are_measured_by_is_said_where_a_replica_has_several() -> None:
    single, several = With(syntheses=[1]), With(syntheses=[1, 2])
    for replicas, noted in (([single, single], False), ([single, several], True), ([], False)):
        assert words.several(With(replicas=replicas)).startswith("Where a replica") is noted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("figure", "answer"),
    [
        (None, "not shown"),
        (replace(FIGURE, measure=NEAREST, scenario="", target="", low=50.0), "not shown"),
        (replace(FIGURE, measure=NEAREST, scenario="", target="", low=100.0), "yes"),
    ],
)
def test_that_a_replica_holds_nearly_all_is_said_where_it_does(
    figure: Estimate | None, answer: str
) -> None:
    public: Any = With(replicas=[With(name="r")], decision=None)
    estimates = () if figure is None else (figure,)
    (row,) = edition._board(public, Figures(estimates), estimates).rows
    assert row[-1].text == answer


def test_a_decision_is_that_of_who_signed_it() -> None:
    none: Any = With(decision=None)
    assert edition._decision(none).paragraphs == (words.UNSIGNED,)
    decision = With(signed="A. B.", date=dt.date(2026, 11, 23), words="For teaching.", replicas={})
    signed: Any = With(decision=decision)
    text = "Signed by A. B., 2026-11-23. For teaching."
    assert edition._decision(signed).paragraphs == (text, words.SIGNED)
    assert edition._signature(signed) == text
    assert edition._signature(none) == ""


def test_files_of_several_syntheses_are_numbered() -> None:
    def synthesis(name: str) -> Any:
        return With(source=name, n=1200, sha256="ab" * 32 if name == "x" else "")

    replicas = [
        With(name="one", syntheses=[synthesis("x")]),
        With(name="two", syntheses=[synthesis("y"), synthesis("z")]),
    ]
    public: Any = With(replicas=replicas, variables=lambda _: ["age", "sex"])
    rows = [[cell.text for cell in row] for row in edition._replicas(public).rows]
    assert rows == [
        ["one", "x", "1,200", "2", "ab" * 8],
        ["two 1", "y", "1,200", "2", "\N{EN DASH}"],
        ["two 2", "z", "1,200", "2", "\N{EN DASH}"],
    ]


def test_what_is_of_no_target_is_of_the_keys() -> None:
    table = edition._of_original(Figures([]), "UiO", "s", ("", "vote"))
    assert [row[0].text for row in table.rows] == ["the keys", "vote"]


@pytest.mark.parametrize(
    ("unit", "rows", "words_of_it"),
    [
        ("", 1, "Each record is taken to be a person of its own. No"),
        ("", 3, "A person is taken to have up to 3 records, and noise is as much wider. No"),
        ("person", 1, "Of each person one record is in these figures; others were left out. No"),
        (
            "household",
            3,
            "Of each household up to 3 records are in these figures; others were left out, and",
        ),
    ],
)
def test_whose_records_are_left_out_is_said_of_whom_they_are(
    unit: str, rows: int, words_of_it: str
) -> None:
    public: Any = With(rows=rows, unit=unit, budget=1.0)
    privacy, _, form = words.promise(public, 0.5, 2.0)
    assert words_of_it in form
    assert f"originals that differ by one {unit or 'person'}, all releases" in privacy
    assert f"which of two values the {unit or 'person'} has" in privacy


def test_of_two_values_or_two_people_twice_as_much_is_told() -> None:
    public: Any = With(budget=0.5, unit="household", rows=1)
    one, two = "59.9", "69.1"  # the normal distribution at 0.25 and at 0.5
    privacy = words.promise(public, mu=0.3, sd=2.0)[0]
    assert (
        f"{one} of 100 cases, and which of two values the household has in at most {two}."
        in privacy
    )
    assert f"two people together took part, in {two} of 100 cases." in words.not_promised(public)[3]


def test_formats_of_other_editions_are_refused_by_name() -> None:
    with pytest.raises(StudyError, match="An edition for outside is html, pdf or pdfa, and"):
        write.check_formats(["html", "xlsx"])
    write.check_formats(write.FORMATS)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"mechanism": "noise"}, "epsilon 3, by noise."),
        ({"neighbours": "replace"}, "epsilon 3 of replacing a record."),
        ({"neighbours": "add or remove"}, "epsilon 3 of adding or removing a record."),
        ({"delta": 0.001}, "epsilon 3, delta 0.001."),
    ],
)
def test_a_claim_of_privacy_is_told_as_it_was_made(given: dict[str, Any], line: str) -> None:
    section = sheet._how(Generator(name="g", epsilon=3.0, **given), "", [])
    assert section.items[-1] == f"Its maker claims differential privacy: {line}"


def test_a_file_is_cited_by_its_digest_where_the_study_says_no_other_words() -> None:
    files: Any = [With(name="r.csv", sha256="0123456789abcdef" * 4)]
    spec: Any = With(study=With(title="Survey"))
    section = sheet._use(Publication(), files, spec, "synthesised")
    assert (section.identity, section.heading) == ("use", "How to use and cite it")
    assert section.items == (
        "Cite it as: Survey (not real people). r.csv, SHA-256 0123456789abcdef.",
        "Say in every publication that the data are synthetic.",
    )
    files.append(With(name="s.csv", sha256="f" * 64))
    both = sheet._use(Publication(), files, spec, "").items[0]
    assert both.endswith("r.csv, SHA-256 0123456789abcdef; s.csv, SHA-256 ffffffffffffffff.")
    own = sheet._use(Publication(citation="Us (2026)", contact="me"), files, spec, "")
    assert own.items[0] == "Cite it as: Us (2026)"
    assert [words.partition(" ")[0] for words in own.items[1:]] == ["Say", "Make", "Contact:"]
    assert own.items[1] == "Say in every publication that the data are not the original."
    assert own.items[3] == "Contact: me"


def test_an_analysis_is_sent_to_who_is_named() -> None:
    for contact, part in (("me", "groups. Send it to me. The agency"), ("", "groups. The agency")):
        (text,) = sheet._checking(Publication(contact=contact)).paragraphs
        assert part in text
        assert ("Send it" in text) is bool(contact)


def test_what_the_study_does_not_say_is_listed_for_its_author() -> None:
    generator = Generator(name="g")
    absent = [*sheet._absent(Publication(contact="me", licence="CC"), generator, None)]
    assert [text.partition(":")[0] for text in absent] == [
        "citation", "expires", "what is preserved",
    ]  # fmt: skip


def test_a_list_in_markdown_ends_with_an_empty_line() -> None:
    sections = tuple(
        Section(name, name, items=items) for name, items in (("A", ("b", "c")), ("D", ()))
    )
    text = write.sheet_markdown(sheet.Sheet("T", "2026", "r", "m", "l", sections))
    assert "## A\n\n* b\n* c\n\n## D\n\nWritten by" in text


def test_the_columns_of_files_are_those_of_the_first() -> None:
    def column(name: str, categories: int) -> Any:
        return With(
            name=name, label=name.title(), type="text", categories=(0,) * categories,
            missing=("-8", "-9"),
        )  # fmt: skip

    first: Any = With(
        name="a.csv", records=1200, sha256="ab", columns=(column("age", 0), column("sex", 2))
    )
    second: Any = With(name="b.csv", records=7, sha256="cd", columns=(column("job", 3),))
    files, columns = sheet._files([first, second]).tables
    assert [[cell.text for cell in row] for row in files.rows] == [
        ["a.csv", "1,200", "2", "ab"], ["b.csv", "7", "1", "cd"],
    ]  # fmt: skip
    assert columns.caption == "Columns of a.csv"
    assert [[cell.text for cell in row] for row in columns.rows] == [
        ["age", "Age", "text", "", "-8, -9"], ["sex", "Sex", "text", "2", "-8, -9"],
    ]  # fmt: skip
    assert sheet._files([second]).tables[1].caption == "Its columns"


@pytest.mark.parametrize("pairs", [False, True])
def test_how_far_variables_are_apart_has_a_row_per_variable_of_any_replica(*, pairs: bool) -> None:
    tvd = replace(FIGURE, measure="TVD", scenario="", target="", variable="sex")
    own = Figures([tvd, replace(tvd, measure=edition.TVD_PAIRS, variable="", value=4.0)])
    replicas = [With(name="r"), With(name="q")]
    names = {"r": ["age", "sex"], "q": ["sex", "job"]}
    public: Any = With(
        pairs=pairs, replicas=replicas, variables=lambda replica: names[replica.name]
    )
    *before, table = edition._usefulness(public, own).tables
    assert len(before) == pairs
    for of_pairs in before:
        assert [[cell.text for cell in row][:1] for row in of_pairs.rows] == [["r"], ["q"]]
        assert of_pairs.rows[0][1].text == f"4.00{SPACE}%"
    assert table.columns == ("Variable", "r", "q")
    assert [row[0].text for row in table.rows] == ["age", "sex", "job"]
    assert table.rows[1][1].text == f"12.34{SPACE}%"


def _asked(measure: str, replica: str = "", **more: Any) -> Question:
    entries = {
        "place": Place(), "cells": 1, "sets": 1, "edges": (), "sensitivity": 1,
        "weight": Fraction(1), "identity": "",
    }  # fmt: skip
    return Question(measure, replica, **{**entries, **more})


def test_the_price_has_a_row_for_each_kind_of_question() -> None:
    half = _asked("records", weight=Fraction(1, 2), sensitivity=3)
    near, far = _asked(NEAREST, "r"), _asked(NEAREST, "q", sensitivity=5)
    variances = {half: 400, near: 9, far: 16}
    sums: Any = With(answers={q: With(variance=Fraction(v)) for q, v in variances.items()})
    assert edition._noise(sums) == 4.0  # of whole questions
    for unit, heading in (("", "One person moves it by"), ("household", "One household moves")):
        public: Any = With(unit=unit)
        table = edition._price(public, sums)
        assert table.columns[-1].startswith(heading)
        assert [[cell.text for cell in row] for row in table.rows] == [
            ["number of records", "1", "20.0", "3"],
            ["distance to the nearest replica record", "2", "4.0", "1"],
        ]


def _of(measure: str, replica: str = "", value: float = 0.0, **place: Any) -> Estimate:
    entries = {"scenario": "", "target": "", "unit": "share", "low": 0.0, "high": 1.0}
    return replace(
        FIGURE, measure=measure, replica=replica, value=value, limited=False, **{**entries, **place}
    )


@pytest.mark.parametrize("holdout", [False, True])
def test_people_are_counted_by_the_distances_that_were_asked_of_each_replica(
    *, holdout: bool
) -> None:
    questions = [
        _asked("records", "q", edges=(9,)),
        _asked(NEAREST, "r", edges=(0, 2)),
        _asked(NEAREST, "q", edges=(1,)),
    ]
    sums: Any = With(answers=dict.fromkeys(questions))
    sets = ("original", "holdout", "difference")
    figures = Figures(
        _of(NEAREST, replica, 100.0 * i + 10 * cell + k, cell=cell, people=people)
        for i, replica in enumerate("rq")
        for cell in range(3)
        for k, people in enumerate(sets)
    )
    replicas = [With(name="r", n=10), With(name="q", n=10)]
    public: Any = With(replicas=replicas, holdout=holdout)
    section = edition._copies(public, figures, sums)
    (table,) = section.tables
    assert section.paragraphs == ()
    assert table.columns[2:] == tuple(words.PEOPLE.values())[: 3 if holdout else 1]
    assert ("People of the holdout were not in" in table.note) is holdout
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[:3] for row in rows] == [
        ["r", "none", "0.00"], ["r", "1 to 2", "10.00"], ["r", "more than 2", "20.00"],
        ["q", "0 to 1", "100.00"], ["q", "more than 1", "110.00"],
    ]  # fmt: skip
    assert rows[4][3:] == (["111.00", "112.00"] if holdout else [])


def test_a_scenario_has_a_table_per_measure_of_each_replica_and_target() -> None:
    scenario = Scenario("s", ("age",), ("vote", "job"), "Neighbours.")
    other = replace(scenario, name="t", description="")
    figures = Figures(
        [
            _of("UiO", value=7.0, scenario="s"),
            *(
                _of("DiSCO", replica, 10.0 * i + j, scenario="s", target=target)
                for i, replica in enumerate("rq")
                for j, target in enumerate(scenario.targets)
            ),
            *(_of("repU", r, 5.0, scenario="s", people=p) for r in "rq" for p in words.PEOPLE),
        ]
    )
    public: Any = With(
        scenarios=(other, scenario), replicas=[With(name="r"), With(name="q")],
        coarsen={"job": With(words="groups")},
    )  # fmt: skip
    section = edition._scenario(public, figures, 1, ["UiO", "repU", "DiSCO"])
    assert (section.identity, section.heading) == ("risk-1", "Risk: s")
    assert section.paragraphs[:2] == (words.knows(scenario), "Neighbours.")
    assert section.paragraphs[2].endswith("in a coarser form in job (groups).")
    original, keys, targets = section.tables
    assert [[cell.text for cell in row] for row in original.rows] == [["the keys", "7.00"]]
    assert keys.columns == ("Replica", *words.PEOPLE.values())
    assert [[cell.text for cell in row] for row in keys.rows] == [[r, *["5.00"] * 3] for r in "rq"]
    assert targets.columns == ("Replica", "Target", "Original")
    assert [[cell.text for cell in row] for row in targets.rows] == [
        ["r", "vote", "0.00"], ["r", "job", "1.00"], ["q", "vote", "10.00"], ["q", "job", "11.00"],
    ]  # fmt: skip
    public.replicas.pop()
    (alone,) = edition._scenario(public, figures, 1, ["repU"]).tables
    assert [[cell.text for cell in row] for row in alone.rows] == [["r", *["5.00"] * 3]]
    assert edition._scenario(public, figures, 0, []).paragraphs == (
        words.knows(other), section.paragraphs[2],
    )  # fmt: skip
