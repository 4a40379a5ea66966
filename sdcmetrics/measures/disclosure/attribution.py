"""Attribute disclosure: key combinations whose records agree on one target level.

Rows of the counts are target levels t, columns key combinations q; D and S are the counts of
original and synthetic records in a cell, d_q and s_q their sums over a key combination. A
combination is *disclosive* in a data set when all of its records agree on one level. Cells that
`keep` leaves out do not count, but they do take part in deciding what is disclosive.

References
----------
Raab, G. M., Nowok, B. and Dibben, C. (2024). Practical privacy metrics for synthetic data.
arXiv:2406.16826.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.results import Share


def disclosive_in_original(counts: KeyTargetCounts) -> Bools:
    """Cells that hold all original records of their key combination."""
    cells: Bools = (counts.original > 0) & (counts.original == counts.original_of_key)
    return cells


def disclosive_in_synthetic(counts: KeyTargetCounts) -> Bools:
    """Cells that hold all synthetic records of their key combination."""
    cells: Bools = (counts.synthetic > 0) & (counts.synthetic == counts.synthetic_of_key)
    return cells


def unanimous_keys(counts: KeyTargetCounts) -> Bools:
    """Cells whose key combination is disclosive in the synthetic data, whatever their level."""
    return counts.per_key(disclosive_in_synthetic(counts).astype(np.int64)) > 0


def disclosed_cells(counts: KeyTargetCounts) -> Bools:
    """Cells of DiSCO: disclosive in the synthetic data, and right for some original record."""
    return disclosive_in_synthetic(counts) & (counts.original > 0)


def _of_original(counts: KeyTargetCounts, cells: Bools, keep: Bools | None) -> Share:
    counted = cells if keep is None else cells & keep
    return Share(int(counts.original[counted].sum()), counts.n_original)


def d_orig(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of original records whose key combination is Disclosive in the ORIGinal (Dorig)."""
    return _of_original(counts, disclosive_in_original(counts), keep)


def d_syn(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of synthetic records whose key combination is Disclosive in the SYNthetic (Dsyn)."""
    cells = disclosive_in_synthetic(counts)
    counted = cells if keep is None else cells & keep
    return Share(int(counts.synthetic[counted].sum()), counts.n_synthetic)


def i_s(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of original records whose key combination is In the Synthetic data (iS)."""
    return _of_original(counts, counts.synthetic_of_key > 0, keep)


def di_s(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of original records whose key combination is Disclosive in Synthetic (DiS).

    The level that the synthetic records agree on may be wrong for the original record.
    """
    return _of_original(counts, unanimous_keys(counts), keep)


def disco(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of original records Disclosive in Synthetic, Correct in Original (DiSCO).

    A key combination is disclosive when every synthetic record that has it agrees on one
    target level; DiSCO counts the original records for which that level is the true one.
    Lower is better, 0 to 100 percent; compare it with Dorig, its value for the original.

    Examples
    --------
    >>> import numpy as np
    >>> from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
    >>> counts = KeyTargetCounts(
    ...     original=np.array([2, 1, 1]), synthetic=np.array([3, 0, 2]),
    ...     key=np.array([0, 0, 1]), target=np.array([0, 1, 1]),
    ...     n_keys=2, n_targets=2, n_original=4, n_synthetic=5)
    >>> disco(counts)  # two records of key 0, the one of key 1
    Share(count=3, total=4)
    """
    return _of_original(counts, disclosed_cells(counts), keep)


def di_s_di_o(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Share of original records Disclosive in Synthetic and Disclosive in Original (DiSDiO)."""
    cells = disclosed_cells(counts) & disclosive_in_original(counts)
    return _of_original(counts, cells, keep)


def _disclosed_counts(counts: KeyTargetCounts, keep: Bools | None) -> npt.NDArray[np.int64]:
    cells = disclosed_cells(counts)
    return counts.original[cells if keep is None else cells & keep]


def max_denom(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Any:
    """Return the largest number of original records in one DiSCO cell; 0 where there is none.

    An array of one per draw for the counts of many.
    """
    cells = disclosed_cells(counts)
    counted = cells if keep is None else cells & keep
    largest = np.where(counted, counts.original, 0).max(axis=-1, initial=0)
    return largest if largest.ndim else int(largest)


def mean_denom(counts: KeyTargetCounts, *, keep: Bools | None = None) -> float:
    """Mean number of original records in the DiSCO cells; NaN where there is none."""
    sizes = _disclosed_counts(counts, keep)
    return float(sizes.mean()) if sizes.size else math.nan
