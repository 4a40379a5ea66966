"""A metric of a suite in a review: measured where a preset names it, and drawn where it can be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.suites.daisynt.declared import METRICS as OF_DAISYNT
from sdcmetrics.suites.metric import Metric
from sdcmetrics.suites.syntheval.distributions import HELLINGER


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "job": rng.choice(list("ab"), n), "buys": x > rng.normal(size=n)})


def test_only_what_a_preset_names_is_measured_and_only_what_is_drawn_is_evidence(
    tmp_path: Path,
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('target = "buys"\n[metrics]\nIV_gap = {}\nh_dist = {}\n')
    replicas = {"one": people(60, 2), "two": [people(70, 3), people(50, 4)]}
    asked = {"ways": (1,), "perturbed": (), "candidates": 0, "permutations": 0, "preset": str(own)}
    review = sdc.conduct(
        sdc.Study(people(80, 1), replicas, keys=["job"], targets=["buys"], **asked)
    )
    (drawn,) = [metric for metric in OF_DAISYNT if metric.symbol == "IV_gap"]
    assert drawn.shown is not None
    assert HELLINGER.shown is None
    found = {replica: each for (replica, _), each in review.evidence.of(drawn).items()}
    assert {replica: len(each) for replica, each in found.items()} == {"one": 1, "two": 2}
    assert [kind for kind in review.evidence.kinds if isinstance(kind, Metric)] == [drawn]
    measured = {MEASURES[symbol].of for symbol in review.mean_rows()["metric"]}
    assert {kind for kind in measured if isinstance(kind, Metric)} == {drawn, HELLINGER}
