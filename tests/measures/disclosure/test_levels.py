"""Disclosure by target level, beside a definition record by record."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import sdcmetrics as sdc

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=20)


def unanimous(records: list[tuple[str, str]], key: str, level: str) -> bool:
    return {first for other, first in records if other == key} == {level}


@settings(max_examples=40, deadline=None)
@given(original=rows, synthetic=rows)
def test_levels_are_counted_record_by_record(
    original: list[tuple[str, str]], synthetic: list[tuple[str, str]]
) -> None:
    frames = (pd.DataFrame(part, columns=["k", "t"]) for part in (original, synthetic))
    result = sdc.disclosure(*frames, keys=["k"], target="t").by_level.set_index("level")
    assert set(result.index) == {level for _, level in original}
    for level, row in result.iterrows():
        own = [(key, item) for key, item in original if item == level]
        assert row["records"] == len(own)
        assert row["disclosed"] == sum(unanimous(synthetic, *record) for record in own)
        assert row["by_original"] == sum(unanimous(original, *record) for record in own)
        low, _ = proportion_confint(row["disclosed"], len(own), method="wilson")
        assert row["excess"] == pytest.approx(low - len(own) / len(original), abs=1e-4)
    assert result["excess"].is_monotonic_decreasing
    assert result["disclosed"].sum() == pytest.approx(
        sdc.disclosure(
            *(pd.DataFrame(part, columns=["k", "t"]) for part in (original, synthetic)),
            keys=["k"],
            target="t",
        ).attribution["DiSCO"]
        * len(original)
        / 100
    )


def test_eight_of_eight_come_before_one_of_one() -> None:
    original = pd.DataFrame(
        {"k": [*"aaaaaaaa", "b", *"c" * 91], "t": [*"yyyyyyyy", "z", *"n" * 91]}
    )
    result = sdc.disclosure(original, original, keys=["k"], target="t").by_level
    assert result["level"].tolist() == ["y", "z", "n"]


def test_means_are_over_syntheses() -> None:
    original = pd.DataFrame({"k": list("ab"), "t": list("xy")})
    other = pd.DataFrame({"k": list("ab"), "t": list("yy")})
    result = sdc.disclosure(original, [original, other], keys=["k"], target="t").by_level
    assert dict(zip(result["level"], result["disclosed"], strict=True)) == {"x": 0.5, "y": 1.0}
