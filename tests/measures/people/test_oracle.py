"""Beside a slow program for the same procedure; reference/decision holds what that answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.decision_faults import POPULATIONS
from sdcmetrics.measures.people import Claim, whose_records
from tests.measures.people.drawn import mixed, records
from tests.recorded import decision

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
KINDS = (
    "heavy tails",
    "rare categories",
    "few answers",
    "blanks",
    "stays",
    "rare flags",
    "institutions",
)
REPLICAS = ("fresh", "copies", "jitter", "recoded")
CASES = [
    (kind, what, 150 * ((i + j) % 2))
    for i, kind in enumerate(KINDS)
    for j, what in enumerate(REPLICAS)
]
"""Each kind with each replica, and each of both with a holdout and without."""


def files_of(kind: str, what: str, h: int) -> tuple[Any, Any, Any]:
    """Return an original of 150, a replica of it and a holdout of h, the last one None for 0."""
    rng = np.random.default_rng([KINDS.index(kind), h, len(what)])
    original, other, holdout = (POPULATIONS[kind](rng, size) for size in (150, 150, max(h, 1)))
    return original, _replica_of(what, original, other, rng), holdout if h else None


def _replica_of(
    what: str, original: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    if what == "fresh":
        return other
    if what == "copies":
        return mixed(pd.concat([other.iloc[20:], original.iloc[:20]], ignore_index=True))
    out = mixed(original)
    for column in out:
        number = pd.api.types.is_numeric_dtype(out[column])
        many = number and out[column].nunique() > 10
        if what == "jitter" and many:
            out[column] = out[column] + 0.02 * out[column].std() * rng.normal(size=len(out))
        elif what == "recoded" and many:
            out[column] = out[column] * 1.1
        elif what == "recoded" and not number:
            out[column] = "new " + out[column].astype(str)
    return out


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "what", "h"), CASES)
def test_claims_are_the_same_and_exact_tests_are_equal(kind: str, what: str, h: int) -> None:
    expected = decision("people")[f"{kind}, {what}, {h}"]
    out = whose_records(records(*files_of(kind, what, h)))
    p = expected["p"]
    if "TE" in p and ("LE" in out.tests) == expected["holdout"]:
        assert list(out.hits) == p["hits"]
        if expected["holdout"]:
            assert out.tests["LE"].p == pytest.approx(p["LE"], rel=1e-6)
        assert out.tests["TE"].smallest == pytest.approx(p["TE"], rel=1e-6, abs=1e-300)
    names = {NAMES[claim] for claim in expected["claims"]}
    close = {p.get(test, 1) for test in ("TN", "LN")}
    if not any(1e-6 < q < 0.03 for q in close):  # random ties decide there
        claims = set(out.claims) - {Claim.HOLDOUT_DIFFERS, Claim.CLOSER, Claim.OUTSIDERS}
        assert claims == names - {Claim.CLOSER}
