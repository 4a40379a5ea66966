"""What a measure declares decides where it is shown, also of one that no section knows."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pandas as pd
import pytest

from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.measure import Measure, Release
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.safety.rows import as_csv
from sdcmetrics.report.sections.all_measures import worst_cell
from sdcmetrics.report.source import Source
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

VALUE = 0.123456


def foreign(release: Release | None = None) -> Measure:
    """Return a measure of a third party: TVD under another name."""
    return replace(MEASURES["TVD"], symbol="Foreign", title="A foreign distance", release=release)


@pytest.fixture
def with_foreign(review: Review, monkeypatch: pytest.MonkeyPatch) -> Review:
    """Return a review in which a third party's measure was made of every pair of variables."""
    assert MEASURES["TVD"].of is CROSSTABLES
    monkeypatch.setitem(MEASURES, "Foreign", foreign())
    frame = review.frame
    more = frame[(frame["metric"] == "TVD") & (frame["variables"].map(len) == 2)]
    more = more.assign(metric="Foreign", value=[VALUE + i / 1000 for i in range(len(more))])
    return replace(review, frame=pd.concat([frame, more], ignore_index=True))


def texts(report: SafeReport) -> dict[str, str]:
    """Return everything that is written, by name."""
    out = {"report.html": render(report), "review.json": as_json(report)}
    return out | {f"{name}.csv": as_csv(table) for name, table in report.exports.items()}


def test_a_measure_that_no_section_knows_is_in_the_internal_report(
    with_foreign: Review, profile: Profile
) -> None:
    written = texts(safe_report(with_foreign, profile, "internal"))
    assert "A foreign distance" in written["report.html"]
    rows = json.loads(written["review.json"])["measurements"]
    values = [row["value"] for row in rows if row["metric"] == "Foreign"]
    assert VALUE in values
    wide = list(csv.DictReader(io.StringIO(written["utility_twoway.csv"])))
    assert {float(row["Foreign"]) for row in wide} == set(values)


def test_the_worst_place_of_every_measure_is_named(with_foreign: Review, profile: Profile) -> None:
    report = safe_report(with_foreign, profile, "internal")
    rows = [row for table in report.every for row in table.rows if row[0].text == "Foreign"]
    (row,) = rows
    means = with_foreign.mean_rows()
    for replica, cell in zip(with_foreign.replicas, row[2:], strict=True):
        result = means[(means["metric"] == "Foreign") & (means["replica"] == replica)]
        worst = result.loc[result["value"].idxmax()]
        assert cell.number == worst["value"]
        assert cell.detail == " \N{MULTIPLICATION SIGN} ".join(worst["variables"])


def test_a_measure_that_does_not_say_how_it_may_be_released_never_is(
    with_foreign: Review, profile: Profile
) -> None:
    for name, text in texts(safe_report(with_foreign, profile, "checker")).items():
        assert "Foreign" not in text, name
        assert "A foreign distance" not in text, name


def test_how_exactly_a_measure_is_released_follows_from_its_declaration(
    monkeypatch: pytest.MonkeyPatch, profile: Profile
) -> None:
    guard = Guard("checker", profile, 944)
    expected = {None: False, "distance": True, "band": True}
    for rule, number in expected.items():
        release = None if rule is None else Release(rule)
        monkeypatch.setitem(MEASURES, "Foreign", foreign(release))
        assert guard.shows("Foreign") is number, rule


def test_the_worst_value_names_a_target_only_where_it_depends_on_one(
    review: Review, profile: Profile
) -> None:
    source = Source(review, profile)
    assert worst_cell(source, "copy", "repU").detail == ""  # there is one scenario
    assert worst_cell(source, "copy", "DiSCO").detail in {"vote", "age"}


def test_a_measure_stands_in_the_table_that_it_names(
    review: Review, monkeypatch: pytest.MonkeyPatch, profile: Profile
) -> None:
    shown = {"learnt": (9, "Disclosive", "of another package")}
    own = replace(MEASURES["DiS"], symbol="Foreign", show=shown, release=None)
    monkeypatch.setitem(MEASURES, "Foreign", own)
    rows = review.frame[review.frame["metric"] == "DiS"].assign(metric="Foreign")
    more = replace(review, frame=pd.concat([review.frame, rows], ignore_index=True))
    table = safe_report(more, profile, "internal").attribute[0].table
    place = [column.field for column in table.columns].index("Foreign")
    assert (table.columns[place].title, table.columns[place].detail) == shown["learnt"][1:]
    original, _, *replicas = (row[place].number for row in table.rows)
    assert original is None  # it names nothing that the original itself gives
    first = rows[rows["target"] == rows["target"].iloc[0]]
    assert replicas == first.groupby("replica", sort=False)["value"].mean().tolist()
    (block, *_) = safe_report(more, profile, "checker").attribute
    assert "Foreign" not in [column.field for column in block.table.columns]
