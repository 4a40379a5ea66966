"""Folders, patterns and large files are asked as one file in memory is, to the last byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, DataError, ReleaseBlocked
from sdcmetrics.microdata.sources import scan as scanning
from sdcmetrics.release import near, reading
from sdcmetrics.release import people as held
from sdcmetrics.release.answers import NoisySums, ask, read_request
from sdcmetrics.release.files import enter_replicas, read_entered
from sdcmetrics.release.original import read_people
from sdcmetrics.release.people import Records
from sdcmetrics.release.questions import questions_of
from sdcmetrics.release.reading import open_records, read_records, whole_records
from sdcmetrics.release.sums import exact_sums
from sdcmetrics.report.outside.write import write_release
from tests.release.studies import DATE, people, public_of, with_row, write_study

ODD = {"age": "unknown", "sex": "x", "region": "moon", "seen": "05/06/2020"}
MORE = "[options]\nngroups_keys = { age = 4 }\n"
FILES = ("original", "holdout", "cart", "other_1", "other_2")


def divided(file: Path, folder: Path, names: tuple[str, ...] = FILES, parts: int = 3) -> Path:
    """Copy a study, some data sets as folders of Parquet files, in the same order of records."""
    folder.mkdir(parents=True)
    text = file.read_text()
    for name in FILES:
        source = file.parent / f"{name}.csv"
        if not source.exists():
            continue
        if name not in names:
            shutil.copy(source, folder)
            continue
        frame = pd.read_csv(source, dtype=str, keep_default_na=False)
        (folder / name).mkdir()
        for i, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
            frame.iloc[rows].to_parquet(folder / name / f"part-{i}.parquet", index=False)
        text = text.replace(f'"{name}.csv"', f'"{name}"')
    out = folder / file.name
    out.write_text(text)
    for name in ("study.secret", "study.ledger.json"):
        if (file.parent / name).exists():
            shutil.copy(file.parent / name, folder)
    return out


def values(sums: NoisySums) -> list[tuple[str, tuple[int, ...]]]:
    return [(question.identity, answer.values) for question, answer in sums.answers.items()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    original = with_row(people(200, 5), ODD)
    return write_study(tmp_path / "whole", original, people(60, 7), more=MORE)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw one of some people already where replicas have 120 records."""
    monkeypatch.setattr(near, "_PAIRS", 6_000)
    monkeypatch.setattr(near, "_FEWEST", 20)


@pytest.mark.parametrize(
    "names", [FILES, ("original",), ("holdout",), ("cart",), ("cart", "other_2")]
)
@pytest.mark.parametrize("all_compared", [True, False])
def test_with_one_secret_figures_of_batches_are_those_of_memory(
    request: pytest.FixtureRequest,
    file: Path,
    tmp_path: Path,
    names: tuple[str, ...],
    all_compared: bool,
) -> None:
    if not all_compared:
        request.getfixturevalue("few")
    whole = ask(file, public_of(file))
    assert any(q.drawn > 1 for q in whole.answers) is not all_compared
    # The ledger says that it is the same original, and the same questions, which cost nothing.
    batches = ask(parted := divided(file, tmp_path / "parts", names), public_of(parted), mu=1e-9)
    assert values(batches) == values(whole)
    assert batches.mu == whole.mu


