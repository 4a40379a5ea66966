"""The sheet for users: public things and released figures, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.crate import sha256_of
from sdcmetrics.report.outside.sheet import Sheet, _how, _lead, make_sheet
from sdcmetrics.report.outside.write import sheet_html, sheet_markdown, write_release, write_sheet
from tests.release.studies import DATE, people, write_study

MORE = """
[kinds]
cart = "synthesised"
other = "perturbed"

[context]
purpose = "teaching <b>"

[publication]
intruder_test = "passed"
intruder_test_note = "Two analysts, three days"
contact = "data@agency.example"
licence = "CC BY 4.0"
expires = "2027-12-31"

[[generator]]
name = "treemaker"
replica = "cart"
version = "2.1"
method = "trees"
seed = 987654321
records = 54321
holdout_apart = true
epsilon = 3.0
delta = 0.001
mechanism = "noisy margins"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a study with a release of it; its original is gone then."""
    file = write_study(tmp_path_factory.mktemp("sheet"), people(314, 7), more=MORE)
    write_release(file, file.parent / "rel", date=DATE)
    (file.parent / "original.csv").unlink()
    return file


def text_of(sheet: Sheet, identity: str) -> str:
    section = next(section for section in sheet.sections if section.identity == identity)
    cells = [cell.text for table in section.tables for row in table.rows for cell in row]
    return "\n".join([*section.paragraphs, *section.items, *cells])


@pytest.fixture(scope="module")
def sheet(study: Path) -> Sheet:
    return make_sheet(study, "cart", release=study.parent / "rel", date=DATE)


def test_it_says_how_the_file_was_made_and_holds_back_seed_and_exact_numbers(sheet: Sheet) -> None:
    made = text_of(sheet, "made")
    for words in (
        "treemaker 2.1",
        "trees",
        "held back",
        "were not shown",
        "epsilon 3, delta 0.001",
    ):
        assert words in made
    # records trained on are exact, while releases tell those of the original with noise
    assert "54321" not in made.replace(",", "")
    for page in (sheet_html(sheet), sheet_markdown(sheet)):
        assert "987654321" not in page
        assert "original.csv" not in page


def test_what_it_says_does_not_depend_on_the_original_but_for_released_figures(
    study: Path, sheet: Sheet
) -> None:
    document = json.loads((study.parent / "rel" / "release.json").read_text())
    n = next(
        f for f in document["figures"] if (f["measure"], f["people"]) == ("records", "original")
    )
    assert f"about {n['value']:,.0f} records" in text_of(sheet, "made")
    rows = {
        f["variable"]: (f"{f['value']:.2f}", f"{f['low']:.2f} to {f['high']:.2f}")
        for f in document["figures"]
        if f["measure"] == "TVD" and f["replica"] == "cart"
    }
    section = next(section for section in sheet.sections if section.identity == "preserved")
    shown = {row[0].text: (row[1].text, row[2].text) for row in section.tables[0].rows}
    assert {name: shown[name] for name in rows} == rows


def test_without_a_release_no_figure_is_told(study: Path) -> None:
    sheet = make_sheet(study, "cart", date=DATE)
    assert "No figure has been released" in text_of(sheet, "preserved")
    assert "what is preserved: name a release with --release" in sheet.absent


def test_kinds_are_not_confused(study: Path, sheet: Sheet) -> None:
    assert "not real people" in sheet.lead
    other = make_sheet(study, "other", date=DATE)
    assert "began as that of a person" in other.lead
    assert "not real people" not in sheet_html(other)
    assert any(words.startswith("how it was made") for words in other.absent)


def test_it_has_contact_licence_expiry_intruder_and_a_citation_with_digest(sheet: Sheet) -> None:
    use = text_of(sheet, "use")
    for words in ("data@agency.example", "CC BY 4.0", "2027-12-31", "cart.csv, SHA-256"):
        assert words in use
    assert "Two analysts" in text_of(sheet, "intruder")


def test_users_of_several_files_analyse_each_by_itself(study: Path, sheet: Sheet) -> None:
    assert "on each of the 2 files by itself" in text_of(make_sheet(study, "other"), "use")
    assert "by itself" not in text_of(sheet, "use")


def figure(measure: str, variable: str, low: float, high: float) -> dict[str, Any]:
    place = {"measure": measure, "replica": "cart", "variable": variable, "people": "original"}
    return {**place, "value": (low + high) / 2, "low": low, "high": high}


def test_a_distribution_is_near_only_where_its_whole_range_is(study: Path, tmp_path: Path) -> None:
    document = json.loads((study.parent / "rel" / "release.json").read_text())
    document["figures"] = [
        figure("TVD", "age", 0.0, 0.05),
        figure("TVD", "sex", 0.04, 0.06),
        figure("TVD", "region", 0.051, 0.2),
    ]
    (tmp_path / "release.json").write_text(json.dumps(document))
    sheet = make_sheet(study, "cart", release=tmp_path, date=DATE)
    section = next(section for section in sheet.sections if section.identity == "preserved")
    words = {row[0].text: row[3].text for row in section.tables[0].rows}
    assert words == {"age": "near", "sex": "cannot be told", "region": "other"}


def test_answers_of_a_verification_are_overlap_ranges(study: Path, tmp_path: Path) -> None:
    answer = {"term": "m - f", "synthetic": 1.5, "overlap": [0.61, 0.97], "conclusion": "same"}
    none = {**answer, "term": "age", "overlap": None, "conclusion": "cannot be told"}
    of = {"sha256": [sha256_of(study.parent / "cart.csv")]}
    entries = [
        {"analysis": "pay", "replica": "cart", "answers": [answer, none], **of},
        {"analysis": "pay of others", "replica": "other", "answers": [answer], "sha256": []},
    ]
    (tmp_path / "answers.json").write_text(json.dumps(entries))
    text = text_of(
        make_sheet(study, "cart", answers=[tmp_path / "answers.json"], date=DATE), "preserved"
    )
    assert "pay: m - f\n0.61 to 0.97\nthe same" in text
    assert "pay: age\nnot answered\ncannot be told" in text
    assert "pay of others" not in text


def test_figures_that_may_not_be_told_are_refused(study: Path, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text('{"classification": "internal"}')
    with pytest.raises(StudyError, match="made to be handed out"):
        make_sheet(study, "cart", release=tmp_path)
    (tmp_path / "release.json").write_text('{"classification": "release"}')
    with pytest.raises(StudyError, match="was changed"):
        make_sheet(study, "cart", release=tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        make_sheet(study, "cart", release=tmp_path / "nowhere")
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").write_text("[1]")
    with pytest.raises(StudyError, match="expected answers"):
        make_sheet(study, "cart", answers=[tmp_path / "b.json"])


def test_a_release_of_another_file_is_refused(study: Path, tmp_path: Path) -> None:
    other = write_study(tmp_path / "s", people(50, 7))
    people(120, 99).to_csv(other.parent / "cart.csv", index=False)
    with pytest.raises(StudyError, match=r"not of cart\.csv as it is now"):
        make_sheet(other, "cart", release=study.parent / "rel")


def test_an_expired_file_and_a_wrong_name_are_refused(study: Path) -> None:
    with pytest.raises(StudyError, match="expired on 2027-12-31"):
        make_sheet(study, "cart", date=dt.date(2028, 1, 1))
    assert make_sheet(study, "cart", date=dt.date(2027, 12, 31)).date == "2027-12-31"
    with pytest.raises(StudyError, match="Did you mean 'cart'"):
        make_sheet(study, "cat")


def test_pages_escape_every_text_and_load_nothing(sheet: Sheet) -> None:
    html, text = sheet_html(sheet), sheet_markdown(sheet)
    assert "teaching &lt;b&gt;" in html
    assert "<script" not in html
    assert "http" not in html.split("</style>")[1]
    assert r"teaching \<b\>" in text


def test_files_are_written_and_no_stranger_is_overwritten(sheet: Sheet, tmp_path: Path) -> None:
    names = [path.name for path in write_sheet(sheet, tmp_path)]
    assert names == ["user-sheet.html", "user-sheet.md"]
    (tmp_path / "user-sheet.md").write_text("mine")
    with pytest.raises(FileError, match="not a result of sdcmetrics"):
        write_sheet(sheet, tmp_path)


def test_a_test_of_another_replica_and_the_unit_of_a_claim(study: Path) -> None:
    text = study.read_text(encoding="utf-8")
    text = text.replace("intruder_test_note", 'intruder_tested = ["other"]\nintruder_test_note')
    text = text.replace("epsilon = 3.0", 'epsilon = 3.0\nneighbours = "replace"')
    told = study.with_name("told.toml")
    told.write_text(text, encoding="utf-8")
    cart, other = (make_sheet(told, name, date=DATE) for name in ("cart", "other"))
    assert "intruder" not in {section.identity for section in cart.sections}
    assert "Two analysts" in text_of(other, "intruder")
    assert "epsilon 3 of replacing a record, delta 0.001" in text_of(cart, "made")


def test_what_is_known_of_the_making_is_said_line_by_line() -> None:
    held: dict[str, Any] = {"people": "original", "value": 1234.4, "low": 1200.0, "high": 1300.0}
    records = [held, {**held, "value": None}, {**held, "people": "holdout"}]
    of_original = (
        "The original has about 1,234 records (with noise; 1,200 to 1,300 in 90 of 100 cases)."
    )
    no_program = "The agency does not say by which program it was made."
    assert _how(None, "", records).items == (no_program, of_original)
    assert _how(None, "perturbed", ()).items == ("Kind: perturbed.", no_program)
    nothing = dict.fromkeys(
        (
            "version",
            "method",
            "seed",
            "holdout_apart",
            "epsilon",
            "delta",
            "neighbours",
            "mechanism",
        )
    )
    maker: Any = SimpleNamespace(**nothing | {"name": "maker"})
    assert _how(maker, "", ()).items == ("Program: maker.",)
    known = {"seed": 0, "holdout_apart": False, "epsilon": 2.0, "neighbours": "add or remove"}
    maker = SimpleNamespace(**nothing | {"name": "maker"} | known)
    assert _how(maker, "", ()).items == (
        "Program: maker.",
        "The seed of its random numbers is held back.",
        "The people of the holdout, by which it was reviewed, were shown to it.",
        "Its maker claims differential privacy: epsilon 2 of adding or removing a record.",
    )


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([1200], "one file of 1,200 records"),
        ([1], "one file of 1 record"),
        ([90, 80, 85], "3 files of 80 to 90 records"),
        ([250, 250], "2 files of 250 records each"),
    ],
)
def test_the_lead_counts_files_and_records(records: list[int], words: str) -> None:
    files: Any = [SimpleNamespace(records=count) for count in records]
    assert _lead(files, "synthesised").startswith(f"This replica is {words}, made to stand in")
