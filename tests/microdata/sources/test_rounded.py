"""Numbers with more distinct values than are held: rounded alike, with a stated error."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.crosstables.whole_records import whole_records
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.microdata.sources import distinct, rounded
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.rounded import share_values
from sdcmetrics.microdata.sources.source import Records
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.study.profile import load_profile

HELD = 100


@pytest.fixture(autouse=True)
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (distinct, rounded):
        monkeypatch.setattr(module, "MOST_VALUES", HELD)
    monkeypatch.setattr(rounded, "_DRAWN", 20)


def people(n: int, seed: int, *, shift: float = 0.0) -> pd.DataFrame:
    """Return amounts to the last digit, an atom at 0, missing values, whole numbers and times."""
    rng = np.random.default_rng(seed)
    pay = np.where(rng.random(n) < 0.3, 0.0, rng.normal(shift, 9, n))
    pay[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "sex": rng.choice(["m", "f"], n),
            "region": rng.choice(list("abcd"), n),
            "pay": pay,
            "size": rng.integers(0, 1_000, n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**7, n), "s"),
        }
    )


def in_batches(frame: pd.DataFrame, cuts: list[int], source: str = "x") -> Large:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    ends = [0, *sorted(cut % len(frame) for cut in cuts), len(frame)]

    def read(columns: Any) -> Iterator[pa.RecordBatch]:
        for first, end in itertools.pairwise(ends):
            yield from table.slice(first, end - first).select(columns).to_batches()

    return large(Records(table.schema.remove_metadata(), read), source)


def values_of(data: Large, name: str) -> np.ndarray[Any, Any]:
    keys = data.distinct[name].keys
    return np.repeat(keys, data.distinct[name].counts[: len(keys)])


@settings(deadline=None, max_examples=20, suppress_health_check=[*HealthCheck])
@given(cuts=st.lists(st.integers(0, 300), max_size=4), seed=st.integers(0, 99))
def test_no_quantile_moves_by_more_than_is_said_however_batches_are_cut(
    cuts: list[int], seed: int
) -> None:
    frames = people(300, seed), people(250, seed + 1, shift=30.0)
    first, other = share_values([in_batches(frame, cuts) for frame in frames])
    again = next(share_values([in_batches(frame, []) for frame in frames]))
    for name in ("pay", "seen", "size"):
        assert again.distinct[name].values.equals(first.distinct[name].values)
        assert (again.distinct[name].counts == first.distinct[name].counts).all()
    for data, frame in zip((first, other), frames, strict=True):
        said = next(fix for fix in data.fixes if fix.column == "pay")
        share = float(re.findall(r"more than (\S+) % of", said.what)[0]) / 100
        true, result = np.sort(frame["pay"].dropna()), np.sort(values_of(data, "pay"))
        result = result[~np.isnan(result)]
        at = np.concatenate([true, result])
        apart = np.searchsorted(result, at, "right") - np.searchsorted(true, at, "right")
        assert 0 <= apart.min() <= apart.max() <= share * len(frame) < 0.5 * len(frame)
        assert said.cells == (true != result).sum()
        assert (result[0], result[-1]) == (true[0], true[-1])  # the ends are kept


def test_a_study_is_that_of_values_rounded_by_hand() -> None:
    frames = [people(300, 1), people(260, 2)]
    study = sdc.Study(
        in_batches(frames[0], [7]),
        {"cart": frames[1]},
        keys=["sex", "region"],
        targets=["pay"],
        ngroups_targets={"pay": 4},
        rules=["pay <= 40"],
    )
    every = [study.original.large[0], study.replicas["cart"][0].large[0]]
    by_hand = []
    for frame in frames:
        made = frame.copy()
        for name in ("pay", "seen", "size"):
            kept = np.unique(pd.concat([item.distinct[name].values.to_pandas() for item in every]))
            exact = frame[name].dropna()
            place = np.searchsorted(kept, exact, "right") - 1
            made.loc[exact.index, name] = kept[place]
        by_hand.append(made)
    whole = sdc.Study(
        by_hand[0],
        {"cart": by_hand[1]},
        keys=["sex", "region"],
        targets=["pay"],
        ngroups_targets={"pay": 4},
        rules=["pay <= 40"],
    )
    own, its = (sdc.conduct(item).frame for item in (study, whole))
    of_all_digits = its["metric"].str.startswith(("exact_copies", "CIO_means"))
    assert set(its["metric"][of_all_digits]) >= {"exact_copies", "CIO_means"}
    assert own[~of_all_digits].to_csv() == its[~of_all_digits].to_csv()
    value = own.set_index("metric").loc["CIO_means", "value"]
    means = sdc.mean_ci_overlap(*frames)
    assert value == pytest.approx(means.mean_untruncated, rel=1e-9)


def test_records_are_the_same_where_they_are_so_to_the_last_digit() -> None:
    original = people(300, 1)
    replica = pd.concat([original.head(40), people(220, 2)])
    result = sdc.conduct(sdc.Study(in_batches(original, []), {"c": replica}, keys=["sex"]))
    memory = sdc.conduct(sdc.Study(original, {"c": replica}, keys=["sex"]))
    for review in (result, memory):
        row = review.frame.set_index("metric").loc["exact_copies"]
        assert row["count"] == 40
    data = harmonise(*[result.study.original, result.study.replicas["c"]])
    coded = encode(data, by_value, ["pay"])
    kept = len(result.study.original.large[0].distinct["pay"].values)
    assert len(whole_records(coded, 0, 1)[0]) == original["pay"].nunique(dropna=False) > kept


def test_a_release_leaves_out_what_is_rounded_to_values_of_records() -> None:
    study = sdc.Study(
        in_batches(people(300, 1), []), {"cart": people(260, 2)}, keys=["sex"], targets=["region"]
    )
    released = protect(sdc.conduct(study), load_profile("illustration"))
    assert set(released.distributions) == {"sex", "region"}
    assert released.coarsened["Variables of more distinct values than are counted"] == 3


@pytest.mark.parametrize("other", ["float32", "str"])
def test_columns_of_two_types_or_of_text_are_refused_by_name(other: str) -> None:
    frames = [people(300, 1), people(300, 2)]
    frames[1]["pay"] = frames[1]["pay"].astype(other)
    study = sdc.Study(in_batches(frames[0], []), {"c": in_batches(frames[1], [])}, keys=["sex"])
    with pytest.raises(ColumnError, match="column 'pay' has more than"):
        sdc.conduct(study)


def test_engines_round_as_files_do(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    frame = people(300, 1)
    frame.to_parquet(tmp_path / "x.parquet", index=False)
    connection = duckdb.connect()
    there = sdc.scan(connection.read_parquet(str(tmp_path / "x.parquet")), "x")
    first, other = (
        next(share_values([data])) for data in (sdc.scan(tmp_path / "x.parquet"), there)
    )
    assert first.distinct["pay"].values.equals(other.distinct["pay"].values)
    assert (first.distinct["pay"].counts == other.distinct["pay"].counts).all()


def test_numbers_are_those_that_are_there_to_the_last_digit() -> None:
    whole = rounded._numbers(pa.array([2**60 + 1, None, 3]))
    assert whole.tolist() == [2**60 + 1, 3]
    assert rounded._numbers(pa.array([0.5, None, np.nan])).tolist() == [0.5]
    assert rounded._numbers(pa.array([4, 5])).tolist() == [4, 5]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.000_013, "0.002 %"), (0.0021, "0.3 %"), (0.25, "30 %"), (0.5, "50 %"),
     (1.0, "100 %"), (0.995, "100 %")],
)  # fmt: skip
def test_a_share_is_said_that_is_not_exceeded(share: float, text: str) -> None:
    assert rounded._percent(share) == text


def test_no_more_values_are_shared_than_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounded, "_DRAWN", 1_000)
    frames = [people(300, seed)[["sex", "seen"]] for seed in (1, 2)]
    for data in share_values([in_batches(frame, []) for frame in frames]):
        number = len(data.distinct["seen"].values)
        assert HELD // 4 < number <= HELD + 4  # half of each, and both ends
