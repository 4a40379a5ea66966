"""Hand-sized counts: what the tests of the metrics are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts

Rows = Sequence[Sequence[int]]


def table(original: Rows, synthetic: Rows) -> KeyTargetCounts:
    """Counts of target levels (rows) by key combinations (columns); empty cells are left out."""
    d, s = np.array(original, dtype=np.int64), np.array(synthetic, dtype=np.int64)
    if d.shape != s.shape:
        msg = f"the table of the original is {d.shape}, that of the replica {s.shape}"
        raise ValueError(msg)
    key, target = np.nonzero((d + s).T)
    return KeyTargetCounts(
        original=d[target, key],
        synthetic=s[target, key],
        key=key.astype(np.int64),
        target=target.astype(np.int64),
        n_keys=d.shape[1],
        n_targets=d.shape[0],
        n_original=int(d.sum()),
        n_synthetic=int(s.sum()),
    )


def pairs(*tables: tuple[Sequence[int], Sequence[int]]) -> TablePairs:
    """Cross-tables given as (counts of the original, counts of the replica), end to end."""
    originals, syntheses, lengths, empty = [], [], [], []
    for original, synthetic in tables:
        d, s = np.array(original, dtype=np.int64), np.array(synthetic, dtype=np.int64)
        filled = (d + s) > 0
        originals.append(d[filled])
        syntheses.append(s[filled])
        lengths.append(int(filled.sum()))
        empty.append(int((~filled).sum()))
    return TablePairs(
        original=np.concatenate(originals),
        synthetic=np.concatenate(syntheses),
        starts=np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        empty=tuple(empty),
    )
