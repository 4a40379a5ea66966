"""The first page is true in the corners: copies, near-copies, one person, rare levels, few records.

Each case is made so that what is true of it is known; assertions are about sentences.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.phrase import plain_text
from sdcmetrics.report.safety.cells import SafeCell, Sentence, plain
from sdcmetrics.report.safety.safe import SafeReport, safe_report
from sdcmetrics.review.copying import Copying, copying_of, worst_copying
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile
from tests.report.conftest import threshold

N = 300
NO_LIMITS = Profile("none", "No limits", "nobody", {})
GENEROUS = Profile(
    "generous",
    "Generous",
    "nobody",
    {name: threshold(name, 100, 100) for name in ("DiSCO", "repU")}
    | {"S_pMSE": threshold("S_pMSE", 1e6, 1e7)},
)


def people(n: int, seed: int) -> pd.DataFrame:
    """Return records of fourteen columns, so wide that chance repeats none."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"q{i}": rng.choice(list("abcd"), n) for i in range(11)})
    frame["age"] = rng.integers(18, 90, n)
    frame["place"] = rng.choice(["hill", "plain", "shore"], n)
    frame["ill"] = np.where(np.arange(n) < 8, "yes", "no")
    return frame


def near_copy(original: pd.DataFrame) -> pd.DataFrame:
    """Ten columns verbatim, age within two years, a fifth of two columns swapped."""
    rng = np.random.default_rng(5)
    near = original.copy()
    near["age"] = near["age"] + rng.integers(-2, 3, len(near))
    for name in ("q0", "q1"):
        some = rng.random(len(near)) < 0.2
        near.loc[some, name] = rng.permutation(near.loc[some, name].to_numpy())
    return near


def with_one(frame: pd.DataFrame, person: pd.Series) -> pd.DataFrame:
    out = frame.copy()
    out.loc[len(out) - 1] = person
    return out


ORIGINAL = people(N, 1)
NEAR = near_copy(ORIGINAL)
REPLICAS = {
    "fresh": people(N, 2),
    "copy": ORIGINAL.sample(frac=1, random_state=3),
    "near": NEAR,
    "one": with_one(people(N, 4), ORIGINAL.iloc[100]),
}


@cache
def review(*, holdout: bool) -> sdc.Review:
    study = sdc.Study(
        ORIGINAL,
        dict(REPLICAS),
        keys=["age", "place"],
        targets=["ill", "q0"],
        holdout=people(N, 6) if holdout else None,
        permutations=199,
        perturbed=[],
    )
    return sdc.conduct(study)


@cache
def page(*, holdout: bool, limits: bool = False, release: bool = False) -> SafeReport:
    rules = GENEROUS if limits else NO_LIMITS
    return safe_report(review(holdout=holdout), rules, "checker" if release else "internal")


def text(sentence: Sentence | None) -> str:
    return "" if sentence is None else plain(sentence.words).replace("\N{NO-BREAK SPACE}", " ")


def disclosed(report: SafeReport) -> list[str]:
    found = report.decision.findings[0]
    return [text(item) for item in (*found.worst, *found.more)]


def cells(report: SafeReport, replica: str) -> dict[str, SafeCell]:
    grid = report.decision.grid
    (row,) = [row for row in grid.rows if row[0].text == replica]
    return dict(zip((column.field for column in grid.columns), row, strict=True))


def equal_records(replica: pd.DataFrame) -> int:
    return len(ORIGINAL.merge(replica.drop_duplicates(), how="inner"))


@pytest.mark.parametrize("holdout", [True, False])
@pytest.mark.parametrize("release", [True, False])
class TestACopy:
    @pytest.mark.long
    def test_heads_the_page(self, holdout: bool, release: bool) -> None:
        report = page(holdout=holdout, release=release)
        first = report.decision.answers[0].first
        assert text(first).startswith("copy is a copy of the original")
        about = "about " if release else ""
        assert disclosed(report)[0] == (
            f"copy is a copy: {about}{N} of {about}{N} original records are in it, the same in "
            "every value."
        )

    @pytest.mark.long
    def test_is_not_releasable_whatever_the_limits(self, holdout: bool, release: bool) -> None:
        found = cells(page(holdout=holdout, release=release, limits=True), "copy")
        assert found["risk"].text == "review"
        assert found["risk"].detail == "not releasable without a closer look"
        assert found["copied"].number == N


