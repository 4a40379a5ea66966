"""What a study's holdout shows: the holdout itself, every replica beside it, and references."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from sdcmetrics.tables.closest_record import ClosestRecord
from sdcmetrics.tables.holdout_check import HoldoutCheck
from sdcmetrics.tables.marginal_fidelity import MarginalFidelity

__all__ = ["FreshData", "Perturbed"]


@dataclass(frozen=True)
class Perturbed:
    """The original with a share of its values replaced at random: a reference on the map.

    Attributes
    ----------
    share : float, 0 to 1
    fidelity : float
        Its mean distance in tables of `ways` variables.
    closer : float
        Its share of records that are closer to the original than to the holdout.
    """

    share: float
    fidelity: float
    closer: float


@dataclass(frozen=True)
class FreshData:
    """Replicas beside records of the population that were not used for the synthesis.

    Attributes
    ----------
    check : HoldoutCheck
        Whether the holdout is what it should be.
    fidelity : dict of replica to MarginalFidelity
    closest : dict of (replica, synthesis) to ClosestRecord
    perturbed : tuple of Perturbed
    ways : int
        Size of the tables behind the fidelity of `perturbed`.
    worst : dict of replica to DataFrame
        The tables with the largest distances: ways, variables, tvd, holdout_tvd.
    """

    check: HoldoutCheck
    fidelity: dict[str, MarginalFidelity]
    closest: dict[tuple[str, int], ClosestRecord]
    perturbed: tuple[Perturbed, ...]
    ways: int
    worst: dict[str, pd.DataFrame]
