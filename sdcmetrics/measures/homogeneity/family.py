"""All tables of an original and one synthesis, with the statistics of each.

Tables of one, two and three columns, and of columns that are derived from the values. Where records
belong together, or count unequally, whole clusters take the place of records.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.indexing import renumbered, wide_index
from sdcmetrics.measures.homogeneity.clusters import Clusters, ClusterTest, statistics_of
from sdcmetrics.measures.homogeneity.derived import Derived, tables_of
from sdcmetrics.measures.homogeneity.exchange import Statistics, exchanged, join
from sdcmetrics.measures.homogeneity.monte_carlo import ExchangedTable
from sdcmetrics.measures.homogeneity.result import Label
from sdcmetrics.measures.homogeneity.weighted_draws import WeightedTable
from sdcmetrics.measures.records import Weights
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.schema import Harmonised

GROUPS = 5
"""Pooled quantile groups of numbers and dates with more values, as in tables of utility."""

_MOST_OF_THREE = 20
"""Columns up to which all tables of three ways are made."""


def code_by_groups(data: Harmonised) -> Coded:
    """Code all columns: numbers and dates by groups of the pooled values of all data sets."""
    return encode(data, by_groups(GROUPS, dates=True), data.variables)


class Family:
    """All tables of an original and one synthesis, of which a fresh sample shows few.

    Parameters
    ----------
    coded : Coded
    synthesis : int, from 1
    ways : int
        Up to how many columns a table has.
    derived : sequence of Derived
    clusters : Clusters, optional
    weights : pair of float arrays, optional
        See `Records`.
    skipped : which derived columns were not made, and why

    Attributes
    ----------
    labels : list
        The columns of each table, or the derived column that it is of; derived ones last.
    sizes : pair of int
        Records of original and synthesis.
    """

    def __init__(
        self,
        coded: Coded,
        synthesis: int,
        *,
        ways: int = 3,
        derived: Sequence[Derived] = (),
        clusters: Clusters | None = None,
        weights: Weights | None = None,
        skipped: tuple[str, ...] = (),
    ) -> None:
        self._coded, self._synthesis = coded, synthesis
        self.sizes = coded.sizes[0], coded.sizes[synthesis]
        self.clusters, self.weights, self.skipped = clusters, weights, skipped
        self._test = None if clusters is None else ClusterTest(clusters)
        names = [name for name in coded.variables if self._tells(name)]
        self.ways = min(ways, 3 if len(coded.variables) <= _MOST_OF_THREE else 2)
        self._tables = [
            table
            for size in range(1, self.ways + 1)
            for table in itertools.combinations(names, size)
        ]
        self._derived = list(derived)
        self.labels: list[Label] = [*self._tables, *self._derived]

    def _tells(self, name: str) -> bool:
        """Whether a column has two values, of which one occurs twice; else X2 is constant.

        Tables of a constant column are those of the others once more.
        """
        column = self._coded.variables[name]
        counts = column.count(0) + column.count(self._synthesis)
        return bool(np.count_nonzero(counts) > 1 and counts.max(initial=0) > 1)

    def statistics(self) -> Statistics:
        """Return the statistics of all tables, derived ones last."""
        of = self._by_records() if self._test is None else self._by_clusters(self._test)
        for i, label in enumerate(self._derived, start=len(self._tables)):
            if label.p is not None:  # the advice is for cells that nobody chose by whose they are
                of.p[i], of.s_p_mse[i] = label.p, np.nan
        return of

    def _by_records(self) -> Statistics:
        counts = count_tables(self._coded, self._tables, synthesis=self._synthesis)
        parts = [exchanged(tables) for _, tables in counts] if self._tables else []
        parts += [exchanged(tables_of(self._derived))] if self._derived else []
        return join(parts) if parts else statistics_of([])

    def _by_clusters(self, test: ClusterTest) -> Statistics:
        rows = []
        for label in self.labels:
            original, synthetic, size = self.cells(label)
            single = [1.0, *[0.0] * 7]
            rows.append(test(original, synthetic, size) if size > 1 else single)
        return statistics_of(rows)

    def cells(self, label: Label) -> tuple[Ints, Ints, int]:
        """Return the filled cell of each record of both sides, and their number."""
        if isinstance(label, Derived):
            index = np.concatenate(label.codes)
            size = 1 + int(index.max(initial=-1))
        else:
            variables = [self._coded.variables[name] for name in label]
            index, size = wide_index(variables, (0, self._synthesis))
        cells, first = renumbered(index, size)
        n = self.sizes[0]
        return cells[:n], cells[n:], len(first)

    def drawable(self, label: Label) -> ExchangedTable | WeightedTable:
        """Return a table whose p can be drawn."""
        if self._test is not None:
            original, synthetic, _ = self.cells(label)
            weights = self.weights or (None, None)
            first, second = (
                np.ones(size) if side is None else side
                for size, side in zip(self.sizes, weights, strict=True)
            )
            return WeightedTable((original, synthetic), (first, second), self._test)
        if isinstance(label, Derived):
            tables = tables_of([label])
        else:
            _, tables = next(count_tables(self._coded, [label], synthesis=self._synthesis))
        return ExchangedTable(tables.original + tables.synthetic, tables.synthetic)
