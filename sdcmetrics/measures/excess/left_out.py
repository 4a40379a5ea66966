"""Without a holdout: each person left out, and the original's other people in the replica's place.

A person of the original against k of the n - 1 others is, for a replica that knows nobody, what a
person who was not in the file is against k records of the replica: the two have the same mean
whatever the data look like. Both are expectations over all ways to draw k records, in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.excess import kernels
from sdcmetrics.measures.excess.cells import (
    Cells,
    avoiding,
    key_cells,
    sorted_records,
    target_cells,
)
from sdcmetrics.measures.excess.questions import KeyQuestion, Pool
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.compiled import compiled

Labels = npt.NDArray[np.uint8]

_UNIFORM_AT_ONCE = 500_000
"""Random numbers held at a time, 4 MB."""


@dataclass(frozen=True)
class LeaveOneOut:
    """Closed forms for an original of n records and a replica of m.

    Attributes
    ----------
    n, m : int

    Examples
    --------
    A person is told from three others, and from three of the four records of the replica.

    >>> LeaveOneOut(4, 4).k
    3
    """

    n: int
    m: int

    @property
    def k(self) -> int:
        """Records of either side that a person is compared with."""
        return min(self.m, self.n - 1)

    @property
    def halves(self) -> tuple[int, int]:
        """Records of the part of the original in which repU asks who is alone, and of the other."""
        half = self.n // 2
        return half, min(self.m, self.n - half)

    @cached_property
    def of_replica(self) -> Floats:
        """Chance that k records of the replica avoid j given ones."""
        return avoiding(self.m, self.k, self.m)

    @cached_property
    def of_copy(self) -> Floats:
        """The same of the original in the replica's place."""
        return avoiding(self.n, self.k, self.n)

    @cached_property
    def of_others(self) -> Floats:
        """Chance that k of the n - 1 others of the original avoid j given ones."""
        return avoiding(self.n - 1, self.k, self.n)

    @cached_property
    def alone_in_original(self) -> Floats:
        """By records of a combination: how many are alone in half of the original, on average."""
        return self._alone(self.n, self.halves[0]) / max(self.halves[0], 1)

    @cached_property
    def alone_in_replica(self) -> Floats:
        """By records of a combination: chance that exactly one of them is in the part used."""
        return self._alone(self.m, self.halves[1])

    @cached_property
    def alone_in_copy(self) -> Floats:
        """The same of the original in the replica's place."""
        return self._alone(self.n, self.halves[1])

    @cached_property
    def alone_in_both(self) -> Floats:
        """By records of a combination: alone in half of the original and in part of the rest."""
        return alone_in_both(self.n, *self.halves)

    @staticmethod
    def _alone(of: int, drawn: int) -> Floats:
        """Return by d the chance that exactly one of d records is among those drawn."""
        d = np.arange(of + 1)
        if drawn < 1:
            return np.zeros(of + 1)
        return d * drawn / of * avoiding(of - 1, drawn - 1, of)[np.maximum(d - 1, 0)]


def alone_in_both(n: int, first: int, second: int) -> Floats:
    """Return how many of d records are, per record of the first part, alone in it and in another.

    Two parts of n records that share none, of `first` and `second` records.

    Examples
    --------
    Two records of a combination, parts of two and two of four: in 8 of the 12 ways to place the
    two records one is in each part, which is one of the two records of the first.

    >>> alone_in_both(4, 2, 2).round(4).tolist()
    [0.0, 0.0, 0.3333, 0.0, 0.0]
    """
    out = np.zeros(n + 1)
    if first < 1 or second < 1:
        return out
    out[2] = 2 * second / (n * (n - 1))
    d = np.arange(2, n)
    steps = (d + 1) / (d - 1) * np.maximum(n - d - first - second + 2, 0) / np.maximum(n - d, 1)
    out[2:] = out[2] * np.cumprod(np.append(1.0, steps))
    return out


