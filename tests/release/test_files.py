"""Files that were handed out: entered once, found again, and never silently left out."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from sdcmetrics.errors import FileError, ReleaseBlocked, StudyError
from sdcmetrics.release.answers import ask
from sdcmetrics.release.files import (
    earlier_files,
    enter_replicas,
    note_of_another_original,
    read_entered,
)
from sdcmetrics.release.ledger import Ledger, ledger_file, read_ledger
from sdcmetrics.release.secret import read_secret
from tests.release.studies import people, public_of, with_row, write_study

DAY = dt.date(2026, 11, 23)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study", people(200, 5))


def ledger_of(study: Path) -> Ledger:
    secret = study.with_suffix(".secret")
    return read_ledger(ledger_file(secret), read_secret(secret))


def test_files_are_listed_in_the_order_in_which_they_went_out(study: Path) -> None:
    enter_replicas(study, ["other"], DAY)
    enter_replicas(study, ["cart"], DAY)
    assert [file.path for file in ledger_of(study).files] == [
        "other_1.csv",
        "other_2.csv",
        "cart.csv",
    ]
    assert [path.name for path in earlier_files(study)] == [
        "other_1.csv",
        "other_2.csv",
        "cart.csv",
    ]


def test_what_no_review_could_use_is_not_entered(study: Path) -> None:
    folder = study.parent
    original = people(200, 5)
    study.write_text(study.read_text().replace('cart.csv"', 'cart.parquet"'))
    (folder / "cart.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileError, match=r"cart\.parquet"):
        enter_replicas(study, ["cart"], DAY)
    for copy in (original, original.iloc[::-1, ::-1]):
        copy.to_parquet(folder / "cart.parquet", index=False)
        with pytest.raises(StudyError, match=r"cart\.parquet: this is the original itself"):
            enter_replicas(study, ["cart"], DAY)
    assert not study.with_suffix(".secret").exists()
    original.iloc[1:].to_parquet(folder / "cart.parquet", index=False)
    assert len(enter_replicas(study, ["cart"], DAY)) == 1


def test_a_file_is_entered_once(study: Path) -> None:
    assert len(enter_replicas(study, ["cart"], DAY)) == 1
    assert enter_replicas(study, ["cart"], DAY) == ()
    assert len(ledger_of(study).files) == 1


def test_another_file_of_the_same_name_is_refused_and_what_was_moved_is_found(study: Path) -> None:
    # As the earlier file has to stay where it was, no review of the original could be made again.
    enter_replicas(study, ["cart"], DAY)
    cart = study.parent / "cart.csv"
    content = cart.read_bytes()
    people(150, 8).to_csv(cart, index=False)
    with pytest.raises(StudyError, match=r"cart\.csv: this is not the file of that name.* another"):
        enter_replicas(study, ["cart"], DAY)
    (study.parent / "moved.csv").write_bytes(content)
    study.write_text(study.read_text().replace('"cart.csv"', '["moved.csv", "cart.csv"]'))
    new = enter_replicas(study, ["cart"], DAY + dt.timedelta(days=1))
    assert [(file.path, file.date) for file in new] == [
        ("moved.csv", "2026-11-23"),
        ("cart.csv", "2026-11-24"),
    ]
    assert [path.name for path in earlier_files(study)] == ["moved.csv", "cart.csv"]
    assert read_entered(study).problems == ()


def test_a_second_copy_of_a_file_leaves_its_entry(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    (study.parent / "copy.csv").write_bytes((study.parent / "cart.csv").read_bytes())
    study.write_text(study.read_text().replace('"cart.csv"', '"copy.csv"'))
    assert enter_replicas(study, ["cart"], DAY) == ()
    assert [path.name for path in earlier_files(study)] == ["cart.csv"]


def test_it_is_for_its_owner_only_and_holds_no_count_of_the_original(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    for name in ("study.secret", "study.ledger.json"):
        assert (study.parent / name).stat().st_mode & 0o777 == 0o600
    text = (study.parent / "study.ledger.json").read_text()
    assert '"records"' not in text
    assert " 200" not in text


def test_without_a_ledger_nothing_is_out(study: Path) -> None:
    assert earlier_files(study) == []
    with pytest.raises(StudyError, match="sdcmetrics ledger add"):
        read_entered(study)


def test_a_file_that_is_gone_or_changed_stops_a_review(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    people(120, 99).to_csv(study.parent / "cart.csv", index=False)
    with pytest.raises(FileError, match=r"cart\.csv.* changed since"):
        earlier_files(study)
    (study.parent / "cart.csv").unlink()
    with pytest.raises(FileError, match="is not there"):
        earlier_files(study)


def test_another_study_of_the_same_original_finds_the_ledger(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    other = study.with_name("second.toml")
    other.write_text(study.read_text())
    assert [path.name for path in earlier_files(other)] == ["cart.csv"]
    with pytest.raises(ReleaseBlocked, match=r"study\.secret"):
        enter_replicas(other, ["other"], DAY)


def test_a_study_of_another_original_does_not(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    other = study.with_name("second.toml")
    other.write_text(study.read_text().replace("original.csv", "second.csv"))
    people(200, 77).to_csv(study.parent / "second.csv", index=False)
    assert earlier_files(other) == []


def test_another_original_is_refused_unless_it_is_a_correction(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    row = {"age": 19, "sex": "1", "region": "north", "seen": ""}
    with_row(people(200, 5), row).to_csv(study.parent / "original.csv", index=False)
    assert len(read_entered(study).problems) == 1
    with pytest.raises(ReleaseBlocked, match="--corrected"):
        enter_replicas(study, ["other"], DAY)
    enter_replicas(study, ["other"], DAY, corrected=True)
    assert read_entered(study).problems == ()
    assert len(ledger_of(study).files) == 3


def test_a_review_notes_files_of_another_original(study: Path) -> None:
    assert note_of_another_original(study) == ""
    ask(study, public_of(study))
    with_row(people(200, 5), {"age": 31}).to_csv(study.parent / "original.csv", index=False)
    assert note_of_another_original(study) == ""  # nothing went out
    people(200, 5).to_csv(study.parent / "original.csv", index=False)
    enter_replicas(study, ["cart"], DAY)
    assert note_of_another_original(study) == ""
    with_row(people(200, 5), {"age": 31}).to_csv(study.parent / "original.csv", index=False)
    assert "not the one that study.ledger.json is of" in note_of_another_original(study)
    enter_replicas(study, ["cart"], DAY, corrected=True)
    assert note_of_another_original(study) == ""


def test_persons_that_are_not_said_stop_no_review(tmp_path: Path) -> None:
    original = people(200, 5).assign(person=[f"p{i}" for i in range(200)])
    more = '[release]\nunit = "person"\nrows = 1\n'
    study = write_study(tmp_path, original, more=more)
    enter_replicas(study, ["cart"], DAY)
    original["person"] = original["person"].where(original.index > 0)
    original.to_csv(tmp_path / "original.csv", index=False)
    assert note_of_another_original(study) == ""


def test_budget_and_files_are_on_one_ledger(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    ask(study, public_of(study), mu=0.5)
    enter_replicas(study, ["other"], DAY)
    ledger = ledger_of(study)
    assert len(ledger.files) == 3
    assert ledger.spent == pytest.approx(0.5, abs=1e-3)
    assert read_entered(study).problems == ()


def test_a_changed_ledger_is_refused(study: Path) -> None:
    enter_replicas(study, ["cart"], DAY)
    file = study.parent / "study.ledger.json"
    file.write_text(file.read_text().replace("2026-11-23", "2025-11-23"))
    for damaged in (file.read_bytes(), b"", b"null", b"\xff", b"[" * 200_000):
        file.write_bytes(damaged)
        with pytest.raises(ReleaseBlocked, match="damaged or was changed"):
            earlier_files(study)
    (study.parent / "study.secret").unlink()
    with pytest.raises(ReleaseBlocked, match="not the secret"):
        earlier_files(study)


def test_an_unknown_replica_is_named(study: Path) -> None:
    with pytest.raises(StudyError, match="cart"):
        enter_replicas(study, ["crat"], DAY)
    assert not study.with_suffix(".secret").exists()
