"""Profiles and verdicts: a threshold needs a source, and the worst comes first."""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import MEASURES, Review, Study, conduct
from sdcmetrics.decision.status import worst
from sdcmetrics.errors import StudyError
from sdcmetrics.review.judge import BEYOND_ORIGINAL, Finding, Status, judge
from sdcmetrics.study.profile import Profile, Threshold, load_profile

COMPLETE = """
[profile]
title = "Ours"
owner = "unit"
min_cell = 5
zeros_disclosive = false
round_base = 3

[thresholds.repU]
review = 1
fail = 5.5
source = "minutes"
owner = "head of unit"
date = 2026-11-01
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "ours.toml"
    path.write_text(text, encoding="utf-8")
    return path


def threshold(
    metric: str, review: float | None = None, fail: float | None = None
) -> dict[str, Threshold]:
    return {metric: Threshold(metric, review, fail, "source", "owner", dt.date(2026, 11, 1))}


def profile(**limits: tuple[float | None, float | None]) -> Profile:
    thresholds: dict[str, Threshold] = {}
    for metric, (review, fail) in limits.items():
        thresholds |= threshold(metric, review, fail)
    return Profile("test", "Test", "nobody", thresholds)


@cache
def small_review() -> Review:
    frame = pd.DataFrame({"k": list("aabc"), "t": list("xxyx"), "u": list("ppqq")})
    return conduct(Study(frame, {"cart": frame, "ctgan": frame}, keys=["k"]))


def review_of(*rows: dict[str, Any]) -> Review:
    """A review with exactly these measurements."""
    common: dict[str, Any] = {
        "replica": "cart",
        "synthesis": math.nan,
        "scenario": None,
        "keys": (),
        "target": None,
        "variables": (),
        "model": None,
        "rule": None,
        "unit": "",
        "count": math.nan,
        "total": math.nan,
        "reason": None,
    }
    given = [{**common, "family": MEASURES[row["metric"]].family, **row} for row in rows]
    frame = pd.DataFrame(given)
    for column in ("scenario", "target", "reason"):  # None stays None, as in a review
        frame[column] = pd.Series([row[column] for row in given], dtype=object)
    return dataclasses.replace(small_review(), frame=frame)


def verdicts(review: Review, judged_by: Profile) -> list[tuple[str, str, str]]:
    return [(f.status.value, f.metric, f.replica) for f in judge(review, judged_by)]


class TestRulesThatTheOriginalBreaks:
    @staticmethod
    def of(*chances: float, chance: float | None = None) -> list[tuple[str, str, str]]:
        """Return the statuses of rules of which each is broken, with these p."""
        rows: list[dict[str, Any]] = []
        for number, p in enumerate(chances):
            rule = {"rule": f"x > {number}"}
            rows.append({**rule, "metric": "rule_severity", "value": 0.1 * (number + 1)})
            if not math.isnan(p):
                rows.append({**rule, "metric": "rule_p", "value": p})
        limit = threshold("rule_severity", 0)["rule_severity"]
        limits = {"rule_severity": dataclasses.replace(limit, chance=chance)}
        findings = judge(review_of(*rows), Profile("test", "Test", "nobody", limits))
        return [
            (f.place.rule, f.status.value, f.rule) for f in findings if f.metric == "rule_severity"
        ]

    def test_p_is_taken_times_their_number(self) -> None:
        assert self.of(0.004, 0.006, chance=0.01) == [
            ("x > 0", "review", BEYOND_ORIGINAL),
            ("x > 1", "within", BEYOND_ORIGINAL),
        ]

    def test_one_that_it_keeps_is_taken_at_its_word_and_does_not_count(self) -> None:
        assert self.of(0.006, math.nan, chance=0.01) == [
            ("x > 0", "review", BEYOND_ORIGINAL),
            ("x > 1", "review", ""),
        ]

    def test_without_a_chance_limits_alone_judge(self) -> None:
        assert {status for _, status, _ in self.of(0.9, 0.9)} == {"review"}


class TestLoadProfile:
    def test_a_complete_profile(self, tmp_path: Path) -> None:
        loaded = load_profile(write(tmp_path, COMPLETE))
        assert loaded.name == "ours"
        assert (loaded.title, loaded.owner) == ("Ours", "unit")
        assert (loaded.min_cell, loaded.zeros_disclosive, loaded.round_base) == (5, False, 3)
        limit = loaded.thresholds["repU"]
        assert (limit.review, limit.fail) == (1.0, 5.5)
        assert (limit.source, limit.owner, limit.kind) == ("minutes", "head of unit", "rule")
        assert limit.date == dt.date(2026, 11, 1)

    def test_a_path_can_be_text(self, tmp_path: Path) -> None:
        assert load_profile(str(write(tmp_path, COMPLETE))).title == "Ours"

    @pytest.mark.parametrize("name", ["default", "illustration"])
    def test_the_packages_own_profiles_have_a_source_for_every_threshold(self, name: str) -> None:
        loaded = load_profile(name)
        assert loaded.thresholds
        for limit in loaded.thresholds.values():
            assert limit.source
            assert limit.owner
            assert isinstance(limit.date, dt.date)

    def test_the_default_profile_has_no_limit_on_disclosure_for_there_is_none_to_cite(self) -> None:
        profile = load_profile()
        assert list(profile.thresholds) == ["rule_severity"]
        assert profile.excess is not None
        assert profile.excess.kind == "package default"

    def test_an_empty_profile_judges_nothing_and_keeps_small_counts_back(
        self, tmp_path: Path
    ) -> None:
        loaded = load_profile(write(tmp_path, ""))
        assert loaded.thresholds == {}
        assert (loaded.min_cell, loaded.zeros_disclosive, loaded.round_base) == (10, True, 5)

    def test_an_unknown_name_is_refused_with_the_closest_one(self) -> None:
        with pytest.raises(StudyError, match=r"no profile 'defualt'\. Did you mean 'default'"):
            load_profile("defualt")

    def test_a_file_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StudyError, match="there is no profile"):
            load_profile(tmp_path / "none.toml")

    @pytest.mark.parametrize("entry", ["source", "owner", "date"])
    @pytest.mark.parametrize("empty", [True, False])
    def test_a_threshold_without_source_owner_or_date_is_refused(
        self, tmp_path: Path, entry: str, empty: bool
    ) -> None:
        section = COMPLETE[COMPLETE.index("[thresholds") :].splitlines()
        lines = [line for line in section if not line.startswith(entry)]
        if empty:
            lines.append(f'{entry} = ""')
        with pytest.raises(StudyError, match=f"ours.toml: thresholds.repU: the entry '{entry}'"):
            load_profile(write(tmp_path, "\n".join(lines)))

    @pytest.mark.parametrize(
        ("old", "new", "match"),
        [
            ("thresholds.repU", "thresholds.repu", "no such metric. Did you mean 'repU'"),
            ("thresholds.repU", "thresholds.TCAP", "Say which: TCAP_certain, TCAP_matched,"),
            ("thresholds.repU", "thresholds.tcap", "different numbers are published as 'tcap'"),
            ("thresholds.repU", "thresholds.UiO", "UiO only helps to read other metrics"),
            ("review = 1", "reveiw = 1", "unknown entry 'reveiw'. Did you mean 'review'"),
            ("title =", "titel =", "unknown entry 'profile.titel'. Did you mean 'title'"),
            ("[profile]", "[profil]", "unknown section 'profil'. Did you mean 'profile'"),
            ("2026-11-01", '"1 Nov"', "date: expected a TOML date"),
            ("review = 1", 'review = "1"', "review: expected a number"),
            ("review = 1", "review = true", "review: expected a number"),
            ("min_cell = 5", "min_cell = 0", "profile.min_cell: expected a whole number"),
            ("min_cell = 5", "min_cell = 2.5", "profile.min_cell: expected a whole number"),
            ("round_base = 3", 'round_base = "3"', "profile.round_base: expected a whole number"),
            ("review = 1\nfail = 5.5\n", "", "at least one of 'review' and 'fail'"),
            ("review = 1", "review = ", "not valid TOML"),
        ],
    )
    def test_a_mistake_is_refused_with_its_place(
        self, tmp_path: Path, old: str, new: str, match: str
    ) -> None:
        assert old in COMPLETE
        with pytest.raises(StudyError, match=match) as caught:
            load_profile(write(tmp_path, COMPLETE.replace(old, new)))
        assert str(caught.value).startswith("ours.toml: ")

    @pytest.mark.parametrize(
        "text", ["profile = 3", 'profile = "x"', "thresholds = 3", "thresholds.repU = 3"]
    )
    def test_an_entry_where_a_section_should_be_is_refused(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(StudyError, match=r"ours\.toml"):
            load_profile(write(tmp_path, text))

    def test_a_limit_that_nothing_can_exceed_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StudyError, match=r"ours\.toml: thresholds.repU"):
            load_profile(write(tmp_path, COMPLETE.replace("fail = 5.5", "fail = nan")))

    def test_text_in_another_encoding_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "ours.toml"
        path.write_bytes(COMPLETE.replace("Ours", "Für uns").encode("latin-1"))
        with pytest.raises(StudyError, match=r"ours\.toml: not valid TOML"):
            load_profile(path)


class TestJudge:
    @pytest.mark.parametrize(
        ("value", "status"),
        [(0.5, "within"), (3.0, "within"), (3.1, "review"), (10.0, "review"), (10.5, "fail")],
    )
    def test_lower_is_better(self, value: float, status: str) -> None:
        review = review_of({"metric": "S_pMSE", "value": value})
        assert verdicts(review, profile(S_pMSE=(3, 10))) == [(status, "S_pMSE", "cart")]

    @pytest.mark.parametrize(
        ("value", "status"),
        [(0.95, "within"), (0.9, "within"), (0.89, "review"), (0.5, "review"), (0.4, "fail")],
    )
    def test_higher_is_better(self, value: float, status: str) -> None:
        review = review_of({"metric": "ROC", "value": value})
        assert verdicts(review, profile(ROC=(0.9, 0.5))) == [(status, "ROC", "cart")]

    def test_one_limit_is_enough(self) -> None:
        review = review_of({"metric": "repU", "value": 2.0})
        assert verdicts(review, profile(repU=(None, 1)))[0][0] == "fail"
        assert verdicts(review, profile(repU=(1, None)))[0][0] == "review"
        assert verdicts(review, profile(repU=(None, 3)))[0][0] == "within"

    def test_without_a_threshold_nothing_is_approved(self) -> None:
        review = review_of({"metric": "DiSCO", "value": 99.0})
        (finding,) = judge(review, profile())
        assert finding.status is Status.NOT_JUDGED
        assert finding.threshold is None
        assert finding.exceeds == 0.0

    def test_a_value_without_evidence_in_the_frame_is_judged_without(self) -> None:
        review = review_of({"metric": "repU", "value": 2.0, "count": 3.0, "total": 150.0})
        (finding,) = judge(review, profile(repU=(1, None)))
        assert (finding.count, finding.total) == (3.0, 150.0)
        bare = dataclasses.replace(review, frame=review.frame.drop(columns=["count", "total"]))
        (finding,) = judge(bare, profile(repU=(1, None)))
        assert (finding.status, finding.count, finding.total) == (Status.REVIEW, None, None)

    def test_numbers_that_only_help_to_read_others_are_left_out(self) -> None:
        review = review_of({"metric": "UiO", "value": 9.0}, {"metric": "df", "value": 9.0})
        assert judge(review, profile()) == []

    def test_numbers_that_could_not_be_computed_are_left_out(self) -> None:
        review = review_of({"metric": "S_pMSE", "value": math.nan, "reason": "one cell"})
        assert judge(review, profile(S_pMSE=(3, 10))) == []

    def test_means_alone_are_judged(self) -> None:
        review = review_of(
            {"metric": "repU", "value": 2.0},
            {"metric": "repU", "value": 9.0, "synthesis": 1.0},
        )
        assert verdicts(review, profile(repU=(1, 5))) == [("review", "repU", "cart")]

    def test_the_worst_comes_first_and_within_a_status_what_exceeds_most(self) -> None:
        review = review_of(
            {"metric": "DiSCO", "value": 50.0, "replica": "unjudged"},
            {"metric": "S_pMSE", "value": 1.0, "replica": "within"},
            {"metric": "S_pMSE", "value": 12.0, "replica": "fails"},
            {"metric": "repU", "value": 2.0, "replica": "twice the limit"},
            {"metric": "S_pMSE", "value": 9.0, "replica": "three times the limit"},
            {"metric": "ROC", "value": 0.1, "replica": "fails by nine"},
        )
        result = verdicts(review, profile(S_pMSE=(3, 10), repU=(1, 5), ROC=(None, 0.9)))
        assert [replica for _, _, replica in result] == [
            "fails by nine",
            "fails",
            "three times the limit",
            "twice the limit",
            "unjudged",
            "within",
        ]

    def test_says_by_how_much_a_limit_is_exceeded(self) -> None:
        review = review_of({"metric": "S_pMSE", "value": 15.0}, {"metric": "ROC", "value": 0.25})
        result = {
            f.metric: f.exceeds for f in judge(review, profile(S_pMSE=(3, 10), ROC=(0.5, None)))
        }
        assert result == {"S_pMSE": 1.5, "ROC": 2.0}

    def test_nothing_found_at_a_limit_of_nothing_exceeds_nothing(self) -> None:
        review = review_of({"metric": "repU", "value": 0.0})
        (finding,) = judge(review, profile(repU=(None, 0)))
        assert finding.status is Status.WITHIN
        assert finding.exceeds <= 1.0

    def test_anything_found_at_a_limit_of_nothing_fails(self) -> None:
        review = review_of({"metric": "repU", "value": 0.01})
        (finding,) = judge(review, profile(repU=(None, 0)))
        assert finding.status is Status.FAIL
        assert finding.exceeds == math.inf

    def test_a_replica_with_nothing_in_common_fails_a_limit_of_roc(self) -> None:
        review = review_of({"metric": "ROC", "value": 0.0})
        assert verdicts(review, profile(ROC=(0.9, 0.5)))[0][0] == "fail"

    def test_identity_is_judged_once_whatever_the_target(self) -> None:
        rows = [
            {"metric": metric, "value": 2.0, "scenario": scenario, "target": target}
            for metric in ("repU", "UiOiS", "DiSCO")
            for scenario in ("friend", "colleague")
            for target in ("t", "u")
        ]
        result = judge(review_of(*rows), profile(repU=(1, 5)))
        assert [(f.scenario, f.target) for f in result if f.metric == "repU"] == [
            ("friend", ""),
            ("colleague", ""),
        ]
        assert len([f for f in result if f.metric == "UiOiS"]) == 2
        assert len([f for f in result if f.metric == "DiSCO"]) == 4

    def test_a_finding_shows_its_place_and_its_evidence(self) -> None:
        review = review_of(
            {
                "metric": "DiSCO",
                "value": 25.0,
                "count": 3.0,
                "total": 12.0,
                "scenario": "friend",
                "target": "income",
            },
            {"metric": "S_pMSE", "value": 1.0, "variables": ("a", "b")},
        )
        disclosure, utility = judge(review, profile(DiSCO=(5, 15), S_pMSE=(3, 10)))
        assert isinstance(disclosure, Finding)
        assert (disclosure.count, disclosure.total) == (3.0, 12.0)
        assert (disclosure.scenario, disclosure.target, disclosure.variables) == (
            "friend",
            "income",
            (),
        )
        assert (utility.count, utility.total, utility.scenario) == (None, None, "")
        assert utility.variables == ("a", "b")
        assert utility.threshold is not None
        assert utility.threshold.source == "source"

    def test_a_whole_review_is_judged(self) -> None:
        result = judge(small_review(), load_profile("illustration"))
        assert {f.replica for f in result} == {"cart", "ctgan"}
        order = list(Status)
        ranks = [order.index(f.status) for f in result]
        assert ranks == sorted(ranks, reverse=True)
        judged = {f.metric for f in result if f.status is not Status.NOT_JUDGED}
        assert judged == {"S_pMSE", "repU", "DiSCO"}
        assert all(MEASURES[f.metric].better != "none" for f in result)

    def test_a_profile_does_not_change_a_measurement(self) -> None:
        before = small_review().to_frame()
        judge(small_review(), profile(repU=(0, 0)))
        pd.testing.assert_frame_equal(small_review().to_frame(), before)


class TestWorst:
    def test_orders_the_statuses(self) -> None:
        order = [Status.WITHIN, Status.NOT_JUDGED, Status.REVIEW, Status.FAIL]
        assert list(Status) == order
        for i, status in enumerate(order):
            assert worst(order[: i + 1]) is status
            assert worst(reversed(order[: i + 1])) is status

    def test_of_nothing_is_not_judged(self) -> None:
        assert worst([]) is Status.NOT_JUDGED
        assert worst(iter(())) is Status.NOT_JUDGED


def test_the_package_names_what_a_caller_needs() -> None:
    assert sdc.judge is judge
    assert sdc.load_profile is load_profile


class TestFreshData:
    """Limits of S_pMSE are for replicas of the original's size; fresh data of any size are fine."""

    def statuses(self, n_synthetic: int) -> list[str]:
        rng = np.random.default_rng(n_synthetic)

        def people(n: int) -> pd.DataFrame:
            return pd.DataFrame({name: rng.choice(list("abcd"), n) for name in ("k", "t", "u")})

        review = conduct(Study(people(300), {"fresh": people(n_synthetic)}, keys=["k"], ways=(2,)))
        result = judge(review, profile(S_pMSE=(3.0, 10.0)))
        return [f.status.value for f in result if f.metric == "S_pMSE"]

    @pytest.mark.parametrize("n_synthetic", [60, 300, 6_000])
    def test_never_fail_whatever_their_number(self, n_synthetic: int) -> None:
        assert "fail" not in self.statuses(n_synthetic)

    def test_are_beyond_the_limit_only_before_their_number_is_counted_in(self) -> None:
        rng = np.random.default_rng(1)
        original = pd.DataFrame({"k": rng.choice(list("abcd"), 300), "t": rng.choice([1, 2], 300)})
        fresh = pd.DataFrame({"k": rng.choice(list("abcd"), 6000), "t": rng.choice([1, 2], 6000)})
        review = conduct(Study(original, {"fresh": fresh}, keys=["k"], ways=(2,)))
        (result,) = [f for f in judge(review, profile(S_pMSE=(3.0, 10.0))) if f.metric == "S_pMSE"]
        assert result.value > 10.0
        assert result.judged == pytest.approx(result.value * 2 / 21, rel=0.01)
