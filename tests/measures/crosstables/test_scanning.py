"""Counts over batches: what memory gives, whatever the batches and however large the tables."""

import itertools
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import DataError
from sdcmetrics.measures.crosstables import expected, k_marginal, scanning
from sdcmetrics.measures.crosstables import whole_records as whole_records_of_files
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.key_counting import count_beside_each_other, index_keys
from sdcmetrics.measures.crosstables.margins import count_margins
from sdcmetrics.measures.crosstables.whole_records import whole_records
from sdcmetrics.measures.fidelity.marginal_fidelity import fidelity_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.coding import Coded, by_groups, by_value, encode
from sdcmetrics.microdata.discretise import by_training
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.read import read
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.microdata.sources.parquet import scan_parquet

KEYS = ["age", "sex", "edu", "seen"]


def survey(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    start = pd.Timestamp("2020-01-01")
    income = np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(8, 1, n).round(1))
    return pd.DataFrame(
        {
            "age": rng.integers(0, 90, n),
            "income": np.where(rng.random(n) < 0.1, 0.0, income),
            "sex": rng.choice(["m", "f"], n),
            "edu": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high", "no"]
            ),
            "works": rng.random(n) < 0.4,
            "weight": rng.normal(size=n).astype("float32"),
            "born": start + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "seen": pd.Series(np.where(rng.random(n) < 0.3, None, rng.choice(["u", "v"], n))),
        }
    )


def folders(frames: list[pd.DataFrame], folder: Path, cuts: list[int]) -> tuple[Pair, Pair]:
    """Return the same data sets from one file each in memory, and from folders of ragged files."""
    here, there = [], []
    for name, frame in zip(["original", "replica", "holdout"], frames, strict=False):
        plain = frame.assign(edu=frame["edu"].astype(str))
        plain.to_parquet(folder / f"{name}.parquet", index=False)
        here.append(read(folder / f"{name}.parquet", source=name))
        ends = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
        (folder / name).mkdir()
        for i, (first, end) in enumerate(itertools.pairwise(ends)):
            plain.iloc[first:end].to_parquet(folder / name / f"{i:02d}.parquet", index=False)
        there.append(scan_parquet(folder / name))
    a, b = (Pair("replica", s[0], s[1:2], *s[2:]) for s in (here, there))
    return a, b


def coded(pair: Pair, rule: object) -> Coded:
    names = list(pair.data.variables)
    return encode(pair.data, rule, names)  # type: ignore[arg-type]


def assert_same_tables(a: Coded, b: Coded, ways: int, *, use_missing: bool) -> None:
    tables = list(itertools.combinations(a.variables, ways))
    both = zip(
        count_tables(a, tables, use_missing=use_missing),
        count_tables(b, tables, use_missing=use_missing),
        strict=True,
    )
    for (where, item), (there, other) in both:
        assert where == there
        assert item.empty == other.empty
        for name in ("original", "synthetic", "starts"):
            np.testing.assert_array_equal(getattr(item, name), getattr(other, name))


def assert_same_keys(a: Coded, b: Coded, targets: list[str]) -> None:
    first, other = index_keys(a, KEYS), index_keys(b, KEYS)
    for key in KEYS:
        np.testing.assert_array_equal(first.levels[key], other.levels[key])
    others = range(1, len(a.sizes))
    for target in targets:
        here, cells = count_beside_each_other(a, first, target, list(others))
        there, of_large = count_beside_each_other(b, other, target, list(others))
        assert tuple(map(len, cells)) == a.sizes
        assert [*map(len, of_large)] == [0] * len(b.sizes)
        for x, y in zip(here, there, strict=True):
            assert (x.n_keys, x.n_targets, x.n_original) == (y.n_keys, y.n_targets, y.n_original)
            for name in ("original", "synthetic", "key", "target"):
                np.testing.assert_array_equal(getattr(x, name), getattr(y, name))


@settings(max_examples=5, deadline=None)
@given(cuts=st.lists(st.integers(0, 300), max_size=6), seed=st.integers(0, 9))
def test_every_table_is_that_of_memory_wherever_files_are_cut(cuts: list[int], seed: int) -> None:
    with TemporaryDirectory() as name:
        a, b = folders([survey(300, seed), survey(250, seed + 50)], Path(name), cuts)
        assert [str(fix) for fix in a.data.fixes] == [str(fix) for fix in b.data.fixes]
        for rule in (by_groups(5, dates=True), by_value, by_training(5)):
            first, other = coded(a, rule), coded(b, rule)
            for x, y in zip(first.variables.values(), other.variables.values(), strict=True):
                assert x.labels == y.labels
            assert_same_tables(first, other, 1, use_missing=True)
            assert_same_tables(first, other, 2, use_missing=seed % 2 == 0)
        assert_same_keys(coded(a, by_value), coded(b, by_value), ["income", "works", "born"])


