"""Whole households change labels: tests keep their size, a copy is found, splits are refused."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sm
from sdcmetrics.errors import DataError, NotComputable, StudyError
from sdcmetrics.measures.attacks.membership import rank_test
from sdcmetrics.measures.attacks.people import permuted_p
from sdcmetrics.measures.closeness.share_permutation import permute_shares
from sdcmetrics.measures.crosstables.key_counting import count_beside_each_other, index_keys
from sdcmetrics.measures.disclosure.reference_values import TargetReferences
from sdcmetrics.measures.exchangeable import label_test
from sdcmetrics.measures.survey.households import Households, numbered, two_sides
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.ranking.uncertainty import _fewer
from sdcmetrics.suites.syntheval.shifts import shift_of_counts

REPEATS = 2_000 if os.environ.get("SDCMETRICS_SLOW") else 120


def people(seed: int, households: int, first: int = 0) -> pd.DataFrame:
    """Households of 1 to 6 persons, who are alike."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(households), rng.integers(1, 7, households))
    common = rng.normal(size=(households, 3))[home]
    values = np.sqrt(0.7) * common + np.sqrt(0.3) * rng.normal(size=(len(home), 3))
    frame = pd.DataFrame(values.round(2), columns=["x", "y", "z"])
    cuts = pd.cut(common[:, 0], [-np.inf, -0.5, 0.5, np.inf], labels=["low", "middle", "high"])
    return frame.assign(g=cuts.astype(str), home=home + first)


ORIGINAL, HOLDOUT = people(1, 60), people(2, 60, first=1_000)
FRESH = people(3, 60)


def test_a_draw_keeps_the_records_and_the_households_of_each_size() -> None:
    households = two_sides("home", (ORIGINAL, "o"), (HOLDOUT, "h"), together=True)
    assert households is not None
    sizes = np.bincount(households.number)[households.number]
    for seed in range(20):
        rows = households.drawn(np.random.default_rng(seed))
        assert len(np.unique(rows)) == len(rows) == len(ORIGINAL)
        assert np.array_equal(np.sort(sizes[rows]), np.sort(sizes[: households.n]))
        assert not np.isin(households.number[rows], np.delete(households.number, rows)).any()


def test_sums_by_counts_of_households_are_those_of_drawn_records() -> None:
    households = two_sides("home", (ORIGINAL, "o"), (HOLDOUT, "h"), together=True)
    assert households is not None
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 4, len(households.number)).astype(np.float64)
    first = households.sums(scores, 4_000, rng)
    other = np.array([scores[households.drawn(rng)].sum() for _ in range(4_000)])
    assert abs(first.mean() - other.mean()) < 4 * other.std() / np.sqrt(2_000)
    assert first.std() == pytest.approx(other.std(), rel=0.06)
    mean, variance, _ = households.moments(scores)
    assert abs(mean - other.mean()) < 4 * other.std() / np.sqrt(4_000)
    assert np.sqrt(variance) == pytest.approx(other.std(), rel=0.05)


def test_a_design_effect_is_that_of_the_sums_of_households_whatever_the_unit() -> None:
    rng = np.random.default_rng(3)
    number, first = rng.permutation(np.repeat(np.arange(90), rng.integers(1, 5, 90))), 100
    number[:first] += 90  # nobody lives with somebody of the other side
    scores = rng.normal(size=len(number)) + rng.normal(size=180)[number]
    households = Households(number, first)
    sides = [slice(0, first), slice(first, None)]
    centred = np.concatenate([scores[side] - scores[side].mean() for side in sides])
    sums = [centred[number == home].sum() for home in set(number.tolist())]
    expected = np.square(sums).sum() / np.square(centred).sum()
    assert expected > 1.3
    for unit, move in ((1.0, 0.0), (1e-3, 0.0), (50.0, 7.0)):
        assert households.design_effect(unit * scores + move) == pytest.approx(expected)
    assert households.design_effect(np.full(len(number), 2.0)) == 1.0  # nobody differs
    alone = Households(np.arange(40), 25)
    assert alone.design_effect(scores[:40]) == pytest.approx(1.0)
    for one_side in (0, 40):
        assert Households(number[:40], one_side).design_effect(scores[:40]) == 1.0
    of_one = Households(np.array([0, 1, 1]), 1)
    assert of_one.design_effect(np.array([4.0, 2.0, 3.0])) == pytest.approx(0.0)


