"""Nearest records: exact, in bounded memory, on all cores; the only place that searches.

Every query is compared with every reference. References come in blocks that stay in the nearest
cache, queries in blocks that the threads take in turn; only what was found is kept. The answer
does not depend on the number of threads or on the size of the blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.neighbours.distances import Distance, Hamming, weights
from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.measures.neighbours.prepared import Results, Search
from sdcmetrics.microdata.arrays import Floats, Ints, Ints32

MOST_PAIRS = 1_000_000
"""Pairs of records that are few: up to these a search takes some milliseconds."""


def differences(queries: Points, references: Points, itself: Ints) -> npt.NDArray[Any]:
    """Return in how many columns each query differs from each reference.

    Parameters
    ----------
    queries, references : Points without columns of numbers
    itself : int array of shape (queries,)
        Which reference each query is, or -1: one more than there are columns stands there.

    Returns
    -------
    int array of shape (queries, references)

    Examples
    --------
    >>> points = Points.from_columns(codes=[[0, 1], [0, 0]])
    >>> differences(points, points, np.array([0, -1])).tolist()
    [[3, 1], [1, 0]]
    """
    kind = np.uint8 if queries.columns < np.iinfo(np.uint8).max else np.int32
    out = np.zeros((queries.n, references.n), dtype=kind)
    for code, other in zip(queries.codes, references.codes, strict=True):
        out += code[:, None] != other
    some = np.flatnonzero(itself >= 0)
    out[some, itself[some]] = queries.columns + 1
    return out


def ties_of(apart: npt.NDArray[Any], most: int) -> tuple[Ints, Ints, npt.NDArray[np.int32]]:
    """Return how many references are nearest to each query, and which, up to `most` of each.

    Returns
    -------
    int arrays
        How many; where each list starts, and the last ends; the lists, one after another.
    """
    tied = apart == apart.min(axis=1, keepdims=True)
    times = tied.sum(axis=1)
    rows, reference = np.nonzero(tied)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    offsets = np.concatenate([[0], np.cumsum(np.minimum(times, most))])
    return times, offsets, reference[place < most].astype(np.int32)


Progress = Callable[[int, int], None]
"""Called in the caller's thread with the number of queries answered, and of all."""

_QUEUED = 3  # tasks a thread


@dataclass(frozen=True)
class Ties:
    """For each query, the references at the smallest distance, one list after another.

    Attributes
    ----------
    offsets : int array of shape (queries + 1,)
        The list of query i is ``indices[offsets[i]:offsets[i + 1]]``.
    indices : int array
        References, ascending for each query.
    capped : bool array of shape (queries,)
        Whether there are more than the list holds.
    """

    offsets: Ints
    indices: Ints32
    capped: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Nearest:
    """The nearest references of each query.

    Attributes
    ----------
    distances : array of shape (queries, k)
        Ascending; whole numbers for Hamming's distance, else floats.
    indices : int array of shape (queries, k)
        The references at these distances; of equally near ones, those of smaller index. Of shape
        (queries, 0) if not asked for.
    tied : int array of shape (queries,)
        How many references are at the smallest distance.
    ties : Ties
        Which they are, as far as was asked for.
    reverse : array of shape (references,), or (0,) if not asked for
        For each reference the distance to its nearest query.
    within : int array of shape (queries, radii, 2)
        How many references are closer than each radius, and how many are at it; 0 radii if not
        asked for.
    """

    distances: npt.NDArray[Any]
    indices: Ints32
    tied: Ints
    ties: Ties
    reverse: npt.NDArray[Any]
    within: Ints


