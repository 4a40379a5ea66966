"""How the level of equal records is shared out, and which search says most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import searches as subject
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.equal import column_keys
from sdcmetrics.measures.people.searches import Searches
from tests.measures.people.drawn import people_of, records


def searches(
    original: pd.DataFrame, replica: pd.DataFrame, holdout: Any = None, rows: int = 0
) -> Searches:
    given = records(original, replica, holdout)
    files, rng = files_of(given, given.names), np.random.default_rng(2)
    several: Any = (None,) * rows
    return Searches(files, column_keys(files, rng), several, rng)


def times(frame: pd.DataFrame, number: list[int]) -> pd.DataFrame:
    return frame.iloc[np.repeat(np.arange(len(frame)), number)].reset_index(drop=True)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_most_of_the_level_is_for_pairs_and_rows_of_clusters(rng: np.random.Generator) -> None:
    files = people_of(rng, 40), people_of(rng, 40)
    # values that are repeated are looked for in two ways: as they are, and in groups of numbers
    alone = {"records": 0.85, "repeated": 0.05, "values": 0.05}
    assert searches(*files).shares == pytest.approx(alone)
    rows = {"records": 0.85 / 3, "rows": 0.85 / 3, "repeated": 0.05, "values": 0.05}
    assert searches(*files, rows=2).shares == pytest.approx(rows)
    assert searches(*files, people_of(rng, 10)).shares == pytest.approx(alone)


def test_where_pairs_are_hidden_values_have_more_of_it(rng: np.random.Generator) -> None:
    original, replica = people_of(rng, 40), people_of(rng, 40)
    much = searches(original, times(replica, [2] * 21 + [1] * 19))
    assert much.repeats_more
    assert much.different_rows.tolist() == [*range(0, 42, 2), *range(42, 61)]
    expected = {"records": 0.45, "repeated": 0.05, "values": 0.45}
    assert much.shares == pytest.approx(expected)
    assert not searches(original, times(replica, [2] * 20 + [1] * 20)).repeats_more
    assert not searches(times(original, [2] * 40), times(replica, [3] * 40)).repeats_more


def test_a_file_without_repeats_has_all_of_it_for_values(rng: np.random.Generator) -> None:
    people = people_of(rng, 30)
    original, replica = pd.concat([people, people[:5]]), people_of(rng, 40)
    result = searches(original, pd.concat([people[:30], replica[:10]]))
    assert result.distinct
    assert result.shares == {"values": 1.0}
    assert result.strongest == "values"
    assert result.joined == (result.values.once, 0) == (25, 0)
    assert result.smallest == result.p == result.values.p
    assert result.noticed_by_values({"TE": 1e-12}) is None


def test_beside_a_holdout_values_stand_for_pairs_where_nothing_is_repeated(
    rng: np.random.Generator,
) -> None:
    people = people_of(rng, 150)
    original, aside = pd.concat([people, people[:5]]), people_of(rng, 12)
    replica = pd.concat([people, people_of(rng, 10)])
    result, alone = searches(original, replica, aside), searches(original, replica)
    assert result.shares == alone.shares == {"values": 1.0}
    assert result.values == alone.values
    assert list(result.controlled(0.01)) == [True]
    # its own records are not the replica's: two of the holdout are equal
    assert searches(original, replica, pd.concat([aside, aside])).distinct


def test_labels_of_a_holdout_notice_what_values_do_not(rng: np.random.Generator) -> None:
    people = people_of(rng, 400)
    original = pd.concat([people, people[:5]])
    result = searches(original, people_of(rng, 400), people_of(rng, 400))
    assert result.noticed_by_values({"TE": 1e-300}) is None
    by_labels = result.noticed_by_values({"TE": 1e-300, "LE": 0.002})
    # ten of ten have a chance of 2^-10; the few whom chance meets are of either
    assert by_labels is not None
    assert 9 <= by_labels <= 14


def test_the_strongest_search_is_that_of_the_smallest_p_over_its_share(
    rng: np.random.Generator,
) -> None:
    original = people_of(rng, 60)
    copy = searches(original, pd.concat([original[:30], people_of(rng, 30)]))
    assert (copy.strongest, copy.joined) == ("records", (30, 0))
    assert copy.smallest == pytest.approx(copy.equal.p_twins)
    assert copy.p == copy.equal.p_twins / 0.85
    many = searches(original, times(original, [19, 20] * 30))
    assert many.strongest in ("repeated", "values")
    assert many.joined == (60, 0)


def test_near_pairs_count_unless_rewritten_records_lack_repeats(rng: np.random.Generator) -> None:
    def people(n: int) -> pd.DataFrame:
        return pd.DataFrame({"age": rng.integers(18, 90, n), "sex": rng.choice(["f", "m"], n)})

    original, others = people(200), people(300)
    rounded = others.assign(age=others["age"] // 3 * 3 + 0.5)
    assert searches(original, others).near_pairs_count
    assert searches(original, others.drop_duplicates()).near_pairs_count  # these are skipped
    assert searches(original, rounded).near_pairs_count
    assert not searches(original, rounded.drop_duplicates()).near_pairs_count
    noisy = others.assign(age=others["age"] + 0.3 * rng.normal(size=300))
    assert searches(original, noisy).near_pairs_count  # no record repeats, but those without age do
    assert searches(original[["age"]].assign(x=0), noisy[["age"]].assign(x=0)).near_pairs_count
    wide = original.assign(number=range(200)), rounded.assign(number=range(1000, 1300))
    assert searches(*wide).near_pairs_count  # where people are never alike


def test_pairs_are_doubted_where_repeats_of_more_columns_were_dropped(
    rng: np.random.Generator,
) -> None:
    def people(n: int) -> pd.DataFrame:
        a, b = (rng.integers(0, levels, n).astype(str) for levels in (200, 4))
        return pd.DataFrame({"a": a, "b": b, "rare": rng.random(n) < 0.1})

    original, others = people(400), people(800)
    dropped = others.drop_duplicates()[["a", "b"]]
    assert dropped.duplicated().sum() > 20
    few, every = (searches(original[["a", "b"]], file) for file in (dropped, others[["a", "b"]]))
    assert few.p_pairs > few.equal.p_twins
    assert few.lacks_pairs
    assert every.p_pairs == every.equal.p_twins
    assert not every.lacks_pairs


def test_copies_are_hits_of_a_holdout_where_people_are_alone(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["age", "sex", "region"]
    original, aside, others = (people_of(rng, n)[names] for n in (200, 100, 80))
    replica = pd.concat([original[:120], others], ignore_index=True)
    result = searches(original, replica, aside)
    pool = pd.concat([original, aside])
    alone = 1 - pool.duplicated(keep=False).iloc[:200].mean()
    assert 0.1 < alone < 0.9
    asked = []
    for name in ("speaks", "refutes"):
        monkeypatch.setattr(subject, name, lambda *given: bool(asked.append(given)))
    assert not result.spoke
    hits = (result.equal.original, result.equal.holdout, 200, 100)
    numbers = (result.people.estimate, result.people.low)
    assert asked == [(*hits, round(number * alone)) for number in numbers]
    assert numbers[0] > numbers[1] > 0
