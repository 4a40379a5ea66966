"""Reference values of a verbatim copy of the training data, without another search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.closeness.drawn import Queries
from sdcmetrics.measures.closeness.points import ClosestPoints
from sdcmetrics.measures.closeness.search import PoolSearch
from sdcmetrics.measures.closeness.share_permutation import SharePermutation
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.results import Share


@dataclass(frozen=True)
class Copied:
    """The training data in the replica's place.

    Attributes
    ----------
    weights : float array of shape (pool,)
        What each real record adds to the share where it is labelled "training".
    to_holdout : float
        Mean distance to the closest holdout record.
    in_holdout : Share
        Training records that equal a holdout record in every value.
    identical, singled_out : LabelTest
        As of a replica; see `ClosestRecord`.
    permutation : SharePermutation or None
        The share, under permuted labels too; None until they were permuted.
    """

    weights: npt.NDArray[np.float64]
    to_holdout: float
    in_holdout: Share
    identical: LabelTest
    singled_out: LabelTest
    permutation: SharePermutation | None = None


def copy_of(
    points: ClosestPoints,
    pool: PoolSearch,
    margin: float,
    households: Households | None = None,
    drawn: Queries | None = None,
) -> Copied:
    """Return the figures of a copy: each record is at distance 0 from itself and its duplicates."""
    n, h = points.training.n, points.holdout.n
    groups = _alike(points)
    sizes = np.bincount(groups)
    # Duplicates share a copy out among them, and of each there are as many as training records.
    weights = np.bincount(groups[:n], minlength=len(sizes))[groups] / sizes[groups] / n
    ids = points.identities
    both = [np.bincount(ids[i], minlength=max(part.max() for part in ids) + 1) for i in (0, 2)]
    alone = both[0] + both[1] == 1
    far, nobody = pool.training, np.zeros(h, dtype=np.bool_)
    beside, searched = nobody, households
    if drawn is not None:
        beside, searched = nobody[drawn.holdout], drawn.of_households(households)
    apart = np.append((far >= margin) & (far > 0), beside)
    return Copied(
        weights=weights,
        to_holdout=float(np.mean(pool.training_to_holdout, dtype=np.float64)),
        in_holdout=Share(int((both[1][ids[0]] > 0).sum()), n),
        identical=label_test(np.append(alone[ids[0]], nobody), n, households),
        # No holdout record is nearer to the copy of a record than to the record.
        singled_out=label_test(apart, len(far), searched),
    )


def _alike(points: ClosestPoints) -> npt.NDArray[np.int64]:
    """Number the real records, training first, so that those at no distance have one number."""
    both = points.training.append(points.holdout)
    numbers = np.nan_to_num(both.numbers, nan=np.inf)  # missing is a value of its own
    out = np.zeros(both.n, dtype=np.int64)
    for row in (*both.codes, *numbers):
        codes, levels = pd.factorize(row)
        out = pd.factorize(out * len(levels) + codes)[0]
    return out
