"""Replicas side by side, from reviews to a result that can be recomputed by hand."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata, t

import sdcmetrics as sdc
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.phrase import Mention, plain_text
from sdcmetrics.ranking.rank_file import rank_file
from sdcmetrics.study.ranking import STRATEGIES
from tests.ranking.reviews import ORIGINAL, conduct, people, ranked, review, study


class TestRanks:
    def test_the_total_is_the_weighted_mean_of_ranks_by_hand(self) -> None:
        ranking = sdc.compare_replicas(review())
        weights = ranking.weights.flat()
        for replica in ranking.replicas:
            by_hand = sum(ranking.ranks.loc[replica, name] * w for name, w in weights.items())
            i = ranking.replicas.index(replica)
            assert ranking.totals[i] == pytest.approx(by_hand)

    def test_a_copy_is_first_on_utility_and_last_on_risk(self) -> None:
        ranks = sdc.compare_replicas(review()).ranks
        assert (ranks.loc["copy", ["ROC", "S_pMSE_two_way", "CIO_weighted"]] == 1).all()
        assert (ranks.loc["copy", ["repU", "DiSCO", "DCAP"]] == 3).all()

    def test_the_weights_decide_who_is_first(self) -> None:
        assert sdc.compare_replicas(review(), weights={"general": 1.0}).winner == "copy"
        risk = sdc.compare_replicas(review(), weights={"DCAP": 1.0})
        assert risk.winner == "noise"
        assert risk.stretches == ()

    def test_replicas_that_tie_are_first_together(self) -> None:
        same = sdc.conduct(study({"a": people(300, 2), "b": people(300, 2)}))
        ranking = sdc.compare_replicas(same)
        assert ranking.winner is None
        assert ranking.first == ("a", "b")
        assert plain_text(sentences.winner(ranking)).startswith("a and b tie for the first place")
        assert "a and b are first however much" in plain_text(sentences.risk_weight(ranking))
        assert "a and b are level" in plain_text(sentences.smallest_change(ranking))
        assert plain_text(sentences.margin(ranking)).endswith("a 1.50 and b 1.50.")

    def test_the_order_of_records_ranks_nothing(self) -> None:
        data = people(300, 2)
        pair = {"a": data, "b": data.sample(frac=1, random_state=3).reset_index(drop=True)}
        ranking = sdc.compare_replicas(conduct(study(pair, models=["income ~ age + sex"])))
        assert (ranking.ranks == 1.5).all(axis=None)
        assert ranking.first == ("a", "b")

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_every_strategy_orders_by_its_own_total(self, strategy: str) -> None:
        ranking = sdc.compare_replicas(review(), strategy=strategy, anchors=True)
        sign = 1 if strategy == "rank" else -1
        expected = rankdata(np.round(sign * ranking.totals, 12), method="average")
        assert ranking.places.tolist() == expected.tolist()
        assert ranking.first == ranking.agreement[strategy]
        total = (ranking.scores.clip(0, 1) if strategy == "anchored" else ranking.scores).to_numpy()
        np.testing.assert_allclose(total @ ranking.weights.vector(), ranking.totals)

    def test_plain_sums_are_syntheval_ranks(self) -> None:
        ranking = sdc.compare_replicas(review(), strategy="linear")
        utility = [item.name for item in ranking.table.criteria if item.utility]
        np.testing.assert_allclose(ranking.sums["U"], ranking.scores[utility].sum(axis=1))
        np.testing.assert_allclose(ranking.sums["total"], ranking.scores.sum(axis=1))

    def test_the_frame_holds_all_that_a_hand_needs(self, tmp_path: Path) -> None:
        ranking = ranked()
        path = ranking.to_csv(tmp_path / "ranking.csv")
        read = pd.read_csv(path)
        for metric, rows in read.groupby("metric"):
            sign = {"lower is better": 1, "higher is better": -1}[rows["direction"].iloc[0]]
            assert rows["rank"].tolist() == rankdata(sign * rows["value"]).tolist(), metric
            score = (rows["value"] - rows["value_at_0"]) / (rows["value_at_1"] - rows["value_at_0"])
            if ranking.anchored[metric].notna().all():
                np.testing.assert_allclose(score, rows["anchored_score"])
        totals = read.groupby("replica")["weighted_score"].sum()
        for replica, total in zip(ranking.replicas, ranking.totals, strict=True):
            assert totals[replica] == pytest.approx(total)
        assert read.groupby("replica")["weight"].sum().tolist() == pytest.approx([1, 1, 1])

    def test_a_file_that_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="cannot be written"):
            sdc.compare_replicas(review()).to_csv(tmp_path / "no" / "ranking.csv")

    def test_a_study_says_how_its_replicas_are_compared(self) -> None:
        asked = study(ranking={"weights": {"DCAP": 1.0}, "strategy": "linear", "anchors": True})
        ranking = sdc.compare_replicas(conduct(asked))
        assert (ranking.strategy, list(ranking.weights.flat())) == ("linear", ["DCAP"])
        assert ranking.anchors

    def test_one_replica_is_first_of_one(self) -> None:
        ranking = sdc.compare_replicas(conduct(study({"only": people(300, 2)})))
        assert ranking.winner == "only"
        assert ranking.acceptability.to_numpy().tolist() == [[1.0]]
        assert sentences.smallest_change(ranking) == ()
        assert plain_text(sentences.margin(ranking)).endswith("only 1.00.")

    def test_a_metric_that_one_replica_lacks_is_left_out_or_last(self) -> None:
        lacking = {"all": people(300, 2), "less": people(300, 3)}
        few = conduct(study(lacking, ways=(1,)))
        ranking = sdc.compare_replicas(few)
        assert "S_pMSE_two_way" not in ranking.values
        assert any("S_pMSE_two_way is left out" in plain_text(note) for note in ranking.notes)
        with pytest.raises(StudyError, match="no metric has a value"):
            sdc.compare_replicas(few, weights={"S_pMSE_two_way": 1.0})


class TestMap:
    def test_a_copy_has_all_utility_and_no_protection_and_noise_the_reverse(self) -> None:
        ranking = ranked()
        result = ranking.map
        assert result.loc["copy", "utility"] == pytest.approx(1.0, abs=0.05)
        assert result.loc["copy", "protection"] == 0.0
        assert result.loc["original (reference)", "protection"] == 0.0
        assert result.loc["independent (reference)", "protection"] == 1.0
        assert result.loc["model", "utility"] > result.loc["noise", "utility"] + 0.2
        assert result["reference"].tolist() == [False] * 3 + [True] * 4
        assert result.loc["copy", "front"]

    def test_a_replica_may_be_called_like_a_reference(self) -> None:
        alike = conduct(study({"independent": ORIGINAL, "holdout": people(300, 2)}))
        result = sdc.compare_replicas(alike, anchors=True).map
        assert result["reference"].tolist() == [False] * 2 + [True] * 4
        assert result.loc["independent", "utility"] > 0.9
        assert result.loc["independent (reference)", "protection"] == 1.0

    def test_without_references_there_is_no_map_and_no_score(self) -> None:
        ranking = sdc.compare_replicas(review())
        assert ranking.map.empty
        assert ranking.anchored.isna().all(axis=None)

    def test_a_side_without_a_scale_has_no_place_on_the_map(self) -> None:
        ranking = sdc.compare_replicas(review(), weights={"general": 1.0}, anchors=True)
        assert ranking.map["protection"].isna().all()
        assert ranking.map.loc["copy", "utility"] > 0.9

    def test_metrics_without_a_scale_are_said_and_left_out_of_anchored_totals(self) -> None:
        # Two levels in even shares: uniform draws are as good as a bootstrap.
        frame = pd.DataFrame({"x": list("ab") * 60, "y": list("cd") * 60})
        even = sdc.Study(frame, {"r": frame, "s": frame[::-1]}, keys=["x"], targets=["y"])
        ranking = sdc.compare_replicas(
            conduct(even), strategy="anchored", weights={"ROC": 0.5, "S_pMSE_two_way": 0.5}
        )
        assert list(ranking.values) == ["S_pMSE_two_way"]
        ranks = sdc.compare_replicas(
            conduct(even), weights={"ROC": 0.5, "S_pMSE_two_way": 0.5}, anchors=True
        )
        assert list(ranks.values) == ["ROC", "S_pMSE_two_way"]
        assert ranks.agreement["anchored"] == ("r", "s")
        assert any("ROC has no anchored score" in plain_text(note) for note in ranking.notes)
        with pytest.raises(StudyError, match="no metric has an anchored score"):
            sdc.compare_replicas(conduct(even), strategy="anchored", weights={"ROC": 1.0})


class TestFreshData:
    def test_metrics_beside_a_holdout_can_be_ranked(self) -> None:
        beside = study(
            {"copy": ORIGINAL, "fair": people(300, 6)}, holdout=people(300, 9), permutations=9
        )
        ranking = sdc.compare_replicas(
            conduct(beside), weights={"F1": 0.25, "F2": 0.25, "DCR_share": 0.5}, anchors=True
        )
        assert list(ranking.values) == ["F1", "F2", "DCR_share"]
        assert ranking.ranks.loc["copy"].tolist() == [1.0, 1.0, 2.0]
        assert [anchor.floor for anchor in ranking.anchors] == [
            "uniform",
            "independent",
            "original",
        ]
        assert ranking.anchored.loc["copy", "DCR_share"] == 0.0
        assert ranking.anchored.loc["fair", "DCR_share"] > 0.5
        assert ranking.scale is not None
        assert "holdout" not in ranking.scale.references
        assert ranking.table.criteria[2].reduction == "as measured, all variables together"

    def test_the_search_for_near_records_is_left_out_where_it_is_not_ranked(self) -> None:
        beside = study({"fair": people(300, 6)}, holdout=people(300, 9), permutations=9)
        ranking = sdc.compare_replicas(conduct(beside), anchors=True)
        assert ranking.scale is not None
        assert ranking.scale.review is not None
        assert "DCR_share" not in set(ranking.scale.review.frame["metric"])
        assert "holdout" in ranking.scale.references


class TestSizes:
    def test_fresh_samples_are_as_good_whatever_their_size(self, tmp_path: Path) -> None:
        def drawn(n: int) -> pd.DataFrame:
            levels = np.random.default_rng(n).integers(0, 4, (n, 4))
            return pd.DataFrame(levels, columns=list("abcd")).astype(str)

        sizes = {"same": 300, "many": 3000}
        fresh = {name: drawn(n) for name, n in sizes.items()}
        study = sdc.Study(drawn(299), fresh, keys=["a"], targets=["b"])
        review = conduct(study)
        raw = review.mean_rows().query("metric == 'S_pMSE'").groupby("replica")["value"].mean()
        assert raw["many"] > 4 * raw["same"]
        asked: Any = {"metrics": {"general": ["S_pMSE_two_way"]}, "weights": {"general": 1}}
        result = sdc.compare_replicas(review, **asked).values["S_pMSE_two_way"]
        assert result.to_numpy() == pytest.approx(2, rel=0.25)
        # The files say how large each data set is.
        full = review.to_json(tmp_path / "full.json")
        for path in (full, sdc.report.write_json(review, tmp_path / "review.json")):
            values = rank_file(path, **asked).values["S_pMSE_two_way"]
            assert values[result.index].to_numpy() == pytest.approx(result.to_numpy())


class TestUncertainty:
    def test_syntheses_are_drawn_again_where_there_are_several(self) -> None:
        result = sdc.compare_replicas(review()).uncertainty
        assert result is not None
        assert (result.source, result.replicas, result.times) == ("syntheses", ("model",), 4000)
        text = plain_text(sentences.drawn_again(sdc.compare_replicas(review())))
        assert text.startswith(
            "When the mean over the syntheses of model is drawn again, 4,000 times, by how"
        )
        # A copy and a single synthesis do not move; the mean of three does.
        assert np.isnan([result.value_low[0], result.value_high[0]]).all()
        assert (result.value_low[1] < result.value_high[1]).all()
        np.testing.assert_allclose(result.rank_shares.sum(axis=1), 1)

    def test_the_interval_has_the_spread_of_the_mean_of_m_syntheses(self) -> None:
        ranking = sdc.compare_replicas(
            review(), metrics={"general": ["TVD_two_way"]}, weights={"general": 1}
        )
        alone = [conduct(study({"one": frame})).mean_rows() for frame in self.syntheses()]
        tables = [
            rows[(rows["metric"] == "TVD") & (rows["variables"].map(len) == 2)] for rows in alone
        ]
        each = np.array([rows["value"].mean() for rows in tables])
        assert ranking.uncertainty is not None
        # The textbook interval of a mean of three values: t with 2 degrees of freedom.
        low, high = t.interval(0.95, 2, each.mean(), each.std(ddof=1) / 3**0.5)
        result = ranking.uncertainty
        assert result.value_low[1, 0] == pytest.approx(max(low, 0), abs=0.1 * (high - low))
        assert result.value_high[1, 0] == pytest.approx(high, abs=0.1 * (high - low))

    def test_two_syntheses_never_make_anybody_surely_first(self) -> None:
        two = {"good": [people(300, 2), people(300, 3)], "bad": people(300, 5, linked=False)}
        ranking = sdc.compare_replicas(conduct(study(two)), weights={"general": 1.0})
        text = plain_text(sentences.drawn_again(ranking)).replace("\xa0", " ")
        assert "100 %" not in text
        assert "never" not in text
        assert ranking.uncertainty is not None
        assert 0.5 < ranking.uncertainty.rank_shares[0, 0] < 1

    @staticmethod
    def syntheses() -> list[pd.DataFrame]:
        return [people(300, seed) for seed in (2, 3, 4)]

    def test_single_syntheses_have_none_unless_records_are_drawn(self) -> None:
        single = conduct(study({"a": people(300, 2), "b": people(300, 8)}))
        assert sdc.compare_replicas(single).uncertainty is None
        text = plain_text(sentences.drawn_again(sdc.compare_replicas(single)))
        assert "was not measured" in text
        steps: list[tuple[str, int, int]] = []
        ranking = sdc.compare_replicas(
            single, replicates=5, progress=lambda *step: steps.append(step)
        )
        assert steps[-1] == ("a tenth of the records left out", 5, 5)
        assert " of 5" in plain_text(sentences.drawn_again(ranking))
        result = ranking.uncertainty
        assert result is not None
        assert (result.source, result.times) == ("records", 5)
        assert (result.value_low <= ranking.values.to_numpy()).all()
        assert (result.value_high >= ranking.values.to_numpy()).all()
        again = sdc.compare_replicas(single, replicates=5).uncertainty
        assert again is not None
        assert (again.value_low == result.value_low).all()

    def test_one_draw_tells_nothing_and_is_refused(self) -> None:
        with pytest.raises(StudyError, match="at least 2"):
            sdc.compare_replicas(review(), replicates=1)

    def test_summary_and_frame_carry_the_intervals(self) -> None:
        ranking = sdc.compare_replicas(review())
        assert {"total_low", "first_when_drawn_again"} <= set(ranking.summary())
        assert {"value_low", "value_high"} <= set(ranking.to_frame())
        assert ranking.summary().index.tolist() == list(ranking.by_place)


class TestSeveralReviews:
    def test_replicas_beside_different_holdouts_are_not_compared(self) -> None:
        def beside(name: str, seed: int) -> sdc.Review:
            return conduct(study({name: people(300, 2)}, holdout=people(100, seed)))

        same = [beside("a", 8), beside("b", 8)]
        assert sdc.compare_replicas(same, weights={"DCR_share": 1.0}).first == ("a", "b")
        with pytest.raises(StudyError, match="different holdouts"):
            sdc.compare_replicas([beside("a", 8), beside("b", 9)])

    def test_a_seed_below_0_is_refused(self) -> None:
        with pytest.raises(StudyError, match="seed: expected a whole number of 0 or more but"):
            sdc.compare_replicas(review(), seed=-1)

    def test_reviews_of_one_original_are_ranked_as_one(self) -> None:
        parts = [conduct(study({name: frame})) for name, frame in self.frames().items()]
        together = sdc.compare_replicas(conduct(study(self.frames())))
        joined = sdc.compare_replicas(parts)
        pd.testing.assert_frame_equal(joined.values, together.values)
        named = sdc.compare_replicas({"x": parts[0], "y": parts[1]}, anchors=True)
        assert named.replicas == ("x", "y")
        np.testing.assert_allclose(named.values, joined.values)
        assert sdc.compare_replicas([parts[0]]).replicas == ("a",)

    @staticmethod
    def frames() -> dict[str, Any]:
        return {"a": people(300, 2), "b": people(300, 3, linked=False)}

    def test_a_review_of_several_replicas_keeps_their_names(self) -> None:
        two = conduct(study(self.frames()))
        first = conduct(study({"a": people(300, 4)}))
        assert sdc.compare_replicas({"first": two, "c": first}).replicas == ("a", "b", "c")

    def test_what_cannot_be_compared_is_refused(self) -> None:
        one = conduct(study({"a": people(300, 2)}))
        wrong = {
            "two replicas have the name 'a'": [one, one],
            "of different originals": [
                one,
                conduct(sdc.Study(ORIGINAL[:200], {"b": ORIGINAL}, keys=["age"])),
            ],
            "differ in the option 'ways'": [one, conduct(study({"b": ORIGINAL}, ways=(1,)))],
            "differ in their scenarios": [
                one,
                conduct(study({"b": ORIGINAL}, keys=["age", "sex"])),
            ],
            "at least one review": [],
            "reviews: expected an sdcmetrics.Review or .*DataFrame": {"x": ORIGINAL},
        }
        for message, reviews in wrong.items():
            with pytest.raises(StudyError, match=message):
                sdc.compare_replicas(reviews)


class TestSentences:
    def test_names_stay_apart_from_words(self) -> None:
        ranking = ranked()
        said = [
            sentences.winner(ranking),
            sentences.margin(ranking),
            sentences.drawn_again(ranking),
            sentences.agreement(ranking),
            sentences.risk_weight(ranking),
            sentences.all_weights(ranking),
            sentences.smallest_change(ranking),
        ]
        for phrase in said:
            words = "".join(part for part in phrase if isinstance(part, str))
            assert not any(name in words.split() for name in ("copy", "noise"))
            assert any(isinstance(part, Mention) for part in phrase)
            assert plain_text(phrase).endswith(".")

    def test_the_first_by_risk_weight_follows_the_stretches(self) -> None:
        ranking = sdc.compare_replicas(review())
        text = plain_text(sentences.risk_weight(ranking)).replace("\xa0", " ")
        assert text.startswith(
            "First, by how much disclosure risk counts: copy (may not be released) up to"
        )
        assert text.endswith("It counts 50 % here.")
        lows = [stretch.low for stretch in ranking.stretches]
        assert lows == sorted(lows)
        for left, right in itertools.pairwise(ranking.stretches):
            assert left.high == right.low

    def test_agreement_and_dominance_are_said(self) -> None:
        better = sdc.conduct(
            study({"good": people(300, 2), "bad": people(300, 2).assign(vote="no")})
        )
        ranking = sdc.compare_replicas(better, weights={"general": 1.0})
        assert "All ways to add up agree on good" in plain_text(sentences.agreement(ranking))
        assert sentences.smallest_change(ranking) == (
            "No weights at all make another replica first.",
        )
        changes = {change.replica: change for change in ranking.changes}
        text = {r: plain_text(sentences.change_in_words(c)) for r, c in changes.items()}
        assert text == {"good": "good: no change is needed", "bad": "bad: under no weights"}
        assert "never" in plain_text(sentences.all_weights(ranking))
        both = sdc.compare_replicas(better, weights={"ROC": 0.5, "repU": 0.5})
        assert "good is best on utility" in plain_text(sentences.undominated(both))

    def test_nothing_is_said_of_utility_and_risk_at_once_where_only_one_counts(self) -> None:
        for anchors in (False, True):
            ranking = sdc.compare_replicas(review(), weights={"general": 1.0}, anchors=anchors)
            assert sentences.undominated(ranking) == ()
            assert not ranking.map["front"].any()

    def test_one_replica_gives_up_nothing_that_another_has(self) -> None:
        alone = conduct(study({"a": people(300, 2)}))
        assert sentences.undominated(sdc.compare_replicas(alone)) == ()

    def test_equal_replicas_are_level_and_leave_no_choice(self) -> None:
        twins = {"a": people(300, 2), "b": people(300, 2)}
        ranking = sdc.compare_replicas(conduct(study(twins)))
        text = "By their ranks, a and b are level on utility and on risk."
        assert plain_text(sentences.undominated(ranking)) == text
        worse = {**twins, "c": people(300, 2).assign(vote="no")}
        weights = {"ROC": 0.5, "repU": 0.5}
        ranking = sdc.compare_replicas(conduct(study(worse)), weights=weights)
        text = "a and b are level on utility and on risk, and better than the others."
        assert plain_text(sentences.undominated(ranking)).endswith(text)

    @pytest.mark.parametrize(
        ("share", "words"),
        [
            (0.0049, "under 1"),
            (0.005, "under 1"),
            (0.0051, "1"),
            (0.995, "over 99"),
            (1 - 1e-12, "100"),
            (1e-12, "0"),
        ],
    )
    def test_a_share_is_none_or_all_in_words_only_if_it_is(self, share: float, words: str) -> None:
        assert sentences.percent(share) == f"{words}\xa0%"
