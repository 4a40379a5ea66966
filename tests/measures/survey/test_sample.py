"""How an original was sampled: roles, notes, refusals; means and quantiles by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, DataError, StudyError
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design
from sdcmetrics.measures.survey.linearised import mean, quantile
from sdcmetrics.measures.survey.sample import Sample, labels_of
from sdcmetrics.microdata.frames import Microdata, as_microdata

FILE = pd.DataFrame(
    {
        "x": [1.0, 2, 4, 3],
        "w": [1.0, 1, 2, 1],
        "area": [1, 1, 2, 2],
        "home": ["u", "v", "v", "z"],
        "who": ["a", "b", "c", "d"],
    }
)


def data(frame: pd.DataFrame = FILE, name: str = "o.csv") -> Microdata:
    return as_microdata(frame, name)


def notes(sample: Sample) -> list[tuple[str | None, str, int | None]]:
    return [(fix.column, fix.what, fix.cells) for fix in sample.fixes()]


def test_a_mean_and_its_error_by_hand() -> None:
    design = SurveyDesign(np.array([1.0, 1, 2]), np.zeros(3, dtype=np.int64), np.arange(3))
    # influences -7/16 -3/16 10/16, squares times 3 / 2
    expected = (2.75, math.sqrt(1.5 * (49 + 9 + 100) / 256))
    assert mean(np.array([1.0, 2, 4]), design) == pytest.approx(expected)
    missing = SurveyDesign(np.ones(4), np.zeros(4, dtype=np.int64), np.arange(4))
    # of 1 and 3: influences -1/2 1/2 and 0 of the two that are missing, times 4 / 3
    values = np.array([1.0, np.nan, 3.0, np.nan])
    assert mean(values, missing) == pytest.approx((2.0, math.sqrt(4 / 3 * 0.5)))


@pytest.mark.parametrize(
    ("share", "value"), [(0.25, 1), (0.2501, 2), (0.5, 2), (0.75, 3), (0.76, 4), (1.0, 4)]
)
def test_a_quantile_is_the_first_value_that_reaches_its_share(share: float, value: float) -> None:
    values = np.array([3.0, np.nan, 1, 4, 2])
    assert quantile(values, share, simple_design(5))[0] == value


def test_an_interval_of_a_median_by_hand() -> None:
    values = np.arange(1.0, 102)
    estimate, low, high = quantile(values, 0.5, simple_design(101))
    # t with 100 degrees of freedom; 51 of 101 are at or below 51, with the error
    # sqrt(51 50 / 101^3 * 101 / 100)
    reached, error = 51 / 101, math.sqrt(51 * 50 / 101**2 / 100)
    ends = [math.ceil(101 * (reached + t * error) - 1e-9) for t in (-1.983972, 1.983972)]
    assert (estimate, low, high) == (51, *ends)
    _, low, high = quantile(values, 0.01, simple_design(101))
    assert math.isnan(low)
    assert high > 1


def test_roles_are_those_that_are_named() -> None:
    sample = Sample(data(), weight="w", cluster="area", size="x")
    assert sample.columns == {"weight": "w", "cluster": "area", "population_size": "x"}
    assert Sample(data(), household="home").columns == {"household": "home"}


@pytest.mark.parametrize(
    ("weights", "size", "people"),
    [([1.0, 1, 2, 1], None, 5), ([1.0, 1, 1, 1], None, 4), ([1.0, 1, 1, 0.9], None, None),
     ([1.0, 1, 1, 0.9], 77.0, 77)],
)  # fmt: skip
def test_people_are_stated_or_as_many_as_the_weights_add_up_to(
    weights: list[float], size: float | None, people: float | None
) -> None:
    sample = Sample(data(FILE.assign(w=weights)), weight="w", population_size=size)
    assert sample.people == people
    few = ["weights add up to fewer people" in what for _, what, _ in notes(sample)]
    assert any(few) is (people is None)
    assert Sample(data()).people is None


@pytest.mark.parametrize(
    ("roles", "column", "numbers"),
    [
        ({}, "", None),
        ({"cluster": "area", "household": "home", "person": "home"}, "area", [0, 0, 1, 1]),
        ({"household": "home", "person": "area"}, "home", [0, 1, 1, 2]),
        ({"person": "home"}, "home", [0, 1, 1, 2]),
        ({"person": "who"}, "", None),
    ],
)
def test_the_widest_of_clusters_households_and_persons_belongs_together(
    roles: dict[str, str], column: str, numbers: list[int] | None
) -> None:
    sample = Sample(data(), **roles)
    assert sample.together == column
    out = sample.numbers_together
    assert (None if out is None else out.tolist()) == numbers


def test_households_in_several_clusters_are_noted() -> None:
    sample = Sample(data(), cluster="area", household="home")
    assert notes(sample) == [("home", "1 household in more than one cluster", 1)]
    assert notes(Sample(data(FILE.assign(home=[*"uuvz"])), cluster="area", household="home")) == []
    assert notes(Sample(data(), household="home")) == []


@pytest.mark.parametrize(
    ("units", "records", "noted"), [(29, 13, True), (30, 13, False), (29, 12, False)]
)
@pytest.mark.parametrize("role", ["household", "person"])
def test_few_households_or_persons_of_many_records_are_noted(
    role: str, units: int, records: int, noted: bool
) -> None:
    frame = pd.DataFrame({"unit": np.arange(units * records) % units, "x": 0})
    words = (
        f"{units} {role}s of {records} records on average: if {role}s are numbered within "
        "something else, give each its own number"
    )
    assert notes(Sample(data(frame), **{role: "unit"})) == [("unit", words, None)] * noted


@pytest.mark.parametrize(
    ("who", "words"),
    [("abcd", ""), ("abca", "1 person is in more than one household, by column 'who'"),
     ("abab", "2 persons are in more than one household")],
)  # fmt: skip
def test_a_person_is_of_one_household(who: str, words: str) -> None:
    sample = Sample(data(FILE.assign(who=[*who], home=[*"uvxz"])), household="home", person="who")
    if not words:
        assert notes(sample) == []
        return
    with pytest.raises(ColumnError, match=f"o.csv, column 'home': {words}"):
        notes(sample)
    assert notes(Sample(sample.original, person="who")) == []


def test_a_holdout_whose_households_cannot_be_exchanged_is_noted() -> None:
    pairs = FILE.assign(home=[*"uuvv"])
    singles = data(FILE.assign(home=[*"abcd"]), "h.csv")
    sample = Sample(data(pairs), household="home", holdout=singles)
    assert sample.beside_holdout[0] is None
    assert [column for column, _, _ in notes(sample)] == ["home"]
    sample = Sample(
        data(pairs), household="home", holdout=data(pairs.assign(home=[*"xxyy"]), "h.csv")
    )
    assert sample.beside_holdout[0] is not None
    assert notes(sample) == []
    assert Sample(data(pairs), household="home").beside_holdout == (None, "")


def test_records_of_a_person_belong_together_beside_the_holdout() -> None:
    file = data().table
    aside = data(FILE.iloc[[0, 1, 1]].assign(home=[1, 2, 2]), "h.csv")
    sample = Sample(as_microdata(file, "o.csv"), person="home", holdout=aside)
    both = sample.beside_holdout[0]
    assert both is not None
    assert (both.n, both.number.tolist()) == (4, [0, 1, 1, 2, 3, 4, 4])
    lacking = data(FILE.drop(columns="home"), "h.csv")
    of_records = Sample(data(), person="home", holdout=lacking)
    assert of_records.beside_holdout[0] is None
    assert "the holdout does not say whose its records are" in of_records.beside_holdout[1]
    assert [column for column, *_ in notes(of_records)] == ["home"]
    assert Sample(data(), person="who", holdout=aside).beside_holdout == (None, "")
    assert Sample(data(), person="home").beside_holdout == (None, "")
    triple = data(FILE.iloc[[0, 0, 0]].assign(home="q"), "h.csv")
    reason = Sample(data(), person="home", holdout=triple).beside_holdout[1]
    assert "no person of the original has as many records as one of the holdout" in reason


def test_persons_of_three_files_are_numbered_apart() -> None:
    replica = data(FILE.iloc[[0, 1, 1]].assign(home=["u", "v", "v"]), "r.csv")
    aside = data(FILE.iloc[[0, 0]].assign(home="z"), "h.csv")
    sample = Sample(data(), person="home", holdout=aside, syntheses={"r.csv": replica})
    numbers = [None if part is None else part.tolist() for part in sample.numbered(replica)]
    assert numbers == [[0, 1, 1, 2], [3, 4, 4], [5, 5]]
    both, reason = sample.households_with(replica)
    assert reason == ""
    assert both is not None
    assert both.number.tolist() == [0, 1, 1, 2, 3, 4, 4]
    bare = data(FILE[["x"]], "r.csv")
    assert [part is None for part in sample.numbered(bare)] == [False, True, False]
    assert "the replica does not say whose its records are" in sample.households_with(bare)[1]
    assert Sample(data(), person="who").numbered(replica) == ()


@pytest.mark.parametrize("role", ["household", "person"])
def test_who_belongs_together_was_drawn_together(role: str) -> None:
    design = Sample(data(), **{role: "home"}, weight="w").design
    assert design.clusters.tolist() == [0, 1, 1, 2]
    assert design.weights.tolist() == [1, 1, 2, 1]
    assert design.degrees_of_freedom == 2
    # clusters that are named are drawn as a whole, whoever lives in them
    assert Sample(data(), **{role: "home"}, cluster="area").design.clusters.tolist() == [0, 0, 1, 1]
    alone = FILE.assign(home=[None, "v", "v", None])  # one without a value is one of its own
    assert len(set(Sample(data(alone), **{role: "home"}).design.clusters)) == 3
    assert Sample(data(), person="who").design.clusters.tolist() == [0, 1, 2, 3]
    single = Sample(data(FILE.assign(home=[*"uuvz"])), **{role: "home"}, strata="area")
    with pytest.raises(StudyError, match=f"column 'area': 1 stratum has a single {role}"):
        _ = single.design
    adjusted = Sample(single.original, **{role: "home"}, strata="area", lonely="adjust")
    assert adjusted.design.clusters.tolist() == [0, 0, 1, 2]


def test_weights_of_a_synthesis_are_those_of_its_whole_file() -> None:
    whole = data(FILE, "r.csv")
    plain = data(FILE[["x"]], "r.csv")
    sample = Sample(data(), synthetic_weight="w", syntheses={"r.csv": whole})
    design = sample.weights_of(plain)
    assert design is not None
    assert design.weights.tolist() == [1, 1, 2, 1]
    assert sample.whole(plain) is whole
    assert sample.weights_of(data(FILE, "other.csv")) is None
    assert (
        Sample(data(), synthetic_weight="v", syntheses={"r.csv": whole}).weights_of(plain) is None
    )
    drawn = data(FILE.head(2), "r.csv")
    assert sample.whole(drawn) is drawn
    with pytest.raises(ColumnError, match=r"r\.csv: the weights of records that were drawn"):
        sample.weights_of(drawn)
    single = Sample(data(), synthetic_weight="w", syntheses={"r.csv": data(FILE.head(1), "r.csv")})
    with pytest.raises(ColumnError, match=r"r\.csv: expected several records but got one"):
        single.weights_of(data(FILE[["x"]].head(1), "r.csv"))


REPLICA = pd.DataFrame({"x": [1.0, 2, 3], "home": ["k", "k", "l"]})
ASIDE = pd.DataFrame({"x": [1.0, 2, 3, 4], "home": ["p", "p", "q", "r"]})


def test_households_of_every_file_are_numbered_apart() -> None:
    replica, aside = data(REPLICA, "r"), data(ASIDE, "h")
    sample = Sample(data(), household="home", syntheses={"r": replica}, holdout=aside)
    own, other, apart = sample.numbered(data(REPLICA[["x"]], "r"))
    assert own is not None
    assert other is not None
    assert apart is not None
    assert [len(part) for part in (own, other, apart)] == [4, 3, 4]
    assert [len(set(part.tolist())) for part in (own, other, apart)] == [3, 2, 3]
    everybody = [*own.tolist(), *other.tolist(), *apart.tolist()]
    assert len(set(everybody)) == 8
    assert len(Sample(data(), household="home").numbered(replica)) == 2
    assert Sample(data()).numbered(replica) == ()
    bare = Sample(data(), household="home").numbered(data(REPLICA[["x"]], "r"))
    assert bare[1] is None


def test_who_lives_together_is_exchanged_or_the_reason_is_said() -> None:
    replica, bare = data(REPLICA, "r"), data(REPLICA[["x"]], "bare")
    assert labels_of(None, [replica, bare], 9) == ([None, None], 9, "")
    sample = Sample(data(), household="home")
    households, permutations, reason = labels_of(sample, [replica, replica], 9)
    assert (permutations, reason) == (9, "")
    for each in households:
        assert each is not None
        assert (each.n, each.total) == (4, 7)
    households, permutations, reason = labels_of(sample, [replica, bare, bare], 9)
    assert permutations == 0
    assert reason.count("who lives together") == 1
    assert households[0] is not None
    assert households[1:] == [None, None]
    assert Sample(data()).households_with(replica) == (None, "")
    assert Sample(data()).beside_holdout == (None, "")
    assert Sample(data(), household="home").beside_holdout == (None, "")
    together = Sample(data(), household="home", holdout=data(ASIDE, "h")).beside_holdout[0]
    assert together is not None
    assert (together.n, together.total) == (4, 8)


def test_a_synthesis_is_whole_unless_its_records_were_drawn() -> None:
    whole = data(REPLICA, "r")
    sample = Sample(data(), syntheses={"r": whole})
    assert sample.whole(data(REPLICA[["x"]], "r")) is whole
    drawn = data(REPLICA[["x"]].head(2), "r")
    assert sample.whole(drawn) is drawn
    other = data(REPLICA[["x"]], "other")
    assert sample.whole(other) is other


def test_columns_of_the_sample_are_put_back_and_no_others() -> None:
    read = data(FILE.assign(other=1), "read.csv")
    sample = Sample(data(), weight="w", household="home", synthetic_weight="area")
    whole = sample.with_design(data(FILE[["x"]], "r.csv"), read)
    assert (whole.source, whole.columns) == ("r.csv", ["x", "w", "area", "home"])
    assert whole.column("w").to_pylist() == [1, 1, 2, 1]
    drawn = data(FILE[["x"]].head(3), "r.csv")
    assert sample.with_design(drawn, read) is drawn


@pytest.mark.parametrize(
    ("original", "holdout", "both"),
    [
        ([1, 2, 3, 3], [2, 1, 3], ""),  # each file numbers its own
        ([7, 7, 7, 7], [8, 7, 9], ""),
        ([1, 2, 3, 3], [3, 5, 7], "1 person is"),
        ([1, 3, 5, 5], [5, 6, 7], "1 person is"),
        ([1, 3, 5, 5], [5, 3, 9], "2 persons are"),
        ([1, 3, None, 5], [None, 7, 9], ""),  # who has no number is nobody
        ([1, 3, 5, 5], [math.nan] * 3, ""),
        ([*"abca"], [*"cde"], "1 person is"),
        ([*"abca"], [*"def"], ""),
    ],
)
def test_a_holdout_of_persons_of_the_original_is_refused(
    original: list[object], holdout: list[object], both: str
) -> None:
    sets = [
        data(pd.DataFrame({"pid": ids}), name) for ids, name in ((original, "o"), (holdout, "h"))
    ]
    sample = Sample(sets[0], person="pid", holdout=sets[1])
    if both:
        with pytest.raises(DataError, match=f"^h, column 'pid': {both} also in o. "):
            sample._check_split(sets[1])
    else:
        sample._check_split(sets[1])
