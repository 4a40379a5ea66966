"""Clusters: the second-order test beside dense matrices, and columns that look like clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.homogeneity.clusters import (
    Clusters,
    ClusterTest,
    _variance_of_f,
    clusters_of,
)
from sdcmetrics.measures.homogeneity.rows_together import (
    EQUAL_VALUES,
    suspected_cluster,
    together_by,
)
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.columns import Kind


def covariance(cells: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """Return V as risk of samples is taught: linearised, between clusters."""
    shares = np.bincount(cells, minlength=size) / len(cells)
    influence = (np.eye(size)[cells] - shares) / len(cells)
    totals = np.array([influence[numbers == item].sum(axis=0) for item in np.unique(numbers)])
    centred = totals - totals.mean(axis=0)
    a = len(totals)
    return a / (a - 1) * centred.T @ centred


class TestSecondOrder:
    @pytest.mark.parametrize("size", [2, 5, 40])
    def test_equals_dense_matrices(self, size: int) -> None:
        rng = np.random.default_rng(size)
        n, m = 120, 75
        first, other = np.sort(rng.integers(0, 40, n)), rng.integers(0, 25, m)
        both = np.append(rng.integers(0, size, n), rng.integers(0, size, m))
        cells = np.unique(both, return_inverse=True)[1]
        x, y, size = cells[:n], cells[n:], int(cells.max()) + 1
        numbers = [np.unique(each, return_inverse=True)[1] for each in (first, other)]
        result = ClusterTest(Clusters(*numbers))(x, y, size)
        shares = [np.bincount(each, minlength=size) / len(each) for each in (x, y)]
        pooled = (n * shares[0] + m * shares[1]) / (n + m)
        v = covariance(x, first, size) + covariance(y, other, size)
        g = n * m / (n + m) * v / np.sqrt(np.outer(pooled, pooled))
        t1, t2 = np.trace(g), np.trace(g @ g)
        x2 = n * m / (n + m) * ((shares[0] - shares[1]) ** 2 / pooled).sum()
        d0 = t1**2 / t2
        d2 = d0 * (min(len(np.unique(first)), len(np.unique(other))) - 1)
        assert result[0] == size
        assert result[1] == pytest.approx(x2)
        assert result[2] == pytest.approx(t1)
        assert result[3] == pytest.approx(t1**2 * stats.f(d0, d2).var())
        assert result[4] == pytest.approx(stats.f(d0, d2).sf(x2 / t1))
        assert result[7] == pytest.approx(t2 / t1)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_records_in_another_order_are_the_same_clusters(self, weighted: bool) -> None:
        rng = np.random.default_rng(3)
        n, m = 80, 60
        x, y = np.append(np.arange(5), rng.integers(0, 5, n - 5)), rng.integers(0, 4, m)
        weights = (rng.gamma(2, 1, n), rng.gamma(2, 1, m)) if weighted else None
        in_order = Clusters(np.arange(n), np.arange(m), weights=weights)
        turned = Clusters(np.arange(n)[::-1], np.arange(m)[::-1], weights=weights)
        assert (in_order.alone, turned.alone) == (True, False)
        assert not Clusters(np.arange(n), None).alone
        assert not Clusters(np.arange(n), np.zeros(m, int)).alone
        alone, together = (ClusterTest(each)(x, y, 5) for each in (in_order, turned))
        assert alone == pytest.approx(together, rel=1e-12)

    @pytest.mark.parametrize("m", [60, 120, 300])
    def test_a_synthesis_without_the_column_spreads_as_the_original_does(self, m: int) -> None:
        rng = np.random.default_rng(m)
        n, size = 120, 3
        households = rng.permutation(np.arange(n) % 40)
        x, y = rng.integers(0, size, n), rng.integers(0, size, m)
        statistics = ClusterTest(Clusters(households, None))(x, y, size)
        shares = [np.bincount(each, minlength=size) / len(each) for each in (x, y)]
        pooled = (n * shares[0] + m * shares[1]) / (n + m)
        v = covariance(x, households, size) * (1 + n / m)
        g = n * m / (n + m) * v / np.sqrt(np.outer(pooled, pooled))
        t1, t2 = np.trace(g), np.trace(g @ g)
        x2 = n * m / (n + m) * ((shares[0] - shares[1]) ** 2 / pooled).sum()
        d0 = t1**2 / t2
        d2 = d0 * (40 * min(1, m / n) - 1)
        assert statistics[1:3] == pytest.approx([x2, t1])
        assert statistics[4] == pytest.approx(stats.f.sf(x2 / t1, d0, d2))

    def test_a_cell_the_original_lacks_is_of_whole_clusters(self) -> None:
        households = np.repeat(np.arange(80), 5)  # five records each: two households of a rare cell
        x, y = np.zeros(400, dtype=np.int64), np.zeros(400, dtype=np.int64)
        y[:10] = 1
        statistics = ClusterTest(Clusters(households, None))(x, y, 2)
        beside = ClusterTest(Clusters(households, households))(x, y, 2)
        assert statistics[1] == beside[1]
        assert statistics[2] == pytest.approx(beside[2], rel=0.05)
        assert statistics[4] == pytest.approx(beside[4], abs=0.01)

    def test_single_records_are_clusters_of_one(self) -> None:
        rng = np.random.default_rng(1)
        x, y = rng.integers(0, 3, (2, 4000))
        result = ClusterTest(Clusters(np.arange(4000), np.arange(4000)))(x, y, 3)
        assert result[2] == pytest.approx(2, rel=0.01)  # as many as degrees of freedom
        assert result[4] == pytest.approx(stats.chi2.sf(result[1], 2), rel=0.02)

    def test_doubling_every_record_doubles_what_is_expected_and_not_the_p(self) -> None:
        rng = np.random.default_rng(2)
        x, y, numbers = *rng.integers(0, 4, (2, 300)), np.arange(300)
        single = ClusterTest(Clusters(numbers, numbers))(x, y, 4)
        twice = np.repeat(numbers, 2)
        double = ClusterTest(Clusters(twice, twice))(np.repeat(x, 2), np.repeat(y, 2), 4)
        assert double[2] == pytest.approx(2 * single[2])
        assert double[4] == pytest.approx(single[4])


def test_clusters_that_are_all_alike_leave_nothing_to_chance() -> None:
    numbers = np.repeat(np.arange(50), 2)
    same, other = np.tile([0, 1], 50), np.repeat([0, 1], 50)
    test = ClusterTest(Clusters(numbers, numbers))
    assert test(same, same, 2)[4] == 1.0
    three = np.repeat(np.arange(40), 3)
    unlike = ClusterTest(Clusters(numbers, three))(same, np.tile([0, 0, 1], 40), 2)
    assert (unlike[4], unlike[2]) == (0.0, 0.0)
    assert unlike[5] > 0.1
    assert 0.0 < test(same, other, 2)[4] <= 1.0


def test_a_record_without_a_cluster_is_one_of_its_own() -> None:
    column = Column("h", Kind.NUMBER, np.array([7.0, np.nan, 7.0, np.nan]), np.array([1.0, 1.0]))
    result = clusters_of(Records((), 5, 3, cluster=column))
    assert len(np.unique(result.original)) == 3
    assert result.original[0] == result.original[2]
    assert result.fewer == 1
    assert Clusters(np.arange(4), np.arange(7)).fewer == Clusters(np.arange(4), None).fewer == 4
    assert Clusters(np.arange(4), np.arange(0)).fewer == 0


@pytest.mark.parametrize("seed", range(4))
def test_two_records_are_of_one_cluster_where_both_have_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.choice([3.0, 8.0, 8.5, 90.0, np.nan], 40)
    codes = rng.integers(-1, 6, 30)  # of texts, -1 where there is none
    for kind, sides in ((Kind.NUMBER, (numbers, numbers[:9])), (Kind.CATEGORY, (codes, codes[:7]))):
        column = Column("h", kind, *sides)
        clusters = clusters_of(Records((), *map(len, sides), cluster=column))
        for values, result in zip(sides, (clusters.original, clusters.synthetic), strict=True):
            some = values >= 0  # missing is with nobody
            expected = (values[:, None] == values) & some[:, None] & some
            np.fill_diagonal(expected, val=True)
            assert ((result[:, None] == result) == expected).all()
            assert sorted(set(result.tolist())) == [*range(len(set(result.tolist())))]


class TestSuspected:
    def columns(self, **values: np.ndarray) -> list[Column]:
        return [
            Column(name, Kind.NUMBER, np.asarray(each, dtype=float), np.empty(0))
            for name, each in values.items()
        ]

    def test_by_its_name(self) -> None:
        rng = np.random.default_rng(0)
        homes = rng.permutation(np.repeat(np.arange(40), 3))
        named = "hid household_id SCHOOL my_person_nr ID student firm_id user customer_no member_id"
        for name in named.split():
            assert suspected_cluster(self.columns(**{name: homes})) == name
        for name in ("shade", "region_id", "idea", "member", "users", "card_type"):
            assert suspected_cluster(self.columns(**{name: homes})) == ""

    def test_by_rows_together_and_a_column_constant_within(self) -> None:
        rng = np.random.default_rng(0)
        homes = np.repeat(rng.permutation(40), 3)
        region = rng.integers(0, 8, 40)[homes]
        columns = self.columns(age=rng.normal(size=120), xyz=homes, region=region)
        assert suspected_cluster(columns) == "xyz"
        apart = rng.permutation(120)
        assert suspected_cluster([*self.columns(xyz=homes[apart], region=region[apart])]) == ""
        assert suspected_cluster(self.columns(xyz=homes, age=rng.integers(0, 8, 120))) == ""

    def test_a_column_nearly_constant_anyway_says_nothing(self) -> None:
        homes = np.repeat(np.arange(40), 3)
        rare = np.zeros(120)
        rare[:3] = 1.0
        assert suspected_cluster(self.columns(xyz=homes, rare=rare)) == ""

    def series(
        self, rng: np.random.Generator, apart: float, number: int = 15
    ) -> dict[str, np.ndarray]:
        """Return two years of stations, month by month, in which the air differs so much."""
        stations = np.repeat(rng.permutation(9000)[:number], 24)
        months = np.tile(np.arange(24), number)
        air = rng.normal(size=24 * number) + apart * rng.normal(size=number).repeat(24)
        return {"xyz": stations, "year": months // 12, "month": months % 12, "air": air}

    def test_by_times_that_come_once_and_values_that_are_alike(self) -> None:
        rng = np.random.default_rng(0)
        series = self.series(rng, 1.0)
        assert suspected_cluster(self.columns(**series)) == "xyz"
        gaps = rng.random(360) < 0.8
        assert suspected_cluster(self.columns(**{n: v[gaps] for n, v in series.items()})) == "xyz"
        whole = series | {"month": series["month"] + 12 * series.pop("year")}
        assert suspected_cluster(self.columns(**whole)) == "xyz"

    def test_so_are_long_series_of_few_stations(self) -> None:
        rng = np.random.default_rng(0)
        assert suspected_cluster(self.columns(**self.series(rng, 3.0, 4))) == "xyz"
        assert suspected_cluster(self.columns(**self.series(rng, 3.0, 2))) == ""

    def test_neither_a_grid_nor_a_sorted_file_is_of_series(self) -> None:
        rng = np.random.default_rng(0)
        assert suspected_cluster(self.columns(**self.series(rng, 0.0))) == ""
        for i in range(200):
            region = np.sort(rng.integers(0, 3 + i % 14, 360))
            values = {"region": region, "air": rng.normal(size=360) + region}
            few = {f"few_{k}": rng.integers(0, 2 + 3 * k, 360) for k in range(8)}
            assert suspected_cluster(self.columns(**values, **few)) == ""

    def test_records_that_are_repeated_as_wholes_belong_together(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(20):
            people = self.columns(age=rng.integers(0, 80, 200), town=rng.integers(0, 9, 200))
            for times in (np.full(200, 2), rng.integers(2, 6, 200)):
                every = [
                    replace(column, original=column.original.repeat(times)) for column in people
                ]
                assert together_by(every) == EQUAL_VALUES
                assert together_by(every, self.columns(hid=np.arange(times.sum()) // 3)) == "hid"
            assert together_by(people) == ""

    @pytest.mark.parametrize("each", [0.5, 1.0, 2.0, 3.0, 5.0, 12.0])
    def test_records_of_few_combinations_are_not(self, each: float) -> None:
        rng = np.random.default_rng(0)
        for cells in (6, 30, 200):
            for _ in range(50):
                values = rng.integers(0, cells, round(cells * each) + 1)
                assert together_by(self.columns(cell=values)) == ""

    def test_neither_a_running_number_nor_few_or_uneven_values(self) -> None:
        assert suspected_cluster(self.columns(person=np.arange(120))) == ""
        assert suspected_cluster(self.columns(school=np.arange(120) // 20)) == ""
        uneven = np.append(np.zeros(400), np.arange(1, 120) // 2)
        assert suspected_cluster(self.columns(family=uneven)) == ""


def test_the_variance_of_f_is_infinite_up_to_four_degrees_of_freedom_below() -> None:
    assert _variance_of_f(3.0, 4.0) == _variance_of_f(3.0, 2.5) == np.inf
    for below in (4.01, 7.0, 90.5):
        assert _variance_of_f(3.5, below) == pytest.approx(stats.f.var(3.5, below))
