"""Where cross-tables are compared: every variable, every pair, ..."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables
from sdcmetrics.measures.crosstables.ratio_of_counts import sparse_reason
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.coding import by_groups, by_rounding, by_value, encode


def _rounded(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    options = plan.options
    tell("ratio of counts")
    for name in _names(pair, plan):
        step = options.round_to.get(name, math.nan)
        coded = encode(pair.data, by_value if math.isnan(step) else by_rounding(step), [name])
        tables = [
            next(counts for _, counts in count_tables(coded, [(name,)], synthesis=i))
            for i in range(1, pair.m + 1)
        ]
        yield Given(
            f"ratio of counts of {name}",
            (Place(variables=(name,)),),
            tuple(tables),
            reason=sparse_reason(tables, options.min_count, options.max_categories),
        )


def _tables(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    options = plan.options
    names = _names(pair, plan)
    coded = encode(
        pair.data, by_groups(options.ngroups, options.style, dates=options.group_dates), names
    )

    def batches(tables: list[tuple[str, ...]], synthesis: int) -> Iterator[TablePairs]:
        for _, counts in count_tables(coded, tables, synthesis=synthesis, k_syn=options.k_syn):
            yield counts

    for ways in options.ways:
        step = f"{ways}-way tables"
        tell(step)
        tables = list(itertools.combinations(names, ways))
        if not tables:
            yield Given(step, (Place(),), reason=f"there are only {len(names)} variables")
            continue
        each = tuple(batches(tables, synthesis) for synthesis in range(1, pair.m + 1))
        yield Given(step, tuple(Place(variables=table) for table in tables), each)


def _names(pair: Pair, plan: Plan) -> list[str]:
    wanted = plan.options.variables
    return [name for name in pair.data.variables if wanted is None or name in wanted]


ONE_WAY = Kind(
    "one-way tables, numbers rounded",
    "`TablePairs`; one value per table",
    _rounded,
    per="variable",
    overall="every variable was skipped",
    counted=True,
    symbols={"p_o": "share of a category in the original", "p_s": "share of it in the replica"},
)
CROSSTABLES = Kind(
    "cross-tables",
    "`TablePairs`; one value per table",
    _tables,
    per="table",
    counted=True,
    symbols={
        "s": "records of the replica in a cell",
        "d": "records of the original in a cell",
        "n_s": "records of the replica",
        "n_d": "records of the original",
        "N": "records of both",
        "c": "share of the replica in the records of both",
        "p_s": "share of a cell in the replica",
        "p_d": "share of a cell in the original",
        "k": "cells with a record of either",
        "score": "share of the replica in the records of a cell",
        "F_s": "distribution function of the score over the replica",
        "F_d": "distribution function of the score over the original",
        "score_s": "score of a record of the replica",
        "score_d": "score of a record of the original",
    },
)