class LeftOut:
    """Values of questions less their baseline, for any labels of the records of a pool.

    Parameters
    ----------
    pool : Pool
        Original, then replica.
    asked : sequence of KeyQuestion
    encoding : str
    """

    def __init__(self, pool: Pool, questions: Sequence[KeyQuestion], encoding: str) -> None:
        self.forms = LeaveOneOut(*pool.sizes)
        self.pool, self.questions, self.encoding = pool, questions, encoding

    @cached_property
    def placed(self) -> list[Cells]:
        """The cells of each question, of records as they are numbered in the pool."""
        return [self._cells_of(question) for question in self.questions]

    @cached_property
    def records(self) -> npt.NDArray[np.int32]:
        """The records of the pool that are in any of them, by the first keys.

        No other needs a label, and labels of a cell stand close together.
        """
        used = np.zeros(self.pool.size, dtype=np.bool_)
        for cells in self.placed:
            used[cells.records] = True
        codes, size = self.pool.combinations(self.questions[0].keys, self.encoding)
        return sorted_records(codes, size, np.flatnonzero(used).astype(np.int32))

    @cached_property
    def cells(self) -> list[Cells]:
        """The cells of each question, of records as they are numbered here."""
        place = np.zeros(self.pool.size, dtype=np.int32)
        place[self.records] = np.arange(len(self.records), dtype=np.int32)
        return [cells.numbered(place) for cells in self.placed]

    @cached_property
    def labels(self) -> Labels:
        """The labels as they are, shape (records, 1)."""
        return np.ascontiguousarray((self.records < self.forms.n).astype(np.uint8)[:, None])

    def drawn(self, draws: int, rng: np.random.Generator) -> Labels:
        """Draw as many labels as there are, shape (records, draws)."""
        n, size = self.forms.n, len(self.records)
        here = rng.hypergeometric(n, self.pool.size - n, size, draws)
        return drawn_labels(here, size, draws, rng)

    def some(self, most: int, rng: np.random.Generator) -> LeftOut:
        """Return the same for random key combinations, of some so many records per question.

        A statistic of its own: whoever stands out among a part of the combinations is there.
        """
        out = LeftOut(self.pool, self.questions, self.encoding)
        out.placed = []
        drawn: dict[tuple[str, ...], Floats] = {}
        for question, cells in zip(self.questions, self.placed, strict=True):
            codes, size = self.pool.combinations(question.keys, self.encoding)
            number = drawn.setdefault(question.keys, rng.random(size))
            first = cells.records[cells.key_starts[:-1]]
            out.placed.append(cells.some(number[codes[first]] * len(cells.records) < most))
        return out

    def values(self, labels: Labels) -> tuple[Floats, Floats]:
        """Return value and baseline in percent, each of shape (draws, questions)."""
        draws, forms = labels.shape[1], self.forms
        out = np.zeros((2, draws, len(self.questions)))
        for j, (question, cells) in enumerate(zip(self.questions, self.cells, strict=True)):
            each = np.zeros((2, draws))
            most = int(np.diff(cells.cells_of_key).max(initial=0))
            counts = np.empty((most + 1, draws), dtype=np.int32)
            if question.target:
                compiled(kernels.disclosed, kernels.DISCLOSED)(
                    labels,
                    cells.records,
                    cells.key_starts,
                    cells.cells_of_key,
                    cells.cell_starts,
                    cells.cell_sizes,
                    forms.of_replica,
                    np.append(0.0, forms.of_others),
                    counts,
                    each,
                )
                out[:, :, j] = 100 / forms.n * each
            else:
                compiled(kernels.alone, kernels.ALONE)(
                    labels,
                    cells.records,
                    cells.key_starts,
                    forms.alone_in_original,
                    forms.alone_in_replica,
                    forms.alone_in_both,
                    counts,
                    each,
                )
                out[:, :, j] = 100 * each
        return out[0], out[1]

    def statistics(self, labels: Labels) -> Floats:
        """Return values less baselines, shape (draws, questions)."""
        value, base = self.values(labels)
        return value - base

    def of_copy(self) -> Floats:
        """Return what the original itself would have as excess in the replica's place, at this k.

        Every cell of the original counts here: a copy gives away who is met once, too.
        """
        return np.array([self._copy(question) for question in self.questions])

    def _cells_of(self, question: KeyQuestion) -> Cells:
        keys = self.pool.combinations(question.keys, self.encoding)
        if question.target:
            return target_cells(keys, self.pool.codes(question.target, self.encoding), self.forms.k)
        return key_cells(keys, alone_in_both(self.pool.size, *self.forms.halves))

    def _copy(self, question: KeyQuestion) -> float:
        forms, n = self.forms, self.forms.n
        codes = self.pool.combinations(question.keys, self.encoding)[0][:n]
        d = np.unique(codes, return_counts=True)[1]
        if not question.target:
            value = forms.alone_in_original[d] * forms.alone_in_copy[d]
            return float(100 * (value - forms.alone_in_both[d]).sum())
        target, levels = self.pool.codes(question.target, self.encoding)
        cell, counts = np.unique(codes * levels + target[:n], return_counts=True)
        per_key = np.repeat(d, np.unique(cell // levels, return_counts=True)[1])
        value = forms.of_copy[per_key - counts] - forms.of_copy[per_key]
        base = forms.of_others[per_key - counts] - forms.of_others[per_key - 1]
        return float(100 / n * (counts * (value - base)).sum())


def drawn_labels(
    n: int | npt.NDArray[np.int64], size: int, draws: int, rng: np.random.Generator
) -> Labels:
    """Draw which n of so many records are the original's, every set as likely.

    Returns
    -------
    uint8 array of shape (size, draws), 1 for the original's
    """
    out = np.empty((size, draws), dtype=np.uint8)
    left = np.full(draws, n, dtype=np.int64)
    step = max(1, _UNIFORM_AT_ONCE // draws)
    for at in range(0, size, step):
        some = out[at : at + step]
        compiled(kernels.label, kernels.LABEL)(rng.random(some.shape), size - at, left, some)
    return out
