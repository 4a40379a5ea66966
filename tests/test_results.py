"""How results show themselves."""

from __future__ import annotations

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
