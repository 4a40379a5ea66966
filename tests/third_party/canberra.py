"""A measure from somebody else's package: all that one more measure takes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure


def canberra(tables: TablePairs) -> npt.NDArray[np.float64]:
    """Mean over cells of |p_s - p_d| / (p_s + p_d), 0 (best) to 1; one value per table."""
    total = tables.p_original + tables.p_synthetic
    return tables.sum(np.abs(tables.p_synthetic - tables.p_original) / total) / tables.cells


MEASURE = Measure(
    "Canberra",
    canberra,
    of=CROSSTABLES,
    family=GENERAL_UTILITY,
    title="Mean Canberra distance of the cell shares",
    better="lower",
    low=0,
    high=1,
    ideal=0,
    aliases=("Lance-Williams",),
    meaning="How far the shares of each cell are apart, relative to their sum.",
    formula="mean |p_s - p_d| / (p_s + p_d)",
    source="Lance and Williams (1966)",
    limits="Rare cells weigh as much as frequent ones.",
)
