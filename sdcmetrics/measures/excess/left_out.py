"""Without a holdout: each person left out, and the original's other people in the replica's place.

A person of the original against k of the n - 1 others is, for a replica that knows nobody, what a
person who was not in the file is against k records of the replica: the two have the same mean
whatever the data look like. Both are expectations over all ways to draw k records, in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.compiled import compiled
from sdcmetrics.measures.excess import kernels
from sdcmetrics.measures.excess.cells import Cells, avoiding, key_cells, target_cells
from sdcmetrics.measures.excess.questions import Asked, Pool

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint8]

_COPY = 2  # a record and its copy


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
        """Records of either side that somebody is told from."""
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
    out[_COPY] = 2 * second / (n * (n - 1))
    d = np.arange(_COPY, n)
    steps = (d + 1) / (d - 1) * np.maximum(n - d - first - second + 2, 0) / np.maximum(n - d, 1)
    out[_COPY:] = out[_COPY] * np.cumprod(np.append(1.0, steps))
    return out


class LeftOut:
    """Values of questions less their baseline, for any labels of the records of a pool.

    Parameters
    ----------
    pool : Pool
        Original, then replica.
    asked : sequence of Asked
    encoding : str
    """

    def __init__(self, pool: Pool, asked: Sequence[Asked], encoding: str) -> None:
        self.forms = LeaveOneOut(*pool.sizes)
        self.pool, self.asked, self.encoding = pool, asked, encoding
        self._cells: list[Cells] | None = None

    @property
    def cells(self) -> list[Cells]:
        """The cells of each question."""
        if self._cells is None:
            self._cells = [self._cells_of(one) for one in self.asked]
        return self._cells

    def some(self, most: int, rng: np.random.Generator) -> LeftOut:
        """Return the same for random key combinations, of some so many records per question.

        A statistic of its own: whoever stands out among a part of the combinations is there.
        """
        out = LeftOut(self.pool, self.asked, self.encoding)
        out._cells = []
        drawn: dict[tuple[str, ...], Floats] = {}
        for asked, cells in zip(self.asked, self.cells, strict=True):
            if asked.keys not in drawn:
                size = self.pool.combinations(asked.keys, self.encoding)[1]
                drawn[asked.keys] = rng.random(size)
            codes = self.pool.combinations(asked.keys, self.encoding)[0]
            number = drawn[asked.keys][codes[cells.records[cells.key_starts[:-1]]]]
            out._cells.append(cells.some(number * max(len(cells.records), 1) < most))
        return out

    def values(self, labels: Labels) -> tuple[Floats, Floats]:
        """Return value and baseline in percent, each of shape (draws, questions)."""
        out = np.zeros((_COPY, len(labels), len(self.asked)))
        each = np.empty((len(labels), _COPY))
        forms = self.forms
        for j, (asked, cells) in enumerate(zip(self.asked, self.cells, strict=True)):
            if asked.target:
                compiled(kernels.disclosed, kernels.DISCLOSED)(
                    labels,
                    cells.records,
                    cells.key_starts,
                    cells.cells_of_key,
                    cells.cell_starts,
                    cells.cell_sizes,
                    forms.of_replica,
                    forms.of_others,
                    each,
                )
                out[:, :, j] = 100 / forms.n * each.T
            else:
                compiled(kernels.alone, kernels.ALONE)(
                    labels,
                    cells.records,
                    cells.key_starts,
                    forms.alone_in_original,
                    forms.alone_in_replica,
                    forms.alone_in_both,
                    each,
                )
                out[:, :, j] = 100 * each.T
        return out[0], out[1]

    def statistics(self, labels: Labels) -> Floats:
        """Return values less baselines, shape (draws, questions)."""
        value, base = self.values(labels)
        return value - base

    def of_copy(self) -> Floats:
        """Return what the original itself would have as excess in the replica's place, at this k.

        Every cell of the original counts here: a copy gives away who is met once, too.
        """
        return np.array([self._copy(one) for one in self.asked])

    def _cells_of(self, asked: Asked) -> Cells:
        keys = self.pool.combinations(asked.keys, self.encoding)
        if asked.target:
            return target_cells(keys, self.pool.codes(asked.target, self.encoding), self.forms.k)
        return key_cells(keys, alone_in_both(self.pool.size, *self.forms.halves))

    def _copy(self, asked: Asked) -> float:
        forms, n = self.forms, self.forms.n
        codes = self.pool.combinations(asked.keys, self.encoding)[0][:n]
        d = np.unique(codes, return_counts=True)[1]
        if not asked.target:
            value = forms.alone_in_original[d] * forms.alone_in_copy[d]
            return float(100 * (value - forms.alone_in_both[d]).sum())
        target, levels = self.pool.codes(asked.target, self.encoding)
        cell, counts = np.unique(codes * levels + target[:n], return_counts=True)
        per_key = np.repeat(d, np.unique(cell // levels, return_counts=True)[1])
        value = forms.of_copy[per_key - counts] - forms.of_copy[per_key]
        base = forms.of_others[per_key - counts] - forms.of_others[per_key - 1]
        return float(100 / n * (counts * (value - base)).sum())


def first_labels(n: int, size: int) -> Labels:
    """Return the labels as they are: the original's records first."""
    return np.repeat(np.array([1, 0], dtype=np.uint8), [n, size - n])[None]


def drawn_labels(n: int, size: int, draws: int, rng: np.random.Generator) -> Labels:
    """Draw which n of so many records are the original's, every set as likely."""
    out = np.empty((draws, size), dtype=np.uint8)
    wanted: Any = np.full(draws, n, dtype=np.int64)
    compiled(kernels.label, kernels.LABEL)(rng.random((draws, size)), wanted, out)
    return out
