"""Changes to replicas that an edition for outside lists: the original has no part in them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study


def test_what_coarsening_found_beside_the_original_is_listed_inside_only() -> None:
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({"region": rng.choice(levels, 200), "ill": rng.choice(["y", "n"], 200)})
        for levels in (["north", "south", "isles"], ["north", "south", "moon"])
    )
    groups = {"main": ["north", "south"], "other": "*"}
    study = Study(
        original,
        {"r": replica},
        keys=["region"],
        targets=["ill"],
        coarsen={"region": groups},
        candidates=0,
    )
    review = conduct(study)
    inside = [fix.what for _, fix in review.fixes]
    assert "1 level that original does not have, kept as a level of its own" in inside
    outside = [
        (name, fix.what.partition(",")[0]) for name, fix in protect(review, load_profile()).fixes
    ]
    assert outside == [("r", "coarsened")]
