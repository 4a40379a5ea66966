"""Columns that say how a sample was drawn: what is numbered, counted, refused and noted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, DataError, NotComputable, StudyError
from sdcmetrics.measures.survey.design import (
    SurveyDesign,
    households_of,
    numbers_of,
    population_of,
    read_design,
    weights_of,
)
from sdcmetrics.measures.survey.households import (
    Households,
    _of_one_file,
    between,
    households_drawn,
    numbered,
    relabelled,
    set_aside,
    two_sides,
)
from sdcmetrics.measures.survey.sample import _in_several
from sdcmetrics.microdata.frames import Fix, as_microdata
from sdcmetrics.microdata.schema import Harmonised, alone

FILE = pd.DataFrame(
    {
        "w": [1.0, 2, 2, 1, 4],
        "s": list("aabbb"),
        "c": [1, 2, 1, 1, 2],
        "size": [10, 10, 7, 7, 7],
        "home": ["u", "u", None, "v", None],
    }
)


def read(name: str, frame: pd.DataFrame = FILE) -> Harmonised:
    return alone(as_microdata(frame, "file"), [name])


def test_a_design_by_hand() -> None:
    data = as_microdata(FILE, "file")
    design = read_design(data, weight="w", strata="s", cluster="c")
    assert design.strata.tolist() == [0, 0, 1, 1, 1]
    assert design.clusters.tolist() == [0, 1, 2, 2, 3]
    assert [fix.what for fix in design.fixes if fix.column == "c"] == [
        "some clusters lie in several strata: each part of one is a cluster of its own"
    ]
    assert design.stratum_of_cluster.tolist() == [0, 0, 1, 1]
    assert design.clusters_of_stratum.tolist() == [2, 2]
    assert design.factors.tolist() == [2, 2]
    assert design.degrees_of_freedom == 2
    assert design.degrees_of_freedom_within(np.array([True, True, False, False, True])) == 1
    assert design.kish == pytest.approx(5 * 26 / 100)
    without = read_design(data, strata="s")
    assert without.weights.tolist() == [1] * 5
    assert without.clusters.tolist() == [0, 1, 2, 3, 4]
    assert without.factors.tolist() == [2, 1.5]
    assert not without.fixes
    nested = read_design(data, cluster="c")
    assert nested.clusters.tolist() == [0, 1, 0, 0, 1]
    assert not nested.fixes
    equal = read_design(as_microdata(FILE.assign(w=3.0), "file"), weight="w")
    assert [fix.column for fix in equal.fixes] == ["w"]


def test_what_was_fixed_is_listed_where_a_column_is_read() -> None:
    fix = Fix("file", None, "read again")
    data = replace(as_microdata(FILE, "file"), fixes=(fix,))
    assert read_design(data, weight="w").fixes == (fix,)
    in_pairs = read_design(data, together=("household", np.array([0, 0, 1, 1, 2])))
    assert in_pairs.fixes == ()
    assert in_pairs.clusters.tolist() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("lonely", "factors"),
    [
        ("adjust", [2, 1, 1.5]),
        ("average", [3, 0, 2.25]),
        ("certainty", [2, 0, 1.5]),
        ("remove", [2, 0, 1.5]),
    ],
)
def test_what_a_lonely_stratum_counts_for(lonely: str, factors: list[float]) -> None:
    clusters = np.arange(6)
    design = SurveyDesign(np.ones(6), np.array([0, 0, 1, 2, 2, 2]), clusters, lonely=lonely)
    assert design.centred.tolist() == [True, False, True]
    assert design.factors.tolist() == factors


@pytest.mark.parametrize(
    ("rows", "factors"),
    [
        ([0, 2, 3], [3, 0, 2.25]),  # all three strata, of which two have several clusters
        ([2, 3, 4], [4, 0, 3]),  # two, and one of them
        ([0, 3], [2, 0, 1.5]),  # two, and both
    ],
)
def test_strata_without_a_record_are_in_no_average(rows: list[int], factors: list[float]) -> None:
    strata = np.array([0, 0, 1, 2, 2, 2])
    within = np.isin(np.arange(6), rows)
    design = SurveyDesign(np.ones(6), strata, np.arange(6), lonely="average")
    assert design.factors_within(within).tolist() == pytest.approx(factors)
    plain = replace(design, lonely="remove")
    assert plain.factors_within(within).tolist() == [2, 0, 1.5]


@pytest.mark.parametrize(
    ("strata", "cluster", "words"),
    [
        ("abb", None, "file, column 's': 1 stratum has a single record, so that no variance"),
        ("abcc", None, "file, column 's': 2 strata have a single record, so that no variance"),
        ("abc", None, "file, column 's': every stratum has a single record"),
        (None, "aa", "file, column 'c': expected several clusters but got one"),
        (None, None, "file: expected several records but got one"),
    ],
)
def test_strata_of_one_are_refused(strata: str | None, cluster: str | None, words: str) -> None:
    n = len(strata or cluster or "a")
    frame = pd.DataFrame({"w": 1.0, "s": list(strata or "x" * n), "c": list(cluster or "x" * n)})
    with pytest.raises(StudyError) as error:
        read_design(
            as_microdata(frame, "file"),
            weight="w",
            strata=strata and "s",
            cluster=cluster and "c",
            lonely="fail",
        )
    assert str(error.value).startswith(words)
    if strata == "abb":
        assert str(error.value).endswith(
            "with lonely what to do: adjust, average, certainty, remove."
        )
        read_design(as_microdata(frame, "file"), strata="s", lonely="adjust")
    if strata == "abc":
        with pytest.raises(StudyError, match="every stratum"):
            read_design(as_microdata(frame, "file"), strata="s", lonely="adjust")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, None, 2.0], "1 of 3 weights are missing"),
        ([1.0, -9.0, -9.0], "2 of 3 weights are negative"),
        ([1.0, 0.0, 2.0], "1 of 3 weights are zero"),
        (["a", "b", "c"], "expected weights, numbers above 0, but it holds"),
    ],
)
def test_weights_are_numbers_above_0(weights: list[object], words: str) -> None:
    with pytest.raises(ColumnError, match=words):
        weights_of(read("w", pd.DataFrame({"w": weights})), "w")


def test_codes_for_missing_are_no_weights() -> None:
    data = as_microdata(pd.DataFrame({"w": [1.0, 99.0]}), "file")
    with pytest.raises(ColumnError, match="1 of 2 weights are missing"):
        weights_of(alone(data, ["w"], {"w": 99}), "w")


def test_people_of_all_strata_are_added_once_each() -> None:
    strata = np.array([0, 0, 1, 1, 1])
    assert population_of(read("size"), "size", strata) == 17
    for strata in (np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 2, 2])):
        with pytest.raises(ColumnError, match="expected one number of people for each stratum"):
            population_of(read("size"), "size", strata)


def test_a_record_without_a_household_is_one_of_its_own() -> None:
    number, fixes = households_of(read("home"), "home")
    assert number[0] == number[1]
    assert len({*number}) == 4
    assert [(fix.what, fix.cells) for fix in fixes] == [
        ("2 records without a household: each is a household of one", 2)
    ]
    alone_first = pd.DataFrame({"home": [None, None, None, "u", "v"]})
    assert len({*households_of(read("home", alone_first), "home")[0]}) == 5
    number, fixes = households_of(read("s"), "s")
    assert (number.tolist(), fixes) == ([0, 0, 1, 1, 1], ())
    assert numbers_of(read("s"), "s").tolist() == [0, 0, 1, 1, 1]
    with pytest.raises(ColumnError, match="2 records without a value"):
        numbers_of(read("home"), "home")


def homes(*values: str | None) -> pd.DataFrame:
    return pd.DataFrame({"x": range(len(values)), "home": values})


def test_households_are_numbered_apart_unless_they_are_of_one_file() -> None:
    first, other, holdout = homes("a", "a", "b", None), homes("a", "c"), homes("c", None, "d")
    numbers = numbered("home", (first, "o"), (other, "r"), (holdout, "h"))
    a, b, c = (part.tolist() for part in numbers if part is not None)
    assert a[0] == a[1]
    assert len({*a}) == 3
    assert len({*c}) == 3
    assert not {*a} & {*c}
    assert min(b) == max(a + c) + 1
    assert len({*b}) == 2
    without = first.drop(columns="home")
    none, own, none_either = numbered("home", (without, "o"), (other, "r"), (without, "h"))
    assert none is none_either is None
    assert own is not None
    assert min(own) == 0
    assert [part is None for part in numbered("home", (first, "o"), (without, "r"))] == [
        False,
        True,
    ]
    with pytest.raises(DataError, match=r"h, column 'home': 1 household is also in o"):
        numbered("home", (first, "o"), (other, "r"), (homes("b", None), "h"))


def test_sides_that_cannot_be_exchanged_are_named() -> None:
    pairs, singles = np.array([0, 0, 1, 1]), np.array([2, 3])
    for missing, name in ((0, "original"), (2, "holdout")):
        numbers = [pairs, pairs + 5, pairs + 9]
        numbers[missing] = None  # type: ignore[call-overload]
        with pytest.raises(NotComputable, match=f"the {name} does not say who lives together"):
            between(numbers, 0, 2)
    with pytest.raises(NotComputable, match=r"no household of the original has as many .* replica"):
        between([pairs, singles], 0, 1)
    both = between([pairs, singles, pairs + 9], 0, 2)
    assert (both.n, both.total, both.number.tolist()) == (4, 8, [0, 0, 1, 1, 9, 9, 10, 10])


def test_two_sides_are_of_one_file_or_of_two() -> None:
    first, other = homes("a", "a", "b"), homes("c", "c", "d")
    assert two_sides(None, (first, "o"), (other, "r"), together=True) is None
    for together in (True, False):
        sides = two_sides("home", (first, "o"), (other, "r"), together=together)
        assert sides is not None
        assert (sides.n, sides.total, len({*sides.number})) == (3, 6, 4)
    assert two_sides("home", (first, "o"), (first, "r"), together=False) is not None
    given = Households(np.array([0, 0, 1, 2, 2, 3]), 3)
    assert two_sides(given, (first, "o"), (other, "r"), together=True) is given
    for wrong in (Households(given.number, 2), Households(np.append(given.number, 4), 3)):
        with pytest.raises(DataError, match="household: expected those of 3 and 3 records"):
            two_sides(wrong, (first, "o"), (other, "r"), together=True)
    with pytest.raises(DataError, match="household: expected those of 3 and 2 records"):
        two_sides(given, (first, "o"), (other[1:], "r"), together=True)


def test_who_says_no_household_is_one_of_its_own() -> None:
    parts = [homes("a", None, "b", "a", None), homes(None, "c", None, "c")]
    numbers = _of_one_file(
        "home", [as_microdata(part, name) for part, name in zip(parts, "oh", strict=True)]
    )
    first, second = (part.tolist() for part in numbers)
    assert first[0] == first[3]
    assert second[1] == second[3]
    assert len({*first, *second}) == 7  # a, b, c and four by themselves
    assert min(*first, *second) >= 0


def test_the_household_column_is_set_aside_where_it_is() -> None:
    with_home, without = homes("a"), homes("a").drop(columns="home")
    both = set_aside("home", None, (with_home, "o"), (without, "r"))
    assert [list(data.columns) for data in both] == [["x"], ["x"]]
    assert set_aside(None, None, (with_home, "o"))[0] is with_home
    set_aside("home", ["x"], (with_home, "o"))
    for variables in ("home", ["x", "home"]):
        with pytest.raises(StudyError, match="'home' says who lives together"):
            set_aside("home", variables, (with_home, "o"))


def test_single_records_are_relabelled_where_nobody_lives_together() -> None:
    rng = np.random.default_rng(1)
    assert len({*relabelled(rng, 9, 4)} & {*range(9)}) == 4
    households = Households(np.array([0, 0, 1, 1]), 2)
    drawn = {tuple(relabelled(rng, 4, 2, households).tolist()) for _ in range(20)}
    assert drawn == {(0, 1), (2, 3)}
    assert households_drawn(np.array([5, 5, 7]), 2, rng).tolist() in ([0, 1], [2])
    assert households_drawn(np.array([5, 5, 7]), 3, rng).tolist() == [0, 1, 2]


def test_values_that_come_with_several_others() -> None:
    assert _in_several(np.array([0, 0, 1, 2, 2]), np.array([5, 5, 6, 6, 7])) == 1
    assert _in_several(np.array([0, 0, 1, 1]), np.array([5, 6, 5, 6])) == 2


@pytest.mark.parametrize(("n", "effect"), [(1, 2.0), (0, 1.0), (4, 1.0)])
def test_a_design_effect_needs_two_sides(n: int, effect: float) -> None:
    # one side of one record, centred to 0; of the other 1 1 -2, of whom the first two are together
    scores = np.array([7.0, 2, 2, -1])
    assert Households(np.array([0, 1, 1, 2]), n).design_effect(scores) == pytest.approx(
        8 / 6 if effect == 2 else effect
    )
