"""Tables of replicas beside fresh data: fidelity, closeness, copies, the worst tables."""

from __future__ import annotations

import math
from dataclasses import replace

from sdcmetrics.measures.closeness.shares import (
    dcr_holdout,
    dcr_share,
    dcr_training,
    ims_holdout,
    ims_training,
)
from sdcmetrics.measures.fidelity.marginal_fidelity import MAX_LEVELS, MarginalFidelity
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    as_name,
    blank,
    column,
    joined,
    number,
    table,
)
from sdcmetrics.report.sections.fresh_cells import (
    DECIMALS,
    INTERVAL,
    PLUS_MINUS,
    SPACE,
    cell_of,
    chance_in_words,
    distance_cell,
    margin_in_words,
    mean_cell,
    p_cell,
    percent_cell,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.fresh_data import FreshData

_WAYS = {1: "One variable", 2: "Two variables", 3: "Three variables"}
_HOLDOUT = "Holdout itself"


def fidelity_table(source: Source, fresh: FreshData) -> SafeTable:
    """Return mean distances of tables: the holdout's first, then every replica's."""
    ways = sorted({k for found in fresh.fidelity.values() for k in found.index})
    ratio = f"F{fresh.ways} / F{fresh.ways}_holdout"
    widest = fresh.fidelity[fresh.widest]
    own = [_distances(widest, k, "holdout_tvd", "holdout_se") for k in ways]
    rows: list[tuple[Content, ...]] = [(_HOLDOUT, *own, 1)]
    for replica, found in fresh.fidelity.items():
        cells = [_distances(found, k, "tvd", "se", "fresh_tvd") for k in ways]
        rows.append((source.named(replica), *cells, _ratio(found, fresh.ways)))
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
        f"{PLUS_MINUS} 1.96 standard errors; \N{LEFT DOUBLE QUOTATION MARK}fresh"
        "\N{RIGHT DOUBLE QUOTATION MARK} is what the holdout would show if it had as many "
        "records as the "
        f"replica. Categories per variable: at most {levels} variables.",
    )


def _distances(found: MarginalFidelity, ways: int, *columns: str) -> SafeCell:
    if ways not in found.index:  # a replica of few columns, or of very many
        return blank()
    return _distance(*(found.figure(ways, column) for column in columns))


def _distance(value: float, se: float, fresh: float = math.nan) -> SafeCell:
    details = []
    if not math.isnan(se):  # of a single record there is none
        details.append(f"{PLUS_MINUS}{SPACE}{100 * INTERVAL * se:.{DECIMALS}f}")
    if not math.isnan(fresh):
        details.append(f"fresh {100 * fresh:.{DECIMALS}f}")
    return replace(distance_cell(value), detail="; ".join(details))


def _ratio(found: MarginalFidelity, ways: int) -> SafeCell:
    ratio, se = found.figure(ways, "ratio"), found.figure(ways, "ratio_se")
    if math.isnan(ratio):
        return blank()
    safe = numbers.significant(ratio, 2)
    text = numbers.with_commas(safe, 2)
    spread = numbers.with_commas(INTERVAL * se, 2)
    detail = "" if math.isnan(se) else f"{PLUS_MINUS}{SPACE}{spread}"
    return SafeCell(text, "number", safe, detail=detail)


def closeness_table(source: Source, fresh: FreshData) -> SafeTable:
    """Return shares and mean distances to the closest record, beside chance."""
    first = fresh.closest[fresh.widest, 1]
    own = first.baseline
    means = mean_cell(dcr_training(own)), mean_cell(dcr_holdout(own))
    rows: list[tuple[Content, ...]] = [
        (_HOLDOUT, percent_cell(dcr_share(own)), None, None, *means, None)
    ]
    for (replica, synthesis), found in fresh.closest.items():
        rows.append(
            (
                cell_of(source, fresh, replica, synthesis),
                percent_cell(found.share),
                chance_in_words(found),
                p_cell(found.permutation.p_value, found.permutation.reached),
                mean_cell(found.mean_training),
                mean_cell(found.mean_holdout),
                percent_cell(found.tie_share),
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
        "people.",
    )


def copies_table(source: Source, fresh: FreshData) -> SafeTable:
    """Return how many real records are copied or singled out, by label."""
    rows = [
        (
            cell_of(source, fresh, replica, synthesis),
            percent_cell(ims_training(found.closest).proportion),
            percent_cell(ims_holdout(found.closest).proportion),
            source.guard.records(found.identical.training),
            source.guard.records(found.identical.holdout),
            p_cell(found.identical.p_value),
            source.guard.records(found.singled_out.training),
            source.guard.records(found.singled_out.holdout),
            p_cell(found.singled_out.p_value),
        )
        for (replica, synthesis), found in fresh.closest.items()
    ]
    margin = margin_in_words(next(iter(fresh.closest.values())))
    return table(
        "Copies of single records",
        (
            column("Data set", "data_set"),
            number("Equal an original record", "IMS_training", "IMS"),
            number("Equal a holdout record", "IMS_holdout", "IMS"),
            number("Original records copied", "copied"),
            number("Holdout records copied", "copied_holdout"),
            number("p", "p_copied"),
            number("Original records singled out", "singled_out"),
            number("Holdout records singled out", "singled_out_holdout"),
            number("p", "p_singled_out"),
        ),
        rows,
        "Copied: some replica record has the same value in every column. Singled out: a "
        f"replica record is nearer by {margin} than any other real record. p is exact and "
        "one-sided: the probability that chance makes so many of the records original ones.",
    )


def worst_table(source: Source, fresh: FreshData) -> SafeTable:
    """Return the tables in which each replica is furthest from the original."""
    return table(
        "The tables in which each replica is furthest from the original",
        (
            column("Replica", "replica"),
            column("Table", "variables"),
            number("Distance", "tvd", "TVD"),
            number("of the holdout", "holdout_tvd", "TVD"),
        ),
        (
            (
                source.named(replica),
                as_name(joined(map(source.name, one.variables), " by ")),
                distance_cell(one.tvd),
                distance_cell(one.holdout_tvd),
            )
            for replica, found in fresh.worst.items()
            for one in found
        ),
    )
