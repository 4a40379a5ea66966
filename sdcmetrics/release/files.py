"""Files that were handed out: entered in the ledger, and found again for the next review."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sdcmetrics.errors import DataError, FileError, ReleaseBlocked, StudyError, did_you_mean
from sdcmetrics.microdata.sources.duckdb import SCHEME
from sdcmetrics.microdata.sources.parquet import SUFFIXES, list_files
from sdcmetrics.microdata.sources.scan import is_large
from sdcmetrics.release.answers import make_ledger, read_request
from sdcmetrics.release.crate import digest_of, files_of
from sdcmetrics.release.ledger import (
    HandedOut,
    Ledger,
    forms_of,
    ledger_file,
    other_secret,
    read_ledger,
    refuse_lost_secret,
    refuse_other_ledger,
    secrets_in,
    write_ledger,
)
from sdcmetrics.release.original import at_most, read_original
from sdcmetrics.release.people import Records
from sdcmetrics.release.public import path_of, person_column
from sdcmetrics.release.reading import open_records
from sdcmetrics.release.secret import keyed, locked, read_secret, secret_file
from sdcmetrics.study.file import StudyEntries


@dataclass(frozen=True)
class Entered:
    """A ledger, the path of its secret, and the reasons why it cannot be used.

    Attributes
    ----------
    secret : Path
    ledger : Ledger
    problems : tuple of str
        One line each: files that are gone or were changed, or another original.
    """

    secret: Path
    ledger: Ledger
    problems: tuple[str, ...] = ()


def earlier_files(study: Path) -> list[Path]:
    """Return the files that the ledger of a study's original lists, in their order.

    The ledger is the one that the study names; without it, one beside it of the same original.
    Nothing is returned where there is none.

    Raises
    ------
    FileError
        If a file is gone or was changed: what is out cannot be left out of a judgement.
    ReleaseBlocked
        If the ledger is damaged, or its secret is absent.
    """
    place = _place(study, read_request(study))
    if place is None:
        return []
    ledger = read_ledger(ledger_file(place), read_secret(place))
    problems = _problems_of_files(place, ledger.files)
    if problems:
        raise FileError("\n".join(problems))
    return [place.parent / file.path for file in ledger.files]


def handed_out(study: Path) -> tuple[HandedOut, ...]:
    """Return what the ledger of a study's original lists, whether it is still there or not."""
    place = _place(study, read_request(study))
    return () if place is None else read_ledger(ledger_file(place), read_secret(place)).files


def note_of_another_original(study: Path) -> str:
    """Return that the files of a study's ledger are of another original; else an empty text.

    They are judged with it all the same: it may have been corrected. Of data that are read batch
    by batch only `read_entered` compares it.
    """
    spec = read_request(study)
    place = _place(study, spec)
    if place is None or spec.data.original.startswith(SCHEME):
        return ""
    secret = read_secret(place)
    ledger = read_ledger(ledger_file(place), secret)
    if not ledger.files or is_large(path_of(spec.data.original, study)):
        return ""
    try:
        same = _is_of(ledger, spec, read_original(spec, study), secret)
    except DataError:  # a record that does not say whose it is stops releases, and no review
        same = True
    if same:
        return ""
    return (
        f"it is not the one that {ledger_file(place).name} is of, whose files are judged with it "
        "all the same. If it was corrected, enter what is handed out with --corrected; if it is "
        "another, name another secret in [release]"
    )


def enter_replicas(
    study: Path, names: Sequence[str], date: dt.date, *, corrected: bool = False
) -> tuple[HandedOut, ...]:
    """Enter the files of replicas as handed out; return those that were not in the ledger.

    Secret and ledger are made where the original has none. A file that is in the ledger, and not
    where that says, was moved: it is entered where it is now, and returned.

    Parameters
    ----------
    study : Path
    names : replicas of the study
    date : when they were handed out
    corrected : bool
        Whether the original may differ from that of the earlier files.

    Raises
    ------
    StudyError
        If a replica is unknown, or no file, or the original itself, or another file of this name
        went out.
    ReleaseBlocked
        If the ledger is of another original, or another secret is of this one.
    FileError, DataError
        If a file cannot be read.
    """
    spec = read_request(study)
    for name in names:
        if name not in spec.data.replicas:
            hint = did_you_mean(name, spec.data.replicas)
            msg = f"{study.name}: there is no replica {name!r}.{hint}"
            raise StudyError(msg)
    place = secret_file(study, spec.release.secret)
    paths = [(name, _file_of(file, study)) for name in names for file in spec.data.replicas[name]]
    digests = [digest_of(files_of(path)) for _, path in paths]
    original = read_original(spec, study)
    refuse_other_ledger(place, _contents(spec, original))
    out = {file.sha256 for file in handed_out(study)}
    for (_, path), digest in zip(paths, digests, strict=True):
        if digest not in out:
            _refuse_for_good(path, spec, original)
    make_ledger(place, spec.release.budget)
    with locked(place):
        secret = read_secret(place)
        ledger = read_ledger(ledger_file(place), secret)
        if not (corrected or _is_of(ledger, spec, original, secret)):
            msg = (
                f"{ledger_file(place).name} is the ledger of another original than "
                f"{spec.data.original}. If this one is a correction of it, say --corrected; else "
                "name another secret in [release]."
            )
            raise ReleaseBlocked(msg)
        ledger = replace(ledger, content=keyed(secret, "original", original.digest))
        ledger = ledger.with_forms(forms_of(secret, "original", _contents(spec, original)))
        files = {file.sha256: file for file in ledger.files}
        new = {}
        for (name, path), digest in zip(paths, digests, strict=True):
            seen_from = Path(os.path.relpath(path.resolve(), place.parent.resolve())).as_posix()
            entry = files.get(digest)
            if entry is not None and not _problems_of_files(place, [entry]):
                continue
            _refuse_same_name(place, path, seen_from, digest, list(files.values()))
            if entry is None:
                entry = HandedOut("", digest, date.isoformat(), study.name, name)
            files[digest] = new[digest] = replace(entry, path=seen_from)
        write_ledger(ledger_file(place), replace(ledger, files=tuple(files.values())), secret)
    return tuple(new.values())


