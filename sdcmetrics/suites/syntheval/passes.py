"""The searches behind all metrics of nearest records, each made once for a trio.

Of two data sets the smaller is searched among itself first, then in the larger, counting who is
within its own nearest distance, then the larger among itself. That gives both nearest distances
of every record, and all that adversarial accuracy at one size needs: three searches per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.neighbours import Distance, Euclidean, Gower, Nearest, Points, nearest
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.mixed import Mixed
from sdcmetrics.suites.trio import Trio, numbers_of

Name = Literal["original", "synthetic", "holdout"]

_TWO = 2


@dataclass(frozen=True, eq=False)
class PairDistances:
    """Two data sets beside each other.

    Attributes
    ----------
    to_other, to_own : float arrays of shape (records of the first,)
        Distance to the nearest record of the other data set, and to the nearest other record of
        the same.
    other_to_first, other_to_own : float arrays of shape (records of the second,)
    first_larger : bool
    small_within : int array of shape (records of the smaller, 2)
        How many records of the larger are closer than its nearest of its own, and how many as far.
    large_within : int array of shape (records of the larger, 2)
        How many of its own are closer than the nearest of the smaller, and how many as far.
    """

    to_other: Floats
    to_own: Floats
    other_to_first: Floats
    other_to_own: Floats
    first_larger: bool
    small_within: npt.NDArray[np.int64]
    large_within: npt.NDArray[np.int64]


class Searches:
    """Searches among points that stand for original, replica and holdout; made when asked for.

    Parameters
    ----------
    points : dict of name to Points
    distance : Gower or Euclidean
    same : bool
        Whether the replica is taken for the original itself, so that record i is no neighbour of
        record i: what SynthEval does where both are equal.
    """

    def __init__(
        self, points: dict[Name, Points], distance: Distance, *, same: bool = False
    ) -> None:
        self.points, self.distance, self.same = points, distance, same
        self._cached: dict[tuple[Name, Name], Nearest] = {}
        self._besides: dict[tuple[Name, Name], PairDistances] = {}

    def nearest(self, queries: Name, references: Name, k: int = 1) -> Nearest:
        """Return what is nearest to every query, itself excluded; k neighbours at least."""
        result = self._cached.get((queries, references))
        if result is None or result.distances.shape[1] < k:
            result = self._search(queries, references, k=k)
        return result

    def to_nearest(self, queries: Name, references: Name) -> Floats:
        """Return the distance of every query to its nearest reference."""
        back = self._cached.get((references, queries))
        if (queries, references) not in self._cached and back is not None and len(back.reverse):
            return back.reverse
        out: Floats = self.nearest(queries, references).distances[:, 0]
        return out

    def compare(self, first: Name, second: Name) -> PairDistances:
        """Return both data sets beside each other."""
        if (first, second) not in self._besides:
            if self.points[first].n > self.points[second].n:
                (distances,) = self._compare([second], first)
                self._besides[first, second] = replace(
                    distances,
                    to_other=distances.other_to_first,
                    to_own=distances.other_to_own,
                    other_to_first=distances.to_other,
                    other_to_own=distances.to_own,
                    first_larger=True,
                )
            else:
                # The larger is searched among itself once for whatever is put beside it.
                every = [
                    name
                    for name, points in self.points.items()
                    if name != second and points.n <= self.points[second].n
                ]
                for name, distances in zip(every, self._compare(every, second), strict=True):
                    self._besides[name, second] = distances
        return self._besides[first, second]

    def _compare(self, every: Sequence[Name], large: Name) -> list[PairDistances]:
        """Put each of some data sets beside a larger one."""
        compared = []
        for small in every:
            own = self.to_nearest(small, small)
            k = min(_TWO, self.points[large].n)
            compared.append(
                (own, self._search(small, large, k=k, reverse=True, within=own[:, None]))
            )
        radii = np.stack([across.reverse for _, across in compared], axis=1)
        among = self._search(large, large, within=radii)
        return [
            PairDistances(
                to_other=across.distances[:, 0],
                to_own=own,
                other_to_first=across.reverse,
                other_to_own=among.distances[:, 0],
                first_larger=False,
                small_within=across.within[:, 0],
                large_within=among.within[:, j],
            )
            for j, (own, across) in enumerate(compared)
        ]

    def _search(
        self,
        queries: Name,
        references: Name,
        k: int = 1,
        *,
        reverse: bool = False,
        within: Floats | None = None,
    ) -> Nearest:
        first, other = self.points[queries], self.points[references]
        itself = queries == references or (self.same and "holdout" not in (queries, references))
        if other.n - itself < k or first.n == 0:
            which = f"the {references} data" if references != "holdout" else "the holdout"
            msg = f"nearest records: {which} have too few records"
            raise NotComputable(msg)
        result = nearest(
            first,
            other,
            distance=self.distance,
            k=k,
            exclude_self=itself,
            indices=False,
            reverse=reverse,
            within=within,
        )
        self._cached[queries, references] = result
        return result


def searches(trio: Trio) -> Searches:
    """Return the searches under Gower's distance, numbers over the range of the original."""

    def make() -> Searches:
        points = points_of(trio)
        return Searches(points, Gower(_ranges(trio.original)))

    return trio.cached("searches", make)


def comparison(trio: Trio) -> PairDistances:
    """Return original and replica beside each other, under the distance of `searches`."""
    return searches(trio).compare("original", "synthetic")


def points_of(trio: Trio) -> dict[Name, Points]:
    """Return the records of every data set as points."""
    names: tuple[Name, ...] = ("original", "synthetic", "holdout")
    return {
        name: Points.from_columns(part.codes, list(part.numbers))
        for name, part in zip(names, trio.parts, strict=False)
    }


def _ranges(data: Mixed) -> tuple[float, ...]:
    present = [column[~np.isnan(column)] for column in data.numbers]
    return tuple(float(np.ptp(column)) if len(column) else 0.0 for column in present)


def published_points(trio: Trio, distance: str) -> Searches:
    """Return the searches as SynthEval makes them: numbers scaled over all data sets."""
    if distance not in ("gower", "euclid"):
        msg = f"distance: expected 'gower' or 'euclid' but got {distance!r}."
        raise StudyError(msg)

    def make() -> Searches:
        names: tuple[Name, ...] = ("original", "synthetic", "holdout")
        every = numbers_of(trio, scaled=True, categories=True)
        if distance == "gower":
            points = points_of(trio)
            pool = np.concatenate([part.numbers for part in trio.parts], axis=1)
            ranges = tuple(float(np.nanmax(column) - np.nanmin(column)) for column in pool)
            chosen: Distance = Gower(ranges)
        else:
            points = {
                name: Points.from_columns(numbers=list(part))
                for name, part in zip(names, every, strict=False)
            }
            chosen = Euclidean((1.0,) * len(every[0]))
        return Searches(points, chosen, same=np.array_equal(every[0], every[1]))

    return trio.cached(("published searches", distance), make)
