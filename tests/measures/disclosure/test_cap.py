"""cap: the framework's correct attribution probability from frames."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError

ORIGINAL = pd.DataFrame({"k": list("aaabc"), "t": list("xxyxy")})
REPLICA = pd.DataFrame({"k": list("aabdd"), "t": list("xxyxy")})
NOWHERE = pd.DataFrame({"k": list("zz"), "t": list("xy")})


class TestCap:
    def test_gives_every_published_variant_under_its_own_name(self) -> None:
        result = sdc.cap(ORIGINAL, REPLICA, keys=["k"], target="t")
        assert result.original == pytest.approx(11 / 15)
        assert result.baseline == pytest.approx(0.52)
        assert result.synthetic_zero == pytest.approx(0.40)
        assert result.synthetic_undefined == pytest.approx(0.50)
        assert (result.synthetic, result.rule) == (pytest.approx(0.45), "mean of both")
        assert result.ratio == pytest.approx(0.45 / (11 / 15))
        assert result.non_match == pytest.approx(0.2)
        assert result.variants.round(4).to_dict() == {
            "DCAP_zero": 0.4,
            "DCAP_undefined": 0.5,
            "DCAPs": 0.4,
            "DCAPb": 0.6667,
            "TCAPs": 0.4,
            "TCAPb": 0.6667,
            "TCAP_certain": 0.5,
            "TCAP_matched": 0.5,
            "TCAP_all": 0.4,
            "TCAP_synthetic": 0.4444,
        }

    def test_agrees_with_the_disclosure_table(self) -> None:
        cap = sdc.cap(ORIGINAL, REPLICA, keys=["k"], target="t")
        table = sdc.disclosure(ORIGINAL, REPLICA, keys=["k"], target="t", synthpop="1.9-2").cap
        assert table["CAPd"] == pytest.approx(100 * cap.original)
        assert table["baseCAPd"] == pytest.approx(100 * cap.baseline)
        assert table["DCAP"] == pytest.approx(100 * cap.synthetic_zero)
        assert table["TCAP"] == pytest.approx(100 * cap.variants["TCAP_matched"])

    @pytest.mark.parametrize("version", ["1.9-2", "1.9-3"])
    def test_has_the_family_as_a_version_of_synthpop_calls_it(self, version: str) -> None:
        options = {"keys": ["k"], "target": "t", "synthpop": version}
        table = sdc.disclosure(ORIGINAL, REPLICA, **options)
        result = sdc.cap(ORIGINAL, REPLICA, **options).synthpop
        same = table.per_synthesis.loc[1, list(result.index)]
        assert result.to_dict() == pytest.approx(same.to_dict())
        assert {*table.cap.index} <= {*result.index}

    def test_a_replica_of_two_records_has_shares_of_a_hundred_as_in_synthpop(self) -> None:
        table = sdc.disclosure(ORIGINAL, REPLICA.head(2), keys=["k"], target="t").cap
        assert table[["DCAPs", "DCAPb", "TCAPs", "TCAPb"]].tolist() == [100.0] * 4
        assert table["TCAP"] == pytest.approx(200 / 3)

    def test_an_unknown_version_is_refused(self) -> None:
        with pytest.raises(StudyError, match=r"expected '1\.9-2' or '1\.9-3' but got '1\.8'"):
            sdc.cap(ORIGINAL, REPLICA, keys=["k"], target="t", synthpop="1.8")

    def test_without_a_match_the_zero_variant_alone_counts(self) -> None:
        result = sdc.cap(ORIGINAL, NOWHERE, keys=["k"], target="t")
        assert math.isnan(result.synthetic_undefined)
        assert (result.synthetic, result.rule, result.ratio) == (0.0, "zero", 0.0)
        assert result.non_match == 1.0

    def test_above_the_original_the_undefined_variant_counts_as_the_original(self) -> None:
        original = pd.DataFrame({"k": list("aaabb"), "t": list("xxyxy")})
        synthetic = pd.DataFrame({"k": ["a"], "t": ["x"]})
        result = sdc.cap(original, synthetic, keys=["k"], target="t")
        assert result.synthetic_undefined > result.original
        assert result.synthetic == pytest.approx((0.4 + 8 / 15) / 2)
        assert result.rule == "mean of zero and original"

    def test_never_falls_as_more_guesses_come_right(self) -> None:
        # Two of four originals match; of 20 synthetic records with their keys, `right` are right.
        original = pd.DataFrame({"k": list("aabb"), "t": list("xyxy")})
        results = []
        for right in range(21):
            target = ["x"] * right + ["z"] * (20 - right)
            replica = pd.DataFrame({"k": "a", "t": target})
            results.append(sdc.cap(original, replica, keys=["k"], target="t").synthetic)
        assert results == sorted(results)
        assert results[0] == 0.0

    def test_the_rule_is_named_even_where_both_variants_are_equal(self) -> None:
        # Every original matches, so both variants are 2/3, above the 5/9 of the original.
        original = pd.DataFrame({"k": list("aaa"), "t": list("xxy")})
        synthetic = pd.DataFrame({"k": ["a"], "t": ["x"]})
        result = sdc.cap(original, synthetic, keys=["k"], target="t")
        assert result.synthetic_undefined > result.original
        assert result.rule == "zero"

    def test_of_several_syntheses_is_the_mean(self) -> None:
        result = sdc.cap(ORIGINAL, [REPLICA, ORIGINAL], keys=["k"], target="t")
        assert result.per_synthesis.index.tolist() == [1, 2]
        assert result.synthetic_zero == pytest.approx((0.4 + 11 / 15) / 2)
        assert result.original == pytest.approx(11 / 15)
        each = [sdc.cap(ORIGINAL, s, keys=["k"], target="t").ratio for s in (REPLICA, ORIGINAL)]
        assert result.per_synthesis["ratio"].tolist() == pytest.approx(each)

    def test_each_rule_that_was_used_is_named(self) -> None:
        result = sdc.cap(ORIGINAL, [REPLICA, NOWHERE], keys=["k"], target="t")
        assert result.rule == "mean of both / zero"

    def test_numeric_keys_and_targets_can_be_rounded(self) -> None:
        original = pd.DataFrame({"age": [21, 22, 38], "income": [1000, 1400, 2600]})
        synthetic = pd.DataFrame({"age": [19, 24, 41], "income": [900, 1100, 3400]})
        exact = sdc.cap(original, synthetic, keys=["age"], target="income")
        assert exact.non_match == 1.0
        rounded = sdc.cap(
            original, synthetic, keys=["age"], target="income", round_to={"age": 10, "income": 1000}
        )
        assert rounded.non_match == 0.0
        assert rounded.synthetic_zero == 1.0

    def test_a_key_can_be_given_as_text(self) -> None:
        assert sdc.cap(ORIGINAL, REPLICA, keys="k", target="t").baseline == pytest.approx(0.52)

    def test_missing_codes_are_not_rounded(self) -> None:
        frame = pd.DataFrame({"age": [-8, 1, 2], "t": list("xyy")})
        result = sdc.cap(
            frame, frame, keys=["age"], target="t", round_to={"age": 100}, missing_codes={"age": -8}
        )
        assert result.original == 1.0

    def test_wrong_options_are_refused(self) -> None:
        frame = pd.DataFrame({"age": [1, 2], "income": [1, 2]})
        with pytest.raises(StudyError, match="keys: expected at least one"):
            sdc.cap(frame, frame, keys=[], target="income")
        with pytest.raises(ColumnError, match="'income' is both a key and the target"):
            sdc.cap(frame, frame, keys=["age", "income"], target="income")
        with pytest.raises(ColumnError, match="'age' is given more than once"):
            sdc.cap(frame, frame, keys=["age", "age"], target="income")
        with pytest.raises(ColumnError, match="Did you mean 'income'"):
            sdc.cap(frame, frame, keys=["age"], target="incme")
        with pytest.raises(StudyError, match="Did you mean 'age'"):
            sdc.cap(frame, frame, keys=["age"], target="income", round_to={"agee": 5})

    @pytest.mark.parametrize("function", ["cap", "ratio_of_counts"])
    def test_a_column_that_cannot_be_rounded_is_refused(self, function: str) -> None:
        frame = pd.DataFrame({"age": [1, 12, 25], "sex": ["f", "m", "f"]})
        roles = {"keys": ["age"], "target": "sex"} if function == "cap" else {}
        call = partial(getattr(sdc, function), frame, frame, **roles)
        with pytest.raises(StudyError, match=r"round_to: 'sex' is of kind category.* Remove it\."):
            call(round_to={"age": 10, "sex": 2})
        call(round_to=10)  # of the numbers among the columns
