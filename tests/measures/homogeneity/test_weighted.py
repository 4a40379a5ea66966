"""Tables of weighted samples: the test beside dense matrices, its level, and what it finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import Study, conduct, equal_tables
from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.homogeneity import weighted_draws
from sdcmetrics.measures.homogeneity.clusters import Clusters, ClusterTest
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.result import Homogeneity, Totals
from sdcmetrics.measures.homogeneity.weighted_draws import WeightedTable


def covariance(cells: np.ndarray, weights: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the linearised covariance of weighted shares, between clusters."""
    influence = np.eye(cells.max() + 1)[cells]
    shares = weights @ influence / weights.sum()
    influence = (influence - shares) * weights[:, None] / weights.sum()
    totals = np.array([influence[numbers == each].sum(axis=0) for each in np.unique(numbers)])
    centred = totals - totals.mean(axis=0)
    return len(totals) / (len(totals) - 1) * centred.T @ centred


def population(rng: np.random.Generator, n: int) -> pd.DataFrame:
    age = rng.integers(18, 90, n)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "ill": np.where(rng.random(n) < age / 120, "yes", "no"),
            "region": rng.choice(list("abcd"), n),
        }
    )


def sample(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw old people four times as often."""
    people = population(rng, 10 * n)
    size = np.where(people["age"] > 60, 4.0, 1.0)
    chance = size * n / size.sum()
    drawn = rng.random(len(people)) < chance
    return people[drawn].assign(w=1.0 / chance[drawn]).reset_index(drop=True)


@pytest.mark.parametrize("clustered", [False, True])
def test_equals_dense_matrices(clustered: bool) -> None:
    rng = np.random.default_rng(3)
    n, m, size = 120, 75, 4
    cells = np.append(np.arange(size), rng.integers(0, size, n - size)), rng.integers(0, size, m)
    weights = rng.gamma(2, 1, n), rng.gamma(2, 1, m)
    numbers = tuple(
        np.unique(rng.integers(0, 30, k), return_inverse=True)[1] if clustered else np.arange(k)
        for k in (n, m)
    )
    x2, t1, p, w = np.array(
        ClusterTest(Clusters(*numbers, "h" if clustered else "", weights))(*cells, size)
    )[[1, 2, 4, 5]]
    shares = [
        np.bincount(c, weights=w, minlength=size) / w.sum()
        for c, w in zip(cells, weights, strict=True)
    ]
    pooled = (n * shares[0] + m * shares[1]) / (n + m)
    v = sum(covariance(*side) for side in zip(cells, weights, numbers, strict=True))
    g = n * m / (n + m) * v / np.sqrt(np.outer(pooled, pooled))
    trace, square = np.trace(g), np.trace(g @ g)
    d0 = trace**2 / square
    nu = min(len(np.unique(each)) for each in numbers) - 1
    expected = n * m / (n + m) * ((shares[0] - shares[1]) ** 2 / pooled).sum()
    assert [x2, t1] == pytest.approx([expected, trace])
    assert p == pytest.approx(stats.f.sf(expected / trace, d0, d0 * nu))
    apart = ((shares[0] - shares[1]) ** 2 / (shares[0] + shares[1])).sum()
    chance = trace * (n + m) / (2 * n * m)
    assert w == pytest.approx(np.sqrt(2 * max(apart - chance, 0)))


def test_equal_weights_are_none() -> None:
    rng = np.random.default_rng(4)
    original, replica = population(rng, 400), population(rng, 300)
    plain = equal_tables(original, replica)
    weighted = equal_tables(original.assign(w=7.5), replica.assign(w=10.0), weight="w")
    pd.testing.assert_frame_equal(plain.frame, weighted.frame)
    assert weighted.weighted
    assert weighted.totals == Totals(3000.0, 3000.0, np.sqrt(400 * 7.5**2 + 300 * 100))
    without = equal_tables(original.assign(w=7.5), replica, weight="w")
    pd.testing.assert_frame_equal(plain.frame, without.frame)
    assert without.counted_once
    assert without.totals is None


class TestOfAPopulation:
    """Old people are drawn four times as often: tables of records are not those of people."""

    def status(self, original: pd.DataFrame, replica: pd.DataFrame) -> str:
        return equal_tables(original, replica, weight="w").status

    @pytest.mark.parametrize("seed", range(5))
    def test_samples_and_people_of_it_are_useful(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        original = sample(rng, 800)
        assert self.status(original, sample(rng, 800)) == "within"
        people = population(rng, 800)
        assert self.status(original, people) == "within"
        assert self.status(original, people.assign(w=10.0)) == "within"
        assert equal_tables(original.drop(columns="w"), people).status in ("review", "fail")

    @pytest.mark.parametrize("seed", range(2))
    def test_weights_that_are_forgotten_or_mixed_up_are_found(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        original, replica = sample(rng, 800), sample(rng, 800)
        shuffled = replica.assign(w=rng.permutation(replica["w"]))
        for wrong in (replica.drop(columns="w"), replica.assign(w=1.0), shuffled):
            tables = equal_tables(original, wrong, weight="w")
            assert tables.status in ("review", "fail")
            assert any("age" in table.name for table in tables.called)
        records = (file[["age", "sex", "ill", "region"]] for file in (original, replica))
        assert equal_tables(*records).status == "within"

    def test_another_column_of_weights(self) -> None:
        rng = np.random.default_rng(9)
        original, replica = sample(rng, 800), sample(rng, 800)
        renamed = replica.rename(columns={"w": "pw"})
        expected = equal_tables(original, replica, weight="w").frame
        tables = equal_tables(original, renamed, weight="w", synthetic_weight="pw")
        pd.testing.assert_frame_equal(tables.frame, expected)


@pytest.mark.parametrize("side", [0, 1])
def test_a_record_that_is_nearly_all_of_the_weight_leaves_tables_unjudged(side: int) -> None:
    rng = np.random.default_rng(11)
    files = [sample(rng, 400), sample(rng, 400)]
    assert equal_tables(*files, weight="w").status == "within"
    files[side].loc[0, "w"] = 1e9  # to the second-order test its shares are certain
    tables = equal_tables(*files, weight="w")
    assert (tables.status, tables.reason) == ("not judged", "weights")
    assert not tables.called


class TestTotals:
    def test_of_another_number_of_people(self) -> None:
        rng = np.random.default_rng(5)
        original, replica = sample(rng, 600), sample(rng, 600)
        assert not equal_tables(original, replica, weight="w").totals.differ  # type: ignore[union-attr]
        three = equal_tables(original, replica.assign(w=3 * replica["w"]), weight="w")
        assert three.totals is not None
        assert three.totals.ratio == pytest.approx(3 * replica["w"].sum() / original["w"].sum())
        assert three.totals.differ
        assert three.status == "within"

    @pytest.mark.parametrize(
        ("synthetic", "differ"), [(110.0, False), (110.1, True), (89.0, True), (90.5, False)]
    )
    def test_beyond_a_tenth(self, synthetic: float, differ: bool) -> None:
        assert Totals(100.0, synthetic, 1.0).differ is differ

    def test_beyond_chance(self) -> None:
        assert not Totals(100.0, 150.0, 15.3).differ
        assert Totals(100.0, 150.0, 15.1).differ

    def test_the_error_is_that_of_two_samples(self) -> None:
        rng = np.random.default_rng(6)
        totals = [Totals.of(*(sample(rng, 60)["w"].to_numpy() for _ in "ab")) for _ in range(400)]
        spread = np.std([each.synthetic - each.original for each in totals])
        assert np.mean([each.error for each in totals]) == pytest.approx(spread, rel=0.12)
        assert not any(each.differ for each in totals)

    def test_a_total_that_is_further_above_than_another_below_speaks(self) -> None:
        below, above, near, far = (Totals(100.0, by, 1.0) for by in (50.0, 160.0, 105.0, 30.0))
        for totals, speaks in (
            ([below, above, near], above), ([below, near], below), ([above, far, below], far),
        ):  # fmt: skip
            files = tuple(Homogeneity("within", weighted=True, totals=each) for each in totals)
            assert HomogeneityOfFiles(files).totals is speaks

    def test_the_file_that_is_furthest_off_speaks(self) -> None:
        rng = np.random.default_rng(7)
        original, replica = sample(rng, 300), sample(rng, 300)
        files = [replica, replica.assign(w=2 * replica["w"]), replica]
        tables = equal_tables(original, files, weight="w")
        assert tables.totals == tables.files[1].totals


class TestDraws:
    def test_weights_of_a_cell_vary_as_its_own_or_as_those_of_all(self) -> None:
        side = weighted_draws._Side.of(
            np.array([0, 0, 1, 2]), np.array([1.0, 3.0, 2.0, 2.0]), size=4
        )
        assert side.shares.tolist() == [0.5, 0.25, 0.25, 0.0]
        assert side.each.tolist() == [0.25] * 4  # a record of an empty cell has one of n parts
        # of the first cell 2 (1 + 9) / 4^2 - 1; over all 1/32 of squares beside 4 / 16
        assert side.spread.tolist() == [0.25, 0.125, 0.125, 0.125]
        expected = side.expected(np.array([0.4, 0.3, 0.2, 0.1]))
        assert expected == pytest.approx([1.28, 16 / 15, 32 / 45, 16 / 45])

    def test_fresh_tables_pass_no_oftener_than_the_level(self) -> None:
        rng, draws = np.random.default_rng(8), np.random.default_rng(9)
        shares, each = (
            np.array([0.02, 0.98]),
            np.array([0.3, 1.0]),
        )  # rare people have small weights
        passed = second_order = 0
        times = 400
        for _ in range(times):
            number = [rng.poisson(k * shares / each) for k in (100, 1000)]
            cells = tuple(np.repeat(np.arange(2), k) for k in number)
            weights = tuple(each[c] * rng.exponential(size=len(c)) for c in cells)
            numbers = tuple(np.arange(len(c)) for c in cells)
            test = ClusterTest(Clusters(*numbers, "", weights))
            second_order += test(*cells, 2)[4] <= 0.01
            table = WeightedTable(cells, weights, test)  # type: ignore[arg-type]
            passed += table.passes(1.0, 0.01, draws)
            assert not table.is_beyond_doubt(0.01)
        high = stats.binom.ppf(0.999, times, 0.01)
        assert passed <= high
        assert second_order > 2 * high  # which is why what would be called is drawn

    def test_a_table_without_rare_cells_need_not_be_drawn(self) -> None:
        rng = np.random.default_rng(3)
        cells = tuple((rng.random(3000) < share).astype(np.int64) for share in (0.3, 0.6))
        weights = tuple(rng.gamma(4, 0.25, 3000) for _ in "ab")
        test = ClusterTest(Clusters(np.arange(3000), np.arange(3000), "", weights))  # type: ignore[arg-type]
        assert WeightedTable(cells, weights, test).is_beyond_doubt(0.01)  # type: ignore[arg-type]
        rare = tuple(
            np.where(np.arange(3000) < few, 2, side)
            for few, side in ((20, cells[0]), (2, cells[0]))
        )
        assert not WeightedTable(rare, weights, test).is_beyond_doubt(0.01)  # type: ignore[arg-type]

    @pytest.mark.parametrize(("shift", "passes"), [(0.0, False), (0.15, True)])
    def test_a_large_difference_passes(self, shift: float, passes: bool) -> None:
        rng = np.random.default_rng(9)
        cells = tuple((rng.random(500) < 0.3 + by).astype(np.int64) for by in (0.0, shift))
        weights = tuple(rng.gamma(4, 0.25, 500) for _ in "ab")
        test = ClusterTest(Clusters(np.arange(500), np.arange(500), "", weights))  # type: ignore[arg-type]
        answer = WeightedTable(cells, weights, test).passes(10.0, 0.01, rng)  # type: ignore[arg-type]
        assert answer is passes

    @pytest.mark.parametrize("cells", [2, 12])
    def test_few_draws_are_enough_far_beyond_what_many_reach(self, cells: int) -> None:
        # records of weight 1 and some rare cells: multinomial tables have the same X2
        rng = np.random.default_rng(4)
        share = 1.0 / np.arange(1, cells + 1) ** 3
        share /= share.sum()
        sides = [rng.multinomial(n, share, 200_000) for n in (900, 300)]
        pooled = (sides[0] + sides[1]) / 1200
        apart = (sides[0] / 900 - sides[1] / 300) ** 2 / np.where(pooled > 0.0, pooled, 1.0)
        x2 = np.sort(900 * 300 / 1200 * apart.sum(axis=1))[::-1]
        limit = weighted_draws._rarely_reached(x2[rng.permutation(len(x2))[:4000]], 1e-6)
        assert x2[2] < limit < 4.0 * x2[19]  # 1e-5 and 1e-4 of the draws reach these

    def test_what_lies_far_beyond_is_drawn_a_few_times(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def passes(_: object, observed: float, **_given: float) -> bool:
            plain.append(observed)
            return False

        plain: list[float] = []
        monkeypatch.setattr(weighted_draws, "passes_plain_draws", passes)
        test = ClusterTest(Clusters(np.arange(600), np.arange(600), "", (np.ones(600),) * 2))
        of_original = np.arange(600) % 3
        for share, factor, drawn in (
            (0.9, 100.0, 0),
            (0.9, 40.0, 1),  # as many draws would do
            (0.40, 100.0, 1),  # p is .06
        ):
            replica = (np.arange(600) >= 600 * share) * (1 + np.arange(600) % 2)
            table = WeightedTable((of_original, replica), (np.ones(600),) * 2, test)
            plain.clear()
            answer = table.passes(factor, 0.01, np.random.default_rng(1))
            assert (len(plain), answer) == (drawn, not drawn)

    def test_a_cell_of_a_hundred_records_is_not_rare(self) -> None:
        assert weighted_draws._rare_as_one(np.array([100.0, 300.0])).tolist() == [0, 1]
        assert weighted_draws._rare_as_one(np.array([99.0, 300.0, 900.0])).tolist() == [0, 0, 1]

    def test_as_rare_as_a_hundredth_of_the_level_of_a_table_is_beyond_doubt(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[float] = []

        def rarely_reached(_: object, chance: float) -> float:
            asked.append(chance)
            return 0.0

        monkeypatch.setattr(weighted_draws, "_rarely_reached", rarely_reached)
        test = ClusterTest(Clusters(np.arange(600), np.arange(600), "", (np.ones(600),) * 2))
        cells = np.arange(600) % 3, np.arange(600) % 2
        table = WeightedTable(cells, (np.ones(600),) * 2, test)
        assert table.passes(100.0, 0.02, np.random.default_rng(1))
        assert asked == [pytest.approx(0.01 * 0.02 / 100.0)]

    @pytest.mark.parametrize("n", [26, 100])
    def test_one_record_that_a_small_side_has_alone_is_no_proof(self, n: int) -> None:
        # it is drawn there with a chance of n / (n + m), far above the .0002 that is asked
        cells = (np.arange(n) == 0).astype(np.int64), np.zeros(9_500, dtype=np.int64)
        weights = np.ones(n), np.ones(9_500)
        test = ClusterTest(Clusters(np.arange(n), np.arange(9_500), "", weights))
        table = WeightedTable(cells, weights, test)
        answers = [table.passes(50.0, 0.01, np.random.default_rng(i)) for i in range(20)]
        assert not any(answers)

    @pytest.mark.parametrize(("held", "batch"), [(100, 33), (6, 2), (5, 1), (2, 1)])
    def test_as_many_draws_are_held_as_fit(
        self, held: int, batch: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[dict[str, float]] = []

        def passes(_: object, observed: float, **given: float) -> bool:
            asked.append({"observed": observed, **given})
            return True

        monkeypatch.setattr(weighted_draws, "_HELD", held)
        monkeypatch.setattr(weighted_draws, "passes_plain_draws", passes)
        cells = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2, 2])
        weights = np.ones(4), np.ones(5)
        test = ClusterTest(Clusters(np.arange(4), np.arange(5), "", weights))
        table = WeightedTable(cells, weights, test)
        assert table.passes(3.0, 0.05, np.random.default_rng(1))
        assert (table.size, table.cost) == (3, 0.03)
        counts = np.array([[2, 1, 1], [1, 2, 2]])
        x2 = stats.chi2_contingency(counts, correction=False).statistic
        assert asked[0]["observed"] == pytest.approx(x2)
        assert (asked[0]["factor"], asked[0]["chance"]) == (3.0, 0.05)
        assert asked[0]["batch"] == batch


def test_no_such_column() -> None:
    frame = population(np.random.default_rng(0), 50)
    with pytest.raises(ColumnError, match="original: there is no column 'wt'"):
        equal_tables(frame, frame, weight="wt")


def reviewed(original: pd.DataFrame, replica: pd.DataFrame) -> tuple[str, str]:
    """Return the answer to the second question, and its sentences."""
    study = Study(
        original,
        {"r": replica},
        keys=["age", "sex"],
        targets=["ill"],
        sample={"weight": "w"},
        candidates=0,
        ways=(1,),
    )
    decision = conduct(study, holdout=False).decisions["r"].utility
    return decision.status.value, " ".join(map(str, decision.statements))


class TestReview:
    def test_says_whose_tables_they_are(self) -> None:
        rng = np.random.default_rng(1)
        original, replica = sample(rng, 800), sample(rng, 800)
        status, words = reviewed(original, replica)
        assert status == "within"
        assert "those of the population, by the weights of both files" in words
        assert "None of 17 weighted tables differs" in words
        assert "advice" not in words
        status, words = reviewed(original, replica.drop(columns="w"))
        assert status in ("review", "fail")
        assert "The replica has no weights: each of its records counts once." in words

    def test_totals_are_looked_at(self) -> None:
        rng = np.random.default_rng(2)
        original, replica = sample(rng, 800), sample(rng, 800)
        status, words = reviewed(original, replica.assign(w=3 * replica["w"]))
        assert status == "review"
        assert "Its weights add up to 316 % of the original" in words
        assert "totals are of another number of people." in words

    def test_weights_that_cannot_be_read_leave_tables_unjudged(self) -> None:
        rng = np.random.default_rng(3)
        original, replica = sample(rng, 400), sample(rng, 400)
        status, words = reviewed(original, replica.assign(w=-1.0))
        assert status == "not judged"
        assert "those of the replica cannot be read" in words

    def test_of_a_single_record_nothing_is_judged_and_others_go_on(self) -> None:
        rng = np.random.default_rng(4)
        original, replica = sample(rng, 400), sample(rng, 400)
        study = Study(
            original,
            {"one": replica.head(1), "all": replica},
            keys=["age", "sex"],
            targets=["ill"],
            sample={"weight": "w"},
            candidates=0,
            ways=(1,),
        )
        decisions = conduct(study, holdout=False).decisions
        assert decisions["one"].utility.status.value == "not judged"
        assert "it has a single record" in " ".join(map(str, decisions["one"].utility.statements))
        assert decisions["all"].utility.status.value == "within"
