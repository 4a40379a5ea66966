"""What is hidden so that no small cell follows from the others."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.report.safety.protect.audit import Ends, hide, tables_program

BASE = 5


def brute(ends: Ends, row: int, column: int) -> int:
    """Return how many values a cell of a 2 x 2 table may have, by trying all tables."""
    found = set()
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
                        found.add(((i, j), (k, m))[row][column])
    return max(found) - min(found) + 1 if found else 0


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
        program.look(cells, 100)
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
    program.look(np.array([1]), BASE)
    assert program.spans[1] == 1
    hidden = hide(ends, small, BASE)
    assert hidden is not None
    assert hidden[0, 0]
    assert not hidden[0, 1]


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