def test_the_page_is_the_same_but_for_what_the_files_are_called(file: Path, tmp_path: Path) -> None:
    write_release(file, tmp_path / "out", date=DATE)
    write_release(divided(file, tmp_path / "parts"), tmp_path / "parts out", date=DATE)
    pages = [(tmp_path / name / "release.json").read_text() for name in ("out", "parts out")]
    lines = [
        [line for line in page.splitlines() if '"File"' not in line and "SHA-256" not in line]
        for page in pages
    ]
    assert lines[0] == lines[1]
    csv = [(tmp_path / name / "tables/figures.csv").read_bytes() for name in ("out", "parts out")]
    assert csv[0] == csv[1]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_large_file_is_that_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    # Texts that are one, numbers to the last digit, truth values, days and nothing.
    frame = pd.DataFrame(
        {
            "text": ["a", " a", "NA", "", "b"] * 8,
            "number": [1.5, 2.0, np.nan, 1e-7, 3.25] * 8,
            "true": [True, False, True, True, False] * 8,
            "day": pd.to_datetime([None, "2021-02-03", "1999-12-31", "2020-01-05", None] * 8),
        }
    )
    path = tmp_path / f"people.{form}"
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path)
    whole = read_records(path, {})[0]
    monkeypatch.setattr(scanning, "MOST_READ", 10)
    batches = open_records(path, {})[0]
    assert batches.large is not None
    assert (batches.n, batches.source, batches.sha256) == (40, whole.source, whole.sha256)
    assert batches.digest == whole.digest
    assert entries(batches) == entries(whole)
    monkeypatch.setattr(held, "MOST_SORTED", 10)
    del vars(batches)["digest"], vars(whole)["digest"]
    assert batches.digest == whole.digest


def entries(data: Records) -> dict[str, list[str | None]]:
    """Return the texts of every record."""
    names = list(data.columns)
    out: dict[str, list[str | None]] = {name: [] for name in names}
    for batch in data.batches(names):
        for name in names:
            texts = data.column(name).texts
            out[name] += [texts[code] for code in batch[name]]
    return out


def test_options_of_reading_hold_for_large_text_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a;b\n" + "1,50;x\n-9;é\n" * 20, encoding="latin-1")
    how = {"missing": ["-9"], "encoding": "latin-1", "delimiter": ";"}
    whole = read_records(path, how)[0]
    monkeypatch.setattr(scanning, "MOST_READ", 10)
    batches = open_records(path, how)[0]
    assert batches.large is not None
    assert entries(batches) == entries(whole) == {"a": ["1.5", None] * 20, "b": ["x", "é"] * 20}


