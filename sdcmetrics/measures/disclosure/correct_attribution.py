"""Correct attribution probability (CAP) and the measures made from it.

t is a target level, q a key combination; D and S are the counts of original and synthetic
records in a cell, d_q and s_q their sums over q, d_t the original records with level t, n the
number of original records. All results are proportions.

Four different numbers are published as "TCAP". They are told apart here:

* `tcap_certain`: of the original records whose key combination is unanimous in the synthetic
  data, the share of DiSCO (synthpop 1.9-3; Little, Allmendinger and Elliot 2025);
* `tcap_matched`: of the original records whose key combination is in the synthetic data, the
  share of DiSCO (synthpop 1.9-2; its vignette cites Little et al. 2022);
* DiSCO itself (`attribution.disco`): the same with all original records below the line (ONS
  synthgauge);
* `tcap_synthetic`: over the synthetic records of unanimous key combinations (Taub and Elliot
  2019).

References
----------
Taub, J., Elliot, M., Pampaka, M. and Smith, D. (2018). Differential correct attribution
probability for synthetic data: an exploration. PSD 2018. Chan, M. F. Comparative metrics
framework in R to evaluate the performance of synthetic data, equations 4 to 6.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.attribution import di_s, disclosive_in_synthetic, disco, i_s
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.results import Share

_ROUNDING = 1e-12  # sums of equal quotients in another order differ by this much


def cap_original(counts: KeyTargetCounts) -> float:
    """CAP of the original (CAPd): mean over original records of D / d_q, the upper bound.

    What an intruder who held the original itself would get right when guessing the target of
    a record at random among the records with its key combination.
    """
    return counts.right_by_original / counts.n_original


def cap_baseline(counts: KeyTargetCounts) -> float:
    """Baseline CAP (baseCAPd): sum over levels of (d_t / n)^2, the lower bound.

    What an intruder gets right who knows only how the target is distributed.
    """
    shares = counts.target_sums(counts.original) / counts.n_original
    return _sum(shares**2)


def cap_in_synthetic(counts: KeyTargetCounts) -> float:
    """CAP of the synthetic data about themselves (CAPs): mean of S / s_q."""
    per_key = counts.synthetic_of_key
    filled = counts.synthetic > 0
    return _sum(counts.synthetic[filled] ** 2 / per_key[filled]) / counts.n_synthetic


def dcap_zero(counts: KeyTargetCounts) -> Any:
    """Differential CAP (DCAP), non-matches count as 0: mean over originals of S / s_q.

    Lower is better, 0 to 1; read it between `cap_baseline` and `cap_original`.

    Examples
    --------
    >>> import numpy as np
    >>> from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
    >>> # original a-x, a-x, a-y, b-x, c-y; synthetic a-x, a-x, b-y, d-x, d-y
    >>> counts = KeyTargetCounts(
    ...     original=np.array([2, 1, 1, 0, 1, 0, 0]), synthetic=np.array([2, 0, 0, 1, 0, 1, 1]),
    ...     key=np.array([0, 0, 1, 1, 2, 3, 3]), target=np.array([0, 1, 0, 1, 1, 0, 1]),
    ...     n_keys=4, n_targets=2, n_original=5, n_synthetic=5)
    >>> round(cap_original(counts), 4), round(cap_baseline(counts), 4)
    (0.7333, 0.52)
    >>> dcap_zero(counts), dcap_undefined(counts)
    (0.4, 0.5)
    >>> tcap_matched(counts).proportion, round(tcap_synthetic(counts), 4)
    (0.5, 0.4444)
    """
    return counts.right_by_synthetic / counts.n_original


def dcap_undefined(counts: KeyTargetCounts) -> float:
    """Differential CAP where non-matches are undefined: mean over matched originals only.

    NaN where no key combination of the original is in the synthetic data.
    """
    matched = i_s(counts).count
    return counts.right_by_synthetic / matched if matched else math.nan


def dcap_over_synthetic(counts: KeyTargetCounts) -> float:
    """DCAP per synthetic record (DCAPs): right guesses about originals over synthetic records.

    Numerator and denominator count different files: above 1 where the replica is smaller.
    """
    return float(counts.right_by_synthetic / counts.n_synthetic)


def dcap_over_matching(counts: KeyTargetCounts) -> float:
    """DCAP per synthetic record whose keys the original has (DCAPb); NaN where there is none.

    Numerator and denominator count different files: above 1 where the replica is smaller.
    """
    there = matching(counts)
    return counts.right_by_synthetic / there if there else math.nan


def matching(counts: KeyTargetCounts) -> int:
    """Count the synthetic records whose key combination is in the original."""
    return int(counts.synthetic[counts.original_of_key > 0].sum())


def cap_by_rule(counts: KeyTargetCounts) -> Any:
    """CAP of the replica by the framework's rule; see `cap_and_rule`.

    An array of one per draw for the counts of many.
    """
    if counts.synthetic.ndim == 1:
        return cap_and_rule(counts)[0]
    zero, bound = dcap_zero(counts), cap_original(counts)
    matched = np.where(counts.synthetic_by_key > 0, counts.original_by_key, 0).sum(axis=1)
    undefined = np.divide(counts.right_by_synthetic, matched, out=zero.copy(), where=matched > 0)
    bounded = np.maximum(zero, (zero + bound) / 2.0)
    mean = np.where(undefined <= bound * (1.0 + _ROUNDING), (zero + undefined) / 2.0, bounded)
    return np.where(matched > 0, mean, zero)


def cap_and_rule(counts: KeyTargetCounts) -> tuple[float, str]:
    """CAP of the replica from both variants, and what it is: the mean of both where that is sound.

    The framework leaves the undefined variant out where it is "significantly higher" than the CAP
    of the original, its upper bound. Left out, CAP would fall as more guesses come right; so the
    bound takes its place there, and CAP is never below the zero variant. That alone is left where
    no record matches.
    """
    zero, undefined, bound = dcap_zero(counts), dcap_undefined(counts), cap_original(counts)
    if math.isnan(undefined):
        return zero, "zero"
    if undefined <= bound * (1.0 + _ROUNDING):
        return (zero + undefined) / 2.0, "mean of both"
    bounded = (zero + bound) / 2.0
    return (zero, "zero") if zero >= bounded else (bounded, "mean of zero and original")


def cap_ratio(counts: KeyTargetCounts) -> Any:
    """CAP of the replica by the framework's rule, over the CAP of the original."""
    return cap_by_rule(counts) / cap_original(counts)


