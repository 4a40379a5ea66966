"""Logistic fits beside statsmodels, and which columns they leave out."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, sparse

from sdcmetrics.measures.propensity import aliasing, logit
from sdcmetrics.measures.propensity.aliasing import independent_columns
from sdcmetrics.measures.propensity.logit import LogitModel, RowProducts
from sdcmetrics.measures.propensity.model_matrix import (
    CrossProducts,
    _best_split,
    count_parameters,
    model_matrix,
    terms_of,
)
from sdcmetrics.measures.propensity.predictors import Predictor, Scale


def number(name: str, values: Any) -> Predictor:
    return Predictor(name, name, Scale.NUMBER, np.asarray(values, dtype=float))


def levels(name: str, codes: Any, labels: str) -> Predictor:
    return Predictor(name, name, Scale.LEVELS, np.asarray(codes, dtype=float), tuple(labels))


def matrix_of(predictors: list[Predictor], maxorder: int) -> Any:
    n = len(predictors[0].values)
    return model_matrix(predictors, np.arange(n), np.ones(n, dtype=np.int64), maxorder)


def plain_matrix(predictors: list[Predictor], maxorder: int) -> Any:
    """Every column of R's model matrix, empty ones included, not scaled."""
    main = [
        [p.values] if p.scale is Scale.NUMBER else [1.0 * (p.values == k) for k in range(1, p.size)]
        for p in predictors
    ]
    columns = [np.ones(len(predictors[0].values))]
    for term in terms_of(len(predictors), maxorder)[1:]:
        products = itertools.product(*(main[i] for i in reversed(term)))
        columns.extend(np.prod(parts, axis=0) for parts in products)
    return np.column_stack(columns)


def some(seed: int, n: int = 300) -> tuple[list[Predictor], Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 3, n)
    predictors = [
        number("x", x),
        levels("f", rng.integers(0, 3, n), "abc"),
        number("z", 2 * x + rng.integers(0, 2, n)),
        number("w", rng.integers(0, 2, n)),
    ]
    return predictors, rng.integers(0, 2, n)


@pytest.mark.parametrize("maxorder", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_scores_and_rank_are_those_of_the_full_matrix(seed: int, maxorder: int) -> None:
    predictors, target = some(seed)
    model = LogitModel(matrix_of(predictors, maxorder), np.ones(len(target), dtype=np.int64))
    fit = model.fit(target)
    plain = plain_matrix(predictors, maxorder)
    scaled = plain / np.linalg.norm(plain, axis=0)
    assert model.rank == np.linalg.matrix_rank(scaled, tol=1e-10)
    basis, _ = np.linalg.qr(np.linalg.svd(scaled, full_matrices=False)[0][:, : model.rank])
    theirs = sm.GLM(target, basis, family=sm.families.Binomial()).fit(tol=1e-12)
    assert fit.converged
    assert not fit.separated.any()
    assert fit.score == pytest.approx(theirs.fittedvalues, abs=1e-6)


def names_of(predictors: list[Predictor], maxorder: int) -> list[str]:
    """Every column's name in R's model matrix."""
    main = [
        [p.name] if p.scale is Scale.NUMBER else [f"{p.name}{k}" for k in p.labels[1:]]
        for p in predictors
    ]
    names = ["(Intercept)"]
    for term in terms_of(len(predictors), maxorder)[1:]:
        products = itertools.product(*(main[i] for i in reversed(term)))
        names.extend(":".join(reversed(parts)) for parts in products)
    return names


def test_products_have_a_column_per_pair_of_levels_that_records_have() -> None:
    codes = np.array([(f, h) for f in range(3) for h in range(4) if (f, h) != (2, 1)] * 4).T
    n = codes.shape[1]
    factors = [levels("f", codes[0], "abc"), levels("h", codes[1], "pqrs")]
    two_and_many = [number("w", np.arange(n) % 2), number("x", np.arange(n) + 1)]
    mixed = [factors[0], *two_and_many, factors[1]]
    for predictors, maxorder in ((factors, 1), (mixed, 2)):
        matrix, plain = matrix_of(predictors, maxorder), plain_matrix(predictors, maxorder)
        filled = plain.any(axis=0)
        names = np.array(names_of(predictors, maxorder))
        assert "fc:hq" in names[~filled]
        assert matrix.empty == (~filled).sum()
        labels = [matrix.label(i, predictors) for i in range(filled.sum())]
        assert labels == names[filled].tolist()
        if predictors is factors:  # numbers are centred
            scaled = plain[:, filled] / np.linalg.norm(plain[:, filled], axis=0)
            assert matrix.columns.toarray() == pytest.approx(scaled)


def test_a_column_that_depends_on_earlier_ones_is_left_out_in_order() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=50), rng.normal(size=50)
    predictors = [number("x", x), number("y", y), number("sum", x + y), number("u", rng.random(50))]
    matrix = matrix_of(predictors, 0)
    _, kept, _ = independent_columns(matrix.columns, np.ones(50))
    names = [matrix.label(column, predictors) for column in kept]
    assert names == ["(Intercept)", "x", "y", "u"]


