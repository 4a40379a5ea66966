"""Linkage to a real file of outsiders."""

from __future__ import annotations

import pandas as pd
import pytest

from sdcmetrics import external_linkage
from sdcmetrics.errors import ColumnError, StudyError
from tests.measures.attacks.populations import three


def test_counts_are_those_of_a_join() -> None:
    original, holdout, replica = three(1)
    register = pd.concat([original, three(7, n=300)[0]]).sample(400, random_state=1)
    keys = ["age", "region"]
    result = external_linkage(original, replica, holdout, external=register, keys=keys).table
    sizes = register.groupby(keys).size().rename("k").reset_index()
    for name, frame in (("original", original), ("synthetic", replica), ("holdout", holdout)):
        k = frame[keys].merge(sizes, on=keys, how="left")["k"].fillna(0)
        assert result.loc[name, "known"] == pytest.approx(100 * (k > 0).mean(), abs=0.051)
        assert result.loc[name, "alone"] == pytest.approx(100 * (k == 1).mean(), abs=0.051)
        own = frame.groupby(keys)["age"].transform("size").to_numpy()
        both = 100 * ((k == 1) & (own == 1)).mean()
        assert result.loc[name, "one_to_one"] == pytest.approx(both, abs=0.051)
        assert result.loc[name, "records"] == len(frame)
        right = 100 * (1 / k[k > 0]).sum() / len(k)
        assert result.loc[name, "right"] == pytest.approx(right, abs=0.051)
        assert result.loc[name, "k_map"] == k[k > 0].min()


def test_a_file_of_others_links_to_nobody() -> None:
    file = pd.DataFrame({"age": [1, 2, 2]})
    table = external_linkage(file, file + 9, external=file, keys="age").table
    values = {"known": 0.0, "alone": 0.0, "one_to_one": 0.0, "right": 0.0}
    assert table.loc["synthetic", [*values]].to_dict() == values
    assert pd.isna(table.loc["synthetic", "k_map"])
    assert table.loc["original", "right"] == 66.7  # one, and one of two for each of two


def test_a_copy_links_as_the_original_does() -> None:
    original, holdout, _ = three(2)
    table = external_linkage(
        original, original, holdout, external=original, keys=["age", "income"]
    ).table
    assert table.loc["synthetic"].tolist() == table.loc["original"].tolist()
    assert table.loc["original", "known"] == 100
    assert table.loc["holdout", "known"] < 50


def test_each_synthesis_has_a_row_and_the_register_no_row_of_its_own() -> None:
    original, _, replica = three(3)
    result = external_linkage(original, [replica, replica], external=original, keys=["age"])
    assert list(result.table.index) == ["original", "synthetic 1", "synthetic 2"]
    assert result.people == len(original)


def test_what_is_wrong_is_named() -> None:
    original, _, replica = three(4)
    with pytest.raises(StudyError, match="keys"):
        external_linkage(original, replica, external=original, keys=[])
    with pytest.raises(ColumnError, match="income"):
        external_linkage(
            original, replica, external=original.drop(columns="income"), keys=["income"]
        )
