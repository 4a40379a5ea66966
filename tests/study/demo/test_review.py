"""The demo's study is a file that a user can change and run."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.demo.review import write_study


def test_what_it_writes_is_the_study_that_it_conducts(tmp_path: Path) -> None:
    written, own = sdc.read_study(write_study(tmp_path / "study")), sdc.demo.study()
    for part in (
        "scenarios",
        "models",
        "rules",
        "options",
        "ranking",
        "title",
        "context",
        "profile",
    ):
        assert getattr(written, part) == getattr(own, part), part
    first, other = (
        conduct(study, holdout=False, reference_values=False) for study in (written, own)
    )
    pd.testing.assert_frame_equal(first.frame, other.frame)
    assert first.distributions == other.distributions
    assert list(first.study.replicas) == list(other.study.replicas)
    assert written.holdout is not None
    assert written.holdout.n == 314
