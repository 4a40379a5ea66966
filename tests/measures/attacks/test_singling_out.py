"""Descriptions that single out: what is left of many."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdcmetrics.measures.attacks.descriptions import Matches, descriptions
from sdcmetrics.measures.attacks.people import people


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
