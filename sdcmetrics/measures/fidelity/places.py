"""Places of marginal fidelity: tables of one, two and three variables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from sdcmetrics.measures.fidelity.holdout_check import check_harmonised
from sdcmetrics.measures.fidelity.marginal_fidelity import (
    MAX_LEVELS,
    MarginalFidelity,
    cells_of,
    fidelity_of,
)
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.schema import Harmonised

_MOST_TABLES = 20_000  # of one size: beyond, counting takes longer than everything else


@dataclass(frozen=True)
class WorstTable:
    """The table of a size in which a replica is furthest from the original.

    Attributes
    ----------
    variables : tuple of names
    tvd, holdout_tvd : float, 0 to 1
    cells : DataFrame
        Columns labels, training, synthetic, holdout: shares of records, those that differ most
        first.
    """

    variables: tuple[str, ...]
    tvd: float
    holdout_tvd: float
    cells: pd.DataFrame


def _margins(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:  # noqa: ARG001
    step = "fidelity beside the holdout"
    tell(step)
    data = pair.beside_holdout
    fidelity = fidelity_of(data, m=pair.m, ways=ways_of(data))
    worst = tuple(_worst(data, fidelity, pair.m))
    yield Given(step, (Place(),), whole=fidelity, result=(fidelity, worst))


def ways_of(data: Harmonised) -> list[int]:
    """Return the sizes of tables of which there are not too many."""
    width = len(data.variables)
    return [k for k in MAX_LEVELS if 0 < math.comb(width, k) <= _MOST_TABLES]


def _worst(data: Harmonised, fidelity: MarginalFidelity, m: int) -> Iterator[WorstTable]:
    for _, row in fidelity.iterrows():
        table, levels = row["worst"], int(row["max_levels"])
        cells = cells_of(data, table, m=m, max_levels=levels)
        of_holdout = float((cells["holdout"] - cells["training"]).abs().sum() / 2)
        yield WorstTable(table, float(row["worst_tvd"]), of_holdout, cells)


def _holdout(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "holdout: a random part of the same data?"
    tell(step)
    households = None if plan.sample is None else plan.sample.beside_holdout[0]
    check = check_harmonised(pair.real(), households=households, seed=plan.options.seed)
    yield Given(step, (Place(variables=tuple(pair.beside_holdout.variables)),), result=check)


MARGINS = Kind(
    "marginal tables beside a holdout",
    "`MarginalFidelity`; a number",
    _margins,
    holdout=True,
    counted=True,
    symbols={
        "p_o": "share of a cell in the original",
        "p_s": "share of it in the replica",
        "p_h": "share of it in the holdout",
    },
)
HOLDOUT = Kind(
    "the holdout itself", "evidence only: `HoldoutCheck`", _holdout, holdout=True, common=True
)
