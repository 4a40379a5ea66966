"""Uncertainty of a ranking, and the places of replicas with it."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.microdata.arrays import Floats

Drawn = tuple[str, tuple[str, ...], Floats]
"""What was drawn again, of which replicas, and the values: times x replicas x criteria."""


LEVEL = 0.95


@dataclass(frozen=True)
class Uncertainty:
    """Spread of a ranking over other syntheses or records.

    Attributes
    ----------
    source : "syntheses" or "records"
        What was drawn again.
    replicas : tuple of str
        Whose syntheses or records were drawn again; the others stayed as they are.
    times : int
    level : float
        Of the intervals, such as 0.95.
    value_low, value_high : arrays, replicas x criteria
        How often these hold the truth: see the notes of `leave_records_out`. NaN where all
        syntheses have one value, and where a replica has one synthesis among others with more.
    total_low, total_high : arrays of length n
    rank_shares : array, replicas x ranks
        How often each replica had each rank under the study's weights.
    """

    source: str
    replicas: tuple[str, ...]
    times: int
    level: float
    value_low: Floats
    value_high: Floats
    total_low: Floats
    total_high: Floats
    rank_shares: Floats


@dataclass(frozen=True, repr=False)
class Standing:
    """Places of replicas, and how sure the order of two of them is.

    Attributes
    ----------
    places : dict of replica to float
        1 is first; ties share their mean.
    moving : tuple of str
        Whose syntheses or records were drawn again.
    points : array, draws x replicas
        More are better.
    """

    places: dict[str, float]
    moving: tuple[str, ...]
    points: Floats

    def sure(self, first: str, rival: str) -> bool | None:
        """Whether `first` is ahead in 95 % of the draws; None where neither was drawn again.

        Examples
        --------
        >>> import numpy as np
        >>> draws = np.array([[2.0, 1.0], [3.0, 1.0], [1.0, 2.0]])
        >>> Standing({"a": 1.0, "b": 2.0}, ("a",), draws).sure("a", "b")
        False
        """
        if not {first, rival} & {*self.moving}:
            return None
        i, j = (list(self.places).index(name) for name in (first, rival))
        return float((self.points[:, i] > self.points[:, j]).mean()) >= LEVEL
