"""Population uniques by log-linear models, against base R and populations that are known."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import attacker_risks, population_uniques
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity import loglinear
from sdcmetrics.measures.anonymity import population_uniques as module
from sdcmetrics.measures.anonymity.attackers import inverse_population
from sdcmetrics.measures.anonymity.loglinear import REFUSED, choose
from sdcmetrics.measures.anonymity.pitman import expected_uniques, fit_pitman
from tests.demo import answers, demo


def people(seed: int, n: int = 40_000) -> pd.DataFrame:
    """Draw a population whose keys are unrelated but for two, which go together."""
    rng = np.random.default_rng(seed)
    a = rng.choice(25, n, p=np.arange(25, 0, -1) / 325)
    return pd.DataFrame(
        {
            "a": a,
            "b": (a // 5 * 3 + rng.integers(0, 6, n)) % 16,
            "c": rng.choice(12, n, p=np.arange(12, 0, -1) / 78),
            "d": rng.integers(0, 9, n),
        }
    )


def test_in_a_known_population_the_search_finds_the_pair_and_the_sums() -> None:
    population = people(1)
    _, cell, size = np.unique(population, axis=0, return_inverse=True, return_counts=True)
    cell = cell.reshape(-1)
    truth, outcome, models = [], [], []
    for seed in range(8):
        rows = np.random.default_rng(seed).choice(len(population), 4_000, replace=False)
        alone = np.bincount(cell[rows], minlength=len(size)) == 1
        truth.append((size[alone] == 1).sum())
        sample = population.iloc[rows]
        result = population_uniques(sample, keys=list("abcd"), sampling_fraction=0.1)
        outcome.append(result.population_uniques)
        models.append(result.model)
    assert all("a * b" in model for model in models)
    assert np.mean(outcome) == pytest.approx(np.mean(truth), rel=0.1)


def test_one_pass_is_enough_where_margins_are_apart() -> None:
    counts = np.array([[3.0, 1.0], [0.0, 4.0]])
    mu = loglinear.fit(counts, ((0,), (1,))).mu
    np.testing.assert_allclose(mu, np.outer([4, 4], [3, 5]) / 8)


def test_a_sparse_grid_is_fitted_as_a_dense_one_from_any_nested_model() -> None:
    counts = 1.0 + np.random.default_rng(3).poisson(2.0, (6, 5, 4))
    counts[0, :3] = 0.0  # cells of two margins that nobody is in
    pairs = ((0, 1), (0, 2), (1, 2))
    mu = np.full(counts.shape, counts.mean())
    for _ in range(500):  # the definition, cell by cell of the whole grid
        for axis in (2, 1, 0):
            have = mu.sum(axis, keepdims=True)
            wanted = counts.sum(axis, keepdims=True)
            mu = mu * np.divide(wanted, have, out=np.zeros_like(have), where=have > 0.0)
    model = loglinear.fit(counts, pairs)
    assert model.mu == pytest.approx(mu, abs=1e-9)
    assert not model.mu[0, :3].any()
    nested = loglinear.fit(counts, ((0, 1), (2,)))
    assert loglinear.fit(counts, pairs, nested).mu == pytest.approx(model.mu, abs=1e-9)


def test_what_has_gone_to_0_stays_there() -> None:
    margins = ((0,), (1,))
    start = loglinear.Fitted(margins, np.array([[0.0, 0.0], [1.0, 1.0]]), 3)
    mu = loglinear.fit(np.ones((2, 2)), margins, start).mu
    assert mu.tolist() == [[0.0, 0.0], [2.0, 2.0]]  # rows, then columns of two


def test_where_parameters_run_to_infinity_rounds_end_when_margins_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = np.ones((2, 2, 2))
    counts[0, 0, 0] = counts[1, 1, 1] = 0.0  # no model of all pairs has a maximum here
    pairs = ((0, 1), (0, 2), (1, 2))
    monkeypatch.setattr(loglinear, "_MANY_ROUNDS", 50)
    monkeypatch.setattr(loglinear, "_NEAR", 1e-3)
    near = np.abs(loglinear.fit(counts, pairs).mu - counts).max()
    monkeypatch.setattr(loglinear, "_NEAR", 0.0)
    assert 1e-3 < near < 0.1
    assert np.abs(loglinear.fit(counts, pairs).mu - counts).max() < near / 10


def test_the_tests_of_fit_use_the_derivatives_of_both_risks() -> None:
    fraction, step = 0.2, 1e-4
    counts = np.array([[3.0, 1.0, 0.0], [1.0, 4.0, 2.0]])
    mu = np.array([[2.2, 1.9, 0.4], [1.3, 3.0, 2.2]])
    people = mu / fraction

    def uniques(size: np.ndarray) -> np.ndarray:
        return np.exp(-(1 - fraction) * size)

    def matches(size: np.ndarray) -> np.ndarray:
        return (1 - uniques(size)) / ((1 - fraction) * size)

    z = []
    for risk in (uniques, matches):
        slope = (risk(people + step) - risk(people - step)) / (2 * step)
        bend = (risk(people + step) - 2 * risk(people) + risk(people - step)) / step**2
        a = -people * np.exp(-mu) * slope
        b = people * np.exp(-mu) * bend / (2 * fraction)
        statistic = (a * (counts - mu) + b * ((counts - mu) ** 2 - counts)).sum()
        z.append(statistic / np.sqrt((mu * a**2 + 2 * mu**2 * b**2).sum()))
    assert loglinear.fit_z(counts, mu, fraction) == pytest.approx(z, rel=1e-4)


def test_a_grid_too_large_leaves_the_main_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    file = people(2, 500)
    small = population_uniques(
        file, keys=list("abc"), sampling_fraction=0.2, margins=[["a"], ["b"], ["c"]]
    )
    monkeypatch.setattr("sdcmetrics.measures.anonymity.population_uniques._MOST_CELLS", 10)
    large = population_uniques(file, keys=list("abc"), sampling_fraction=0.2)
    assert large.population_uniques == pytest.approx(small.population_uniques, rel=1e-12)
    assert large.matches == pytest.approx(small.matches, rel=1e-12)
    assert "too large" in large.notes[0]
    assert np.isnan(large.z_uniques)
    with pytest.raises(StudyError, match="more than 10 cells"):
        population_uniques(file, keys=list("abc"), sampling_fraction=0.2, margins=[["a", "b"]])


def test_what_is_wrong_is_said() -> None:
    file = people(3, 100).assign(w=2.0)
    with pytest.raises(StudyError, match="'e' is none of the keys"):
        population_uniques(file, keys=["a", "b"], sampling_fraction=0.2, margins=[["a", "e"]])
    with pytest.raises(StudyError, match="give only one"):
        population_uniques(file, keys=["a", "b"], sampling_fraction=0.2, weight="w")
    with pytest.raises(StudyError, match="either"):
        population_uniques(file, keys=["a", "b"])


def test_equal_weights_change_nothing() -> None:
    file = people(4, 800).assign(w=5.0)
    weighted = population_uniques(file, keys=["a", "b", "c"], weight="w")
    plain = population_uniques(file, keys=["a", "b", "c"], sampling_fraction=0.2)
    assert weighted.population_uniques == pytest.approx(plain.population_uniques, rel=1e-9)
    assert weighted.matches == pytest.approx(plain.matches, rel=1e-9)
    for name in ("population_uniques", "matches", "z_uniques", "z_matches", "model"):
        assert plain.tried[name].iloc[-1] == getattr(plain, name)


def test_pitmans_formula_finds_what_made_the_sample() -> None:
    rng = np.random.default_rng(5)
    theta, alpha, classes = 50.0, 0.4, [1]
    for n in range(1, 3_000):  # the Chinese restaurant
        sizes = np.array(classes)
        chances = np.append(sizes - alpha, theta + alpha * len(sizes)) / (n + theta)
        at = int(rng.choice(len(chances), p=chances))
        if at == len(classes):
            classes.append(0)
        classes[at] += 1
    result = fit_pitman(np.array(classes))
    assert result[0] == pytest.approx(theta, rel=0.5)
    assert result[1] == pytest.approx(alpha, abs=0.1)
    assert expected_uniques(theta, alpha, 3_000) == pytest.approx(classes.count(1), rel=0.15)


def test_pitmans_formula_as_a_method() -> None:
    # One class of two and one of one: Ewens' theta is the root of 2, of N people N theta /
    # (N + theta - 1) are unique.
    result = population_uniques(
        pd.DataFrame({"k": list("aab")}), keys="k", population_size=300, method="pitman"
    )
    expected = 300 * math.sqrt(2) / (299 + math.sqrt(2))
    assert result.population_uniques == pytest.approx(expected)
    assert (result.uniques, result.fraction, len(result.records)) == (1, 0.01, 0)
    assert result.model == "Pitman, theta 1.41421, alpha 0"
    (row,) = result.tried.to_dict("records")
    assert (row["model"], row["parameters"]) == (result.model, 2)
    assert row["population_uniques"] == result.population_uniques
    others = (result.matches, result.z_uniques, row["matches"], row["z_uniques"], row["z_matches"])
    assert np.isnan(others).all()


@pytest.mark.parametrize(
    ("n", "z", "words"),
    [
        (100, (1.63, -9.0), []),
        (100, (math.nan, math.nan), []),
        (100, (1.0, 1.64), ["refuse the model"]),
        (99, (0.0, 0.0), ["5 parameters for 99 records:"]),
    ],
)
def test_notes_of_a_model_at_its_limits(n: int, z: tuple[float, float], words: list[str]) -> None:
    model = loglinear.Fitted(((0,),), np.empty(0), 5)
    notes = module._notes(model, n, z, small=True)
    assert len(notes) == len(words)
    assert all(word in note for word, note in zip(words, notes, strict=True))
    assert "too large" in module._notes(model, n, z, small=False)[0]


@pytest.mark.parametrize(("classes", "everybody"), [([1] * 40, 1.0), ([1], 1.0), ([40], 0.0)])
def test_pitmans_formula_where_nobody_shares_a_class_or_all_do(
    classes: list[int], everybody: float
) -> None:
    theta, alpha, likelihood = fit_pitman(np.array(classes))
    assert likelihood == 0.0
    assert expected_uniques(theta, alpha, 1e5) == pytest.approx(1e5 * everybody, rel=1e-6)


@pytest.mark.parametrize(
    ("sizes", "fitted"),
    [
        ([2, 1], (np.sqrt(2.0), 0.0)),  # Ewens: 1 / theta = 1 / (theta + 1) + 1 / (theta + 2)
        # by sums of forty digits
        ([2] * 30, (23.21361424764947, 0.0)),
        ([10_000, 1], (0.1038568105764997, 0.0)),
    ],
)
def test_pitmans_fit_is_where_its_score_is_zero(
    sizes: list[int], fitted: tuple[float, float]
) -> None:
    assert fit_pitman(np.array(sizes))[:2] == pytest.approx(fitted, rel=1e-12)


def test_pitmans_fit_inside_by_its_height_around() -> None:
    """A fit by derivatives is no lower than any of a grid around it, by sums in exact order."""
    sizes = np.repeat([1, 2, 3, 5, 40, 200], [40, 9, 5, 3, 2, 1])
    theta, alpha, best = fit_pitman(sizes)
    assert 0.0 < alpha < 1.0

    def height(theta: float, alpha: float) -> float:
        n, k = int(sizes.sum()), len(sizes)
        return math.fsum(
            [math.log(theta + i * alpha) for i in range(1, k)]
            + [-math.log(theta + j) for j in range(1, n)]
            + [math.log(m - alpha) for size in sizes for m in range(1, size)]
        )

    assert best == pytest.approx(height(theta, alpha), rel=1e-12)
    for step in (1e-2, 1e-3, 1e-4):
        for a, b in itertools.product((-1, 0, 1), repeat=2):
            if a or b:
                assert height(theta * (1 + a * step), alpha * (1 + b * step)) < best


def test_one_over_the_people_is_its_mean() -> None:
    pairs = [(1, 0.0), (1, 1e-9), (1, 3.0), (2, 3.0), (30, 29.0), (60, 40.0), (200, 180.0)]
    f, rest = np.array([*pairs, (200, 500.0), (1_000, 990.0), (3_000, 2_990.0)]).T
    x = np.arange(5_000)[:, None]
    wanted = (stats.poisson.pmf(x, rest) / (f + x)).sum(axis=0)
    assert inverse_population(f, rest) == pytest.approx(wanted, rel=1e-11)


def test_three_attackers_by_hand() -> None:
    file = pd.DataFrame({"k": list("aaabbc")})
    register = pd.DataFrame({"k": list("aaaaaabbbbc")})
    result = attacker_risks(file, keys="k", population=register, threshold=0.5)
    assert (result.prosecutor_largest, result.prosecutor_mean) == (1.0, 3 / 6)
    assert result.prosecutor_above == 1 / 6
    assert result.journalist_largest == 1.0
    assert result.marketer == pytest.approx((3 / 6 + 2 / 4 + 1) / 6)
    assert result.journalist_mean == pytest.approx(max(3 / 11, result.marketer))
    assert result.notes == ()


def test_attackers_of_an_estimated_population_by_its_law() -> None:
    """Of one key three in four people are the file's: the others are Poisson, a third as many."""
    f, rest = np.array([6.0, 2.0]), np.array([2.0, 2 / 3])
    result = attacker_risks(
        pd.DataFrame({"k": list("aaaaaabb")}), keys="k", sampling_fraction=0.75, threshold=0.5
    )
    x = np.arange(60)[:, None]
    inverse = (stats.poisson.pmf(x, rest) / (f + x)).sum(axis=0)
    assert result.marketer == pytest.approx((f * inverse).sum() / 8)
    assert result.journalist_mean == pytest.approx(max(2 / (f + rest).sum(), result.marketer))
    assert result.journalist_largest == pytest.approx(inverse[1])
    assert (result.prosecutor_largest, result.prosecutor_above) == (0.5, 0.0)


