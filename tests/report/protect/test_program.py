"""What a program of unknown counts is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.report.safety.protect.program import Program


def test_two_blocks_are_several_and_margins_are_none() -> None:
    program = Program()
    low, high = np.zeros(2), np.full(2, 9.0)
    assert not program._several
    for block, several in ((-1, False), (0, False), (0, False), (1, True), (2, True)):
        program.unknowns(low, high, block=block)
        assert program._several is several


def test_what_weighs_nothing_hides_no_bound() -> None:
    program = Program()
    first, second = program.unknowns(np.zeros(2), np.full(2, 9.0), block=0)
    program.row([first, second], [0.0, 2.0], 0.0, 7.0)
    program.row([first], [0.0], 0.0, 1.0)
    low, high = program._bounds(np.zeros(2))
    assert (low.tolist(), high.tolist()) == ([0, 0], [9, 3])


@pytest.mark.parametrize(
    ("blocks", "whole"),
    [((0, 1), ["001", "101", "111"]), ((0, 0), ["001", "001", "001"])],
)
@pytest.mark.parametrize("at_once", [False, True])
def test_margins_then_all_are_asked_to_be_whole_where_tables_are_several(
    blocks: tuple[int, int], whole: list[str], at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def corner(wanted: Floats, *given: Any) -> Floats:
        asked.append("".join(map(str, map(int, given[4]))))
        return np.full(len(wanted), 2.0 if at_once else 2.5)

    monkeypatch.setattr("sdcmetrics.report.safety.protect.program._milp", corner)
    program = Program()
    for block, integral in ((-1, False), (blocks[0], False), (blocks[1], True)):
        program.unknowns([0.0], [9.0], block=block, integral=integral)
    program.row([0, 1], [1.0, 1.0], 0.0, 9.0)
    result = program._corner(np.zeros(3), 0.0, np.ones(1, dtype=bool), np.arange(3))
    assert result is not None
    assert result.tolist() == [2, 2, 2]
    assert asked == (whole[:1] if at_once else whole)
