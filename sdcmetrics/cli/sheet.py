"""Commands that write what goes out beside a replica: sheet, metadata, labelled copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.errors import StudyError, counted
from sdcmetrics.microdata.sources.parquet import root_of
from sdcmetrics.microdata.sources.scan import is_large
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.crate import files_of
from sdcmetrics.release.digests import listed_files
from sdcmetrics.release.label import label, label_files
from sdcmetrics.release.metadata import catalogued, metadata_files
from sdcmetrics.release.public import path_of
from sdcmetrics.report.formats.output import RELEASE
from sdcmetrics.report.outside.sheet import make_sheet
from sdcmetrics.report.outside.write import write_sheet
from sdcmetrics.study.written import is_ours, make_folder, write_result


def write_user_sheet(
    study: Path,
    replica: str,
    out: Path,
    *,
    release: Path | None,
    answers: Sequence[Path],
    pdf: bool,
    elsewhere: bool,
    force: bool,
) -> None:
    """Write the sheet, and say what the study leaves open.

    Raises
    ------
    StudyError
        If a release or answers are not known to be as this program wrote them.
    """
    if release is not None and release.is_dir():
        listed_files(release, elsewhere=elsewhere, main=RELEASE)
    elif release is not None and not elsewhere:
        _refuse_edited(release)
    for file in () if elsewhere else answers:
        _refuse_edited(file)
    sheet = make_sheet(study, replica, release=release, answers=tuple(answers))
    for path in write_sheet(sheet, out, pdf=pdf, force=force):
        print_lines(one_line(f"sheet: {path}"))
    print_lines(*(one_line(f"  missing: {words}") for words in sheet.absent))


def _refuse_edited(file: Path) -> None:
    if file.is_file() and not is_ours(file):
        msg = (
            f"{file}: this file was edited since sdcmetrics wrote it, or another user or computer "
            "wrote it; nothing here can tell which. Write it again (the same questions cost "
            "nothing), or say --elsewhere if you know where it is from."
        )
        raise StudyError(msg)


def write_metadata(study: Path, replica: str, out: Path, *, force: bool) -> None:
    """Write metadata of a replica, and say where they are."""
    texts = metadata_files(catalogued(study, replica))
    make_folder(out)
    for name, text in texts.items():
        path = write_result(out / name, text, force=force)
        print_lines(one_line(f"metadata: {path}"))


def write_labelled(study: Path, out: Path, column: str) -> None:
    """Write a labelled copy of every file of every replica, and print where."""
    spec = read_request(study)
    how = spec.read.model_dump(exclude_none=True)
    sources = {
        path_of(file, study): name for name, files in spec.data.replicas.items() for file in files
    }
    alike = Counter[str]()
    for source, name in sources.items():
        if not source.is_file() and is_large(source):
            files = files_of(source)
            alike[root_of(source).name] += 1
            place = label_files(source, out, how, column=column, number=alike[root_of(source).name])
            words = f"{name}: {place} ({counted(len(files), 'file')}, values as in {source.name})"
        else:
            file = source.name.removesuffix(".gz")
            alike[file] += 1
            copy = label(source, out, how, column=column, number=alike[file])
            words = f"{name}: {copy.path} (values as in {copy.source.name}: {copy.digest[:16]})"
        print_lines(one_line(words))
