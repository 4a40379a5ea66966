"""What a reference is measured as: the distances and the share of the perturbed original."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.crosstables import counting
from sdcmetrics.measures.fidelity.marginal_fidelity import mean_distance
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.pair import pair as compared
from sdcmetrics.measures.references.places import SUBJECT
from sdcmetrics.microdata.frames import as_microdata


def people(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 6, n)
    return pd.DataFrame({"a": a.astype(str), "b": (a // 2).astype(str), "c": rng.normal(size=n)})


@pytest.mark.parametrize("shares", [(), (0.25, 1.0)])
def test_each_share_is_the_original_perturbed_and_compared(shares: tuple[float, ...]) -> None:
    original, holdout = (
        as_microdata(people(i, n), name) for i, n, name in ((1, 90, "o"), (2, 60, "h"))
    )
    given = Pair("one", original, [as_microdata(people(3, 80), "r")], holdout)
    steps: list[str] = []
    study = sdc.Study(
        people(1, 90), {"one": people(3, 80)}, keys=["a"], holdout=people(2, 60),
        perturbed=shares, seed=5,
    )  # fmt: skip
    (kind,) = SUBJECT.kinds
    (result,) = kind.places(given, study, lambda step, *_: steps.append(step))
    assert result.places[0].variables == ("a", "b", "c")
    assert [item.share for item in result.result] == list(shares)
    assert [step for step in steps if step.endswith("replaced")] == [
        f"reference: {share:.0%} of the values replaced" for share in shares
    ]
    for item in result.result:
        frame = sdc.perturb(people(1, 90), item.share, seed=5)
        tvd = sdc.marginal_fidelity(people(1, 90), frame)["tvd"]
        assert item.distances == pytest.approx(tvd.to_dict(), rel=1e-12)
        beside = sdc.distance_to_closest_record(
            people(1, 90), frame, people(2, 60), permutations=0, seed=5
        )
        assert item.closer == pytest.approx(beside.share)


@pytest.mark.parametrize("from_records", [1, 1_000])
def test_large_tables_are_counted_otherwise_with_the_same_distances(
    from_records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_MANY_RECORDS", from_records)
    sides = people(1, 90), people(3, 80)
    for side in sides:
        side.loc[side.index % 7 == 0, "a"] = None
        side.loc[side.index % 9 == 0, "c"] = np.nan
    tvd = sdc.marginal_fidelity(*sides)["tvd"].to_dict()
    distances = {k: mean_distance(compared(*sides), ways=k) for k in (1, 2, 3)}
    assert distances == pytest.approx(tvd, rel=1e-12)
