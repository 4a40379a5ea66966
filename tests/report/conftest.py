"""Small reviews with everything in them that a report must survive or keep to itself."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, Threshold
from sdcmetrics.study.study import Study

HOSTILE = (
    "<script>alert(1)</script>",
    "</script></style></title><b>",
    '"><img src=x onerror=alert(1)>',
    "=cmd|' /C calc'!A0",
    "الدخل السنوي",
    "long " + "x" * 4995,
    "a | b || c",
)
RARE = ("Kazakhstani dancer", "Zanzibar gaoler")
"""Labels of levels that fewer than ten original records have."""

NOW = dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC)


def sample(n: int, seed: int) -> pd.DataFrame:
    """Return survey-like data: rare levels, missing values, a skewed number."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 91, n)
    region = rng.choice(["North", "South", "East", "West"], n, p=[0.4, 0.3, 0.2, 0.1])
    job = rng.choice(["clerk", "farmer", "teacher"], n).astype(object)
    job[:7], job[7:11] = RARE
    income = np.round(rng.lognormal(8, 1, n), 2)
    vote = np.where(rng.random(n) < 0.2 + age / 200, "yes", "no").astype(object)
    vote[20:24] = None
    return pd.DataFrame({"age": age, "region": region, "job": job, "income": income, "vote": vote})


@pytest.fixture(scope="session")
def review(tmp_path_factory: pytest.TempPathFactory) -> Review:
    """Two replicas, one of two syntheses, read from files so that there are digests and names."""
    folder: Path = tmp_path_factory.mktemp("secret-folder")
    original = sample(400, 1)
    original.to_csv(folder / "confidential_extract.csv", index=False)
    good, other = sample(400, 2), sample(400, 3)
    copy = original.copy()
    copy["vote"] = copy["vote"].sample(frac=1, random_state=4).to_numpy()
    for name, frame in (("good_1", good), ("good_2", other), ("copy", copy)):
        frame.to_csv(folder / f"{name}.csv", index=False)
    study = Study(
        folder / "confidential_extract.csv",
        {"good": [folder / "good_1.csv", folder / "good_2.csv"], "copy": folder / "copy.csv"},
        keys=["region", "job"],
        targets=["vote", "age"],
        title="A small survey",
        context={"recipient": "students", "purpose": "teaching"},
        command=f"sdcmetrics review {folder}/study.toml --seed 8128",
        ngroups_targets={"age": 5},
    )
    return conduct(study, now=NOW)


@pytest.fixture(scope="session")
def hostile_review() -> Review:
    """Every name and label is an attack."""
    rng = np.random.default_rng(7)

    def frame(n: int) -> pd.DataFrame:
        columns = {name: rng.choice([*HOSTILE, "plain"], n) for name in HOSTILE}
        columns["number\u202e\x07"] = rng.integers(0, 50, n)
        return pd.DataFrame(columns)

    study = Study(
        frame(300),
        {"<svg onload=x>": frame(300), "+1": frame(300)},
        keys=HOSTILE[:2],
        targets=HOSTILE[2:5],
        title="<h1>{{ 7 * 7 }}</h1>",
        context={"<i>purpose</i>": "</td><script>", "recipient": "{% raw %}"},
        command="<script>",
    )
    return conduct(study, now=NOW)


def threshold(metric: str, review: float, fail: float) -> Threshold:
    """Return a threshold with the rest filled in."""
    return Threshold(metric, review, fail, "a paper", "the unit", dt.date(2026, 11, 21), "rule")


@pytest.fixture(scope="session")
def profile() -> Profile:
    """Return the rules of an agency that judges risk and utility."""
    limits = (
        threshold("S_pMSE", 3, 10),
        threshold("DiSCO", 5, 15),
        threshold("repU", 1, 5),
        threshold("ROC", 0.9, 0.5),
    )
    return Profile("agency", "Agency rules", "SDC unit", {t.metric: t for t in limits})


@pytest.fixture(scope="session")
def lenient() -> Profile:
    """Return rules without any threshold."""
    return Profile("none", "No thresholds", "SDC unit", {})
