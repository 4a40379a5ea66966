"""How original, replicas and holdout link to real files of outsiders."""

from __future__ import annotations

from sdcmetrics.measures.attacks.external import ExternalLinkage
from sdcmetrics.measures.attacks.outsiders import OUTSIDERS
from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.safety.cells import column, count_cell, figure_cell, number, table
from sdcmetrics.report.source import Source

_COLUMNS = ("known", "alone", "one_to_one", "k_map", "right")
_NOTE = (
    "Percent of the records of each file. What a replica shows beyond the holdout, it shows "
    "because people were in the original; what the original shows is the same without a replica."
)


def _block(source: Source) -> Block | None:
    evidence = source.inside.evidence.of(OUTSIDERS)
    if not evidence:
        return None
    rows = []
    reasons = []
    for (replica, place), result in evidence.items():
        start = source.named(place.scenario), source.named(replica)
        if not isinstance(result, ExternalLinkage):
            reasons.append((*start, source.named(str(result))))
            continue
        for name, row in result.table.iterrows():
            cells = [figure_cell(row[symbol]) for symbol in _COLUMNS]
            rows.append((*start, source.named(str(name)), count_cell(row["records"]), *cells))
    columns = (
        column("Outsiders' file", "external"),
        column("Replica", "replica"),
        column("Records of", "file"),
        number("Records", "records"),
        number("Somebody fits", "known"),
        number("One fits", "alone"),
        number("One fits one", "one_to_one"),
        number("Fewest who fit", "k_map"),
        number("Right guess", "right", "if the person is in the file"),
    )
    tables = {"external": table("Who could be looked up", columns, rows, _NOTE)}
    if reasons:
        why = (
            column("Outsiders' file", "external"),
            column("Replica", "replica"),
            column("Why", "why"),
        )
        tables["external_not_linked"] = table("What could not be linked", why, reasons)
    return Block("Real files of outsiders", tables)


MAKER = Maker(_block)
