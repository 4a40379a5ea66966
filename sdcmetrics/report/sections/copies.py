"""People of the original in a replica: claims in words, and counts of equal and of near records."""

from __future__ import annotations

from sdcmetrics.report.safety.cells import Mark, SafeCell, Sentence, blank, sentence
from sdcmetrics.report.source import Source
from sdcmetrics.review.people import Copied

_SPACE = "\N{NO-BREAK SPACE}"


def people_sentences(source: Source) -> tuple[Sentence, ...]:
    """Return one sentence per replica of which people of the original are claimed."""
    return tuple(
        sentence(source.name(held.replica), f" {held.words}.", status=Mark.NOTICE, link="decision")
        for held in source.held.values()
        if held.alarming
    )


def copied_cell(source: Source, replica: str) -> SafeCell:
    """Return how many original records a replica holds in every value, at most in a synthesis."""
    each = _of(source, replica)
    if not each:
        return blank()
    return _counted(source, max(copy.copied for copy in each), each[0].n)


def singled_out_cell(source: Source, replica: str) -> SafeCell:
    """Return how many single people of the original a replica is close to; see `copied_cell`."""
    each = [copy for copy in _of(source, replica) if copy.singled_out is not None]
    if not each:
        return blank()
    return _counted(source, max(copy.singled_out or 0 for copy in each), each[0].n_near)


def _of(source: Source, replica: str) -> list[Copied]:
    return [copy for copy in source.copied if copy.replica == replica]


def _counted(source: Source, count: int, n: int) -> SafeCell:
    if source.release and count < source.profile.min_cell:
        return SafeCell(f"<{_SPACE}{source.profile.min_cell}", "hidden")
    about = "about " if source.release else ""
    text = f"{about}{count:,}".replace(" ", _SPACE)
    return SafeCell(text, "number", float(count), detail=f"of {about}{n:,}")
