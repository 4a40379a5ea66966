"""Several files of one maker: their records as one file's, and what is said of them together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import DataError
from sdcmetrics.measures.people import files
from sdcmetrics.measures.people.claims import Claim, Interval, People
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.files import people_of_files, union
from sdcmetrics.measures.records import Records
from tests.measures.people.drawn import records


def of(claims: tuple[Claim, ...] = (), **said: Any) -> People:
    return People(claims, **{"n": 100, "m": 50, "h": 40, **said})


def interval(low: float, of_people: int = 100) -> Interval:
    return Interval(low + 1, low, low + 2, of_people)


class TestUnion:
    ORIGINAL = pd.DataFrame(
        {"g": ["a", "b", None, "a"], "x": [1.0, 2, 3, np.nan], "home": [1, 1, 2, 3]}
    )

    def part(self, cluster: str = "", **columns: list[Any]) -> Records:
        return records(self.ORIGINAL, pd.DataFrame(columns), self.ORIGINAL, cluster)

    def test_holds_the_records_of_all_in_the_levels_of_all(self) -> None:
        first = self.part(g=["b", "new", None], x=[1.0, 2, 3], home=[1, 2, 3])
        second = self.part(g=["other", "a"], x=[np.nan, 5], home=[1, 2])
        both = union([first, second])
        assert both.names == ("g", "x", "home")
        assert (both.n, both.m, both.h) == (4, 5, 4)
        group, number, _ = both.columns
        labels = [group.levels[code] if code >= 0 else None for code in group.replica]
        assert labels == ["b", "new", None, "other", "a"]
        labels = [group.levels[code] if code >= 0 else None for code in group.original]
        assert labels == ["a", "b", None, "a"]
        assert number.replica.tolist() == pytest.approx([1, 2, 3, np.nan, 5], nan_ok=True)
        assert both.cluster is None

    def test_has_the_columns_that_all_have_as_what_they_are(self) -> None:
        first = self.part(g=["a", "b"], x=[1.0, 2], home=[1, 2])
        lacking = self.part(g=["a"], home=[1])
        as_text = self.part(g=["a"], x=["one"], home=[1])
        assert union([first, lacking]).names == ("g", "home")
        assert union([first, lacking]).absent == ("x",)
        both = union([first, as_text])
        assert both.names == ("g", "home")
        assert both.incomparable == ("x",)
        assert union([first, first, lacking]).m == 5

    def test_numbers_clusters_of_every_file_apart(self) -> None:
        first = self.part("home", g=["a", "b", "a"], x=[1.0, 2, 3], home=[7, 9, 7])
        second = self.part("home", g=["a", "b"], x=[1.0, 2], home=[9, 7])
        third = self.part("home", g=["a"], x=[1.0], home=[7])
        both = union([first, second, third]).cluster
        assert both is not None
        assert both.replica.tolist() == [0, 1, 0, 3, 2, 4]
        bare = self.part("home", g=["a"], x=[1.0])
        unknown = union([first, bare]).cluster
        assert unknown is not None
        assert unknown.replica.tolist() == []

    def test_of_no_file_is_refused(self) -> None:
        with pytest.raises(DataError, match="records of at least one file but got none"):
            people_of_files([])


def test_every_file_and_union_is_looked_at_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    part = TestUnion().part(g=["a"], x=[1.0], home=[1])
    asked: list[tuple[int, int]] = []
    steps: list[str] = []

    def look(whole: Records, *, levels: Any, **_: Any) -> People:
        asked.append((whole.m, levels))
        return of((Claim.HOLDS,) if whole.m == 4 else ())

    monkeypatch.setattr(files, "whose_records", look)
    monkeypatch.setattr(files.Levels, "of_file", lambda place: place)
    result = people_of_files([part, part], tell=steps.append)
    assert asked == [(1, 1), (1, 2), (2, 2)]
    assert (len(result.files), len(result.unions), result.together) == (2, 1, ())
    assert steps == [f"whose records are in it: file {i} of 2" for i in (1, 2)]
    asked.clear()
    steps.clear()
    result = people_of_files([part, part], earlier=[part] * 3, tell=steps.append)
    # one earlier file and the first, and both, then two of them; four records are for review,
    # and so asked of the earlier ones alone
    assert asked[3:] == [(2, 2), (3, 3), (3, 3), (4, 4), (2, 4)]
    assert (result.earlier, result.anyway, result.out) == ((1, 1, 2, 2), False, 3)
    assert len(result.together) == 4
    assert steps[2:] == [
        f"whose records are in it: together with {i} of 3 earlier" for i in (1, 1, 2, 2)
    ]
    steps.clear()
    people_of_files([part], tell=steps.append)
    assert steps == []


class TestPeopleOfFiles:
    def test_of_earlier_files_only_what_is_for_review_counts(self) -> None:
        first, second = of((Claim.LEFT_OUT,), left_out=("a", "b")), of(left_out=("b", "c"))
        both, quiet, loud = of(mapped=("x",)), of((Claim.ORDER,)), of((Claim.HOLDS,))
        result = PeopleOfFiles((first, second), (both,), (quiet, loud), (1, 2))
        assert result.looks == (first, second, both, loud)
        assert result.claims == (Claim.HOLDS, Claim.LEFT_OUT)
        assert (result.left_out, result.mapped, result.running) == (("a", "b", "c"), ("x",), ())
        assert result.accused
        assert result.only_together
        assert result.more_together
        assert result.worst is loud
        known = PeopleOfFiles((loud,), (), (loud,), (1,))
        assert not known.only_together
        assert not known.more_together
        assert not PeopleOfFiles((first,), (), (quiet,), (1,)).accused
        assert not PeopleOfFiles((first,), (), (quiet,), (1,)).only_together

    @pytest.mark.parametrize(
        ("claims", "together"),
        [
            (((Claim.CLOSER,), (Claim.HOLDS,)), (Claim.HOLDS,)),
            (((Claim.CLOSER,), (Claim.LEFT_OUT,)), (Claim.CLOSER, Claim.LEFT_OUT)),
            (((Claim.UNDECIDED,), (Claim.HOLDS,)), (Claim.HOLDS,)),
            (((Claim.VOID,), (Claim.OUTSIDERS,)), (Claim.OUTSIDERS,)),
            (((Claim.VOID,), (Claim.DEDUPLICATED,)), (Claim.DEDUPLICATED, Claim.VOID)),
        ],
    )
    def test_what_is_stronger_silences_what_is_not(
        self, claims: tuple[tuple[Claim, ...], ...], together: tuple[Claim, ...]
    ) -> None:
        assert PeopleOfFiles(tuple(map(of, claims))).claims == together

    @pytest.mark.parametrize(("share", "much"), [(None, False), (0.09, False), (0.1, True)])
    def test_closer_is_for_review_from_a_tenth_on(self, share: float | None, *, much: bool) -> None:
        closer = of((Claim.CLOSER,), closer_share=share)
        both = PeopleOfFiles((closer, of(closer_share=0.01 if share else None)))
        assert (
            closer.accused is both.accused is closer.closer_is_much is both.closer_is_much is much
        )
        assert both.closer_share == share

    def test_the_worst_is_for_review_then_first_in_the_table_then_of_most_people(self) -> None:
        few, many = (of((Claim.HOLDS,), people=interval(low)) for low in (5, 20))
        looks = (of((Claim.FEW_COLUMNS,)), of((Claim.FOLLOWS,)), few, many, of())
        assert PeopleOfFiles(looks).worst is many
        assert PeopleOfFiles(looks).people is many.people
        assert PeopleOfFiles(looks[:3]).worst is few
        assert PeopleOfFiles((looks[0], of(), looks[1])).worst is looks[1]
        assert PeopleOfFiles((of(), looks[0])).worst is looks[0]
        assert PeopleOfFiles((looks[2], of((Claim.HOLDS,)))).worst is looks[2]

    @pytest.mark.parametrize(("low", "most"), [(50, False), (51, True)])
    def test_most_people_are_more_than_half(self, low: float, *, most: bool) -> None:
        holds = of((Claim.HOLDS,), people=interval(low))
        assert PeopleOfFiles((of(), holds)).most is most
        assert PeopleOfFiles((of(),), (holds,)).most is most
        assert not PeopleOfFiles((of((Claim.EITHER,), people=interval(low)),)).most
        assert not PeopleOfFiles((of((Claim.HOLDS,)),)).most
        assert not PeopleOfFiles((of(),), (), (holds,), (1,)).most

    def test_rows_in_order_are_those_of_the_largest_share(self) -> None:
        rows = [interval(40, 100), interval(45, 200), interval(9, 20)]
        assert PeopleOfFiles(tuple(of(in_order=each) for each in rows)).in_order is rows[2]
        assert PeopleOfFiles((of(),)).in_order is None

    def test_what_would_have_been_noticed_is_the_largest_where_all_have_a_number(self) -> None:
        numbers = of(noticed=3), of(noticed=8), of(noticed=5)
        assert PeopleOfFiles(numbers).noticed == 8
        assert PeopleOfFiles((*numbers, of(withheld="few", noticed=None))).noticed is None
        assert PeopleOfFiles((*numbers, of((Claim.HOLDS,), noticed=1))).noticed is None
        assert PeopleOfFiles((of(), of(withheld="few"), of(withheld="many"))).withheld == "few"
        assert PeopleOfFiles(numbers).withheld == ""

    def test_the_holdout_is_the_worst_of_any_file(self) -> None:
        order = ("differs", "lacks columns", "used", "none")
        for worst in order:
            after: Any = order[order.index(worst) :]
            both = PeopleOfFiles(tuple(of(holdout=each) for each in after[::-1]))
            assert both.holdout == worst
        parts = of(holdout_p=0.5), of(holdout_p=0.002, holdout_most="age"), of(holdout_most="sex")
        assert PeopleOfFiles(parts).holdout_p == 0.002
        assert PeopleOfFiles(parts).holdout_most == "age"
        assert PeopleOfFiles((of(),)).holdout_p is None

    def test_sizes_are_of_all_files_and_flags_of_any_look(self) -> None:
        union_ = of(places=True, larger_holdout=True, m=999, absent=("z",), running=("id",))
        parts = of(m=50, clusters=7, cluster="home", other_clusters=True, absent=("y",)), of(m=60)
        both = PeopleOfFiles(parts, (union_,))
        assert (both.n, both.m, both.h) == (100, 110, 40)
        assert (both.clusters, both.cluster, both.other_clusters) == (7, "home", True)
        assert both.places
        assert both.larger_holdout
        assert (both.absent, both.running) == (("y", "z"), ("id",))
        alone = PeopleOfFiles(parts[:1])
        assert (alone.n, alone.m, alone.h, alone.clusters) == (100, 50, 40, 7)
        assert not PeopleOfFiles(parts).places
        assert not PeopleOfFiles(parts).larger_holdout
        hits = of((Claim.HOLDS,), hits=(4, 1))
        assert PeopleOfFiles((of(), hits)).hits == (4, 1)
        assert PeopleOfFiles((of(), hits)).tests is hits.tests
