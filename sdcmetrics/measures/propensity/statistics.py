"""Propensity scores to statistics: how well a fitted model tells two data sets apart.

A record's score is the fitted probability that it is synthetic. With n_s synthetic and n_d
original records, N = n_s + n_d and c = n_s / N, a model that sees no difference gives every
record the score c.

References
----------
Snoke, J., Raab, G. M., Nowok, B., Dibben, C. and Slavkovic, A. (2018). General and specific
utility measures for synthetic data. JRSS A 181(3). Bowen, C. M., Liu, F. and Su, B. (2021).
Differentially private data release via statistical election to partition sequentially. Metron.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdcmetrics.measures.crosstables import statistics as table_utility
from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.statistics import Ranked
from sdcmetrics.microdata.arrays import Floats, Ints


@dataclass(frozen=True)
class ScoredRecords:
    """Records by their score.

    Attributes
    ----------
    score : float array of shape (groups,)
        Fitted probability of being synthetic.
    synthetic, original : int arrays of shape (groups,)
        Number of records with that score.
    df : int or None
        Coefficients besides the intercept; None for a tree.
    digits : int or None
        Decimals to which scores are compared; None compares them as they are. Scores of a
        regression are equal up to rounding only.
    k_syn : bool
        The number of synthetic records was drawn too, so scores are compared with 1/2.
    """

    score: Floats
    synthetic: Ints
    original: Ints
    df: int | None = None
    digits: int | None = None
    k_syn: bool = False

    @property
    def n(self) -> int:
        """Number of records of both data sets."""
        return int(self.synthetic.sum() + self.original.sum())

    @property
    def share(self) -> float:
        """Share of synthetic records, c."""
        return float(self.synthetic.sum() / self.n)

    @property
    def centre(self) -> float:
        """The score of every record if nothing told the data sets apart."""
        return _HALF if self.k_syn else self.share

    @cached_property
    def compared(self) -> Floats:
        """Scores as they are compared with each other and with a cut."""
        return self.score if self.digits is None else np.round(self.score, self.digits)

    @cached_property
    def table(self) -> TablePairs:
        """The groups as cells of one table."""
        return TablePairs(self.original, self.synthetic, np.zeros(1, dtype=np.int64), (0,))

    @cached_property
    def ranked(self) -> Ranked:
        """The groups in the order of their compared scores."""
        return Ranked(self.table, self.compared)


_HALF = 0.5


def p_mse(records: ScoredRecords) -> float:
    """Propensity score mean squared error: mean of (score - c)^2; 0 (best) to c (1 - c).

    Examples
    --------
    Two originals score 1/4 and 1/4, two synthetic ones 1/4 and 1: c is 1/2.

    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> p_mse(records)  # (3 / 16 + 1 / 4) / 4
    0.109375
    """
    weight = records.synthetic + records.original
    return float((weight @ (records.score - records.centre) ** 2) / records.n)


def s_p_mse(records: ScoredRecords) -> float:
    """Return pMSE over its expectation for a logistic model; about 1 (best), unbounded.

    When both data sets are drawn from one distribution the mean of pMSE is df (1 - c)^2 c / N,
    with df the number of coefficients besides the intercept. NaN where df is 0 or unknown.

    Examples
    --------
    >>> score, n = np.array([0.25, 1.0]), np.array([1, 1])
    >>> s_p_mse(ScoredRecords(score, n, np.array([2, 0]), df=1))  # 0.109375 / (1 / 8 / 4)
    3.5
    """
    expected = expected_p_mse(records.df or 0, records.centre, records.n)
    return p_mse(records) / expected if expected else math.nan


def expected_p_mse(df: int, share: float, n: int) -> float:
    """Mean of a logistic model's pMSE for two data sets from one distribution."""
    return df * (1.0 - share) ** 2 * share / n


def specks(records: ScoredRecords) -> float:
    """Kolmogorov-Smirnov distance between the scores of both data sets; 0 (best) to 1.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> specks(records)  # below 1: half of the synthetic records, all original ones
    0.5
    """
    return float(table_utility.specks(records.table, records.ranked)[0])


def u(records: ScoredRecords) -> float:
    """Wilcoxon rank-sum statistic: pairs in which the synthetic record scores higher.

    Ties count one half; n_s n_d / 2 (best) when scores say nothing.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> u(records)  # 2 pairs won, 2 tied
    3.0
    """
    return float(table_utility.u(records.table, records.ranked)[0])


def po50(records: ScoredRecords) -> float:
    """Percent of records, over 50, told right by cutting the score at 1/2; -50 to 50.

    0 is best for data sets of one size; a poor fit can tell fewer than half of few records right.
    As synthpop's `utility.gen` does it. With data sets of unequal size a model that sees no
    difference gives ``100 max(c, 1 - c) - 50``.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> po50(records)  # 3 of 4 are told right
    25.0
    """
    return _told_right(records, _HALF)


def po50_c(records: ScoredRecords) -> float:
    """Percent of records, over 50, told right by cutting the score at c, as in tables.

    A record is called synthetic if its score is above the share of synthetic records. A model
    that sees no difference gives ``100 (1 - c) - 50``.

    Examples
    --------
    Of 3 original and 1 synthetic records, c = 1/4, the cut tells 2 + 1 right.

    >>> records = ScoredRecords(np.array([0.2, 0.4]), np.array([0, 1]), np.array([2, 1]))
    >>> po50_c(records), po50(records)
    (25.0, 25.0)
    """
    share = records.share
    return _told_right(records, share if records.digits is None else round(share, records.digits))


def _told_right(records: ScoredRecords, cut: float) -> float:
    right = np.where(records.compared > cut, records.synthetic, records.original).sum()
    return float(100.0 * right / records.n - 50.0)


def statistics(records: ScoredRecords) -> dict[str, float]:
    """Return every statistic that needs no expectation, by its symbol."""
    return {
        "pMSE": p_mse(records),
        "SPECKS": specks(records),
        "PO50": po50(records),
        "PO50_c": po50_c(records),
        "U": u(records),
    }
