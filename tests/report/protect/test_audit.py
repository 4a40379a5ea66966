"""What is hidden so that no small cell follows from the others."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdcmetrics.report.safety.protect.audit import (
    Ends,
    hide,
    hide_each,
    tables_program,
    withheld_together,
)
from sdcmetrics.report.safety.protect.filling import Filling

BASE = 5


def brute(ends: Ends, row: int, column: int) -> int:
    """Return how many values a cell of a 2 x 2 table may have, by trying all tables."""
    results = set()
    (a, b), (c, d) = [
        [range(lo, hi + 1) for lo, hi in zip(low, high, strict=True)]
        for low, high in zip(ends.low, ends.high, strict=True)
    ]
    rows, columns, total = ends.rows, ends.columns, ends.total
    for i in a:
        for j in b:
            if not rows[0, 0] <= i + j <= rows[1, 0]:
                continue
            for k in c:
                if not columns[0, 0] <= i + k <= columns[1, 0]:
                    continue
                for m in d:
                    if (
                        rows[0, 1] <= k + m <= rows[1, 1]
                        and columns[0, 1] <= j + m <= columns[1, 1]
                        and total[0] <= i + j + k + m <= total[1]
                    ):
                        results.add(((i, j), (k, m))[row][column])
    return max(results) - min(results) + 1 if results else 0


def interval(value: int, shift: int) -> tuple[int, int]:
    if value < 10:
        return 0, 9
    low = max(value - (value + shift) % BASE, 10)
    return low, value - (value + shift) % BASE + BASE - 1


def ends_of(table: list[list[int]], shifts: list[int]) -> Ends:
    cells = np.array(table)
    made = [interval(v, s) for v, s in zip(cells.ravel(), shifts, strict=False)]
    lines = [*cells.sum(axis=1), *cells.sum(axis=0), cells.sum()]
    sums = [interval(int(v), s) for v, s in zip(lines, shifts[4:], strict=False)]
    low, high = np.array(made).T
    return Ends(
        low.reshape(2, 2), high.reshape(2, 2), np.array(sums[:2]).T, np.array(sums[2:4]).T, sums[4]
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 20), min_size=2, max_size=2), min_size=2, max_size=2),
    st.lists(st.integers(0, BASE - 1), min_size=9, max_size=9),
)
def test_the_program_finds_what_trying_every_table_finds(
    table: list[list[int]], shifts: list[int]
) -> None:
    ends = ends_of(table, shifts)
    small = np.array(table) < 10
    program = tables_program([("a", "b")], [ends])
    cells = np.flatnonzero(small)
    if len(cells):
        program.find_ends(cells, 100)
    for cell in cells:
        assert program.spans[cell] == brute(ends, int(cell) // 2, int(cell) % 2)


def test_a_row_that_gives_a_small_cell_back_is_hidden() -> None:
    # Row one is 20 to 24, and its large cell 24 to 28: the other is 0.
    ends = Ends(
        np.array([[24, 0], [50, 60]]),
        np.array([[28, 9], [54, 64]]),
        np.array([[20, 110], [24, 118]]),
        np.array([[74, 60], [82, 73]]),
        (130, 142),
    )
    small = np.array([[False, True], [False, False]])
    program = tables_program([("a", "b")], [ends])
    program.find_ends(np.array([1]), BASE)
    assert program.spans[1] == 1
    hidden = hide(ends, small, BASE)
    assert hidden is not None
    assert hidden[0, 0]
    assert not hidden[0, 1]


def test_a_cell_that_may_be_the_whole_table_is_hidden_too() -> None:
    low, high = np.array([[24, 0], [0, 0]]), np.array([[28, 9], [9, 9]])
    sums = np.array([[20, 0], [24, 9]])  # row one is its large cell: the other is 0
    ends = Ends(low, high, sums, np.array([[24, 0], [28, 9]]), (24, 28))
    small = high < 10
    assert hide(ends, small, BASE).tolist() == [[True, False], [False, False]]  # type: ignore[union-attr]


def test_a_table_whose_margins_alone_give_a_cell_back_is_withheld() -> None:
    ends = Ends(
        np.array([[0, 0], [50, 60]]),
        np.array([[9, 9], [54, 64]]),
        np.array([[18, 110], [18, 118]]),  # both small cells of row one are 9
        np.array([[50, 60], [70, 80]]),
        (120, 140),
    )
    small = np.array([[True, True], [False, False]])
    assert hide(ends, small, BASE) is None


def three_tables(counts: list[int], shifts: list[int]) -> dict[tuple[str, ...], Ends]:
    """Return what is told of a x b, a x c and b x c, where a, b and c have two levels each."""
    cube, of = np.array(counts).reshape(2, 2, 2), iter(shifts)

    def told(values: np.ndarray) -> np.ndarray:
        made = np.array([interval(int(v), next(of)) for v in values.ravel()])
        return made.T.reshape(2, *values.shape)

    axes = {"a": (1, 2), "b": (0, 2), "c": (0, 1)}
    margin = {name: told(cube.sum(axis=other)) for name, other in axes.items()}
    total = interval(int(cube.sum()), next(of))
    return {
        (first, two): Ends(*told(cube.sum(axis=axis)), margin[first], margin[two], total)
        for axis, first, two in ((2, "a", "b"), (1, "a", "c"), (0, "b", "c"))
    }


def brute_together(tables: dict[tuple[str, ...], Ends]) -> dict[tuple[str, ...], np.ndarray]:
    """Return how many values each cell may have, by trying all margins: one cell is left free."""
    margins = {item: ends.rows for (item, _), ends in tables.items()} | {
        two: ends.columns for (_, two), ends in tables.items()
    }
    ranges = [np.arange(lo, hi + 1) for m in margins.values() for lo, hi in m.T]
    grid = np.meshgrid(*ranges, indexing="ij")
    at = {name: [g.ravel() for g in grid[2 * i : 2 * i + 2]] for i, name in enumerate(margins)}
    total = tables["a", "b"].total
    sums = [at[name][0] + at[name][1] for name in margins]
    possible = (sums[0] == sums[1]) & (sums[0] == sums[2])
    possible &= (sums[0] >= total[0]) & (sums[0] <= total[1])
    free = {}
    for of, ends in tables.items():
        (r, s), (c, _) = at[of[0]], at[of[1]]
        (a, b), (d, e) = ends.low
        (f, g), (h, k) = ends.high
        low = np.max([np.full_like(r, a), r - g, c - h, c - s + e], axis=0)
        high = np.min([np.full_like(r, f), r - b, c - d, c - s + k], axis=0)
        free[of] = low, high
        possible &= low <= high
    out = {}
    for of, (low, high) in free.items():
        (r, s), (c, _) = ([x[possible] for x in at[name]] for name in of)
        ends_of = [(low[possible], high[possible])]
        ends_of.append((r - high[possible], r - low[possible]))
        ends_of.append((c - high[possible], c - low[possible]))
        ends_of.append((s - c + low[possible], s - c + high[possible]))
        out[of] = np.array([hi.max() - lo.min() + 1 for lo, hi in ends_of]).reshape(2, 2)
    return out


COUNTS = st.lists(st.integers(0, 20), min_size=8, max_size=8)
SHIFTS = st.lists(st.integers(0, BASE - 1), min_size=19, max_size=19)


@settings(max_examples=25, deadline=None)
@given(COUNTS, SHIFTS)
@example([9, 4, 2, 6, 10, 11, 5, 7], [2, 4, 3, 4, 2, 2, 2, 0, 1, 4, 1, 4, 1, 3, 1, 2, 3, 0, 4])
@example([5, 0, 7, 2, 2, 13, 7, 4], [2, 1, 3, 2, 2, 3, 0, 4, 2, 0, 0, 2, 0, 1, 2, 0, 0, 1, 0])
def test_of_tables_together_the_program_finds_what_trying_all_margins_finds(
    counts: list[int], shifts: list[int]
) -> None:
    tables = three_tables(counts, shifts)
    program = tables_program(list(tables), list(tables.values()))
    small = program.small(10)
    program.find_ends(small, 100)
    true = brute_together(tables)
    for of, spans in true.items():
        for cell, span in zip(program.cells[of].ravel(), spans.ravel(), strict=True):
            assert cell not in small or program.spans[cell] == span


@settings(max_examples=25, deadline=None)
@given(COUNTS, SHIFTS)
def test_what_is_hidden_of_tables_looked_at_together_is_what_is_hidden_of_each_alone(
    counts: list[int], shifts: list[int]
) -> None:
    tables = three_tables(counts, shifts)
    small = [ends.high < 10 for ends in tables.values()]
    result, _ = hide_each(list(tables), list(tables.values()), small, BASE)
    for mask, item, ends in zip(result, small, tables.values(), strict=True):
        alone = hide(ends, item, BASE)
        assert (mask is None) == (alone is None)
        assert mask is None or np.array_equal(mask, alone)


def test_where_zeros_are_told_small_cells_are_looked_at_and_zeros_are_not() -> None:
    known = np.array([[0, 1], [50, 60]]), np.array([[0, 9], [54, 64]])
    open_ = Ends(*known, np.array([[0, 110], [9, 118]]), np.array([[50, 60], [54, 73]]), (0, 140))
    shut = Ends(*known, np.array([[7, 110], [8, 118]]), np.array([[50, 60], [54, 73]]), (0, 140))
    assert not withheld_together([("a", "b")], [open_], 10, BASE)
    assert withheld_together([("a", "b")], [shut], 10, BASE) == {0}


@settings(max_examples=25, deadline=None)
@given(COUNTS, SHIFTS)
def test_tables_filled_add_up_to_their_margins_and_every_margin_to_the_total(
    counts: list[int], shifts: list[int]
) -> None:
    tables = three_tables(counts, shifts)
    program = tables_program(list(tables), list(tables.values()))
    filling, rng = Filling(program.cells), np.random.default_rng(1)
    values, short = filling.fill(*filling.bounds(program.low, program.high), rng)
    assert (values is None) == bool(len(short))
    if values is not None:
        assert (program.low <= values).all()
        assert (values <= program.high).all()
        for (first, two), ends in tables.items():
            cells = values[program.cells[first, two]]
            assert cells.shape == ends.low.shape
            assert np.array_equal(cells.sum(axis=1), values[program.cells[first,]])
            assert np.array_equal(cells.sum(axis=0), values[program.cells[two,]])
            assert cells.sum() == values[program.cells[()]]


def test_a_table_that_does_not_fit_margins_of_the_others_is_named() -> None:
    # Each line of the table can be 10, but not all four: its diagonal has 2 in all.
    full = np.full((2, 2), 9), np.array([[10, 10], [10, 10]])
    free = Ends(np.zeros((2, 2), dtype=int), full[0], *[full[1]] * 2, (20, 20))
    tight = Ends(free.low, np.array([[1, 1], [9, 9]]), *[full[1] - [[9], [0]]] * 2, (11, 20))
    program = tables_program([("a", "b"), ("c", "d")], [free, tight])
    filling = Filling(program.cells)
    low, high = filling.bounds(program.low, program.high)
    low[program.cells["c",]] = high[program.cells["c",]] = [10, 10]
    values, short = filling.fill(low, high, np.random.default_rng(1))
    assert values is None
    assert short.tolist() == [1]
    low[program.cells["c",]] = high[program.cells["c",]] = [30, 30]  # more than there are
    values, short = filling.fill(low, high, np.random.default_rng(1))
    assert (values, short.tolist()) == (None, [])
