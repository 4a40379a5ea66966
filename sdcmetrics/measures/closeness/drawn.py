"""Which records the nearest ones are looked for, where there are too many pairs for all of them.

Each record that is drawn is still compared with all that it could be near to. So what is said of
single records stays what it is, as how far the closest training record is, and is told of some
of them; the labels of real records that are drawn are exchangeable as those of all are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sdcmetrics.microdata.arrays import Ints

if TYPE_CHECKING:
    from sdcmetrics.measures.survey.households import Households

ALL_PAIRS = 500_000_000_000
"""Pairs of records up to which all are compared: some minutes on two cores."""
_PAIRS = 200_000_000_000
"""Pairs that are compared where they are more."""
_FEWEST, _ROUND = 10_000, 1_000
"""Records drawn of each data set, at least, and what their number is a multiple of."""


@dataclass(frozen=True, repr=False)
class Queries:
    """The records that are drawn, by their rows.

    Attributes
    ----------
    training, synthetic, holdout : int arrays
        Ascending, each row once.
    """

    training: Ints
    synthetic: Ints
    holdout: Ints

    def in_words(self, n_training: int, n_synthetic: int, n_holdout: int) -> str:
        """Say how many records of each data set were drawn.

        Examples
        --------
        >>> Queries(np.arange(3), np.arange(2), np.arange(1)).in_words(3000, 2000, 1)
        'of 3 of 3,000 original, 2 of 2,000 synthetic and 1 of 1 holdout records, drawn at random'
        """
        parts = [
            f"{len(rows):,} of {n:,} {name}"
            for rows, n, name in (
                (self.training, n_training, "original"),
                (self.synthetic, n_synthetic, "synthetic"),
                (self.holdout, n_holdout, "holdout"),
            )
        ]
        return f"of {parts[0]}, {parts[1]} and {parts[2]} records, drawn at random"

    def of_households(self, households: Households | None) -> Households | None:
        """Return which household each real record is of that is drawn."""
        from sdcmetrics.measures.survey.households import Households  # large, and seldom needed

        if households is None:
            return None
        rows = np.append(self.training, households.n + self.holdout)
        return Households(households.number[rows], len(self.training))


def draw_queries(n_training: int, n_synthetic: int, n_holdout: int, seed: int) -> Queries | None:
    """Draw the records for which the nearest are looked for; None where that is all of them.

    Which they are follows from the numbers of records and the seed alone.

    Examples
    --------
    >>> draw_queries(50_000, 50_000, 50_000, seed=1) is None
    True
    >>> drawn = draw_queries(1_000_000, 1_000_000, 500_000, seed=1)
    >>> len(drawn.training), len(drawn.synthetic), len(drawn.holdout)
    (30000, 30000, 30000)
    """
    real = n_training + n_holdout
    if n_synthetic * real + n_training * real + n_holdout**2 <= ALL_PAIRS:
        return None
    # Of each data set as many: synthetic records beside real ones, real ones beside all others.
    each = max(_PAIRS // (3 * real + 2 * n_synthetic), _FEWEST)
    each = each // _ROUND * _ROUND

    def rows(n: int, part: int) -> Ints:
        rng = np.random.default_rng([seed, part])
        return np.sort(rng.choice(n, min(each, n), replace=False, shuffle=False)).astype(np.int64)

    return Queries(rows(n_training, 0), rows(n_synthetic, 1), rows(n_holdout, 2))