def non_match(counts: KeyTargetCounts) -> Share:
    """Share of original records whose key combination is not in the synthetic data."""
    matched = i_s(counts)
    return Share(matched.total - matched.count, matched.total)


def tcap_matched(counts: KeyTargetCounts, *, disclosed: Share | None = None) -> Share:
    """Targeted CAP over matched original records: DiSCO records of those in the synthetic data.

    `disclosed` replaces DiSCO where exclusions were applied after unanimity was decided.
    """
    correct = disco(counts) if disclosed is None else disclosed
    return Share(correct.count, i_s(counts).count)


def tcap_certain(counts: KeyTargetCounts, *, keep: Bools | None = None) -> Share:
    """Targeted CAP where the intruder is certain: DiSCO over DiS, records not shares.

    Of the original records whose key combination is unanimous in the synthetic data, those for
    which the level that the synthetic records agree on is right. Cells that `keep` leaves out do
    not count, but they do take part in deciding what is unanimous.
    """
    return Share(disco(counts, keep=keep).count, di_s(counts, keep=keep).count)


def tcap_over_synthetic(counts: KeyTargetCounts, *, disclosed: Share | None = None) -> float:
    """DiSCO records per synthetic record (TCAPs); above 1 where the replica is smaller."""
    correct = disco(counts) if disclosed is None else disclosed
    return correct.count / counts.n_synthetic


def tcap_over_matching(counts: KeyTargetCounts, *, disclosed: Share | None = None) -> float:
    """DiSCO records per synthetic record whose keys the original has (TCAPb); NaN if none.

    Above 1 where the replica is smaller.
    """
    correct = disco(counts) if disclosed is None else disclosed
    there = matching(counts)
    return correct.count / there if there else math.nan


def tcap_synthetic(counts: KeyTargetCounts) -> float:
    """Targeted CAP over synthetic records: mean original CAP of the unanimous ones.

    Key combinations absent from the original are left out; NaN where none is left.
    """
    cells = disclosive_in_synthetic(counts)
    per_key = counts.original_of_key
    cells &= per_key > 0
    records = counts.synthetic[cells]
    if not records.size:
        return math.nan
    return _sum(records * counts.original[cells] / per_key[cells]) / int(records.sum())


def _sum(values: np.typing.NDArray[np.float64]) -> float:
    return float(values.sum())
