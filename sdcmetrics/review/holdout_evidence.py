"""Evidence from a study's holdout: its check, every replica beside it, references."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.evidence import EVERY_REPLICA, Evidence
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity
from sdcmetrics.measures.fidelity.places import HOLDOUT, MARGINS, WorstTable
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.references.places import REFERENCES

__all__ = ["HoldoutEvidence", "Perturbed", "WorstTable", "holdout_evidence_in"]


@dataclass(frozen=True)
class Perturbed:
    """The original with a share of its values replaced at random: a reference on the map.

    Attributes
    ----------
    share : float, 0 to 1
    fidelity : float
        Its mean distance in tables of `HoldoutEvidence.ways` variables.
    closer : float
        Its share of records that are closer to the original than to the holdout.
    """

    share: float
    fidelity: float
    closer: float


@dataclass(frozen=True)
class HoldoutEvidence:
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
        """The replica with the most columns: the holdout itself is described by its columns."""
        return _widest(self.fidelity)

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
                name: json.loads(table.reset_index().to_json(orient="records"))
                for name, table in self.fidelity.items()
            },
            "tables": {
                name: json.loads(table.tables.to_json(orient="records"))
                for name, table in self.fidelity.items()
            },
            "closest_records": [
                {"replica": name, "synthesis": i, **result.to_dict()}
                for (name, i), result in self.closest.items()
            ],
            "perturbed": [asdict(perturbation) for perturbation in self.perturbed],
        }


def holdout_evidence_in(evidence: Evidence) -> HoldoutEvidence | None:
    """Return the evidence on replicas beside the holdout; None without one.

    The holdout, and references, are described by the columns of the widest replica.
    """
    margins = {replica: result for (replica, _), result in evidence.of(MARGINS).items()}
    fidelity = {replica: margin for replica, (margin, _) in margins.items()}
    if not fidelity:
        return None
    columns = Place(variables=tuple(fidelity[_widest(fidelity)].novel.index))
    check = evidence.get((HOLDOUT, EVERY_REPLICA, columns))
    if check is None:  # there are no records that it could be of
        return None
    ways = max(set.intersection(*(set(table.index) for table in fidelity.values())))
    return HoldoutEvidence(
        check=check,
        fidelity=fidelity,
        closest=evidence.by_synthesis(CLOSEST),
        perturbed=tuple(
            Perturbed(perturbation.share, perturbation.distances[ways], perturbation.closer)
            for perturbation in evidence[REFERENCES, EVERY_REPLICA, columns]
        ),
        ways=ways,
        worst={replica: worst for replica, (_, worst) in margins.items()},
    )


def _widest(fidelity: dict[str, MarginalFidelity]) -> str:
    return max(fidelity, key=lambda name: len(fidelity[name].novel))
