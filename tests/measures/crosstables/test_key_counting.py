"""Counting by keys: as tuples are counted, however many combinations there could be."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.measures.crosstables import indexing
from sdcmetrics.measures.crosstables.key_counting import count_keys_and_target, index_keys
from sdcmetrics.microdata.coding import Coded
from tests.measures.coded import coded, random_data, variable


def assert_keys(data: Coded, keys: Sequence[str], target: str, synthesis: int = 1) -> None:
    """Compare with counting tuples record by record."""
    index = index_keys(data, keys)
    counts, cell_of = count_keys_and_target(data, index, target, synthesis=synthesis)
    codes = [index.levels[name] for name in keys]
    tuples = list(zip(*(c.tolist() for c in codes), strict=True))
    assert len(set(tuples)) == len(tuples) == index.size == counts.n_keys
    for part, cells in ((0, counts.original), (synthesis, counts.synthetic)):
        result = Counter(
            zip(
                *(data.variables[name].parts[part].tolist() for name in (*keys, target)),
                strict=True,
            )
        )
        ours = {
            (*tuples[k], t): n
            for k, t, n in zip(
                counts.key.tolist(), counts.target.tolist(), cells.tolist(), strict=True
            )
            if n
        }
        assert ours == dict(result)
    assert (counts.original + counts.synthetic > 0).all()
    for record, cell in enumerate(cell_of.tolist()):
        key = tuple(data.variables[name].parts[0][record] for name in keys)
        assert tuples[counts.key[cell]] == key
        assert counts.target[cell] == data.variables[target].parts[0][record]
    assert (counts.n_original, counts.n_synthetic) == (data.sizes[0], data.sizes[synthesis])


class TestCountKeysAndTarget:
    def test_counts_by_hand(self) -> None:
        data = coded(
            variable("k", 3, [[0, 0, 2], [2, 2]]),
            variable("t", 2, [[0, 1, 1], [1, 1]]),
        )
        counts, cell_of = count_keys_and_target(data, index_keys(data, ["k"]), "t")
        assert counts.n_keys == 2
        assert counts.key.tolist() == [0, 0, 1]
        assert counts.target.tolist() == [0, 1, 1]
        assert counts.original.tolist() == [1, 1, 1]
        assert counts.synthetic.tolist() == [0, 0, 2]
        assert cell_of.tolist() == [0, 1, 2]
        assert counts.per_key(counts.original).tolist() == [2, 2, 1]
        assert counts.target_sums(counts.original).tolist() == [1, 2]

    @given(
        sizes=st.lists(st.integers(1, 5), min_size=4, max_size=4),
        records=st.lists(st.integers(1, 25), min_size=3, max_size=3),
        seed=st.integers(0, 2**32),
        dense=st.sampled_from([0, 1 << 16]),
        synthesis=st.sampled_from([1, 2]),
    )
    @settings(max_examples=60, deadline=None)
    def test_equals_counting_tuples(
        self, sizes: list[int], records: list[int], seed: int, dense: int, synthesis: int
    ) -> None:
        data = random_data(sizes, records, seed)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(indexing, "DENSE_AT_LEAST", dense)
            assert_keys(data, ["a", "b", "c"], "d", synthesis)

    def test_key_combinations_beyond_64_bits_stay_apart(self) -> None:
        # 2^140 combinations; records differ from each other in one key only. The number of levels
        # is a power of 2, so that an index which overflows would lose whole keys.
        names = "abcdefghijklmn"
        rng = np.random.default_rng(3)
        base = rng.integers(0, 1024, len(names))
        rows = np.tile(base, (300, 1))
        for i, row in enumerate(rows):
            row[i % len(names)] = rng.integers(0, 1024)
        original, synthetic = rows[:200], rows[100:]
        data = coded(
            *(
                variable(name, 1024, [original[:, i], synthetic[:, i]])
                for i, name in enumerate(names)
            ),
            variable("t", 3, [rng.integers(0, 3, 200), rng.integers(0, 3, 200)]),
        )
        assert_keys(data, names, "t")
        assert_keys(data, names[::-1], "t")

    def test_the_last_key_can_be_the_one_that_overflows(self) -> None:
        data = random_data([2**16] * 5, [99, 88])
        assert_keys(data, ["a", "b", "c", "d"], "e")
        assert_keys(data, ["a", "b", "c", "d", "e"], "a")

    def test_a_key_of_100_000_levels(self) -> None:
        n = 100_000
        shuffled = np.random.default_rng(5).permutation(n)
        data = coded(
            variable("id", n, [np.arange(n), shuffled]),
            variable("t", 4, [np.arange(n) % 4, shuffled % 4]),
        )
        counts, cell_of = count_keys_and_target(data, index_keys(data, ["id"]), "t")
        assert counts.n_keys == len(counts.original) == n
        assert (counts.original == 1).all()
        assert (counts.synthetic == 1).all()
        assert (counts.key[cell_of] == np.arange(n)).all()


class TestMemory:
    @pytest.mark.parametrize("levels", [50_000, 2_000])
    def test_grows_with_the_records_and_not_with_keys_times_targets(self, levels: int) -> None:
        n = 50_000
        rng = np.random.default_rng(7)
        data = coded(
            variable("k", levels, [rng.integers(0, levels, n) for _ in range(2)]),
            variable("l", 1000, [rng.integers(0, 1000, n) for _ in range(2)]),
            variable("t", 20_000, [rng.integers(0, 20_000, n) for _ in range(2)]),
        )
        tracemalloc.start()
        try:
            counts, _ = count_keys_and_target(data, index_keys(data, ["k", "l"]), "t")
            counts.per_key(counts.original)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        dense = counts.n_keys * counts.n_targets * 8
        assert dense > 10**10
        assert peak < 400 * 2 * n  # bytes a record