def test_people_whom_the_population_lacks_are_as_many_as_records() -> None:
    file = pd.DataFrame({"k": list("aaabbbc")})
    short = attacker_risks(file, keys="k", population=pd.DataFrame({"k": list("aaaaaab")}))
    assert "lacks 3 records of" in short.notes[0]
    assert short.marketer == pytest.approx((3 / 6 + 1 + 1) / 7)


@pytest.mark.parametrize("size", [{"population_size": 9}, {"sampling_fraction": 0.5}])
def test_a_population_says_how_large_it_is(size: Any) -> None:
    file = pd.DataFrame({"k": list("aab")})
    with pytest.raises(StudyError, match="only one of the three"):
        attacker_risks(file, keys="k", population=file, **size)


def test_estimated_attackers_meet_those_of_the_register() -> None:
    population = people(6)
    file = population.sample(4_000, random_state=1)
    known = attacker_risks(file, keys=["a", "c", "d"], population=population)
    guessed = attacker_risks(file, keys=["a", "c", "d"], sampling_fraction=0.1)
    assert guessed.estimated
    assert not known.estimated
    assert guessed.marketer == pytest.approx(known.marketer, rel=0.05)
    assert guessed.journalist_mean == pytest.approx(known.journalist_mean, rel=0.05)


class TestRecorded:
    def test_the_toy_by_base_r(self) -> None:
        toy = answers("loglinear")["toy"]
        counts = np.array(toy["f"], dtype=float).reshape(toy["levels"], order="F")
        for model in toy["models"].values():
            margins = tuple(tuple(toy["keys"].index(k) for k in m) for m in model["margins"])
            fitted = loglinear.fit(counts, margins)
            np.testing.assert_allclose(
                fitted.mu.ravel(order="F"), model["mu"], rtol=1e-8, atol=1e-9
            )
            risks = loglinear.risks(fitted.mu[counts == 1], toy["pi"])
            assert risks.population_uniques == pytest.approx(model["tau1"], rel=1e-8)
            assert risks.matches == pytest.approx(model["tau2"], rel=1e-8)
            z = loglinear.fit_z(counts, fitted.mu, toy["pi"])
            assert z == pytest.approx((model["z1_model"], model["z2_model"]), rel=1e-8)
            assert fitted.parameters == model["parameters_rank_glm"]

    def test_edge_cases_by_base_r(self) -> None:
        edges = answers("loglinear")["edge cases"]
        counts = np.array(edges["f"], dtype=float).reshape((2, 3, 2), order="F")
        main = ((0,), (1,), (2,))
        for name, fraction, margins in (
            ("pi_1_census", 1.0, main),
            ("pi_tiny_1e_6", 1e-6, main),
            ("saturated_mu_equals_f", 0.1, ((0, 1, 2),)),
        ):
            wanted = edges[name]
            mu = loglinear.fit(counts, margins).mu
            risks = loglinear.risks(mu[counts == 1], fraction)
            assert risks.population_uniques == pytest.approx(wanted["tau1"], rel=1e-9, abs=1e-12)
            assert risks.matches == pytest.approx(wanted["tau2"], rel=1e-9)
            for result, key in zip(
                loglinear.fit_z(counts, mu, fraction), ("z1_model", "z2_model"), strict=True
            ):
                assert result == pytest.approx(float(wanted[key]), rel=1e-5, nan_ok=True)

    def test_the_demo_by_base_r_weighted_and_not(self) -> None:
        recorded = answers("loglinear")["demo"]
        file = demo().assign(w=lambda d: 5 + 10 * (np.arange(len(d)) % 7))
        for model in recorded["models"].values():
            given = {"keys": recorded["keys"], "margins": model["margins"]}
            result = population_uniques(file, sampling_fraction=recorded["pi"], **given)
            assert result.population_uniques == pytest.approx(model["tau1"], rel=1e-8)
            assert result.matches == pytest.approx(model["tau2"], rel=1e-8)
            assert result.z_uniques == pytest.approx(model["z1_model"], rel=1e-8)
            assert result.uniques == recorded["uniques"]
            result = population_uniques(file, weight="w", **given)
            wanted = model["weighted"]
            assert result.population_uniques == pytest.approx(wanted["tau1"], rel=1e-8)
            assert result.matches == pytest.approx(wanted["tau2"], rel=1e-8)

    def test_pitmans_fit_of_the_demo(self) -> None:
        file = demo()[["age", "educ", "PID"]].astype(str)
        _, sizes = np.unique(file.agg("|".join, axis=1), return_counts=True)
        theta, alpha, likelihood = fit_pitman(sizes)
        assert (theta, alpha, likelihood) == pytest.approx(
            (1287.483007089528, 0.0, -957.489827771016), rel=1e-12
        )


