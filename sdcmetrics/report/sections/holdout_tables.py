"""Tables of replicas beside the holdout: fidelity, closeness, copies, the worst tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.shares import (
    dcr_holdout,
    dcr_share,
    dcr_training,
    ims_holdout,
    ims_training,
)
from sdcmetrics.measures.fidelity.marginal_fidelity import MAX_LEVELS, MarginalFidelity
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.report.grid import (
    Place,
    figures,
    grid,
    listing,
    measured,
    replica_rows,
    texts,
)
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Words,
    as_name,
    blank,
    column,
    joined,
    number,
    p_cell,
    table,
    text_cell,
)
from sdcmetrics.report.safety.protect.protected import ProtectedHoldout
from sdcmetrics.report.source import Source
from sdcmetrics.review.holdout_evidence import HoldoutEvidence

_WAYS = {1: "One variable", 2: "Two variables", 3: "Three variables"}
_HOLDOUT = "Holdout itself"
_DECIMALS = 2
INTERVAL = 1.96
_SPACE = "\N{NO-BREAK SPACE}"
_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def fidelity_table(source: Source, evidence: HoldoutEvidence) -> SafeTable:
    """Return mean distances of tables: the holdout's first, then every replica's."""
    ways = sorted({k for frame in evidence.fidelity.values() for k in frame.index})
    ratio = f"F{evidence.ways} / F{evidence.ways}_holdout"
    widest = evidence.fidelity[evidence.widest]
    own = [_distances(widest, k, "holdout_tvd", "holdout_se") for k in ways]
    rows: list[tuple[Content, ...]] = [(_HOLDOUT, *own, 1)]
    for replica, frame in evidence.fidelity.items():
        cells = [_distances(frame, k, "tvd", "se", "fresh_tvd") for k in ways]
        rows.append((source.named(replica), *cells, _ratio(frame, evidence.ways)))
    levels = ", ".join(f"{MAX_LEVELS[k]} in tables of {k}" for k in ways)
    return table(
        "Mean distance of tables from those of the original",
        (
            column("Data set", "data_set"),
            *(number(_WAYS[k], f"F{k}", f"F{k}") for k in ways),
            number("In relation to the holdout", "ratio", ratio),
        ),
        rows,
        "Total variation distance in percent, mean over all tables of so many variables, "
        f"{_PLUS_MINUS} 1.96 standard errors; \N{LEFT DOUBLE QUOTATION MARK}holdout"
        "\N{RIGHT DOUBLE QUOTATION MARK} is what the holdout would show if it had as many "
        "records as the "
        f"replica. Categories per variable: at most {levels} variables.",
    )


def _distances(result: MarginalFidelity, ways: int, *columns: str) -> SafeCell:
    if ways not in result.index:  # a replica of few columns, or of very many
        return blank()
    value, se, *evidence = (result.figure(ways, name) for name in columns)
    details = [f"holdout {100 * x:.{_DECIMALS}f}" for x in evidence if not math.isnan(x)]
    if not math.isnan(se):  # of a single record there is none
        details.insert(0, f"{_PLUS_MINUS}{_SPACE}{100 * INTERVAL * se:.{_DECIMALS}f}")
    return replace(_distance_cell(value), detail="; ".join(details))


def _ratio(fidelity: MarginalFidelity, ways: int) -> SafeCell:
    ratio, se = fidelity.figure(ways, "ratio"), fidelity.figure(ways, "ratio_se")
    if math.isnan(ratio):
        return blank()
    safe = numbers.significant(ratio, 2)
    text = numbers.with_commas(safe, 2)
    spread = numbers.with_commas(INTERVAL * se, 2)
    detail = "" if math.isnan(se) else f"{_PLUS_MINUS}{_SPACE}{spread}"
    return SafeCell(text, "number", safe, detail=detail)


def closeness_table(source: Source, evidence: HoldoutEvidence) -> SafeTable:
    """Return shares and mean distances to the closest record, beside chance."""
    first = evidence.closest[evidence.widest, 1]
    own = first.baseline
    means = _mean_cell(dcr_training(own)), _mean_cell(dcr_holdout(own))
    rows: list[tuple[Content, ...]] = [
        (_HOLDOUT, _percent_cell(dcr_share(own)), None, None, *means, None)
    ]
    for (replica, synthesis), closest in evidence.closest.items():
        rows.append(
            (
                _cell_of(source, evidence, replica, synthesis),
                _percent_cell(closest.share),
                _chance_in_words(closest),
                p_cell(closest.permutation.p_value, closest.permutation.reached),
                _mean_cell(closest.mean_training),
                _mean_cell(closest.mean_holdout),
                _percent_cell(closest.tie_share),
            )
        )
    times = first.permutation.permutations
    chance = "The labels original and holdout were not permuted."
    if times:
        chance = (
            "By chance: the same share with the labels original and holdout permuted "
            f"{numbers.plural(times, 'time')}."
        )
    return table(
        "Distance to the closest record of the original and of the holdout",
        (
            column("Data set", "data_set"),
            number("Closer to the original", "DCR_share", "DCR_share"),
            number("By chance", "null", "permuted, 95 %"),
            number("p", "p", "one-sided"),
            number("To the original", "DCR_training", "mean DCR"),
            number("To the holdout", "DCR_holdout", "mean DCR"),
            number("As close to both", "equal"),
        ),
        rows,
        f"Distance: {first.distance.capitalize()}. Equally close records count in part. "
        f"{chance} Distances are information only: a "
        "share that chance explains does not prove anonymity, and does not see a few copied "
        f"people.{_drawn_in_words(evidence)}",
    )


def _drawn_in_words(evidence: HoldoutEvidence) -> str:
    """Say for which records the nearest were looked for; nothing where for all."""
    drawn = dict.fromkeys(result.drawn for result in evidence.closest.values() if result.drawn)
    return "".join(f" Distances are {words}, each to the nearest of all." for words in drawn)


_COUNTED = {
    "copied": "Original records copied",
    "copied_holdout": "Holdout records copied",
    "singled_out": "Original records singled out",
    "singled_out_holdout": "Holdout records singled out",
}


def copies_table(source: Source, evidence: HoldoutEvidence) -> SafeTable:
    """Return how many real records are copied or singled out, by label."""
    counted = [number(title, name) for name, title in _COUNTED.items()]
    rows = [
        (
            _cell_of(source, evidence, replica, synthesis),
            _percent_cell(ims_training(result.closest).proportion),
            _percent_cell(ims_holdout(result.closest).proportion),
            *(
                cell
                for counts in (result.identical, result.singled_out)
                for cell in (
                    source.guard.records(counts.training),
                    source.guard.records(counts.holdout),
                    p_cell(counts.p_value),
                )
            ),
        )
        for (replica, synthesis), result in evidence.closest.items()
    ]
    margin = _margin_in_words(next(iter(evidence.closest.values())))
    drawn = _drawn_in_words(evidence)
    return table(
        "Copies of single records",
        (
            column("Data set", "data_set"),
            number("Equal an original record", "IMS_training", "IMS"),
            number("Equal a holdout record", "IMS_holdout", "IMS"),
            *counted[:2],
            number("p", "p_copied"),
            *counted[2:],
            number("p", "p_singled_out"),
        ),
        rows,
        "Copied: some replica record has the same value in every column, and no other real record "
        f"has. Singled out: a replica record is nearer by {margin} than any other real record. "
        "p is exact and one-sided: the probability that chance makes so many of the records "
        "original ones." + (f"{drawn} Copied records were counted among all." if drawn else ""),
    )


_OF_DRAWN = " Distances are of records drawn at random, each to the nearest of all."


def protected_copies(source: Source, evidence: ProtectedHoldout) -> SafeTable:
    """Return protected counts of real records that are copied or singled out."""
    return listing(
        "Copies of single records",
        [
            *texts(source.named, replica="Replica"),
            *figures(int, synthesis="Synthesis"),
            *figures(source.guard.records, **_COUNTED),
        ],
        (
            {"replica": replica, "synthesis": synthesis, **counts}
            for (replica, synthesis), counts in evidence.copies.items()
        ),
        f"Counts are rounded to {source.guard.base}. Copied: a replica record has the same value "
        "in every column, and no other real record has. Singled out: a replica record is nearer "
        "than any other real record." + (_OF_DRAWN if evidence.drawn else ""),
    )


def bands(source: Source, kind: Kind, caption: str, *, drawn: bool = False) -> SafeTable:
    """Return the measures of a kind as a release has them, where each is worst."""

    def worst(metric: str, row: Place) -> SafeCell:
        return source.cell(source.measures.worst(row["replica"], metric))

    return grid(
        source,
        caption,
        (column("Replica", "replica"),),
        replica_rows(source),
        [(column(m.symbol), partial(worst, m.symbol)) for m in measured(source, of_kind(kind))],
        note="Bands, as exact means over a replica could be solved for the records behind them."
        + (_OF_DRAWN if drawn else ""),
    )


def worst_table(source: Source, evidence: HoldoutEvidence) -> SafeTable:
    """Return the tables in which each replica is furthest from the original."""

    def name(variables: Iterable[str]) -> Name:
        return as_name(joined(map(source.name, variables), " by "))

    distances = {"tvd": ("Distance", "TVD"), "holdout_tvd": ("of the holdout", "TVD")}
    return listing(
        "The tables in which each replica is furthest from the original",
        [
            *texts(source.named, replica="Replica"),
            *texts(name, variables="Table"),
            *figures(_distance_cell, **distances),
        ],
        (
            {"replica": replica, "variables": worst.variables}
            | {distance: getattr(worst, distance) for distance in distances}
            for replica, tables in evidence.worst.items()
            for worst in tables
        ),
    )


def _distance_cell(value: float) -> SafeCell:
    """Return the distance of one table, in percent."""
    return SafeCell(numbers.percent_text(100 * value, _DECIMALS), "number", 100 * value)


def coarse(value: float) -> float:
    """Round to two significant digits, which is all that a map shows."""
    return numbers.significant(value, 2)


def share_in_percent(share: float) -> float:
    """Return a share of a replica's records in percent, to one decimal."""
    return round(100 * share, 1)


