"""Flags on attribute disclosure: one target level, or one pair of levels, that explains it.

Disclosure that comes from a relation everybody knows (nearly all records of a key level share
the target level) is of another nature than disclosure about a person; these flags point at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.attribution import disclosed_cells
from sdcmetrics.microdata.arrays import Bools, Ints

Row = tuple[Any, ...]

ONE_WAY = ("Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
TWO_WAY = (
    "target_level",
    "key",
    "key_level",
    "npairs",
    "key_target_total",
    "key_total",
    "PctTargetKeyLevel",
)
_NPAIRS = TWO_WAY.index("npairs")


def one_way_rows(
    counts: KeyTargetCounts,
    labels: tuple[str | None, ...],
    *,
    thresholds: tuple[float, float] = (50, 90),
    keep: Bools | None = None,
) -> list[Row]:
    """Flag the target level with most DiSCO records, if it explains most of them.

    Parameters
    ----------
    counts : KeyTargetCounts
    labels : labels of the target levels
    thresholds : (records, percent)
        Flagged if more than this many DiSCO records have the level, and they are more than
        this percentage of all DiSCO records.

    Returns
    -------
    No row or one, of the columns `ONE_WAY`: level, all original records, those with the level in
    percent, all that are disclosed, and those with the level, in records and percent.
    """
    cells = disclosed_cells(counts)
    cells = cells if keep is None else cells & keep
    by_level = counts.target_sums(np.where(cells, counts.original, 0))
    total, level = int(by_level.sum()), int(by_level.argmax())
    count = int(by_level[level])
    if not total or count <= thresholds[0] or 100.0 * count / total <= thresholds[1]:
        return []
    share = 100.0 * int(counts.target_sums(counts.original)[level]) / counts.n_original
    return [(labels[level], counts.n_original, share, total, count, 100.0 * count / total)]


def two_way_rows(
    counts: KeyTargetCounts,
    key_levels: Mapping[str, Ints],
    key_labels: Mapping[str, tuple[str | None, ...]],
    target_labels: tuple[str | None, ...],
    *,
    thresholds: tuple[float, float] = (4, 80),
    keep: Bools | None = None,
) -> list[Row]:
    """Flag pairs of a target level and a key level that go together in the original.

    Parameters
    ----------
    counts : KeyTargetCounts
    key_levels : dict of key name to int array of shape (n_keys,)
        Code of the key in each key combination.
    key_labels, target_labels : labels of those codes and of the target levels
    thresholds : (records, percent)
        Only DiSCO cells of more than this many original records are looked at; a pair is
        flagged if more than this percentage of all original records with the key level have
        the target level.

    Returns
    -------
    Rows of the columns `TWO_WAY`, most records first: levels, the original records in such DiSCO
    cells, those of both levels and of the key level, and the percentage.
    """
    cells = disclosed_cells(counts) & (counts.original > thresholds[0])
    cells = cells if keep is None else cells & keep
    if not cells.any():
        return []
    rows: list[Row] = []
    for key, levels in key_levels.items():
        labels = key_labels[key]
        level_of_cell = levels[counts.key]
        distinct, pair = np.unique(counts.target * len(labels) + level_of_cell, return_inverse=True)
        disclosed = np.bincount(pair, weights=counts.original * cells, minlength=len(distinct))
        together = np.bincount(pair, weights=counts.original, minlength=len(distinct))
        alone = np.bincount(level_of_cell, weights=counts.original, minlength=len(labels))
        for i in np.flatnonzero(disclosed):
            target, level = divmod(int(distinct[i]), len(labels))
            percent = 100.0 * together[i] / alone[level]
            if percent > thresholds[1]:
                evidence = (int(disclosed[i]), int(together[i]), int(alone[level]), percent)
                rows.append((target_labels[target], key, labels[level], *evidence))
    return sorted(rows, key=lambda row: -row[_NPAIRS])