def test_where_everybody_lives_alone_single_records_are_exchanged() -> None:
    marked = np.zeros(60, dtype=np.bool_)
    marked[[0, 1, 2, 3, 40]] = True
    exact = label_test(marked, 30).p_value
    drawn = label_test(marked, 30, Households(np.arange(60), 30)).p_value
    assert drawn == pytest.approx(exact, abs=0.015)


@pytest.fixture(scope="module")
def rejected() -> pd.DataFrame:
    """Which tests of fresh households have a p of at most 0.05, by single records and by whole."""
    rows = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        size = rng.integers(1, 7, 100)
        home = np.repeat(np.arange(100), size)
        x = np.sqrt(0.7) * rng.normal(size=100)[home] + np.sqrt(0.3) * rng.normal(size=len(home))
        n = int(size[:60].sum())
        row = {}
        for name, who in (("single", None), ("whole", Households(home, n))):
            row[f"sum {name}"] = permuted_p(x, n, 99, seed, who)
            row[f"ranks {name}"] = rank_test(x, n, seed, who)[1]
            row[f"count {name}"] = label_test(np.abs(x - x[0]) < 0.5, n, who, seed).p_value
            draw = np.random.default_rng(seed)
            (share,) = permute_shares(
                [np.abs(x)], n_training=n, permutations=99, rng=draw, households=who
            )
            row[f"share {name}"] = share.p_value
            cells = np.unique(x.round(1), return_inverse=True)[1].ravel()
            counts = [np.bincount(part, minlength=cells.max() + 1) for part in np.split(cells, [n])]
            drawn = None if who is None else who.counts(cells, len(counts[0]), 99, draw)
            row[f"shift {name}"] = shift_of_counts(
                counts[0], counts[1], draw, ordered=True, permutations=99, drawn=drawn
            ).p
        rows.append(row)
    return pd.DataFrame(rows) <= 0.05


@pytest.mark.parametrize("test", ["sum", "ranks", "count", "share", "shift"])
def test_of_fresh_households_5_percent_are_found(rejected: pd.DataFrame, test: str) -> None:
    # 3.3 standard errors of the simulation: 1.6 points in the long version
    most = 3.3 * np.sqrt(0.05 * 0.95 / REPEATS)
    assert abs(rejected[f"{test} whole"].mean() - 0.05) < most


@pytest.mark.parametrize("test", ["sum", "ranks", "share", "shift"])
def test_by_single_records_too_many_are_found(rejected: pd.DataFrame, test: str) -> None:
    assert rejected[f"{test} single"].mean() > 0.1


TWO: dict[str, Callable[..., float]] = {
    "energy": lambda o, s, **k: sm.energy_distance(o, s, permutations=199, **k).p_value,
    "wasserstein": lambda o, s, **k: sm.wasserstein(o, s, permutations=199, draws=0, **k)[
        "p"
    ].min(),
    "tails": lambda o, s, **k: sm.tails(o, s, variables=["x"], **k)["p"].min() * 5,
    "groups": lambda o, s, **k: sm.subgroups(o, s, groups="g", permutations=199, **k).worst[2],
    "propensity": lambda o, s, **k: (
        0.25  # its null is 1
        / sm.utility_gen(
            o, s, method="logit", maxorder=0, resampling="perm", nperms=20, seed=1, **k
        ).s_p_mse
    ),
    "prediction": lambda o, s, **k: (
        sm.prediction(o, s, HOLDOUT, targets="g", learners="tree", permutations=49, **k)
        .table["gap_p"]
        .min()
    ),
}


@pytest.mark.parametrize("name", TWO)
def test_another_distribution_is_found_with_households(name: str) -> None:
    rng = np.random.default_rng(1)
    wrong = FRESH.assign(x=2 * FRESH["x"] + 1, g=rng.permutation(FRESH["g"]))
    assert TWO[name](ORIGINAL, wrong, household="home") <= 0.05
    fresh = [TWO[name](people(10 + i, 60), people(20 + i, 60), household="home") for i in range(3)]
    assert np.median(fresh) > 0.05


@pytest.mark.parametrize("name", TWO)
def test_a_replica_that_does_not_say_who_lives_together_has_no_test(name: str) -> None:
    with pytest.raises(NotComputable, match="replica does not say who lives together"):
        TWO[name](ORIGINAL, FRESH.drop(columns="home"), household="home")


