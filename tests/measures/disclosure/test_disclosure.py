"""disclosure and multi_disclosure on frames."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.disclosure.versions import IDENTITY, columns

#                          0    1    2    3    4    5    6
ORIGINAL = pd.DataFrame(
    {
        "sex": ["f", "f", "m", "m", "m", "f", "m"],
        "age": [30, 30, 30, 40, 40, 50, 60],
        "ill": ["no", "no", "yes", "no", "yes", "no", "no"],
    }
)
# f30 no twice; m30 yes; m40 no; f50 yes; m70 no
REPLICA = pd.DataFrame(
    {
        "sex": ["f", "f", "m", "m", "f", "m"],
        "age": [30, 30, 30, 40, 50, 70],
        "ill": ["no", "no", "yes", "no", "yes", "no"],
    }
)
KEYS = ["sex", "age"]


def disclose(
    original: Any = ORIGINAL, synthetic: Any = REPLICA, **options: Any
) -> sdc.DisclosureResult:
    return sdc.disclosure(original, synthetic, **{"keys": KEYS, "target": "ill", **options})


def test_tables_of_figures_are_made_when_they_are_first_read_and_once() -> None:
    result = pickle.loads(pickle.dumps(disclose()))  # noqa: S301  (as a cached step is)
    assert "per_synthesis" not in vars(result)
    assert result.per_synthesis is result.per_synthesis
    assert result.identity.equals(disclose().identity)


class TestByHand:
    def test_identity(self) -> None:
        # Unique originals: 2 (m30), 5 (f50), 6 (m60); found: m30, f50, each unique there too.
        result = disclose()
        assert result.counts.loc[1, list(IDENTITY)].tolist() == [3, 4, 2, 2]
        assert result.identity["UiO"] == 100 * 3 / 7
        assert result.identity["UiS"] == 100 * 4 / 6
        assert result.identity["repU"] == 100 * 2 / 7

    def test_attribution(self) -> None:
        # Every key of the replica is unanimous. In it: all but record 6. Right: 0, 1, 2, 3.
        counts = disclose().counts.loc[1]
        assert counts["Dorig"] == 5  # all but the two of m40
        assert counts["Dsyn"] == 6
        assert counts["iS"] == 6
        assert counts["DiS"] == 6
        assert counts["DiSCO"] == 4
        assert counts["DiSDiO"] == 3
        assert disclose().attribution["max_denom"] == 2
        assert disclose().attribution["mean_denom"] == pytest.approx(4 / 3)

    def test_cap(self) -> None:
        cap = disclose().cap
        assert cap["baseCAPd"] == pytest.approx(100 * ((5 / 7) ** 2 + (2 / 7) ** 2))
        assert cap["CAPd"] == pytest.approx(100 * 6 / 7)
        assert cap["CAPs"] == pytest.approx(100)
        assert disclose().attribution["DCAPd"] == pytest.approx(100 * 4 / 7)
        assert cap["DCAPs"] == pytest.approx(100 * 4 / 6)  # one replica record fewer
        assert cap["DCAPb"] == pytest.approx(100 * 4 / 5)  # one of which no original has the key
        assert cap["TCAPs"] == pytest.approx(100 * 4 / 6)
        assert cap["TCAPb"] == pytest.approx(100 * 4 / 5)
        assert cap["TCAP"] == pytest.approx(100 * 4 / 6)  # over the 6 of DiS

    def test_records_at_risk_are_named_by_their_position(self) -> None:
        risk = disclose().records_at_risk
        assert risk.index.tolist() == [0, 1, 2, 3, 5]
        assert risk["repU"].tolist() == [0, 0, 1, 0, 1]
        assert risk["DiSCO"].tolist() == [1, 1, 1, 1, 0]
        assert risk["DiSDiO"].tolist() == [1, 1, 1, 0, 0]

    def test_records_at_risk_are_positions_whatever_the_frames_index_is(self) -> None:
        shifted = ORIGINAL.set_axis(range(100, 107))
        assert disclose(shifted).records_at_risk.index.tolist() == [0, 1, 2, 3, 5]

    @pytest.mark.parametrize("excluded", [None, "no", "yes"])
    def test_records_at_risk_add_up_to_the_counts(self, excluded: str | None) -> None:
        # Without "yes" record 3 is alone with its keys, and record 4 beside it is left out.
        result = disclose(not_target_levels=excluded)
        for name in ("repU", "DiSCO", "DiSDiO"):
            assert result.records_at_risk[name].sum() == result.counts.loc[1, name]

    def test_says_what_it_was_asked(self) -> None:
        result = disclose()
        assert result.keys == ("sex", "age")
        assert result.target == "ill"
        assert result.n_original == 7
        assert result.fixes == ()
        assert list(result.per_synthesis.columns) == [
            name for table in columns("1.9-3").values() for name in table.values()
        ]


class TestSeveralSyntheses:
    OTHER = pd.DataFrame({"sex": ["m", "m"], "age": [60, 40], "ill": ["no", "yes"]})

    def test_each_is_measured_and_the_mean_is_reported(self) -> None:
        both = disclose(synthetic=[REPLICA, self.OTHER])
        for i, frame in ((1, REPLICA), (2, self.OTHER)):
            alone = disclose(synthetic=frame)
            pd.testing.assert_series_equal(
                both.per_synthesis.loc[i], alone.per_synthesis.loc[1], check_names=False
            )
            pd.testing.assert_frame_equal(both.exclusions.loc[i], alone.exclusions.loc[1])
        mean = both.per_synthesis.mean()
        pd.testing.assert_series_equal(
            both.attribution, mean[list(columns("1.9-3")["attribution"].values())]
        )

    def test_records_at_risk_count_the_syntheses(self) -> None:
        risk = disclose(synthetic=[REPLICA, self.OTHER, REPLICA]).records_at_risk
        assert risk.index.tolist() == [0, 1, 2, 3, 4, 5, 6]
        assert risk["repU"].tolist() == [0, 0, 2, 0, 0, 2, 1]
        assert risk["DiSCO"].tolist() == [2, 2, 2, 2, 1, 0, 1]

    def test_flags_say_which_synthesis(self) -> None:
        original = pd.DataFrame({"k": ["a"] * 60 + ["b"] * 4, "t": ["x"] * 60 + ["y"] * 4})
        nothing = pd.DataFrame({"k": ["z"], "t": ["x"]})
        result = sdc.disclosure(original, [nothing, original], keys=["k"], target="t")
        assert result.one_way["synthesis"].tolist() == [2]
        assert result.two_way["synthesis"].tolist() == [2]
        assert result.two_way.iloc[0][["target_level", "key", "key_level"]].tolist() == [
            "x",
            "k",
            "a",
        ]


class TestGroups:
    ORIGINAL = pd.DataFrame({"a": np.arange(40), "b": np.arange(40) * 2, "t": np.arange(40) // 4})
    COARSE = pd.DataFrame(
        {"a": np.repeat([0, 1], 20), "b": np.arange(40) * 2, "t": np.arange(40) // 4}
    )

    def unique(self, **options: Any) -> float:
        options = {"keys": ["b", "a"], "target": "t", **options}
        frame = self.ORIGINAL
        return float(sdc.disclosure(frame, frame, **options).identity["UiO"])

    def test_without_groups_every_value_is_a_level(self) -> None:
        assert self.unique() == 100.0

    @pytest.mark.parametrize("groups", [4, [4, 2], {"b": 4, "a": 2}, {"b": 4, "a": 4}, (4, 4)])
    def test_keys_can_be_grouped_all_alike_or_each_its_own_way(self, groups: Any) -> None:
        assert self.unique(ngroups_keys=groups) == 0.0

    def test_a_list_goes_by_the_order_in_which_the_keys_are_given(self) -> None:
        by_list = self.unique(ngroups_keys=[0, 2])  # b stays as it is
        by_name = self.unique(ngroups_keys={"a": 2})
        assert by_list == by_name == 100.0
        coarse = {"keys": ["b", "a"], "target": "t"}
        first = sdc.disclosure(self.COARSE, self.COARSE, ngroups_keys=[20, 0], **coarse)
        named = sdc.disclosure(self.COARSE, self.COARSE, ngroups_keys={"b": 20}, **coarse)
        pd.testing.assert_frame_equal(first.per_synthesis, named.per_synthesis)
        assert first.identity["UiO"] == 0.0

    def test_the_target_can_be_grouped(self) -> None:
        frame = self.ORIGINAL
        result = sdc.disclosure(frame, frame, keys=["a"], target="t", ngroups_target=2)
        assert result.cap["baseCAPd"] == pytest.approx(50.0)

    def test_zero_is_no_group(self) -> None:
        assert self.unique(ngroups_keys=0) == 100.0

    def test_codes_are_levels_of_their_own_where_keys_are_grouped(self) -> None:
        frame = pd.DataFrame({"a": [*range(20), -8], "t": list("xy" * 10 + "x")})
        options: dict[str, Any] = {"keys": ["a"], "target": "t", "ngroups_keys": 4}
        plain = sdc.disclosure(frame, frame, **options)
        coded = sdc.disclosure(frame, frame, missing_codes={"a": -8}, **options)
        assert plain.counts.loc[1, "UiO"] == 0
        assert coded.counts.loc[1, "UiO"] == 1


class TestMissing:
    ORIGINAL = pd.DataFrame(
        {
            "k": ["a", "Missing", None, "b", "b"],
            "l": ["u", "u", "u", None, "u"],
            "t": ["x", "x", "x", "x", None],
        }
    )

    def of(self, **options: Any) -> sdc.DisclosureResult:
        frame = self.ORIGINAL
        return sdc.disclosure(frame, frame, **{"keys": ["k", "l"], "target": "t", **options})

    def test_is_a_level_distinct_from_the_text(self) -> None:
        assert self.of().counts.loc[1, "repU"] == 5

    def test_records_with_a_missing_key_can_be_left_out(self) -> None:
        result = self.of(use_key_missing=False)
        assert result.counts.loc[1, "repU"] == 3
        assert result.counts.loc[1, "DiSCO"] == 3
        assert result.exclusions.loc[(1, "original"), "missing in keys"] == 2
        assert result.records_at_risk.index.tolist() == [0, 1, 4]

    @pytest.mark.parametrize("given", [[False, True], {"k": False}, {"k": False, "l": True}])
    def test_key_by_key(self, given: Any) -> None:
        assert self.of(use_key_missing=given).records_at_risk.index.tolist() == [0, 1, 3, 4]

    def test_the_order_of_three_keys_is_the_order_given(self) -> None:
        frame = self.ORIGINAL.assign(m=list("pqrst"))
        result = sdc.disclosure(
            frame, frame, keys=["m", "l", "k"], target="t", use_key_missing=[True, True, False]
        )
        assert result.records_at_risk.index.tolist() == [0, 1, 3, 4]
        assert result.exclusions.loc[(1, "original"), "missing in keys"] == 1

    def test_records_with_a_missing_target_can_be_left_out(self) -> None:
        result = self.of(use_target_missing=False)
        assert result.counts.loc[1, "DiSCO"] == 4
        assert result.exclusions.loc[(1, "original"), "missing target"] == 1

    def test_leaving_out_what_is_not_there_changes_nothing(self) -> None:
        pd.testing.assert_frame_equal(
            disclose(use_key_missing=False, use_target_missing=False).per_synthesis,
            disclose().per_synthesis,
        )

    @pytest.mark.parametrize(
        "column",
        [
            pd.Categorical(["a", None, "b"]),
            pd.array([True, None, False], dtype="boolean"),
            pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            [1.5, math.nan, 2.5],
        ],
    )
    def test_is_accepted_in_keys_of_every_kind(self, column: Any) -> None:
        frame = pd.DataFrame({"k": column, "t": list("xyx")})
        assert sdc.disclosure(frame, frame, keys=["k"], target="t").identity["repU"] == 100.0


class TestExclusions:
    def test_target_levels(self) -> None:
        result = disclose(not_target_levels="no")
        assert result.counts.loc[1, "DiSCO"] == 1
        assert result.records_at_risk["DiSCO"].sum() == 1
        assert result.exclusions.loc[(1, "original"), "excluded target"] == 5
        # The baseline is not affected; the number of all records is never reduced.
        assert result.cap["baseCAPd"] == disclose().cap["baseCAPd"]
        assert result.attribution["DiSCO"] == 100 * 1 / 7

    def test_identity_before_any_exclusion_is_kept(self) -> None:
        frame = pd.DataFrame({"k": list("aab"), "t": list("xyx")})
        result = sdc.disclosure(frame, frame, keys=["k"], target="t", not_target_levels=["y"])
        assert result.identity["UiO"] == pytest.approx(100 * 2 / 3)
        assert result.identity_unrestricted["UiO"] == pytest.approx(100 / 3)
        assert list(result.identity_unrestricted.index) == list(IDENTITY)

    def test_exclusions_come_after_unanimity_was_decided(self) -> None:
        original = pd.DataFrame({"k": list("aa"), "t": list("xy")})
        result = sdc.disclosure(original, original, keys=["k"], target="t", not_target_levels="y")
        assert result.counts.loc[1, "DiSCO"] == 0
        assert result.counts.loc[1, "Dorig"] == 0

    def test_combinations_of_a_key_level_and_a_target_level(self) -> None:
        result = disclose(exclusions=[("sex", "f", "no")])
        assert result.counts.loc[1, "DiSCO"] == 2
        assert result.exclusions.loc[(1, "original"), "set to exclude"] == 3

    def test_levels_can_be_given_as_they_stand_in_the_data(self) -> None:
        by_number = disclose(exclusions=[("age", 30, "yes")])
        by_text = disclose(exclusions=[("age", "30", "yes")])
        by_float = disclose(exclusions=[("age", np.float64(30), "yes")])
        assert by_number.counts.loc[1, "DiSCO"] == 3
        pd.testing.assert_frame_equal(by_number.counts, by_text.counts)
        pd.testing.assert_frame_equal(by_number.counts, by_float.counts)

    def test_levels_of_a_boolean_target(self) -> None:
        frame = pd.DataFrame({"k": list("abc"), "t": [True, True, False]})
        for level in (True, np.True_, "TRUE"):
            result = sdc.disclosure(frame, frame, keys=["k"], target="t", not_target_levels=[level])
            assert result.counts.loc[1, "DiSCO"] == 1

    @pytest.mark.parametrize("level", [1, 1.0, [1], "1", True])
    def test_a_single_level_need_not_be_a_list(self, level: Any) -> None:
        target = [True, True, False] if level is True else [1, 1, 0]
        frame = pd.DataFrame({"k": list("abc"), "t": target})
        result = sdc.disclosure(frame, frame, keys=["k"], target="t", not_target_levels=level)
        assert result.counts.loc[1, "DiSCO"] == 1

    def test_large_groups(self) -> None:
        result = disclose(denom_lim=1)
        assert result.counts.loc[1, "DiSCO"] == 2  # the group of two is left out
        assert result.counts.loc[1, "Dsyn"] == 4
        assert result.exclusions.loc[(1, "DiSCO"), "over denom_lim"] == 2

    def test_the_limit_of_groups_may_be_reached(self) -> None:
        pd.testing.assert_frame_equal(disclose(denom_lim=2).per_synthesis, disclose().per_synthesis)

    def test_table_of_exclusions(self) -> None:
        table = disclose(not_target_levels="yes").exclusions
        assert table.index.names == ["synthesis", "table"]
        assert table.columns.tolist() == [
            "excluded target",
            "missing target",
            "missing in keys",
            "set to exclude",
            "over denom_lim",
            "remaining",
        ]
        assert table.loc[(1, "synthetic")].tolist() == [2, 0, 0, 0, 0, 4]


class TestWrongOptions:
    FRAME = pd.DataFrame({"age": [1, 2], "income": ["a", "b"], "area": ["u", "v"]})

    def refuse(self, kind: type[Exception], match: str, **options: Any) -> str:
        given = {"keys": ["age", "area"], "target": "income", **options}
        with pytest.raises(kind, match=match) as caught:
            sdc.disclosure(self.FRAME, self.FRAME, **given)
        return str(caught.value)

    def test_names(self) -> None:
        self.refuse(
            ColumnError, "'agee' is not a column of original. Did you mean 'age'", keys=["agee"]
        )
        self.refuse(ColumnError, "Did you mean 'income'", target="incme")
        self.refuse(StudyError, "keys: expected at least one", keys=[])
        self.refuse(ColumnError, "'age' is given more than once", keys=["age", "age"])
        self.refuse(ColumnError, "both a key and the target", keys=["age", "income"])

    def test_groups(self) -> None:
        self.refuse(StudyError, "ngroups_keys: expected 2 values.*got 3", ngroups_keys=[1, 2, 3])
        self.refuse(StudyError, "ngroups_keys.*Did you mean 'age'", ngroups_keys={"agee": 3})
        self.refuse(StudyError, "^ngroups_keys: expected a whole number of at", ngroups_keys=-3)

    @pytest.mark.parametrize("number", [-1, 1])
    def test_too_few_groups_of_a_target_are_refused_by_the_name_of_the_option(
        self, number: int
    ) -> None:
        message = f"^ngroups_target: expected a whole number of at least 2 but got {number}"
        self.refuse(StudyError, message, keys=["area"], target="age", ngroups_target=number)
        of_many = message.replace("target", "targets")
        with pytest.raises(StudyError, match=of_many):
            sdc.multi_disclosure(
                self.FRAME, self.FRAME, keys=["area"], targets=["age"], ngroups_targets=number
            )

    def test_missing(self) -> None:
        self.refuse(StudyError, "use_key_missing: expected 2 values", use_key_missing=[True])
        self.refuse(StudyError, "Did you mean 'area'", use_key_missing={"aera": True})

    def test_levels(self) -> None:
        text = self.refuse(StudyError, "not_target_levels for 'income'", not_target_levels=["zz"])
        assert "zz" not in text
        self.refuse(StudyError, "exclusions for key 'age'", exclusions=[("age", 7, "a")])
        self.refuse(StudyError, "exclusions for target 'income'", exclusions=[("age", 1, "c")])

    def test_exclusions(self) -> None:
        self.refuse(
            StudyError, "'agee' is none of the keys 'age', 'area'", exclusions=[("agee", 1, "a")]
        )
        self.refuse(StudyError, "tuples of 3", exclusions=[("age", 1)])

    def test_an_unknown_level_is_refused_without_listing_the_known_ones(self) -> None:
        text = self.refuse(StudyError, "does not occur", not_target_levels=["zz"])
        assert "'a'" not in text
        assert "'b'" not in text


class TestMultiDisclosure:
    FRAME = pd.DataFrame(
        {
            "k": list("aabbcdde"),
            "l": [1, 1, 2, 2, 3, 3, 4, 4],
            "t": list("xxyyxyxy"),
            "u": [1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0],
        }
    )
    REPLICA = FRAME.iloc[[0, 0, 2, 4, 5, 7, 7]].reset_index(drop=True)

    def test_is_one_disclosure_a_target(self) -> None:
        table = sdc.multi_disclosure(self.FRAME, self.REPLICA, keys=["k"])
        assert table.index.tolist() == ["l", "t", "u"]
        assert table.index.name == "target"
        for target, row in table.iterrows():
            alone = sdc.disclosure(self.FRAME, self.REPLICA, keys=["k"], target=str(target))
            for part in (alone.identity, alone.attribution, alone.cap):
                for name, value in part.items():
                    assert row[name] == pytest.approx(value, nan_ok=True), (target, name)

    def test_of_several_syntheses(self) -> None:
        syntheses = [self.REPLICA, self.FRAME]
        table = sdc.multi_disclosure(self.FRAME, syntheses, keys=["k", "l"], targets=["t"])
        alone = sdc.disclosure(self.FRAME, syntheses, keys=["k", "l"], target="t")
        assert table.loc["t", "DiSCO"] == alone.attribution["DiSCO"]

    def test_targets_keep_the_order_given(self) -> None:
        table = sdc.multi_disclosure(self.FRAME, self.REPLICA, keys=["k"], targets=["u", "t"])
        assert table.index.tolist() == ["u", "t"]

    def test_one_target_can_be_given_as_text(self) -> None:
        table = sdc.multi_disclosure(self.FRAME, self.REPLICA, keys="k", targets="t")
        assert table.index.tolist() == ["t"]

    def test_options_go_by_target(self) -> None:
        table = sdc.multi_disclosure(
            self.FRAME,
            self.REPLICA,
            keys=["k"],
            targets=["t", "u"],
            ngroups_targets={"u": 2},
            use_target_missing=[True, False],
            not_target_levels={"t": "x"},
            exclusions={"t": [("k", "b", "y")]},
        )
        t = sdc.disclosure(
            self.FRAME,
            self.REPLICA,
            keys=["k"],
            target="t",
            not_target_levels="x",
            exclusions=[("k", "b", "y")],
        )
        u = sdc.disclosure(
            self.FRAME,
            self.REPLICA,
            keys=["k"],
            target="u",
            ngroups_target=2,
            use_target_missing=False,
        )
        assert table.loc["t", "DiSCO"] == t.attribution["DiSCO"]
        assert table.loc["u", "DCAPd"] == pytest.approx(u.attribution["DCAPd"])

    def test_flags_are_counted(self) -> None:
        frame = pd.DataFrame({"k": ["a"] * 60 + ["b"] * 9, "t": ["x"] * 60 + ["y"] * 5 + ["z"] * 4})
        table = sdc.multi_disclosure(frame, frame, keys=["k"])
        assert table.loc["t", ["check_1way", "check_2way"]].tolist() == [1, 1]

    def test_a_column_that_the_replica_lacks_is_no_target(self) -> None:
        table = sdc.multi_disclosure(self.FRAME, self.REPLICA.drop(columns="t"), keys=["k"])
        assert table.index.tolist() == ["l", "u"]
        assert any("'t': absent" in fix for fix in table.attrs["fixes"])

    def test_a_key_that_the_replica_lacks_is_refused(self) -> None:
        with pytest.raises(StudyError, match="key 'k'"):
            sdc.multi_disclosure(self.FRAME, self.REPLICA.drop(columns="k"), keys=["k"])

    @pytest.mark.parametrize(
        ("option", "given"),
        [
            ("ngroups_targets", {"tt": 3}),
            ("use_target_missing", {"tt": False}),
            ("not_target_levels", {"tt": "x"}),
            ("exclusions", {"tt": [("k", "a", "x")]}),
        ],
    )
    def test_an_option_for_an_unknown_target_is_refused_and_not_ignored(
        self, option: str, given: Any
    ) -> None:
        with pytest.raises(StudyError, match="'tt'"):
            sdc.multi_disclosure(
                self.FRAME, self.REPLICA, keys=["k"], targets=["t"], **{option: given}
            )
