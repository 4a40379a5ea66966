"""Rules that the original itself breaks: whether a replica does so more often than chance."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.rules.check_rules import check_pair
from sdcmetrics.measures.rules.outcome import RuleCounts, rule_p
from sdcmetrics.measures.rules.rule import make_rules
from sdcmetrics.microdata.frames import as_microdata

ORIGINAL = RuleCounts(fulfilled=17, broken=3, unknown=0, applies=20)
REPLICA = RuleCounts(fulfilled=6, broken=4, unknown=2, applies=12)


def by_counting(broken: int, of_replica: int, n: int, m: int) -> float:
    """The share of all ways to deal out who breaks it in which the replica has so many."""
    ways = sum(comb(m, k) * comb(n, broken - k) for k in range(of_replica, broken + 1))
    return float(Fraction(ways, comb(n + m, broken)))


class TestP:
    def test_counts_the_ways_in_which_the_replica_has_so_many(self) -> None:
        assert rule_p(ORIGINAL, REPLICA) == pytest.approx(by_counting(7, 4, 20, 12), rel=1e-12)
        none = replace(REPLICA, fulfilled=10, broken=0)
        assert rule_p(ORIGINAL, none) == 1.0

    def test_a_rule_that_nobody_breaks_has_none(self) -> None:
        law = RuleCounts(20, 0, 0, 20)
        assert math.isnan(rule_p(law, REPLICA))
        assert math.isnan(rule_p(law, REPLICA, law))
        other_people = RuleCounts(19, 1, 0, 20)
        assert rule_p(other_people, REPLICA, other_people) == rule_p(other_people, REPLICA) < 1
        assert rule_p(law, REPLICA, other_people) == pytest.approx(by_counting(4, 4, 20, 12))

    def test_a_design_effect_divides_all_counts(self) -> None:
        clustered = replace(ORIGINAL, design_effect=2.0)  # 1.5 and 2 break it: 2 of 10 and 2 of 6
        assert rule_p(clustered, REPLICA) == pytest.approx(by_counting(4, 2, 10, 6))
        odd = replace(REPLICA, broken=5)  # 2.5: 2
        assert rule_p(clustered, replace(odd, fulfilled=5)) == rule_p(clustered, REPLICA)
        assert math.isnan(rule_p(replace(ORIGINAL, design_effect=math.nan), REPLICA))


class TestDesignEffect:
    @staticmethod
    def effect(values: list[int], clusters: list[int]) -> float:
        frame = as_microdata(pd.DataFrame({"x": values}), "original")
        pair = Pair("r", frame, [as_microdata(pd.DataFrame({"x": [0, 1]}), "r")])
        outcome, *_ = check_pair(make_rules("x == 0"), pair, np.array(clusters))
        return outcome.original.design_effect

    def test_a_few_clusters_count_as_if_each_broke_it_as_a_whole(self) -> None:
        assert self.effect([0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 2]) == (9 + 4 + 1) / 6
        assert self.effect([1] * 90, [i // 3 for i in range(90)]) == 3.0  # nothing varies

    def test_of_many_it_is_the_variance_between_over_that_of_records(self) -> None:
        whole = [i // 3 % 2 for i in range(240)]  # clusters of three that break it together
        assert self.effect(whole, [i // 3 for i in range(240)]) == pytest.approx(3 * 80 / 79)
        apart = [i % 2 for i in range(240)]  # each pair holds one that breaks it: no variance
        assert self.effect(apart, [i // 2 for i in range(240)]) == 1.0
        thirty = [int(i < 60) for i in range(240)]
        assert self.effect(thirty, [i // 2 for i in range(240)]) == pytest.approx(2 * 120 / 119)

    def test_records_that_stand_alone_have_none(self) -> None:
        frame = pd.DataFrame({"x": [0, 1, 1]})
        assert sdc.check_rules(frame, frame, "x == 0").outcomes[0].original.design_effect == 1.0


def households(n: int, seed: int, share: float) -> pd.DataFrame:
    """Households of four, of whom all or none break the rule."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(n), 4)
    breaks = (rng.random(n) < share)[home]
    return pd.DataFrame({"x": breaks.astype(int), "y": rng.normal(size=4 * n), "home": home})


class TestReview:
    @staticmethod
    def status(replica: pd.DataFrame, original: pd.DataFrame, **options: object) -> set[str]:
        study = sdc.Study(
            original[["x", "y"]] if not options else original,
            {"r": replica},
            keys=["x"],
            ways=[1],
            rules=["x == 0"],
            **options,  # type: ignore[arg-type]
        )
        findings = sdc.judge(sdc.conduct(study, reference_values=False), sdc.load_profile())
        return {f.status.value for f in findings if f.metric == "rule_severity"}

    def test_a_fresh_file_is_within_and_one_that_breaks_more_is_not(self) -> None:
        original = pd.DataFrame({"x": [1] * 20 + [0] * 180, "y": range(200)})
        fresh = pd.DataFrame({"x": [1] * 26 + [0] * 174, "y": range(200)})
        more = pd.DataFrame({"x": [1] * 50 + [0] * 150, "y": range(200)})
        law = original.assign(x=0)
        assert self.status(fresh, original) == {"within"}
        assert self.status(more, original) == {"review"}
        one = law.assign(x=[1] + [0] * 199)
        assert self.status(one, law) == {"review"}  # at its word
        assert self.status(law, law) == {"within"}

    def test_members_of_a_household_do_not_count_one_by_one(self) -> None:
        original, other = households(150, 1, 0.25), households(150, 2, 0.36)
        broken = [int(frame["x"].sum()) for frame in (original, other)]
        assert rule_p(*(RuleCounts(600 - count, count, 0, 600) for count in broken)) < 0.001
        columns = ["x", "y"]
        assert self.status(other[columns], original) == {"review"}
        assert self.status(other, original, sample={"household": "home"}) == {"within"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [(5, "expected texts such as"), (b"x > 0", "expected texts such as"), (["x > 0"], "not lists")],
)
def test_what_is_no_text_is_no_rule(entry: object, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        make_rules([entry])
