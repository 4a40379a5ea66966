"""What subjects add to a report: rows of evidence that is made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.measures.attacks.external import ExternalLinkage
from sdcmetrics.measures.kind import Place
from sdcmetrics.report.safety.cells import Name, SafeTable, plain, text_cell
from sdcmetrics.report.sections import analyses, external, people, publication

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
        {"records": [50, 40], "known": [80.0, 60.0], "alone": [10.0, 4.0], "one_to_one": [5.0, 2.0], "k_map": [1.0, 2.0],
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
        With(subject="label", minor=False, column="", text="is missing", remedy="add one"),
        With(subject="range", minor=True, column="age", text="is wide", remedy="cut it"),
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
        ["r", "range (minor)", "age"],
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


def test_attacks_of_membership_name_their_scenario_where_they_have_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attacked = [("r", "nearest", "", ""), ("q", "nearest", "", ""), ("r", "linkage", "s", "")]
    attacked += [("r", people.INFERENCE.name, "s", "vote")]
    of = source(
        {}, release=False, inside={"attacks": dict.fromkeys(attacked)},
        within=lambda scenario: (f" in {scenario}",),
    )  # fmt: skip
    cells = [text_cell(Name("r", "r"))] * len(people._ATTACKED)
    monkeypatch.setattr(people, "_attacked", lambda *_: [cells])
    table = people.membership_table(of)
    assert plain(table.caption) == "Attacks: who was in the original"
    assert [row[0] for row in texts(table)] == ["nearest", "linkage in s"]
