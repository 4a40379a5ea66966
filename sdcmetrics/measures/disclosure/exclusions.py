"""Cells that a reviewer leaves out of disclosure measures, and how many records that concerns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import attribution
from sdcmetrics.microdata.arrays import Bools

REASONS = (
    "excluded target",
    "missing target",
    "missing in keys",
    "set to exclude",
    "over denom_lim",
)


@dataclass(frozen=True)
class Exclusions:
    """The cells that remain after exclusions, and the records left out by reason.

    Attributes
    ----------
    keep_original, keep_synthetic : bool arrays of shape (cells,)
        Cells that still count, for measures of original and of synthetic records.
    reduced : KeyTargetCounts
        The counts with the other cells at zero.
    left_out : dict of table to list of int
        Records left out of each kind of table, by reason in order of application, and what remains.
    """

    keep_original: Bools
    keep_synthetic: Bools
    reduced: KeyTargetCounts
    left_out: dict[str, list[int]]

    @property
    def table(self) -> pd.DataFrame:
        """`left_out` as a frame: one row per kind of table, one column per reason."""
        return table_of(self.left_out)


def table_of(left_out: dict[str, list[int]]) -> pd.DataFrame:
    """Return records left out as a frame: one row per kind of table, one column per reason."""
    columns = [*REASONS, "remaining"]
    return pd.DataFrame.from_dict(left_out, orient="index", columns=columns)


def exclude(
    counts: KeyTargetCounts, reasons: dict[str, Bools], *, denom_lim: int | None = None
) -> Exclusions:
    """Leave cells out, reason after reason.

    Parameters
    ----------
    counts : KeyTargetCounts
    reasons : dict of reason to bool array of shape (cells,)
        True marks a cell to leave out; names from `REASONS`.
    denom_lim : int, optional
        Leave out cells of more records than this, each side by its own counts.
    """
    nothing = np.zeros(len(counts.key), dtype=bool)
    masks = {name: reasons.get(name, nothing) for name in REASONS[:-1]}
    over = {
        "original": nothing if denom_lim is None else counts.original > denom_lim,
        "synthetic": nothing if denom_lim is None else counts.synthetic > denom_lim,
    }
    keep_original = ~np.logical_or.reduce([*masks.values(), over["original"]])
    keep_synthetic = ~np.logical_or.reduce([*masks.values(), over["synthetic"]])
    reduced = replace(
        counts,
        original=np.where(keep_original, counts.original, 0),
        synthetic=np.where(keep_synthetic, counts.synthetic, 0),
    )
    rows = {
        name: _by_reason(cells, {**masks, REASONS[-1]: over[side]})
        for name, (side, cells) in _tables(counts).items()
    }
    return Exclusions(keep_original, keep_synthetic, reduced, rows)


def _tables(counts: KeyTargetCounts) -> dict[str, tuple[str, npt.NDArray[np.int64]]]:
    original, synthetic = counts.original, counts.synthetic
    in_original = attribution.disclosive_in_original(counts)
    in_synthetic = attribution.disclosive_in_synthetic(counts)
    disclosed = attribution.disclosed_cells(counts)
    matched = counts.synthetic_of_key > 0
    return {
        "original": ("original", original),
        "synthetic": ("synthetic", synthetic),
        "Dorig": ("original", original * in_original),
        "Dsyn": ("synthetic", synthetic * in_synthetic),
        "iS": ("original", original * matched),
        "DiS": ("original", original * attribution.unanimous_keys(counts)),
        "DiSCO": ("original", original * disclosed),
        "DiSDiO": ("original", original * (disclosed & in_original)),
    }


def _by_reason(cells: npt.NDArray[np.int64], masks: dict[str, Bools]) -> list[int]:
    left = cells.copy()
    out = []
    for mask in masks.values():
        out.append(int(left[mask].sum()))
        left[mask] = 0
    return [*out, int(left.sum())]
