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
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.safety.cells import SafeCell, Sentence, plain
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


def short(report: SafeReport) -> str:
    return plain(report.decision.answers[0].short)


def text(sentence: Sentence | None) -> str:
    return "" if sentence is None else plain(sentence.words).replace("\N{NO-BREAK SPACE}", " ")


def disclosed(report: SafeReport) -> list[str]:
    result = report.decision.findings[0]
    return [text(item) for item in result.sentences]


def stated(report: SafeReport, replica: str, question: int = 0) -> list[str]:
    """Return what is stated of one replica, beside one of the two questions."""
    start = f"{replica}: "
    said = (text(item) for item in report.decision.answers[question].sentences)
    return [words.removeprefix(start) for words in said if words.startswith(start)]


def cells(report: SafeReport, replica: str) -> dict[str, SafeCell]:
    grid = report.decision.grid
    (row,) = [row for row in grid.rows if row[0].text == replica]
    return dict(zip((column.field for column in grid.columns), row, strict=True))


def equal_records(replica: pd.DataFrame) -> int:
    return len(ORIGINAL.merge(replica.drop_duplicates(), how="inner"))


@pytest.mark.parametrize("holdout", [True, False])
@pytest.mark.parametrize("release", [True, False])
class TestACopy:
    def test_heads_the_page(self, *, holdout: bool, release: bool) -> None:
        report = page(holdout=holdout, release=release)
        assert disclosed(report)[0] == "copy is a copy of the original."
        assert [name.text for name in report.decision.people] == ["copy", "near"]

    def test_may_not_be_released_whatever_the_limits(self, *, holdout: bool, release: bool) -> None:
        for limits in (True, False):
            report = page(holdout=holdout, release=release, limits=limits)
            result = cells(report, "copy")
            assert (result["risk"].text, result["risk"].detail) == ("fail", "no")
            assert result["copied"].number == N
            (board,) = [row for row in report.decision.board.rows if row[0].text == "copy"]
            assert board[1].status is Status.FAIL
            assert board[2].text == (
                "The internal edition says why." if release else "It is the original."
            )


class TestEveryReplica:
    @pytest.mark.parametrize("replica", list(REPLICAS))
    @pytest.mark.parametrize("holdout", [True, False])
    def test_the_table_counts_the_records_that_are_equal(self, replica: str, holdout: bool) -> None:
        shown = cells(page(holdout=holdout), replica)["copied"]
        assert shown.number == equal_records(REPLICAS[replica])

    def test_of_several_syntheses_the_most_is_counted_and_all_are_answered_for(self) -> None:
        older, some = ORIGINAL.assign(age=ORIGINAL["age"] + 1), people(N, 4)
        some.iloc[:3] = ORIGINAL.iloc[100:103]
        study = sdc.Study(
            ORIGINAL,
            {"both": [older, some], "other": [people(N, 7), people(N, 8)]},
            keys=["age", "place"],
            targets=["ill"],
            holdout=people(N, 6),
            permutations=199,
            perturbed=[],
        )
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert cells(report, "both")["copied"].number == equal_records(some) == 3
        assert equal_records(older) == 0
        # The first file is the original with another age, the second holds three people only.
        assert cells(report, "both")["risk"].status is Status.FAIL
        assert disclosed(report)[0].startswith("both is ")
        assert cells(report, "other")["risk"].status is Status.WITHIN

    def test_each_has_one_answer(self) -> None:
        report = page(holdout=True, limits=True)
        lines = {text(item): item.status for item in report.decision.answers[0].replicas}
        assert lines == {
            "There is no objection to fresh and one.": Status.WITHIN,
            "copy and near may not go out.": Status.FAIL,
        }
        assert short(report) == "There is no objection to 2 of 4 replicas: fresh and one"
        assert report.decision.answers[0].status is Status.WITHIN

    def test_without_limits_none_is_approved(self) -> None:
        report = page(holdout=True)
        entries = {name: cells(report, name)["risk"].text for name in REPLICAS}
        assert entries == {
            "fresh": "not judged",
            "copy": "fail",
            "near": "fail",
            "one": "not judged",
        }
        assert report.decision.answers[0].status is Status.NOT_JUDGED
        assert short(report) == (
            "None of 4 replicas is free of objections; not judged, which is no approval: "
            "fresh and one"
        )
        assert "Nobody has set a limit on disclosure" in stated(report, "fresh")[0]


class TestFreshData:
    def test_nothing_is_said_of_people_in_it(self) -> None:
        for report in (page(holdout=True), page(holdout=False)):
            assert "fresh" not in [name.text for name in report.decision.people]
            assert not [words for words in disclosed(report) if words.startswith("fresh")]
            words = " ".join(stated(report, "fresh"))
            assert "It holds" not in words
            assert "follow" not in words


