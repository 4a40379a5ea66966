"""Editions for outside as files: report.html, report.pdf, release.json and tables/figures.csv."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sdcmetrics.errors import StudyError
from sdcmetrics.release.estimates import Estimate
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.formats.output import RELEASE, check_folder, replace_results
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import template
from sdcmetrics.report.outside.edition import Edition
from sdcmetrics.report.outside.parts import Cell, Table
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.safety.rows import guarded

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
    css = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704  (our own)
    return template("outside.html.j2").render(edition=edition, css=css)


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
