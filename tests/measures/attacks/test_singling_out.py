"""Descriptions that single out: what is left of many."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.attacks.descriptions import Matches, descriptions
from sdcmetrics.measures.attacks.people import people
from sdcmetrics.measures.attacks.singling_out import singling_out


@pytest.mark.parametrize("number", [29, 30])
def test_thirty_descriptions_are_enough_for_a_test(number: int) -> None:
    original, holdout = (
        pd.DataFrame({"name": [f"{side}{i}" for i in range(40)]}) for side in ("o", "h")
    )
    result = singling_out(original, original[:number], holdout, columns=1, permutations=99)
    assert result.figures["descriptions"] == number
    if number == 30:
        assert (result.p_value, result.notes) == (0.01, ())
    else:
        assert np.isnan(result.p_value)
        assert result.notes == ("29 descriptions are too few for a test",)


def test_of_many_records_only_descriptions_of_exactly_one_are_left() -> None:
    rng = np.random.default_rng(5)
    frames = [
        pd.DataFrame(
            {f"c{i}": rng.integers(0, 30, n) for i in range(6)}
            | {f"t{i}": rng.choice(list("abcdefgh"), n) for i in range(5)}
        )
        for n in (200, 3_000, 150)
    ]
    data = people(*frames)
    matches = Matches(data)
    made = descriptions(data, matches, 3, np.random.default_rng(1))
    assert len(made) == len(set(made)) == 5_000
    for item in made[::50]:
        fits = np.ones(3_000, dtype=bool)
        for name, sign, value in zip(item.columns, item.signs, item.values, strict=True):
            column = matches.replica[name]
            fits &= (
                column >= value if sign > 0 else column <= value if sign < 0 else column == value
            )
        assert fits.sum() == 1
    assert made == descriptions(data, matches, 3, np.random.default_rng(1))
