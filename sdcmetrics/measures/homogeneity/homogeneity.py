"""Is a replica useful? Tests of all its tables of one, two and three ways, as one family.

A table is called if its S_pMSE is above what synthpop's authors advise, if chance is unlikely to
have made it so in any of the tables, and if what differs is not small; and it fails if even the
lower limit of what differs is of a medium size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.indexing import renumbered, wide_index
from sdcmetrics.measures.homogeneity.clusters import (
    Clusters,
    ClusterTest,
    clusters_of,
    statistics_of,
)
from sdcmetrics.measures.homogeneity.derivation import derived_of_records
from sdcmetrics.measures.homogeneity.derived import (
    Derived,
    are_repeats,
    tables_of,
)
from sdcmetrics.measures.homogeneity.exchange import (
    Statistics,
    exchanged,
    join,
    lower_limit,
    noticed_size,
)
from sdcmetrics.measures.homogeneity.monte_carlo import ExchangedTable, p_at_most
from sdcmetrics.measures.homogeneity.one_sided import columns_of, unexchanged
from sdcmetrics.measures.homogeneity.result import (
    LARGE,
    Homogeneity,
    JudgedTables,
    Label,
    Limits,
    Totals,
)
from sdcmetrics.measures.homogeneity.rows_together import together_by
from sdcmetrics.measures.homogeneity.weighted_draws import WeightedTable
from sdcmetrics.measures.records import Column, Records, Weights
from sdcmetrics.measures.repetition import numbered
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable

GROUPS = 5
"""Pooled quantile groups of numbers and dates with more values, as in tables of utility."""

_MOST_OF_THREE = 20
"""Columns up to which all tables of three ways are made."""
_FEW_RECORDS = 30


def homogeneity(
    records: Records,
    *,
    ways: int = 3,
    limits: Limits | None = None,
    derived: bool = True,
    seed: int = 1,
    number: int = 1,
    missing_codes: MissingCodes | None = None,
    others: Sequence[Column] = (),
) -> Homogeneity:
    """Test whether original and synthesis have the same tables but for chance and small amounts.

    Parameters
    ----------
    records : Records
        With `cluster` where records belong together, and `weights` where they count unequally.
    ways : int
        Up to how many columns a table has; at most 2 where there are more than 20 columns.
    limits : Limits, optional
    derived : bool
        Whether tables of derived columns belong to the family.
    seed : int
        Of the draws that settle what is neither clear nor far from clear.
    number : int
        Which synthesis of its replica it is, from 1: see `share_of_level`.
    missing_codes : mapping of column to codes, optional
        Numbers that are levels of their own.
    others : sequence of Column
        Columns of the original that are not compared, of which one may be a cluster.

    Returns
    -------
    Homogeneity

    Notes
    -----
    Under exchange of labels X2 has exactly known moments; its p is the tail of the gamma law that
    has them (of two cells: the hypergeometric one), adjusted by Holm's method over all tables. A
    table that would be called must have an exact p that small, too. Where clusters are named no
    record is exchanged: a second-order F takes the place of p.
    """
    codes = {
        name: tuple(np.atleast_1d(np.asarray(each, dtype=np.float64)).tolist())
        for name, each in (missing_codes or {}).items()
    }
    limits = Limits() if limits is None else limits
    compared = records.columns
    if records.cluster is None and (name := together_by(compared, others)):
        return Homogeneity("not judged", "clusters", name)
    coded = _coded(records, codes)

    def family(of: Records) -> Family:
        """Return the tables of these records, or of the same in clusters."""
        return family_of_records(of, coded, 1, codes, ways=ways, derived=derived)

    return judged(family, records, limits, seed=seed, number=number)


def family_of_records(
    records: Records,
    coded: Coded,
    synthesis: int,
    codes: Mapping[str, tuple[float, ...]],
    *,
    ways: int = 3,
    derived: bool = True,
) -> Family:
    """Return all tables of an original and one synthesis, by their clusters and weights."""
    clusters = clusters_of(records)
    return Family(
        coded,
        synthesis,
        ways=ways,
        derived=list(derived_of_records(records.columns, codes, clusters)) if derived else [],
        clusters=clusters,
        weights=records.weights,
        skipped=unexchanged(clusters) if derived else (),
    )


def judged(
    family: Callable[[Records], Family], records: Records, limits: Limits, *, seed: int, number: int
) -> Homogeneity:
    """Judge the tables of a family; again by equal records where the synthesis repeats its own.

    Where it repeats most of them, and otherwise than the original does, its records were not drawn
    one by one: as where a file was expanded by its weights. Equal ones count as one draw then.
    """
    result = family(records).judge(limits, seed=seed, number=number)
    if not result.repeats or result.status not in ("review", "fail"):
        return result
    equal = numbered(column.replica for column in records.columns)
    counts = np.bincount(equal)
    if 2 * counts[counts > 1].sum() <= records.m:
        return result
    alone = np.arange(records.n, dtype=np.float64)
    together = Column("", Kind.NUMBER, alone, equal.astype(np.float64))
    return family(replace(records, cluster=together)).judge(limits, seed=seed, number=number)


def _coded(records: Records, codes: dict[str, tuple[float, ...]]) -> Coded:
    """Code both sides by pooled groups."""
    variables = {}
    for column in records.columns:
        parts = (column.original, column.replica)
        numbers, levels = (parts, ()) if column.numeric else ((), parts)
        name, own = column.name, codes.get(column.name, ())
        variables[name] = Variable(name, column.kind, numbers, levels, column.levels, own)
    data = Harmonised(variables, (records.n, records.m), ("original", "synthetic"), ())
    return code_by_groups(data)


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
        self._sizes = coded.sizes[0], coded.sizes[synthesis]
        self._clusters, self._weights, self._skipped = clusters, weights, skipped
        self._test = None if clusters is None else ClusterTest(clusters)
        names = [name for name in coded.variables if self._tells(name)]
        self.ways = min(ways, 3 if len(coded.variables) <= _MOST_OF_THREE else 2)
        self._tables = [
            table
            for size in range(1, self.ways + 1)
            for table in itertools.combinations(names, size)
        ]
        self._derived = list(derived)

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
        return join(parts) if parts else Statistics(*np.empty((8, 0)))

    def _by_clusters(self, test: ClusterTest) -> Statistics:
        rows = []
        labels: list[Label] = [*self._tables, *self._derived]
        for label in labels:
            original, synthetic, size = self._cells(label)
            single = [1.0, *[0.0] * 7]
            rows.append(test(original, synthetic, size) if size > 1 else single)
        return statistics_of(rows) if rows else Statistics(*np.empty((8, 0)))

    def _cells(self, label: Label) -> tuple[Ints, Ints, int]:
        """Return the filled cell of each record of both sides, and their number."""
        if isinstance(label, Derived):
            index = np.concatenate(label.codes)
            size = 1 + int(index.max(initial=-1))
        else:
            variables = [self._coded.variables[name] for name in label]
            index, size = wide_index(variables, (0, self._synthesis))
        cells, first = renumbered(index, size)
        n = self._sizes[0]
        return cells[:n], cells[n:], len(first)

    def judge(self, limits: Limits, *, seed: int, number: int = 1) -> Homogeneity:
        """Judge all tables as one family.

        Parameters
        ----------
        number : which synthesis of its replica it is, from 1
        """
        factor = 1.0 / share_of_level(number)
        if self._clusters is not None and self._clusters.fewer < 2:  # noqa: PLR2004  (no variance)
            return Homogeneity("not judged", "clusters", self._clusters.name)
        if self._clusters is not None and self._clusters.effective < _FEW_RECORDS:
            return Homogeneity("not judged", "weights", weighted=True)
        every = self.statistics()
        tells = every.cells > 1
        every_label: list[Label] = [*self._tables, *self._derived]
        labels = list(itertools.compress(every_label, tells))
        if not labels:
            return Homogeneity("not judged", "no table", skipped=self._skipped)
        of = every.subset(tells)
        tested = self._tested(labels, of, limits, factor, np.random.default_rng(seed))
        called, failed = tested.worst_first(tested.called), tested.worst_first(tested.failed)
        notice, notice_one_way = self._noticed(labels, of, limits, factor)
        clusters = self._clusters
        assumed = clusters is not None and clusters.synthetic is None
        few = not called and notice_one_way > LARGE
        return Homogeneity(
            status="fail" if failed else "review" if called else "not judged" if few else "within",
            reason="few records" if few else "",
            called=called,
            failed=failed,
            tables=len(labels),
            ways=self.ways,
            notice=notice,
            notice_one_way=notice_one_way,
            repeats=bool((_beyond(of, tested.adjusted, limits) & are_repeats(labels)).any()),
            one_sided=columns_of(labels, (tested.adjusted <= limits.chance) & ~tested.called),
            few=min(self._sizes) < _FEW_RECORDS,
            few_clusters=clusters is not None and clusters.few,
            cluster=clusters.name if assumed and clusters is not None else "",
            assumed_clusters=assumed,
            weighted=self._weights is not None,
            totals=_totals(self._weights),
            skipped=self._skipped,
            tested=tested,
        )

    def _noticed(
        self, labels: list[Label], of: Statistics, limits: Limits, factor: float
    ) -> tuple[float, float]:
        """Return the w that a usual table shows, and a usual one of one column in a first file.

        The second says whether there are enough records, whatever size and advice are asked for.
        """
        single = self._clusters is None
        spread = 1.0 if single else float(np.median(of.expected / (of.cells - 1.0)))

        def size(cells: Floats, tables: float, review: float) -> float:
            df, least = float(np.median(cells - 1.0)), review / 2.0
            w = noticed_size(*self._sizes, df, tables, chance=limits.chance, least=least)
            return w * float(np.sqrt(spread))

        columns = np.array([not isinstance(label, Derived) and len(label) == 1 for label in labels])
        whole = np.array([not isinstance(label, Derived) or label.p is None for label in labels])
        usual = size(of.cells[whole], len(labels) * factor, limits.review)
        one_way = size(of.cells[columns | ~columns.any()], len(labels), Limits().review)
        return max(limits.size_review, usual), one_way

    def _tested(
        self,
        labels: list[Label],
        of: Statistics,
        limits: Limits,
        factor: float,
        rng: np.random.Generator,
    ) -> JudgedTables:
        adjusted = np.minimum(holm(of.p) * factor, 1.0)
        z = -float(lazy.special.ndtri(limits.chance / (len(of) * factor)))
        w_low = lower_limit(of, z)
        called = _beyond(of, adjusted, limits) & ~are_repeats(labels)
        invented = [isinstance(label, Derived) and label.invented for label in labels]
        called |= np.array(invented) & (adjusted <= limits.chance)
        values = np.array([not isinstance(label, Derived) for label in labels])
        failed = called & (w_low > limits.size_fail) & values & (min(self._sizes) >= _FEW_RECORDS)
        if called.any() and not (self._clusters is not None and self._clusters.name):
            rank = np.empty(len(of))
            rank[np.argsort(of.p, kind="stable")] = np.arange(len(of))
            holds = self._confirmed(
                labels, of, (failed, called), (len(of) - rank) * factor, limits, rng
            )
            called, failed = called & holds, failed & holds
        light = [label.without_codes() if isinstance(label, Derived) else label for label in labels]
        return JudgedTables(light, of, adjusted, w_low, called, failed)

    def _confirmed(
        self,
        labels: list[Label],
        of: Statistics,
        candidates: tuple[Bools, Bools],
        factors: Floats,
        limits: Limits,
        rng: np.random.Generator,
    ) -> Bools:
        """Tell which candidates have an exact p as small as their moments say.

        Those that would fail come first, and then those that cost least. Once a table has settled
        the status, further ones are drawn only as far as that takes no time.
        """
        holds = np.zeros(len(of), dtype=bool)
        if self._test is None:
            holds |= p_at_most(of.x2, of.cells, *self._sizes) * factors <= limits.chance
            holds |= of.cells == 2.0  # noqa: PLR2004  (the p of two cells is exact)
        spare, settled = 1.0, False
        for wanted in candidates:
            settled |= bool((wanted & holds).any())
            waiting = np.flatnonzero(wanted & ~holds)
            for i in waiting[np.argsort(of.cells[waiting], kind="stable")].tolist():
                table = self._drawable(labels[i])
                holds[i] = table.is_beyond_doubt(limits.chance / factors[i])
                if not holds[i] and (not settled or spare > 0.0):
                    spare -= settled * table.cost
                    holds[i] = table.passes(factors[i], limits.chance, rng)
                settled |= bool(holds[i])
        return holds

    def _drawable(self, label: Label) -> ExchangedTable | WeightedTable:
        """Return a table whose p can be drawn."""
        if self._test is not None:
            original, synthetic, _ = self._cells(label)
            weights = self._weights or (None, None)
            first, second = (
                np.ones(size) if side is None else side
                for size, side in zip(self._sizes, weights, strict=True)
            )
            return WeightedTable((original, synthetic), (first, second), self._test)
        if isinstance(label, Derived):
            tables = tables_of([label])
        else:
            _, tables = next(count_tables(self._coded, [label], synthesis=self._synthesis))
        return ExchangedTable(tables.original + tables.synthetic, tables.synthetic)


def _totals(weights: Weights | None) -> Totals | None:
    return None if weights is None or weights[1] is None else Totals.of(weights[0], weights[1])


def share_of_level(number: int) -> float:
    """Return the part of the level that a synthesis has by its place, from 1, in its replica.

    The first has all of it, whatever follows, so that a further synthesis can make no verdict
    milder; the parts of all add up to one and a half.

    Examples
    --------
    >>> [round(share_of_level(i), 4) for i in (1, 2, 3)]
    [1.0, 0.1667, 0.0833]
    """
    return 1.0 if number == 1 else 1.0 / (number * (number + 1))


def _beyond(of: Statistics, adjusted: Floats, limits: Limits) -> Bools:
    """Return which tables are above the advised limit, beyond chance, and by enough."""
    out: Bools = ~(of.s_p_mse <= limits.review)
    return out & (adjusted <= limits.chance) & (of.w > limits.size_review)