@pytest.mark.parametrize("f", [1.0, 3.0, 40.0])
def test_of_a_very_large_population_it_is_one_over_the_mean(f: float) -> None:
    # Beside a key combination of few other people, whose recursion must not be asked of this one.
    inverse = inverse_population(np.array([f, 2.0]), np.array([1e12, 0.5]))
    assert inverse[0] == pytest.approx(1e-12, rel=1e-9)
    chances = stats.poisson(0.5).pmf(np.arange(60))
    assert inverse[1] == pytest.approx((chances / (2 + np.arange(60))).sum())


@pytest.mark.parametrize("v", [0.0, 1e-9, 1e-4, 9.9e-4, 1.1e-3, 1e-2, 0.3])
def test_the_chance_of_a_match_and_its_slopes_are_those_of_its_series(v: float) -> None:
    terms = [Fraction((-1) ** k, math.factorial(k + 1)) for k in range(30)]  # of (1 - exp(-v)) / v
    for order, result in enumerate(loglinear._match(np.array([v]))):
        expected = sum(
            term * math.perm(k, order) * Fraction(v) ** (k - order)
            for k, term in enumerate(terms)
            if k >= order
        )
        assert result[0] == pytest.approx(float(expected), rel=1e-11 if v < 1e-3 else 1e-6)


