"""The list of what a release makes coarser, for whoever checks it inside."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.report import coarsened
from sdcmetrics.report.safety.protect.audit import Ends
from sdcmetrics.report.safety.protect.coarsened import _cells
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study
from tests.report.protect.test_indistinguishable import brief, confidential, reviewed


def test_the_list_names_the_levels_cells_and_figures_and_says_why() -> None:
    result = coarsened(reviewed())
    assert (result["why"] != "").all()
    folded = result[result["what"] == "levels"]
    assert folded["cell"].str.contains("dancer").any()
    assert (result.loc[result["what"] == "CIO", "why"] == "it depends on exact records").all()
    small = result[result["what"] == "cell"]
    assert set(small["shown"]) <= {"with others"}
    assert not result.duplicated().any()


@cache
def few_columns() -> Review:
    return conduct(brief(confidential()))


@pytest.mark.parametrize("zeros", [True, False])
def test_that_zero_is_too_few_is_said_where_it_is(*, zeros: bool) -> None:
    review = few_columns()
    profile = replace(load_profile(review.study.profile), zeros_disclosive=zeros)
    why = coarsened(review, profile)["why"]
    few = why[why.str.contains("original records")]
    assert len(few)
    assert few.str.contains("zero included").eq(zeros).all()


def test_a_level_with_a_bar_in_its_label_is_one() -> None:
    def frame(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        return pd.DataFrame({"a": rng.choice(["x|y", "z"], 90), "b": rng.choice(["p", "q"], 90)})

    review = conduct(Study(frame(1), {"r": frame(2)}, keys=["a"], targets=["b"]))
    assert not (coarsened(review)["what"] == "levels").any()


@pytest.mark.parametrize(("ways", "tables"), [([1, 2], True), ([1, 3], False)])
def test_tables_of_two_are_listed_where_a_review_has_them(ways: list[int], *, tables: bool) -> None:
    study = copy(few_columns().study)
    object.__setattr__(study, "options", replace(study.options, ways=ways))
    result = coarsened(replace(few_columns(), study=study))
    assert result["what"].isin(["table", "cell"]).any() == tables


def test_a_cell_is_hidden_or_small_or_told() -> None:
    groups = [SimpleNamespace(label="x"), SimpleNamespace(label="y")]
    distributions = {name: SimpleNamespace(groups=groups, role=0) for name in "abc"}
    ends = Ends(
        np.array([[0, 0], [9, 10]]), np.array([[9, 60], [20, 59]]), np.zeros((2, 2), dtype=int),
        np.zeros((2, 2), dtype=int), (55, 60),
    )  # fmt: skip
    tables = {("a", "b"): SimpleNamespace(ends=ends), ("a", "c"): SimpleNamespace(ends=None)}
    protected: Any = SimpleNamespace(distributions=distributions, tables=tables)
    rows = list(_cells(protected, 10, "few"))
    assert [row[:3] for row in rows] == [
        ("cell", "a, b", "x x x"), ("cell", "a, b", "x x y"), ("cell", "a, b", "y x x"),
        ("table", "a, c", "all"), ("table", "b, c", "all"),
    ]  # fmt: skip
    assert [row[-1] for row in rows] == [
        "few", "hidden, or else a small count beside it could be solved for", "few",
        *["a small count could be solved for, or too few cells can be told"] * 2,
    ]  # fmt: skip
