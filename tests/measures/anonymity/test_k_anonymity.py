"""How many records share each key combination."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from sdcmetrics import k_anonymity
from sdcmetrics.errors import StudyError
from tests.demo import answers, demo
from tests.measures.anonymity.files import files


def _fits(one: pd.Series, other: pd.Series) -> bool:
    return all(pd.isna(a) or pd.isna(b) or a == b for a, b in zip(one, other, strict=True))


def _equal(one: pd.Series, other: pd.Series) -> bool:
    pairs = zip(one, other, strict=True)
    return all((pd.isna(a) and pd.isna(b)) or (not pd.isna(a) and a == b) for a, b in pairs)


@settings(max_examples=60, deadline=None)
@given(files())
def test_every_record_counts_those_with_its_keys(file: pd.DataFrame) -> None:
    rows = [row for _, row in file.iterrows()]
    expected = [sum(_equal(row, other) for other in rows) for row in rows]
    result = k_anonymity(file, keys=list(file.columns))
    assert result.of_record.tolist() == expected
    assert result.k == min(expected)
    assert int(result.below.loc[3, "records_below"]) == sum(size < 3 for size in expected)
    assert result.sizes.sum() == result.classes


@settings(max_examples=60, deadline=None)
@given(files())
def test_a_wildcard_fits_every_value(file: pd.DataFrame) -> None:
    rows = [row for _, row in file.iterrows()]
    expected = [sum(_fits(row, other) for other in rows) for row in rows]
    result = k_anonymity(file, keys=list(file.columns), missing="wildcard")
    assert result.of_record.tolist() == expected


def test_text_numbers_and_categories_as_keys_give_the_same() -> None:
    numbers = pd.Series([1, 2, 2, 30, 30, 30])
    answers = [
        k_anonymity(pd.DataFrame({"key": column}), keys="key").of_record.tolist()
        for column in (numbers, numbers.astype(str), numbers.astype("category"))
    ]
    assert answers == [[1, 2, 2, 3, 3, 3]] * 3


def test_records_without_any_key_are_counted() -> None:
    file = pd.DataFrame({"a": [None, None, "x"], "b": [np.nan, np.nan, 1.0]})
    assert k_anonymity(file, keys=["a", "b"]).all_missing == 2


def test_a_kind_of_missing_that_does_not_exist_is_refused() -> None:
    with pytest.raises(StudyError, match="one of 'level', 'wildcard'"):
        k_anonymity(pd.DataFrame({"a": [1]}), keys="a", missing="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("keys", [["educ", "PID"], ["age", "educ", "PID"]])
def test_counts_equal_those_of_sdcmicro(keys: list[str]) -> None:
    expected = answers("anonymity")["records below"]["_".join(keys)]
    result = k_anonymity(demo(), keys=keys).below["records_below"].tolist()
    assert result[: len(expected)] == expected
