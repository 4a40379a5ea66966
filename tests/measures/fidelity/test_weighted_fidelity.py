"""Distances of weighted shares beside pandas, R's survey, and what their definition expects."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import marginal_fidelity, weighted_fidelity
from sdcmetrics.errors import StudyError
from tests.demo import answers, demo
from tests.measures.survey.test_linearised import clustered, designed, fresh


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(list("uvw"), n, p=[0.5, 0.3, 0.2]) for name in "abc"})
    return frame.assign(w=rng.uniform(1, 9, n))


SAMPLE, REPLICA = people(60, 1), people(45, 2)


def variances(cells: pd.Series, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shares and their variances: records drawn with replacement, linearised."""
    names = ["".join(levels) for levels in product("uvw", repeat=len(cells.iloc[0]))]
    share = weights / weights.sum()
    inside = np.array([cells.to_numpy() == name for name in names], float)
    p = inside @ share
    pieces = share * (inside - p[:, None])
    n = len(weights)
    return p, n / (n - 1) * (pieces**2).sum(axis=1)


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("against", ["population", "original"])
@pytest.mark.parametrize("weighted", [False, True])
def test_distances_and_what_chance_adds(ways: int, against: str, weighted: bool) -> None:
    own = {"synthetic_weight": "w"} if weighted else {}
    replicas = [REPLICA, people(45, 3)]
    files = replicas if weighted else [replica.drop(columns="w") for replica in replicas]
    row = weighted_fidelity(
        SAMPLE,
        files,
        weight="w",
        ways=[ways],
        against=against,
        **own,  # type: ignore[arg-type]
    ).table.loc[ways]
    tables = [list(names) for names in combinations("abc", ways)]
    tvd, fresh, drawn = [], [], []
    for names in tables:
        of_sample = variances(SAMPLE[names].agg("".join, axis=1), SAMPLE["w"].to_numpy())
        for replica in replicas:
            cells = replica[names].agg("".join, axis=1)
            weights = replica["w"].to_numpy() if weighted else np.ones(45)
            p, variance = variances(cells, weights)
            if not weighted:
                variance = of_sample[0] * (1 - of_sample[0]) / 45
            tvd.append(0.5 * np.abs(of_sample[0] - p).sum())
            fresh.append(0.5 * np.sqrt(2 / np.pi * (of_sample[1] + variance)).sum())
            drawn.append(0.5 * np.sqrt(2 / np.pi * variance).sum())
    assert row["tvd"] == pytest.approx(np.mean(tvd))
    assert row["fresh_tvd"] == pytest.approx(np.mean(fresh))
    assert row["drawn_tvd"] == pytest.approx(np.mean(drawn))
    expected = np.mean(fresh if against == "population" else drawn)
    assert row["ratio"] == pytest.approx(np.mean(tvd) / expected)
    each = np.reshape(tvd, (len(tables), 2)).mean(axis=1)
    assert row["worst_tvd"] == pytest.approx(each.max())
    assert list(row["worst"]) == tables[int(each.argmax())]
    assert row["n_tables"] == len(tables)


def test_the_error_is_that_of_the_jackknife() -> None:
    sample, replica = people(40, 4), people(30, 5).assign(a="u")  # far: no sign changes

    def tvd(one: pd.DataFrame, other: pd.DataFrame) -> float:
        table = weighted_fidelity(
            one[["a", "w"]], other[["a", "w"]], weight="w", synthetic_weight="w", ways=[1]
        ).table
        return float(table.loc[1, "tvd"])

    total = 0.0
    for n, left_out in (
        (40, [tvd(sample.drop(index=i), replica) for i in range(40)]),
        (30, [tvd(sample, replica.drop(index=i)) for i in range(30)]),
    ):
        total += (n - 1) / n * np.square(np.array(left_out) - np.mean(left_out)).sum()
    result = weighted_fidelity(
        sample[["a", "w"]], replica[["a", "w"]], weight="w", synthetic_weight="w", ways=[1]
    ).table.loc[1, "se"]
    assert result == pytest.approx(np.sqrt(total), rel=0.05)


SAMPLED = {"weight": "w", "strata": "st", "cluster": "cl"}


def test_equal_weights_give_the_distances_of_records() -> None:
    rng = np.random.default_rng(1)
    first, other = (pd.DataFrame(rng.integers(0, 6, (300, 3)), columns=list("abc")) for _ in "ab")
    result = weighted_fidelity(first.assign(w=2.0), other, weight="w").table
    plain = marginal_fidelity(first, other)
    np.testing.assert_allclose(result["tvd"], plain["tvd"], rtol=1e-12)
    np.testing.assert_allclose(result["se"], plain["se"], rtol=0.01)  # n for n - 1
    assert result["worst"].tolist() == plain["worst"].tolist()


def test_of_several_syntheses_the_mean() -> None:
    rng = np.random.default_rng(2)
    sample, many = clustered(rng), [fresh(rng, 400), fresh(rng, 400)]
    each = [weighted_fidelity(sample, item, ways=[1], **SAMPLED).table for item in many]
    both = weighted_fidelity(sample, many, ways=[1], **SAMPLED).table
    for name in ("tvd", "fresh_tvd", "drawn_tvd"):
        assert both[name].iloc[0] == pytest.approx(np.mean([item[name].iloc[0] for item in each]))
    assert both["se"].iloc[0] < each[0]["se"].iloc[0]


def test_fresh_people_and_draws_of_the_original_show_what_is_expected_of_them() -> None:
    rng = np.random.default_rng(3)
    ratios = {"population": [], "original": []}  # type: dict[str, list[float]]
    for _ in range(60):
        sample = clustered(rng)
        drawn = sample.sample(500, replace=True, weights="w", random_state=rng)[["x"]]
        for against, replica in (("population", fresh(rng, 500)[["x"]]), ("original", drawn)):
            table = weighted_fidelity(
                sample, replica, ways=[1], against=against, variables=["x"], **SAMPLED
            ).table
            ratios[against].append(table["ratio"].iloc[0])
    for ratio in ratios.values():
        assert np.mean(ratio) == pytest.approx(1.0, abs=3.5 * np.std(ratio) / np.sqrt(60))


def test_wrong_options_are_refused() -> None:
    file = clustered(np.random.default_rng(4))
    with pytest.raises(StudyError, match="ways: expected sizes"):
        weighted_fidelity(file, file, ways=[9])
    with pytest.raises(StudyError, match="against"):
        weighted_fidelity(file, file, against="elsewhere")  # type: ignore[arg-type]


def test_fidelity_of_one_way_tables() -> None:
    two_samples = answers("survey")["two samples"]
    result = weighted_fidelity(
        designed(), demo("cart_1"), weight="w", ways=[1], variables=["vote", "educ"]
    ).table.loc[1]
    wanted = [two_samples[name]["weights"]["tvd"] for name in ("vote", "educ")]
    assert result["tvd"] == pytest.approx(np.mean(wanted), rel=1e-9)


def test_the_ratio_stands_beside_what_it_is_made_of() -> None:
    rng = np.random.default_rng(4)
    sample = pd.DataFrame({"a": rng.integers(0, 3, 40), "w": rng.uniform(1, 3, 40)})
    table = weighted_fidelity(sample, sample[["a"]], weight="w", ways=[1]).table
    assert [*table.columns].index("ratio") == 4
