"""Chances of a file that is cut to fewer records."""

from __future__ import annotations

from math import comb

import pytest

from sdcmetrics.measures.disclosure.cut import _chances


@pytest.mark.parametrize(("m", "k"), [(6, 4), (9, 2), (5, 5), (4, 1)])
def test_none_of_some_is_left_and_one_alone_as_often_as_combinations_say(m: int, k: int) -> None:
    none, alone = _chances(m, k, m)
    assert none == pytest.approx([comb(m - s, k) / comb(m, k) for s in range(m)])
    assert alone == pytest.approx([comb(m - 1 - s, k - 1) / comb(m, k) for s in range(m)])
