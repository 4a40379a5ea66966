"""Relations that hold in the original, searched for before they are rules: orders, implications."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.crosstables.margins import count_two_way
from sdcmetrics.measures.expressions.tree import Arithmetic, Call, Name, Node, Number, Sign
from sdcmetrics.measures.rules.features import Feature
from sdcmetrics.measures.rules.tree import Comparison, IfThen
from sdcmetrics.microdata.arrays import Bools, Counts, Floats
from sdcmetrics.microdata.columns import Kind

_CHANCE = 0.01


@dataclass(frozen=True)
class Candidate:
    """A relation that all original records keep and some records of a replica break.

    Attributes
    ----------
    node : Node
    kind : str
        What sort of relation it is, in a word or two.
    columns : frozenset of str
    expected : float
        Original records that would break it if its columns had nothing to do with each other:
        the larger, the more remarkable that none does. NaN where one column stands alone.
    broken : float
        Share of the replicas' records that break it, as far as is known before it is evaluated.
    """

    node: Node
    kind: str
    columns: frozenset[str]
    expected: float
    broken: float


def least_expected(tested: int) -> float:
    """Return how many breaking records must be expected before their absence is remarkable.

    Where E are expected, none at all turns up with probability exp(-E) (Poisson). Over all
    relations that were tested, less than one in a hundred searches is to report one by chance
    (Bonferroni).

    Examples
    --------
    >>> round(least_expected(10_000), 1)  # log(10,000 / 0.01)
    13.8
    """
    return math.log(max(tested, 1) / _CHANCE)


_FEW = 3


@dataclass(frozen=True)
class _Table:
    """A two-way table: which cells are remarkably empty, and who fills them in the replicas."""

    row: Feature
    column: Feature
    empty: Bools
    expected: Floats
    broken: Floats

    @property
    def turned(self) -> _Table:
        """The same with rows for columns."""
        return _Table(self.column, self.row, self.empty.T, self.expected.T, self.broken.T)


def cells_to_test(features: Sequence[Feature]) -> int:
    """Return how many cells the two-way tables of all features have."""
    return sum(a.size * b.size for a, b in _pairs(features))


def find_implications(
    features: Sequence[Feature], sizes: tuple[int, ...], tested: int
) -> Iterator[Candidate]:
    """Yield ``if a == ... then b ...`` that all original records keep, and some replica breaks.

    A cell counts as empty on purpose when so many original records would fall into it by chance
    that its being empty is no accident; see `least_expected`.
    """
    least = least_expected(tested)
    for a, b in _pairs(features):
        shape = (a.size, b.size)
        original = count_two_way(a.codes[0], b.codes[0], shape)
        total = original.sum()
        if not total or original.all():
            continue
        expected = np.outer(original.sum(axis=1), original.sum(axis=0)) / total
        if expected[original == 0].sum() <= least:  # nor is any cell or row of it
            continue
        shares = np.zeros(shape)
        for part, size in enumerate(sizes[1:], start=1):
            shares += count_two_way(a.codes[part], b.codes[part], shape) / size
        if not shares[original == 0].any():
            continue
        empty = _remarkable(original, expected, least)
        empty |= _remarkable(original.T, expected.T, least).T
        broken = np.where(empty, shares / (len(sizes) - 1), 0.0)
        if broken.any():
            expected = np.where(empty, expected, 0.0)
            yield from _implications(_Table(a, b, empty, expected, broken))


def _pairs(features: Sequence[Feature]) -> Iterator[tuple[Feature, Feature]]:
    for a, b in itertools.combinations(features, 2):
        if a.column != b.column:
            yield a, b


def _implications(table: _Table) -> Iterator[Candidate]:
    """Yield one implication for all rows whose empty cells are the same ones; or columns."""
    ways = [(_grouped(direction.empty), direction) for direction in (table, table.turned)]
    groups, table = min(ways, key=lambda way: len(way[0]))
    for rows in groups:
        broken = float(table.broken[rows].sum())
        if broken > 0:
            allowed = np.flatnonzero(~table.empty[rows[0]]).tolist()
            yield Candidate(
                IfThen(table.row.says(rows), table.column.says(allowed)),
                "levels that exclude each other",
                frozenset((table.row.column, table.column.column)),
                float(table.expected[rows].sum()),
                broken,
            )


def _remarkable(original: Counts, expected: Floats, least: float) -> Bools:
    """Return the cells that are empty on purpose: each by itself, or all others of its row.

    A row that fills few of its cells is as remarkable as what is expected of all others, less
    what choosing these few among all cells makes likely.
    """
    empty = original == 0
    out: Bools = empty & (expected > least)
    filled = original.shape[1] - empty.sum(axis=1)
    others = (expected * empty).sum(axis=1)
    few = (filled <= _FEW) & (others > least + filled * math.log(original.shape[1]))
    out[few] |= empty[few]
    return out


def _grouped(empty: Bools) -> list[list[int]]:
    """Return the rows that have empty cells, those with the same ones together."""
    groups: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(empty.any(axis=1)).tolist():
        groups.setdefault(empty[row].tobytes(), []).append(row)
    return list(groups.values())


Columns = Mapping[str, Sequence[Floats]]
"""Values of each column in every data set, original first; NaN is missing."""

_FIRST = 100
"""Records that are looked at before all: most pairs of columns differ in one of the first few."""
_SAMPLE = 256
_CLOSE = 1e-9
_MOST_COLUMNS = 40


def find_domains(columns: Columns) -> Iterator[Candidate]:
    """Yield ``x >= 0`` and ``x == round(x)`` where the original has no other values."""
    for name, parts in columns.items():
        present = parts[0][~np.isnan(parts[0])]
        if not len(present):
            continue
        whole = [np.abs(values - np.rint(values)) > _CLOSE * np.abs(values) for values in parts]
        negative = [values < 0 for values in parts]
        domains = (
            (whole, "whole numbers", Call("round", (Name(name),)), "=="),
            (negative, "no negative numbers", Number(0.0), ">="),
        )
        for breaks, kind, bound, operator in domains:
            broken = _share(breaks[1:])
            if not breaks[0].any() and broken:
                node = Comparison((operator,), (Name(name), bound))
                yield Candidate(node, kind, frozenset([name]), float("nan"), broken)


def find_orders(columns: Columns, kinds: Mapping[str, Kind], tested: int) -> Iterator[Candidate]:
    """Yield ``x <= y``, ``x < y``, ``x == y``, ``y == x + c`` and ``x + y == c``.

    Only where enough records would break the relation if x and y were independent, which also
    rules out columns whose ranges hardly meet; see `least_expected`.
    """
    least = least_expected(tested)
    for first, second in itertools.combinations(columns, 2):
        if kinds[first] is kinds[second]:
            yield from _equations(first, second, columns, least, dates=kinds[first] is Kind.DATE)
            yield from _order(first, second, columns, least)
            yield from _order(second, first, columns, least)


def _order(low: str, high: str, columns: Columns, least: float) -> Iterator[Candidate]:
    x, y = columns[low][0], columns[high][0]
    head = slice(0, _FIRST)
    if (x[head] > y[head]).any() or (x > y).any():
        return
    present = ~np.isnan(x + y)
    x, sorted_y = x[present], np.sort(y[present])
    smaller = np.searchsorted(sorted_y, x, side="left").sum() / max(len(x), 1)
    ties = np.searchsorted(sorted_y, x, side="right").sum() / max(len(x), 1) - smaller
    strict = ties > least and not (x == y[present]).any()
    parts = zip(columns[low][1:], columns[high][1:], strict=True)
    broken = _share([p >= q if strict else p > q for p, q in parts])
    if smaller > least and broken:
        node = Comparison(("<" if strict else "<=",), (Name(low), Name(high)))
        yield Candidate(node, "order", frozenset((low, high)), float(smaller), broken)


def _equations(
    column: str, two: str, columns: Columns, least: float, *, dates: bool
) -> Iterator[Candidate]:
    x, y = columns[column][0], columns[two][0]
    first = _first_known(x, y)
    if first is None:
        return
    apart, total = float(y[first] - x[first]), float(x[first] + y[first])
    a, b = Name(column), Name(two)
    # Each as "left equals right": of the columns in the rule, and of their values.
    forms: list[tuple[str, Node, Node, Callable[[Floats], Floats]]] = []
    if apart == 0:
        forms.append(("equality", a, b, lambda values: values))
    elif not dates:
        sign = "+" if apart > 0 else "-"
        moved = Arithmetic((sign,), (a, Number(abs(apart))))
        forms.append(("fixed difference", b, moved, lambda values: values + apart))
    if not dates:
        number = Number(abs(total))
        right: Node = Sign("-", number) if total < 0 else number
        both = Arithmetic(("+",), (a, b))
        forms.append(("fixed sum", both, right, lambda values: total - values))
    head = slice(first, first + _FIRST)
    for kind, left, right, image in forms:
        if _apart(image(x[head]), y[head]).any() or _apart(image(x), y).any():
            continue
        _, counts = np.unique(x[~np.isnan(x + y)], return_counts=True)
        expected = float(counts.sum() - (counts / counts.sum()) @ counts)
        parts = zip(columns[column][1:], columns[two][1:], strict=True)
        broken = _share([_apart(image(p), q) for p, q in parts])
        if expected > least and broken:
            node = Comparison(("==",), (left, right))
            yield Candidate(node, kind, frozenset((column, two)), expected, broken)


def _first_known(x: Floats, y: Floats) -> int | None:
    """Return the first record in which both are known; in most columns it is an early one."""
    for part in (slice(_FIRST), slice(None)):
        present = ~np.isnan(x[part] + y[part])
        if present.any():
            return int(present.argmax())
    return None


def find_totals(columns: Columns, tested: int) -> Iterator[Candidate]:
    """Yield ``z == x + y``; of at most so many columns, since every three are looked at."""
    names = [name for name, parts in columns.items() if _varies(parts[0])][:_MOST_COLUMNS]
    if len(names) < 3:  # noqa: PLR2004  (a total has two parts)
        return
    original = np.column_stack([columns[name][0] for name in names])
    least = least_expected(tested)
    order = np.random.default_rng(0).permutation(len(original))
    for i, j, k in _sums_in(np.asfortranarray(original), least):
        x, y, z = (original[:, at] for at in (i, j, k))
        if _apart(z, x + y).any():
            continue
        expected = float(np.count_nonzero(_apart(z[order], x + y)))
        if expected <= least:
            continue
        sets = zip(*(columns[names[at]][1:] for at in (i, j, k)), strict=True)
        broken = _share([_apart(c, a + b) for a, b, c in sets])
        if broken:
            total = Arithmetic(("+",), (Name(names[i]), Name(names[j])))
            node = Comparison(("==",), (Name(names[k]), total))
            columns_of = frozenset(names[at] for at in (i, j, k))
            yield Candidate(node, "total", columns_of, expected, broken)


def _varies(values: Floats) -> bool:
    present = values[~np.isnan(values)]
    return len(present) > 0 and bool(present.min() < present.max())


def _sums_in(original: Floats, least: float) -> Iterator[tuple[int, int, int]]:
    """Yield what may be a total, of records in which both parts are more than nothing.

    Elsewhere a column that is mostly 0 or missing contradicts no total. A sample of the records
    decides; whoever asks looks at all.
    """
    present = ~np.isnan(original)
    there = present & (original != 0)
    for i, j in itertools.combinations(range(original.shape[1]), 2):
        both = np.flatnonzero(there[:, i] & there[:, j])
        if len(both) <= least:
            continue
        sample = original[both[:: max(1, len(both) // _SAMPLE)]]
        fits = ~_apart(sample, (sample[:, i] + sample[:, j])[:, None]).any(axis=0)
        for k in np.flatnonzero(fits).tolist():
            if k not in (i, j) and np.count_nonzero(present[both, k]) > least:
                yield i, j, k


def _apart(left: Floats, right: Floats) -> Bools:
    """Whether two values differ by more than rounding; False where one is missing."""
    scale = np.maximum(np.abs(left), np.abs(right))
    apart: Bools = np.abs(left - right) > _CLOSE * scale
    return apart


def _share(breaks: Sequence[Bools]) -> float:
    return float(np.mean([break_.mean() for break_ in breaks]))