class TestANearCopy:
    def test_whose_records_it_holds_is_stated_with_how_many(self) -> None:
        report = page(holdout=True)
        count = equal_records(NEAR)
        (holds,) = [words for words in stated(report, "near") if words.startswith("It holds")]
        assert f"{count} of {N} are equal to a record of it and to nobody else" in holds
        assert f"of people left out 0 of {N}" in holds
        out = cells(report, "near")["singled_out"].number
        assert out is not None
        assert out > N / 4

    def test_row_by_row_it_is_the_masked_original_until_its_rows_are_mixed(self) -> None:
        text = "near is a masked original, whole or in part: rows are the person of the same row."
        assert disclosed(page(holdout=True))[1] == text
        study = sdc.Study(
            ORIGINAL,
            {"near": NEAR.sample(frac=1, random_state=3)},
            keys=["age", "place"],
            targets=["ill", "q0"],
            holdout=people(N, 6),
            permutations=199,
            perturbed=[],
        )
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert disclosed(report)[0] == "near holds records of people of the original."
        assert cells(report, "near")["risk"].status is Status.REVIEW
        assert short(report) == "Not without a closer look"

    def test_is_not_protected_on_the_map(self) -> None:
        result = sdc.compare_replicas(review(holdout=True), anchors=True)
        protection = result.map["protection"]
        assert protection["copy"] == 0
        assert protection["near"] < 0.1
        assert protection["fresh"] > 0.9
        assert "does not hand out" in sentences.on_map(result)
        assert "exact matches only" not in sentences.on_map(result)

    def test_a_ranking_says_so_whatever_its_place(self) -> None:
        notes = [plain_text(note) for note in sdc.compare_replicas(review(holdout=True)).notes]
        look = "whatever its place, look at that first."
        copied = f"copy is a copy of the original: {look}"
        assert copied in notes
        masked = "near is a masked original, whole or in part: rows are the person of the same row"
        assert f"{masked}: {look}" in notes
        assert not [note for note in notes if note.startswith(("fresh ", "one "))]
        report = page(holdout=True, release=True)
        assert copied in [text(note) for note in report.ranking.notes]

    def test_without_a_holdout_the_map_says_what_it_does_not_see(self) -> None:
        result = sdc.compare_replicas(review(holdout=False), anchors=True)
        assert result.map["protection"]["copy"] == 0
        assert "counts exact matches only" in sentences.on_map(result)


class TestOnePerson:
    @pytest.mark.parametrize("holdout", [True, False])
    def test_is_counted_and_beside_it_how_many_could_be_in_it_unnoticed(
        self, *, holdout: bool
    ) -> None:
        report = page(holdout=holdout, limits=True)
        assert cells(report, "one")["copied"].number == 1
        unnoticed = " ".join(stated(report, "one"))
        up_to = re.findall(r"Up to ([\d,]+) people copied in every value", unnoticed)
        assert int(up_to[0]) >= 1
        assert f"Had {int(up_to[0]) + 1} or more been copied" in unnoticed

    def test_is_not_told_outside(self) -> None:
        report = page(holdout=True, release=True)
        assert not [words for words in disclosed(report) if words.startswith("one")]
        assert not stated(report, "one")
        assert cells(report, "one")["copied"].kind == "hidden"


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
    def test_one_that_is_a_copy_makes_the_replica_one(self) -> None:
        study = sdc.Study(
            ORIGINAL, {"two": [people(N, 2), ORIGINAL]}, keys=["age"], targets=["ill"]
        )
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert disclosed(report)[0] == "two is a copy of the original."
        assert short(report) == "No"


class TestFewColumns:
    def test_a_fresh_sample_is_no_copy_though_it_has_every_record(self) -> None:
        narrow = [people(N, seed)[["place", "q0"]] for seed in (1, 2)]
        study = sdc.Study(narrow[0], {"fresh": narrow[1]}, keys=["place"], targets=["q0"])
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert cells(report, "fresh")["copied"].number == N
        assert report.decision.people == ()
        assert short(report) == "No objection"
        content = " ".join(text(item) for item in report.decision.answers[0].sentences)
        assert "No number of copied people would have been noticed" in content

    def test_a_copy_is_one(self) -> None:
        narrow = people(N, 1)[["place", "q0"]]
        study = sdc.Study(narrow, {"copy": narrow[::-1]}, keys=["place"], targets=["q0"])
        report = safe_report(sdc.conduct(study), GENEROUS, "internal")
        assert disclosed(report)[0] == "copy is a copy of the original."
        assert short(report) == "No"


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
        texts = [text(item) for item in report.decision.answers[0].sentences]
        assert any("no number of copied people would have been noticed" in item for item in texts)
        assert not any(item.startswith("Up to") for item in texts)
