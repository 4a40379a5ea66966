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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.metrics.general_utility import table_utility
from sdcmetrics.tabulate import TablePairs

__all__ = ["STATISTICS", "ScoredRecords", "expected_p_mse", "p_mse", "po50", "specks", "u"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STATISTICS = ("pMSE", "SPECKS", "PO50", "PO50_c", "U")
_HALF = 0.5


@dataclass(frozen=True)
class ScoredRecords:
    """Records by their score.

    Attributes
    ----------
    score : float array of shape (groups,)
        Fitted probability of being synthetic.
    synthetic, original : int arrays of shape (groups,)
        Number of records with that score.
    digits : int or None
        Decimals to which scores are compared; None compares them as they are. Scores of a
        regression are equal up to rounding only.
    """

    score: Floats
    synthetic: Ints
    original: Ints
    digits: int | None = None

    @property
    def n(self) -> int:
        """Number of records of both data sets."""
        return int(self.synthetic.sum() + self.original.sum())

    @property
    def share(self) -> float:
        """Share of synthetic records, c."""
        return float(self.synthetic.sum() / self.n)

    @cached_property
    def compared(self) -> Floats:
        """Scores as they are compared with each other and with a cut."""
        return self.score if self.digits is None else np.round(self.score, self.digits)

    @cached_property
    def table(self) -> TablePairs:
        """The groups as cells of one table."""
        return TablePairs(self.original, self.synthetic, np.zeros(1, dtype=np.int64), (0,))


def p_mse(records: ScoredRecords, centre: float | None = None) -> float:
    """Propensity score mean squared error: mean of (score - c)^2; 0 (best) to c (1 - c).

    Parameters
    ----------
    centre : float, optional
        Replaces c; synthpop's k.syn takes 1/2.

    Examples
    --------
    Two originals score 1/4 and 1/4, two synthetic ones 1/4 and 1: c is 1/2.

    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> p_mse(records)  # (3 / 16 + 1 / 4) / 4
    0.109375
    """
    c = records.share if centre is None else centre
    weight = records.synthetic + records.original
    return float((weight @ (records.score - c) ** 2) / records.n)


def expected_p_mse(parameters: int, share: float, n: int) -> float:
    """Mean of pMSE when both data sets are drawn from one distribution, by a logistic model.

    (k - 1) (1 - c)^2 c / N, with k - 1 the number of coefficients without the intercept.

    Examples
    --------
    >>> expected_p_mse(4, 0.5, 100)
    0.005
    """
    return parameters * (1.0 - share) ** 2 * share / n


def specks(records: ScoredRecords) -> float:
    """Kolmogorov-Smirnov distance between the scores of both data sets; 0 (best) to 1.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> specks(records)  # below 1: half of the synthetic records, all original ones
    0.5
    """
    return float(table_utility.specks(records.table, records.compared)[0])


def u(records: ScoredRecords) -> float:
    """Wilcoxon rank-sum statistic: pairs in which the synthetic record scores higher.

    Ties count one half; n_s n_d / 2 (best) when scores say nothing.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> u(records)  # 2 pairs won, 2 tied
    3.0
    """
    return float(table_utility.u(records.table, records.compared)[0])


def po50(records: ScoredRecords, cut: float = _HALF) -> float:
    """Percent of records, over 50, whose data set is told right by a cut of the score.

    Parameters
    ----------
    cut : float
        A record is called synthetic if its score is above this: 1/2 as synthpop does in
        `utility.gen`, or c as it does in `utility.tab`. With data sets of unequal size a model
        that sees no difference gives ``100 max(c, 1-c) - 50`` with the first, and
        ``100 (1-c) - 50`` with the second.

    Examples
    --------
    >>> records = ScoredRecords(np.array([0.25, 1.0]), np.array([1, 1]), np.array([2, 0]))
    >>> po50(records)  # 3 of 4 are told right
    25.0
    """
    right = np.where(records.compared > cut, records.synthetic, records.original).sum()
    return float(100.0 * right / records.n - 50.0)


def statistics(records: ScoredRecords, *, k_syn: bool = False) -> dict[str, float]:
    """Return every statistic by its symbol; PO50 cuts at 1/2, PO50_c at the synthetic share."""
    cut = records.share if records.digits is None else np.round(records.share, records.digits)
    return {
        "pMSE": p_mse(records, _HALF if k_syn else None),
        "SPECKS": specks(records),
        "PO50": po50(records),
        "PO50_c": po50(records, float(cut)),
        "U": u(records),
    }
