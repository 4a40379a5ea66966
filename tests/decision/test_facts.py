"""What was measured, as facts and in words: every count, plural and order by hand."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import combinations_with_replacement, product
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.decision.answer import answer, decide
from sdcmetrics.decision.facts import ALONE, LACKING, state_of
from sdcmetrics.decision.limits import Grounds, Limited, limit_facts
from sdcmetrics.decision.state import ExcessFacts, State, TableFacts
from sdcmetrics.decision.statement import Names, Value
from sdcmetrics.decision.status import Status
from sdcmetrics.measures import generator
from sdcmetrics.measures.excess.result import Excess, ExcessOfFiles, Question
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.one_sided import ONE_SIDED
from sdcmetrics.measures.homogeneity.result import Homogeneity, Reason, Table, Totals
from sdcmetrics.measures.homogeneity.rows_together import EQUAL_VALUES
from sdcmetrics.measures.people.claims import (
    NOT_NOTICED,
    Claim,
    Interval,
    People,
)
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.study.limits import ExcessRule, TableRule

QUIET = People((), 600, 500, 0)
CLAIMED = generator.Claim.of(1.0, 0.0, "replace")
ACCUSED = People((Claim.HOLDS,), 600, 500, 300, hits=(7, 1), holdout="used")
SOURCE = {"source": "x", "owner": "Unit", "date": dt.date(2026, 1, 1)}
ASKED = ExcessRule(("DiSCO",), excess=1.0, chance=0.01, excess_share=0.5, **SOURCE)  # type: ignore[arg-type]
TABLES = TableRule(
    "S_pMSE", review=3.0, fail=None, chance=0.01, size_review=0.1, size_fail=0.3, **SOURCE
)  # type: ignore[arg-type]
ONE = Question(
    ("sex", "age"), "vote", "sex, age: vote", 5.0, 0.001, None, None, flagged=True, failed=False,
    failed_if_people=True, copyable=True, drift=False, encoding="as they are", original=12.25,
    others=2.94, n=600,
)  # fmt: skip


def text(value: Value) -> str:
    """Return a value as a reader sees it."""
    return "".join(map(str, value)) if isinstance(value, tuple) else str(value)


def words_of(grounds: Grounds) -> dict[str, str]:
    """Return the words of a state as texts."""
    return {name: text(value) for name, value in state_of(grounds).words.items()}


def words_of_people(**of_files: object) -> dict[str, str]:
    """Return the words on people, of one quiet file unless told otherwise."""
    return words_of(Grounds(people=PeopleOfFiles(**{"files": (QUIET,), **of_files})))  # type: ignore[arg-type]


class TestPeople:
    @pytest.mark.parametrize(
        ("number", "unnoticed"),
        [(1, "Nobody"), (2, "One person"), (3, "Up to 2 people"), (1235, "Up to 1,234 people")],
    )
    def test_one_less_than_is_noticed_is_not(self, number: int, unnoticed: str) -> None:
        words = words_of_people(files=(replace(QUIET, noticed=number),))
        assert (words["unnoticed"], words["noticed"]) == (unnoticed, str(number))

    @pytest.mark.parametrize(
        ("number", "unnoticed"),
        [
            (1, "No home cluster with all its rows"),
            (2, "One home cluster with all its rows"),
            (3, "Up to 2 home clusters with all their rows"),
            (1235, "Up to 1,234 home clusters with all their rows"),
        ],
    )
    def test_of_clusters_as_many_whole_ones_go_unnoticed(self, number: int, unnoticed: str) -> None:
        file = replace(QUIET, noticed=number, clusters=2000, cluster="home")
        assert words_of_people(files=(file,))["unnoticed"] == unnoticed

    def test_a_number_is_stated_of_all_records_only(self) -> None:
        told = PeopleOfFiles((replace(QUIET, noticed=4),))
        assert state_of(Grounds(people=told)).people.noticed
        assert not state_of(Grounds(people=told, sampled=True)).people.noticed
        assert not state_of(Grounds(people=PeopleOfFiles((QUIET,)))).people.noticed
        sampled = state_of(Grounds(people=PeopleOfFiles((QUIET,)), sampled=True)).people
        assert (sampled.noticed, sampled.sampled) == (False, True)

    @pytest.mark.parametrize("claims", [(), (Claim.HOLDS,), (Claim.COLUMNS,)])
    def test_why_there_is_none_is_said_where_nothing_alarms(
        self, claims: tuple[Claim, ...]
    ) -> None:
        quiet = Claim.HOLDS not in claims
        otherwise = replace(
            QUIET, claims=claims, withheld="age is written otherwise than the original"
        )
        facts = state_of(Grounds(people=PeopleOfFiles((otherwise,)))).people
        assert (facts.withheld, facts.blind) == (quiet, False)
        blind = replace(QUIET, claims=claims, withheld=NOT_NOTICED)
        facts = state_of(Grounds(people=PeopleOfFiles((blind,)))).people
        assert (facts.withheld, facts.blind) == (False, quiet)
        facts = state_of(Grounds(people=PeopleOfFiles((replace(blind, noticed=3),)))).people
        assert (facts.withheld, facts.blind) == (False, False)

    @pytest.mark.parametrize(
        ("n", "m", "clusters", "few"),
        [(30, 30, 0, False), (29, 900, 0, True), (900, 29, 0, True), (900, 900, 29, True)],
    )
    def test_few_records_in_which_nobody_is_noticed_are_not_judged(
        self, n: int, m: int, clusters: int, few: bool
    ) -> None:
        file = replace(QUIET, n=n, m=m, clusters=clusters, withheld=NOT_NOTICED)
        state = state_of(Grounds(people=PeopleOfFiles((file,))))
        assert (state.people.blind, state.people.few) == (True, few)
        given = answer(state, "risk")
        assert any("There are too few" in text(because) for because in given.because) is few
        noticed = replace(file, withheld="", noticed=n)
        assert not state_of(Grounds(people=PeopleOfFiles((noticed,)))).people.few

    @pytest.mark.parametrize(
        ("earlier", "said"),
        [
            ((), ("0 files", "were", "them", "0 files", "those")),
            ((1,), ("One file", "was", "it", "1 file", "that")),
            ((2, 1), ("2 files", "were", "them", "1 file", "that")),
            ((1, 1200), ("1,200 files", "were", "them", "1,200 files", "those")),
        ],
    )
    def test_files_handed_out_earlier(self, earlier: tuple[int, ...], said: tuple[str]) -> None:
        words = words_of_people(together=(QUIET,) * len(earlier), earlier=earlier)
        names = ("earlier", "was_out", "them", "together", "those")
        assert tuple(words[name] for name in names) == said

    @pytest.mark.parametrize(
        ("earlier", "them"),
        [((1,), "the first of them"), ((1, 2), "the first 2 of them"), ((1, 2, 3), "them")],
    )
    def test_files_that_no_union_had_to_hold_were_handed_out_too(
        self, earlier: tuple[int, ...], them: str
    ) -> None:
        words = words_of_people(together=(QUIET,) * len(earlier), earlier=earlier, out=3)
        assert (words["earlier"], words["was_out"], words["them"]) == ("3 files", "were", them)

    @pytest.mark.parametrize(
        ("result", "earlier"),
        [
            (PeopleOfFiles((QUIET,)), ""),
            (PeopleOfFiles((QUIET,), together=(QUIET,), earlier=(1,)), "quiet"),
            (PeopleOfFiles((ACCUSED,), together=(QUIET,), earlier=(1,)), "quiet"),
            (
                PeopleOfFiles(
                    (ACCUSED,), together=(replace(ACCUSED, claims=(Claim.COPY,)),), earlier=(1,)
                ),
                "more",
            ),
            (PeopleOfFiles((QUIET,), together=(ACCUSED,), earlier=(1,)), "together"),
            (PeopleOfFiles((QUIET,), together=(ACCUSED,), earlier=(1,), anyway=True), "anyway"),
        ],
    )
    def test_what_earlier_files_change(self, result: PeopleOfFiles, earlier: str) -> None:
        assert state_of(Grounds(people=result)).people.earlier == earlier

    def test_columns_left_out_are_named_once_and_counted(self) -> None:
        first, second = replace(QUIET, left_out=("age",)), replace(QUIET, left_out=("sex", "age"))
        words = words_of_people(files=(first, first))
        assert (words["left_out"], words["share"], words["were"]) == ("age", "shares", "was")
        words = words_of_people(files=(first, second))
        assert (words["left_out"], words["share"], words["were"]) == ("age, sex", "share", "were")

    @pytest.mark.parametrize(
        ("p", "most", "text"),
        [
            (None, "", ""),
            (0.00123, "", " (p = 0.00123)"),
            (0.00123, "age", " (p = 0.00123; most in age)"),
        ],
    )
    def test_how_the_holdout_differs(self, p: float | None, most: str, text: str) -> None:
        words = words_of_people(files=(replace(QUIET, holdout_p=p, holdout_most=most),))
        assert words["differs"] == text

    @pytest.mark.parametrize("cluster", ["", "home"])
    def test_whoever_named_a_cluster_is_not_told_to_name_one(self, cluster: str) -> None:
        file = replace(QUIET, holdout="differs", holdout_p=0.005)
        state = state_of(Grounds(people=PeopleOfFiles((file,)), cluster=cluster))
        risk = decide("r", state).risk
        stated = " ".join(str(statement) for statement in (*risk.because, *risk.besides))
        assert "The holdout differs from the original (p = 0.005), and was not used" in stated
        assert ("name the column that says so" in stated) == (not cluster)
        assert ("if it has people of the original, take them out" in stated) == (not cluster)

    @pytest.mark.parametrize(
        ("file", "words"),
        [
            (QUIET, "A holdout"),
            (replace(QUIET, larger_holdout=True), "A larger holdout"),
            (replace(QUIET, holdout="used"), "A larger holdout"),
            (replace(QUIET, holdout="differs"), "A holdout that is a random part of the same data"),
            (replace(QUIET, holdout="lacks columns"), "A holdout that has the same columns"),
        ],
    )
    def test_the_holdout_that_would_decide(self, file: People, words: str) -> None:
        assert words_of_people(files=(file,))["deciding"] == words

    def test_shares_are_in_percent(self) -> None:
        file = replace(QUIET, closer_share=0.123, in_order=Interval(90, 60, 120, 300))
        words = words_of_people(files=(file,))
        assert (words["closer"], words["ordered"]) == ("12 %", "at least 20 %")
        assert words["in_part"] == ", whole or in part"
        for low, ordered, in_part in (
            (99, "at least 49 %", ", whole or in part"),
            (100, "at least 50 %", ""),
            (199, "at least 99 %", ""),
            (200, "all", ""),
        ):
            words = words_of_people(files=(replace(QUIET, in_order=Interval(200, low, 200, 200)),))
            assert (words["ordered"], words["in_part"]) == (ordered, in_part)
        rows = PeopleOfFiles((replace(ACCUSED, in_order=Interval(50, 50, 50, 50)),))
        whole = words_of(Grounds(people=rows))
        assert (whole["ordered"], whole["in_part"]) == ("all", "")
        assert words_of_people()["closer"] == "0 %"
        assert words_of_people()["ordered"] == ""

    def test_clusters_other_than_people_are_named(self) -> None:
        assert words_of_people()["clusters"] == "people"
        file = replace(QUIET, cluster="hid", other_clusters=True)
        assert words_of_people(files=(file,))["clusters"] == "hid clusters"

    def test_people_of_the_holdout_are_counted_in_the_file_that_holds_them(self) -> None:
        first = replace(QUIET, hits=(9, 8))
        second = replace(QUIET, claims=(Claim.OUTSIDERS,), m=400, h=300, hits=(1, 70))
        assert words_of_people(files=(first, second))["outsiders"] == (
            "70 of 300 are equal to a record of it and to nobody else; "
            "of people of the original 1 of 600"
        )


class TestHits:
    equal = "7 of 600 are equal to a record of it and to nobody else"

    def test_beside_a_holdout(self) -> None:
        words = words_of_people(files=(ACCUSED,))
        assert words["hits"] == f"{self.equal}; of people left out 1 of 300"
        words = words_of_people(files=(replace(ACCUSED, holdout="differs"),))
        assert words["hits"] == self.equal

    @pytest.mark.parametrize(
        ("low", "more"),
        [
            (1000.4, "; about 1,234 (95 %: 1,000 to 2,000) beyond chance"),
            (1.0, "; about 1,234 (95 %: 1 to 2,000) beyond chance"),
            (0.0, ""),
        ],
    )
    def test_how_many_people_if_more_than_nobody(self, low: float, more: str) -> None:
        size = Interval(1234.2, low, 2000.4, 600)
        words = words_of_people(files=(replace(ACCUSED, holdout="none", people=size),))
        assert words["hits"] == self.equal + more

    def test_why_nothing_is_tested_follows_a_colon(self) -> None:
        assert words_of(Grounds(untested="too large"))["untested"] == ": too large"
        assert words_of(Grounds())["untested"] == ""

    def test_which_look_it_is(self) -> None:
        accused = replace(ACCUSED, holdout="none")
        of_files = {
            "; file 2 of 2": {"files": (QUIET, accused)},
            "; 2 files together": {"files": (QUIET, QUIET), "unions": (accused,)},
            "; 3 files together": {"files": (QUIET,) * 3, "unions": (QUIET, accused)},
            "; together with 1 file handed out earlier": {
                "files": (replace(accused, hits=(1, 1), claims=(Claim.FOLLOWS,)),),
                "together": (QUIET, accused),
                "earlier": (3, 1),
            },
        }
        for text, given in of_files.items():
            words = words_of_people(**given)
            assert words["hits"] == self.equal + text
            assert (words["holds"], words["its"]) == ("It holds", "Its records")

    @pytest.mark.parametrize("files", [1, 2])
    def test_what_only_files_together_hold_is_not_said_of_the_replica(self, files: int) -> None:
        accused = replace(ACCUSED, holdout="none")
        own = (QUIET,) * files
        words = words_of_people(files=own, together=(QUIET, accused), earlier=(3, 1))
        assert words["hits"] == self.equal
        assert words["holds"] == "Together with 1 file handed out earlier it holds"
        assert words["its"] == "Its records and those of 1 file handed out earlier, together,"


def words_of_excess(
    *questions: Question, rule: ExcessRule = ASKED, **more: object
) -> dict[str, str]:
    """Return the words on what is disclosed, by questions beside a holdout."""
    whole = Excess("", "holdout", questions, **more)  # type: ignore[arg-type]
    return words_of(Grounds(excess=ExcessOfFiles((whole,)), asked_excess=rule))


class TestExcess:
    def test_what_is_compared_and_what_would_pass_a_copy(self) -> None:
        kinds = [*product([False, True], repeat=3)]  # copyable, flagged, drift
        for size in range(3):
            for asked in combinations_with_replacement(kinds, size):
                facts = ExcessFacts(
                    questions=size,
                    copyable=sum(copyable for copyable, _, _ in asked),
                    flagged=any(flagged for _, flagged, _ in asked),
                    drift=any(drift for _, _, drift in asked),
                )
                would_pass = bool(asked) and not any(first or two for first, two, _ in asked)
                clear = not any(flagged or drift for _, flagged, drift in asked)
                assert facts.mute == would_pass
                assert facts.compared == (clear and any(item for item, _, _ in asked))

    def test_one_question(self) -> None:
        words = words_of_excess(ONE)
        assert words["noticeable"] == "the only question"
        more = [replace(ONE, name=name) for name in "ab"]
        assert words_of_excess(ONE, more[0])["noticeable"] == "both questions"
        assert words_of_excess(ONE, *more)["noticeable"] == "all 3 questions"
        assert words["question"] == "sex, age \N{RIGHTWARDS ARROW} vote"
        assert words["learns"] == "Whoever knows sex, age learns vote of"
        assert (words["of_original"], words["but"], words["of_others"]) == (
            "12 %",
            "but of",
            "2.9 %",
        )
        assert (words["silent"], words["silent_names"], words["position"]) == ("0", "", "")

    @pytest.mark.parametrize("holdout", ["used", "differs"])
    def test_a_holdout_that_differs_may_have_people_of_the_original(self, holdout: Any) -> None:
        result = ExcessOfFiles((Excess("", "holdout", (ONE,)),))
        people = PeopleOfFiles((replace(QUIET, holdout=holdout, holdout_p=0.005),))
        risk = decide("r", state_of(Grounds(excess=result, asked_excess=ASKED, people=people))).risk
        stated = " ".join(str(statement) for statement in risk.because)
        assert ("of 2.9 % of people who were not in it (p" in stated) == (holdout == "used")
        assert ("of 2.9 % of those in the holdout (p" in stated) == (holdout == "differs")

    def test_of_which_file_and_in_which_groups_shares_are(self) -> None:
        grouped = replace(ONE, encoding="in ten groups")
        looks = [
            Excess("", "holdout", (question,), file=file)
            for question, file in (
                (replace(ONE, flagged=False), "file 1"),
                (grouped, "files 1 to 2"),
            )
        ]
        given = Grounds(excess=ExcessOfFiles(tuple(looks)), asked_excess=ASKED)
        assert words_of(given)["learns"] == (
            "From files 1 to 2, whoever knows sex, age (numbers in ten groups) learns vote of"
        )

    def test_being_alone_is_a_question_without_a_target(self) -> None:
        words = words_of_excess(replace(ONE, target="", position=0.517))
        assert words["question"] == "who is alone with sex, age"
        assert words["learns"] == "Whoever knows sex, age singles out"
        assert (words["but"], words["position"]) == ("but", "0.52")

    @pytest.mark.parametrize(
        ("target", "basis", "half"),
        [("", "holdout", False), ("", "other people", True), ("vote", "other people", False)],
    )
    def test_without_a_holdout_it_is_asked_who_is_alone_in_half_of_the_original(
        self, target: str, basis: str, half: bool
    ) -> None:
        of = ExcessOfFiles((Excess("", basis, (replace(ONE, target=target),)),))
        words = words_of(Grounds(excess=of, asked_excess=ASKED))
        assert words["whom"] == f"{'half of ' if half else ''}the people in the original"

    def test_the_worst_question_is_named(self) -> None:
        worse = replace(ONE, name="b", target="income", failed=True)
        quiet = replace(ONE, name="c", target="c", flagged=False, p=0.0)
        assert "income" in words_of_excess(ONE, worse, quiet)["question"]
        assert "income" in words_of_excess(worse, ONE)["question"]

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (1, "a"),
            (2, "a; b"),
            (3, "a; b; c"),
            (4, "a; b; c; and 1 more"),
            (5, "a; b; c; and 2 more"),
        ],
    )
    def test_at_most_three_are_listed(self, number: int, text: str) -> None:
        silent = [
            replace(ONE, name=name, keys=(name,), target="", flagged=False, copyable=False)
            for name in "abcde"[:number]
        ]
        words = words_of_excess(ONE, *silent)
        assert words["silent_names"].replace("who is alone with ", "") == text
        assert words["silent"] == str(number)
        assert words["noticeable"] == f"1 of the {1 + number} questions"
        drifted = [replace(item, drift=True) for item in silent]
        assert words_of_excess(*drifted)["drifted"].replace("who is alone with ", "") == text

    @pytest.mark.parametrize(("number", "end"), [(3, "c, 9 of 10"), (4, "and 1 more")])
    def test_three_identifiers_are_listed_and_more_are_counted(self, number: int, end: str) -> None:
        hits = [
            SimpleNamespace(columns=(name,), shared=9, distinct=10, under="")
            for name in "abcd"[:number]
        ]
        result: Any = SimpleNamespace(hits=hits, suspects=(), uncompared=())
        words = words_of(Grounds(identifiers=result))["identifiers"]
        assert words.removesuffix(" different values").endswith(end)
        assert words.startswith("a, 9 of 10 different values; b, 9 of 10 different values; c")

    @pytest.mark.parametrize(
        ("unused", "end"),
        [(False, ", in column b"), (True, ", as levels of column b that no record has")],
    )
    def test_identifiers_under_another_name_are_listed_with_it(
        self, unused: bool, end: str
    ) -> None:
        hit = SimpleNamespace(columns=("a",), shared=9, distinct=10, under="b", unused=unused)
        result: Any = SimpleNamespace(hits=[hit], suspects=(), uncompared=())
        words = words_of(Grounds(identifiers=result))["identifiers"]
        assert words == f"a, 9 of 10 different values{end}"

    @pytest.mark.parametrize(
        ("number", "named"),
        [(1, "a"), (2, "a, b together"), (4, "a, b, c, d together"),
         (5, "a, b, c and 2 more columns together")],
    )  # fmt: skip
    def test_columns_that_identify_together_are_named_up_to_four(
        self, number: int, named: str
    ) -> None:
        hit = SimpleNamespace(columns=tuple("abcde"[:number]), shared=9, distinct=10, under="")
        result: Any = SimpleNamespace(hits=[hit], suspects=(), uncompared=())
        words = words_of(Grounds(identifiers=result))["identifiers"]
        assert words == f"{named}, 9 of 10 different values"

    def test_what_is_known_anyway(self) -> None:
        certain = ((("sex", "age"), "vote", 99.6), (("region",), "tax", 50.0))
        assert words_of_excess(ONE, certain=certain)["known"] == (
            "sex, age learns vote of more than 99 %, and whoever knows region learns tax of 50 %"
        )

    @pytest.mark.parametrize(
        ("points", "words"),
        [
            (1.0, "1 point"),
            (1.5, "1.5 points"),
            (2.9, "2.9 points"),
            (3.0, "3 points"),
            (7.0, "7 points"),
        ],
    )
    def test_points(self, points: float, words: str) -> None:
        assert words_of_excess(ONE, rule=replace(ASKED, excess=points))["points"] == words

    @pytest.mark.parametrize(
        ("share", "text"),
        [
            (0.049, "less than 0.1 %"), (0.051, "0.1 %"), (2.94, "2.9 %"), (99.4, "99 %"),
            (99.5, "more than 99 %"), (99.99, "more than 99 %"), (100.0, "100 %"), (0.0, "0 %"),
        ],
    )  # fmt: skip
    def test_a_share_that_is_not_all_or_nothing_does_not_read_so(
        self, share: float, text: str
    ) -> None:
        words = words_of_excess(replace(ONE, original=share))
        assert words["of_original"] == text

    def test_a_share_of_3_percent_needs_no_decimal(self) -> None:
        words = words_of_excess(replace(ONE, original=3.0, others=2.99))
        assert (words["of_original"], words["of_others"]) == ("3 %", "3.0 %")

    def test_facts(self) -> None:
        def facts(*questions: Question, earlier: int = 0) -> ExcessFacts:
            of = ExcessOfFiles((Excess("", "holdout", questions),), earlier)
            return state_of(Grounds(excess=of, asked_excess=ASKED)).excess

        silent = replace(ONE, name="silent", copyable=False)
        both = facts(replace(ONE, position=0.5), silent)
        assert (both.questions, both.copyable, both.silent) == (2, 1, 1)
        assert both.flagged
        assert both.shown
        alone = facts(ONE, replace(silent, flagged=False))
        assert not alone.shown
        assert not alone.together
        assert facts(ONE, earlier=1).together

    def test_other_words_are_a_reason_where_nothing_was_asked(self) -> None:
        for reason, questions, told in (
            ("other words", (ONE,), ""), ("other words", (), "other words"),
            ("clusters", (ONE,), "clusters"), ("", (ONE,), ""),
        ):  # fmt: skip
            of = ExcessOfFiles((Excess(reason, "holdout", questions, cluster="hid"),))  # type: ignore[arg-type]
            assert state_of(Grounds(excess=of, asked_excess=ASKED)).excess.reason == told

    def test_keys_that_nobody_gave_are_the_reason(self) -> None:
        facts = state_of(Grounds(asked_excess=ASKED)).excess
        assert (facts.status, facts.reason) == (Status.NOT_JUDGED, "no keys")
        clustered = HomogeneityOfFiles((Homogeneity("not judged", "clusters", "hid"),))
        given = Grounds(
            excess=ExcessOfFiles((Excess("", "holdout", (ONE,)),)),
            asked_excess=ASKED,
            tables=clustered,
        )
        state = state_of(given)
        assert (state.excess.status, state.excess.reason) == (Status.NOT_JUDGED, "clusters")
        assert text(state.words["cluster"]) == "hid"
        assert text(state.words["excess_unused"]).endswith(
            "(household, person or cluster in [sample])"
        )
        repeated = HomogeneityOfFiles((Homogeneity("not judged", "clusters", EQUAL_VALUES),))
        words = state_of(replace(given, tables=repeated, asked_tables=TABLES)).words
        assert words["cluster"] == "equal values in all columns"
        assert words["excess_unused"] == words["tables_unused"]
        assert "keep one of each" in text(words["tables_unused"])
        named = state_of(replace(given, cluster="hid", asked_tables=TABLES)).words
        assert named["excess_unused"] == named["tables_unused"] == ALONE
        large = state_of(replace(given, cluster="hid", large=True)).words
        assert large["excess_unused"] == ", and the files are counted batch by batch"
        lacking = ExcessOfFiles((Excess("clusters", "", (), cluster="hid"),))
        words = state_of(replace(given, cluster="hid", excess=lacking, tables=None)).words
        assert words["excess_unused"] == LACKING
        tables = HomogeneityOfFiles((Homogeneity("within"),))
        words = state_of(replace(given, excess=lacking, tables=tables, asked_tables=TABLES)).words
        assert text(words["cluster"]) == "hid"
        given = replace(given, tables=HomogeneityOfFiles((Homogeneity("within"),)))
        assert state_of(given).excess.status is Status.REVIEW


def table(name: str, w: float, *, derived: bool = False) -> Table:
    """Return a table that differs by w."""
    return Table(name, (name,), derived, w, w / 2, 5.0, 0.001, 0.001)


class TestTables:
    def words(self, *called: Table, tables: int = 20, **more: object) -> dict[str, str]:
        status = "review" if called else "within"
        file = Homogeneity(status, called=called, tables=tables, **more)  # type: ignore[arg-type]
        return words_of(Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES))

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (1, "t0"),
            (3, "t0; t1; t2"),
            (4, "t0; t1; t2; and 1 more"),
            (6, "t0; t1; t2; and 3 more"),
        ],
    )
    def test_at_most_three_are_listed(self, number: int, text: str) -> None:
        called = tuple(table(f"t{i}", 0.9 - i / 10) for i in range(number))
        words = self.words(*called, failed=called)
        assert words["called"] == words["failed"] == text
        assert words["differ"] == ("differs" if number == 1 else "differ")
        assert words["failed_of"] == f"{number} of 20 tables"

    def test_one_table_is_the_only_one(self) -> None:
        words = self.words(table("t", 0.2), tables=1, failed=(table("t", 0.2),))
        assert (words["tables"], words["failed_of"]) == ("1 table", "the only table")
        assert words["none_of"] == "The only table does not differ"
        words = self.words(tables=1200)
        assert (words["tables"], words["none_of"]) == (
            "1,200 tables", "None of 1,200 tables differs",
        )  # fmt: skip

    @pytest.mark.parametrize(("w", "points"), [(0.1, "5"), (0.11, "10"), (0.31, "20"), (1.9, "95")])
    def test_half_of_w_is_how_far_shares_are_apart(self, w: float, points: str) -> None:
        words = f"; no share in it is off by more than about {points} points"
        assert self.words(table("t", w))["no_share"] == words
        two = self.words(table("t", w), table("u", 0.05))["no_share"]
        assert two == words.replace(" in it ", " in them ")
        assert self.words()["no_share"] == ""

    def test_a_bound_of_all_shares_is_not_told(self) -> None:
        assert self.words(table("t", 1.91))["no_share"] == ""

    @pytest.mark.parametrize(
        ("notice", "text"), [(0.1, None), (0.123, "10"), (0.31, "20"), (2.5, "100")]
    )
    def test_a_difference_that_would_not_be_noticed(self, notice: float, text: str | None) -> None:
        words = self.words(notice=notice)
        assert words.get("notice") == text
        assert words.get("notice_w") == (None if text is None else f"{notice:.2f}")

    def test_advice_counts_what_is_above_it_and_not_called(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for called, text in (
            ([True, False, False, False], "1 table is"),
            ([False] * 4, "2 tables are"),
            ([True, True, False, False], "0 tables are"),
        ):
            frame = pd.DataFrame({"S_pMSE": [9.0, 3.1, 3.0, 1.0], "called": called})
            monkeypatch.setattr(HomogeneityOfFiles, "frame", frame)
            assert self.words()["advised"] == text
            for weighted in (False, True):
                file = Homogeneity("within", weighted=weighted)
                given = Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES)
                assert state_of(given).tables.advice == (text[0] != "0" and not weighted)

    def test_facts(self) -> None:
        def facts(*called: Table, **more: object) -> TableFacts:
            file = Homogeneity("review", called=called, **more)  # type: ignore[arg-type]
            given = Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES)
            return state_of(given).tables

        first = facts(table("a", 0.3, derived=True), table("b", 0.2))
        assert first.derived
        assert first.ways == 3
        second = facts(table("a", 0.2, derived=True), table("b", 0.3), ways=2)
        assert not second.derived
        assert second.ways == 2
        assert facts(skipped=("order of two columns: they are counted",)).skipped
        assert not facts().skipped
        for name in ("repeats", "few", "few_clusters", "assumed_clusters", "weighted"):
            assert getattr(facts(**{name: True}), name)
            assert not getattr(facts(), name)
        totals = Totals(90.0, 100.0, 20.0)
        assert facts(weighted=True).counted_once
        assert not facts(weighted=True, totals=totals).counted_once
        file = Homogeneity("review", weighted=True, totals=totals)
        given = Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES)
        assert state_of(given).words["total_percent"] == "111 %"

    @pytest.mark.parametrize(("reason", "tested"), [("clusters", False), ("few records", True)])
    def test_of_tables_that_were_not_tested_nothing_is_told(
        self, reason: Reason, *, tested: bool
    ) -> None:
        names = ("repeats", "few", "few_clusters", "assumed_clusters", "weighted")
        skipped = (f"{ONE_SIDED}: of clusters", "order of two columns: they are counted")
        file = Homogeneity(
            "not judged", reason, "hid", one_sided=("a",), skipped=skipped, notice_one_way=0.5,
            **dict.fromkeys(names, True),  # type: ignore[arg-type]
        )  # fmt: skip
        state = state_of(Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES))
        facts = state.tables
        assert (facts.status, facts.reason) == (Status.NOT_JUDGED, reason)
        assert state.words.get("notice_w") == ("0.50" if tested else None)
        for name in (*names, "counted_once", "one_sided", "skipped", "unexchanged"):
            assert getattr(facts, name) is tested, name

    def test_values_of_one_file_are_told_from_other_tables(self) -> None:
        age = replace(table("range of age", 0.1, derived=True), variables=("age",), invented=True)
        size = table("size", 0.2)
        for called, only in (((age,), True), ((age, size), False), ((size,), False)):
            file = Homogeneity("review", called=called, one_sided=("wage", "income"))
            state = state_of(Grounds(tables=HomogeneityOfFiles((file, file)), asked_tables=TABLES))
            assert state.tables.invented == (age in called)
            assert state.tables.only_invented == only
            assert state.tables.one_sided
            assert text(state.words["one_sided"]) == "wage, income"
            assert text(state.words["invented"]) == ("age" if age in called else "")
            assert text(state.words["called"]) == ("size" if size in called else "")

    def test_values_that_were_not_looked_for_are_stated_apart(self) -> None:
        for skipped, facts in (
            ("values that one file alone has: records count unequally", (False, True)),
            ("order of two columns: they are counted", (True, False)),
        ):
            file = Homogeneity("within", skipped=(skipped,))
            given = Grounds(tables=HomogeneityOfFiles((file,)), asked_tables=TABLES)
            tables = state_of(given).tables
            assert (tables.skipped, tables.unexchanged) == facts

    def test_no_table_is_not_judged(self) -> None:
        facts = state_of(Grounds(asked_tables=TABLES)).tables
        assert (facts.status, facts.reason) == (Status.NOT_JUDGED, "no table")
        assert state_of(Grounds()).tables.status == "off"


class TestLimits:
    def limited(self, *statuses: Status, part: str = "rules") -> list[Limited]:
        return [
            Limited(part, status, (Names((f"m{i}",)), " is 1"), f"owner {i % 2}")  # type: ignore[arg-type]
            for i, status in enumerate(statuses)
        ]

    @pytest.mark.parametrize(
        ("number", "sentence"),
        [
            (1, "m0 is 1"),
            (3, "m0 is 1; m1 is 1; m2 is 1"),
            (5, "m0 is 1; m1 is 1; m2 is 1; and 2 more"),
        ],
    )
    def test_at_most_three_are_listed(self, number: int, sentence: str) -> None:
        words: dict[str, Value] = {}
        facts = limit_facts(Grounds(limited=self.limited(*[Status.FAIL] * number)), "rules", words)
        assert facts.status is Status.FAIL
        assert text(words["rules_FAIL"]) == sentence
        owners = "owner 0" if number == 1 else "owner 0 and owner 1"
        assert words["rules_FAIL_origin"] == f"of {owners}"

    def test_only_its_own_part_counts(self) -> None:
        words: dict[str, Value] = {}
        given = Grounds(limited=self.limited(Status.FAIL, part="models"))
        assert limit_facts(given, "rules", words).status == "off"
        assert limit_facts(given, "limits", words).status == "off"
        assert words == {}

    def test_an_unnamed_owner_is_the_profile(self) -> None:
        words: dict[str, Value] = {}
        limit_facts(Grounds(limited=[Limited("rules", Status.FAIL, ("x",))]), "rules", words)
        assert words["rules_FAIL_origin"] == "of the profile"

    @pytest.mark.parametrize(
        ("owned", "origin"),
        [
            ((), "made up for illustration"),
            (("Unit",), "of Unit, or made up for illustration,"),
        ],
    )
    def test_nobody_owns_a_limit_that_is_made_up(self, owned: tuple[str], origin: str) -> None:
        limited = [
            Limited("limits", Status.REVIEW, ("repU is 20 %",), "nobody", illustrative=True),
            *(Limited("limits", Status.REVIEW, ("DiSCO is 30 %",), owner) for owner in owned),
        ]
        words: dict[str, Value] = {"untested": ""}
        facts = limit_facts(Grounds(limited=limited), "limits", words)
        first, *_ = answer(State(limits=facts, words=words), "risk").statements
        assert f"beyond the limit {origin} that asks for a closer look." in str(first)
        assert "nobody" not in str(first)

    @pytest.mark.parametrize("judge", ["either", "both"])
    @pytest.mark.parametrize("status", [Status.FAIL, Status.NOT_JUDGED])
    @pytest.mark.parametrize("flagged", [True, False])
    @pytest.mark.parametrize("copyable", [True, False])
    @pytest.mark.parametrize("target", ["vote", "income"])
    def test_where_both_must_speak_a_limit_passes_if_a_copy_would_show_and_nothing_did(
        self, judge: str, status: Status, flagged: bool, copyable: bool, target: str
    ) -> None:
        question = replace(ONE, flagged=flagged, copyable=copyable)
        limit = Limited("limits", status, ("DiSCO",), "Unit", keys=("age", "sex"), target=target)
        given = Grounds(
            excess=ExcessOfFiles((Excess("", "holdout", (question,)),)),
            asked_excess=ASKED,
            limited=[limit],
            judge=judge,  # type: ignore[arg-type]
        )
        words: dict[str, Value] = {}
        passed = (
            judge == "both"
            and status is Status.FAIL
            and copyable
            and not flagged
            and target == "vote"
        )
        facts = limit_facts(given, "limits", words)
        assert facts.passed == passed
        assert facts.status == ("off" if passed else status)
        assert text(words["passed"]) == ("DiSCO" if passed else "")
        for less in (replace(given, excess=None), replace(given, asked_excess=None)):
            assert not limit_facts(less, "limits", {}).passed


class TestEpsilon:
    def state(self, bound: Any = None, claim: Any = CLAIMED) -> State:
        return state_of(Grounds(claim=claim, bound=bound, unbounded="no holdout"))

    def test_without_a_claim_nothing_is_told(self) -> None:
        assert self.state(claim=None).epsilon == ""

    def test_a_claim_that_no_release_bounds_is_untested(self) -> None:
        state = self.state()
        assert (state.epsilon, state.words["unbounded"]) == ("untested", "no holdout")
        assert "shown_epsilon" not in state.words

    @pytest.mark.parametrize(("contradicted", "epsilon"), [(True, "contradicted"), (False, "open")])
    def test_a_bound_contradicts_a_claim_or_leaves_it_open(
        self, epsilon: str, *, contradicted: bool
    ) -> None:
        state = self.state(SimpleNamespace(shown=(1.2345, 4.5678), contradicted=contradicted))
        assert state.epsilon == epsilon
        assert (state.words["shown_epsilon"], state.words["largest_epsilon"]) == ("1.23", "4.57")
