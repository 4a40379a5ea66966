"""Attribute disclosure by target level, so that rare levels are seen.

Of 3,000 records 8 have a disease. A replica that gives away all 8 moves DiSCO by 0.3 percentage
points, while whoever guessed "no" for everybody would never have found one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.attribution import (
    disclosed_cells,
    disclosive_in_original,
)
from sdcmetrics.microdata.arrays import Floats

_Z = 1.96
"""95 %: so a level that one record has, and that is disclosed, does not count as certain."""


def by_level(counts: Sequence[KeyTargetCounts], labels: Sequence[str | None]) -> pd.DataFrame:
    """Return disclosure of the original records of each target level, the worst first.

    Parameters
    ----------
    counts : sequence of KeyTargetCounts
        One per synthesis.
    labels : sequence of str or None
        Of the target levels; None is missing.

    Returns
    -------
    DataFrame
        One row per level that some original record has. `records` have it; `disclosed` of these
        are disclosed by the replica (DiSCO, mean over syntheses), `by_original` by the original
        itself (Dorig). `base` is the share of all original records that have the level: how often
        it is right to guess it without looking. `excess` is how far the share disclosed surely
        lies above that (lower end of Wilson's 95 % interval, less `base`); it gives the order.

    Examples
    --------
    >>> counts = KeyTargetCounts(
    ...     original=np.array([9, 1]), synthetic=np.array([4, 2]), key=np.array([0, 1]),
    ...     target=np.array([0, 1]), n_keys=2, n_targets=2, n_original=10, n_synthetic=6)
    >>> by_level([counts], ["no", "yes"])[["level", "records", "disclosed", "base"]].to_numpy()
    array([['yes', 1, 1.0, 0.1],
           ['no', 9, 9.0, 0.9]], dtype=object)
    """
    first = counts[0]
    records = first.target_sums(first.original)
    disclosed = np.mean([_disclosed(count) for count in counts], axis=0)
    own = first.target_sums(np.where(disclosive_in_original(first), first.original, 0))
    frame = pd.DataFrame(
        {
            "level": pd.Series(np.array(labels, dtype=object), dtype=object),
            "records": records,
            "disclosed": disclosed,
            "by_original": own,
            "base": records / first.n_original,
            "excess": _excess(disclosed, records, first.n_original),
        }
    )
    occurring = frame[frame["records"] > 0]
    return occurring.sort_values("excess", ascending=False, kind="stable", ignore_index=True)


def _disclosed(counts: KeyTargetCounts) -> npt.NDArray[np.int64]:
    return counts.target_sums(np.where(disclosed_cells(counts), counts.original, 0))


def _excess(
    disclosed: npt.NDArray[np.generic], records: npt.NDArray[np.int64], n_original: int
) -> Floats:
    n = np.maximum(records, 1)
    share, z2 = np.asarray(disclosed, dtype=np.float64) / n, _Z**2
    middle = share + z2 / (2 * n)
    low = (middle - _Z * np.sqrt(share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.asarray(np.where(records > 0, low - records / n_original, -np.inf))