def _percent_cell(share: float) -> SafeCell:
    """Return the cell of a share of a replica's records."""
    return SafeCell(numbers.percent_text(100 * share), "number", share_in_percent(share))


def _mean_cell(value: float) -> SafeCell:
    """Return the cell of a mean distance."""
    return SafeCell(f"{value:.2f}", "number", round(value, 2))


def _chance_in_words(closest: ClosestRecord) -> str:
    """Return the share that permuted labels give, with a 95 % range."""
    test = closest.permutation
    if math.isnan(test.sd):
        return "not known"
    return f"{100 * test.mean:.1f} {_PLUS_MINUS} {100 * INTERVAL * test.sd:.1f} %".replace(
        " ", _SPACE
    )


def _margin_in_words(closest: ClosestRecord) -> str:
    """Return by how much nearer a record is that is singled out."""
    if closest.distance == "hamming":
        return f"{closest.margin:g} columns or more"
    return f"a distance of {closest.margin:.2g} or more"


def _cell_of(source: Source, evidence: HoldoutEvidence, replica: str, synthesis: int) -> SafeCell:
    """Return the cell that names a replica, or one synthesis of it."""
    name: Words = (source.name(replica),)
    several = sum(name == replica for name, _ in evidence.closest) > 1
    return text_cell(as_name((*name, f" {synthesis}") if several else name))
