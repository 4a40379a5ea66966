"""The ledger of an original: what went out, what was spent, and whether all is still there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.errors import StudyError, counted
from sdcmetrics.release.files import enter_replicas, read_entered
from sdcmetrics.release.ledger import HandedOut, ledger_file

_LISTED = 200


def add(study: Path, replicas: Sequence[str], date: str | None, *, corrected: bool) -> int:
    """Enter the files of replicas as handed out; return the exit code."""
    if not replicas:
        msg = "ledger add: name the replicas of the study that were handed out."
        raise StudyError(msg)
    new = enter_replicas(study, replicas, _date(date), corrected=corrected)
    print_lines(*map(_line, new))
    if not new:
        print_lines("every file of these replicas is in the ledger already")
    return 0


def status(study: Path) -> int:
    """Print what went out and what was spent; return the exit code."""
    entered = read_entered(study)
    ledger = entered.ledger
    print_lines(
        one_line(f"{ledger_file(entered.secret)}: {counted(len(ledger.files), 'file')} handed out")
    )
    print_lines(*map(_line, ledger.files[:_LISTED]))
    if len(ledger.files) > _LISTED:
        print_lines(f"  and {len(ledger.files) - _LISTED:,} more")
    print_lines(
        f"releases of figures: {len(ledger.releases):,}, budget spent: mu {ledger.spent:.3g} of "
        f"{ledger.budget:g}"
    )
    return 0


def check(study: Path) -> int:
    """Print the faults of a ledger and its files; return 1 if there is any."""
    entered = read_entered(study)
    print_lines(*map(one_line, entered.problems))
    if not entered.problems:
        files = counted(len(entered.ledger.files), "file")
        print_lines(f"{files} handed out, as they were; the original is the one of the ledger")
    return int(bool(entered.problems))


def _line(file: HandedOut) -> str:
    return one_line(f"  {file.date}  {file.path}  ({file.replica}, {file.study})")


def _date(text: str | None) -> dt.date:
    today = dt.datetime.now(tz=dt.UTC).date()
    if text is None:
        return today
    try:
        date = dt.date.fromisoformat(text)
    except ValueError:
        msg = f"--date: expected a date such as 2026-11-23 but got {text!r}."
        raise StudyError(msg) from None
    if date > today + dt.timedelta(days=1):  # it may be tomorrow somewhere
        msg = f"--date: {text} is to come. Say when the file was handed out."
        raise StudyError(msg)
    return date
