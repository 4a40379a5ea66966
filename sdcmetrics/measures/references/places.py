"""Where references are compared: the original with shares of its values replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sdcmetrics.measures.closeness.assessment import share_alone
from sdcmetrics.measures.closeness.places import points_of, step_progress
from sdcmetrics.measures.fidelity.marginal_fidelity import mean_distance
from sdcmetrics.measures.fidelity.places import ways_of
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.references.perturb import perturb
from sdcmetrics.measures.subject import Subject


@dataclass(frozen=True)
class Reference:
    """The original with a share of its values replaced at random.

    Attributes
    ----------
    share : float, 0 to 1
    distances : dict of int to float
        Its mean distance in tables of so many variables.
    closer : float
        Its share of records that are closer to the original than to the holdout.
    """

    share: float
    distances: dict[int, float]
    closer: float


def _references(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    names = tuple(pair.beside_holdout.variables)
    each = tuple(_reference(pair, plan, share, tell) for share in plan.options.perturbed)
    yield Given(REFERENCES.name, (Place(variables=names),), result=each)


def _reference(pair: Pair, plan: Plan, share: float, tell: Tell) -> Reference:
    options, names = plan.options, list(pair.beside_holdout.variables)
    step = f"reference: {share:.0%} of the values replaced"
    tell(step)
    records = replace(perturb(pair.original, share, seed=options.seed), source=step)
    data = Pair(step, pair.original, [records], missing_codes=options.missing_codes).columns(names)
    distances = {k: mean_distance(data, ways=k) for k in ways_of(data)}
    points = points_of(records, pair, plan, names)
    return Reference(share, distances, share_alone(points, progress=step_progress(step, tell)))


REFERENCES = Kind(
    "references", "evidence only: `Reference`", _references, holdout=True, common=True
)
SUBJECT = Subject("references", kinds=(REFERENCES,))
