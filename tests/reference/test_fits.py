"""Fitted models and replicated uniques beside what synthpop answered."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.twin import VERSIONS
from tests.recorded import Case, arguments, cases, each_call, number

RTOL = 1e-8
OPTIONS = {
    "population.inference": "population_inference",
    "ci.level": "level",
    "incomplete": "incomplete",
}
COLUMNS = {
    "coef.obs": ["original", "se_original"],
    "coef.syn": ["synthetic", "se_synthetic"],
}


def fit(case: Case, call: dict[str, Any]) -> sdc.FitOverlap:
    return sdc.fit_overlap(
        case.original(),
        case.synthetic(),
        formula=call["formula"],
        family=call["family"] or "gaussian",
        **{OPTIONS[key]: value for key, value in arguments(call).items()},
    )


def close(ours: Any, theirs: Any, what: str) -> None:
    theirs = np.array([number(value) for value in theirs])
    assert np.allclose(np.asarray(ours, dtype=float), theirs, rtol=RTOL, atol=1e-13), what


@pytest.mark.parametrize("case", cases("fit"))
def test_fit_overlap_equals_synthpop(case: Case) -> None:
    each_call(case, "fit", partial(check_fit, case))


def check_fit(case: Case, name: str, call: dict[str, Any]) -> None:
    expected = case.expected[name]
    ours = fit(case, call)
    table = ours.coefficients
    if name in case.divergences:
        # levels on one side only: what both have is compared, the rest is said
        assert ours.problems
        compared = table["CIO"].notna()
        assert compared.any()
        assert not compared.all()
        assert (table.loc[~compared, "flag"] != "").all()
        if "error" in expected:
            return
        at = [expected["terms"].index(term) for term in table.index[compared]]
        for kind, columns in COLUMNS.items():
            for j, column in enumerate(columns):
                theirs = [expected[kind][i][j] for i in at]
                close(table.loc[compared, column], theirs, column)
        theirs = [expected["ci.overlap"][i] for i in at]
        close(table.loc[compared, "CIO"], theirs, "CIO")
        return
    assert table.index.tolist() == expected["terms"]
    for kind, columns in COLUMNS.items():
        for j, column in enumerate(columns):
            close(table[column], [row[j] for row in expected[kind]], column)
    close(table["std_diff"], [row[3] for row in expected["coef.diff"]], "std_diff")
    close(table["CIO"], expected["ci.overlap"], "CIO")
    close(ours.mean_overlap, [expected["mean.ci.overlap"]], "mean overlap")
    close(ours.mean_abs_std_diff, [expected["mean.abs.std.diff"]], "mean difference")
    assert ours.lack_of_fit is not None
    close(ours.lack_of_fit.statistic, [expected["lack.of.fit"]], "lack of fit")
    close(ours.lack_of_fit.p_value, [expected["lof.pvalue"]], "p value")
    assert ours.lack_of_fit.df == expected["ncoef"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", cases("replicated.uniques"))
def test_replicated_uniques_equal_synthpop(case: Case, version: str) -> None:
    each_call(case, "replicated.uniques", partial(check_replicated_uniques, case, version))


def check_replicated_uniques(case: Case, version: str, name: str, call: dict[str, Any]) -> None:
    assert version == "1.9-2" or name in case.newer, f"no answer of {version} was recorded"
    expected = case.answers(version)[name]
    keys = call["keys"] if isinstance(call["keys"], list) else [call["keys"]]
    ours = sdc.replicated_uniques(case.original(), case.synthetic(), keys=keys, synthpop=version)
    m = len(ours.unique)
    tables = expected["res_tab"] if m > 1 else [expected["res_tab"]]
    for i, theirs in enumerate(tables, start=1):
        table = ours.per_synthesis.loc[i]
        assert table.index.tolist() == expected["rows"]
        rows = table.assign(percent=table["percent"].round(2)).to_numpy()
        assert np.allclose(rows, np.array(theirs, dtype=float), atol=0.0051)
        assert rows[:, :2].tolist() == [row[:2] for row in theirs]