@pytest.mark.parametrize("worth", [5e9, 0.0])
def test_columns_that_are_kept_late_are_orthogonal_and_each_is_there_once(
    monkeypatch: pytest.MonkeyPatch, worth: float
) -> None:
    monkeypatch.setattr(aliasing, "_WORTH_CHECKING", worth)
    rng = np.random.default_rng(3)
    x, noise, weights = rng.normal(size=100), rng.normal(size=(2, 100)), rng.random(100) + 0.5
    near = x + 1e-4 * noise[0]  # the same rest twice: the second depends on the first
    predictors = [number("x", x), number("y", near), number("z", near), number("u", noise[1])]
    matrix = matrix_of(predictors, 0)
    wider, kept, factor = independent_columns(matrix.columns, weights)
    names = [matrix.label(column, predictors) for column in kept]
    assert sorted(names) == ["(Intercept)", "u", "x", "y"]
    assert wider.shape[1] == len(kept) == len(factor)
    columns = wider.toarray()
    assert columns.T @ (weights[:, None] * columns) == pytest.approx(factor.T @ factor, abs=1e-8)
    theirs = matrix.columns.toarray()[:, np.sort(kept)]
    both = np.linalg.lstsq(columns, theirs, rcond=None)[0]
    assert columns @ both == pytest.approx(theirs, abs=1e-8)


def test_sketches_of_what_is_left_are_nothing_where_a_column_depends() -> None:
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 200))
    columns = np.column_stack([x, y, 2 * x - y, x + 0.5 * z])
    weights = 10 * (rng.random(200) + 0.5)
    gram = columns.T @ (weights[:, None] * columns)
    independent, others = np.array([0, 1]), np.array([2, 3])
    left = aliasing._rest_on_sketches(
        sparse.csr_matrix(columns),
        np.sqrt(weights),
        independent,
        others,
        gram,
        np.linalg.cholesky(gram[:2, :2]).T,
    )
    assert left[0] < 1e-11
    # random signs of weighted rests add up to their length, give or take
    root = np.sqrt(weights)[:, None]
    share = np.linalg.lstsq(root * columns[:, :2], root * columns[:, 3:], rcond=None)[0]
    length = np.linalg.norm(root * (columns[:, 3:] - columns[:, :2] @ share))
    assert 0.4 < left[1] / length < 3  # the largest of four


def test_a_nearly_dependent_column_is_kept_as_r_keeps_it() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=100)
    predictors = [number("x", x), number("y", x + 1e-7 * rng.normal(size=100))]
    model = LogitModel(matrix_of(predictors, 0), np.ones(100, dtype=np.int64))
    assert model.rank == 3


def test_cross_products_do_not_depend_on_what_is_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    predictors, _ = some(3)
    columns = matrix_of(predictors, 1).columns
    weights = np.random.default_rng(0).random(columns.shape[0])
    want = columns.T.toarray() @ (columns.toarray() * weights[:, None])
    for dense in (0, 3, columns.shape[1]):
        module = CrossProducts.__init__.__globals__
        monkeypatch.setitem(module, "_best_split", lambda *_, d=dense: d)
        assert CrossProducts(columns)(weights) == pytest.approx(want)


def test_columns_are_dense_that_are_full_where_the_rest_is_sparse() -> None:
    full, sparse_rows = np.ones((1_000, 40)), np.tile(np.eye(40), (25, 1))
    both = np.c_[np.ones((1_000, 4)), sparse_rows[:, 4:]]
    for matrix, dense in ((full, 40), (sparse_rows, 0), (both, 4)):
        filled = matrix.astype(bool).sum(axis=0)
        order = np.argsort(-filled, kind="stable")
        assert _best_split(sparse.csr_matrix(matrix), filled, order) == dense


