"""Whether rows belong together that nobody has named: who is alike is on one side too often.

People of original and holdout are exchangeable one by one where each is on his own. Households,
persons over years and pupils of a school come together, so that people who are alike are on one
side. That is seen without the replica, and it makes every p of labels exchanged one by one too
small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.attacks.people import People
from sdcmetrics.measures.attacks.scores import ranked_points
from sdcmetrics.measures.neighbours import nearest

_LEVEL = 0.02
"""Of saying so of people who are each on their own."""
_NEIGHBOURS = 5
_MOST = 2_000
"""People whose neighbours are looked up."""
_DRAWS = 999
_ROWS = 6
"""That belong together, at most, in what is shown all the same."""
_SHOWN = 0.01


@dataclass(frozen=True)
class Belonging:
    """How many of the nearest five of each person are on the person's own side.

    Attributes
    ----------
    share : float
        Of neighbours, those on the same side: both of the original, or both of the holdout.
    expected : float
        The same of labels given at random.
    p_value : float
        One-sided, by 999 exchanges of single labels.
    """

    share: float
    expected: float
    p_value: float

    @property
    def together(self) -> bool:
        """Whether rows seem to belong together: labels of single rows are no test then."""
        return self.p_value <= _LEVEL

    @property
    def reason(self) -> str:
        """What to do about it, in words."""
        return (
            "rows of original and holdout seem to belong together: rows most like each other are "
            "on one side more often than a division of single rows makes them, so that a p of "
            "single rows is too small. Name the column that says which rows belong together as "
            "household or person in [sample]; if none do, the holdout is no random part"
        )

    def judged(self, p: float) -> float:
        """Return a p of single rows, or what is left of it where rows belong together.

        Six rows alike in everything count as one, so that its normal quantile is larger by their
        root. What is not small even so is NaN: it is not judged.
        """
        from scipy.special import ndtr, ndtri  # large: for a fast start, only when it is needed

        if not self.together:
            return p
        cautious = float(ndtr(ndtri(p) / math.sqrt(_ROWS)))
        return cautious if cautious <= _SHOWN else math.nan


def belonging(data: People, *, seed: int) -> Belonging | None:
    """Ask whether rows belong together, without the replica; None where it is named who does.

    A test of nearest neighbours of two samples. It speaks as well where original and holdout are
    no random halves: labels of single rows are no test then, either.

    References
    ----------
    Schilling (1986), Journal of the American Statistical Association 81, 799-806.
    """
    if data.households is not None or data.n + data.h <= _NEIGHBOURS or data.is_copy:
        return None  # of a copy it has been asked: it is the same people
    name = f"belonging {seed}"
    if name not in data.memo:
        data.memo[name] = _belonging(data, np.random.default_rng(seed))
    result: Belonging = data.memo[name]
    return result


def _belonging(data: People, rng: np.random.Generator) -> Belonging:
    pool, _, distance = ranked_points(data)
    # In random order: who is named first of people equally near must not depend on the label.
    order = rng.permutation(pool.n)
    people, rows = pool.subset(order), np.arange(min(pool.n, _MOST))
    near = nearest(
        people.subset(rows), people, distance=distance, k=_NEIGHBOURS, exclude_self=rows
    ).indices
    first = order < data.n
    # Labels of others do not count: of how many of these people are first, a draw is enough.
    subset, place = np.unique(np.concatenate([rows, near.ravel()]), return_inverse=True)
    person, neighbours = place[: len(rows), None], place[len(rows) :].reshape(near.shape)
    labels = first[subset]

    def same() -> int:
        return int((labels[neighbours] == labels[person]).sum())

    observed, as_many, total = same(), 0, 0
    members = rng.hypergeometric(data.n, pool.n - data.n, len(subset), _DRAWS)
    for count in members.tolist():
        labels = rng.permutation(np.arange(len(subset)) < count)
        drawn = same()
        total += drawn
        as_many += drawn >= observed
    return Belonging(observed / near.size, total / _DRAWS / near.size, (1 + as_many) / (1 + _DRAWS))