def _refuse_for_good(path: Path, spec: StudyEntries, original: Records) -> None:
    """Raise if no review could use a file: an entry stays, and would stop or settle each of them.

    Raises
    ------
    FileError, DataError
        If it cannot be read.
    StudyError
        If it is the original, whatever its format or order.
    """
    for records in open_records(path, spec.read.model_dump(exclude_none=True)):
        if not {*records.forms}.isdisjoint(original.forms):
            msg = (
                f"{path}: this is the original itself, with the records of {spec.data.original}. "
                "A ledger lists replicas that were handed out, and an entry stays for good. Name "
                "the replica's file in the study."
            )
            raise StudyError(msg)


def _refuse_same_name(
    place: Path, path: Path, seen_from: str, digest: str, files: Sequence[HandedOut]
) -> None:
    """Raise if another file went out from the place of this one: it would stop every review."""
    for file in files:
        if file.path == seen_from and file.sha256 != digest:
            msg = (
                f"{path}: this is not the file of that name which went out on {file.date}, as "
                f"{ledger_file(place).name} says, and that one has to stay. Give this one another "
                "name, in the study too, and put that one back as it was."
            )
            raise StudyError(msg)


def read_entered(study: Path) -> Entered:
    """Return the ledger of a study's original, and what is wrong with it.

    Raises
    ------
    StudyError
        If there is none.
    ReleaseBlocked, FileError
        If it is damaged, or cannot be read.
    """
    spec = read_request(study)
    place = _place(study, spec)
    if place is None:
        msg = (
            f"{study.name}: there is no ledger of its original yet. Enter what was handed out: "
            f"sdcmetrics ledger add {study.name} REPLICA"
        )
        raise StudyError(msg)
    secret = read_secret(place)
    ledger = read_ledger(ledger_file(place), secret)
    problems = _problems_of_files(place, ledger.files)
    if not _is_of(ledger, spec, read_original(spec, study), secret):
        problems.append(
            f"{spec.data.original}: the original is not the one that {ledger_file(place).name} is "
            "of. If it was corrected, enter what is handed out with --corrected; if it is another, "
            "name another secret in [release]."
        )
    return Entered(place, ledger, tuple(problems))


def _place(study: Path, spec: StudyEntries) -> Path | None:
    """Return the secret of the ledger of a study's original; None where there is none."""
    place = secret_file(study, spec.release.secret)
    if place.exists():
        return place
    refuse_lost_secret(place)
    if not secrets_in(place.parent) or spec.data.original.startswith(SCHEME):
        return None
    return other_secret(place, _contents(spec, read_original(spec, study)))


def _contents(spec: StudyEntries, original: Records) -> list[bytes]:
    """Return digests of the original, whole and with as many records of a person as declared."""
    unit = person_column(spec)
    few = at_most(original, unit, spec.release.rows or 1) if unit else original
    return list(dict.fromkeys([*original.forms, few.digest]))


def _is_of(ledger: Ledger, spec: StudyEntries, original: Records, secret: bytes) -> bool:
    original_digest = ledger.content or ledger.original
    return not original_digest or original_digest in {
        keyed(secret, "original", digest) for digest in _contents(spec, original)
    }


def _problems_of_files(place: Path, files: Sequence[HandedOut]) -> list[str]:
    problems = []
    for file in files:
        path = place.parent / file.path
        out = f"was handed out on {file.date}, as {ledger_file(place).name} says"
        if not _is_data(path):
            problems.append(
                f"{path}: this {out}, and is not there. Put it back; if it was moved, enter it "
                "where it is now (sdcmetrics ledger add)."
            )
        elif digest_of(files_of(path)) != file.sha256:
            problems.append(f"{path}: this {out}, and was changed since. Put it back as it was.")
    return problems


def _file_of(name: str, study: Path) -> Path:
    path = path_of(name, study)
    if not _is_data(path):
        what = "this is a folder without any" if path.is_dir() else "there is no such file"
        msg = f"{path}: expected a file that was handed out, or a folder of Parquet, but {what}."
        raise FileError(msg)
    return path


def _is_data(path: Path) -> bool:
    """Whether a file is there, or the Parquet files of a folder or a pattern."""
    if path.is_file():
        return True
    try:
        return is_large(path) and all(file.suffix.lower() in SUFFIXES for file in list_files(path))
    except FileError:
        return False