THREE: dict[str, Callable[..., float]] = {
    "membership": lambda *d, **k: sm.membership(*d, **k).p_value,
    "matches": lambda *d, **k: sm.exact_matches(*d, **k).p_value,
    "singling": lambda *d, **k: sm.singling_out(*d, columns=2, permutations=199, **k).p_value,
    "linkability": lambda *d, **k: (
        sm.linkability(*d, keys=["x", "g"], other_keys=["y", "z"], permutations=199, **k).p_value
    ),
    "inference": lambda *d, **k: (
        sm.attribute_inference(*d, target="g", learner="nearest", permutations=199, **k).p_value
    ),
    "closest": lambda *d, **k: (
        sm.distance_to_closest_record(
            *d, distance="gower", permutations=199, seed=1, **k
        ).permutation.p_value
    ),
    "identical": lambda *d, **k: (
        sm.distance_to_closest_record(
            *d, distance="gower", permutations=9, seed=1, **k
        ).identical.p_value
    ),
}


@pytest.mark.parametrize("name", THREE)
def test_a_copy_stays_found_and_fresh_households_are_not(name: str) -> None:
    attack = THREE[name]
    copy = ORIGINAL.drop(columns="home")  # whether or not the replica has households
    assert attack(ORIGINAL, copy, HOLDOUT, household="home") <= 0.05
    fresh = [
        attack(people(10 + i, 60), people(20 + i, 60), people(30 + i, 60, 1_000), household="home")
        for i in range(3)
    ]
    assert np.median(fresh) > 0.05


@pytest.mark.parametrize("name", THREE)
def test_a_holdout_that_splits_households_is_refused_in_words(name: str) -> None:
    holdout = HOLDOUT.assign(home=[5, *HOLDOUT["home"][1:]])
    with pytest.raises(DataError, match=r"1 household is also in original\. A holdout that splits"):
        THREE[name](ORIGINAL, FRESH, holdout, household="home")


def test_a_copied_family_is_one_leak_of_its_persons() -> None:
    first = ORIGINAL[ORIGINAL["home"] == ORIGINAL["home"].value_counts().idxmax()]
    replica = pd.concat([FRESH, first])
    figures = sm.exact_matches(ORIGINAL, replica, HOLDOUT, household="home").figures
    assert figures["matched"] == (len(first), 0)
    assert figures["households"] == figures["families"] == (1, 0)
    assert figures["persons"] == (len(first), 0)
    assert figures["p_families"] > 0.05  # one family may be in either file


def test_without_households_a_copied_family_looks_like_many_leaks() -> None:
    first = ORIGINAL[ORIGINAL["home"] == ORIGINAL["home"].value_counts().idxmax()]
    replica = pd.concat([FRESH, first])
    alone, whole = (
        sm.exact_matches(ORIGINAL, replica, HOLDOUT, variables=["x", "y", "z"], household=home)
        for home in (None, "home")
    )
    assert alone.p_value < 0.05 < whole.p_value
    assert alone.excess == whole.excess
    assert whole.interval[0] < alone.interval[0]


class TestHoldout:
    def test_a_split_of_households_is_right_with_them_and_wrong_without(self) -> None:
        every = people(7, 400)
        every[["x", "y", "z"]] = every[["x", "y", "z"]].round(0)
        held = every["home"] % 2 == 0
        first, other = every[~held], every[held]
        assert sm.check_holdout(first, other, household="home").ok
        assert not sm.check_holdout(first.drop(columns="home"), other.drop(columns="home")).ok

    def test_another_population_is_found(self) -> None:
        other = people(8, 300, first=1_000)
        other["x"] += 0.6
        result = sm.check_holdout(people(9, 300), other, household="home")
        assert result.other_population

    def test_households_on_both_sides_are_refused(self) -> None:
        with pytest.raises(DataError, match="splits households"):
            sm.check_holdout(ORIGINAL, FRESH, household="home")

    def test_of_fresh_households_few_are_called_another_population(self) -> None:
        called = [
            sm.check_holdout(people(i, 80), people(i + 500, 80, first=1_000), household="home")
            for i in range(25)
        ]
        assert sum(item.other_population for item in called) <= 2


def test_records_without_a_household_live_alone() -> None:
    first = pd.DataFrame({"home": [1, 1, None, None, None], "x": range(5)})
    other = pd.DataFrame({"home": [2, None, None, None], "x": range(4)})
    households = two_sides("home", (first, "o"), (other, "h"), together=True)
    assert households is not None
    assert sorted(np.unique(households.number, return_counts=True)[1]) == [1] * 7 + [2]


