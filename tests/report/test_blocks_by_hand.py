"""What subjects add to a report: rows of evidence that is made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.external import ExternalLinkage
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.publication.structure import Finding
from sdcmetrics.report import blocks
from sdcmetrics.report.block import Maker
from sdcmetrics.report.figures.charts import nice_end
from sdcmetrics.report.safety.cells import Name, SafeCell, SafeTable, plain, text_cell
from sdcmetrics.report.sections import (
    analyses,
    by_variable,
    data,
    external,
    fits,
    people,
    publication,
    todo,
    utility,
)
from sdcmetrics.review.people import Claim
from sdcmetrics.study.study import Study

SPACE = "\N{NO-BREAK SPACE}"


def texts(table: SafeTable) -> list[list[str]]:
    return [[cell.text.replace(SPACE, " ") for cell in row] for row in table.rows]


def source(evidence: dict[Any, Any], **more: Any) -> Any:
    name = lambda raw: Name(raw, raw)  # noqa: E731  (as a source has it)
    return With(
        inside=With(evidence=With(of=lambda _: evidence), **more.pop("inside", {})), name=name,
        named=lambda raw: text_cell(name(raw)), **more,
    )  # fmt: skip


class TestAnalyses:
    PLACE = analyses._place("mean age")
    ESTIMATES = pd.DataFrame(
        {
            "original": [40.0, 2.0], "se_original": [0.5, 0.1], "synthetic": [41.0, 2.5],
            "se_synthetic": [0.6, 0.2], "std_diff": [2.0, 5.0], "CIO": [0.25, -1.0],
            "same": [1.0, 0.0],
        },
        index=["age", "sex"],
    )  # fmt: skip

    def test_terms_have_a_row_each_and_code_its_digest_once(self) -> None:
        results: Any = {
            (replica, self.PLACE): With(estimates=self.ESTIMATES, problems=(), digest="ab")
            for replica in ("r", "q")
        }
        rows = texts(analyses._terms(source(results), results))
        assert [row[:3] for row in rows] == [
            ["mean age", replica, term] for replica in ("r", "q") for term in ("age", "sex")
        ]
        assert [row[-1] for row in rows[:2]] == ["yes", "no"]
        code = analyses._code(source(results), results)
        assert code is not None
        assert texts(code) == [["mean age", "ab"]]
        for result in results.values():
            result.digest = ""
        assert analyses._code(source(results), results) is None
        assert analyses._same(math.nan) is None

    def test_what_is_not_compared_has_a_reason(self) -> None:
        results: Any = {("r", self.PLACE): With(problems=("one", "two"))}
        reasons = {("q", "mean age"): "no such column", ("q", "other"): ""}
        measures = With(
            fitted=lambda replica, metric, name: (
                With(reason=reasons[replica, name])
                if metric == "CIO_analysis" and (replica, name) in reasons
                else None
            )
        )
        section: Any = With(each=[With(name="mean age"), With(name="other")])
        of = source(results, replicas=("r", "q"), measures=measures)
        rows = list(analyses._not_compared(of, section, results))
        assert [tuple(cell.text for cell in row) for row in rows] == [  # type: ignore[union-attr]
            ("mean age", "r", "one"), ("mean age", "r", "two"),
            ("mean age", "q", "no such column"),
        ]  # fmt: skip


def test_files_of_outsiders_are_linked_or_have_a_reason() -> None:
    table = pd.DataFrame(
        {"records": [50, 40], "known": [80.0, 60.0], "alone": [10.0, 4.0], "one_to_one": [5.0, 2.0],
         "k_map": [1.0, 2.0],
         "right": [50.0, 25.0]},
        index=["original", "holdout"],
    )  # fmt: skip
    linkage = ExternalLinkage(table, ("age",), 90)
    linked = {("r", Place(scenario="voters")): linkage}
    assert external._block(source({})) is None
    block = external._block(source(linked))
    assert block is not None
    assert [*block.tables] == ["external"]
    rows = texts(block.tables["external"])
    assert [row[:4] for row in rows] == [
        ["voters", "r", "original", "50"], ["voters", "r", "holdout", "40"],
    ]  # fmt: skip
    both = external._block(source({**linked, ("q", Place(scenario="voters")): "no common column"}))
    assert both is not None
    assert texts(both.tables["external_not_linked"]) == [["voters", "q", "no common column"]]
    assert len(both.tables["external"].rows) == 2


@pytest.mark.parametrize("epsilon", ["", "contradicted"])
def test_a_file_that_goes_out_has_its_findings_and_what_contradicts_its_documents(
    epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication, "said_of", lambda _, statement: (statement.words,))
    findings = [
        Finding("label", "", "is missing", "add one"),
        Finding("structure", "age", "is wide", "cut it", minor=True, files=(1, 3)),
    ]
    variables = pd.DataFrame(
        {"inside": [99.0], "missing_original": [1.0], "missing_synthetic": [2.0],
         "distinct_synthetic": [3.0]},
        index=["age"],
    )  # fmt: skip
    states = {name: With(epsilon=epsilon, words={"replica": name}) for name in ("r", "unchecked")}
    assert publication._block(source({}, states=states)) is None
    monkeypatch.setattr(publication, "Statement", lambda *parts: With(words=f"said of {parts[2]}"))
    check = With(findings=findings, variables=variables)
    block = publication._block(source({("r", Place()): check}, states=states))
    assert block is not None
    table = block.tables["publication"]
    rows = texts(table)
    assert [row[:3] for row in rows[:2]] == [
        ["r", "label", "\N{EN DASH}"],
        ["r 1, 3", "structure (minor)", "age"],
    ]
    assert len(rows) == 2 + (epsilon != "")
    if epsilon:
        assert rows[2][:2] == ["r", "documentation"]
    assert table.note == ""
    structure = texts(block.tables["publication_structure"])
    assert [row[:2] for row in structure] == [["r", "age"]]
    bare = With(findings=[], variables=variables)
    nothing = publication._block(source({("r", Place()): bare}, states={}))
    assert nothing is not None
    assert nothing.tables["publication"].note == "Nothing was found."


@pytest.mark.parametrize("files", [1, 2])
def test_attacks_of_membership_name_their_scenario_where_they_have_one(
    monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    attacked = [("r", "nearest", "", ""), ("q", "nearest", "", ""), ("r", "linkage", "s", "")]
    attacked += [("r", people.INFERENCE.name, "s", "vote")]
    of = source(
        {}, release=False, inside={"attacks_by_all": dict.fromkeys(attacked)},
        within=lambda scenario: (f" in {scenario}",), syntheses={"r": files, "q": 1},
    )  # fmt: skip
    cells = [text_cell(Name("r", "r"))] * len(people._ATTACKED)
    monkeypatch.setattr(people, "_attacked", lambda *_: [cells])
    table = people.membership_table(of)
    assert plain(table.caption) == "Attacks: who was in the original"
    assert [row[0] for row in texts(table)] == ["nearest", "linkage in s"]
    assert ("whoever has all of them" in table.note) == (files > 1)


def test_a_block_is_of_a_subject_and_made_by_a_maker() -> None:
    def entry(name: str, made: Any) -> Any:
        return With(name=name, load=lambda: made)

    maker = Maker()
    assert [*blocks._of_others([entry("disclosure", maker)])] == [("disclosure", maker)]
    with pytest.raises(StudyError, match="expected a Maker but got int"):
        [*blocks._of_others([entry("disclosure", 1)])]
    with pytest.raises(StudyError, match=r"no such subject\. Did you mean 'disclosure'"):
        [*blocks._of_others([entry("disclosur", maker)])]
    with pytest.raises(StudyError, match=r"no such subject\. Known: .*disclosure"):
        [*blocks._of_others([entry("zzzzzz", maker)])]


@pytest.mark.parametrize(("most", "left"), [(2, "bd"), (3, "bcd"), (4, "abcd"), (9, "abcd")])
def test_the_largest_levels_are_drawn_in_their_order(most: int, left: str) -> None:
    counts = {"a": None, "b": 9.0, "c": 2.0, "d": 5.0}
    levels: Any = tuple(With(label=name, count=With(number=n)) for name, n in counts.items())
    assert "".join(level.label for level in by_variable._largest(levels, most)) == left


@pytest.mark.parametrize(
    ("tested", "note", "words"),
    [
        ((), "", "passed"),
        (("r", "q"), "", "passed (r, q)"),
        (("r",), "by two people", "passed (r); by two people"),
    ],
)
def test_a_test_by_an_intruder_is_told_inside(
    tested: tuple[str, ...], note: str, words: str
) -> None:
    stated = Publication(
        intruder_test="passed", intruder_tested=tested, intruder_test_note=note
    )  # fmt: skip
    for section, expected in ((stated, [words]), (Publication(), []), (None, [])):
        study = object.__new__(Study)
        sections = {} if section is None else {"publication": section}
        object.__setattr__(study, "sections", sections)
        told = data._intruder_test(source({}, review=With(study=study)))
        assert [plain(text) for _, text in told] == expected


def test_problems_of_a_fit_name_their_replica_once() -> None:
    model: Any = With(formula="y ~ x", family="gaussian", name="m")
    problems = ("q: term z is missing", "q did not converge", "few records")
    of = source(
        {}, replicas=("r", "q", "p"), release=False, withheld=lambda *_: "",
        inside={"fits": {("q", "y ~ x", "gaussian"): With(problems=problems)}},
        measures=With(
            fitted=lambda replica, metric, name: (
                With(reason="no level") if (replica, metric, name) == ("r", "CIO", "m") else None
            )
        ),
    )  # fmt: skip
    assert [plain(item.words) for item in fits._problems(of, model)] == [
        "Not fitted to r: no level.", "q: term z is missing.", "q did not converge.",
        "q: few records.", "Not fitted to p.",
    ]  # fmt: skip


@pytest.mark.parametrize("syntheses", [1, 2])
def test_what_is_learnt_has_an_interval_of_one_synthesis(
    syntheses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one: Any = With(gap_low=-0.1, gap_high=0.25, score="AUC")
    of = source(
        {}, inside={"predictions": {("r", "vote", "forest"): [one] * syntheses}},
        risk=lambda *place: SafeCell(" ".join(place), "number", detail="kept"),
        measures=With(of_no_table=list),
    )  # fmt: skip
    monkeypatch.setattr(people, "_mean_cell", lambda *_: None)
    monkeypatch.setattr(people, "_p", lambda *_: None)
    (row,) = people._learnt(of)
    assert [cell.text for cell in row[:2]] == ["r", "vote"]  # type: ignore[union-attr]
    assert row[2:4] == ("forest", "AUC")
    assert [row[i].text for i in (4, 5, 7, 10)] == [  # type: ignore[union-attr]
        f"r {symbol} forest vote" for symbol in ("TSTR", "TRTR", "TSTR_gap", "TSTR_fresh_gap")
    ]
    detail = "\N{MINUS SIGN}0.100 to 0.250" if syntheses == 1 else "kept"
    assert row[7].detail.replace("-", "\N{MINUS SIGN}") == detail  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, 0), ({"intruder": "failed"}, 1), ({"epsilon": "contradicted"}, 1),
        ({"of_holdout": True}, 1), ({"excess": With(flagged=True)}, 1),
        ({"people": With(claims=(Claim.OUTSIDERS,))}, 1),
        ({"people": With(claims=(Claim.AVOIDS,))}, 1),
    ],
)  # fmt: skip
def test_grounds_without_a_step_are_pointed_to(changed: dict[str, Any], told: int) -> None:
    plainly = {"intruder": "passed", "epsilon": "", "of_holdout": False}
    plainly |= {"excess": With(flagged=False), "people": With(claims=())}
    states = {"r": With(**plainly | changed)}
    for release, number in ((False, told), (True, 0)):
        assert (
            len([*todo._other_grounds(source({}, states=states, release=release), "r")]) == number
        )


@pytest.mark.parametrize(
    ("text", "number", "short"),
    [
        ("12.34", 12.34, "12"), ("0.05", 0.05, "0.05"), ("0.0", 0.0, "0.0"), ("7", 7.0, "7"),
        ("994.4", 994.4, "990"), ("995.1", 995.1, "1k"), ("1,234", 1234.0, "1.2k"),
        ("12,345.6", 12345.6, "12k"), ("not\N{NO-BREAK SPACE}shown", None, "notshown"),
    ],
)  # fmt: skip
def test_a_cell_of_a_heat_map_has_two_digits(text: str, number: float | None, short: str) -> None:
    assert utility._short(SafeCell(text, "number", number)) == short


@pytest.mark.parametrize(
    ("largest", "end"),
    [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (2.1, 4.0), (6.0, 6.0), (8.1, 10.0), (0.03, 0.04)],
)
def test_an_axis_ends_at_a_round_number(largest: float, end: float) -> None:
    assert nice_end(largest) == end


@pytest.mark.parametrize(
    ("number", "which"), [(12, "the levels"), (24, "the 12 largest of 24 levels")]
)
def test_a_chart_of_some_levels_says_so_above_it(number: int, which: str) -> None:
    cell = With(number=1.0, text="1 %")
    level = With(label=Name("a", "a"), count=cell, share=cell, replicas=(cell,))
    distribution: Any = With(name=Name("income", "income"), levels=(level,) * number)
    of: Any = With(replicas=("cart",), name=lambda raw: Name(raw, raw))
    chart = by_variable._bars(of, distribution)
    assert chart.title == f"Shares of {which} of income: original beside every replica"
    assert len(chart.levels) == 12
