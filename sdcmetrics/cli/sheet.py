"""Commands that write what goes out beside a replica: the sheet for users, and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.release.metadata import catalogued, metadata_files
from sdcmetrics.report.outside.sheet import make_sheet
from sdcmetrics.report.outside.write import write_sheet
from sdcmetrics.study.written import make_folder, write_result


def write_user_sheet(
    study: Path,
    replica: str,
    out: Path,
    *,
    release: Path | None,
    answers: Sequence[Path],
    pdf: bool,
    force: bool,
) -> None:
    """Write the sheet, and say what the study leaves open."""
    sheet = make_sheet(study, replica, release=release, answers=tuple(answers))
    for path in write_sheet(sheet, out, pdf=pdf, force=force):
        print_lines(one_line(f"sheet: {path}"))
    print_lines(*(one_line(f"  missing: {words}") for words in sheet.absent))


def write_metadata(study: Path, replica: str, out: Path, *, force: bool) -> None:
    """Write metadata of a replica, and say where they are."""
    texts = metadata_files(catalogued(study, replica))
    make_folder(out)
    for name, text in texts.items():
        path = write_result(out / name, text, force=force)
        print_lines(one_line(f"metadata: {path}"))
