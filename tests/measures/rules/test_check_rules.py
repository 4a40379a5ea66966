"""Rules from two frames: counts, severity, several syntheses, a holdout."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.rules.outcome import RuleCounts

RULE = 'if job == "none" then pay == 0'
ORIGINAL = pd.DataFrame({"job": ["none", "none", "clerk", None], "pay": [0, 0, 9, 0]})
GOOD = pd.DataFrame({"job": ["none", "clerk"], "pay": [0, 5]})
BAD = pd.DataFrame({"job": ["none", "none", "clerk"], "pay": [1, np.nan, 0]})


class TestCounts:
    def test_a_rule_is_kept_broken_or_left_open(self) -> None:
        result = sdc.check_rules(ORIGINAL, BAD, RULE).outcomes[0]
        assert result.original == RuleCounts(fulfilled=4, broken=0, unknown=0, applies=2)
        assert result.syntheses == (RuleCounts(fulfilled=1, broken=1, unknown=1, applies=2),)
        assert result.original.n == 4
        assert result.level_counts == (2, 3)

    def test_severity_compares_shares_and_counts(self) -> None:
        result = sdc.check_rules(ORIGINAL, [BAD, GOOD], RULE)
        outcome = result.outcomes[0]
        assert outcome.severities == (pytest.approx(1 / 3), 0.0)
        assert outcome.severity == pytest.approx(1 / 6)
        assert outcome.severity_of_counts == (1 / 4 + 0) / 2
        row = result.table.loc[RULE]
        assert row["broken_percent"] == pytest.approx(100 / 6)
        assert row[["original_kept", "kept", "broken", "unknown", "applies"]].tolist() == [
            4,
            1.5,
            0.5,
            0.5,
            1.5,
        ]

    def test_with_one_size_it_is_the_frameworks(self) -> None:
        result = sdc.check_rules(ORIGINAL.iloc[:3], BAD, RULE).outcomes[0]
        assert result.severity == pytest.approx(result.severity_of_counts) == pytest.approx(1 / 3)

    def test_where_no_original_record_keeps_it_there_is_no_severity(self) -> None:
        table = sdc.check_rules(ORIGINAL, GOOD, "pay < 0").table
        assert math.isnan(table["severity"].iloc[0])
        assert math.isnan(table["severity_counts"].iloc[0])

    def test_a_holdout_says_how_often_real_records_break_it(self) -> None:
        holdout = pd.DataFrame({"job": ["none"] * 4, "pay": [0, 0, 0, 7]})
        result = sdc.check_rules(ORIGINAL, [BAD, GOOD], [RULE, "pay >= 0"], holdout=holdout)
        assert result.outcomes[0].holdout == RuleCounts(3, 1, 0, 4)
        assert result.table["holdout_broken_percent"].tolist() == [25.0, 0.0]
        assert result.per_data_set.loc[RULE, "broken"].to_dict() == {
            "original": 0,
            "synthetic 1": 1,
            "synthetic 2": 0,
            "holdout": 1,
        }

    def test_no_rule_is_an_empty_table(self) -> None:
        assert len(sdc.check_rules(ORIGINAL, GOOD, []).table) == 0


class TestInputs:
    def test_codes_in_the_replica_are_matched_with_labels_and_listed(self) -> None:
        original = pd.DataFrame({"n": [1, 2], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
        replica = pd.DataFrame({"n": ["2", "3"], "day": ["2020-01-05", "2020-01-01"]})
        result = sdc.check_rules(original, replica, ["n <= 2", 'day <= "2020-01-02"'])
        assert result.table["broken"].tolist() == [1, 1]
        assert any("read as numbers" in fix for fix in result.fixes)

    def test_a_column_that_a_replica_lacks_is_named(self) -> None:
        with pytest.raises(ColumnError, match="column 'pay' of original is missing from synthetic"):
            sdc.check_rules(ORIGINAL, GOOD[["job"]], RULE)

    def test_columns_that_no_rule_names_need_not_be_comparable(self) -> None:
        original, replica = ORIGINAL.assign(x=[1, 2, 3, 4]), GOOD.assign(x="text")
        assert sdc.check_rules(original, replica, RULE).table["broken"].sum() == 0

    def test_polars_frames_will_do(self) -> None:
        pl = pytest.importorskip("polars")
        result = sdc.check_rules(pl.from_pandas(ORIGINAL), pl.from_pandas(BAD), RULE)
        assert result.outcomes == sdc.check_rules(ORIGINAL, BAD, RULE).outcomes

    def test_a_mistake_names_its_rule(self) -> None:
        with pytest.raises(StudyError, match="rule 'pay = 0'"):
            sdc.check_rules(ORIGINAL, GOOD, ["pay >= 0", "pay = 0"])


def test_a_rule_of_several_columns_by_pandas() -> None:
    def people(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        relation = rng.choice(["Husband", "Wife", "Own-child"], 300)
        sex = np.where(rng.random(300) < 0.9, np.where(relation == "Wife", "F", "Male"), "F")
        return pd.DataFrame({"relation": relation, "sex": sex, "age": rng.integers(15, 60, 300)})

    original, synthetic = people(1), people(2)
    rule = 'if relation == "Husband" then sex == "Male" and age >= 17'
    result = sdc.check_rules(original, synthetic, rule).outcomes[0]
    for counts, frame in ((result.original, original), (result.syntheses[0], synthetic)):
        husbands = frame[frame["relation"] == "Husband"]
        broken = ~((husbands["sex"] == "Male") & (husbands["age"] >= 17))
        assert 0 < broken.sum() < len(husbands)
        assert (counts.applies, counts.broken) == (len(husbands), int(broken.sum()))
        assert counts.n == len(frame)
