"""One review from start to files on disk, with progress: what the command line does."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from sdcmetrics.agreement.crosscheck import CrossCheck, crosscheck
from sdcmetrics.cli.terminal import one_line
from sdcmetrics.errors import FileError, RError, StudyError, did_you_mean
from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY, SPECIFIC_UTILITY
from sdcmetrics.ranking.compare_replicas import compare_replicas, wanted_weights
from sdcmetrics.ranking.rank_file import rank_file
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.review.conduct import Progress, conduct
from sdcmetrics.review.judge import Finding, Status, verdicts, worst
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile, refuse_idle_limits
from sdcmetrics.study.study import Study, read_study

__all__ = ["FORMATS", "check_formats", "prepare", "rank_study", "run"]

MODES = ("internal", "release")
FORMATS = ("html", "pdf")
FAIL_ON = ("never", "review", "fail")
PARTIAL = "partial-measurements-internal.csv"
RESULTS = "review.json"


def run(
    study: Study,
    out: Path,
    *,
    mode: str = "internal",
    profile: str | None = None,
    formats: Sequence[str] = ("html",),
    fail_on: str = "never",
    quiet: bool = False,
    against_r: bool = False,
) -> int:
    """Conduct a study and write report.html, review.json and tables/*.csv; return the exit code.

    Measurements are appended to a partial file as they are made, so a crash leaves them on
    disk; the file is removed when the results are complete. With `against_r` all that R's
    synthpop has is then computed there as well, and the results are written again with what was
    found: whatever R does, nothing is lost. An unexplained difference makes the exit code 1.

    Raises
    ------
    StudyError
        For an unknown mode, format or profile.
    FileError
        If the results cannot be written to the folder.
    ReleaseBlocked
        If a release report would give back a confidential value.
    """
    _check("--mode", mode, MODES)
    _check("--fail-on", fail_on, FAIL_ON)
    check_formats(formats)
    judged_by = load_profile(profile or study.profile)
    refuse_idle_limits(judged_by, study, holdout=study.holdout is not None)
    prepare(out, mode)
    partial = out / PARTIAL
    with _kept(partial):
        with _progress(quiet=quiet) as progress:
            review = conduct(study, progress=progress, checkpoint=partial)
        ranking = _compare(review, quiet=quiet)
        report = _write(review, out, formats, mode, judged_by, ranking)
    partial.unlink()
    checked: CrossCheck | RError | None = None
    if against_r:
        checked = _ask_r(study, quiet=quiet)
        report = _write(review, out, formats, mode, judged_by, ranking, checked)
    findings = _judged(review, judged_by, mode)
    _summarise(review, findings, report, mode, quiet=quiet)
    proven = _say(checked)
    return _exit_code(findings, fail_on) if proven else 1


def rank_study(
    path: Path,
    *,
    strategy: str | None = None,
    weights: Mapping[str, float] | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    anchors: bool | None = None,
    quiet: bool = False,
) -> Ranking:
    """Conduct a study and rank its replicas, or rank by the results in a review.json.

    Raises
    ------
    StudyError
        If a review.json is to be ranked with what needs the data.
    """
    if path.suffix.lower() == ".json":
        if replicates:
            msg = "--replicates needs the data, which are not in a review.json. Name the study."
            raise StudyError(msg)
        given: dict[str, Any] = {"strategy": strategy, "weights": weights, "seed": seed}
        return rank_file(path, **{name: x for name, x in given.items() if x is not None})
    study = read_study(path)
    criteria = wanted_weights(study, weights).criteria
    with _progress(quiet=quiet) as progress:
        review = conduct(
            study, progress=progress, fresh=any(one.measure.of.holdout for one in criteria)
        )
        return compare_replicas(
            review,
            strategy=strategy,
            weights=weights,
            replicates=replicates,
            seed=seed,
            anchors=anchors,
            progress=progress,
        )


def _compare(review: Review, *, quiet: bool) -> Ranking | None:
    """Rank the replicas as the study asks; None where nothing can be, which the report says."""
    with _progress(quiet=quiet) as progress:
        try:
            return compare_replicas(review, progress=progress)
        except StudyError:
            return None


def _ask_r(study: Study, *, quiet: bool) -> CrossCheck | RError:
    with _progress(quiet=quiet) as progress:
        try:
            return crosscheck(study, progress=progress)
        except RError as error:
            return error


def _say(checked: CrossCheck | RError | None) -> bool:
    """Say how the cross-check ended; return False if something differs or is missing in it."""
    if isinstance(checked, RError):
        sys.stderr.write(one_line(f"sdcmetrics: not cross-checked: {checked.reason}") + "\n")
    elif checked is not None:
        counts = ", ".join(f"{times:,} {verdict}" for verdict, times in checked.counts().items())
        sys.stdout.write(one_line(f"cross-check with synthpop: {counts}") + "\n")
        return checked.ok
    return True


def check_formats(formats: Sequence[str]) -> None:
    """Raise StudyError for an unknown report format, or one that needs what is not installed."""
    for form in formats or ("",):
        _check("--format", form, FORMATS)
    if "pdf" in formats and importlib.util.find_spec("weasyprint") is None:
        msg = "--format pdf needs WeasyPrint. Install it with: pip install 'sdcmetrics[pdf]'"
        raise StudyError(msg)


def prepare(out: Path, mode: str) -> None:
    """Make the folder for the results, and see that they can be written to it.

    Raises
    ------
    FileError
        If it cannot be made or written to.
    StudyError
        If a release report would go beside internal results.
    """
    probe = out / ".sdcmetrics"
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        msg = (
            f"{out}: results cannot be written to this folder ({error.strerror}). Choose another "
            "with --out."
        )
        raise FileError(msg) from None
    if mode == "release" and _holds_internal_results(out):
        msg = (
            f"{out}: the folder holds the results of an internal review, and these must not go out "
            "with a release report. Choose another folder with --out, or remove them."
        )
        raise StudyError(msg)


def _holds_internal_results(out: Path) -> bool:
    try:
        entries = json.loads((out / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(entries, dict) and "internal" in (
        entries.get("classification"),
        entries.get("mode"),
    )


def _write(
    review: Review,
    out: Path,
    formats: Sequence[str],
    mode: str,
    profile: Profile,
    ranking: Ranking | None,
    checked: CrossCheck | RError | None = None,
) -> Path:
    """Write everything; return the report for people."""
    from sdcmetrics import report

    written = report.write_all(
        review,
        out,
        formats=formats,
        mode=mode,
        profile=profile,
        crosscheck=checked,
        ranking=ranking,
    )
    return written[0]


@contextmanager
def _kept(partial: Path) -> Iterator[None]:
    """Say where finished measurements are when something stops the review."""
    before = _stamp(partial)
    try:
        yield
    except BaseException:
        if _stamp(partial) != before:
            sys.stderr.write(f"sdcmetrics: finished measurements (internal) are in {partial}\n")
        raise


def _stamp(file: Path) -> int:
    return file.stat().st_mtime_ns if file.exists() else 0


def _check(option: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        hint = did_you_mean(value, known)
        msg = f"{option}: expected one of {', '.join(known)} but got {str(value)!r}.{hint}"
        raise StudyError(msg)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress | None]:
    if quiet:
        yield None
        return
    console = Console(stderr=True, emoji=False)
    if not console.is_terminal:

        def line(step: str, done: int, steps: int) -> None:
            sys.stderr.write(f"[{done}/{steps}] {one_line(step)}\n")

        yield line
        return
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def update(step: str, done: int, steps: int) -> None:
            shown = one_line(step, limit=max(20, console.width - 50))
            bar.update(task, description=shown, completed=done, total=steps)

        yield update


def _judged(review: Review, profile: Profile, mode: str) -> list[Finding]:
    from sdcmetrics import report

    return report.judged(review, profile, mode)  # type: ignore[arg-type]  # checked before


def _summarise(
    review: Review, findings: Sequence[Finding], report: Path, mode: str, *, quiet: bool
) -> None:
    lines = []
    if not quiet:
        lines.append(f"{review.study.title} ({mode})")
        width = min(30, max(map(len, review.replicas)))
        for verdict in verdicts(review, findings):
            utility = verdict.of(GENERAL_UTILITY, SPECIFIC_UTILITY).value
            risk = verdict.of(DISCLOSURE_RISK).value
            name = one_line(verdict.replica, limit=30)
            lines.append(f"  {name:<{width}}  utility: {utility};  disclosure risk: {risk}")
    lines.append(f"report: {report}")
    for line in lines:
        sys.stdout.write(one_line(line) + "\n")


def _exit_code(findings: Sequence[Finding], fail_on: str) -> int:
    if fail_on == "never":
        return 0
    order = list(Status)
    found = worst(finding.status for finding in findings)
    return int(order.index(found) >= order.index(Status(fail_on)))
