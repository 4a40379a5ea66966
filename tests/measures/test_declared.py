"""What every declaration says of its measure, whatever is measured."""

from __future__ import annotations

from sdcmetrics.measures.registry import MEASURES

PERCENTAGES = {(0, 100), (0, None), (-50, 50), (-100, 100)}
SMALLEST = {None, -1, 0}


def test_ranges_are_those_that_shares_and_numbers_have() -> None:
    for symbol, measure in MEASURES.items():
        ends = measure.low, measure.high
        if measure.unit == "percent":
            assert ends in PERCENTAGES, symbol
        elif symbol in ("l_original", "l_diversity"):  # of levels, there is one at least
            assert ends == (1, None)
        else:
            assert measure.low in SMALLEST, symbol
