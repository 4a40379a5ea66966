"""The parts that subjects add to a report: tables of their evidence below their own heading.

A subject of `measures` does not know the report. Its part of it is declared here, or, by another
package, through the entry point group ``sdcmetrics.blocks``, whose entries are named after subjects
and are a `Maker`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.registry import SUBJECTS, declared_entries
from sdcmetrics.report.block import Block, Drawn, Maker
from sdcmetrics.report.sections import analyses, external, publication
from sdcmetrics.report.source import Source

GROUP = "sdcmetrics.blocks"
"""The entry point group through which other packages add blocks."""


_BUILT_IN: dict[str, Maker] = {
    "analyses": analyses.MAKER,
    "publication": publication.MAKER,
    "external files": external.MAKER,
}
"""By name of the subject. The subjects that came first have sections of their own in the report."""


def blocks(source: Source) -> Iterator[Block]:
    """Yield the blocks of all subjects that have something to show, in the order of subjects."""
    for maker in _in_order():
        if maker.make is None or (source.release and not maker.released):
            continue
        block = maker.make(source)
        if block is not None:
            yield block


def drawings(source: Source) -> tuple[Drawn, ...]:
    """Return the figures of subjects; none of them is released."""
    if source.release:
        return ()
    return tuple(figure for maker in _in_order() if maker.drawn for figure in maker.drawn(source))


def _in_order() -> list[Maker]:
    makers = _makers()
    return [makers[subject.name] for subject in SUBJECTS if subject.name in makers]


@cache
def _makers() -> dict[str, Maker]:
    return {**_BUILT_IN, **dict(_of_others(declared_entries(GROUP)))}


def _of_others(others: Iterable[EntryPoint]) -> Iterator[tuple[str, Maker]]:
    names = [subject.name for subject in SUBJECTS]
    for entry in others:
        maker = entry.load()
        if not isinstance(maker, Maker):
            msg = (
                f"entry point {entry.name!r} of the group {GROUP!r}: expected a Maker but got "
                f"{type(maker).__name__}."
            )
            raise StudyError(msg)
        if entry.name not in names:
            hint = did_you_mean(entry.name, names) or f" Known: {', '.join(names)}."
            msg = f"entry point {entry.name!r} of the group {GROUP!r}: no such subject.{hint}"
            raise StudyError(msg)
        yield entry.name, maker
