"""The last check of a release: read what was made for what must not be in it.

Written against the review and the finished texts, without the code that protects, so that a
fault there does not go unseen here. It reads words and numbers where they are, and what tables
show at their places; what follows from the replicas, the study's own words or the profile alone is
public, and never stops a release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.safety.rows import as_rows
from sdcmetrics.report.scan.exact import Exact
from sdcmetrics.report.scan.pieces import Pieces, Row, of_report, rows_of
from sdcmetrics.report.scan.tables import Tables, structure_problems
from sdcmetrics.report.scan.words import Words
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

__all__ = ["scan"]

_KINDS, _PLACES = 12, 3
"""How many a message lists; more help nobody to go on."""


def scan(
    review: Review, profile: Profile, report: SafeReport, texts: Mapping[str, str | bytes]
) -> None:
    """Raise unless a release report is free of what must stay inside.

    Parameters
    ----------
    review : what the report was made from
    profile : the rules it was made by
    report : the structure it was rendered from
    texts : finished documents by the name of their file, or by their kind (HTML, JSON, PDF)

    Raises
    ------
    ReleaseBlocked
        Naming the kind of each problem and its place, never the value.
    """
    problems: dict[str, dict[str, None]] = {}
    for kind, place in _problems(review, profile, report, texts):
        problems.setdefault(kind, {})[place] = None
    if problems:
        listed = (
            f"{kind} (in {_some(places, '; ', _PLACES)})" for kind, places in problems.items()
        )
        msg = (
            f"release blocked by the disclosure scan: {_some(listed, '. ', _KINDS)}. Nothing was "
            "written. If the text is your own (title, context, names), change it. If the word or "
            "number is public, write it into the study's context: its words count as public. "
            "Otherwise please report a bug with this message; it holds no data."
        )
        raise ReleaseBlocked(msg)


def _some(texts: Iterable[str], between: str, most: int) -> str:
    listed = list(texts)
    more = [f"and {len(listed) - most} more"] if len(listed) > most else []
    return between.join([*listed[:most], *more])


def _problems(
    review: Review, profile: Profile, report: SafeReport, texts: Mapping[str, str | bytes]
) -> Iterator[tuple[str, str]]:
    """Yield the kind and the place of every problem."""
    shown = list(_rows(report))
    yield from ((kind, "the report") for kind in structure_problems(report, shown))
    tables = Tables(review, profile)
    rows_of_tables = [("the report", table, row) for table, row in shown]
    rows_of_tables += [(name, *row) for name, text in texts.items() for row in rows_of(name, text)]
    checked: set[Any] = set()
    for document, table, row in rows_of_tables:
        same = tuple(row.items())
        if _is_new(same, checked):
            for kind, what in tables.problems(row):
                yield kind, f"{what}, {table} of {document}"
    words, exact = (
        Words(review, profile, shown),
        Exact(review, profile, shown, of_report(report.ranking)),
    )
    pieces = Pieces()
    pieces.of_report(report, "")
    for name, text in texts.items():
        pieces.of_document(name, text)
    for piece in pieces.entries:
        # A PDF draws numbers apart from their units; the page that it is made of is read for them.
        drawn = (texts.get(piece.document) or b"")[:4] == b"%PDF"
        for kind in (*words.problems(piece), *(() if drawn else exact.problems(piece))):
            yield kind, f"{piece.document}, {piece.place}".removesuffix(", ")


def _is_new(row: tuple[tuple[str, Any], ...], checked: set[Any]) -> bool:
    """Whether a row is new: files repeat what the report has."""
    try:
        before = len(checked)
        checked.add(row)
    except TypeError:  # it holds a list
        return True
    return len(checked) > before


def _rows(report: SafeReport) -> Iterator[tuple[str, Row]]:
    """Yield every row of what goes to files, and of the block of every variable."""
    for name, table in report.exports.items():
        yield from ((name, row) for row in as_rows(table))
    for block in report.by_variable:
        for first, count, *_ in block.table.rows:
            row = {"variable": block.name.full, "level": first.full or first.text}
            number = {} if count.number is None else {"data_set": "original", "count": count.number}
            yield "the variables", {**row, **number}
        for level in block.figure.levels if block.figure is not None else ():
            yield "the figures", {"variable": block.name.full, "level": level}