def nearest(  # noqa: PLR0913  (each is one property of a search)
    queries: Points,
    references: Points,
    *,
    distance: Distance | None = None,
    k: int = 1,
    exclude_self: bool | npt.ArrayLike = False,
    list_ties: int = 0,
    indices: bool = True,
    reverse: bool = False,
    within: npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Nearest:
    """Find the references that are nearest to each query.

    Parameters
    ----------
    queries, references : Points
        The same columns, coded over one codebook.
    distance : Hamming, Gower or Euclidean
        By default Hamming; see `neighbours.distances` for the definitions.
    k : int, at least 1
        Number of neighbours.
    exclude_self : bool, or int array of shape (queries,)
        Query i is reference i (or the reference that the array says, -1 for none) and no
        neighbour of itself; its duplicates are.
    list_ties : int
        List up to this many of the references at the smallest distance; 0 lists none.
    indices : bool
        False says how far and not which: references alike are then compared together, and most
        of the others are left out, which is several times faster for numbers beside codes.
    reverse : bool
        Also find for each reference the distance to its nearest query, in the same pass.
    within : array of shape (queries, radii), optional
        Distances: also count for each query the references that are closer, and those as far.
    threads : int, optional
        By default as many as there are cores.
    progress : function of two ints, optional
        Called now and then; an error that it raises, and Ctrl-C, end the search.

    Returns
    -------
    Nearest

    Raises
    ------
    DataError
        If the columns differ, there are no queries, or fewer than k references.
    StudyError
        If an option is out of range.

    Examples
    --------
    >>> synthetic = Points.from_columns(codes=[[0, 1], [0, 1], [0, 1]])
    >>> training = Points.from_columns(codes=[[0, 0, 1], [0, 1, 1], [1, 0, 0]])
    >>> nearby = nearest(synthetic, training, list_ties=10, reverse=True)
    >>> nearby.distances[:, 0].tolist(), nearby.tied.tolist()
    ([1, 1], [2, 1])
    >>> nearby.ties.offsets.tolist(), nearby.ties.indices.tolist()
    ([0, 2, 3], [0, 1, 2])
    >>> nearby.reverse.tolist()
    [1, 1, 1]
    """
    distance = Hamming() if distance is None else distance
    itself = _itself(exclude_self, queries.n, references.n)
    _check(queries, references, k, itself, reverse=reverse)
    for name, value, least in (("k", k, 1), ("list_ties", list_ties, 0), ("threads", threads, 1)):
        if value is not None and value < least:
            msg = f"{name}: expected a whole number of at least {least} but got {value}."
            raise StudyError(msg)
    if isinstance(distance, Hamming) and queries.n * references.n <= MOST_PAIRS:
        weights(distance, len(queries.numbers))  # refuses numbers
        apart = differences(queries, references, itself)
        if progress is not None:
            progress(queries.n, queries.n)
        return _of_few(apart, k, list_ties, _radius(within, queries), which=(indices, reverse))
    threads = threads or _cores()
    ordered = not indices and not list_ties
    search = Search(queries, references, distance, itself, ordered=ordered)
    radius = search.radius(_checked(within, queries.n))
    output = Results.empty(queries.n, k, search.kind, radius)
    columns: SimpleQueue[npt.NDArray[Any]] = SimpleQueue()
    every = [np.full(references.n if reverse else 0, search.far, search.kind)]
    every += [every[0].copy() for _ in range(threads - 1)]
    for column in every:
        columns.put(column)
    lists: dict[int, Ints32] = {}

    def answer(start: int, stop: int) -> None:
        column = columns.get()
        ties = np.empty((stop - start, list_ties), dtype=np.int32)
        try:
            search.run(start, stop, output, ties, column)
        finally:  # or the tasks that follow wait for it
            columns.put(column)
        lists[start] = ties[np.arange(list_ties) < output.tied[start:stop, None]]

    step = search.step(threads, list_ties)
    _run(answer, queries.n, step, threads, progress)
    for column in every[1:]:
        np.minimum(every[0], column, out=every[0])
    ties = Ties(
        offsets=np.concatenate([[0], np.cumsum(np.minimum(output.tied, list_ties))]),
        indices=np.concatenate([lists[start] for start in sorted(lists)]),
        capped=output.tied > list_ties,
    )
    return Nearest(
        distances=search.finish(output.near),
        indices=output.indices if indices else output.indices[:, :0],
        tied=output.tied,
        ties=ties,
        reverse=search.finish(search.in_place(every[0]) if reverse else every[0]),
        within=output.within,
    )


def _of_few(
    apart: npt.NDArray[Any], k: int, list_ties: int, radius: Floats, *, which: tuple[bool, bool]
) -> Nearest:
    """Return the nearest references in a table of distances."""
    indices, reverse = which
    first = np.argsort(apart, axis=1, kind="stable")[:, :k]
    tied, offsets, lists = ties_of(apart, list_ties)
    within = [np.stack([apart < r[:, None], apart == r[:, None]]).sum(axis=2) for r in radius.T]
    return Nearest(
        distances=np.take_along_axis(apart, first, axis=1).astype(np.int32),
        indices=first[:, : k if indices else 0].astype(np.int32),
        tied=tied,
        ties=Ties(offsets, lists, tied > list_ties),
        reverse=apart.min(axis=0).astype(np.int32) if reverse else np.empty(0, dtype=np.int32),
        within=np.array(within, dtype=np.int64).reshape(-1, 2, len(apart)).transpose(2, 0, 1),
    )


def _radius(within: npt.ArrayLike | None, queries: Points) -> Floats:
    """Return radii of Hamming's distance, which are cut to whole numbers."""
    given = _checked(within, queries.n)
    out: Floats = np.floor(np.minimum(given, queries.columns))
    return out


def _checked(within: npt.ArrayLike | None, n: int) -> Floats:
    if within is None:
        return np.empty((n, 0))
    given = np.ascontiguousarray(within, dtype=np.float64)
    fits = given.ndim == 2 and len(given) == n  # noqa: PLR2004  (queries, radii)
    if not fits or not np.isfinite(given).all() or given.min(initial=0) < 0:
        msg = f"within: expected distances of at least 0 for each of {n} queries."
        raise DataError(msg)
    return given


def _itself(exclude_self: bool | npt.ArrayLike, n: int, references: int) -> Ints:  # noqa: FBT001  (as the option)
    """Return which reference each query is, -1 for none."""
    if isinstance(exclude_self, bool):
        if not exclude_self:
            return np.full(n, -1, dtype=np.int64)
        if n > references:
            msg = "exclude_self: query i is reference i, but there are fewer references."
            raise DataError(msg)
        return np.arange(n, dtype=np.int64)
    itself = np.asarray(exclude_self, dtype=np.int64)
    if itself.shape != (n,) or itself.min(initial=0) < -1 or itself.max(initial=0) >= references:
        msg = f"exclude_self: expected the position of a reference, or -1, for each of {n} queries."
        raise DataError(msg)
    return itself


def _check(queries: Points, references: Points, k: int, itself: Ints, *, reverse: bool) -> None:
    shapes = [(len(points.codes), len(points.numbers)) for points in (queries, references)]
    if shapes[0] != shapes[1]:
        msg = (
            f"nearest: the queries have {shapes[0][0]} columns of codes and {shapes[0][1]} of "
            f"numbers, the references {shapes[1][0]} and {shapes[1][1]}. Take the same columns."
        )
        raise DataError(msg)
    if queries.n == 0:
        msg = "nearest: there are no queries."
        raise DataError(msg)
    others = references.n - int(itself.max() >= 0)
    if others < k:
        msg = f"nearest: expected at least {k} references besides a query itself but got {others}."
        raise DataError(msg)
    if reverse and queries.n == 1 and itself[0] >= 0:
        msg = "nearest: a single query is no neighbour of itself, so nothing is nearest to it."
        raise DataError(msg)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(
    answer: Callable[[int, int], None],
    n: int,
    step: int,
    threads: int,
    progress: Progress | None,
) -> None:
    """Answer all queries; on any error no further task is started, and those running end."""
    if n <= step:  # a thread takes longer to start than few queries to answer
        answer(0, n)
        if progress is not None:
            progress(n, n)
        return
    tasks: Iterator[int] = iter(range(0, n, step))
    pool = ThreadPoolExecutor(threads)
    running: dict[Any, int] = {}
    done = 0
    try:
        while True:
            for start in tasks:
                stop = min(n, start + step)
                running[pool.submit(answer, start, stop)] = stop - start
                if len(running) >= _QUEUED * threads:
                    break
            if not running:
                break
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
                done += running.pop(future)
            if progress is not None:
                progress(done, n)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