class TestEveryReplica:
    @pytest.mark.parametrize("replica", list(REPLICAS))
    @pytest.mark.parametrize("holdout", [True, False])
    def test_the_table_counts_the_records_that_are_equal(self, replica: str, holdout: bool) -> None:
        shown = cells(page(holdout=holdout), replica)["copied"]
        assert shown.number == equal_records(REPLICAS[replica])

    def test_of_several_syntheses_the_most_is_shown_whichever_is_worst(self) -> None:
        older, some = ORIGINAL.assign(age=ORIGINAL["age"] + 1), people(N, 4)
        some.iloc[:3] = ORIGINAL.iloc[100:103]
        study = sdc.Study(
            ORIGINAL,
            {"both": [older, some]},
            keys=["age", "place"],
            targets=["ill"],
            holdout=people(N, 6),
            permutations=199,
            perturbed=[],
        )
        found = sdc.conduct(study)
        assert worst_copying(copying_of(found))["both"].synthesis == 1
        report = safe_report(found, NO_LIMITS, "internal")
        assert cells(report, "both")["copied"].number == equal_records(some) == 3
        first = text(report.decision.answers[0].first)
        assert "both holds people of the original (synthesis 1: " in first  # the other holds three

    def test_of_two_syntheses_the_one_that_alarms_is_the_worst(self) -> None:
        many = Copying("r", 1, N, N, 5, 9, complete=False, copied_p=1.0)
        one = Copying("r", 2, N, N, 1, 9, complete=False, copied_p=1.0, alone=1)
        assert worst_copying([one, many])["r"] is worst_copying([many, one])["r"] is one

    def test_each_has_one_verdict_in_the_answer(self) -> None:
        report = page(holdout=True, limits=True)
        lines = {text(item): item.status for item in report.decision.answers[0].replicas}
        assert lines == {
            "fresh: releasable": Status.WITHIN,
            "copy, near and one: not releasable without a closer look": Status.REVIEW,
        }
        assert report.decision.answers[0].short == "1 of 4 replicas is releasable"
        assert report.decision.answers[0].status is Status.WITHIN

    def test_without_limits_none_is_judged_but_for_the_people_in_it(self) -> None:
        report = page(holdout=True)
        said = {name: cells(report, name)["risk"].text for name in REPLICAS}
        assert said == {**dict.fromkeys(REPLICAS, "review"), "fresh": "not judged"}
        assert report.decision.answers[0].status is Status.REVIEW
        assert report.decision.answers[0].short == (
            "None of the 4 replicas is judged releasable; 1 not judged"
        )
        statuses = {item.status for f in report.decision.findings for item in (*f.worst, *f.more)}
        assert {str(status) for status in statuses} <= {"notice", "not judged"}


class TestFreshData:
    def test_nothing_is_said_of_people_in_it(self) -> None:
        for report in (page(holdout=True), page(holdout=False)):
            assert "fresh" not in text(report.decision.answers[0].first)
            assert not [words for words in disclosed(report) if words.startswith("fresh")]


class TestANearCopy:
    def test_copies_and_singled_out_people_are_in_the_first_sentence(self) -> None:
        first = text(page(holdout=True).decision.answers[0].first)
        out = cells(page(holdout=True), "near")["singled_out"].number
        assert f"near holds people of the original ({equal_records(NEAR)} of {N} copied, " in first
        assert f"{out:.0f} singled out)" in first
        assert out is not None
        assert out > N / 4

    def test_says_how_many_are_closer_to_the_original(self) -> None:
        (words,) = [
            w for w in disclosed(page(holdout=True)) if w.startswith("near: ") and "singled" in w
        ]
        assert float(re.findall(r"([\d.]+) % of its records are closer", words)[0]) > 95

    def test_is_not_protected_on_the_map(self) -> None:
        found = sdc.compare_replicas(review(holdout=True), anchors=True)
        protection = found.map["protection"]
        assert protection["copy"] == 0
        assert protection["near"] < 0.1
        assert protection["fresh"] > 0.9
        assert "does not hand out" in sentences.on_map(found)
        assert "exact matches only" not in sentences.on_map(found)

    def test_a_ranking_says_so_whatever_its_place(self) -> None:
        notes = [plain_text(one) for one in sdc.compare_replicas(review(holdout=True)).notes]
        said = "of the original: whatever its place, look at that first."
        assert f"copy is a copy {said}" in notes
        assert f"near holds people {said}" in notes
        assert not [one for one in notes if one.startswith("fresh ")]
        report = page(holdout=True, release=True)
        assert f"copy is a copy {said}" in [text(one) for one in report.ranking.notes]

    def test_without_a_holdout_the_map_says_what_it_does_not_see(self) -> None:
        found = sdc.compare_replicas(review(holdout=False), anchors=True)
        assert found.map["protection"]["copy"] == 0
        assert "counts exact matches only" in sentences.on_map(found)