@pytest.mark.parametrize("share", [0.0, 0.2, 2.0])
@pytest.mark.parametrize("maxorder", [0, 1])
def test_cross_products_by_rows_do_not_depend_on_what_is_dense(
    monkeypatch: pytest.MonkeyPatch, maxorder: int, share: float
) -> None:
    monkeypatch.setattr(logit, "_WELL_FILLED", share)
    predictors, _ = some(5)
    columns = matrix_of(predictors, maxorder).columns
    weights = np.random.default_rng(0).random(columns.shape[0])
    want = columns.T.toarray() @ (columns.toarray() * weights[:, None])
    assert np.triu(RowProducts(columns)(weights)) == pytest.approx(np.triu(want))


@pytest.mark.parametrize("seed", range(6))
def test_a_fit_among_many_is_the_fit(seed: int) -> None:
    predictors, _ = some(seed)
    rare = np.where(np.arange(300) < 4, 2, predictors[1].values % 2)  # separates some labellings
    predictors.append(levels("rare", rare, "abc"))
    model = LogitModel(matrix_of(predictors, seed % 2), np.ones(300, dtype=np.int64))
    rng = np.random.default_rng(seed)
    for _ in range(5):
        labels = (rng.random(300) < 0.3).astype(np.int64)
        first, many = model.fit(labels), model.fit(labels, again=True)
        assert many.score == pytest.approx(first.score, abs=1e-9)
        assert (many.iterations, many.converged) == (first.iterations, first.converged)
        assert many.separated.tolist() == first.separated.tolist()


def test_the_deviance_is_that_of_the_scores_on_either_side_of_a_half() -> None:
    n, synthetic = np.array([3, 5, 2, 4]), np.array([1, 4, 2, 0])
    columns = sparse.csr_matrix(np.eye(4))
    steps = logit._Iterations(columns, None, synthetic, n.astype(float), np.eye(4), 1)
    eta = np.array([-1.5, 0.0, 2.5, 0.7])
    score = 1.0 / (1.0 + np.exp(-eta))
    want = -2.0 * (synthetic * np.log(score) + (n - synthetic) * np.log(1.0 - score)).sum()
    assert steps._deviance(eta) == pytest.approx(want, rel=1e-12)


def test_parameters_are_counted_without_listing_terms() -> None:
    predictors, _ = some(0)
    for maxorder in (0, 1, 2):
        assert count_parameters(predictors, maxorder) == plain_matrix(predictors, maxorder).shape[1]


def test_complete_separation_gives_the_limit() -> None:
    x = number("x", np.arange(20.0))
    target = (np.arange(20) >= 8).astype(np.int64)
    fit = LogitModel(matrix_of([x], 0), np.ones(20, dtype=np.int64)).fit(target)
    assert fit.complete
    assert fit.score.tolist() == target.tolist()


def test_kinds_of_one_side_alone_that_no_line_separates_are_fitted() -> None:
    x, n, synthetic = np.array([0.0, 3.0, 3.5]), np.array([10, 10, 6]), np.array([0, 10, 0])
    columns = model_matrix([number("x", x)], np.arange(3), n, 0)
    fit = LogitModel(columns, n).fit(synthetic)
    theirs = sm.GLM(
        np.column_stack([synthetic, n - synthetic]), sm.add_constant(x), sm.families.Binomial()
    ).fit()
    assert not fit.complete
    assert fit.score == pytest.approx(theirs.fittedvalues, abs=1e-6)


def test_a_level_on_one_side_only_is_separated() -> None:
    f = levels("f", [0] * 10 + [1] * 10 + [2] * 10, "abc")
    target = np.array([0, 1] * 10 + [1] * 10)
    fit = LogitModel(matrix_of([f], 0), np.ones(30, dtype=np.int64)).fit(target)
    assert np.flatnonzero(fit.separated).tolist() == list(range(20, 30))
    assert fit.score[:20] == pytest.approx(0.5)
    assert fit.score[20:] == pytest.approx(1.0, abs=1e-6)


def limit(columns: Any, target: Any) -> Any:
    """Where the scores go: 0 and 1 as far as linear programming separates, the rest is fitted."""
    away = columns * np.where(target == 1, 1.0, -1.0)[:, None]
    n, k = away.shape
    goal = np.r_[np.zeros(k), -np.ones(n)]  # as many records as can be told beyond doubt
    bounds = [(None, None)] * k + [(0.0, 1.0)] * n
    result = optimize.linprog(goal, np.c_[-away, np.eye(n)], np.zeros(n), bounds=bounds)
    rest = result.x[k:] < 0.5
    out = target.astype(float)
    inner = columns[rest]
    basis, size, _ = np.linalg.svd(inner, full_matrices=False)
    basis = basis[:, size > 1e-9 * size[0]]
    family = sm.families.Binomial()
    out[rest] = sm.GLM(target[rest], basis, family=family).fit(tol=1e-13).fittedvalues
    return out, ~rest


