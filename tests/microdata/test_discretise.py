"""Categories by the training data alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import MISSING, CodedVariable, encode
from sdcmetrics.microdata.discretise import ABOVE, BELOW, NOVEL, OTHER, by_training


def coded(training: object, other: object, most: int, **options: object) -> CodedVariable:
    data = pair(
        pd.DataFrame({"x": training}),
        pd.DataFrame({"x": other}),
        missing_codes=options.pop("missing_codes", None),  # type: ignore[arg-type]
    )
    return encode(data, by_training(most, **options), ["x"]).variables["x"]  # type: ignore[arg-type]


def labels(variable: CodedVariable, part: int) -> list[str | None]:
    return [variable.labels[code] for code in variable.parts[part]]


class TestNumbers:
    def test_few_distinct_values_are_categories_each(self) -> None:
        result = coded([0, 1, 1, 5], [5, 0, 0, 1], 3)
        assert labels(result, 0) == ["0", "1", "1", "5"]
        assert labels(result, 1) == ["5", "0", "0", "1"]

    def test_a_value_between_two_of_few_counts_as_the_nearer(self) -> None:
        assert labels(coded([0.0, 1.0, 5.0], [0.4, 0.6, 2.9, 3.1], 3), 1) == ["0", "1", "1", "5"]

    def test_values_outside_the_training_range_stay_visible(self) -> None:
        assert labels(coded([1, 2, 3], [0, 4, 2], 3), 1) == [BELOW, ABOVE, "2"]

    def test_many_values_are_cut_into_parts_of_equal_size(self) -> None:
        result = coded(list(range(100)), [0, 24, 25, 99], 4)
        assert np.bincount(result.parts[0])[:4].tolist() == [25, 25, 25, 25]
        assert labels(result, 1) == ["0 to 24", "0 to 24", "25 to 49", "75 to 99"]

    def test_the_zeros_of_a_zero_inflated_number_are_a_category(self) -> None:
        result = coded([0] * 90 + list(range(1, 11)), [0, 1, 10], 5)
        assert labels(result, 1) == ["0", "1 to 10", "1 to 10"]

    def test_a_peak_in_the_middle_or_at_the_end_is_a_category(self) -> None:
        middle = [-3, -2, -1, *[0] * 90, 1, 2, 3]
        assert labels(coded(middle, [-3, -1, 0, 1, 3], 5), 1) == [
            "-3 to -1",
            "-3 to -1",
            "0",
            "1 to 3",
            "1 to 3",
        ]
        end = [*range(10), *[10] * 90]
        assert labels(coded(end, [0, 9, 10], 5), 1) == ["0 to 9", "0 to 9", "10"]

    def test_missing_values_and_codes_are_categories_of_their_own(self) -> None:
        result = coded(
            [1.0, 2.0, np.nan, -8.0], [-8.0, 1.0, np.nan, 0.0], 3, missing_codes={"x": -8}
        )
        assert labels(result, 0) == ["1", "2", MISSING, "-8"]
        assert labels(result, 1) == ["-8", "1", MISSING, BELOW]

    def test_training_data_without_a_number_have_no_category_for_one(self) -> None:
        result = coded([np.nan, np.nan], [1.0, np.nan], 3)
        assert labels(result, 1) == [ABOVE, MISSING]

    def test_dates_are_labelled_as_dates(self) -> None:
        days = pd.date_range("2020-01-01", periods=40)
        result = coded(days, days[:3], 4)
        assert labels(result, 1) == ["2020-01-01 to 2020-01-10"] * 3

    @settings(max_examples=100, deadline=None, database=None)
    @given(
        st.lists(st.integers(-5, 30), min_size=1, max_size=60),
        st.lists(st.integers(-9, 40), min_size=1, max_size=20),
        st.integers(2, 8),
    )
    def test_training_values_have_no_more_categories_than_allowed(
        self, training: list[int], other: list[int], most: int
    ) -> None:
        result = coded(training, other, most)
        own = set(result.parts[0].tolist())
        assert len(own) <= most
        assert len(own) == 1 if len(set(training)) == 1 else len(own) > 1
        order = np.argsort(training, kind="stable")
        assert np.all(np.diff(result.parts[0][order].astype(int)) >= 0)
        for value, label in zip(other, labels(result, 1), strict=True):
            assert (label == BELOW) == (value < min(training))
            assert (label == ABOVE) == (value > max(training))
            if value in training:
                assert label == result.labels[result.parts[0][training.index(value)]]


class TestCategories:
    def test_the_rarest_levels_share_a_category(self) -> None:
        result = coded(list("aaabbcd"), list("abcdz"), 3)
        assert labels(result, 1) == ["a", "b", OTHER, OTHER, NOVEL]

    def test_as_many_levels_as_allowed_are_kept(self) -> None:
        assert labels(coded(list("aab"), list("ab"), 2), 1) == ["a", "b"]

    def test_every_level_is_kept_where_none_is_folded(self) -> None:
        assert labels(coded(list("aaabbcd"), list("dz"), 2, fold=False), 1) == ["d", "z"]


def test_one_category_is_too_few() -> None:
    with pytest.raises(StudyError, match="max_levels: expected a whole number of at least 2"):
        by_training(1)