class TestDigest:
    def test_of_many_records_it_is_of_their_order_too(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        frame = pd.DataFrame({"a": ["1", "2", "2", ""], "b": ["x", "y", "z", "x"]})
        again = held.of_frame(frame.iloc[[3, 1, 2, 0]], "people")
        assert held.of_frame(frame, "people").digest == again.digest
        monkeypatch.setattr(held, "MOST_SORTED", 3)
        digest = held.of_frame(frame, "people").digest
        assert held.of_frame(frame[["b", "a"]], "people").digest == digest
        for other in (
            frame.iloc[[3, 1, 2, 0]],
            frame.assign(b=["y", "x", "z", "x"]),
            frame.assign(b=["x", "y", "w", "x"]),
            frame.rename(columns={"b": "c"}),
            pd.concat([frame, frame.iloc[:1]]),
        ):
            assert held.of_frame(other, "people").digest != digest

    def test_a_reordered_large_original_needs_a_new_secret(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(held, "MOST_SORTED", 150)
        ask(file, public_of(file))
        frame = pd.read_csv(file.parent / "original.csv", dtype=str)
        frame.iloc[::-1].to_csv(file.parent / "original.csv", index=False)
        with pytest.raises(ReleaseBlocked, match="or the order of its records"):
            ask(file, public_of(file))


def test_only_what_is_compared_has_to_be_told_apart(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_csv(file.parent / "original.csv", dtype=str)
    frame.assign(number=[f"p{i}" for i in range(len(frame))]).to_csv(
        file.parent / "original.csv", index=False
    )
    parted = divided(file, tmp_path / "parts")
    monkeypatch.setattr("sdcmetrics.microdata.sources.distinct.MOST_VALUES", 100)
    monkeypatch.setattr(held, "MOST_VALUES", 100)
    data = read_people(read_request(parted), parted, public_of(parted)).original
    assert "number" not in data.columns
    assert data.digest
    with pytest.raises(ColumnError, match="'number' has more than"):
        data.column("number")


def test_a_column_of_a_replica_that_cannot_be_told_apart_is_refused_and_not_passed_over(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_csv(file.parent / "cart.csv", dtype=str, keep_default_na=False)
    numbered = frame.assign(number=[f"p{i}" for i in range(len(frame))])
    numbered.to_csv(file.parent / "cart.csv", index=False)
    parted = divided(file, tmp_path / "parts", ("cart",))
    monkeypatch.setattr("sdcmetrics.microdata.sources.distinct.MOST_VALUES", 100)
    with pytest.raises(ColumnError, match=r"cart: column 'number' has more .* leave it out of"):
        questions_of(public_of(parted))
    named = '[options]\nvariables = ["age", "sex", "region", "seen"]\n'
    parted.write_text(parted.read_text().replace("[options]\n", named))
    assert questions_of(public_of(parted))


def test_more_combinations_than_are_held_are_refused_before_they_cost(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parted = divided(file, tmp_path / "parts")
    monkeypatch.setattr("sdcmetrics.measures.crosstables.scanning.MOST_CELLS", 5)
    with pytest.raises(DataError, match="more than 5 combinations occur"):
        ask(parted, public_of(parted))
    assert not list(parted.parent.glob("*.ledger.json"))


def test_a_panel_in_a_folder_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = '[release]\nrows = 2\nunit = "id"\n'
    frame = people(200, 5).assign(id=[i // 3 for i in range(200)])
    file = write_study(tmp_path / "whole", frame, more=more)
    parted = divided(file, tmp_path / "parts")
    given = [read_people(read_request(f), f, public_of(f)).original for f in (file, parted)]
    assert given[0].digest == given[1].digest
    assert given[1].n == 134
    monkeypatch.setattr(reading, "MOST_READ", 200 * 5)
    assert [data.n for data in whole_records(tmp_path / "parts/original", {})] == [200]
    monkeypatch.setattr(reading, "MOST_READ", 200 * 5 - 1)
    with pytest.raises(DataError, match="needed in memory here, are too many"):
        whole_records(tmp_path / "parts/original", {})


def test_coarser_columns_of_a_folder(file: Path, tmp_path: Path) -> None:
    coarse = '[coarsen]\nregion = { main = ["north", "south"], other = "*" }\n'
    file.write_text(file.read_text() + coarse)
    parted = divided(file, tmp_path / "parts")
    sums = []
    for study in (file, parted):
        public = public_of(study)
        given = read_people(read_request(study), study, public)
        sums.append([exact_sums(question, public, given) for question in questions_of(public)])
    assert sums[0] == sums[1]


def test_the_ledger_of_a_folder_is_that_of_the_file(file: Path, tmp_path: Path) -> None:
    enter_replicas(file, ["cart"], DATE)
    parted = divided(file, tmp_path / "parts", ("original",))
    assert not read_entered(parted).problems


@pytest.mark.usefixtures("few")
def test_one_person_more_in_batches_moves_a_sum_by_at_most_one(file: Path, tmp_path: Path) -> None:
    public = public_of(file)
    questions = questions_of(public)
    before = read_people(read_request(file), file, public)
    frame = pd.read_csv(file.parent / "original.csv", dtype=str, keep_default_na=False)
    for i, row in enumerate([ODD, dict(frame.iloc[0]), dict(frame.iloc[-1])]):
        with_row(frame, row).to_csv(file.parent / "original.csv", index=False)
        parted = divided(file, tmp_path / f"more {i}", ("original",))
        after = read_people(read_request(parted), parted, public)
        moved = [
            np.linalg.norm(
                np.subtract(
                    exact_sums(q, public, before, b"key"), exact_sums(q, public, after, b"key")
                )
            )
            for q in questions
        ]
        assert max(moved) == 1