class TestLargeTables:
    @pytest.fixture
    def both(self, tmp_path: Path) -> tuple[Pair, Pair]:
        frames = [survey(400, 1), survey(300, 2), survey(200, 3)]
        return folders(frames, tmp_path, [7, 7, 120])

    def test_are_the_same_where_they_are_not_held_in_full(
        self, both: tuple[Pair, Pair], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scanning, "_DENSE", 40)
        monkeypatch.setattr(scanning, "_IN_CACHE", 30)
        monkeypatch.setattr(scanning, "_CELLS_A_PASS", 200)
        monkeypatch.setattr(scanning, "_PILE", 50)
        a, b = (coded(item, by_groups(5)) for item in both)
        assert_same_tables(a, b, 3, use_missing=True)
        a, b = (coded(item, by_value) for item in both)
        assert_same_keys(a, b, ["income"])

    @pytest.mark.parametrize(
        ("most", "passes"), [(9, [1, 1, 1]), (10, [2, 1]), (18, [2, 1]), (19, [3])]
    )
    def test_as_many_are_counted_at_once_as_are_held(
        self, both: tuple[Pair, Pair], monkeypatch: pytest.MonkeyPatch, most: int, passes: list[int]
    ) -> None:
        monkeypatch.setattr(scanning, "_CELLS_A_PASS", most)
        seen: list[list[int]] = []
        count = scanning._pass

        def counted(data: Coded, some: list[scanning.Composite], part: int) -> object:
            seen.append([block.size for block in some])
            return count(data, some, part)

        monkeypatch.setattr(scanning, "_pass", counted)
        data = coded(both[1], by_value)
        tables = [("sex", "edu"), ("sex", "works"), ("edu", "seen"), ("sex",)]
        assert [len(cells) for cells, _ in scanning.scan(data, tables, 0)] == [6, 4, 9, 2]
        assert [len(sizes) for sizes in seen] == passes

    def test_are_the_same_where_combinations_do_not_fit_64_bits(
        self, both: tuple[Pair, Pair], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scanning, "_LARGEST_INDEX", 1000)
        a, b = (coded(item, by_value) for item in both)
        assert_same_keys(a, b, ["income", "born"])

    def test_with_more_combinations_than_are_held_are_refused_by_name(
        self, both: tuple[Pair, Pair], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scanning, "MOST_CELLS", 100)
        data = coded(both[1], by_value)
        scanning.scan(data, [("sex", "edu")], 0)
        with pytest.raises(DataError, match=r"sex x income: more than 100 combi.* ngroups_targets"):
            scanning.scan(data, [("sex", "edu"), ("sex", "income")], 0)

    def test_are_margins_of_tables_of_blocks(
        self, both: tuple[Pair, Pair], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counted: list[int] = []
        plan = scanning._plan

        def watched(wanted: list[scanning.Composite]) -> list[object]:
            result = plan(wanted)
            counted.append(len(set(result)))
            return list(result)

        monkeypatch.setattr(scanning, "_plan", watched)
        a, b = (coded(item, by_groups(3)) for item in both)
        assert_same_tables(a, b, 2, use_missing=True)
        assert counted == [3, 3]  # of 28 tables with few cells, in original and replica

    def test_fidelity_beside_a_holdout_is_the_same(self, both: tuple[Pair, Pair]) -> None:
        first, other = (fidelity_of(pair.beside_holdout, m=1) for pair in both)
        for column in ("tvd", "holdout_tvd", "fresh_tvd", "ratio", "worst_tvd"):
            assert first[column].tolist() == other[column].tolist()
        assert first.novel.equals(other.novel)

    def test_margins_leave_out_what_is_missing(self, both: tuple[Pair, Pair]) -> None:
        a, b = (coded(item, by_groups(5)) for item in both)
        tables = [("income", "seen"), ("sex", "seen")]
        for first, other in zip(
            count_margins(a, tables, use_missing=False),
            count_margins(b, tables, use_missing=False),
            strict=True,
        ):
            np.testing.assert_array_equal(first.counts, other.counts)


def test_a_part_of_all_combinations_is_the_same_part_in_every_data_set() -> None:
    frame = pd.DataFrame({"x": np.arange(4000) % 1000, "y": np.arange(4000)})
    data = [of_memory(as_microdata(f, s)) for f, s in ((frame, "a"), (frame[::-1], "b"))]
    whole = coded(Pair("b", data[0], data[1:]), by_value)
    first, other = (whole_records(whole, part, 8) for part in (0, 1))
    assert 400 < len(first[0]) < 600
    np.testing.assert_array_equal(first[0], other[0])


def test_what_is_expected_of_large_cells_is_what_is_expected_of_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, _ = folders([survey(400, 1), survey(300, 2)], tmp_path, [])
    tables = list(itertools.combinations(pair.data.variables, 2))

    def values() -> list[list[float]]:
        ((_, result),) = count_tables(coded(pair, by_groups(5)), tables)
        of_tables = (expected.expected_s_ft, expected.expected_s_g, expected.expected_s_jsd)
        cut = k_marginal.expected_distance(result.p_original * 99, result.synthetic, 300, 99)
        return [*(table(result).tolist() for table in of_tables), cut.tolist()]

    looked_up = values()
    monkeypatch.setattr(expected, "_TABLED", 0)
    monkeypatch.setattr(k_marginal, "_TABLED", 0)
    assert values() == looked_up


@pytest.mark.parametrize("most", [1 << 24, 40])
def test_copies_are_counted_apart_from_other_records_of_a_combination(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    pool = pd.DataFrame(
        {"k": rng.integers(0, 3, 40), "g": rng.choice(["a", "b"], 40), "x": range(40)}
    )
    sides = [pool.sample(n, replace=True, random_state=seed) for n, seed in ((90, 1), (60, 2))]
    data = [of_memory(as_microdata(frame, name)) for frame, name in zip(sides, "ab", strict=True)]
    whole = coded(Pair("b", data[0], data[1:]), by_value)
    keys = encode(Pair("b", data[0], data[1:]).data, by_value, ["k", "g"])
    monkeypatch.setattr(whole_records_of_files, "MOST_CELLS", most)  # in one part of a hash, or 3
    counted = whole_records_of_files.count_copied(keys, whole, (0, 1))
    rows = [set(frame.itertuples(index=False, name=None)) for frame in sides]
    for (levels, copied, counts), frame in zip(counted, sides, strict=True):
        by_hand = Counter(
            (*row[:2], row in rows[0] & rows[1]) for row in frame.itertuples(index=False, name=None)
        )
        labels = [[keys.variables[n].labels[code] for code in levels[n]] for n in ("k", "g")]
        cells = zip(*labels, copied.tolist(), strict=True)
        named = {
            (int(float(k)), g, c): n for (k, g, c), n in zip(cells, counts.tolist(), strict=True)
        }
        assert named == by_hand
        assert {c for *_, c in by_hand} == {False, True}
    monkeypatch.setattr(scanning, "MOST_CELLS", 5)
    with pytest.raises(DataError, match="k x g: more than 5 combinations occur"):
        whole_records_of_files.count_copied(keys, whole, (0, 1))


def test_parts_of_all_combinations_are_all_of_them() -> None:
    frame = pd.DataFrame({"x": [*range(50), *range(20)]})
    data = [of_memory(as_microdata(frame, "a")), of_memory(as_microdata(frame, "b"))]
    whole = coded(Pair("b", data[0], data[1:]), by_value)
    cells, counts = whole_records(whole, 0, 1)
    parts = [whole_records(whole, 0, 3, i) for i in range(3)]
    assert sorted(counts.tolist()) == [1] * 30 + [2] * 20
    assert sorted(np.concatenate([part for part, _ in parts])) == cells.tolist()
    assert all(len(part) for part, _ in parts)


def test_partial_counts_are_added_up_by_cell_and_table() -> None:
    partial = pa.table(
        {
            "table": pa.array([0, 0, 2, 0, 2], pa.int32()),
            "cell": pa.array([1, 5, 3, 5, 2], pa.int64()),
            "count": pa.array([1, 2, 4, 8, 16], pa.int64()),
        }
    )
    first, none, last = scanning.add_up(partial, 3)
    assert [part.tolist() for part in first] == [[1, 5], [1, 10]]
    assert [part.tolist() for part in none] == [[], []]
    assert [part.tolist() for part in last] == [[2, 3], [16, 4]]


@pytest.mark.parametrize("pile", [0, 3, 1000])
def test_cells_that_are_held_sparsely_are_counted_batch_after_batch(
    pile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_PILE", pile)
    sums = scanning.SparseSums()
    assert [part.tolist() for part in sums.cells()] == [[], []]
    rng = np.random.default_rng(3)
    times_of: Counter[int] = Counter()
    for size in (4, 1, 9, 0, 6):
        index, times = rng.integers(0, 12, size), rng.integers(1, 5, size)
        sums.add(index, None)
        sums.add(index, times)
        for cell, count in zip(index.tolist(), times.tolist(), strict=True):
            times_of[cell] += 1 + count
    cells, counts = sums.cells()
    assert cells.tolist() == sorted(times_of)
    assert dict(zip(cells.tolist(), counts.tolist(), strict=True)) == times_of
    assert len(sums.pile) == 10 or pile < 1000


def test_batches_may_say_for_how_many_records_each_stands() -> None:
    block = scanning.Composite(("x",), (3,), (None,))
    sums = scanning._Sums([scanning._Table((block,))])
    sums.add({"x": np.array([0, 2, 0], np.uint16)})
    sums.add({"x": np.array([2, 0], np.uint16)}, np.array([5, 7]))
    ((cells, counts),) = sums.of([block])
    assert (cells.tolist(), counts.tolist()) == ([0, 2], [9, 6])