def test_households_of_a_replica_are_others_than_those_of_the_original() -> None:
    numbers = numbered("home", (ORIGINAL, "o"), (ORIGINAL, "s"), (HOLDOUT, "h"))
    assert not np.intersect1d(numbers[0], numbers[1]).size
    assert not np.intersect1d(numbers[1], numbers[2]).size


def test_who_lives_together_is_no_variable() -> None:
    with pytest.raises(StudyError, match="cannot be compared as well"):
        sm.energy_distance(ORIGINAL, FRESH, variables=["x", "home"], household="home")
    moved = FRESH.assign(home=FRESH["home"] * 1_000)
    first, other = (
        sm.energy_distance(ORIGINAL, s, household="home").distance for s in (FRESH, moved)
    )
    assert first == other


def test_households_are_named_or_given() -> None:
    households = two_sides("home", (ORIGINAL, "o"), (FRESH, "s"), together=False)
    sets = [item.drop(columns="home") for item in (ORIGINAL, FRESH)]
    named, given = (
        sm.energy_distance(ORIGINAL, FRESH, permutations=99, household="home"),
        sm.energy_distance(*sets, permutations=99, household=households),
    )
    assert named.p_value == given.p_value
    with pytest.raises(DataError, match="expected those of"):
        sm.energy_distance(sets[0][:-1], sets[1], household=households)
    with pytest.raises(StudyError, match="household: expected text or an"):
        sm.energy_distance(*sets, household=3)  # type: ignore[arg-type]


