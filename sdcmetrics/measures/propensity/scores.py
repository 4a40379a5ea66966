"""Propensity scores of records, from which the metrics are computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.statistics import Ranked
from sdcmetrics.microdata.arrays import Floats, Ints

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
