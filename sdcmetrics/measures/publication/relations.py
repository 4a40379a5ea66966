"""Relations of a file of low fidelity: none is to survive but those that are declared."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from itertools import combinations

import numpy as np

from sdcmetrics.measures.publication.finding import Finding
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.schema import Harmonised, Variable

LEVEL = 0.05
"""Of all pairs together: how often a file whose columns are independent is called."""
_GROUPS = 5
_FEWEST = 5.0
"""Records that a level, or a group, must be expected to have in each cell of a pair."""


def surviving_relations(
    data: Harmonised, part: int, declared: Collection[frozenset[str]]
) -> Iterator[Finding]:
    """Yield pairs of columns that depend on each other in a synthesis.

    A chi-squared test of independence for each pair, of the level 0.05 over the number of pairs.
    The original plays no part: that there is a relation is the finding, whoever has it, too.
    """
    from scipy.stats import chi2_contingency

    codes = {name: coded(variable, part) for name, variable in data.variables.items()}
    usable = [name for name, code in codes.items() if code.max(initial=0) > 0]
    pairs = [pair for pair in combinations(usable, 2) if frozenset(pair) not in declared]
    for first, second in pairs:
        table = _merged(codes[first], codes[second])
        if min(table.shape) < 2:  # noqa: PLR2004  (nothing to depend on)
            continue
        p = float(chi2_contingency(table, correction=False).pvalue)
        if p * len(pairs) <= LEVEL:
            text = f"depends on {second!r}, and no such relation is declared"
            remedy = "Draw these columns apart from each other, or declare the relation."
            yield Finding("relation", first, text, remedy)


def coded(variable: Variable, part: int) -> Ints:
    """Return levels, or fifths of numbers, as codes from 0; missing is a level of its own."""
    if variable.codes:
        return np.unique(variable.codes[part], return_inverse=True)[1].reshape(-1)
    values = np.asarray(variable.values[part], np.float64)
    present = values[~np.isnan(values)]
    if not len(present):
        return np.zeros(len(values), np.int64)
    ends = np.unique(np.quantile(present, np.arange(1, _GROUPS) / _GROUPS))
    codes = np.where(np.isnan(values), np.nan, np.searchsorted(ends, values, side="left"))
    return np.unique(codes, return_inverse=True)[1].reshape(-1)


def _merged(first: Ints, second: Ints) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the table of two columns, rare levels joined with the next rarer ones.

    Levels are joined by how often they occur, whatever the other column holds there, until each
    cell is expected to have five records, or two levels are left.
    """
    levels = [_Levels(code) for code in (first, second)]
    while levels[0].least * levels[1].least < _FEWEST * len(first):
        several = [each for each in levels if each.number > 2]  # noqa: PLR2004  (two to compare)
        if not several:
            break
        min(several, key=lambda each: each.least).join()
    first, second = (each.groups[code] for each, code in zip(levels, (first, second), strict=True))
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1), np.int64)
    np.add.at(table, (first, second), 1)
    expected = levels[0].least * levels[1].least / len(first)
    return table if expected >= 1.0 else table[:1]


class _Levels:
    """Levels of a column, the two rarest of which can be joined."""

    def __init__(self, codes: Ints) -> None:
        self._by_size = [(int(n), level) for level, n in enumerate(np.bincount(codes))]
        heapq.heapify(self._by_size)
        self._members = {level: [level] for _, level in self._by_size}

    @property
    def number(self) -> int:
        """Number of levels."""
        return len(self._by_size)

    @property
    def least(self) -> int:
        """Records of the rarest level."""
        return self._by_size[0][0]

    def join(self) -> None:
        """Make one level of the two rarest."""
        (n, level), (m, other) = heapq.heappop(self._by_size), heapq.heappop(self._by_size)
        larger, smaller = sorted((level, other), key=lambda i: -len(self._members[i]))
        self._members[larger] += self._members.pop(smaller)
        heapq.heappush(self._by_size, (n + m, larger))

    @property
    def groups(self) -> Ints:
        """New code of each code."""
        out = np.empty(sum(map(len, self._members.values())), np.int64)
        for group, members in enumerate(self._members.values()):
            out[members] = group
        return out
