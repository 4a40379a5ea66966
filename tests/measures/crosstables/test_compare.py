from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, NotComputable, StudyError


class TestCompare:
    def test_levels_are_matched_by_label(self) -> None:
        original = pd.DataFrame({"g": pd.Categorical(list("xxy"), categories=["x", "y"])})
        replica = pd.DataFrame({"g": pd.Categorical(list("zxx"), categories=["z", "x"])})
        table = sdc.compare(original, replica, stat="counts").of("g")
        assert table["original"].to_dict() == {"x": 2, "y": 1, "z": 0}
        assert table["synthetic"].to_dict() == {"x": 2, "y": 0, "z": 1}

    def test_percentages_are_of_each_file_and_of_all_syntheses_together(self) -> None:
        files = [pd.DataFrame({"g": list(values)}) for values in ("xxxy", "xy", "xyyyyy")]
        table = sdc.compare(files[0], files[1:]).of("g")
        assert table["original"].to_dict() == {"x": 75, "y": 25}
        assert table["synthetic"].to_dict() == {"x": 25, "y": 75}

    def test_percentages_add_up_with_missing_and_codes(self) -> None:
        values = np.arange(40.0)
        values[:3], values[3:5] = np.nan, -8
        original = pd.DataFrame({"v": values})
        table = sdc.compare(original, original, missing_codes={"v": -8}).of("v")
        assert table["original"].sum() == pytest.approx(100)
        assert table.loc["-8", "original"] == 5
        assert table[table.index.isna()]["original"].tolist() == [7.5]
        assert (table["difference"] == 0).all()

    @pytest.mark.parametrize(("original", "replica", "grouped"), [(6, 2, True), (5, 9, False)])
    def test_six_values_of_the_original_make_a_histogram(
        self, original: int, replica: int, *, grouped: bool
    ) -> None:
        frames = [pd.DataFrame({"v": np.arange(n) * 1.5}) for n in (original, replica)]
        assert sdc.compare(*frames).of("v")["low"].notna().any() == grouped

    def test_dates_make_a_histogram(self) -> None:
        days = pd.date_range("2024-01-01", periods=30)
        table = sdc.compare(pd.DataFrame({"d": days}), pd.DataFrame({"d": days})).of("d")
        assert table["original"].sum() == pytest.approx(100)
        assert table.index[0].startswith("[2023-12-") or table.index[0].startswith("[2024-01-")

    def test_a_column_without_values_is_one_level(self) -> None:
        frame = pd.DataFrame({"v": [np.nan, np.nan], "w": [1, 2]})
        assert sdc.compare(frame, frame).of("v")["original"].tolist() == [100]

    def test_mistakes_are_refused(self) -> None:
        frame = pd.DataFrame({"v": [1, 2]})
        with pytest.raises(StudyError, match="'percents' or 'counts'"):
            sdc.compare(frame, frame, stat="percent")
        with pytest.raises(StudyError, match="at least 1"):
            sdc.compare(frame, frame, breaks=0)
        with pytest.raises(StudyError, match="ngroups: expected a whole number of at least 2"):
            sdc.compare(frame, frame, ngroups=1)


class TestReplicatedUniques:
    def test_numbers_are_compared_as_numbers_whatever_their_width(self) -> None:
        # synthpop formats "  5" and "5" and finds none of the three
        original = pd.DataFrame({"g": list("abcd"), "v": [5, 6, 7, 100]})
        replica = pd.DataFrame({"g": list("abcd"), "v": [5, 6, 7, 8]})
        table = sdc.replicated_uniques(original, replica, keys=["g", "v"]).table
        assert table["number"].tolist() == [4, 4, 3, 3]

    def test_one_key_counts_uniques_that_are_in_the_original(self) -> None:
        original = pd.DataFrame({"v": [1, 2, 2, 3]})
        replica = pd.DataFrame({"v": [1, 2, 4]})
        result = sdc.replicated_uniques(original, replica, keys="v")
        assert result.table["number"].tolist() == [2, 3, 2, 1]
        assert result.replicated[0].tolist() == [True, False, False]

    def test_missing_is_no_text(self) -> None:
        original = pd.DataFrame({"v": ["NA", None, "x", "x"]})
        replica = pd.DataFrame({"v": ["NA", "x", "x", "x"]})
        assert sdc.replicated_uniques(original, replica, keys="v").table["number"].tolist() == [
            2,
            1,
            1,
            1,
        ]

    def test_syntheses_of_other_sizes_have_their_own_totals(self) -> None:
        frame = pd.DataFrame({"v": [1, 2, 2]})
        result = sdc.replicated_uniques(frame, [frame, frame.head(1)], keys="v")
        assert result.per_synthesis["total"].tolist() == [3, 3, 3, 3, 3, 1, 3, 3]
        older = sdc.replicated_uniques(frame, [frame, frame.head(1)], keys="v", synthpop="1.9-2")
        assert older.per_synthesis["total"].tolist() == [3, 3, 3, 3, 3, 1, 1, 1]

    def test_no_key_is_refused(self) -> None:
        with pytest.raises(StudyError, match="at least one column name"):
            sdc.replicated_uniques(pd.DataFrame({"v": [1]}), pd.DataFrame({"v": [1]}), keys=[])