class TestOnePerson:
    def test_is_shown_as_what_it_is_whatever_the_p(self) -> None:
        closest = review(holdout=True).fresh.closest["one", 1]  # type: ignore[union-attr]
        assert closest.identical.p_value > 0.1
        assert closest.outliers.training == 1
        (words,) = [words for words in disclosed(page(holdout=True)) if words.startswith("one: ")]
        assert "1 original record that lies apart from all other real records" in words
        assert "is in it, the same in every value" in words

    def test_is_shown_without_a_holdout_too(self) -> None:
        (words,) = [words for words in disclosed(page(holdout=False)) if words.startswith("one: ")]
        assert f"1 of {N} original records is in it, the same in every value" in words

    def test_is_not_told_outside(self) -> None:
        report = page(holdout=True, release=True)
        assert not [words for words in disclosed(report) if words.startswith("one: ")]
        assert cells(report, "one")["copied"].kind == "hidden"

    def test_the_page_says_how_many_must_leak_to_be_found(self) -> None:
        least = sdc.smallest_detectable(N, N)
        said = [text(item) for item in page(holdout=True).decision.unchecked]
        assert any(words.startswith(f"Fewer than {least} copied people") for words in said)


@cache
def leaks() -> SafeReport:
    rng = np.random.default_rng(8)
    original = pd.DataFrame(
        {"age": rng.integers(18, 60, 1600), "job": rng.choice(list("xy"), 1600)}
    )
    original["ill"] = "no"
    original.loc[:7, "age"] = np.arange(90, 98)
    original.loc[:7, "ill"] = "yes"
    replica = original.copy()
    # Most of what is common is mixed up, and everybody who is ill can be recognised.
    replica.loc[8:1100, "ill"] = rng.choice(["no", "yes"], 1093)
    study = sdc.Study(original, {"leak": replica}, keys=["age", "job"], targets=["ill"])
    return safe_report(sdc.conduct(study), NO_LIMITS, "internal")


class TestARareLevel:
    def test_is_on_the_first_page_with_its_baseline(self) -> None:
        (words,) = [words for words in disclosed(leaks()) if "ill = yes" in words]
        assert "correctly for 8 of the 8 original records with this level (100 %)" in words
        assert "from the original itself, for 8." in words
        assert "Of all original records 0.5 % have it." in words

    def test_is_first_in_its_table(self) -> None:
        (table,) = leaks().levels
        assert [row[1].text for row in table.rows] == ["yes", "no"]
        assert table.rows[0][4].number == 100
        assert len(leaks().exports["disclosure_by_level"]) == 2

    def test_is_withheld_outside(self) -> None:
        report = page(holdout=False, release=True)
        assert not any(table.rows for table in report.levels)
        assert "disclosure_by_level" not in report.exports
        assert "by target level" in " ".join(row[0].text for row in report.suppression.rows)
        assert not any(" = " in words for words in disclosed(report))


class TestTwoSyntheses:
    def test_the_one_that_is_a_copy_is_named(self) -> None:
        study = sdc.Study(
            ORIGINAL, {"two": [people(N, 2), ORIGINAL]}, keys=["age"], targets=["ill"]
        )
        report = safe_report(sdc.conduct(study), NO_LIMITS, "internal")
        assert disclosed(report)[0].startswith("two, synthesis 2, is a copy: ")


class TestFewColumns:
    def test_a_fresh_sample_is_no_copy_though_it_has_every_record(self) -> None:
        narrow = [people(N, seed)[["place", "q0"]] for seed in (1, 2)]
        study = sdc.Study(narrow[0], {"fresh": narrow[1]}, keys=["place"], targets=["q0"])
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert cells(report, "fresh")["copied"].number == N
        assert report.decision.answers[0].first is None
        assert report.decision.answers[0].short == "Releasable"

    def test_a_copy_is_one(self) -> None:
        narrow = people(N, 1)[["place", "q0"]]
        study = sdc.Study(narrow, {"copy": narrow[::-1]}, keys=["place"], targets=["q0"])
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert text(report.decision.answers[0].first).startswith("copy is a copy of the original")
        assert report.decision.answers[0].short == "Not releasable without a closer look"


class TestTinyData:
    def test_it_says_that_the_tests_would_find_nobody(self) -> None:
        study = sdc.Study(
            people(4, 1),
            {"tiny": people(4, 2)},
            keys=["place"],
            targets=["q0"],
            holdout=people(2, 3),
            permutations=9,
            perturbed=[],
        )
        report = safe_report(sdc.conduct(study), NO_LIMITS, "internal")
        said = [text(item) for item in report.decision.unchecked]
        assert any("so few records the exact tests would not find any" in words for words in said)
