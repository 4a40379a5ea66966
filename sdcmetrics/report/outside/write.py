"""Editions for outside as files: report.html, report.pdf, release.json and tables/figures.csv."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.release.answers import ask, read_public, read_request
from sdcmetrics.release.estimates import Estimate
from sdcmetrics.release.request import note_request, request_of
from sdcmetrics.release.secret import refuse_inside, secret_file
from sdcmetrics.report.formats.output import RELEASE, check_folder, locked, replace_results
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import page
from sdcmetrics.report.outside.edition import Edition, coarse_edition, release_edition
from sdcmetrics.report.outside.parts import Cell, Table
from sdcmetrics.report.outside.sheet import Sheet
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.safety.rows import guarded
from sdcmetrics.study.written import make_folder, write_result

FORMATS = ("html", "pdf", "pdfa")
_FIGURES = "tables/figures.csv"


def write_edition(edition: Edition, folder: Path, formats: Sequence[str] = ("html",)) -> list[Path]:
    """Write an edition for outside into a folder that holds nothing else.

    Which files there are, and what is in them beside figures, follows from public things.

    Returns
    -------
    list of Path
        The reports for people.

    Raises
    ------
    StudyError
        If the folder holds anything else, or a format is for other editions.
    FileError
        If the files cannot be written.
    """
    check_formats(formats)
    files = files_of(edition, formats)
    check_folder(folder, edition.mode)
    replace_results(folder, files)
    return [folder / name for name in files if name.startswith("report")]


def check_formats(formats: Sequence[str]) -> None:
    """Raise StudyError for a format that editions for outside do not have."""
    for form in formats:
        if form not in FORMATS:
            msg = (
                f"--format {form} is for the editions that stay inside. An edition for outside is "
                f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}, and a release has {_FIGURES} for "
                "spreadsheets."
            )
            raise StudyError(msg)


def files_of(edition: Edition, formats: Sequence[str] = ("html",)) -> dict[str, str | bytes]:
    """Return the files of an edition by name."""
    html = as_html(edition)
    files: dict[str, str | bytes] = {RELEASE: as_json(edition)}
    if edition.estimates:
        files[_FIGURES] = as_csv(edition.estimates)
    if "html" in formats:
        files["report.html"] = html
    if "pdf" in formats:
        files["report.pdf"] = html_to_pdf(html)
    if "pdfa" in formats:
        files["report-archive.pdf"] = html_to_pdf(html, archive=True)
    return files


def as_html(edition: Edition) -> str:
    """Return an edition as one page, without script, that loads nothing."""
    return page("outside.html.j2", edition=edition)


def as_json(edition: Edition) -> str:
    """Return an edition as JSON: what the page says, and all figures."""
    document: dict[str, Any] = {
        "classification": edition.mode,
        "program": {"name": "sdcmetrics", "version": edition.program},
        "title": edition.title,
        "date": edition.date,
        "about": list(edition.lead),
        "replicas": _rows(edition.board),
        "sections": [
            {
                "heading": section.heading,
                "text": [*section.paragraphs, *section.items],
                "tables": [
                    {"caption": table.caption, "rows": _rows(table), "note": table.note}
                    for table in section.tables
                ],
            }
            for section in edition.sections
        ],
    }
    if edition.estimates:
        document["privacy"] = {"mu": round(edition.mu, 4), "budget": edition.budget}
        document["figures"] = [_entry(estimate) for estimate in edition.estimates]
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_csv(estimates: Sequence[Estimate]) -> str:
    """Return all figures as CSV, one in a row; texts that look like formulas are guarded."""
    out = io.StringIO()
    rows = [_entry(estimate) for estimate in estimates]
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: guarded(v) if isinstance(v, str) else v for k, v in row.items()})
    return out.getvalue()


def _entry(estimate: Estimate) -> dict[str, Any]:
    return {
        "measure": estimate.measure,
        "replica": clean(estimate.replica),
        "scenario": clean(estimate.scenario),
        "target": clean(estimate.target),
        "variable": clean(estimate.variable),
        "cell": estimate.cell,
        "people": estimate.people,
        "unit": estimate.unit,
        "value": _finite(estimate.value),
        "low": _finite(estimate.low),
        "high": _finite(estimate.high),
        "sd": _finite(estimate.sd),
        "status": estimate.status.value if estimate.limited else "",
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rows(table: Table) -> list[dict[str, Any]]:
    return [
        {name: _plain(cell) for name, cell in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def _plain(cell: Cell) -> Any:
    if cell.kind != "figure":
        return cell.text
    status = "" if cell.status is None else cell.status.value
    return {"figure": cell.text, "range": cell.range, "status": status}


@checked
def write_release(
    study: str | Path,
    folder: str | Path,
    *,
    mode: str = "release",
    formats: Sequence[str] = ("html",),
    profile: str | Path | None = None,
    mu: float | None = None,
    new_secret: bool = False,
    date: dt.date | None = None,
) -> Edition:
    """Write what may be handed out of a study, and return it.

    A release asks the original for sums over people and adds noise. The secret that noise follows
    from, and the ledger of what was asked, stand beside the study file; the first release makes
    them. What can be refused without the original is refused before anything is spent.

    Parameters
    ----------
    study : path of a study file
    folder : path
        Empty, or with an earlier edition of this kind.
    mode : "release", or "coarse": a signed decision, and no figure of the original
    formats : "html", "pdf" and "pdfa" (for archives), or some of them
    profile : limits to apply, by default the study's
    mu : what new questions may cost; by default, in a first release, the whole budget
    new_secret : make a new secret, as a changed original needs; what was spent stays spent
    date : what the edition is dated; by default today

    Raises
    ------
    StudyError, FileError, DataError, ColumnError
        If study, files or folder are not as they must be.
    ReleaseBlocked
        If the budget is spent, the original is another than that of the secret, a replica has
        fewer than 100 records, or nothing says how many records a person may have.
    """
    if mode not in ("release", "coarse"):
        msg = f"mode: expected 'release' or 'coarse' but got {mode!r}."
        raise StudyError(msg)
    if not isinstance(study, str | Path):
        msg = (
            f"study: expected the path of a study file but got {type(study).__name__}. Secret and "
            "ledger stand beside it: a study in memory has no place for them."
        )
        raise StudyError(msg)
    check_formats(formats)
    file, out = Path(study), Path(folder)
    refuse_inside(secret_file(file, read_request(file).release.secret), out)
    limits = None if profile is None else str(profile)
    request = request_of(file, limits, inside=False)
    check_folder(out, mode)
    public = read_public(file, limits, date)
    if mode == "coarse" and public.decision is None:
        msg = (
            f"{file.name}: a coarse edition tells the decision, and the study has none. Write "
            '[release.decision] with replicas = { name = "release" }, signed = "..." and date = '
            "..., or choose the mode release."
        )
        raise StudyError(msg)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        if mode == "coarse":
            edition = coarse_edition(public)
        else:
            edition = release_edition(public, ask(file, public, mu=mu, new_secret=new_secret))
        write_edition(edition, out, formats)
        note_request(out, request)
    return edition


NAME = "user-sheet"
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|!~$&])")


def write_sheet(
    sheet: Sheet, folder: Path, *, pdf: bool = False, force: bool = False
) -> list[Path]:
    """Write a sheet into a folder; return the files.

    Raises
    ------
    FileError
        If a file cannot be written, or one is there that this program did not write.
    """
    html = sheet_html(sheet)
    files: dict[str, str | bytes] = {
        f"{NAME}.html": html,
        f"{NAME}.md": sheet_markdown(sheet),
    }
    if pdf:
        files[f"{NAME}.pdf"] = html_to_pdf(html)
    make_folder(folder)
    return [write_result(folder / name, text, force=force) for name, text in files.items()]


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet as one page that loads and runs nothing."""
    return page("user_sheet.html.j2", sheet=sheet)


