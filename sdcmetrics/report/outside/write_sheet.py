"""A user sheet as files: user-sheet.html, user-sheet.md, and user-sheet.pdf if asked for."""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup

from sdcmetrics.errors import FileError
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import template
from sdcmetrics.report.outside.parts import Table
from sdcmetrics.report.outside.sheet import Sheet
from sdcmetrics.study.written import write_result

NAME = "user-sheet"
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!~$])")


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
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{folder}: the folder cannot be written ({error.strerror})."
        raise FileError(msg) from None
    return [write_result(folder / name, text, force=force) for name, text in files.items()]


def sheet_html(sheet: Sheet) -> str:
    """Return a sheet as one page that loads and runs nothing."""
    css = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704  (our own)
    return template("user_sheet.html.j2").render(sheet=sheet, css=css)


def sheet_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown, no text of which is taken for a mark."""
    lines = [
        f"# {_plain(sheet.replica)}: a sheet for users",
        "",
        _plain(sheet.title),
        "",
        f"**{_plain(sheet.mark)}**",
        "",
    ]
    lines += [_plain(sheet.lead), ""]
    for section in sheet.sections:
        lines += [f"## {_plain(section.heading)}", ""]
        for text in section.paragraphs:
            lines += [_plain(text), ""]
        lines += [f"* {_plain(text)}" for text in section.items]
        lines += [""] if section.items else []
        for table in section.tables:
            lines += [*_table(table), ""]
    lines.append(f"Written by sdcmetrics {sheet.program} on {sheet.date}.")
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    lines = [f"{_plain(table.caption)}:", ""]
    lines.append(f"| {' | '.join(map(_plain, table.columns))} |")
    lines.append("|" + "---|" * len(table.columns))
    lines += [f"| {' | '.join(_plain(cell.text) for cell in row)} |" for row in table.rows]
    return [*lines, *(["", _plain(table.note)] if table.note else [])]


def _plain(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> _plain("a|b <i>")
    'a\\|b \\<i\\>'
    """
    return _MARKS.sub(r"\\\1", text)
