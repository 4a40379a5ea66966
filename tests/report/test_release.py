"""A release report gives nothing confidential back; the scan notices when one would."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import Name, SafeCell, SafeTable, text_cell
from sdcmetrics.report.safety.rows import as_csv
from sdcmetrics.report.scan import scan
from sdcmetrics.report.sections.by_variable import VariableBlock
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from tests.report.conftest import RARE

ORIGINAL_SHARES = {m.symbol for m in MEASURES.values() if m.release and m.release.rule == "share"}


@pytest.fixture(scope="module")
def released(
    review: Review, profile: Profile, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("checker")
    paths = [
        write_html(review, folder / "report.html", mode="checker", profile=profile),
        write_json(review, folder / "review.json", mode="checker", profile=profile),
        *write_csv(review, folder / "tables", mode="checker", profile=profile),
    ]
    return {path.name: unescape(path.read_text("utf-8")) for path in paths}


@pytest.fixture(scope="module")
def safe(review: Review, profile: Profile) -> SafeReport:
    return safe_report(review, profile, "checker")


def test_groups_of_numbers_are_said_to_differ_only_where_they_do(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    inside = safe_report(review, profile, "internal")
    notes = [
        next(block.measures.note for block in report.by_variable if block.name.full == "age")
        for report in (inside, safe)
    ]
    assert "one replica at a time" in notes[0]
    assert notes[1] == ""


def test_no_rare_label_is_anywhere(released: dict[str, str], review: Review) -> None:
    assert set(RARE) <= set(review.distributions["job"].labels)
    for name, text in released.items():
        for label in RARE:
            assert label not in text, name


def test_no_digest_path_file_name_or_seed_is_anywhere(
    released: dict[str, str], review: Review
) -> None:
    assert all(data.sha256 for data in review.inputs)
    for name, text in released.items():
        for data in review.inputs:
            assert str(data.sha256) not in text, name
            assert data.source not in text, name
        for secret in ("secret-folder", "8128", "seed ", "T09:30", "09:30"):
            assert secret not in text, (name, secret)


def test_no_smallest_or_largest_value_is_shown(released: dict[str, str], review: Review) -> None:
    breaks = review.distributions["income"].breaks
    for name, text in released.items():
        for value in (breaks[0], breaks[-1]):
            for written in (f"{value:g}", f"{value:.2f}", f"{value:,.2f}", f"{value:.3g}"):
                if len(written) > 4:
                    assert written not in text, name


def test_the_missing_level_is_a_level(released: dict[str, str], review: Review) -> None:
    result = review.distributions["vote"]
    assert result.original[result.labels.index(None)] == 4
    rows = list(csv.DictReader(io.StringIO(released["distributions.csv"])))
    assert "(missing)" not in {row["level"] for row in rows if row["variable"] == "vote"}


def test_every_shown_count_is_rounded_and_large_enough(released: dict[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(released["distributions.csv"])))
    counts = [int(row["count"]) for row in rows if row["count"]]
    assert counts
    assert all(count >= 10 and count % 5 == 0 for count in counts)


def test_every_replica_is_folded_alike(released: dict[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(released["distributions.csv"])))
    levels: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        levels.setdefault((row["variable"], row["data_set"]), []).append(row["level"])
    for (variable, _), result in levels.items():
        assert result == levels[variable, "original"]


def test_no_share_of_too_few_records_is_a_number(
    released: dict[str, str], review: Review, profile: Profile
) -> None:
    rows = json.loads(released["review.json"])["measurements"]
    shown = {
        (row["replica"], row["metric"], row.get("scenario"), row.get("target")): row.get("value")
        for row in rows
    }
    checked = 0
    for row in review.mean_rows().to_dict("records"):
        if row["metric"] not in ORIGINAL_SHARES:
            continue
        key = (row["replica"], row["metric"], row["scenario"], row["target"])
        if row["count"] < profile.min_cell or row["total"] - row["count"] < profile.min_cell:
            assert shown[key] is None
            checked += 1
    assert checked > 10


def test_measures_for_internal_eyes_are_absent(released: dict[str, str]) -> None:
    for name, text in released.items():
        for metric in ("max_denom", "mean_denom", "nempty", "S_VW", "PO50"):
            assert metric not in text, (name, metric)
    header = released["utility_twoway.csv"].splitlines()[0].split(",")
    assert header == ["variable_1", "variable_2", "replica", "TVD", "S_pMSE", "not_shown"]


def test_the_internal_edition_has_what_the_release_holds_back(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    text = write_html(review, tmp_path / "i.html", profile=profile).read_text("utf-8")
    for secret in (*RARE, str(review.inputs[0].sha256), "confidential_extract.csv", "max_denom"):
        assert secret in text


def test_a_replica_with_the_originals_tables_does_not_give_them_back(
    released: dict[str, str], review: Review
) -> None:
    exact = review.mean_rows()
    same = exact[(exact["metric"] == "S_pMSE") & (exact["value"] == 0)]
    assert len(same) > 5
    rows = list(csv.DictReader(io.StringIO(released["utility_twoway.csv"])))
    hidden = [row for row in rows if not row["S_pMSE"]]
    assert len(hidden) >= len([v for v in same["variables"] if len(v) == 2])
    assert all(float(row["S_pMSE"]) >= 0.5 for row in rows if row["S_pMSE"])


def test_the_log_says_what_is_held_back(safe: SafeReport) -> None:
    rules = {row[0].text: row[1].number for row in safe.suppression.rows}
    assert any("fewer than 10 original records, zero included" in rule for rule in rules)
    assert rules["Levels of fewer than 10 original records"] > 0
    assert all(times for times in rules.values())


def test_hidden_shares_are_drawn_as_bounds(safe: SafeReport) -> None:
    dots = [row.dot for block in safe.attribute for row in block.figures[0].rows]
    assert dots
    assert all(dot is not None and dot.bound == "below" and dot.value == 2.5 for dot in dots)


def texts_of(report: SafeReport) -> dict[str, str]:
    texts = {"HTML": render(report), "JSON": as_json(report)}
    return texts | {f"{name}.csv": as_csv(table) for name, table in report.exports.items()}


def test_the_scan_passes_what_is_clean(review: Review, profile: Profile, safe: SafeReport) -> None:
    scan(review, profile, safe, texts_of(safe))


PLANTED = (
    ("HTML", lambda t: t.replace("</h1>", f" {RARE[0]}</h1>"), "a level of too few original"),
    ("HTML", lambda t: t.replace("<h1>", f'<h1 title="{RARE[1]}">'), "a level of too few original"),
    ("JSON", lambda t: t.replace("A small survey", RARE[0]), "a level of too few original"),
    ("HTML", lambda t: t.replace("</h1>", " " + "0a" * 32 + "</h1>"), "a digest"),
    ("HTML", lambda t: t.replace("</h1>", " /home/anna/study/original.csv</h1>"), "a path"),
    ("HTML", lambda t: t.replace("</h1>", r" C:\Users\anna</h1>"), "a path"),
    ("HTML", lambda t: t.replace("</h1>", r" \\server\share</h1>"), "a path"),
    ("HTML", lambda t: t.replace("</h1>", " file:///x</h1>"), "a path"),
    ("measurements.csv", lambda t: t + "confidential_extract.csv\n", "file name of a data set"),
    ("fixes.csv", lambda t: t + f'"{RARE[0]}"\n', "a level of too few original"),
)


@pytest.mark.parametrize(("study", "blocked"), [("l", False), ("l-", True), ("", True)])
def test_a_study_may_be_called_nearly_as_a_data_file(
    review: Review, profile: Profile, safe: SafeReport, study: str, *, blocked: bool
) -> None:
    source = next(data.source for data in review.inputs)
    called = f"{study}{source}.toml"
    other = copy(review.study)
    object.__setattr__(other, "command", f"sdcmetrics review in/{called}")
    same = replace(review, study=other)
    texts = {"review.json": json.dumps({"command": f"sdcmetrics review {called}"})}
    if not blocked:
        scan(same, profile, safe, texts)
        texts["fixes.csv"] = f"fix\n{called} {study}{source}\n"
    with pytest.raises(ReleaseBlocked, match="file name of a data set"):
        scan(same, profile, safe, texts)


@pytest.mark.parametrize(("name", "plant", "message"), PLANTED)
def test_the_scan_finds_what_is_planted_in_a_document(
    review: Review,
    profile: Profile,
    safe: SafeReport,
    name: str,
    plant: Callable[[str], str],
    message: str,
) -> None:
    texts = texts_of(safe)
    texts[name] = plant(texts[name])
    with pytest.raises(ReleaseBlocked, match=message) as caught:
        scan(review, profile, safe, texts)
    for secret in (*RARE, "anna", "0a0a"):
        assert secret not in str(caught.value)


def with_rows(table: SafeTable, change: Callable[[tuple[SafeCell, ...]], Any]) -> SafeTable:
    return replace(table, rows=tuple(change(row) for row in table.rows))


def test_the_scan_finds_an_unrounded_and_a_small_count(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    for number in (7.0, 12.0, 131.0):

        def change(row: tuple[SafeCell, ...], number: float = number) -> tuple[SafeCell, ...]:
            if row[2].text == "original":
                return (*row[:3], SafeCell(f"{number:.0f}", "number", number), *row[4:])
            return row

        table = with_rows(safe.exports["distributions"], change)
        bad = replace(safe, exports={**safe.exports, "distributions": table})
        with pytest.raises(ReleaseBlocked, match="below the threshold or not rounded"):
            scan(review, profile, bad, {})


def test_the_scan_finds_a_rare_label_in_a_variables_block(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    def change(block: VariableBlock) -> VariableBlock:
        if block.name.full != "job":
            return block
        rows = ((text_cell(Name(RARE[0], RARE[0])), *block.table.rows[0][1:]),)
        return replace(block, table=replace(block.table, rows=rows))

    bad = replace(safe, by_variable=tuple(map(change, safe.by_variable)))
    with pytest.raises(ReleaseBlocked, match="too few original records is named"):
        scan(review, profile, bad, {})


def test_the_scan_finds_a_largest_value(review: Review, profile: Profile, safe: SafeReport) -> None:
    top = f"6,900 to {review.distributions['income'].breaks[-1]:,.2f}"

    def change(row: tuple[SafeCell, ...]) -> tuple[SafeCell, ...]:
        last = row[0].text == "income" and "above" in row[1].text
        return (row[0], text_cell(top), *row[2:]) if last else row

    table = with_rows(safe.exports["distributions"], change)
    bad = replace(safe, exports={**safe.exports, "distributions": table})
    with pytest.raises(ReleaseBlocked, match="smallest or largest value"):
        scan(review, profile, bad, {})


def test_the_scan_finds_a_small_share_anywhere(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    shares = [s for d in review.distributions.values() for r in d.replicas.values() for s in r]
    public = {round(100 * share, 2) for share in shares}
    value = next(v for v in (0.25 * count for count in range(1, 40)) if v not in public)
    level = review.distributions["job"]
    changed = replace(level, original=(round(4 * value), *level.original[1:]))
    distributions = {**review.distributions, "job": changed}
    review = replace(review)
    vars(review)["distributions"] = distributions
    table = safe.identity[0]
    leak = SafeCell(f"{value:.2f} %", "number", value)
    bad = replace(safe, identity=(replace(table, rows=((*table.rows[0][:1], leak, leak, leak),)),))
    with pytest.raises(ReleaseBlocked, match="exact value of a share"):
        scan(review, profile, bad, {})


def test_the_scan_finds_a_small_share_in_the_files(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    for name, place in (("measurements", "value"), ("disclosure", "DiSCO")):
        table = safe.exports[name]
        at = [column.field for column in table.columns].index(place)

        def change(row: tuple[SafeCell, ...], at: int = at) -> tuple[SafeCell, ...]:
            return (*row[:at], SafeCell("1 %", "number", 1.0), *row[at + 1 :])

        bad = replace(safe, exports={**safe.exports, name: with_rows(table, change)})
        with pytest.raises(ReleaseBlocked, match="share of too few original records"):
            scan(review, profile, bad, {})


def test_the_scan_finds_a_measure_for_internal_eyes(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    table = safe.exports["disclosure"]
    columns = (*table.columns[:-1], replace(table.columns[-1], field="max_denom"))
    bad = replace(safe, exports={**safe.exports, "disclosure": replace(table, columns=columns)})
    with pytest.raises(
        ReleaseBlocked, match=r"for internal eyes is shown \(in max_denom, disclosure"
    ):
        scan(review, profile, bad, {})


def test_an_internal_report_does_not_pass_as_a_release(review: Review, profile: Profile) -> None:
    internal = safe_report(review, profile, "internal")
    with pytest.raises(ReleaseBlocked) as caught:
        scan(review, profile, internal, texts_of(internal))
    for kind in ("not made for release", "below the threshold", "digest", "share of too few"):
        assert kind in str(caught.value)


@pytest.mark.parametrize(
    "text", ["see /home/anna/data/x.csv", "0123456789abcdef" * 4, "confidential_extract.csv"]
)
def test_what_the_author_wrote_is_scanned_too(
    review: Review, profile: Profile, tmp_path: Path, text: str
) -> None:
    study = object.__new__(type(review.study))
    for name, value in vars(review.study).items():
        object.__setattr__(study, name, value)
    object.__setattr__(study, "context", {"purpose": text})
    bad = replace(review, study=study)
    for write in (write_html, write_json):
        with pytest.raises(ReleaseBlocked, match="release blocked by the disclosure scan"):
            write(bad, tmp_path / "report", mode="checker", profile=profile)  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []


def test_figures_hold_no_number_that_the_tables_do_not(
    released: dict[str, str], safe: SafeReport
) -> None:
    html = released["report.html"]
    shares = {row[4].text for row in safe.exports["distributions"].rows}
    result = re.findall(r">([\d.]+\N{NO-BREAK SPACE}%)</text>", html)
    known = shares | {
        cell.text
        for block in safe.attribute
        for row in (*block.table.rows, *block.details.rows)
        for cell in row
    }
    assert result
    assert set(result) <= known


def test_what_can_exceed_100_percent_is_said_where_it_is_shown_and_never_released(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    said = safe_report(review, profile, "internal").attribute[0].details.note
    assert said.startswith("DCAPs, DCAPb, TCAPs, TCAPb can exceed 100 %")
    assert safe.attribute[0].details.note == ""
