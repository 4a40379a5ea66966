"""One search prepared for a kernel: points in its order and types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours.boxes import boxes_of
from sdcmetrics.measures.neighbours.distances import (
    Distance,
    Euclidean,
    Gower,
    Hamming,
    finish,
    shares,
    weights,
)
from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.microdata.arrays import Floats, Ints, Ints32

_CODES_A_TASK = 2e10  # compared in some 0.1 s: Ctrl-C is heard between tasks
_NUMBERS_A_TASK = 4e8
_MOST_QUERIES = 4096  # a task: more would leave threads without one
_MOST_TIES = 50_000_000  # a task: its lists are held in memory
_NO_BYTE = 255
_CERTAIN = 1e300  # a scale with which any difference counts in full


@dataclass(frozen=True)
class Results:
    """Arrays of results that the kernels fill in, for all queries."""

    near: npt.NDArray[Any]
    indices: Ints32
    tied: Ints
    radius: npt.NDArray[Any]
    within: Ints

    @classmethod
    def empty(cls, n: int, k: int, kind: type[Any], radius: npt.NDArray[Any]) -> Results:
        """Make room for k references to each query, all of them further than any can be."""
        far = _NO_BYTE if kind is np.uint8 else np.inf
        return cls(
            np.full((n, k), far, dtype=kind),
            np.zeros((n, k), dtype=np.int32),
            np.zeros(n, dtype=np.int64),
            radius,
            np.zeros((*radius.shape, 2), dtype=np.int64),
        )


class Search:
    """One search: the points as the kernels take them, and which kernel it is."""

    def __init__(
        self,
        queries: Points,
        references: Points,
        distance: Distance,
        itself: Ints,
        *,
        ordered: bool,
    ) -> None:
        from sdcmetrics.measures.neighbours import (
            kernels,  # the compiler: only when a search is made
        )

        self.distance = distance
        self.columns = queries.columns
        scales, counts = weights(distance, len(queries.numbers)), shares(distance, self.columns)
        wide = _wide(queries, references)
        self.shares = np.empty(0)
        if isinstance(distance, Gower) and distance.weights:  # codes that count differently
            scales = np.concatenate([np.full(wide.sum(), _CERTAIN), scales])
            self.shares = counts[: len(wide)][~wide]
            counts = np.concatenate([counts[: len(wide)][wide], counts[len(wide) :]])
            queries, references = (_as_numbers(points, wide) for points in (queries, references))
            wide = wide[~wide]
        self.weights = np.stack([scales, counts[len(counts) - len(scales) :]])
        self.in_bytes = isinstance(distance, Hamming) and self.columns <= kernels.MOST_COLUMNS
        order: npt.NDArray[Any] | None = None
        if not self.in_bytes:
            each = np.concatenate([self.shares, counts]) if len(self.shares) else counts
            self.boxes = boxes_of(references, scales, each)
            order = self.boxes.order
        elif ordered:
            order = _order(references)
        self.places: Ints | None = None
        if order is not None:
            self.places = np.empty(len(order), dtype=np.int64)
            self.places[order] = np.arange(len(order))
            references = references.subset(order)
            itself = np.where(itself >= 0, self.places[itself], -1)
        self.itself = itself
        self.n = queries.n
        kernel = kernels.search_bits if self.in_bytes else kernels.search_mixed
        self.kernel = kernels.compiled(kernel)
        self.kind: type[Any] = np.uint8 if self.in_bytes else np.float64
        self.round = kernels.ROUND
        self.far = _NO_BYTE if self.in_bytes else np.inf
        self.wide = int(wide.sum())
        self.by_width = np.argsort(wide, kind="stable")
        self.queries = self._subset(queries, wide)
        self.references = self._subset(references, wide)
        if self.in_bytes:
            both = (self.queries[0], self.references[0])
            most = np.max([side.max(axis=1, initial=0) for side in both], axis=0)
            levels = most.astype(np.int64) + 1  # before numpy 2 a sum would stay a byte
            self.starts = np.concatenate([[0], np.cumsum(levels)])

    def _subset(self, points: Points, wide: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], ...]:
        codes = points.codes
        narrow = codes if codes.dtype == np.uint8 and not wide.any() else codes[~wide]
        out = (
            np.ascontiguousarray(narrow, dtype=np.uint8),
            np.ascontiguousarray(codes[wide], dtype=np.int32),
        )
        if self.in_bytes:  # four bytes to a wide code
            parts = out[1].view(np.uint8).reshape(len(out[1]), points.n, 4).transpose(0, 2, 1)
            every = np.concatenate([out[0], parts.reshape(-1, points.n)])
            return (np.ascontiguousarray(every),)
        return (*out, np.ascontiguousarray(points.numbers))

    def step(self, threads: int, list_ties: int) -> int:
        """Return how many queries a task answers."""
        most = _CODES_A_TASK if self.in_bytes else _NUMBERS_A_TASK
        fit = int(most / (self.references[0].shape[1] * self.columns))
        fair = -(-self.n // (4 * threads))
        return max(1, min(fit, fair, _MOST_QUERIES, _MOST_TIES // max(1, list_ties)))

    def run(
        self, start: int, stop: int, output: Results, ties: Ints32, column: npt.NDArray[Any]
    ) -> None:
        """Answer the queries start..stop, in one call of the kernel."""
        part = slice(start, stop)
        queries = tuple(np.ascontiguousarray(block[:, part].T) for block in self.queries)
        out = (
            output.near[part],
            output.indices[part],
            output.tied[part],
            ties,
            column,
            output.radius[part],
            output.within[part],
        )
        itself = self.itself[part]
        if self.in_bytes:
            self.kernel(*queries, *self.references, self.starts, self.wide, itself, out)
        else:
            power = 2 if isinstance(self.distance, Euclidean) else 1
            measure = (self.weights, self.shares, power)
            self.kernel(queries, self.references, self._boxes, measure, itself, out)

    @cached_property
    def _boxes(self) -> tuple[npt.NDArray[Any], ...]:
        boxes = self.boxes
        sides = (boxes.codes[self.by_width], boxes.lowest, boxes.highest, boxes.complete)
        return (*sides, boxes.starts, boxes.order)

    def radius(self, distances: Floats) -> npt.NDArray[Any]:
        """Return distances as the sums over columns that they were made of."""
        if isinstance(self.distance, Hamming):
            return np.minimum(distances, self.columns).astype(self.kind)
        sums = (
            np.square(distances)
            if isinstance(self.distance, Euclidean)
            else distances * self.columns
        )
        out: Floats = (sums + self.round) - self.round  # as the sums are rounded
        return out

    def in_place(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return what was found for references in the order in which they came."""
        return column if self.places is None else column[self.places]

    def finish(self, sums: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return distances; whole numbers for Hamming's."""
        if isinstance(self.distance, Hamming):
            return sums.astype(np.int32)
        return finish(sums, self.distance, self.columns)


def _as_numbers(points: Points, chosen: npt.NDArray[np.bool_]) -> Points:
    """Return points with some columns of codes as numbers, any difference of which is in full."""
    every = np.concatenate([points.codes[chosen].astype(np.float64), points.numbers])
    return Points(points.codes[~chosen].astype(np.uint8), every)


def _order(points: Points) -> Ints:
    """Return records in an order that brings those together which agree in most codes."""
    if not len(points.codes):
        return np.arange(points.n)
    levels = points.codes.max(axis=1) if points.n else points.codes.sum(axis=1)
    return np.lexsort(points.codes[np.argsort(-levels.astype(np.int64), kind="stable")])


def _wide(queries: Points, references: Points) -> npt.NDArray[np.bool_]:
    """Return which columns have codes that do not fit a byte."""
    out = np.zeros(len(queries.codes), dtype=np.bool_)
    for points in (queries, references):
        if points.codes.dtype != np.uint8 and points.n:
            out |= points.codes.max(axis=1) > np.iinfo(np.uint8).max
    return out
