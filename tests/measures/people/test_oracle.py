"""Beside a slow program for the same procedure, where there is one."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, whose_records
from tests.measures.people.drawn import mixed, records

FOLDER = Path(__file__).parents[4] / "shared" / "reference" / "decision"
pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="there is no slow program to compare with"),
    pytest.mark.long,
]

NAMES = {
    "copy": Claim.COPY,
    "renamed": Claim.RENAMED,
    "aligned": Claim.ALIGNED,
    "people": Claim.HOLDS,
    "closest": Claim.EITHER,
    "follow": Claim.FOLLOWS,
    "closer": Claim.CLOSER,
    "columns": Claim.COLUMNS,
    "order": Claim.ORDER,
    "void": Claim.VOID,
    "undecided": Claim.UNDECIDED,
    "left_out": Claim.LEFT_OUT,
    "deduplicated": Claim.DEDUPLICATED,
    "nothing": Claim.FEW_COLUMNS,
}
KINDS = ("heavy", "zipf", "few", "missing", "stamps", "flags", "atoms")


@pytest.fixture(scope="module")
def slow() -> Any:
    sys.path.insert(0, str(FOLDER))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import people3
        import pops

        yield people3, pops.KINDS
    sys.path.remove(str(FOLDER))


def replica_of(
    what: Any, original: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator
) -> Any:
    if what == "fresh":
        return other
    if what == "copies":
        return mixed(pd.concat([other.iloc[20:], original.iloc[:20]], ignore_index=True))
    if what == "recoded":
        out = mixed(original)
        for column in out:
            if pd.api.types.is_numeric_dtype(out[column]) and out[column].nunique() > 10:
                out[column] = out[column] * 1.1
            elif not pd.api.types.is_numeric_dtype(out[column]):
                out[column] = "new " + out[column].astype(str)
        return out
    out = mixed(original)
    for column in out:
        if pd.api.types.is_numeric_dtype(out[column]) and out[column].nunique() > 10:
            out[column] = out[column] + 0.02 * out[column].std() * rng.normal(size=len(out))
    return out


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ["fresh", "copies", "jitter", "recoded"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_told_and_exact_tests_are_equal(kind: Any, what: Any, slow: Any) -> None:
    people3, kinds = slow
    for h in (150, 0):
        rng = np.random.default_rng([KINDS.index(kind), h, len(what)])
        original, other, holdout = (kinds[kind](rng, size) for size in (150, 150, max(h, 1)))
        replica = replica_of(what, original, other, rng)
        aside = holdout if h else None
        expected = people3.decide_people(original, replica, aside)
        out = whose_records(records(original, replica, aside))
        p = expected["p"]
        if "TE" in p and out.holdout != "differs" and ("LE" in out.tests) == bool(h):
            assert out.hits == p["hits"]
            if h:
                assert out.tests["LE"].p == pytest.approx(p["LE"], rel=1e-6)
            assert out.tests["TE"].smallest == pytest.approx(p["TE"], rel=1e-6, abs=1e-300)
        names = {NAMES[claim] for claim in expected["claims"]}
        close = {p.get(test, 1) for test in ("TN", "LN")}
        if not any(1e-6 < q < 0.03 for q in close):  # random ties decide there
            mine = set(out.claims) - {Claim.HOLDOUT_DIFFERS, Claim.CLOSER}
            assert mine == names - {Claim.CLOSER}
