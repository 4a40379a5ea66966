"""The command that writes the sheet for users of a replica."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.report.outside.sheet import make_sheet
from sdcmetrics.report.outside.write_sheet import write_sheet


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
    print_lines(*(one_line(f"  not said: {words}") for words in sheet.absent))
