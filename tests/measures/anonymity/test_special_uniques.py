"""Special uniques, which of them a replica shows, and which keys matter."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from sdcmetrics import disclosure, key_importance, replicated_special_uniques, special_uniques
from sdcmetrics.errors import StudyError
from tests.demo import answers, demo
from tests.measures.anonymity.files import files


def _minimal(file: pd.DataFrame, *, ignore: bool) -> dict[int, list[tuple[str, ...]]]:
    """Find the minimal sample uniques by looking at every set for every record."""
    rows = file.astype(object).where(file.notna(), None).to_dict("records")
    result: dict[int, list[tuple[str, ...]]] = {i: [] for i in range(len(rows))}
    for size in range(1, file.shape[1] + 1):
        for keys in itertools.combinations(file.columns, size):
            for i, row in enumerate(rows):
                if ignore and any(row[k] is None for k in keys):
                    continue
                alike = [all(other[k] == row[k] for k in keys) for other in rows]
                part = any(set(smaller) <= set(keys) for smaller in result[i])
                if sum(alike) == 1 and not part:
                    result[i].append(keys)
    return result


@settings(max_examples=60, deadline=None)
@given(files())
@pytest.mark.parametrize("missing", ["level", "ignore"])
def test_the_sets_are_those_that_a_slow_search_finds(missing: str, file: pd.DataFrame) -> None:
    expected = _minimal(file, ignore=missing == "ignore")
    result = special_uniques(file, keys=list(file.columns), missing=missing)  # type: ignore[arg-type]
    sets: dict[int, list[tuple[str, ...]]] = {i: [] for i in expected}
    for item in result.minimal:
        for record in item.records:
            sets[int(record)].append(tuple(file.columns[i] for i in item.keys))
    assert {i: sorted(s) for i, s in sets.items()} == {i: sorted(s) for i, s in expected.items()}
    p = file.shape[1]
    scores = [sum(math.factorial(p - len(s)) for s in expected[i]) for i in expected]
    assert result.of_record["score"].tolist() == scores


def test_sets_beyond_the_largest_size_are_left_out() -> None:
    file = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    assert special_uniques(file, keys=["a", "b"], max_size=1).special == 0
    assert special_uniques(file, keys=["a", "b"]).special == 4


def test_a_copy_shows_every_special_unique_and_fresh_people_as_few_as_the_holdout() -> None:
    rng = np.random.default_rng(7)
    people = pd.DataFrame(rng.integers(0, 12, (900, 4)), columns=list("abcd"))
    original, holdout, fresh = people[:300], people[300:600], people[600:]
    keys = list("abcd")
    copied = replicated_special_uniques(original, original, holdout, keys=keys).table
    assert copied.loc["original", ["present", "unique", "right"]].tolist() == [100.0] * 3
    independent = replicated_special_uniques(original, fresh, holdout, keys=keys).table
    assert abs(independent.loc["original", "unique"] - independent.loc["holdout", "unique"]) < 4
    assert copied.loc["holdout", "right"] < 2


def test_the_original_is_cut_to_the_size_of_the_holdout() -> None:
    rng = np.random.default_rng(8)
    people = pd.DataFrame(rng.integers(0, 12, (700, 3)), columns=list("abc"))
    table = replicated_special_uniques(
        people[:300], people[400:], people[300:400], keys=list("abc")
    ).table
    assert table.index.tolist() == ["original", "original at 100 records", "holdout"]
    cut, held = table.loc["original at 100 records"], table.loc["holdout"]
    assert abs(cut["present"] - held["present"]) < abs(
        table.loc["original", "present"] - held["present"]
    )


def test_a_key_that_tells_nobody_apart_adds_nothing() -> None:
    file = pd.DataFrame({"a": range(6), "b": [1] * 6, "c": [1, 1, 1, 2, 2, 2]})
    table = key_importance(file, keys=["a", "b", "c"]).by_key
    assert table.loc["b", ["distinction", "separation", "uniques"]].tolist() == [1 / 6, 0.0, 0]
    assert table.loc["a", "uniques"] == 6
    assert table.loc["a", "separation"] == 1.0


def test_what_disco_loses_without_a_key_is_said_with_a_replica() -> None:
    file = pd.DataFrame({"a": list("xxyyzz"), "b": [1, 2, 1, 2, 1, 2], "t": list("ppqqrr")})
    table = key_importance(file, file, keys=["a", "b"], target="t").by_key
    assert table["DiSCO"].tolist() == [100.0, 0.0]
    risks = [disclosure(file, file, keys=k, target="t") for k in (["a", "b"], ["a"], ["b"])]
    whole, without_b, without_a = (float(risk.attribution["DiSCO"]) for risk in risks)
    assert table["DiSCO"].tolist() == [whole - without_a, whole - without_b]
    with pytest.raises(StudyError, match="a replica and a target"):
        key_importance(file, keys=["a", "b"], target="t")
    with pytest.raises(StudyError, match="two or more"):
        key_importance(file, keys=["a"])


def test_people_whose_keys_the_replica_lacks_are_not_disclosed() -> None:
    file = pd.DataFrame({"a": list("xxyyzz"), "b": [1, 2, 1, 2, 1, 2], "t": list("ppqqrr")})
    table = key_importance(file, file[:1], keys=["a", "b"], target="t").by_key
    assert table["DiSCO"].tolist() == pytest.approx([0.0, 100 / 6 - 200 / 6])


def test_many_keys_of_many_levels_are_no_matter() -> None:
    rng = np.random.default_rng(2)
    file = pd.DataFrame(rng.integers(0, 1_000_000, (50, 12)), columns=[f"k{i}" for i in range(12)])
    result = special_uniques(file, keys=list(file.columns))
    assert result.max_size == 4
    assert result.by_size["sets"].tolist() == [600, 0, 0, 0]


def test_scores_equal_those_of_sdcmicro() -> None:
    suda = answers("anonymity")["suda2"]
    keys = suda["keys"]
    result = special_uniques(demo(), keys=keys, sampling_fraction=0.01)
    assert result.by_size["sets"].tolist() == [5, 787, 1584, 101, 0]
    assert result.of_record["score"].tolist() == suda["scores"]
    some = pd.DataFrame(suda["every tenth"], columns=suda["columns"]).set_index("record")
    ours = result.of_record.iloc[some.index]
    np.testing.assert_allclose(ours["dis_suda"], some["dis"], atol=1e-8)
    for key in keys:
        np.testing.assert_allclose(
            ours[f"contribution of {key}"], some[f"{key}_contribution"], atol=1e-12
        )


def test_the_original_is_cut_to_a_smaller_holdout_whatever_the_replica_has() -> None:
    original = pd.DataFrame({"a": list("xxyyzz"), "b": list("pqpqpq")})
    for replica, holdout, names in (
        (original[:2], original[:4], ["original", "original at 4 records", "holdout"]),
        (pd.concat([original] * 2), original, ["original", "holdout"]),
    ):
        table = replicated_special_uniques(original, replica, holdout, keys=["a", "b"]).table
        assert table.index.tolist() == names
