"""What a study's holdout shows: the holdout itself, every replica beside it, and references."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from sdcmetrics.measures.closeness.assessment import share_alone
from sdcmetrics.measures.closeness.places import points_of, told
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck, check_harmonised
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity, mean_distance
from sdcmetrics.measures.fidelity.perturb import perturb
from sdcmetrics.measures.fidelity.places import WorstTable
from sdcmetrics.measures.kind import Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.study.study import Study

__all__ = ["FreshData", "Perturbed", "WorstTable", "look_at_holdout"]


Keep = Callable[[str, tuple[Any, ...], Callable[[], Any]], tuple[Any, bool]]


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
        """The replica with the most columns: the holdout itself is described by its columns."""
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


def look_at_holdout(
    study: Study, pairs: Mapping[str, Pair], found: dict[str, Any], tell: Tell, keep: Keep
) -> Iterator[str]:
    """Check the holdout, and compare the references of the map; yield each step in words.

    Parameters
    ----------
    study : Study
    pairs : mapping of replica to Pair
    found : dict
        What `FreshData` is made of, replicas only; check, ways and perturbed are added.
    tell : function of a text
    keep : function of a replica's name, a step and what makes it
        Gives what was kept of that step, or made; and which of the two.
    """
    widest = max(pairs.values(), key=lambda pair: len(pair.beside_holdout.variables))
    check = partial(
        check_harmonised,
        widest.beside_holdout,
        homes=None if study.sample is None else study.sample.beside_holdout[0],
        seed=study.options.seed,
    )
    found["check"], _ = keep(widest.name, ("holdout",), check)
    yield "holdout: a random part of the same data?"
    ways = max(set.intersection(*(set(one.index) for one in found["fidelity"].values())))
    found |= {"ways": ways, "perturbed": ()}
    for share in study.options.perturbed:
        step = f"reference: {share:.0%} of the values replaced"
        make = partial(_perturbed, study, widest, share, ways, step, tell)
        one, _ = keep(widest.name, ("perturbed", share, ways), make)
        found["perturbed"] += (one,)
        yield step


def _perturbed(
    study: Study, pair: Pair, share: float, ways: int, step: str, tell: Tell
) -> Perturbed:
    names = list(pair.beside_holdout.variables)
    made = replace(perturb(study.original, share, seed=study.options.seed), source=step)
    beside = Pair(step, study.original, [made], missing_codes=study.options.missing_codes)
    value = mean_distance(beside.columns(names), ways=ways)
    points = points_of(made, pair, study, names)
    return Perturbed(share, value, share_alone(points, progress=told(step, tell)))
