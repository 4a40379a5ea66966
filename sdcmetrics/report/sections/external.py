"""How original, replicas and holdout link to real files of outsiders."""

from __future__ import annotations

from sdcmetrics.measures.attacks.external import ExternalLinkage
from sdcmetrics.measures.attacks.outsiders import OUTSIDERS
from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.safety.cells import count_cell, figure_cell
from sdcmetrics.report.source import Source

_COLUMNS = figures(
    figure_cell,
    known="Somebody fits",
    alone="One fits",
    one_to_one="One fits one",
    k_map="Fewest who fit",
    right=("Right guess", "if the person is in the file"),
)
_NOTE = (
    "Percent of the records of each file. What a replica shows beyond the holdout, it shows "
    "because people were in the original; what the original shows is the same without a replica."
)


def _block(source: Source) -> Block | None:
    evidence = source.inside.evidence.of(OUTSIDERS)
    if not evidence:
        return None
    linked, reasons = [], []
    for (replica, place), result in evidence.items():
        start = {"external": place.scenario, "replica": replica}
        if not isinstance(result, ExternalLinkage):
            reasons.append({**start, "why": str(result)})
            continue
        linked += [{**start, "file": str(name), **row} for name, row in result.table.iterrows()]
    heads = texts(source.named, external="Outsiders' file", replica="Replica")
    columns = [
        *heads,
        *texts(source.named, file="Records of"),
        *figures(count_cell, records="Records"),
        *_COLUMNS,
    ]
    tables = {"external": listing("Who could be looked up", columns, linked, _NOTE)}
    if reasons:
        why = [*heads, *texts(source.named, why="Why")]
        tables["external_not_linked"] = listing("What could not be linked", why, reasons)
    return Block("Real files of outsiders", tables)


MAKER = Maker(_block)
