"""The section beside fresh data: exact inside, rounded or held back outside."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.fidelity.places import HOLDOUT
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import HoldoutMap, Mark
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import Name, SafeCell, SafeTable, plain
from sdcmetrics.report.sections import holdout
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import NOW, RARE, sample
from tests.report.pages import Page
from tests.report.test_pages import tags


def study(holdout: pd.DataFrame) -> Study:
    original = sample(400, 1)
    leaked = pd.concat([sample(370, 5), original[20:50]], ignore_index=True)
    return Study(
        original,
        {"good": [sample(400, 2), sample(400, 3)], "leaked": leaked, "copy": original.copy()},
        keys=["region"],
        targets=["vote"],
        holdout=holdout,
        title="Fresh",
        permutations=199,
        perturbed=[0.5],
    )


@pytest.fixture(scope="module")
def fresh() -> Review:
    return conduct(study(sample(380, 9)), now=NOW)


@pytest.fixture(scope="module")
def inside(fresh: Review, profile: Profile) -> SafeReport:
    return safe_report(fresh, profile, "internal")


@pytest.fixture(scope="module")
def outside(fresh: Review, profile: Profile) -> SafeReport:
    return safe_report(fresh, profile, "checker")


def row(table: SafeTable, name: str) -> dict[str, SafeCell]:
    fields = [column.field for column in table.columns]
    (result,) = [cells for cells in table.rows if cells[0].text == name]
    return dict(zip(fields, result, strict=True))


def sentences(report: SafeReport) -> list[str]:
    return [plain(item.words) for item in (*report.fresh.check, *report.fresh.findings)]


class TestInside:
    def test_the_holdout_is_the_first_row_of_both_tables(self, inside: SafeReport) -> None:
        assert inside.fresh.fidelity.rows[0][0].text == "Holdout itself"
        assert inside.fresh.closeness.rows[0][0].text == "Holdout itself"

    def test_numbers_are_those_of_the_review(self, inside: SafeReport, fresh: Review) -> None:
        assert fresh.fresh is not None
        result = fresh.fresh.fidelity["leaked"].figure(2, "tvd")
        assert row(inside.fresh.fidelity, "leaked")["F2"].number == pytest.approx(100 * result)
        share = fresh.fresh.closest["leaked", 1].share
        shown = row(inside.fresh.closeness, "leaked")["DCR_share"].number
        assert shown == pytest.approx(100 * share, abs=0.05)

    def test_syntheses_of_one_replica_have_a_row_each(self, inside: SafeReport) -> None:
        names = [cells[0].text for cells in inside.fresh.closeness.rows]
        assert names == ["Holdout itself", "good 1", "good 2", "leaked", "copy"]

    def test_copied_people_are_named_as_a_finding(self, inside: SafeReport) -> None:
        risk = inside.decision.answers[0]
        about = [plain(sentence.words) for sentence in risk.sentences]
        (holds,) = [item for item in about if item.startswith("leaked: It holds records of people")]
        assert "30 of 400 are equal to a record of it and to nobody else" in holds
        assert "leaked" in [name.text for name in inside.decision.people]
        assert row(inside.fresh.copies, "leaked")["copied"].number == 30

    def test_findings_stand_on_the_first_page(self, inside: SafeReport) -> None:
        (risks, _) = inside.decision.findings
        texts = [plain(item.words) for item in risks.sentences]
        assert set(sentences(inside)[1:]) <= set(texts)

    def test_the_map_has_replicas_references_and_the_holdout(self, inside: SafeReport) -> None:
        assert inside.fresh.map is not None
        kinds = {mark.name: mark.kind for mark in inside.fresh.map.points}
        assert kinds == {
            "50 %": "perturbed",
            "good": "replica",
            "leaked": "replica",
            "Holdout": "holdout",
        }  # a copy is at a distance of 0, which a logarithm has no place for

    def test_cells_that_differ_most_are_drawn_with_their_values(self, inside: SafeReport) -> None:
        first = inside.fresh.drawings[0]
        assert [series.name for series in first.series] == ["original", "holdout", "good"]
        assert first.series[0].texts[0] in first.description

    def test_the_page_is_well_formed(self, inside: SafeReport) -> None:
        page = Page(render(inside))
        assert page.errors == []
        assert any(element.attributes.get("id") == "fresh" for element in page.elements)


class TestWrongHoldout:
    def test_overlap_is_said_first(self, profile: Profile) -> None:
        bad = pd.concat([sample(340, 9), sample(400, 1)[100:160]], ignore_index=True)
        result = safe_report(conduct(study(bad), now=NOW), profile, "internal")
        assert "overlaps the original" in sentences(result)[0]

    def test_another_population_is_said_by_variable(self, profile: Profile) -> None:
        other = sample(380, 9)
        other["age"] = other["age"] // 2 + 40
        result = safe_report(conduct(study(other), now=NOW), profile, "checker")
        assert any("in the distribution of age" in text for text in sentences(result))

    def test_repeated_records_kept_together_are_said(self, profile: Profile, fresh: Review) -> None:
        assert fresh.fresh is not None
        check = replace(fresh.fresh.check, problems=("x",), p_fewer=0.005)
        checks = {(HOLDOUT, *key): check for key in fresh.evidence.of(HOLDOUT)}
        changed = replace(fresh, evidence=fresh.evidence.joined(Evidence(checks)))
        result = safe_report(changed, profile, "internal")
        assert any("kept together" in text for text in sentences(result))


@pytest.fixture(scope="module")
def quiet() -> Review:
    asked = Study(
        sample(400, 1),
        {"good": sample(400, 2)},
        keys=["region"],
        targets=["vote"],
        holdout=sample(380, 9),
        permutations=0,
        perturbed=[],
    )
    return conduct(asked, now=NOW)


class TestNothingFound:
    def test_inside_it_is_said_what_was_not_tested(self, quiet: Review, profile: Profile) -> None:
        result = safe_report(quiet, profile, "internal")
        assert result.fresh.findings == ()
        assert "No replica is closer to the original" in result.fresh.quiet
        assert "labels were not permuted" in result.fresh.quiet
        assert "were not permuted" in result.fresh.closeness.note
        assert result.fresh.quiet in unescape(render(result))

    def test_outside_hidden_tests_are_not_said_to_have_found_nothing(
        self, quiet: Review, profile: Profile
    ) -> None:
        result = safe_report(quiet, profile, "checker").fresh
        assert result.findings == ()
        assert "Nothing that this edition shows" in result.quiet


class TestOutside:
    def test_small_counts_are_hidden(self, outside: SafeReport) -> None:
        for cells in outside.fresh.copies.rows:
            if cells[0].full == "good":
                assert {cell.kind for cell in cells[2:]} == {"hidden"}
        number = row(outside.fresh.copies, "leaked")["copied"].number
        assert number in (25, 30, 35)

    def test_no_single_table_is_drawn(self, outside: SafeReport) -> None:
        assert outside.fresh.drawings == ()

    def test_the_number_of_records_is_rounded(self, outside: SafeReport) -> None:
        assert "380 records, the original about 400" in sentences(outside)[0]

    def test_mean_distances_are_bands_in_the_list_of_measurements_too(
        self, outside: SafeReport
    ) -> None:
        table = outside.exports["measurements"]
        fields = [column.field for column in table.columns]
        rows = [dict(zip(fields, cells, strict=True)) for cells in table.rows]
        result = [r["value"] for r in rows if re.fullmatch("F[123](_holdout)?", r["metric"].text)]
        assert len(result) == 18
        for cell in result:
            assert cell.number is None
            assert re.fullmatch(r"below 0.01|0.1 or more|[\d.]+ to [\d.]+", cell.text)
        held_back = [cell.text for cells in outside.suppression.rows for cell in cells]
        assert not any("such as F" in rule for rule in held_back)

    def test_there_is_no_map_of_exact_means(self, outside: SafeReport) -> None:
        assert outside.fresh.map is None
        assert len(outside.fresh.worst) == 0

    def test_what_is_written_passes_the_scan(
        self, fresh: Review, profile: Profile, tmp_path: Path
    ) -> None:
        how = {"mode": "checker", "profile": profile}
        files = [
            write_html(fresh, tmp_path / "report.html", **how),  # type: ignore[arg-type]
            write_json(fresh, tmp_path / "review.json", **how),  # type: ignore[arg-type]
            *write_csv(fresh, tmp_path / "tables", **how),  # type: ignore[arg-type]
        ]
        assert {"fresh_fidelity.csv", "fresh_copies.csv"} <= {file.name for file in files}
        for file in files:
            text = unescape(file.read_text("utf-8"))
            assert not any(label in text for label in RARE), file.name

    def test_every_figure_goes_to_pdf(self, outside: SafeReport) -> None:
        # The figures alone: to set all the tables beside them takes ten times as long.
        pytest.importorskip("weasyprint")
        pikepdf = pytest.importorskip("pikepdf")
        figures = re.findall(r"<svg.*?</svg>", render(outside), re.DOTALL)
        assert len(figures) > 10
        page = (
            f'<!DOCTYPE html><html lang="en"><title>F</title><body>{"".join(figures)}</body></html>'
        )
        file = pikepdf.open(io.BytesIO(html_to_pdf(page)))
        kinds = [str(element.S) for element in tags(file.Root.StructTreeRoot.K, pikepdf)]
        assert kinds.count("/Figure") == len(figures)


def test_without_a_holdout_the_section_says_what_is_missing(
    review: Review, profile: Profile
) -> None:
    result = safe_report(review, profile, "internal")
    assert "There is no holdout" in result.fresh.none
    assert "There is no holdout" in render(result)
    assert not any(name.startswith("fresh") for name in result.exports)


def test_the_map_keeps_every_mark_inside() -> None:
    marks = (
        Mark("Holdout", "holdout", 1.0, 50.0),
        Mark("far & away", "replica", 300.0, 12.0),
        Mark("copy", "replica", 0.01, 100.0),
        Mark("10 %", "perturbed", 1.5, 95.0),
        Mark("90 %", "perturbed", 9.0, 51.0),
    )
    drawn = draw(HoldoutMap("t", "d", "x", "y", marks), "m")
    assert "far &amp; away" in drawn
    for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn):
        assert 0 < float(x) < 560
        assert 0 < float(y) < 400


class TestTargetReferences:
    def test_the_first_page_has_a_copy_and_fresh_people_inside_only(
        self, inside: SafeReport, outside: SafeReport
    ) -> None:
        def said(report: SafeReport) -> str:
            return " ".join(plain(item.words) for item in report.decision.answers[0].rests)

        assert re.search(
            r"380 records of \w+ would disclose \d+ of 400 people \(vote\); 380 records of the "
            r"original itself, \d+; 380 records of people who were not in the original, \d+\.",
            said(inside),
        )
        assert "a copy of" not in said(outside)

    def test_tables_have_both_marks_and_p_inside_only(
        self, fresh: Review, inside: SafeReport, outside: SafeReport
    ) -> None:
        rows = fresh.mean_rows()
        rows = rows[rows["replica"] == "leaked"].set_index("metric")
        for table, metric in ((inside.identity[0], "repU"), (inside.attribute[0].table, "DiSCO")):
            cells = row(table, "leaked")
            for mark in ("value_at", "copy_at", "fresh", "p"):
                assert cells[mark].number == rows.loc[metric, mark]
        for table in (outside.identity[0], outside.attribute[0].table):
            assert not {"value_at", "copy_at", "fresh"} & {c.field for c in table.columns}

    def test_every_replica_has_two_ticks_inside_only(
        self, inside: SafeReport, outside: SafeReport
    ) -> None:
        figures = [figure for figure in inside.attribute[0].figures if figure.key]
        assert [figure.title.split()[0] for figure in figures] == ["DiSCO", "DCAP"]
        for figure in figures:
            assert [[tick.name for tick in row.ticks] for row in figure.rows] == [
                ["copy", "holdout"]
            ] * 3
            assert draw(figure, "x").count('stroke-width="3"') == 6
        assert not any(figure.key for figure in outside.attribute[0].figures)

    def test_files_have_the_marks_inside_only(
        self, inside: SafeReport, outside: SafeReport
    ) -> None:
        fields = [
            {c.field for c in item.exports["measurements"].columns} for item in (inside, outside)
        ]
        assert {"copy", "fresh", "at", "outsiders_p"} <= fields[0]
        assert not {"copy", "fresh", "at", "outsiders_p"} & fields[1]

    def test_without_a_holdout_the_copy_stands_alone(
        self, review: Review, profile: Profile
    ) -> None:
        result = safe_report(review, profile, "internal")
        text = " ".join(plain(item.words) for item in result.decision.answers[0].rests)
        assert "A verbatim copy would disclose" in text
        assert "A holdout would" in result.attribute[0].table.note
        assert "fresh" not in {c.field for c in result.attribute[0].table.columns}


@pytest.mark.parametrize(("ways", "tables"), [(1, "tables of 1 variable"), (2, "2 variables")])
def test_replicas_closer_than_the_holdout_are_told_of_which_tables(ways: int, tables: str) -> None:
    figures = {"tvd": 0.01, "se": 0.001, "fresh_tvd": 0.02}
    fidelity = SimpleNamespace(figure=lambda _, column: figures[column])
    evidence: Any = SimpleNamespace(fidelity={"r": fidelity}, ways=ways)
    source: Any = SimpleNamespace(held={}, name=lambda name: Name(name, name))
    (closer,) = holdout._findings(source, evidence)
    assert f"{tables} are closer to the original than a holdout" in plain(closer.words)
