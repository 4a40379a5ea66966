"""Relations that explain disclosure, and the records at risk: named only for internal eyes."""

from __future__ import annotations

from typing import Any

from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Name, SafeCell, SafeColumn, SafeTable, blank, text_cell
from sdcmetrics.report.source import Source

__all__ = ["flag_table", "risky_tables"]

_MOST = 8
_FIRST = 12
_RISKS = ("repU", "DiSCO", "DiSDiO")


def flag_table(source: Source, scenario: str, target: str) -> SafeTable:
    """Return the flagged relations of one target; in release mode only how many there are."""
    results = {
        replica: source.review.disclosures[replica, scenario, target]
        for replica in source.replicas
        if (replica, scenario, target) in source.review.disclosures
    }
    if source.release:
        rows = []
        for replica, result in results.items():
            one, two = _most(result.one_way), _most(result.two_way)
            source.guard.suppress("Names of levels in flagged relations", int(one + two > 0))
            rows.append((source.named(replica), _number(one), _number(two)))
        if not any(cell.number for row in rows for cell in row):
            rows = []
        return SafeTable(
            ("Relations that may explain the disclosure of ", source.name(target)),
            (
                SafeColumn("Replica", "replica"),
                SafeColumn("Target levels", "one_way", numeric=True),
                SafeColumn("Pairs of key and target level", "two_way", numeric=True),
            ),
            tuple(rows),
            note=_NOTE + " Which ones is in the internal edition.",
        )
    listed: list[tuple[SafeCell, ...]] = []
    for replica, result in results.items():
        listed += [_one_way(source, replica, row) for row in _records(result.one_way)]
        listed += [_two_way(source, replica, row) for row in _records(result.two_way)[:_MOST]]
    return SafeTable(
        ("Relations that may explain the disclosure of ", source.name(target)),
        (
            SafeColumn("Replica", "replica"),
            SafeColumn("Target level", "target_level"),
            SafeColumn("Key", "key"),
            SafeColumn("Key level", "key_level"),
            SafeColumn("Disclosed records", "records", numeric=True),
            SafeColumn("Share", "share", numeric=True),
            SafeColumn("Share of what", "share_of"),
        ),
        tuple(listed),
        note=_NOTE + f" At most {_MOST} pairs a replica, most records first.",
    )


_NOTE = (
    "Flagged as in synthpop: one target level that most disclosed records share, or a key level "
    "whose original records nearly all have one target level. Disclosure that rests on a relation "
    "everybody knows is of another nature than disclosure about a person."
)


def risky_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return how many original records are at risk and where the first of them are.

    Empty in release mode.
    """
    if source.release:
        source.guard.suppress("Positions of the records at risk", len(source.review.disclosures))
        return ()
    out = []
    for scenario in source.review.scenarios:
        rows = []
        for target in scenario.targets:
            for replica in source.replicas:
                result = source.review.disclosures.get((replica, scenario.name, target))
                if result is None:
                    continue
                frame = result.records_at_risk
                first = ", ".join(f"{i:,}" for i in frame.index[:_FIRST].tolist())
                more = len(frame) - _FIRST
                rows.append(
                    (
                        source.named(target),
                        source.named(replica),
                        *(_number(int((frame[risk] > 0).sum())) for risk in _RISKS),
                        text_cell(first + (f" and {more:,} more" if more > 0 else "")),
                    )
                )
        out.append(
            SafeTable(
                ("Original records at risk in scenario ", source.name(scenario.name)),
                (
                    SafeColumn("Target", "target"),
                    SafeColumn("Replica", "replica"),
                    SafeColumn("Unique in both (repU)", "repU", numeric=True),
                    SafeColumn("Disclosed (DiSCO)", "DiSCO", numeric=True),
                    SafeColumn("Disclosive in both (DiSDiO)", "DiSDiO", numeric=True),
                    SafeColumn("First positions in the original, from 0", "first"),
                ),
                tuple(rows),
                note="Records at risk in at least one synthesis. All of them, with the number of "
                "syntheses, are in review.disclosures[replica, scenario, target].records_at_risk.",
            )
        )
    return tuple(out)


def _most(frame: Any) -> int:
    return int(frame["synthesis"].value_counts().max()) if len(frame) else 0


def _records(frame: Any) -> list[dict[str, Any]]:
    # The flags of the first synthesis that has any: those of the others repeat most of them.
    if not len(frame):
        return []
    first = frame[frame["synthesis"] == frame["synthesis"].min()]
    return [{str(k): v for k, v in row.items()} for row in first.to_dict("records")]


def _one_way(source: Source, replica: str, row: dict[str, Any]) -> tuple[SafeCell, ...]:
    return (
        source.named(replica),
        text_cell(_level(source, row["Level"])),
        blank(),
        blank(),
        _number(int(row["nLevelDis"])),
        _percent(row["PctLevelDis"]),
        text_cell("of all disclosed records"),
    )


def _two_way(source: Source, replica: str, row: dict[str, Any]) -> tuple[SafeCell, ...]:
    return (
        source.named(replica),
        text_cell(_level(source, row["target_level"])),
        source.named(row["key"]),
        text_cell(_level(source, row["key_level"])),
        _number(int(row["npairs"])),
        _percent(row["PctTargetKeyLevel"]),
        text_cell("of the original records with this key level"),
    )


def _level(source: Source, label: object) -> Name:
    return source.name(label if isinstance(label, str) else None)


def _number(count: int) -> SafeCell:
    return SafeCell(f"{count:,}", "number", float(count))


def _percent(value: float) -> SafeCell:
    return SafeCell(numbers.percent_text(float(value)), "number", float(value))
