"""Write a review's report to files. In checker mode a scan has to pass first."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.errors import RError, StudyError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.document import as_document, as_json, json_parts
from sdcmetrics.report.formats.output import RESULTS, check_folder, replace_results
from sdcmetrics.report.formats.parquet import parquet_parts
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import render, render_pages
from sdcmetrics.report.formats.sacro import as_sacro, checksums
from sdcmetrics.report.formats.xlsx import as_xlsx
from sdcmetrics.report.measures import LARGE_REVIEW
from sdcmetrics.report.results_file import ResultsFile, results_of
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.report.safety.rows import as_csv, csv_parts
from sdcmetrics.report.scan import scan
from sdcmetrics.report.sections.since import since_section
from sdcmetrics.review.remedies import Remedies
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.written import make_folder, refuse_stranger, write_result

_ALL = "tables/measurements.parquet"
_FOR_PEOPLE = ("report.html", "report.pdf", "report-archive.pdf", "report.xlsx")


class ReportOptions(TypedDict, total=False):
    """How a report is written; see `write_html`."""

    mode: str
    profile: Profile | None
    crosscheck: CrossCheck | RError | None
    ranking: Ranking | None
    remedied: Remedies | None


@checked
def write_all(
    review: Review,
    folder: str | Path,
    *,
    formats: Sequence[str] = ("html",),
    force: bool = False,
    before: ResultsFile | None = None,
    **how: Unpack[ReportOptions],
) -> list[Path]:
    """Write review.json, tables/*.csv and the report into a folder; see `write_html`.

    The format "pdfa" is a PDF for archives, report-archive.pdf; "sacro" adds a folder of that
    name, in the layout that SACRO's viewer reads.

    Everything is made once, and in checker mode every text has passed the scan before the first
    file is written. The files of an earlier review (its reports, review.json and tables/*.csv)
    give way all together; if anything fails they stay as they were. An internal report that
    cannot be drawn leaves review.json and the tables.

    Parameters
    ----------
    force : bool
        Overwrite files that are not known to be an earlier review's.
    before : ResultsFile, optional
        An earlier internal review; an internal report says what changed since then.

    Returns
    -------
    list of Path
        The reports for people, in the order "html", "pdf", "pdfa", "xlsx". Beside report.html is
        report-annexes.html, which it links to.

    Raises
    ------
    StudyError
        If the folder holds what must not be beside the results; see `mode`.
    FileError
        If the files cannot be written.
    """
    with _uncollected():
        return _write_all(review, folder, formats=formats, force=force, before=before, **how)


def _write_all(
    review: Review,
    folder: str | Path,
    *,
    formats: Sequence[str],
    force: bool,
    before: ResultsFile | None,
    **how: Unpack[ReportOptions],
) -> list[Path]:
    report, rules = _prepare(review, **how)
    if before is not None and report.mode == "internal":
        report = _with_changes(report, before)
    out = Path(folder)
    check_folder(out, report.mode, force=force)
    parts: dict[str, Callable[[], Iterator[str | bytes]]] = {RESULTS: partial(json_parts, report)}
    for name, table in report.exports.items():
        parts[f"tables/{name}.csv"] = partial(csv_parts, table)
    if report.mode == "internal" and len(review.measurements.means) > LARGE_REVIEW:
        parts[_ALL] = partial(parquet_parts, review)
    files: dict[str, str | bytes] = {}
    if report.mode != "internal" or "sacro" in formats:  # read whole by the scan and by digests
        files = {name: _whole(each()) for name, each in parts.items()}
        parts = {}
    try:
        pages = render_pages(report)
        if "html" in formats:
            files |= pages
        if {"pdf", "pdfa"} & {*formats}:
            whole = render(report)
            if "pdf" in formats:
                files["report.pdf"] = html_to_pdf(whole)
            if "pdfa" in formats:
                files["report-archive.pdf"] = html_to_pdf(whole, archive=True)
        if "xlsx" in formats:
            files["report.xlsx"] = as_xlsx(report)
        folder_of_sacro = as_sacro(report, files) if "sacro" in formats else {}
        files |= folder_of_sacro
        _check(review, rules, report, pages | files)
        # Of files that go out anyway: a digest of them tells nothing more.
        files |= checksums(folder_of_sacro)
    except Exception:
        if report.mode == "internal":  # the numbers stay, whatever the page does
            replace_results(out, {**parts, **files})
        raise
    replace_results(out, {**parts, **files})
    return [out / name for name in _FOR_PEOPLE if name in files]


def _whole(parts: Iterator[str | bytes]) -> str | bytes:
    content = list(parts)
    if isinstance(content[0], bytes):
        return b"".join(part for part in content if isinstance(part, bytes))
    return "".join(part for part in content if isinstance(part, str))


def _with_changes(report: SafeReport, before: ResultsFile) -> SafeReport:
    now = results_of(as_document(report), Path(RESULTS))
    return replace(report, since=since_section(before, now))


@checked
def write_html(
    review: Review, path: str | Path, *, force: bool = False, **how: Unpack[ReportOptions]
) -> Path:
    """Write the report as one self-contained HTML file, the annexes below the board's pages.

    Parameters
    ----------
    review : Review
    path : str or Path
        The folder must exist.
    mode : "internal" or "checker"
        Internal shows everything. Checker holds back what the profile's rules protect.
    profile : Profile, optional
        By default the profile of the study.
    crosscheck : CrossCheck, optional
        What ``sdcmetrics.crosscheck`` found for the same study, or the RError that it raised;
        by default the report says that its numbers were not compared with R's.
    ranking : Ranking, optional
        What ``sdcmetrics.compare_replicas`` found for the same review; by default one is made,
        without references and without drawing records again.
    remedied : Remedies, optional
        What ``sdcmetrics.remedies`` found for the same review: what treating each record at risk
        would bring; in internal mode only.
    force : bool
        Overwrite a file that this package did not write, or that was changed since.

    Returns
    -------
    Path

    Raises
    ------
    ReleaseBlocked
        If the scan of a checker's report finds a confidential value. Nothing is written.
    StudyError
        If the mode is unknown.
    FileError
        If the file is there and not ours, or cannot be written.
    """
    return _write(review, path, lambda report: {"HTML": render(report)}, force=force, **how)


@checked
def write_json(
    review: Review, path: str | Path, *, force: bool = False, **how: Unpack[ReportOptions]
) -> Path:
    """Write the report's content as JSON; see `write_html`."""
    return _write(review, path, lambda report: {"JSON": as_json(report)}, force=force, **how)


@checked
def write_csv(
    review: Review, folder: str | Path, *, force: bool = False, **how: Unpack[ReportOptions]
) -> list[Path]:
    """Write the report's tables as CSV files into a folder, which is made; see `write_html`.

    The files are measurements, disclosure, utility_oneway, utility_twoway, specific_utility,
    rules, distributions, fixes, and ranking with its totals and map; with a holdout
    fresh_fidelity, fresh_closeness, fresh_copies and fresh_worst_tables; for internal use also
    relations and crosscheck, where there are any. Text that a spreadsheet would take for a formula
    gets a leading apostrophe.
    """
    report, rules = _prepare(review, **how)
    texts = {f"{name}.csv": as_csv(table) for name, table in report.exports.items()}
    _check(review, rules, report, texts)
    out = Path(folder)
    for name in texts:
        _refuse(out / name, force=force)
    make_folder(out)
    return [write_result(out / name, text, force=force) for name, text in texts.items()]


@checked
def write_pdf(
    review: Review,
    path: str | Path,
    *,
    archive: bool = False,
    force: bool = False,
    **how: Unpack[ReportOptions],
) -> Path:
    """Write the report as tagged PDF; see `write_html`.

    Parameters
    ----------
    archive : bool
        PDF/A-3a, for archives, in place of PDF/UA-1.

    Raises
    ------
    StudyError
        If WeasyPrint is not installed.
    """

    def pdf(report: SafeReport) -> dict[str, str | bytes]:
        html = render(report)
        return {"HTML": html, "PDF": html_to_pdf(html, archive=archive)}

    return _write(review, path, pdf, force=force, **how)


@checked
def write_xlsx(
    review: Review, path: str | Path, *, force: bool = False, **how: Unpack[ReportOptions]
) -> Path:
    """Write the report's tables as one Excel workbook, a sheet each; see `write_html`.

    Raises
    ------
    StudyError
        If openpyxl is not installed.
    """
    return _write(review, path, lambda report: {"tables.xlsx": as_xlsx(report)}, force=force, **how)


def _write(
    review: Review,
    path: str | Path,
    content: Callable[[SafeReport], Mapping[str, str | bytes]],
    *,
    force: bool,
    **how: Unpack[ReportOptions],
) -> Path:
    """Write the last of the texts that are made of the report; all of them pass the scan before."""
    _refuse(path, force=force)
    report, rules = _prepare(review, **how)
    texts = content(report)
    _check(review, rules, report, texts)
    return write_result(path, [*texts.values()][-1], force=force)


def _refuse(path: str | Path, *, force: bool) -> None:
    """Raise FileError for a file of somebody else, before the report is made."""
    refuse_stranger(path, force=force, remedy="pass force=True")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Do not look for cycles among millions of cells, which have none: it takes a quarter more."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _prepare(
    review: Review,
    mode: str = "internal",
    profile: Profile | None = None,
    crosscheck: CrossCheck | RError | None = None,
    ranking: Ranking | None = None,
    remedied: Remedies | None = None,
) -> tuple[SafeReport, Profile]:
    rules = load_profile(review.study.profile) if profile is None else profile
    return safe_report(review, rules, _mode(mode), crosscheck, ranking, remedied), rules


def _mode(mode: str) -> Mode:
    if mode == "internal":
        return "internal"
    if mode == "checker":
        return "checker"
    if mode in ("release", "coarse"):
        msg = (
            "mode: an edition to hand out is not made of a review. Write it from the study file: "
            f"sdcmetrics.report.write_release(study_file, folder, mode={mode!r})."
        )
        raise StudyError(msg)
    msg = f"mode: expected 'internal' or 'checker' but got {mode!r}."
    raise StudyError(msg)


def _check(
    review: Review, profile: Profile, report: SafeReport, texts: Mapping[str, str | bytes]
) -> None:
    if report.mode == "checker":
        scan(review, profile, report, texts)
