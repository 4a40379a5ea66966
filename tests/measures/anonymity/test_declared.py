"""What a review says of the keys, beside definitions written with pandas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.anonymity.match_risk import chance_of_match, risk_of_match

PEOPLE = 1_000


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(list("abcdef"), n, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04]),
            "age": rng.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1]),
            "ill": rng.choice(["n", "y", "u"], n, p=[0.5, 0.3, 0.2]),
        }
    )


ORIGINAL, REPLICA = people(120, 1), people(90, 2)


def rows(
    keys: list[str], original: pd.DataFrame = ORIGINAL, replica: pd.DataFrame = REPLICA
) -> pd.DataFrame:
    study = sdc.Study(
        original,
        {"r": replica},
        keys=keys,
        targets=["ill"],
        population_size=PEOPLE,
        candidates=0,
        permutations=19,
        perturbed=(),
    )
    return sdc.conduct(study).mean_rows().set_index("metric")


def match(frame: pd.DataFrame, keys: list[str], people: float) -> float:
    """Of the people whom one record fits, the expected share whose record it is, in percent."""
    sizes = frame.groupby(keys).size()
    fraction = len(frame) / people
    unique, double = (sizes == 1).sum(), (sizes == 2).sum()
    return float(100 * fraction * unique / (fraction * unique + 2 * (1 - fraction) * double))


def closeness(frame: pd.DataFrame, keys: list[str]) -> float:
    """Mean over records of the total variation of their class from all."""
    whole = frame["ill"].value_counts(normalize=True)
    total = 0.0
    for _, part in frame.groupby(keys):
        shares = part["ill"].value_counts(normalize=True).reindex(whole.index, fill_value=0)
        total += len(part) * (shares - whole).abs().sum() / 2
    return total / len(frame)


def alone(frame: pd.DataFrame, keys: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield which record is alone by which keys, and by no part of these."""
    minimal: dict[int, list[set[str]]] = {}
    for size in range(1, min(len(keys), 3) + 1):
        for chosen in combinations(keys, size):
            sizes = frame.groupby(list(chosen))["ill"].transform("size")
            for i in np.flatnonzero(sizes == 1):
                if not any(part <= set(chosen) for part in minimal.get(i, [])):
                    minimal.setdefault(i, []).append(set(chosen))
                    yield int(i), chosen


@pytest.mark.parametrize("keys", [["sex", "town", "age"], ["sex", "age"]])
def test_rows_are_what_their_formulas_say(keys: list[str]) -> None:
    result = rows(keys)
    value = result["value"]
    sizes, shown = ORIGINAL.groupby(keys).size(), REPLICA.groupby(keys).size()
    assert (sizes == 2).any() == (len(keys) == 3)
    if len(keys) == 3:
        assert value["match_risk"] == pytest.approx(match(ORIGINAL, keys, PEOPLE))
        assert value["match_risk_replica"] == pytest.approx(match(REPLICA, keys, PEOPLE))
    assert result["count"]["match_risk"] == (sizes == 1).sum()
    assert value["k_original"] == sizes.min()
    assert value["k_anonymity"] == shown.min()
    assert value["k_below_5"] == pytest.approx(100 * shown[shown < 5].sum() / 90)
    assert result["copy"]["k_below_5"] == pytest.approx(100 * sizes[sizes < 5].sum() / 120)
    for name, frame in (("original", ORIGINAL), ("diversity", REPLICA)):
        assert value[f"l_{name}"] == frame.groupby(keys)["ill"].nunique().min()
    assert value["t_original"] == pytest.approx(closeness(ORIGINAL, keys))
    assert value["t_closeness"] == pytest.approx(closeness(REPLICA, keys))
    assert result["copy"]["t_closeness"] == pytest.approx(closeness(ORIGINAL, keys))

    rng = np.random.default_rng(0)
    for frame, column in ((REPLICA, "value"), (ORIGINAL, "copy")):
        shuffled = [
            closeness(frame.assign(ill=rng.permutation(frame["ill"])), keys) for _ in range(60)
        ]
        error = np.std(shuffled) / np.sqrt(60)
        assert result[column]["t_chance"] == pytest.approx(np.mean(shuffled), abs=4 * error)

    for key in keys:
        others = [name for name in keys if name != key]
        less = (ORIGINAL.groupby(others).size() == 1).sum()
        of_key = result.loc[["key_uniques"]]
        of_key = of_key[[part == (key,) for part in of_key["variables"]]]
        assert of_key["count"].item() == (sizes == 1).sum() - less
        assert of_key["value"].item() == pytest.approx(of_key["count"].item() / 1.2)


def test_special_uniques_and_who_of_them_is_shown() -> None:
    keys = ["sex", "town", "age"]
    result = rows(keys)
    sets = list(alone(ORIGINAL, keys))
    assert result["value"]["special_uniques"] == pytest.approx(len({i for i, _ in sets}) / 1.2)
    unique = right = 0
    for i, chosen in sets:
        same = (REPLICA[list(chosen)] == ORIGINAL.loc[i, list(chosen)]).all(axis=1)
        if same.sum() == 1:
            unique += 1
            right += bool((REPLICA.loc[same, keys] == ORIGINAL.loc[i, keys]).all(axis=None))
    assert 0 < unique < len(sets)
    assert result["value"]["repSU"] == pytest.approx(100 * unique / len(sets))
    assert result["value"]["repSU_right"] == pytest.approx(100 * right / len(sets))
    assert result["copy"]["repSU"] == result["copy"]["repSU_right"] == 100
    for metric, count in (("repSU", unique), ("repSU_right", right)):
        assert result["count"][metric] == pytest.approx(count)
        assert result["total"][metric] == len(sets)


def test_closeness_of_a_replica_knows_no_level_that_it_lacks() -> None:
    stage = {"n": 1, "u": 3, "y": 4}  # in order, so that how many levels there are matters
    original, replica = (frame.assign(ill=frame["ill"].map(stage)) for frame in (ORIGINAL, REPLICA))
    original.loc[::2, "ill"] = original["ill"].replace(1, 2)
    first, other = (
        rows(["sex", "age"], original.replace({"ill": {2: level}}), replica)["value"]
        for level in (2, 1)
    )
    for metric in ("t_closeness", "t_chance", "l_diversity", "k_anonymity"):
        assert first[metric] == other[metric]
    assert first["t_original"] != other["t_original"]


def test_a_match_is_right_as_often_as_when_people_are_looked_up() -> None:
    rng = np.random.default_rng(3)
    population = rng.choice(400, size=2_000, p=np.diff(np.linspace(0, 1, 401) ** 3))
    sampled, right, matches = [], 0.0, 0
    for _ in range(200):
        records = rng.permutation(2_000)[:400]
        sizes = np.bincount(population[records], minlength=400)
        every = np.bincount(population, minlength=400)
        sampled.append(chance_of_match(int((sizes == 1).sum()), int((sizes == 2).sum()), 0.2))
        right += float((sizes == 1).sum())
        matches += int(every[sizes == 1].sum())
    assert np.mean(sampled) == pytest.approx(right / matches, rel=0.05)
    assert risk_of_match(6, 1, 0, 0.25)[0] == chance_of_match(6, 1, 0.25) == 0.5
    assert chance_of_match(5, 0, 0.25) == 1
