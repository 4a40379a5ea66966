"""What a program of unknown counts is made of."""

from __future__ import annotations

import numpy as np

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
