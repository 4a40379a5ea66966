"""Native propensity measures beside what synthpop answered, for every recorded call."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.recorded import Case, all_cases, arguments, number

RTOL = {"logit": 1e-8, "cart": 1e-10}
OPTIONS = {
    "method": "method",
    "maxorder": "maxorder",
    "ngroups": "ngroups",
    "k.syn": "k_syn",
    "vars": "variables",
    "resamp.method": "resampling",
}


def calls() -> list[Any]:
    return [
        pytest.param(case, name, call, id=f"{case.name}-{name}")
        for case in all_cases()
        for name, call in case.calls("utility.gen")
    ]


def each(value: Any, m: int) -> list[float]:
    values = value if isinstance(value, list) else [value] * m
    return [number(v) for v in values]


@pytest.mark.parametrize(("case", "name", "call"), calls())
def test_utility_gen_equals_synthpop(case: Case, name: str, call: dict[str, Any]) -> None:
    given = arguments(call)
    assert set(given) <= set(OPTIONS), "the test does not know one of synthpop's options"
    ours = sdc.utility_gen(
        case.original(),
        case.synthetic(),
        missing_codes=case.missing_codes,
        **{OPTIONS[key]: value for key, value in given.items()},
    )
    table = ours.per_synthesis
    expected = case.expected[name]
    if "error" in expected or name in case.divergences:
        assert name in case.divergences, expected
        assert np.isfinite(table["pMSE"]).all()
        assert (table["pMSE"] < 0.25).all()
        return
    rtol = RTOL[given["method"]]
    for symbol in ("pMSE", "S_pMSE", "SPECKS", "PO50", "U"):
        theirs = each(expected[symbol], len(table))
        assert table[symbol].tolist() == pytest.approx(theirs, rel=rtol, nan_ok=True), symbol
    for degrees in each(expected["df"], len(table)):
        if not math.isnan(degrees):
            assert (table["df"] == degrees).all()
    for model, parameters in zip(expected["aux"], table["parameters"], strict=True):
        if "leaves" in model:
            assert parameters == model["leaves"]
        else:
            assert parameters == sum(value != "NA" for value in model["coef"])


def test_a_fit_that_diverges_in_synthpop_is_finite_and_noted() -> None:
    original = pd.DataFrame({"a": list("xxyyzz") * 20, "b": list("uvuvuu") * 20})
    replica = pd.DataFrame({"a": list("xxyyzz") * 20, "b": list("uuuvuv") * 20})
    result = sdc.utility_gen(original, replica, method="logit", maxorder=1)
    row = result.per_synthesis.iloc[0]
    assert row["separated"] > 0
    assert row["converged"]
    assert 0 < row["pMSE"] < 0.25
    assert any("separation" in note for note in result.notes)
