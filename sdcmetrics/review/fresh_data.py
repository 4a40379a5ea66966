"""What a study's holdout shows: the holdout itself, every replica beside it, and references."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity

__all__ = ["FreshData", "Perturbed", "WorstTable"]


@dataclass(frozen=True)
class Perturbed:
    """The original with a share of its values replaced at random: a reference on the map.

    Attributes
    ----------
    share : float, 0 to 1
    fidelity : float
        Its mean distance in tables of `FreshData.ways` variables.
    closer : float
        Its share of records that are closer to the original than to the holdout.
    """

    share: float
    fidelity: float
    closer: float


@dataclass(frozen=True)
class WorstTable:
    """The table of a size in which a replica is furthest from the original.

    Attributes
    ----------
    variables : tuple of names
    tvd, holdout_tvd : float, 0 to 1
    cells : DataFrame
        Columns labels, training, synthetic, holdout: shares of records, those that differ most
        first.
    """

    variables: tuple[str, ...]
    tvd: float
    holdout_tvd: float
    cells: pd.DataFrame


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
        Size of the tables on the map: the largest that every replica has.
    worst : dict of replica to tuple of WorstTable
        One for each size of tables.
    """

    check: HoldoutCheck
    fidelity: dict[str, MarginalFidelity]
    closest: dict[tuple[str, int], ClosestRecord]
    perturbed: tuple[Perturbed, ...]
    ways: int
    worst: dict[str, tuple[WorstTable, ...]]

    @property
    def widest(self) -> str:
        """The replica with the most columns: what is said of the holdout itself is of these."""
        return max(self.fidelity, key=lambda name: len(self.fidelity[name].novel))

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for internal use, as plain lists and dicts without NaN."""
        check = self.check
        return {
            "holdout": {
                "records": check.n_holdout,
                "identical": check.identical,
                "expected_identical": check.expected_identical,
                "p_more": check.p_more,
                "p_fewer": check.p_fewer,
                "p_population": check.p_population,
                "problems": list(check.problems),
            },
            "fidelity": {
                name: json.loads(found.reset_index().to_json(orient="records"))
                for name, found in self.fidelity.items()
            },
            "tables": {
                name: json.loads(found.tables.to_json(orient="records"))
                for name, found in self.fidelity.items()
            },
            "closest_records": [
                {"replica": name, "synthesis": i, **found.to_dict()}
                for (name, i), found in self.closest.items()
            ],
            "perturbed": [asdict(found) for found in self.perturbed],
        }
