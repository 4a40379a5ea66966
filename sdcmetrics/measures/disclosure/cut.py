"""Measures of a replica cut to fewer records: exact expectations over all its subsets.

How much of an original a replica of m records gives away depends on m, so replicas, copies and
the holdout are compared at k records each. X_q of the s_q synthetic records with key combination
q are among k drawn of m without replacement: hypergeometric. Each function is the expectation of
a measure over these draws, as a sum over cells; of a ratio, the ratio of expectations. D and S
are the counts of original and synthetic records in a cell, d and s their sums over q.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.microdata.arrays import Floats

Value = Any
"""A number, or an array of one per draw."""


class Cut:
    """Counts of an original and of a replica of which k records are kept at random.

    Parameters
    ----------
    counts : KeyTargetCounts
        Those of many draws give one value per draw.
    k : int, 1 to the number of synthetic records

    Examples
    --------
    Of two synthetic records with the same keys, one that is right, one is kept:

    >>> counts = KeyTargetCounts(
    ...     original=np.array([1, 0]), synthetic=np.array([1, 1]), key=np.array([0, 0]),
    ...     target=np.array([0, 1]), n_keys=1, n_targets=2, n_original=1, n_synthetic=2)
    >>> disco(Cut(counts, 2)), disco(Cut(counts, 1))
    (0.0, 0.5)
    """

    def __init__(self, counts: KeyTargetCounts, k: int) -> None:
        self.counts, self.k = counts, k
        self.n, m = counts.n_original, counts.n_synthetic
        most = int(counts.synthetic_by_key.max(initial=0))
        self._none, self._one_alone = _chances(m, k, 1 << most.bit_length())
        self.per_record = k / m

    def judging(self, original: npt.NDArray[np.int64]) -> Cut:
        """Return the same subsets beside other people, given by their counts."""
        n = int(original.sum(axis=-1).flat[0])
        other = Cut.__new__(Cut)
        other.counts = replace(self.counts, original=original, n_original=n)
        other.k, other.n, other.per_record = self.k, n, self.per_record
        other.found_of_key, other.right = self.found_of_key, self.right
        return other

    @cached_property
    def presence(self) -> Floats:
        """Probability that a key combination is still there; shape (n_keys,)."""
        out: Floats = 1.0 - self._none.take(self.counts.synthetic_by_key)
        return out

    @cached_property
    def found_of_key(self) -> Floats:
        """`found`, repeated for each cell."""
        return np.take(self.presence, self.counts.key, axis=-1)

    @cached_property
    def alone(self) -> Floats:
        """Probability that one record of a key combination is there; shape (n_keys,)."""
        s = self.counts.synthetic_by_key
        out: Floats = s * self._one_alone.take(np.maximum(s - 1, 0))
        return out

    @cached_property
    def unanimous(self) -> Floats:
        """Probability that a cell holds all records of its key combination, and at least one."""
        others = self.counts.synthetic_of_key - self.counts.synthetic
        out: Floats = self._none.take(others) - self._none.take(self.counts.synthetic_of_key)
        return out

    @cached_property
    def unanimous_records(self) -> Floats:
        """Expected synthetic records of a cell that then holds all of its key combination."""
        others = self.counts.synthetic_of_key - self.counts.synthetic
        out: Floats = self.counts.synthetic * self._one_alone.take(others)
        return out

    @cached_property
    def right(self) -> Floats:
        """Expected share of a cell in its key combination, 0 where that is not there."""
        of_key = np.maximum(self.counts.synthetic_of_key, 1)
        out: Floats = self.counts.synthetic / of_key * self.found_of_key
        return out

    @cached_property
    def matched(self) -> Value:
        """Expected original records whose key combination is there."""
        return _sum(self.counts.original * self.found_of_key)

    @cached_property
    def certain(self) -> Value:
        """Expected original records for which the replica gives one level, right or wrong."""
        return _sum(self.counts.original_of_key * self.unanimous)

    @cached_property
    def disclosed(self) -> Value:
        """Expected original records for which the replica gives one level, the right one."""
        return _sum(self.counts.original * self.unanimous)

    @cached_property
    def attributed(self) -> Value:
        """Expected sum over original records of the share of matches with the right level."""
        return _sum(self.counts.original * self.right)

    @cached_property
    def matching(self) -> Value:
        """Expected synthetic records whose key combination the original has."""
        there = self.counts.original_by_key > 0
        return _sum(self.counts.synthetic_by_key * there) * self.per_record


@lru_cache(maxsize=16)  # all draws of a replica have one size
def _chances(m: int, k: int, size: int) -> tuple[Floats, Floats]:
    """Return the chance that none of s records is kept, and that one is and no other, s < size."""
    j = np.arange(size)
    # A product of quotients is exact to 1e-13, where factorials by logarithms are not.
    left = np.clip(m - k - j, 0, None)
    alone = _running(left / np.maximum(m - 1 - j, 1)) * k / m
    return _running(left / np.maximum(m - j, 1)), alone


def _running(ratios: Floats) -> Floats:
    """Return 1 followed by the running product of all but the last."""
    return np.concatenate([[1.0], np.cumprod(ratios[:-1])])


def _sum(values: npt.NDArray[np.generic]) -> Value:
    total = values.sum(axis=-1)  # a product of vectors by BLAS waits for its threads
    return total if total.ndim else float(total)


def _over(top: Value, bottom: Value) -> Value:
    if isinstance(bottom, float):
        return top / bottom if bottom else math.nan
    return np.divide(top, bottom, out=np.full(bottom.shape, math.nan), where=bottom != 0)


def i_s(cut: Cut) -> Value:
    """Sum of d P(q is there), over n."""
    return cut.matched / cut.n


def non_match(cut: Cut) -> Value:
    """One less `i_s`."""
    return 1.0 - i_s(cut)


def ui_oi_s(cut: Cut) -> Value:
    """Sum over d = 1 of P(q is there), over n."""
    return _sum(cut.presence * (cut.counts.original_by_key == 1)) / cut.n


def rep_u(cut: Cut) -> Value:
    """Sum over d = 1 of P(one record of q is there), over n."""
    return _sum(cut.alone * (cut.counts.original_by_key == 1)) / cut.n


def ui_s(cut: Cut) -> Value:
    """Sum of P(one record of q is there), over k."""
    return _sum(cut.alone) / cut.k


def di_s(cut: Cut) -> Value:
    """Sum over cells of d P(the cell is unanimous), over n."""
    return cut.certain / cut.n


def disco(cut: Cut) -> Value:
    """Sum over cells of D P(the cell is unanimous), over n."""
    return cut.disclosed / cut.n


def di_s_di_o(cut: Cut) -> Value:
    """`disco` over the cells with D = d."""
    counts = cut.counts
    cells = counts.original == counts.original_of_key
    return _sum(counts.original * cut.unanimous * cells) / cut.n


def d_syn(cut: Cut) -> Value:
    """Expected synthetic records in unanimous cells, over k."""
    return _sum(cut.unanimous_records) / cut.k


def mean_denom(cut: Cut) -> Value:
    """Expected disclosed records over the expected number of their cells."""
    return _over(cut.disclosed, _sum(cut.unanimous * (cut.counts.original > 0)))


def cap_in_synthetic(cut: Cut) -> Value:
    """Sum over cells of E X_t^2 / X_q, over k; given X_q, X_t is hypergeometric."""
    counts = cut.counts
    cells = counts.synthetic > 0
    s = counts.synthetic_of_key[cells]
    p, weight = counts.synthetic[cells] / s, s * cut.per_record
    spread = p * (1 - p) / np.maximum(s - 1, 1) * (s * cut.found_of_key[cells] - weight)
    return _sum(spread + p**2 * weight) / cut.k


def dcap(cut: Cut) -> Value:
    """Sum over cells of D S / s P(q is there), over n."""
    return cut.attributed / cut.n


def dcap_undefined(cut: Cut) -> Value:
    """`dcap` over `i_s`."""
    return _over(dcap(cut), i_s(cut))


def dcap_over_synthetic(cut: Cut) -> Value:
    """`dcap` over k."""
    return cut.attributed / cut.k


def dcap_over_matching(cut: Cut) -> Value:
    """`dcap` over the expected synthetic records that match."""
    return _over(cut.attributed, cut.matching)


def tcap_over_synthetic(cut: Cut) -> Value:
    """Expected disclosed records over k."""
    return cut.disclosed / cut.k


def tcap_over_matching(cut: Cut) -> Value:
    """Expected disclosed records over the expected synthetic records that match."""
    return _over(cut.disclosed, cut.matching)


def tcap_matched(cut: Cut) -> Value:
    """`disco` over `i_s`."""
    return _over(disco(cut), i_s(cut))


def tcap_certain(cut: Cut) -> Value:
    """`disco` over `di_s`."""
    return _over(disco(cut), di_s(cut))


def tcap_synthetic(cut: Cut) -> Value:
    """Expected sum of D / d over unanimous synthetic records, over their expected number."""
    counts = cut.counts
    of_key = counts.original_of_key
    records = cut.unanimous_records * (of_key > 0)
    right = _sum(records * counts.original / np.maximum(of_key, 1))
    return _over(right, _sum(records))
