"""Cross-tables of a study: its ways, its rounding, its variables, synthesis by synthesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(50, 9, n).round(1), "g": rng.choice(list("abc"), n)})


SETS = [people(80, 1), people(60, 2), people(50, 3)]


def given(kind: Kind, **asked: Any) -> list[Given]:
    plan = sdc.Study(SETS[0], {"r": SETS[1:]}, keys=["g"], **asked)
    pair = Pair("r", plan.original, plan.replicas["r"])
    return list(kind.places(pair, plan, lambda _: None))


def test_every_way_has_its_tables_and_a_reason_where_there_are_none() -> None:
    first, second, third = given(CROSSTABLES, ways=(1, 2, 3), ngroups=4)
    assert [place.variables for place in first.places] == [("x",), ("g",)]
    assert [place.variables for place in second.places] == [("x", "g")]
    assert (third.each, third.reason) == ((), "there are only 2 variables")
    for place, ways in ((first, 1), (second, 2)):
        tables = sdc.utility_tables(SETS[0], SETS[1:], ways=ways, ngroups=4, per_synthesis=True)
        assert len(place.each) == 2
        for i, batches in enumerate(place.each, start=1):
            values = [sdc.MEASURES["S_pMSE"].function(batch) for batch in batches]  # type: ignore[attr-defined]
            expected = tables.xs(i, level="synthesis")["S_pMSE"]
            np.testing.assert_allclose(np.concatenate(values), expected)


def test_numbers_are_rounded_where_the_study_says_so() -> None:
    for step in (None, 10):
        asked = {} if step is None else {"round_to": {"x": step}}
        of_x, of_g = given(ONE_WAY, min_count=1, **asked)
        for place, name in ((of_x, "x"), (of_g, "g")):
            assert [p.variables for p in place.places] == [(name,)]
            for i, tables in enumerate(place.each):
                frames = [frame[name] for frame in (SETS[0], SETS[i + 1])]
                if step and name == "x":
                    frames = [(values / step).round() for values in frames]
                counts = pd.concat([v.value_counts() for v in frames], axis=1).fillna(0).to_numpy()
                pairs = sorted(zip(tables.original, tables.synthetic, strict=True))  # type: ignore[attr-defined]
                assert pairs == sorted(map(tuple, counts))