def separating(n: int, seed: int) -> tuple[LogitModel, Any]:
    rng = np.random.default_rng(seed)
    shares = [0.6, 0.25, 0.1, 0.05]
    predictors = [levels(f"f{j}", rng.choice(4, n, p=shares), "abcd") for j in range(3)]
    predictors.append(number("x", rng.integers(0, 9, n) ** 3))
    target = rng.integers(0, 2, n)
    return LogitModel(matrix_of(predictors, 1), np.ones(n, dtype=np.int64)), target


@pytest.mark.parametrize(("n", "seed"), [(60, 75), (60, 79), (100, 282), (200, 303), (200, 0)])
def test_a_fit_that_separates_in_part_goes_on_to_its_limit(n: int, seed: int) -> None:
    model, target = separating(n, seed)
    fit = model.fit(target)
    score, separated = limit(model.columns.toarray(), target)
    assert separated.any()
    assert fit.converged
    assert fit.score == pytest.approx(score, abs=1e-5)
    assert fit.separated.tolist() == separated.tolist()


@pytest.mark.parametrize("maxit", [1, 2, 3])
def test_so_many_steps_are_made_and_no_more(maxit: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    label = (rng.random(60) < 1 / (1 + np.exp(-2 * x))).astype(np.int64)
    model = LogitModel(matrix_of([number("x", x)], 1), np.ones(60, dtype=np.int64))
    fit = model.fit(label, maxit)
    assert (fit.iterations, fit.converged) == (maxit, False)
    whole = model.fit(label)
    assert whole.converged
    assert whole.iterations > 3
    # every step is nearer to the fit
    gaps = [np.abs(model.fit(label, k).score - whole.score).max() for k in range(1, maxit + 1)]
    assert gaps == sorted(gaps, reverse=True)


@pytest.mark.parametrize(("n", "seed"), [(100, 282), (200, 303)])
def test_a_large_model_stops_where_a_step_is_worth_little(
    n: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, target = separating(n, seed)
    whole = model.fit(target)
    monkeypatch.setattr(logit, "_MANY", len(whole.coefficients) + 1)
    assert model.fit(target).score.tolist() == whole.score.tolist()
    monkeypatch.setattr(logit, "_MANY", len(whole.coefficients))
    early = model.fit(target)
    assert whole.converged
    assert not early.converged
    assert early.unstable
    assert 1 < early.iterations < whole.iterations

    def deviance(score: Any) -> float:
        return float(-2 * np.log(np.where(target == 1, score, 1 - score)).sum())

    # nearer to the limit than where it began, and not beyond it
    assert deviance(whole.score) < deviance(early.score) < n * 2 * np.log(2)
    worth = [deviance(model.fit(target, k).score) for k in range(1, early.iterations + 1)]
    assert worth[-2] - worth[-1] < 5e-3 * worth[-2]


def steps_of(n: Any, synthetic: Any) -> Any:
    size = len(n)
    columns = sparse.csr_matrix(np.eye(size))
    return logit._Iterations(
        columns, None, np.array(synthetic), np.array(n, float), np.eye(size), 1
    )


def test_only_rows_that_are_told_beyond_doubt_may_leap(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = steps_of([2, 2, 2], [0, 2, 1])  # of the original, of the replica, of both
    far = np.array([-50.0, 50.0, 0.0])
    assert steps._near_enough(np.zeros(3), np.full(3, 99.0))  # few columns
    monkeypatch.setattr(logit, "_MANY", 3)
    for size, near in ((30.0, True), (30.1, False)):
        for row in range(3):
            step = np.zeros(3)
            step[row] = size
            assert steps._near_enough(np.zeros(3), step) is near
            assert steps._near_enough(np.zeros(3), -step) is near
            assert steps._near_enough(far, step) is (near or row == 1)
            assert steps._near_enough(far, -step) is (near or row == 0)
            assert steps._near_enough(-far, step) is near
            assert steps._near_enough(-far, -step) is near
    edge = np.array([0.0, 18.0, 0.0])
    assert not steps._near_enough(edge, np.array([0.0, 31.0, 0.0]))
    assert not steps._near_enough(-edge[[1, 0, 2]], np.array([-31.0, 0.0, 0.0]))


@pytest.mark.parametrize("size", [0.5, 4.0, 40.0, 1e6])
def test_a_step_is_halved_until_the_deviance_falls(size: float) -> None:
    steps = steps_of([4, 4], [3, 1])
    eta, move = np.array([0.9, -0.8]), np.array([3.0, 5.0])
    step = np.array([size, -size])
    last = steps._deviance(eta)
    steps.iterations = 1
    assert steps._advance(eta, step, move, last)[0].tolist() == (eta + step).tolist()
    assert not steps.unstable
    steps.iterations = 2
    halvings = next(k for k in range(40) if steps._deviance(eta + step / 2**k) <= last * (1 + 1e-7))
    new, part, deviance = steps._advance(eta, step, move, last)
    assert new.tolist() == (eta + step / 2**halvings).tolist()
    assert part.tolist() == (move / 2**halvings).tolist()
    assert deviance == steps._deviance(new)
    assert steps.unstable is (halvings > 0)
    assert not steps.stalled
    stay, none, same = steps._advance(eta, step, move, 0.0)  # nothing is below
    assert (stay.tolist(), none.tolist(), same) == (eta.tolist(), [0, 0], 0.0)
    assert steps.stalled


def test_errors_are_those_of_the_information_and_nan_where_there_is_none() -> None:
    predictors, target = some(2)
    model = LogitModel(matrix_of(predictors, 0), np.ones(300, dtype=np.int64))
    fit = model.fit(target)
    weight = fit.score * (1 - fit.score)
    columns = model.columns.toarray()
    information = columns.T @ (weight[:, None] * columns)
    assert fit.errors == pytest.approx(np.sqrt(np.diag(np.linalg.inv(information))), rel=1e-4)
    one_each = steps_of([4, 4], [3, 1])
    assert np.isnan(one_each.errors()).all()


def grouped(seed: int) -> tuple[LogitModel, Any, Any]:
    """A model of rows that stand for several records each."""
    rng = np.random.default_rng(seed)
    predictors = [number("x", rng.normal(size=80)), levels("f", rng.integers(0, 4, 80), "abcd")]
    n = rng.integers(1, 6, 80)
    model = LogitModel(model_matrix(predictors, np.arange(80), n, 0), n)
    return model, n, rng.binomial(n, 0.3)


def test_the_linear_model_is_least_squares_on_every_record() -> None:
    model, n, synthetic = grouped(1)
    rows = np.repeat(np.arange(80), n)
    label = np.concatenate([np.arange(k) < s for k, s in zip(n, synthetic, strict=True)]) * 1.0
    columns = model.columns.toarray()[rows]
    share = label.mean()
    want = np.linalg.lstsq(columns, label - share, rcond=None)[0]
    errors = np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)) * share * (1 - share))
    coefficients, z = model.linear(synthetic)
    assert coefficients == pytest.approx(want)
    assert z == pytest.approx(want / errors)

    def pmse(some: Any) -> float:
        part = columns[:, some]
        fitted = part @ np.linalg.lstsq(part, label - share, rcond=None)[0]
        return float(np.mean(fitted**2))

    every = np.arange(columns.shape[1])
    groups = [every[1:2], every[2:]]
    lost = [pmse(every) - pmse(np.setdiff1d(every, group)) for group in groups]
    assert model.lost_without(synthetic, groups) == pytest.approx(lost)


def test_a_score_beyond_doubt_that_does_not_move_is_not_separated() -> None:
    x = np.r_[np.tile([-1.0, 0.0, 1.0], 40), 90.0]  # one record far out, on a finite slope
    label = np.r_[np.tile([0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1], 10), 1]
    columns = matrix_of([number("x", x)], 0)
    fit = LogitModel(columns, np.ones(121, dtype=np.int64)).fit(label)
    eta = np.log(fit.score / (1 - fit.score))
    assert (fit.converged, fit.unstable) == (True, False)
    assert eta.max() > 18
    assert not fit.separated.any()


def test_a_pivot_that_is_lost_asks_for_a_ridge() -> None:
    steps = steps_of([4, 4], [3, 1])
    for near, lost in ((1 - 1e-10, False), (1 - 1e-15, True)):  # the cosine of two columns
        steps.unstable = False
        products = np.array([[1.0, near], [near, 1.0]])
        steps._solve(products, np.array([1.0, -1.0]) * (1 - near), np.zeros(2), 1e9)
        assert (steps.ridge > 0, steps.unstable, steps.cholesky is None) == (lost, lost, lost)
