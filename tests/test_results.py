"""How results show themselves."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc

RNG = np.random.default_rng(3)
ORIGINAL = pd.DataFrame({"x": RNG.integers(0, 9, 60), "y": RNG.normal(size=60)})
REPLICA = ORIGINAL.assign(y=RNG.normal(size=60))

RESULTS = {
    "FitOverlap": lambda: sdc.fit_overlap(ORIGINAL, REPLICA, "y ~ x"),
    "SyntheticFit": lambda: sdc.synthetic_fit("y ~ x", REPLICA),
    "WeightedOverlap": lambda: sdc.weighted_overlap(ORIGINAL, REPLICA, models=["y ~ x"]),
    "MeanOverlap": lambda: sdc.mean_ci_overlap(ORIGINAL, REPLICA),
    "BackwardElimination": lambda: sdc.backward_elimination(ORIGINAL, "y ~ x"),
    "RuleCheck": lambda: sdc.check_rules(ORIGINAL, REPLICA, "y < x"),
    "FoundRules": lambda: sdc.find_rules(ORIGINAL, REPLICA),
    "UtilityGen": lambda: sdc.utility_gen(ORIGINAL, REPLICA, method="logit"),
}


@pytest.mark.parametrize("name", list(RESULTS))
def test_a_result_is_one_short_line_and_a_table_without_markup_of_the_data(name: str) -> None:
    result: Any = RESULTS[name]()
    assert type(result).__name__ == name
    assert repr(result).startswith(f"{name}(")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 250
    assert result.fixes == ()
    assert "<table>" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.fixes = ("other",)


def test_the_text_of_a_rule_is_no_markup() -> None:
    shown = sdc.check_rules(ORIGINAL, REPLICA, "y < x")._repr_html_()
    assert "y &lt; x" in shown
    assert "y < x" not in shown


def test_every_public_result_shows_itself_in_a_notebook() -> None:
    public = [getattr(sdc, name) for name in sdc.__all__]
    results = [
        one
        for one in public
        if dataclasses.is_dataclass(one)
        and any("DataFrame" in str(field.type) for field in dataclasses.fields(one))
    ]
    assert len(results) > 30
    assert [one.__name__ for one in results if not hasattr(one, "_repr_html_")] == []
    people = ORIGINAL.assign(y=ORIGINAL["y"].round())
    made: list[Any] = [
        sdc.disclosure(people, people, keys=["x"], target="y"),
        sdc.cap(people, people, keys=["x"], target="y"),
        sdc.distance_to_closest_record(people[:30], REPLICA.round(), people[30:]),
        sdc.compare(people, people),
        sdc.ratio_of_counts(people, people),
        sdc.replicated_uniques(people, people, keys=["x"]),
        sdc.check_holdout(people[:30], people[30:]),
        sdc.remove_replicated_uniques(people, people, keys=["x"]),
        sdc.CrossCheck(pd.DataFrame({"verdict": ["equal"], "explained": [True]})),
    ]
    for one in made:
        assert one._repr_html_().startswith(f"<table><caption>{type(one).__name__}</caption>")
