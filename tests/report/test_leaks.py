"""Whatever is planted into a clean release is found, and what is public stops none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import ANNEXES, REPORT, TEMPLATES
from sdcmetrics.report.formats.write import write_all
from sdcmetrics.report.safety.cells import SafeCell
from sdcmetrics.report.scan import scan, words
from sdcmetrics.report.scan.pieces import Pieces, tokens
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import NOW, RARE, sample
from tests.report.test_readings import FOLDER
from tests.report.test_release import texts_of

SHORT, COMMON = "Li", "few"
"""Rare labels: one of two letters, and one that is a word of every report."""


def survey(n: int, seed: int, *, rare: bool = False) -> pd.DataFrame:
    frame = sample(n, seed)
    frame["town"] = ["Bern", "Biel"] * (n // 2)
    if rare:
        frame.loc[30:35, "town"], frame.loc[40:46, "town"] = SHORT, COMMON
    return frame


@pytest.fixture(scope="module")
def leaky() -> Review:
    replicas = {"a": survey(398, 2), "b": survey(398, 3)}
    study = Study(survey(398, 1, rare=True), replicas, keys=["region", "town"], targets=["vote"])
    return conduct(study, now=NOW)


@pytest.fixture(scope="module")
def clean(leaky: Review, profile: Profile) -> tuple[SafeReport, dict[str, str]]:
    report = safe_report(leaky, profile, "checker")
    texts = texts_of(report)
    scan(leaky, profile, report, texts)
    return report, texts


def after(name: str, mark: str, leak: str) -> Callable[[dict[str, str]], None]:
    """Return what puts a leak behind the first mark of a document."""

    def plant(texts: dict[str, str]) -> None:
        assert mark in texts[name]
        texts[name] = texts[name].replace(mark, mark + leak, 1)

    return plant


def named(name: str) -> Callable[[dict[str, str]], None]:
    def plant(texts: dict[str, str]) -> None:
        texts[name] = "variable\n"

    return plant


def in_json(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, str]], None]:
    def plant(texts: dict[str, str]) -> None:
        document = json.loads(texts["JSON"])
        change(document)
        texts["JSON"] = json.dumps(document)

    return plant


SVG = "<svg><title>job</title><desc>%s</desc></svg>"
LABEL = "a level of too few original records is named"
SHARE = "the exact value of a share"
COUNT = "a count of records is below the threshold or not rounded"
PLANTED = {
    "a count behind a hidden value": ("</h1>", '<span class="hidden">< 10 (7)</span>', "hidden"),
    "a count as a bound": ("</h1>", '<span class="hidden">< 7</span>', "a hidden value is told"),
    "a share as a bound": ("</h1>", '<span class="hidden">< 1.8 %</span>', "a hidden value"),
    "an unrounded share": ("</h1>", " 1.51 %", SHARE),  # 6 of 398
    "an unrounded share, comma": ("</h1>", " 1,51 %", SHARE),
    "an unrounded share in a figure": ("</h1>", "<svg><text>1.51 %</text></svg>", SHARE),
    "an unrounded share in full": ("</h1>", f" {6 / 398:.9f}", "the exact value of a measure"),
    "a count in a data- attribute": ("<h1", ' data-n="7"', "an attribute that reports do not"),
    "a label in a data- attribute": ("<h1", f' data-x="{SHORT}"', LABEL),
    "a label in a title": ("<h1", f' title="{RARE[0]}"', LABEL),
    "a label in an aria-label": ("<h1", f' aria-label="{SHORT}"', LABEL),
    "a label in a link": ("</h1>", '<a href="#Zanzibar%20gaoler">x</a>', LABEL),
    "a short label": ("</h1>", f"<table><tr><td>{SHORT}</td></tr></table>", LABEL),
    "a short label in a sentence": ("</h1>", f"<p>Nobody of {SHORT} is in it.</p>", LABEL),
    "a label that is a common word": ("</h1>", f"<table><td>{COMMON}</td></table>", LABEL),
    "a common word in a sentence": ("</h1>", f"<p>Town {COMMON} is rare.</p>", LABEL),
    "a label in a figure": ("</h1>", SVG % SHORT, LABEL),
    "a label that a figure breaks": ("</h1>", "<svg><text>Zanzi<tspan>bar gaoler", LABEL),
    "a label in entities": ("</h1>", "<b>&#90;anzibar&nbsp;g&#97;oler</b>", LABEL),
    "a label with what nobody sees": ("</h1>", "Zan\u00adzibar \u200bgaoler", LABEL),
    "a label in other letters": ("</h1>", "ZANZIBAR_GAOLER", LABEL),
    "a label in a comment": ("</h1>", f"<!-- {SHORT} -->", LABEL),
    "a count in a sentence": ("</h1>", "<p>These are 7 original records.</p>", COUNT),
    "a count that is not rounded": ("</h1>", "<p>about <b>131</b> records</p>", COUNT),
    "the largest value": ("</h1>", " up to 126,960.97", "a smallest or largest value is told"),
}


@pytest.mark.parametrize("document", ["HTML", "PDF"])
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_a_page_is_found(
    leaky: Review,
    profile: Profile,
    clean: tuple[SafeReport, dict[str, str]],
    what: str,
    document: str,
) -> None:
    report, texts = clean
    mark, leak, kind = PLANTED[what]
    first = texts["HTML"].partition("</section>")[0]  # as all others, and sooner read
    pages = {document: first if document == "HTML" else "<h1>A short report</h1>"}
    after(document, mark, leak)(pages)
    with pytest.raises(ReleaseBlocked, match=kind) as caught:
        scan(leaky, profile, report, pages)
    text = str(caught.value)
    assert f"{document}, " in text
    assert "line " in text
    assert not [word for word in (*RARE, f" {SHORT} ", "126,960", "1.51", "131") if word in text]


FILES = {
    "a label in the name of a file": (named(f"tables/{SHORT}.csv"), LABEL),
    "a label in a folder": (named(f"tables/{RARE[1]}/x.csv"), LABEL),
    "a level in a table": (
        after("distributions.csv", "percent\n", f"town,{COMMON},original,10,2\n"),
        LABEL,
    ),
    "a guarded level in a table": (
        after("fixes.csv", "cells\n", f"'{SHORT},x,x,1\n"),
        LABEL,
    ),
    "a count in a table": (
        after("distributions.csv", "percent\n", "town,Bern,original,193,48\n"),
        "a count of the original is below",
    ),
    "a share in a table": (
        after("distributions.csv", "percent\n", "town,Bern,original,195,48.49\n"),
        SHARE,
    ),
    "a count behind what is not shown": (
        after("disclosure.csv", "not_shown\n", "default,vote,a" + "," * 16 + "repU < 7\n"),
        "a hidden value is told",
    ),
    "a label as a key": (in_json(lambda d: d.update({RARE[0]: 1})), LABEL),
    "a label deep in JSON": (in_json(lambda d: d["inputs"].append({"x": [[SHORT]]})), LABEL),
    "a share in JSON": (
        in_json(lambda d: d["inputs"].append({"percent": 100 * 6 / 398})),
        SHARE,
    ),
    "an exact number of records": (
        in_json(lambda d: d["inputs"].append({"data_set": "Original", "records": 398})),
        "a count of the original is below",
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_what_is_planted_in_a_file_is_found(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]], what: str
) -> None:
    report, texts = clean
    plant, kind = FILES[what]
    bad = dict(texts)
    plant(bad)
    bad = {name: text for name, text in bad.items() if text != texts.get(name)}
    with pytest.raises(ReleaseBlocked, match=kind) as caught:
        scan(leaky, profile, report, bad)
    assert not [word for word in (*RARE, f" {SHORT} ", "193", "48.49") if word in str(caught.value)]


@pytest.mark.parametrize("text", ["< 10 (7)", "7", "< 7", "1.51 %"])
def test_what_is_planted_in_a_hidden_cell_is_found(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]], text: str
) -> None:
    report, _ = clean
    table = report.exports["disclosure"]
    cell = SafeCell(text, "hidden")
    rows = ((*table.rows[0][:-1], cell), *table.rows[1:])
    bad = replace(report, exports={**report.exports, "disclosure": replace(table, rows=rows)})
    with pytest.raises(ReleaseBlocked, match="a hidden value is told"):
        scan(leaky, profile, bad, {})


def test_a_share_of_the_replica_that_equals_a_secret_one_is_public(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]]
) -> None:
    report, texts = clean
    bad = {"HTML": texts["HTML"].replace("</h1>", "</h1> 1.51 %", 1)}
    with pytest.raises(ReleaseBlocked):
        scan(leaky, profile, report, bad)
    town = leaky.distributions["town"]
    shares = {"a": (6 / 398, *town.replicas["a"][1:]), "b": town.replicas["b"]}
    same = {**leaky.distributions, "town": replace(town, replicas=shares)}
    other = replace(leaky)
    vars(other)["distributions"] = same
    scan(other, profile, report, bad)


@pytest.mark.parametrize("leak", [" 1.51 %", f" {SHORT}", " 126,960.97"])
def test_what_the_study_says_is_public(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]], leak: str
) -> None:
    report, texts = clean
    study = object.__new__(type(leaky.study))
    for name, value in vars(leaky.study).items():
        object.__setattr__(study, name, value)
    object.__setattr__(study, "context", {"published before": leak})
    bad = {"HTML": texts["HTML"].replace("</h1>", f"</h1><p>{leak}</p>", 1)}
    with pytest.raises(ReleaseBlocked, match="write it into the study's context"):
        scan(leaky, profile, report, bad)
    scan(replace(leaky, study=study), profile, report, bad)


@pytest.mark.parametrize("held_out", [0, 4])
def test_an_original_of_few_people_is_told_as_that(profile: Profile, held_out: int) -> None:
    holdout = survey(40, 3).tail(held_out) if held_out else None
    replicas = {"a": survey(40, 2).tail(6), "b": survey(40, 4).tail(30)}
    study = Study(
        survey(40, 1).tail(7), replicas, holdout=holdout, keys=["region"], targets=["vote"]
    )
    review = conduct(study, now=NOW)
    report = safe_report(review, profile, "checker")
    texts = texts_of(report)
    assert "fewer than 10 records" in texts["HTML"]
    assert "about 0" not in texts["HTML"]
    scan(review, profile, report, texts)


def test_rules_of_small_counts_that_protection_makes_stricter_stop_none(
    leaky: Review, profile: Profile
) -> None:
    rules = replace(profile, min_cell=3, zeros_disclosive=False)
    report = safe_report(leaky, rules, "checker")
    texts = texts_of(report)
    assert "fewer than 6 original records" in texts["HTML"]
    assert "counts below 6 are not shown" in texts["HTML"]
    scan(leaky, rules, report, texts)


WORDS = ("few", "of", "records", "not shown", "within", "number", "a", "m", "original", "status")


@pytest.mark.parametrize(("text", "told"), [("1" * 40, False), ("1a" * 20, True)])
def test_a_number_of_forty_digits_is_no_digest(text: str, told: bool) -> None:
    assert (words._DIGEST.search(f"level {text}") is not None) is told


def test_a_rare_label_in_quotes_that_another_column_has_often_stops_none(profile: Profile) -> None:
    frames = [survey(398, i).assign(code=['"q"', "r"] * 199) for i in (1, 2)]
    frames[0].loc[:2, "town"] = '"q"'
    review = conduct(Study(frames[0], {"a": frames[1]}, keys=["code"], targets=["vote"]), now=NOW)
    report = safe_report(review, profile, "checker")
    texts = texts_of(report)
    assert "&quot;q&quot;" in texts["HTML"]
    scan(review, profile, report, texts)


@pytest.mark.parametrize("seed", range(2))
def test_rare_labels_that_are_words_of_every_report_stop_none(profile: Profile, seed: int) -> None:
    frame = survey(400, 4 + seed)
    for i, word in enumerate(WORDS):
        frame.loc[3 * i : 3 * i + 1 + seed, "town"] = word
    replicas = {"a": survey(400, 6), "b": frame.sample(frac=1, random_state=1)}
    review = conduct(Study(frame, replicas, keys=["region", "town"], targets=["vote"]), now=NOW)
    report = safe_report(review, profile, "checker")
    scan(review, profile, report, texts_of(report))


def test_rare_labels_that_are_all_words_of_a_page_stop_none(profile: Profile) -> None:
    page = (FOLDER / "masked-checker.txt").read_text(encoding="utf-8")
    every = sorted(set(re.findall("[A-Za-z]+", page)))
    frame = survey((len(every) + 61) // 2 * 2, 7)  # people are drawn two by two
    frame.loc[: len(every) - 1, "town"] = every
    other = frame.sample(frac=1, random_state=2)
    study = Study(frame, {"a": other}, keys=["region", "vote"], targets=["town"])
    review = conduct(study, now=NOW)
    report = safe_report(review, profile, "checker")
    scan(review, profile, report, texts_of(report))


def test_every_word_of_a_release_is_public(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "checker")
    pieces = Pieces()
    pieces.of_document("report.html", texts_of(report)["HTML"])
    shown = {w.casefold() for p in pieces.entries if not p.kind for w in tokens(p.text)}
    levels = set().union(*(words.kept_levels(review, v, profile) for v in review.distributions))
    own = {w.casefold() for text in words.own_words(review, profile) | levels for w in tokens(text)}
    assert "masked" in shown
    others = (word for word in shown - own if word.isalpha())
    assert [word for word in others if not words._written(word)] == []


def test_a_rare_label_that_reads_as_a_group_of_a_number_stops_none(
    profile: Profile, clean: tuple[SafeReport, dict[str, str]]
) -> None:
    (groups,) = (block for block in clean[0].by_variable if block.name.full == "age")
    frame = survey(398, 1)
    frame.loc[:4, "town"] = groups.table.rows[1][0].text
    replicas = {"a": survey(398, 2), "b": survey(398, 3)}
    study = Study(frame, replicas, keys=["region", "town"], targets=["vote"])
    review = conduct(study, now=NOW)
    report = safe_report(review, profile, "checker")
    assert groups.table.rows[1][0].text in texts_of(report)["HTML"]
    scan(review, profile, report, texts_of(report))
    (towns,) = (block for block in report.by_variable if block.name.full == "town")
    named = (SafeCell(groups.table.rows[1][0].text), *towns.table.rows[0][1:])
    table = replace(towns.table, rows=(named, *towns.table.rows[1:]))
    blocks = [replace(b, table=table) if b is towns else b for b in report.by_variable]
    with pytest.raises(ReleaseBlocked, match="variable 'town'"):
        scan(review, profile, replace(report, by_variable=tuple(blocks)), {})


@pytest.mark.parametrize("page", [REPORT, ANNEXES])
def test_a_blocked_release_leaves_nothing_behind(
    leaky: Review, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    def leaks(*_: Any) -> dict[str, str]:
        return {REPORT: "", ANNEXES: "", page: f"<h1>{RARE[0]}</h1>"}

    monkeypatch.setattr("sdcmetrics.report.formats.write.render_pages", leaks)
    out = tmp_path / "out"
    with pytest.raises(ReleaseBlocked, match=LABEL):
        write_all(leaky, out, mode="checker", profile=profile)
    assert not out.exists()


def test_what_a_pdf_draws_is_found(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]]
) -> None:
    # That a whole report passes is seen where one goes to PDF, tests/report/test_fresh.py.
    pytest.importorskip("weasyprint")
    report, _ = clean
    # numbers are read where they stand beside their units, in the page that it is made of
    scan(leaky, profile, report, {"PDF": html_to_pdf("<p>A clerk, 7 records, 1.51 %</p>")})
    with pytest.raises(ReleaseBlocked, match=LABEL):
        scan(leaky, profile, report, {"PDF": html_to_pdf("<p>A Zanzibar gaoler</p>")})


def test_what_a_pdf_says_of_itself_is_found(
    leaky: Review, profile: Profile, clean: tuple[SafeReport, dict[str, str]]
) -> None:
    pytest.importorskip("weasyprint")
    page = html_to_pdf("<head><meta name=author content='Zanzibar gaoler'></head><p>A page</p>")
    with pytest.raises(ReleaseBlocked, match=LABEL):
        scan(leaky, profile, clean[0], {"PDF": page})


def test_no_length_of_the_stylesheet_can_be_taken_for_a_share() -> None:
    """The scan reads it as a text: 13.5 % would block every release that has such a share."""
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    assert not re.findall(r"\d\.\d+%", css)
