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
    SafeCell,
    SafeColumn,
    SafeTable,
    as_name,
    blank,
    joined,
    text_cell,
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
    columns = [SafeColumn("Data set", "data_set")]
    columns += [SafeColumn(_WAYS[k], f"F{k}", numeric=True, detail=f"F{k}") for k in ways]
    columns.append(
        SafeColumn(
            "In relation to the holdout",
            "ratio",
            numeric=True,
            detail=f"F{fresh.ways} / F{fresh.ways}_holdout",
        )
    )
    widest = fresh.fidelity[fresh.widest]
    own = [_distances(widest, k, "holdout_tvd", "holdout_se") for k in ways]
    rows = [(text_cell(_HOLDOUT), *own, SafeCell("1", "number", 1.0))]
    for replica, found in fresh.fidelity.items():
        cells = [_distances(found, k, "tvd", "se", "fresh_tvd") for k in ways]
        rows.append((source.named(replica), *cells, _ratio(found, fresh.ways)))
    levels = ", ".join(f"{MAX_LEVELS[k]} in tables of {k}" for k in ways)
    return SafeTable(
        caption=("Mean distance of tables from those of the original",),
        columns=tuple(columns),
        rows=tuple(rows),
        note="Total variation distance in percent, mean over all tables of so many variables, "
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
    rows = [
        (
            text_cell(_HOLDOUT),
            percent_cell(dcr_share(own)),
            blank(),
            blank(),
            mean_cell(dcr_training(own)),
            mean_cell(dcr_holdout(own)),
            blank(),
        )
    ]
    for (replica, synthesis), found in fresh.closest.items():
        rows.append(
            (
                cell_of(source, fresh, replica, synthesis),
                percent_cell(found.share),
                text_cell(chance_in_words(found)),
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
    return SafeTable(
        caption=("Distance to the closest record of the original and of the holdout",),
        columns=(
            SafeColumn("Data set", "data_set"),
            SafeColumn("Closer to the original", "DCR_share", numeric=True, detail="DCR_share"),
            SafeColumn("By chance", "null", numeric=True, detail="permuted, 95 %"),
            SafeColumn("p", "p", numeric=True, detail="one-sided"),
            SafeColumn("To the original", "DCR_training", numeric=True, detail="mean DCR"),
            SafeColumn("To the holdout", "DCR_holdout", numeric=True, detail="mean DCR"),
            SafeColumn("As close to both", "equal", numeric=True),
        ),
        rows=tuple(rows),
        note=f"Distance: {first.distance.capitalize()}. Equally close records count in part. "
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
    return SafeTable(
        caption=("Copies of single records",),
        columns=(
            SafeColumn("Data set", "data_set"),
            SafeColumn("Equal an original record", "IMS_training", numeric=True, detail="IMS"),
            SafeColumn("Equal a holdout record", "IMS_holdout", numeric=True, detail="IMS"),
            SafeColumn("Original records copied", "copied", numeric=True),
            SafeColumn("Holdout records copied", "copied_holdout", numeric=True),
            SafeColumn("p", "p_copied", numeric=True),
            SafeColumn("Original records singled out", "singled_out", numeric=True),
            SafeColumn("Holdout records singled out", "singled_out_holdout", numeric=True),
            SafeColumn("p", "p_singled_out", numeric=True),
        ),
        rows=tuple(rows),
        note="Copied: some replica record has the same value in every column. Singled out: a "
        f"replica record is nearer by {margin} than any other real record. p is exact and "
        "one-sided: the probability that chance makes so many of the records original ones.",
    )


def worst_table(source: Source, fresh: FreshData) -> SafeTable:
    """Return the tables in which each replica is furthest from the original."""
    rows = []
    for replica, found in fresh.worst.items():
        for table in found:
            names = joined((source.name(name) for name in table.variables), " by ")
            rows.append(
                (
                    source.named(replica),
                    text_cell(as_name(names)),
                    distance_cell(table.tvd),
                    distance_cell(table.holdout_tvd),
                )
            )
    return SafeTable(
        caption=("The tables in which each replica is furthest from the original",),
        columns=(
            SafeColumn("Replica", "replica"),
            SafeColumn("Table", "variables"),
            SafeColumn("Distance", "tvd", numeric=True, detail="TVD"),
            SafeColumn("of the holdout", "holdout_tvd", numeric=True, detail="TVD"),
        ),
        rows=tuple(rows),
    )
