"""Mean distances over tables, and their standard errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import hypergeom

from sdcmetrics.measures.crosstables.margins import Margin
from sdcmetrics.measures.fidelity.distance import distances, distances_of_fewer, fidelity


def margins(*parts: np.ndarray) -> Iterator[Margin]:
    """Tables of one variable each, from records by variables."""
    for j in range(parts[0].shape[1]):
        cells = tuple(part[:, j] for part in parts)
        counts = np.stack([np.bincount(part, minlength=4) for part in cells])
        yield Margin((str(j),), counts, cells)


class TestDistances:
    def test_nothing_in_common_is_one(self) -> None:
        assert distances(np.array([[5, 0], [0, 3]])).tolist() == [1.0]

    def test_the_same_shares_are_zero_whatever_the_numbers(self) -> None:
        assert distances(np.array([[1, 2], [100, 200]])).tolist() == [0.0]

    def test_is_the_share_of_records_that_would_have_to_move(self) -> None:
        assert distances(np.array([[6, 4, 0], [5, 4, 1]])).tolist() == [pytest.approx(0.1)]


class TestFidelity:
    def test_is_the_mean_over_tables(self) -> None:
        training = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
        other = np.array([[0, 1], [1, 1], [1, 1], [1, 1]])
        result = fidelity(margins(training, other))
        assert result.by_table.tolist() == [[0.25], [0.5]]
        assert result.values.tolist() == [0.375]

    def test_the_standard_error_is_the_spread_over_repeated_samples(self) -> None:
        rng = np.random.default_rng(3)
        first = rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=(200, 400, 6))
        second = rng.choice(4, p=[0.25, 0.25, 0.3, 0.2], size=(200, 300, 6))
        third = rng.choice(4, p=[0.1, 0.2, 0.3, 0.4], size=(200, 300, 6))
        for data in (first, second, third):  # variables that go together
            data[:, :, 1] = data[:, :, 0]
        results = [fidelity(margins(*parts)) for parts in zip(first, second, third, strict=True)]
        seen = np.cov(np.array([result.values for result in results]).T)
        claimed = np.mean([result.covariance for result in results], axis=0)
        np.testing.assert_allclose(np.sqrt(np.diag(claimed)), np.sqrt(np.diag(seen)), rtol=0.15)
        assert claimed[0, 1] == pytest.approx(seen[0, 1], rel=0.4)
        assert claimed[0, 1] > 0  # the training data are in both

    def test_where_data_hardly_differ_the_standard_error_is_not_too_small(self) -> None:
        rng = np.random.default_rng(4)
        data = rng.choice(4, size=(2, 200, 300, 5))
        results = [fidelity(margins(*parts)) for parts in zip(*data, strict=True)]
        seen = np.std([result.values[0] for result in results])
        claimed = np.mean([np.sqrt(result.covariance[0, 0]) for result in results])
        assert seen < claimed < 3 * seen

    def test_left_out_records_move_nothing(self) -> None:
        cells = (np.array([0, 0, 1, -1]), np.array([0, 1, 1, -1]))
        result = fidelity([Margin(("x",), np.array([[2, 1], [1, 2]]), cells)])
        assert result.values.tolist() == [pytest.approx(1 / 3)]
        assert np.isfinite(result.covariance).all()


class TestFewer:
    def test_is_the_mean_over_all_subsets_of_the_last(self) -> None:
        training, last = np.array([3, 0, 2, 1]), np.array([2, 1, 0, 4])
        records = np.repeat(np.arange(4), last)
        for size in range(1, 7):
            subsets = [
                np.bincount(chosen, minlength=4) for chosen in itertools.combinations(records, size)
            ]
            expected = np.mean([distances(np.array([training, subset]))[0] for subset in subsets])
            replica = np.array([size, 0, 0, 0])
            result = distances_of_fewer(np.array([training, replica, last]))
            assert result[0] == pytest.approx(expected, rel=1e-12)
            assert np.isnan(result[1])

    @pytest.mark.parametrize("number", [59, 60, 61])
    def test_of_a_record_the_cells_are_its_share_or_its_opposite(self, number: int) -> None:
        """Of 100 records one is kept: it is in the first cell as often as records are there."""
        training, last = np.array([3, 1]), np.array([number, 100 - number])
        apart = {True: 0.25, False: 0.75}  # from shares of 3/4 and 1/4
        expected = (number * apart[True] + (100 - number) * apart[False]) / 100
        result = distances_of_fewer(np.array([training, [1, 0], last]))[0]
        assert result == pytest.approx(expected, rel=1e-12)

    def test_cells_of_many_records_by_all_numbers_that_may_be_kept(self) -> None:
        last, training = np.array([60, 100, 640, 0, 200]), np.array([33, 0, 160, 7, 0])
        for size in (1, 10, 100, 500, 900):
            kept = np.arange(size + 1)
            each = [
                float(hypergeom.pmf(kept, 1000, number, size) @ np.abs(share - kept / size))
                for number, share in zip(last, training / 200, strict=True)
            ]
            replica = np.array([size, 0, 0, 0, 0])
            result = distances_of_fewer(np.array([training, replica, last]))[0]
            assert result == pytest.approx(sum(each) / 2, rel=0.002)

    def test_of_a_cell_that_has_all_records_nothing_is_left_to_chance(self) -> None:
        for training, expected in (([5, 0], 0.0), ([4, 1], 0.2), ([0, 3], 1.0)):
            counts = np.array([training, [50, 0], [100, 0]])
            assert distances_of_fewer(counts)[0] == pytest.approx(expected, abs=1e-12)

    def test_of_many_records_per_cell_is_nearly_that(self) -> None:
        rng = np.random.default_rng(1)
        training, last = np.array([300, 200, 100]), np.array([500, 350, 150])
        drawn = rng.multivariate_hypergeometric(last, 90, size=20_000)
        expected = distances(np.vstack([training, drawn])).mean()
        result = distances_of_fewer(np.array([training, [90, 0, 0], last]))[0]
        assert result == pytest.approx(expected, rel=0.01)
