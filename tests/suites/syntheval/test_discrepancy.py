"""Distances of all pairs: exact zeros for equal records, whatever the order of records."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.suites.syntheval.discrepancy import MMD, PERMUTATIONS
from sdcmetrics.suites.trio import Trio
from tests.measures.neighbours.test_every_pair import slow

Floats = npt.NDArray[np.float64]


@pytest.mark.parametrize("seed", range(4))
def test_the_bandwidth_does_not_depend_on_the_order_of_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (2, 60, 4)) * np.array([0.1, 0.3, 0.7, 1.1])
    gammas = []
    for order in (np.arange(60), rng.permutation(60)):
        frames = [pd.DataFrame(part[order], columns=[*"abcd"]) for part in values]
        data = [as_microdata(frame, name) for frame, name in zip(frames, "os", strict=True)]
        trio = Trio(data, harmonise(data[0], data[1:]))
        assert MMD.published is not None
        gammas.append(MMD.published(trio)["rbf_gamma"].value)
    distances = slow(_scaled(values))
    assert gammas[0] == pytest.approx(gammas[1], rel=1e-12)
    assert gammas[0] == pytest.approx(1 / (2 * np.median(distances[distances > 1e-9])), rel=1e-6)


def _scaled(values: Floats) -> Floats:
    """Scale as SynthEval does: to the original's range, then by its mean and deviation."""
    low, high = values[0].min(axis=0), values[0].max(axis=0)
    parts = (values - low) / (high - low)
    return np.concatenate((parts - parts[0].mean(axis=0)) / (parts[0].std(axis=0) + 1e-8))


def test_the_p_is_the_share_of_exchanges_that_differ_as_much() -> None:
    rng = np.random.default_rng(4)
    p = []
    for shift in (0.0, 9.0):
        sets = [
            as_microdata(
                pd.DataFrame({"x": rng.normal(mean, 1, (30)), "y": rng.normal(size=30)}), name
            )
            for mean, name in ((0.0, "original"), (shift, "synthetic"))
        ]
        p.append(MMD.measure(Trio(sets, harmonise(sets[0], sets[1:])))["p"].value)
    assert 0.05 < p[0] <= 1
    assert p[1] == 1 / (1 + PERMUTATIONS)


def test_the_discrepancy_is_that_of_all_pairs_of_records() -> None:
    rng = np.random.default_rng(7)
    frames = []
    for n in (34, 25):
        number = rng.integers(0, 40, n) / 100.0  # within half a unit, some of them equal
        number[1] = np.nan
        group = rng.choice(np.array(["a", "b", None], dtype=object), n)
        frames.append(pd.DataFrame({"g": group, "x": number, "y": [3.0] * n}))
    sets = [as_microdata(frame, name) for frame, name in zip(frames, "os", strict=True)]
    result = MMD.measure(Trio(sets, harmonise(sets[0], sets[1:])))["u_mmd"]
    records = pd.concat(frames, ignore_index=True)
    mean, deviation = frames[0]["x"].mean(), frames[0]["x"].std(ddof=0)
    group = records["g"].fillna("none").to_numpy()
    missing = records["x"].isna().to_numpy()
    scaled = np.where(missing, 0.0, (records["x"] - mean) / deviation)
    squares = (group[:, None] != group).astype(float) + (scaled[:, None] - scaled) ** 2
    distances = np.sqrt(squares + (missing[:, None] != missing))
    of_pairs = distances[np.triu_indices(59, 1)]
    kernel = np.exp(-distances / np.median(of_pairs[of_pairs > 0]))
    own, other, across = kernel[:34, :34], kernel[34:, 34:], kernel[:34, 34:]
    expected = (own.sum() - 34) / (34 * 33) + (other.sum() - 25) / (25 * 24) - 2 * across.mean()
    assert 0.0 < of_pairs[of_pairs > 0].min() < 1.0
    assert result.value == pytest.approx(expected)
    assert result.normalised == pytest.approx(1 - np.sqrt(max(0.0, expected)))