class TestMutualInformation:
    FRAME = pd.DataFrame(
        {"x": list("aabb") * 3, "y": list("uuvv") * 3, "z": list("pqpq") * 3, "c": [1] * 12}
    )

    def test_normalised_is_1_for_the_same_and_0_for_independent_variables(self) -> None:
        matrix = sdc.mutual_information(self.FRAME, normalised=True)
        assert matrix.loc["x", "y"] == pytest.approx(1)
        assert matrix.loc["x", "z"] == pytest.approx(0, abs=1e-12)
        assert np.isnan(matrix.loc["c", "c"])
        pd.testing.assert_frame_equal(matrix, matrix.T)

    def test_a_constant_has_0_with_others_and_is_among_the_last(self) -> None:
        """0 of half the other's entropy."""
        matrix = sdc.mutual_information(self.FRAME, normalised=True)
        assert matrix.loc["c", ["x", "y", "z"]].tolist() == [0.0, 0.0, 0.0]
        constants = self.FRAME[["x", "c"]].assign(d="d")
        assert sdc.select_pairs(constants) == [("x", "c"), ("x", "d")]  # and no pair of both

    def test_the_original_is_named_where_it_has_no_records(self) -> None:
        with pytest.raises(DataError, match=r"^original: the data set has no records"):
            sdc.mutual_information(self.FRAME.head(0))

    def test_the_strongest_pairs_are_picked_and_tested(self) -> None:
        frame = self.FRAME.drop(columns="c").assign(w=[*"uuvv" * 2, *"uuuv"])
        pairs = sdc.select_pairs(frame, n=3)
        assert pairs == [("x", "y"), ("x", "w"), ("y", "w")]
        tables = sdc.utility_tables(frame, frame, tables=pairs)
        assert tables.index.tolist() == pairs
        whole = sdc.utility_tables(frame, frame)
        pd.testing.assert_frame_equal(tables, whole.loc[pairs], check_like=True)

    def test_a_named_table_is_checked(self) -> None:
        for tables, says in (
            ([], "at least one tuple"),
            ([("x", "y"), ("z",)], "all of the same length"),
            ([("x", "x")], "named twice"),
        ):
            with pytest.raises(StudyError, match=says):
                sdc.utility_tables(self.FRAME, self.FRAME, tables=tables)
        with pytest.raises(StudyError, match="give the one or the other"):
            sdc.utility_tables(self.FRAME, self.FRAME, tables=[("x", "y")], variables=["x"])

    def test_one_variable_has_no_pair(self) -> None:
        with pytest.raises(NotComputable):
            sdc.select_pairs(self.FRAME[["x"]])

    @pytest.mark.parametrize("n", [1, 2, 99])
    def test_so_many_pairs_are_picked_and_none_is_refused(self, n: int) -> None:
        pairs = sdc.select_pairs(self.FRAME, n=n)
        assert pairs[0] == ("x", "y")
        assert len(pairs) == min(n, 6)
        with pytest.raises(StudyError, match="n: expected a whole number of at least 1 but got 0"):
            sdc.select_pairs(self.FRAME, n=0)


class TestMeanOverlap:
    def test_a_constant_column_has_a_note_and_no_value(self) -> None:
        original = pd.DataFrame({"v": [1.0, 2, 3], "c": [5.0, 5, 5], "t": list("abc")})
        result = sdc.mean_ci_overlap(original, original)
        assert result.by_variable.index.tolist() == ["v", "c"]
        assert "no width" in result.by_variable.loc["c", "note"]
        assert result.mean == pytest.approx(1)

    def test_codes_are_left_out(self) -> None:
        original = pd.DataFrame({"v": [1.0, 2, 3, -8]})
        result = sdc.mean_ci_overlap(original, original, missing_codes={"v": -8})
        assert result.by_variable.loc["v", "original"] == 2

    def test_text_only_is_a_reason(self) -> None:
        frame = pd.DataFrame({"t": list("ab")})
        with pytest.raises(NotComputable, match="no column is numeric"):
            sdc.mean_ci_overlap(frame, frame)


def test_utility_is_the_mean_over_the_syntheses() -> None:
    rng = np.random.default_rng(9)
    original, *replicas = (
        pd.DataFrame({"a": rng.integers(0, 4, 50), "b": rng.integers(0, 3, 50)}) for _ in range(3)
    )
    each = [sdc.compare(original, replica).utility for replica in replicas]
    both = sdc.compare(original, replicas).utility
    pd.testing.assert_frame_equal(both, (each[0] + each[1]) / 2)
