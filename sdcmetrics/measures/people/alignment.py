"""Whether row i is person i: rows against the replica's rows nearby, by halves of the columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.people.tails import at_least_binomial
from sdcmetrics.microdata.arrays import Array

LEVEL = 0.001
SHARE = 0.3
"""Of rows that must be nearest to their own in every half of the columns."""

_WINDOW = 3  # rows before and after
_HALVES = 20
_NORMAL = 1.96  # quantile of 97.5 %
_ROWS = 5_000  # rows looked at, where there are more


@dataclass(frozen=True)
class Alignment:
    """Whether rows of the replica align with those of the original.

    Attributes
    ----------
    p : float
        The largest over random halves of the columns; the last one looked at where it is large.
    share : float
        Of rows nearest to their own, the smallest over the halves.
    aligned : bool
        Whether row i is person i, in more rows than chance and order explain.
    own : float
        Of rows that are the person of the same number, by all columns: at least this share, as
        chance alone makes one row in seven nearest to its own; 0 where they are not aligned.
    low : float
        Its lower limit, 97.5 %.
    ordered : bool
        Whether rows are in the order of the original's, though they are not its people.
    """

    p: float
    share: float
    aligned: bool
    ordered: bool
    own: float = 0.0
    low: float = 0.0


def alignment(files: Files, rng: np.random.Generator) -> Alignment:
    """Compare row i of the original with the replica's rows i-3 to i+3, which wrap round."""
    shifts = np.arange(-_WINDOW, _WINDOW + 1)
    rows = np.arange(files.n)
    if files.n > _ROWS:
        rows = np.sort(rng.choice(files.n, _ROWS, replace=False))
    windows = np.add.outer(shifts, rows) % files.n  # of the replica, by shift
    if files.n > _ROWS:
        around = np.unique(windows)
        files = files.at(np.concatenate([rows, files.pool + around]))
        rows, windows = np.arange(files.n), np.searchsorted(around, windows)
    original, replica = files.ranks[:, : files.n], files.ranks[:, files.pool :]
    columns, unit = len(original), np.int32(files.unit)
    near = np.empty((columns, len(shifts), len(rows)), np.min_scalar_type(files.unit))
    for s, place in enumerate(windows):
        near[:, s] = np.minimum(np.abs(original[:, rows] - replica[:, place]), unit)

    def own(distance: Array) -> tuple[float, float]:
        """Return p and share of rows nearest to their own, ties being broken at random."""
        nearest = (distance + rng.random(distance.shape, dtype=np.float32)).argmin(0)
        count = int((nearest == _WINDOW).sum())
        return at_least_binomial(count, len(rows), 1 / len(shifts)), count / len(rows)

    p, share = 0.0, 1.0
    for _ in range(_HALVES):
        half = rng.choice(columns, -(-columns // 2), replace=False)
        here = own(near[half].sum(0, dtype=np.float64))
        p, share = max(p, here[0]), min(share, here[1])
        if p > LEVEL or share < SHARE:
            break
    aligned = p <= LEVEL and share >= SHARE
    total = near.sum(0, dtype=np.float64)
    ordered = not aligned and all(own(total - near[j])[0] <= LEVEL for j in range(columns))
    if not aligned:
        return Alignment(p, share, aligned, ordered)
    _, nearest = own(total)
    chance = 1 / len(shifts)
    low = nearest - _NORMAL * math.sqrt(nearest * (1 - nearest) / len(rows))
    shares = (max((part - chance) / (1 - chance), 0.0) for part in (nearest, low))
    return Alignment(p, share, aligned, ordered, *shares)
