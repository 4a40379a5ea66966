"""Permutation test of the DCR share: how far chance alone takes it from n_T / (n_T + n_H).

Under the null hypothesis the labels "training" and "holdout" are exchangeable over the pool of
real records. Distances do not depend on the labels, so no search is repeated. A synthetic record
counts the share of training records among the real records at its smallest distance: each record
of the pool has a weight, the share is the sum of the weights of the training records, and its
expectation is n_T / (n_T + n_H) exactly, whatever the ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours import Ties
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.compiled import compiled

Lookup = Callable[[Ints], Ties]
"""The complete lists of ties, over the pool, of some synthetic records."""

_AT_ONCE = 16_000_000  # entries of complete lists at a time
_FEW = 2_000_000  # labels in all that are drawn sooner than the compiler is loaded
_MOST_KEPT = 32_000_000  # labels that are kept for another replica: 128 MB
_DECIMALS = 12  # sums of the same weights in another order are equal to so many


@dataclass(frozen=True)
class Tied:
    """The real records at the smallest distance of each synthetic record.

    Attributes
    ----------
    of_training : float array of shape (synthetic records,)
        Share of training records among the real records that are closest.
    weights : float array of shape (pool,)
        What each real record adds to the share where it is labelled "training".
    """

    of_training: Floats
    weights: Floats


@dataclass(frozen=True)
class SharePermutation:
    """Permutation distribution of the DCR share: labels of training and holdout exchanged.

    Attributes
    ----------
    observed : float
        The share itself, 0 to 1.
    null : float array of shape (permutations,)
        The share with permuted labels.
    mean, sd : float
        Of `null`; NaN without permutations, as is `sd` with one.
    z : float
        How many standard deviations `observed` is above the mean; NaN where there is no spread.
    p_value : float
        One-sided, "closer to the training data than by chance": (1 + how many of `null` are at
        least `observed`) / (1 + permutations).
    """

    observed: float
    null: npt.NDArray[np.float64]
    mean: float
    sd: float
    z: float
    p_value: float

    @property
    def permutations(self) -> int:
        """Number of permutations."""
        return len(self.null)

    @property
    def reached(self) -> int:
        """How many permuted shares are at least the observed one; with 0, p is an upper bound."""
        return round(self.p_value * (1 + len(self.null))) - 1 if len(self.null) else 0


def pool_ties(training: Ties, holdout: Ties, nearer_training: Ints, n_training: int) -> Ties:
    """List the records of the pool at the smallest distance of each synthetic record.

    Parameters
    ----------
    training, holdout : Ties
        Closest training records, closest holdout records.
    nearer_training : int array of shape (synthetic records,)
        -1 where the training data are closer, 1 where the holdout is, 0 where they are equal.
    n_training : int
        Record i of the holdout is record n_training + i of the pool.

    Examples
    --------
    >>> no = np.array([False, False])
    >>> first = Ties(np.array([0, 2, 3]), np.array([4, 5, 6]), no)
    >>> other = Ties(np.array([0, 1, 2]), np.array([0, 1]), no)
    >>> pool = pool_ties(first, other, np.array([0, 1]), 10)
    >>> pool.offsets.tolist(), pool.indices.tolist()
    ([0, 3, 4], [4, 5, 10, 11])
    """
    parts = ((training, nearer_training <= 0, 0), (holdout, nearer_training >= 0, n_training))
    sizes = [np.where(used, np.diff(ties.offsets), 0) for ties, used, _ in parts]
    offsets = np.concatenate([[0], np.cumsum(sizes[0] + sizes[1])])
    indices = np.empty(offsets[-1], dtype=np.int32)
    capped = np.zeros(len(nearer_training), dtype=np.bool_)
    begin = offsets[:-1]
    for (ties, used, shift), size in zip(parts, sizes, strict=True):
        taken = np.repeat(used, np.diff(ties.offsets))
        place = np.arange(size.sum()) + np.repeat(begin - (np.cumsum(size) - size), size)
        indices[place] = ties.indices[taken] + shift
        begin = begin + size
        capped |= ties.capped & used
    return Ties(offsets, indices, capped)


def weigh(ties: Ties, *, n_training: int, pool: int, lookup: Lookup) -> Tied:
    """Share each synthetic record out among the real records that are closest to it.

    Parameters
    ----------
    ties : Ties
        Records of the pool at the smallest distance of each synthetic record; the first
        `n_training` records of the pool are the training data.
    n_training, pool : int
    lookup : function
        Gives complete lists; it is asked for those that are capped.
    """
    n = len(ties.capped)
    of_training, weights = np.empty(n), np.zeros(pool)

    def add(rows: Ints, some: Ties) -> None:
        times = np.diff(some.offsets)
        each = np.repeat(1.0 / times, times)
        own = np.where(some.indices < n_training, each, 0.0)
        of_training[rows] = np.add.reduceat(own, some.offsets[:-1])
        np.add(weights, np.bincount(some.indices, each, pool), out=weights)

    complete = np.flatnonzero(~ties.capped)
    if len(complete):
        times = np.diff(ties.offsets)
        listed = ties.indices[np.repeat(~ties.capped, times)]
        offsets = np.concatenate([[0], np.cumsum(times[complete])])
        add(complete, Ties(offsets, listed, ties.capped[complete]))
    doubtful = np.flatnonzero(ties.capped)
    step = max(1, _AT_ONCE // pool)
    for start in range(0, len(doubtful), step):
        rows = doubtful[start : start + step]
        add(rows, lookup(rows))
    return Tied(of_training, weights / n)


def permute_shares(
    weights: Sequence[Floats],
    *,
    n_training: int,
    permutations: int,
    rng: np.random.Generator,
    households: Households | None = None,
    drawn: list[npt.NDArray[np.uint32]] | None = None,
) -> tuple[SharePermutation, ...]:
    """Permute the labels of the pool and take the share of each list of weights again, exactly.

    `drawn` is filled with what is drawn where that is not too much, and taken instead if full.

    Notes
    -----
    With households the labels of whole ones are exchanged. The test is exact if neither
    the distance nor the categories depend on the labels.
    """
    stacked = np.array(weights)
    pool = stacked.shape[1]
    observed = stacked[:, :n_training].sum(axis=1).round(_DECIMALS)
    null = np.zeros((permutations, len(stacked)))
    few = pool * permutations <= _FEW
    add = _add_up if few else compiled(_add, "void(float64[:,::1], uint32[::1], float64[::1])")
    keep = drawn is not None and permutations * n_training <= _MOST_KEPT
    before = drawn if drawn is not None and len(drawn) == permutations else None
    for i in range(permutations):
        if before is not None:
            labelled = before[i]
        elif households is None:
            labelled = rng.choice(pool, n_training, replace=False, shuffle=False).astype(np.uint32)
        else:
            labelled = households.drawn(rng).astype(np.uint32)
        add(stacked, labelled, null[i])
        if drawn is not None and keep and before is None:
            drawn.append(labelled)
    null = null.round(_DECIMALS)
    return tuple(_permuted(float(observed[i]), null[:, i]) for i in range(len(stacked)))


def _add_up(weights: Floats, drawn: npt.NDArray[np.uint32], sums: Floats) -> None:
    sums[:] = np.cumsum(weights[:, drawn], axis=1)[:, -1]  # one by one, as the loop adds


def _add(weights: Floats, drawn: npt.NDArray[np.uint32], sums: Floats) -> None:
    for j in range(len(sums)):
        row, total = weights[j], 0.0
        for i in drawn:
            total += row[i]
        sums[j] = total


def _permuted(observed: float, null: Floats) -> SharePermutation:
    draws = len(null)
    mean = float(null.mean()) if draws else np.nan
    sd = float("nan") if draws < 2 else 0.0 if np.ptp(null) == 0 else float(null.std(ddof=1))  # noqa: PLR2004
    return SharePermutation(
        observed=observed,
        null=null,
        mean=mean,
        sd=sd,
        z=(observed - mean) / sd if sd > 0 else np.nan,
        p_value=(1 + int((null >= observed).sum())) / (1 + draws) if draws else np.nan,
    )
