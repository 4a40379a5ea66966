"""Where references are compared: the original with shares of its values replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.closeness.assessment import share_alone
from sdcmetrics.measures.closeness.places import drawn_of, points_of, step_progress
from sdcmetrics.measures.fidelity.marginal_fidelity import mean_distance
from sdcmetrics.measures.fidelity.places import ways_of
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Frame, Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.rebuild import take_records

_FEWEST, _OF_DRAWN = 2, 3


@checked
def perturb(
    original: Frame, share: float, *, rows: int | None = None, seed: Seed | None = None
) -> Frame:
    """Draw records with replacement, and swap a share of their values for those of others.

    Every variable keeps its distribution; what variables tell of each other is lost as `share`
    grows. A share of 0 is a bootstrap of the training data (all relations, no protection), a
    share of 1 has independent variables (no relations).

    Parameters
    ----------
    original : data frame
    share : float, 0 to 1
        Probability with which each value is replaced by that of a different record, drawn at
        random.
    rows : int, optional
        Records to draw; by default as many as there are.
    seed : int, optional
        The same seed gives the same records.

    Returns
    -------
    data frame of the same kind as `original`

    Raises
    ------
    StudyError
        If `share` is not between 0 and 1, or `rows` is below 1.
    DataError
        If `original` is no data frame, has no rows or no columns.

    Notes
    -----
    The "Flip" replicas of Platzer & Reutterer (2021), section 4, who draw 50,000 records. Such
    a replica holds true values of real people: it is a reference to compare with, never a
    release.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [1, 2, 3, 4], "y": list("abcd")})
    >>> bootstrap = perturb(original, 0, seed=1)
    >>> set(zip(bootstrap.x, bootstrap.y)) <= set(zip(original.x, original.y))
    True
    >>> len(perturb(original, 0.5, rows=10, seed=1))
    10
    """
    given: Any = share  # a caller may pass anything
    if not isinstance(given, int | float) or not 0 <= share <= 1:
        msg = f"share: expected a number from 0 to 1 but got {share!r}."
        raise StudyError(msg)
    data = original if isinstance(original, Microdata) else as_microdata(original, "original")
    wanted = data.n if rows is None else rows
    if wanted < 1:
        msg = f"rows: expected a whole number of at least 1 but got {rows}."
        raise StudyError(msg)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(data.n, size=wanted)
    records = {}
    for name in data.columns:
        chosen = drawn
        if data.n >= _FEWEST:
            another = (drawn + rng.integers(1, data.n, size=wanted)) % data.n
            chosen = np.where(rng.random(wanted) < share, another, drawn)
        records[name] = chosen
    return take_records(original, records)


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
    drawn = drawn_of(points, plan)
    if drawn is not None:  # a place on a map, which shows two digits
        drawn = replace(drawn, synthetic=drawn.synthetic[::_OF_DRAWN])
    closer = share_alone(points, drawn=drawn, progress=step_progress(step, tell))
    return Reference(share, distances, closer)


REFERENCES = Kind(
    "references", "evidence only: `Reference`", _references, holdout=True, common=True
)
SUBJECT = Subject("references", kinds=(REFERENCES,))