def sheet_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown, no text of which is taken for a mark."""
    lines = [
        f"# {_escaped(sheet.replica)}: a sheet for users",
        "",
        _escaped(sheet.title),
        "",
        f"**{_escaped(sheet.mark)}**",
        "",
    ]
    lines += [_escaped(sheet.lead), ""]
    for section in sheet.sections:
        lines += [f"## {_escaped(section.heading)}", ""]
        for text in section.paragraphs:
            lines += [_escaped(text), ""]
        lines += [f"* {_escaped(text)}" for text in section.items]
        lines += [""] if section.items else []
        for table in section.tables:
            lines += [*_as_markdown(table), ""]
    lines.append(f"Written by sdcmetrics {sheet.program} on {sheet.date}.")
    return "\n".join(lines) + "\n"


def _as_markdown(table: Table) -> list[str]:
    lines = [f"{_escaped(table.caption)}:", ""]
    lines.append(f"| {' | '.join(map(_escaped, table.columns))} |")
    lines.append("|" + "---|" * len(table.columns))
    lines += [f"| {' | '.join(_escaped(cell.text) for cell in row)} |" for row in table.rows]
    return [*lines, *(["", _escaped(table.note)] if table.note else [])]


def _escaped(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> _escaped("a|b <i>"), _escaped("&lt;")
    ('a\\|b \\<i\\>', '\\&lt;')
    """
    return _SIGNS.sub(r"\\\1", text)
