"""Weights of families and metrics: what is accepted, what is refused, and what becomes of gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.study.criteria import criterion
from sdcmetrics.study.ranking import RankingOptions, make_ranking
from sdcmetrics.study.weights import Weights, make_weights


class TestCriterion:
    def test_a_statistic_of_tables_says_of_how_many_variables(self) -> None:
        assert criterion("tvd_one_way").name == "TVD_one_way"
        assert criterion("S_pMSE_three_way").reduction == "mean over every 3 variables"

    def test_roc_is_of_one_variable_at_a_time(self) -> None:
        assert criterion("ROC").one_way
        assert criterion("ROC").name == "ROC"

    def test_uniques_are_the_same_for_every_target(self) -> None:
        assert criterion("repU").reduction == "mean over scenarios"
        assert criterion("DiSCO").reduction == "mean over targets and scenarios"
        assert criterion("CIO").reduction == "mean over models"
        assert criterion("rule_broken").reduction == "mean over rules"
        assert criterion("SPECKS_cart").reduction == "mean over models"
        assert criterion("F2").reduction == "as measured, all variables together"
        assert criterion("CIO_weighted").reduction == "as measured, all models together"

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("DisCo2", "Did you mean 'DiSCO'"),
            ("S_pMSE", "S_pMSE_one_way"),
            ("DiSCO_two_way", "not a statistic of tables"),
            ("UiO", "only helps to read other measures"),
            ("zzz", "there is no metric 'zzz'"),
            ("TCAP", "Say which: TCAP_certain, TCAP_matched, TCAP_synthetic, DiSCO"),
        ],
    )
    def test_what_cannot_be_ranked_is_refused(self, name: str, message: str) -> None:
        with pytest.raises(StudyError, match=message):
            criterion(name)


class TestMakeWeights:
    def test_by_default_utility_and_risk_count_alike(self) -> None:
        weights = make_weights(models=True)
        assert weights.families == {"general": 0.35, "specific": 0.15, "disclosure": 0.5}
        assert sum(weights.vector()) == pytest.approx(1)
        assert weights.flat()["S_pMSE_two_way"] == pytest.approx(0.175)

    def test_metrics_of_a_family_that_counts_nothing_count_alike_in_it(self) -> None:
        weights = make_weights({"ROC": 1.0, "DiSCO": 0.0, "repU": 0.0})
        assert weights.families["disclosure"] == 0.0
        assert weights.within["disclosure"] == {"DiSCO": 0.5, "repU": 0.5}
        assert weights.within["general"] == {"ROC": 1.0}

    def test_a_family_that_is_not_named_counts_nothing(self) -> None:
        weights = make_weights({"general": 1.0})
        assert list(weights.within) == ["general"]

    def test_metrics_are_given_as_a_list_or_with_weights(self) -> None:
        weights = make_weights(
            {"general": 0.5, "disclosure": 0.5},
            {"general": ["TVD_one_way", "TVD_two_way"], "disclosure": {"DiSCO": 0.8, "repU": 0.2}},
        )
        assert weights.flat() == pytest.approx(
            {"TVD_one_way": 0.25, "TVD_two_way": 0.25, "DiSCO": 0.4, "repU": 0.1}
        )

    def test_one_metric_is_named_without_a_list(self) -> None:
        assert make_weights({"disclosure": 1}, {"disclosure": "DiSCO"}).flat() == {"DiSCO": 1.0}

    def test_weights_of_metrics_alone_give_the_families_theirs(self) -> None:
        weights = make_weights({"DiSCO": 0.2, "ROC": 0.3, "repU": 0.5})
        assert weights.families == pytest.approx({"general": 0.3, "disclosure": 0.7})
        assert weights.flat() == pytest.approx({"ROC": 0.3, "DiSCO": 0.2, "repU": 0.5})

    def test_thirds_to_two_digits_sum_to_one_within_rounding(self) -> None:
        weights = make_weights({"general": 0.33, "specific": 0.33, "disclosure": 0.33})
        assert sum(weights.families.values()) == pytest.approx(1)

    def test_metrics_that_all_count_nothing_are_alike_within_their_family(self) -> None:
        weights = make_weights({"ROC": 0.0, "TVD_one_way": 0.0, "DiSCO": 1.0})
        assert weights.families["general"] == 0
        assert weights.within["general"] == {"ROC": 0.5, "TVD_one_way": 0.5}

    @pytest.mark.parametrize(
        ("families", "metrics", "message"),
        [
            ({"general": 0.5, "disclosure": 0.6}, None, "sum to 1 but these sum to 1.1"),
            ({"general": -0.5, "disclosure": 1.5}, None, "at least 0"),
            ({"general": float("nan")}, None, "at least 0"),
            ({"general": True}, None, "at least 0"),
            ({"general": "half"}, None, "at least 0"),
            ({"general": 0.5, "disclosur": 0.5}, None, "Did you mean 'disclosure'"),
            ({"general": 1.0}, {"risk": ["DiSCO"]}, "Known: general, specific, disclosure"),
            ({"general": 1.0}, {"disclosure": ["DiSCO"]}, "has no weight"),
            ({"general": 1.0}, {"general": ["DiSCO"]}, "belongs to the family 'disclosure'"),
            ({"general": 1.0}, {"general": {"ROC": 0.5, "roc": 0.5}}, "more than once"),
            ({"general": 1.0}, {"general": {"ROC": 0.5}}, "sum to 0.5"),
            ({"general": 1.0}, {"general": []}, "sum to 0: none"),
            ({"general": 1.0}, {"general": 5}, "expected a list of metrics, or a weight"),
            ({"ROC": 0.5, "roc": 0.5}, None, "more than once"),
            (3, None, "weights: expected names"),
            ([("general", 1.0)], None, "weights: expected names"),
            (None, ["ROC"], "metrics: expected names"),
            ({"ROC": 0.5, "DiSCO": 0.6}, None, "sum to 1.1"),
        ],
    )
    def test_wrong_weights_are_refused_with_the_remedy(
        self, families: Any, metrics: Any, message: str
    ) -> None:
        with pytest.raises(StudyError, match=message):
            make_weights(families, metrics)


class TestOnly:
    def test_a_metric_that_is_left_out_leaves_its_weight_to_its_family(self) -> None:
        weights = make_weights({"disclosure": 1.0}, {"disclosure": {"DiSCO": 0.6, "repU": 0.4}})
        left = weights.only(["repU"])
        assert left.flat() == {"repU": 1.0}
        assert left.notes == ("DiSCO: left out; its weight goes to the others",)

    def test_a_kind_of_utility_without_metrics_leaves_its_weight_to_the_other(self) -> None:
        weights = make_weights(models=True)
        names = [item.name for item in weights.criteria if item.family != "specific"]
        left = weights.only(names)
        assert left.families == pytest.approx({"general": 0.5, "disclosure": 0.5})
        assert "specific utility: nothing that counts was measured" in left.notes[0]

    def test_disclosure_without_metrics_leaves_its_weight_to_utility_in_proportion(self) -> None:
        left = make_weights(models=True).only(["ROC", "CIO_weighted"])
        assert left.families == pytest.approx({"general": 0.7, "specific": 0.3})

    def test_a_metric_of_weight_0_inherits_nothing(self) -> None:
        weights = Weights(
            {"general": 0.5, "disclosure": 0.5},
            {"general": {"ROC": 1.0}, "disclosure": {"DCAP": 1.0, "repU": 0.0}},
        )
        left = weights.only(["ROC", "repU"])
        assert left.flat() == {"ROC": 1.0, "repU": 0.0}
        assert "its weight of 0.5 goes to general utility" in left.notes[0].lower()
        assert weights.only(["repU"]).flat() == {"repU": 1.0}

    def test_heirs_that_count_nothing_share_alike(self) -> None:
        weights = make_weights({"general": 0.0, "specific": 0.0, "disclosure": 1.0})
        left = weights.only(["ROC", "CIO_weighted"])
        assert left.families == pytest.approx({"general": 0.5, "specific": 0.5})

    def test_weights_still_sum_to_one_whatever_is_left(self) -> None:
        weights = make_weights(models=True)
        names = [item.name for item in weights.criteria]
        rng = np.random.default_rng(1)
        for _ in range(50):
            kept = [name for name in names if rng.random() < 0.5] or names[:1]
            assert weights.only(kept).vector().sum() == pytest.approx(1)


class TestMakeRanking:
    def test_options_pass_through(self) -> None:
        options = RankingOptions(strategy="linear")
        assert make_ranking(options, models=False) is options
        assert make_ranking(None, models=False) == RankingOptions()

    def test_specific_utility_that_counts_nothing_needs_no_model(self) -> None:
        weights = {"general": 0.5, "specific": 0.0, "disclosure": 0.5}
        assert make_ranking({"weights": weights}, models=False).weights == weights

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"strategi": "rank"}, "Did you mean 'strategy'"),
            ({"zzz": 1}, "Known here: strategy"),
            (["rank"], "expected entries such as"),
            ({"strategy": "best"}, "strategy: expected 'rank', .* but got 'best'"),
            ({"missing": "never"}, "'leave out' or 'last'"),
            ({"replicates": -1}, "replicates: expected a number of at least 0 but got -1"),
            ({"replicates": 1001}, "replicates: expected a number of at most 1000 but got 1001"),
            ({"replicates": 1}, "replicates: expected 0, or a whole number of at least 2"),
            ({"anchors": "no"}, "anchors: expected true or false"),
            ({"weights": "general"}, "weights: expected entries of the form name = value"),
            ({"metrics": 5}, "metrics: expected entries of the form name = value"),
            ({"seed": True}, "seed: expected a whole number"),
            ({"weights": {"general": 0.2}}, "sum to 0.2"),
            ({"weights": {"specific": 1.0}}, "names no model"),
        ],
    )
    def test_wrong_options_are_refused(self, given: Any, message: str) -> None:
        with pytest.raises(StudyError, match=message):
            make_ranking(given, models=False)