def test_households_of_other_sizes_cannot_be_exchanged() -> None:
    pairs = pd.DataFrame({"home": np.arange(40) // 2, "x": np.arange(40.0)})
    alone = pd.DataFrame({"home": np.arange(20), "x": np.arange(20.0)})
    with pytest.raises(NotComputable, match="no household of the original has as many persons"):
        sm.energy_distance(pairs, alone, household="home")


def test_the_interval_of_a_distance_draws_whole_households() -> None:
    first, other = people(11, 80), people(12, 80)
    other["x"] += 1.5
    widths = []
    for home in (None, "home"):
        row = sm.wasserstein(first, other, variables=["x"], permutations=99, household=home).loc[
            "x"
        ]
        widths.append(row["high"] - row["low"])
    assert widths[1] > 1.2 * widths[0]


class TestDisclosure:
    """The p of disclosure measures beside the holdout, where whole households are redrawn."""

    TESTED = ("iS", "DiSCO", "DCAP")
    MEASURES = tuple(sm.explain(name) for name in (*TESTED, "Dorig", "CAPd"))

    @staticmethod
    def families(rng: np.random.Generator, first: int = 0) -> pd.DataFrame:
        """Draw households whose members share a region and nearly always an income."""
        home = np.repeat(np.arange(60), rng.integers(1, 7, 60))
        income = rng.integers(0, 4, 60)[home]
        other = rng.integers(0, 4, len(home))
        return pd.DataFrame(
            {
                "region": rng.integers(0, 12, 60)[home].astype(str),
                "age": rng.integers(0, 6, len(home)).astype(str),
                "income": np.where(rng.random(len(home)) < 0.1, other, income).astype(str),
                "home": home + first,
            }
        )

    def p_values(
        self, original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame
    ) -> dict[str, float]:
        names = ("original", "replica", "holdout")
        frames = [*zip((original, replica, holdout), names, strict=True)]
        data = [as_microdata(*frame) for frame in frames]
        keys = ["region", "age"]
        coded = encode(
            harmonise(data[0], data[1:], variables=[*keys, "income"]), by_value, [*keys, "income"]
        )
        sides, cells = count_beside_each_other(coded, index_keys(coded, keys), "income", (1, 2))
        out = {}
        for name, households in (("single", ()), ("whole", numbered("home", *frames))):
            at_target = TargetReferences(
                *sides, measures=self.MEASURES, draws=99, cells=cells, households=households
            )
            for item in self.TESTED:
                references = at_target.of(sm.explain(item))
                out[f"{item} {name}"] = references.p
                out[f"{item} of outsiders {name}"] = references.outsiders_p
        return out

    def test_fresh_households_are_rejected_less_often_and_a_copy_still_is(self) -> None:
        results = []
        for seed in range(25):
            rng = np.random.default_rng(seed)
            results.append(
                self.p_values(self.families(rng), self.families(rng), self.families(rng, 1_000))
            )
        rejected = (pd.DataFrame(results) <= 0.05).mean()
        whole = rejected[[name for name in rejected.index if name.endswith("whole")]]
        assert whole.max() <= 0.2  # 5 % of 25, and what a binomial allows in one of 300
        assert whole.mean() < 0.7 * rejected.drop(index=whole.index).mean()
        rng = np.random.default_rng(1)
        first, other = self.families(rng), self.families(rng, 1_000)
        p = self.p_values(first, first, other)
        assert max(p[f"{name} whole"] for name in self.TESTED) <= 0.05
        assert max(p[f"{name} of outsiders whole"] for name in ("DiSCO", "DCAP")) <= 0.05

    def test_a_replica_without_households_has_a_p_of_its_people_only(self) -> None:
        rng = np.random.default_rng(2)
        first, second, third = self.families(rng), self.families(rng), self.families(rng, 1_000)
        p = self.p_values(first, second.drop(columns="home"), third)
        assert np.isnan(p["DCAP whole"])
        assert not np.isnan(p["DCAP of outsiders whole"])


class TestSuites:
    TESTS = ("mean_MMD", "identical", "MIA_AUC")

    def run(self, original: pd.DataFrame, replica: pd.DataFrame) -> pd.DataFrame:
        sets = [item.assign(t=np.where(item["x"] > 0, "y", "n")) for item in (original, replica)]
        holdout = HOLDOUT.assign(t=np.where(HOLDOUT["x"] > 0, "y", "n"))
        return sm.daisynt(
            *sets,
            holdout,
            target="t",
            mode="corrected",
            tests=self.TESTS,
            household="home",
            seed=1,
        )

    def test_daisynt_finds_a_copy_with_households_and_fresh_ones_are_none(self) -> None:
        copy, fresh = self.run(ORIGINAL, ORIGINAL), self.run(ORIGINAL, FRESH)
        assert (copy.loc[["identical", "MIA_AUC"], "p"] <= 0.001).all()
        assert (fresh.loc[["identical", "MIA_AUC"], "p"] > 0.05).all()

    def test_daisynt_says_that_a_replica_has_no_households(self) -> None:
        result = self.run(ORIGINAL, FRESH.drop(columns="home"))
        assert "does not say who lives together" in result.loc["mean_MMD", "note"]
        assert result.loc["identical", "p"] == 1

    def test_syntheval_has_values_without_a_test_where_the_replica_has_no_households(self) -> None:
        names = ["ks_test", "mmd", "mia"]
        result, without = (
            sm.syntheval(ORIGINAL, item, HOLDOUT, metrics=names, household="home")["value"]
            for item in (FRESH, FRESH.drop(columns="home"))
        )
        p = [("ks_test", "smallest p"), ("mmd", "p")]
        assert without[p].isna().all()
        assert not result.isna().any()
        same = [key for key in result.index if "sigs" not in key[1] and key not in p]
        pd.testing.assert_series_equal(result[same], without[same])


def test_a_study_of_households_redraws_them_beside_fresh_people() -> None:
    rng = np.random.default_rng(1)
    sets = [TestDisclosure.families(rng, first) for first in (0, 0, 1_000)]
    p = {}
    for sample in ({"household": "home"}, None):
        original, replica, holdout = (
            item if sample else item.drop(columns="home") for item in sets
        )
        study = sm.Study(
            original,
            {"r": replica},
            holdout=holdout,
            keys=["region", "age"],
            targets=["income"],
            sample=sample,
        )
        result = sm.conduct(study).frame.set_index("metric")
        p[sample is None] = result.loc["iS", "outsiders_p"]
        assert not np.isnan(result.loc["DCAP", "p"])
    assert p[False] > 10 * p[True]  # people of one family were taken for independent


def test_records_are_left_out_with_their_households() -> None:
    data = as_microdata(ORIGINAL, "replica")
    number = numbered("home", (ORIGINAL, "o"), (ORIGINAL, "s"))[1]
    left = _fewer(data, np.random.default_rng(1), number).to_pandas()
    assert 0.85 * len(ORIGINAL) < len(left) <= len(ORIGINAL) - len(ORIGINAL) // 10
    sizes = ORIGINAL.groupby("home").size()
    assert (left.groupby("home").size() == sizes[left["home"].unique()]).all()
