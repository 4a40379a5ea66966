"""Rows that belong together and are not named so: they are noticed, and no p is made of them."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import sdcmetrics as sdc
from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks import belonging as module
from sdcmetrics.measures.attacks.belonging import Belonging, belonging
from sdcmetrics.measures.attacks.people import people
from tests.measures.attacks.populations import three


def families(rng: np.random.Generator, n: int, first: int = 0) -> pd.DataFrame:
    """Draw households that share a region and an income; ages are of persons."""
    home = np.repeat(np.arange(n), rng.integers(1, 6, n))[:n]
    return pd.DataFrame(
        {
            "region": rng.choice(list("abcdefghij"), n)[home],
            "income": np.round(rng.lognormal(10, 0.6, n), -2)[home],
            "age": rng.integers(0, 95, n),
            "home": first + home,
        }
    )


def drawn(seed: int, n: int = 120, h: int = 100, m: int = 120) -> list[pd.DataFrame]:
    rng = np.random.default_rng(seed)
    return [families(rng, n), families(rng, m, 1_000), families(rng, h, 2_000)]


def test_rows_belong_together_up_to_the_level() -> None:
    assert [Belonging(0.6, 0.5, p).together for p in (0.019, 0.02, 0.021)] == [True, True, False]


def test_unnamed_households_are_noticed_and_no_p_is_made_of_single_rows() -> None:
    for seed in range(5):
        frames = [frame.drop(columns="home") for frame in drawn(seed)]
        result = sdc.membership(*frames)
        assert result.figures["p_belonging"] <= 0.02
        assert math.isnan(result.p_value)
        assert "household or person in [sample]" in result.notes[0]
        with pytest.raises(DataError, match="belong together"):
            sdc.epsilon_of_release(*frames, random_holdout=True)


def test_a_copy_is_found_though_rows_belong_together_and_nobody_says_so() -> None:
    original, _, holdout = (frame.drop(columns="home") for frame in drawn(2))
    result = sdc.membership(original, original, holdout)
    assert result.p_value < 1e-6
    assert "household or person in [sample]" in result.notes[0]


def test_what_is_left_of_a_p_is_that_of_six_rows_as_one() -> None:
    rows = Belonging(share=0.7, expected=0.5, p_value=0.001)
    assert rows.judged(1e-12) == pytest.approx(norm.sf(norm.isf(1e-12) / 6**0.5))
    assert math.isnan(rows.judged(1e-3))
    assert replace(rows, p_value=0.03).judged(1e-3) == 1e-3


def test_named_households_have_a_p() -> None:
    result = sdc.membership(*drawn(1), household="home")
    assert result.p_value > 0
    assert not result.notes
    assert math.isnan(result.figures["p_belonging"])


def test_people_on_their_own_are_said_to_belong_together_as_rarely_as_the_level_says() -> None:
    values = []
    for seed in range(80):
        rows = belonging(people(*three(seed, n=60, h=10, m=40)), seed=seed)
        assert rows is not None
        values.append(rows.p_value)
    assert sum(p <= 0.02 for p in values) <= 7  # Binomial(80, .02): 1 in 1,000 has more
    assert sum(p <= 0.5 for p in values) >= 26


def test_it_does_not_depend_on_the_replica_or_on_the_order_of_duplicates() -> None:
    """Eighty rows are of ten kinds: who is named first among equals says nothing."""
    values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": rng.choice(list("abcdefghij"), 80)})
        parts = frame.iloc[:40], frame.iloc[40:].reset_index(drop=True)
        rows = [belonging(people(parts[0], replica, parts[1]), seed=1) for replica in parts]
        assert rows[0] == rows[1]
        assert rows[0] is not None
        values.append(rows[0].p_value)
    assert sum(p <= 0.05 for p in values) <= 10
    assert np.mean(values) > 0.35


def test_a_copy_is_found_all_the_same_where_people_are_on_their_own() -> None:
    original, holdout, _ = three(3)
    result = sdc.membership(original, original, holdout)
    assert result.p_value < 1e-6
    assert result.figures["p_belonging"] > 0.02


def test_of_six_people_nothing_is_asked() -> None:
    assert belonging(people(*three(1, n=3, h=4, m=2)), seed=1) is None


@pytest.mark.parametrize("alike", [True, False])
def test_the_neighbours_of_one_sample_are_its_own_in_every_draw(*, alike: bool) -> None:
    data = people(*three(1, n=30, h=10, m=5))
    pool = SimpleNamespace(**{**vars(data), "n": data.n + data.h}) if alike else data
    result = module._belonging(pool, np.random.default_rng(1))  # type: ignore[arg-type]
    if alike:  # all labels are one
        assert (result.share, result.expected, result.p_value) == (1.0, 1.0, 1.0)
    else:
        pairs = data.n * (data.n - 1) + data.h * (data.h - 1)
        chance = pairs / ((data.n + data.h) * (data.n + data.h - 1))
        assert result.expected == pytest.approx(chance, abs=0.01)


def test_people_of_one_label_whose_neighbours_have_it_too_are_all_of_their_own() -> None:
    first, second = (
        pd.DataFrame({"g": [group] * 8, "x": np.arange(8.0) + start})
        for group, start in (("a", 0), ("b", 100))
    )
    assert module._belonging(people(first, first, second), np.random.default_rng(1)).share == 1.0
