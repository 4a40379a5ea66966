"""One review from start to files on disk, with progress: what the command line does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from sdcmetrics.catalogue import DISCLOSURE_RISK, GENERAL_UTILITY
from sdcmetrics.conduct import Progress, conduct
from sdcmetrics.errors import StudyError
from sdcmetrics.policy import Finding, Status, judge, load_profile, worst
from sdcmetrics.review import Review
from sdcmetrics.study import Study

__all__ = ["run"]

MODES = ("internal", "release")
FORMATS = ("html", "pdf")
FAIL_ON = ("never", "review", "fail")
PARTIAL = "partial-measurements-internal.csv"


def run(
    study: Study,
    out: Path,
    *,
    mode: str = "internal",
    profile: str | None = None,
    formats: Sequence[str] = ("html",),
    fail_on: str = "never",
    quiet: bool = False,
) -> int:
    """Conduct a study and write report.html, review.json and tables/*.csv; return the exit code.

    Measurements are appended to a partial file as they are made, so a crash leaves them on
    disk; the file is removed when the results are complete.
    """
    from sdcmetrics import report

    _check(mode, formats, fail_on)
    judged_by = load_profile(profile or study.profile)
    out.mkdir(parents=True, exist_ok=True)
    partial = out / PARTIAL
    with _progress(quiet=quiet) as progress:
        review = conduct(study, progress=progress, checkpoint=partial)
    written = []
    if "html" in formats:
        written.append(report.write_html(review, out / "report.html", mode=mode, profile=judged_by))
    if "pdf" in formats:
        written.append(report.write_pdf(review, out / "report.pdf", mode=mode, profile=judged_by))
    written.append(report.write_json(review, out / "review.json", mode=mode, profile=judged_by))
    written.extend(report.write_csv(review, out / "tables", mode=mode, profile=judged_by))
    partial.unlink()
    findings = judge(review, judged_by)
    _summarise(review, findings, written[0], mode, quiet=quiet)
    return _exit_code(findings, fail_on)


def _check(mode: str, formats: Sequence[str], fail_on: str) -> None:
    for option, value, known in (
        ("--mode", mode, MODES),
        ("--fail-on", fail_on, FAIL_ON),
        *(("--format", part, FORMATS) for part in formats),
    ):
        if value not in known:
            msg = f"{option}: expected one of {', '.join(known)} but got {value!r}."
            raise StudyError(msg)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress | None]:
    if quiet:
        yield None
        return
    console = Console(stderr=True)
    if not console.is_terminal:

        def line(step: str, done: int, steps: int) -> None:
            sys.stderr.write(f"[{done}/{steps}] {step}\n")

        yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def update(step: str, done: int, steps: int) -> None:
            bar.update(task, description=step[:60], completed=done, total=steps)

        yield update


def _summarise(
    review: Review, findings: Sequence[Finding], report: Path, mode: str, *, quiet: bool
) -> None:
    console = Console(highlight=False, soft_wrap=True)
    if not quiet:
        console.print(f"{review.study.title} ({mode})", markup=False)
        for replica in review.replicas:
            words = []
            for family in (GENERAL_UTILITY, DISCLOSURE_RISK):
                of_family = [
                    f.status for f in findings if f.replica == replica and f.family == family
                ]
                words.append(f"{family}: {worst(of_family).value}")
            console.print(f"  {replica:<16} {';  '.join(words)}", markup=False)
    console.print(f"report: {report}", markup=False)


def _exit_code(findings: Sequence[Finding], fail_on: str) -> int:
    if fail_on == "never":
        return 0
    order = list(Status)
    found = worst(finding.status for finding in findings)
    return int(order.index(found) >= order.index(Status(fail_on)))
