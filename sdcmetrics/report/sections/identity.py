"""Identity disclosure: who can be found by what an intruder knows."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.report.safety.cells import (
    SafeColumn,
    SafeTable,
    Sentence,
    blank,
    joined,
    said,
    sentence,
    text_cell,
)
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

__all__ = ["IdentityBlock", "identity_blocks", "replicated_sentence"]


@dataclass(frozen=True, slots=True)
class IdentityBlock:
    """Identity disclosure in one scenario."""

    table: SafeTable


def identity_blocks(source: Source) -> tuple[IdentityBlock, ...]:
    """Return one block a scenario."""
    return tuple(_block(source, scenario) for scenario in source.review.scenarios)


def replicated_sentence(source: Source, replica: str, scenario: Scenario) -> Sentence:
    """Say how many original records are replicated uniques, beside how many are unique."""
    target = scenario.targets[0]
    cell = source.risk(replica, "repU", scenario.name, target)
    alone = source.risk(replica, "UiO", scenario.name, target)
    return sentence(
        "In ",
        source.name(replica),
        *source.within(scenario.name),
        f", {said(cell)} of the original records are unique again with the same keys (repU); "
        f"in the original itself {said(alone)} are unique (UiO).",
        status=cell.status,
    )


def _block(source: Source, scenario: Scenario) -> IdentityBlock:
    target = scenario.targets[0]
    alone = source.risk(source.replicas[0], "UiO", scenario.name, target)
    rows = [(text_cell("Original itself"), alone, blank(), blank())]
    rows += [
        (
            source.named(replica),
            source.risk(replica, "UiS", scenario.name, target),
            source.risk(replica, "UiOiS", scenario.name, target),
            source.risk(replica, "repU", scenario.name, target),
        )
        for replica in source.replicas
    ]
    keys = joined((source.name(key) for key in scenario.keys), last=" and ")
    table = SafeTable(
        caption=("Records that are alone with their combination of ", *keys),
        columns=(
            SafeColumn("Data set", "data_set"),
            SafeColumn("Unique in this data set", "unique", numeric=True, detail="UiO, UiS"),
            SafeColumn(
                "Unique in the original, found in the replica",
                "UiOiS",
                numeric=True,
                detail="UiOiS",
            ),
            SafeColumn("Unique in both", "repU", numeric=True, detail="repU"),
        ),
        rows=tuple(rows),
        note="Percent of the records of the original; UiS: of the replica. The same for every "
        "target. A replicated unique need not be the same person, but an intruder will think so.",
    )
    return IdentityBlock(table)
