"""Identity disclosure: records that are alone with their key combination.

Every function takes the counts of key combinations by target levels and returns a Share. q is
a key combination; d_q and s_q are the numbers of original and synthetic records that have it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.results import Share


def ui_o(counts: KeyTargetCounts) -> Share:
    """Share of original records that are Unique in the Original (UiO): d_q = 1.

    What the confidential file itself would give away; nothing of it depends on the replica.
    """
    alone = counts.original_by_key == 1
    return Share(int(alone.sum()), counts.n_original)


def ui_s(counts: KeyTargetCounts) -> Share:
    """Share of synthetic records that are Unique in the Synthetic data (UiS): s_q = 1."""
    alone = counts.synthetic_by_key == 1
    return Share(int(alone.sum()), counts.n_synthetic)


def ui_oi_s(counts: KeyTargetCounts, *, present: npt.NDArray[np.bool_] | None = None) -> Share:
    """Share of original records Unique in the Original and found In the Synthetic data (UiOiS).

    `present` says which key combinations occur in the synthetic data where exclusions have
    emptied some of them.
    """
    alone = counts.original_by_key == 1
    if present is None:
        present = counts.synthetic_by_key > 0
    return Share(int((alone & present).sum()), counts.n_original)


def rep_u(counts: KeyTargetCounts) -> Share:
    """Share of original records that are REPlicated Uniques (repU): d_q = 1 and s_q = 1.

    The chief measure of identity disclosure; lower is better, 0 to 100 percent.

    Examples
    --------
    >>> import numpy as np
    >>> from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
    >>> counts = KeyTargetCounts(
    ...     original=np.array([1, 2, 1]), synthetic=np.array([1, 1, 0]),
    ...     key=np.array([0, 1, 2]), target=np.array([0, 0, 0]),
    ...     n_keys=3, n_targets=1, n_original=4, n_synthetic=2)
    >>> rep_u(counts)
    Share(count=1, total=4)
    """
    alone = counts.original_by_key == 1
    alone_again = counts.synthetic_by_key == 1
    return Share(int((alone & alone_again).sum()), counts.n_original)