def test_the_misfit_of_a_pair_is_its_deviance_less_twice_its_degrees_of_freedom() -> None:
    counts = np.array([[10.0, 4, 6, 0], [5, 11, 4, 0], [2, 3, 9, 0], [1, 6, 8, 0]])
    mu = loglinear.fit(counts, ((0,), (1,))).mu
    deviance = stats.chi2_contingency(counts[:, :3], lambda_="log-likelihood", correction=False)[0]
    assert loglinear._misfit(counts, mu, (0, 1)) == pytest.approx(deviance - 2 * 3 * 2)


@pytest.mark.parametrize(("n", "cells"), [(10, 10**6), (5_000, 5 * 10**6), (10**6, 5 * 10**7)])
def test_a_grid_has_a_thousand_cells_per_record_within_limits(n: int, cells: int) -> None:
    assert module._most_cells(n) == cells


@pytest.mark.parametrize(("most", "fits"), [(12, True), (11, False)])
def test_a_grid_has_the_product_of_its_levels_as_cells(
    most: int, *, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_CELLS", most)
    assert module._fits(np.array([[0, 1, 2], [3, 0, 1]]), 9) is fits


@pytest.mark.parametrize("register", [True, False])
def test_main_effects_without_a_grid_are_those_on_it(*, register: bool) -> None:
    codes = np.array([[0, 1, 1, 2, 0], [0, 0, 1, 1, 2], [0, 1, 0, 0, 1]])
    sizes = np.array([1.0, 3, 1, 2, 1])
    people = np.array([10.0, 30, 5, 25, 9]) if register else None
    alone = sizes == 1
    main = ((0,), (1,), (2,))
    on_it = module._on_the_grid(codes, sizes, people, 0.1, main, alone)
    result = module._without_a_grid(codes, sizes, people, 0.1, None, alone)
    (model, *z), (other, *_) = result.tried[0], on_it.tried[0]
    assert (model.margins, model.parameters) == (other.margins, other.parameters)
    assert model.parameters == 1 + 2 + 2 + 1
    assert model.mu.size == 0  # no grid
    assert np.isnan(z).all()
    for first, two in zip(vars(result).values(), vars(on_it).values(), strict=True):
        if isinstance(first, np.ndarray):
            assert first == pytest.approx(two)


def test_keys_in_no_pair_have_main_effects() -> None:
    margins = [np.array([60.0, 20]), np.array([40.0, 40]), np.array([50.0, 30])]
    independent = np.einsum("i,j,k->ijk", *margins) / 80**2
    ((model, *z),) = choose(independent, 0.1)
    assert model.margins == ((0,), (1,), (2,))
    assert model.mu == pytest.approx(independent)
    assert max(z) < REFUSED
    tied = np.zeros((8, 8, 2)) + np.array([3.0, 1.0])
    tied[np.arange(8), np.arange(8)] += np.array([90.0, 30.0])
    models = [model for model, *_ in choose(tied, 0.1)]
    assert [model.margins for model in models][:2] == [((0,), (1,), (2,)), ((0, 1), (2,))]
    assert models[1].mu == pytest.approx(tied)


@pytest.mark.parametrize("small", [True, False])
def test_expected_counts_are_of_a_grid_where_it_fits(
    *, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("_on_the_grid", "_without_a_grid"):
        model = getattr(module, name)

        def noted(*args: Any, name: str = name, model: Any = model) -> Any:
            asked.append(name)
            return model(*args)

        monkeypatch.setattr(module, name, noted)
    monkeypatch.setattr(module, "_fits", lambda *_: small)
    levels = np.array([[0, 1, 1, 2, 0], [0, 0, 1, 1, 2]])
    expected, _ = module.expected_counts(levels, np.array([1.0, 3, 1, 2, 1]), 0.1)
    assert asked == ["_on_the_grid" if small else "_without_a_grid"]
    assert expected.shape == (5,)
    assert (expected > 0).all()
