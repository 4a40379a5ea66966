"""Permutation test of the DCR share: how far chance alone takes it from one half.

Under the null hypothesis the labels "training" and "holdout" are exchangeable over the pool of
real records. Distances do not depend on the labels, so no search is repeated: a synthetic record
is closer to the training data if all records of the pool at its smallest distance are labelled
"training", further if all are labelled "holdout", and as close to both otherwise. A word of 64
bits holds a record's label in 64 permutations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours import Ties

__all__ = ["SharePermutation", "dcr_p", "dcr_z", "permute_share", "pool_ties"]

Words = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]
Lookup = Callable[[Longs], Ties]
"""The complete lists of ties, over the pool, of some synthetic records."""

_BITS = 64
_MOST_IN_A_BYTE = 255  # ones that a byte can count
_ENTRIES = 4_000_000  # of tie lists at a time: 32 MB of words
_AT_ONCE = 16_000_000  # entries of complete lists at a time


@dataclass(frozen=True)
class SharePermutation:
    """What the share would be if the replica knew nothing of who was trained on.

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


def dcr_z(permutation: SharePermutation) -> float:
    """How many standard deviations the DCR share is above that of permuted labels.

    Returns
    -------
    float
        About 0 where the replica knows nothing of who was trained on; higher is worse. NaN where
        permutations do not move the share.
    """
    return permutation.z


def dcr_p(permutation: SharePermutation) -> float:
    """Probability of so large a DCR share where labels are exchangeable; one-sided, 0 to 1."""
    return permutation.p_value


def pool_ties(training: Ties, holdout: Ties, nearer_training: Longs, n_training: int) -> Ties:
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
    >>> one = Ties(np.array([0, 2, 3]), np.array([4, 5, 6]), no)
    >>> other = Ties(np.array([0, 1, 2]), np.array([0, 1]), no)
    >>> pool = pool_ties(one, other, np.array([0, 1]), 10)
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


def permute_share(
    ties: Ties,
    *,
    observed: tuple[int, int],
    n_training: int,
    n_holdout: int,
    permutations: int,
    rng: np.random.Generator,
    lookup: Lookup,
) -> SharePermutation:
    """Permute the labels of the pool and take the share again, exactly.

    Parameters
    ----------
    ties : Ties
        Records of the pool at the smallest distance of each synthetic record; the first
        `n_training` records of the pool are the training data.
    observed : two ints
        Synthetic records that are closer to the training data, and equally close.
    n_training, n_holdout : int
    permutations : int, at least 0
    rng : numpy Generator
    lookup : function
        Gives complete lists; it is asked for capped lists whose labels are all the same.

    Returns
    -------
    SharePermutation

    Notes
    -----
    The test is exact if neither the distance nor the categories depend on the labels.
    """
    n, pool = len(ties.capped), n_training + n_holdout
    scores = []
    for start in range(0, permutations, _BITS):
        many = min(_BITS, permutations - start)
        labels = _permuted_labels(n_training, pool, many, rng)
        closer, further = _unanimous(ties, labels)
        _complete(closer, further, ties, labels, many, lookup)
        lost, won = _count_bits(further), _count_bits(closer)
        scores.append((pool * won + n_training * (n - won - lost))[:many])
    null = np.concatenate([np.empty(0, dtype=np.int64), *scores])
    score = pool * observed[0] + n_training * observed[1]
    whole = float(pool * n)
    mean = float(null.mean()) / whole if len(null) else np.nan
    sd = float(null.std(ddof=1)) / whole if len(null) > 1 else np.nan
    return SharePermutation(
        observed=score / whole,
        null=null / whole,
        mean=mean,
        sd=sd,
        z=(score / whole - mean) / sd if sd > 0 else np.nan,
        p_value=(1 + int((null >= score).sum())) / (1 + len(null)) if len(null) else np.nan,
    )


def _permuted_labels(n_training: int, pool: int, many: int, rng: np.random.Generator) -> Words:
    """Draw who is labelled "training", a bit a permutation."""
    labels = np.zeros(pool, dtype=np.uint64)
    for bit in range(many):
        drawn = rng.choice(pool, n_training, replace=False, shuffle=False)
        labels[drawn] |= np.uint64(1 << bit)
    return labels


def _unanimous(ties: Ties, labels: Words) -> tuple[Words, Words]:
    """Return in which permutations all records of each list are "training", and all "holdout"."""
    n = len(ties.offsets) - 1
    closer, further = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    start = 0
    while start < n:
        stop = int(np.searchsorted(ties.offsets, ties.offsets[start] + _ENTRIES, side="right")) - 1
        stop = max(stop, start + 1)
        first = ties.offsets[start]
        words = labels[ties.indices[first : ties.offsets[stop]]]
        begins = ties.offsets[start:stop] - first
        closer[start:stop] = np.bitwise_and.reduceat(words, begins)
        further[start:stop] = ~np.bitwise_or.reduceat(words, begins)
        start = stop
    return closer, further


def _complete(
    closer: Words, further: Words, ties: Ties, labels: Words, many: int, lookup: Lookup
) -> None:
    """Replace what capped lists say by what complete lists say, where it could differ."""
    used = np.uint64((1 << many) - 1)  # labels of no permutation all say "holdout"
    doubtful = np.flatnonzero(ties.capped & ((closer | further) & used != 0))
    step = max(1, _AT_ONCE // len(labels))
    for start in range(0, len(doubtful), step):
        rows = doubtful[start : start + step]
        closer[rows], further[rows] = _unanimous(lookup(rows), labels)


def _count_bits(words: Words) -> Longs:
    """Count for each bit how many words have it."""
    little = words.astype("<u8").view(np.uint8).reshape(-1, 8)
    out = np.zeros(_BITS, dtype=np.int64)
    for start in range(0, len(little), _MOST_IN_A_BYTE):
        bits = np.unpackbits(little[start : start + _MOST_IN_A_BYTE], axis=1, bitorder="little")
        out += bits.sum(axis=0, dtype=np.uint8)
    return out
