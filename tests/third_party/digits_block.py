"""What the subject of `digits` adds to a report."""

from __future__ import annotations

from digits import ZEROS

from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.safety.cells import column, number, table, three_decimals
from sdcmetrics.report.source import Source


def _block(source: Source) -> Block | None:
    rows = [
        (source.name(replica), place.variables[0], *map(three_decimals, each[0]))
        for (replica, place), each in source.inside.evidence.of(ZEROS).items()
    ]
    columns = column("Replica"), column("Variable"), number("Original"), number("Its own")
    shown = table("Numbers that end in zero", columns, rows)
    return Block("Last digits", {"last_digits": shown}) if rows else None


BLOCK = Maker(_block)
