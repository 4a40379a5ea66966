"""What fits are made of and compared by, piece by piece, with made-up models."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.fits.coefficients import (
    Scale,
    _separated,
    _separation,
    each_synthesis,
    join_flags,
    pooled,
    pooled_test,
)
from sdcmetrics.measures.fits.columns import Columns
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.fit_overlap import mean_size
from sdcmetrics.measures.fits.fitting import Fits, check_rank, fit_design, match, outcome_of
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.fits.generalised import (
    _gaussian_log_likelihood,
    family_of,
    fit_glm,
    fit_lm,
    separating_columns,
)
from sdcmetrics.measures.fits.mean_ci_overlap import Moments, _of_batches, _row, _Sums, moments
from sdcmetrics.measures.fits.model import Model, placed
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.fits.places import _each, _whole
from sdcmetrics.measures.fits.synthetic_fit import _each as each_fit
from sdcmetrics.measures.fits.synthetic_fit import _of_synthesis
from sdcmetrics.measures.pair import pair

Z = normal_quantile(0.95)
PLAIN = Scale(100.0, 50.0, 2, 0.95, population_inference=False, proper=False, incomplete=False)
ERROR = np.array([2.0])


def test_quantiles_of_the_normal() -> None:
    for level in (0.5, 0.9, 0.95, 0.99):
        assert normal_quantile(level) == pytest.approx(stats.norm.ppf((1 + level) / 2))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, 2),
        ({"proper": True, "incomplete": True}, 2),
        ({"population_inference": True}, 2 * math.sqrt(1 + 100 / (50 * 4))),
        ({"population_inference": True, "proper": True}, 2 * math.sqrt(1 + (100 / 50 + 1) / 4)),
        ({"population_inference": True, "incomplete": True}, math.sqrt(8 / 4 + 4)),
    ],
)
def test_errors_of_a_synthesis(options: dict[str, bool], error: float) -> None:
    scale = replace(PLAIN, **options)
    assert scale.standard_errors(ERROR, np.array([8.0]), 4) == pytest.approx(error)


def model(coefficients: Any, errors: Any, **of: Any) -> Model:
    values, se = np.array(coefficients, dtype=float), np.array(errors, dtype=float)
    given: dict[str, Any] = {
        "n": 100, "rank": len(values), "log_likelihood": -1.0, "null_log_likelihood": -2.0,
        "slopes": len(values), "linear": True, "r2": 0.5, **of,
    }  # fmt: skip
    return Model(values, np.diag(se**2), **given)


NAMES = ("a", "b")
OURS = model([1.0, 5.0], [1.0, 2.0])


def test_each_synthesis_beside_the_original() -> None:
    other = model([2.0, np.nan], [2.0, np.nan], confounded={1: ()})
    fits = Fits(NAMES, OURS, (other, OURS))
    table = each_synthesis(fits, PLAIN)
    first = table.loc[(1, "a")]
    assert (first["synthetic"], first["se_fit"], first["std_diff"]) == (2, 2, 1)
    assert first["CIO"] == pytest.approx(1 - 1 / (2 * Z))
    low, high = max(1 - Z, 2 - 2 * Z), min(1 + Z, 2 + 2 * Z)
    assert first["Karr"] == pytest.approx(((high - low) / (2 * Z) + (high - low) / (4 * Z)) / 2)
    assert table.loc[(1, "b"), "flag"] == "not there in the synthetic data"
    assert table.loc[(1, "b")].drop("flag").isna().all()
    assert table.loc[(2, "a"), "flag"] == ""
    wide = each_synthesis(fits, replace(PLAIN, population_inference=True))
    half = Z * math.sqrt(1 + 100 / 50)  # of one synthesis, however many there are
    low, high = max(1 - Z, 2 - half), min(1 + Z, 2 + half)
    expected = ((high - low) / (2 * Z) + (high - low) / (2 * half)) / 2
    assert wide.loc[(1, "a"), "CIO"] == pytest.approx(expected)


def test_the_mean_over_syntheses_beside_the_original() -> None:
    others = (
        model([2.0, np.nan], [2.0, np.nan], confounded={1: ()}),
        model([4.0, 6.0], [1.0, 3.0]),
    )
    fits = Fits(NAMES, OURS, others)
    each = each_synthesis(fits, PLAIN)
    table = pooled(fits, each, PLAIN)
    assert table["synthetic"].tolist() == [3, 6]
    assert table["se_fit"].tolist() == pytest.approx([math.sqrt(5 / 2), 3])
    assert table["std_diff"].tolist() == [2, 0.5]
    assert table["Karr"].tolist() == pytest.approx(
        [each["Karr"].xs("a", level="term").mean(), each.loc[(2, "b"), "Karr"]]
    )
    assert table["compared"].tolist() == [True, True]
    assert table["flag"].tolist() == ["", "not there in the synthetic data (synthesis 1)"]
    incomplete = replace(PLAIN, population_inference=True, incomplete=True)
    spread = pooled(fits, each, incomplete)["se_synthetic"]
    assert spread["a"] == pytest.approx(math.sqrt(2 / 2 + 1))  # variance (1 + 1) / 1
    assert np.isnan(spread["b"])
    gone = Fits(NAMES, OURS, others[:1])
    lost = pooled(gone, each_synthesis(gone, PLAIN), PLAIN)
    assert np.isnan(lost.loc["b", "se_synthetic"])
    assert lost["compared"].tolist() == [True, False]


def test_a_coefficient_without_a_finite_estimate_anywhere_is_not_compared() -> None:
    fits = Fits(NAMES, replace(OURS, separated=(1,)), (OURS, replace(OURS, separated=(0, 1))))
    assert _separated(fits).tolist() == [True, True]
    assert _separated(Fits(NAMES, OURS, (replace(OURS, separated=(1,)),))).tolist() == [False, True]
    words = [_separation(1, fits.original, other) for other in fits.synthetic]
    assert words == [
        "no finite estimate in the original data",
        "no finite estimate in the original and synthetic data",
    ]
    assert _separation(0, OURS, OURS) == ""


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["x"], "x"),
        ([""], ""),
        (["x", "x"], "x"),
        (["x", "", "x"], "x (synthesis 1, 3)"),
        (["x", "y", "x"], "x (synthesis 1, 3); y (synthesis 2)"),
    ],
)
def test_flags_of_syntheses_in_words(flags: list[str], words: str) -> None:
    assert join_flags(flags) == words


@pytest.mark.parametrize(
    ("m", "there", "reason"),
    [
        (2, True, "it needs more than 2 syntheses"),
        (3, True, ""),
        (3, False, "a coefficient is missing from some of the syntheses"),
    ],
)  # fmt: skip
def test_the_spread_of_incomplete_syntheses_needs_more_of_them(
    m: int, reason: str, *, there: bool
) -> None:
    shifts = [[1.0, 0.5], [2.0, -1.0], [4.0, 1.0]]
    others = [model(OURS.coefficients + shift, [1.0, 1.0]) for shift in shifts[:m]]
    if not there:
        others[0] = model([2.0, np.nan], [1.0, np.nan], confounded={1: ()})
    fits = Fits(NAMES, OURS, tuple(others))
    scale = replace(PLAIN, m=m, incomplete=True)
    each = each_synthesis(fits, scale)
    test, problems = pooled_test(fits, pooled(fits, each, scale), each, scale)
    assert (test is None) is bool(reason)
    assert all(reason in problem for problem in problems)
    assert len(problems) == bool(reason)
    if test is not None:
        mean, cov = np.mean(shifts, axis=0), np.cov(np.transpose(shifts)) / 3
        assert test.statistic == pytest.approx(mean @ np.linalg.solve(cov, mean) / (2 * 2))


@pytest.mark.parametrize(
    ("ours", "theirs", "reasons"),
    [
        ({}, {}, ["", "", ""]),
        ({2: (0, 1)}, {2: (0, 1)}, ["", "", "aliased in the original data"]),
        (
            {2: (0,)},
            {},
            ["confounded in the original data", "", "aliased in the original data"],
        ),
        (
            {},
            {2: (1,)},
            ["", "confounded in the synthetic data", "aliased in the synthetic data"],
        ),
        ({2: ()}, {}, ["", "", "not there in the original data"]),
        (
            {2: (0,)},
            {2: (0, 1)},
            [
                "confounded in the original data",
                "confounded in the synthetic data",
                "aliased in the original data",
            ],
        ),
    ],
)
def test_estimates_that_mean_the_same_are_compared(
    ours: Any, theirs: Any, reasons: list[str]
) -> None:
    first, other = (model([1.0] * 3, [1.0] * 3, confounded=each) for each in (ours, theirs))
    assert match(first, other) == reasons
    assert match(model([1.0], [1.0]), model([1.0], [1.0])) == [""]


def test_columns_are_scaled_by_powers_of_two() -> None:
    matrix = np.column_stack([np.full(4, 3.0), [1.0, 2.0, -1.0, 8.0], np.arange(4) * 1e-3])
    columns = Columns(matrix)
    rms = np.sqrt((matrix**2).mean(axis=0))
    assert columns.scale.tolist() == [2.0 ** round(math.log2(x)) for x in rms]
    assert columns.scaled.tolist() == (matrix / columns.scale).tolist()
    wide = np.column_stack([matrix, matrix[:, 0] * 2])
    assert Columns(wide).own.tolist() == matrix.tolist()
    assert Columns(wide).confounded == {3: (0,)}


def test_what_depends_by_a_tolerance() -> None:
    base = np.eye(3)[:, :2]
    for off, independent in ((2e-7, [0, 1, 2]), (0.5e-7, [0, 1])):
        matrix = np.column_stack([base, base[:, 0] + [0, 0, off]])
        assert Columns(matrix).independent.tolist() == independent
    zero = Columns(np.zeros((3, 2)))
    assert zero.independent.tolist() == []
    assert zero.confounded == {0: (), 1: ()}


def names(text: str) -> tuple[str, ...]:
    frame = pd.DataFrame(
        {
            "y": np.arange(6.0),
            "x": [1.0, 0, 2, 0, 3, 1],
            "g": [*"abcabc"],
            "h": [*"uvuvvu"],
        }
    )
    return make_design(read_formula(text, [*frame]), pair(frame, frame)).names


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("y ~ g + h", "(Intercept) gb gc hv"),
        ("y ~ 0 + g + h", "ga gb gc hv"),
        ("y ~ 0 + h + g", "hu hv gb gc"),
        ("y ~ 0 + x + g", "x ga gb gc"),
        ("y ~ g * h", "(Intercept) gb gc hv gb:hv gc:hv"),
        ("y ~ g:h", "(Intercept) ga:hu gb:hu gc:hu ga:hv gb:hv gc:hv"),
        ("y ~ g + g:h", "(Intercept) gb gc ga:hv gb:hv gc:hv"),
        ("y ~ h + g:h", "(Intercept) hv hu:gb hv:gb hu:gc hv:gc"),
        ("y ~ x:g", "(Intercept) x:ga x:gb x:gc"),
        ("y ~ x + x:g", "(Intercept) x x:gb x:gc"),
        ("y ~ 1", "(Intercept)"),
    ],
)
def test_contrasts_are_those_of_r(text: str, columns: str) -> None:
    assert names(text) == tuple(columns.split())


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("y ~ 0 + x", "y ~ 0 + x"),
        ("y ~ 0", "y ~ 0"),
        ("y ~ 0 + 1", "y ~ 1"),
        ("y ~ x - 0", "y ~ x"),
        ("y ~ -x + g", "y ~ g"),
        ("y ~ +x", "y ~ x"),
        ("y ~ x^1", "y ~ x"),
        ("y ~ (x + g + h)^3", "y ~ x + g + h + x:g + x:h + g:h + x:g:h"),
        ("y ~ (x + g)/h", "y ~ x + g + x:g:h"),
        ("y ~ h:g + x + g:h", "y ~ x + h:g"),
    ],
)
def test_formulas_are_printed_term_by_term(text: str, printed: str) -> None:
    assert str(read_formula(text, ["y", "x", "g", "h"])) == printed


@pytest.mark.parametrize("text", ["y ~ x^0", "y ~ x^1.5", "y ~ x + 2", "y ~ x - 2", "y ~ x^-1"])
def test_numbers_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(StudyError, match=r"needs a whole number|stands alone"):
        read_formula(text, ["y", "x"])


def test_a_term_that_no_other_contains_may_go() -> None:
    formula = read_formula("y ~ x*g + h:x", ["y", "x", "g", "h"])
    assert formula.removable == (("x", "g"), ("x", "h"))
    assert [*formula.without(("x", "h")).predictors] == ["x", "g"]
    assert not read_formula("y ~ 0 + x", ["y", "x"]).without(("x",)).intercept


@pytest.mark.parametrize(
    ("values", "family", "outcome"),
    [
        ([0.0, 1.0, 1.0], "binomial", [0, 1, 1]),
        ([0.0, 2.0, 5.0], "poisson", [0, 2, 5]),
        ([True, False, True], "gaussian", [1, 0, 1]),
        ([True, False, True], "poisson", [1, 0, 1]),
        ([True, False, True], "binomial", [1, 0, 1]),
        ([False, False, False], "gaussian", [0, 0, 0]),
        ([*"bab"], "binomial", [1, 0, 1]),
        ([*"cab"], "binomial", [1, 0, 1]),
        ([*"cab"], "multinomial", [2, 0, 1]),
    ],
)
def test_responses_as_their_families_take_them(
    values: list[Any], family: str, outcome: list[float]
) -> None:
    frame = pd.DataFrame({"y": values, "x": [1.0, 2.0, 3.0]})
    design = make_design(read_formula("y ~ x", ["y", "x"]), pair(frame, frame))
    assert outcome_of(design, 0, family).tolist() == outcome


@pytest.mark.parametrize(
    ("values", "family", "says"),
    [
        ([0.0, 1.1, 1.0], "binomial", "numbers from 0 to 1"),
        ([-0.1, 1.0, 1.0], "probit", "numbers from 0 to 1"),
        ([-1.0, 1.0, 1.0], "poisson", "needs counts"),
        ([*"aaa"], "binomial", "one level only"),
        ([*"aab"], "poisson", "needs numbers"),
    ],
)
def test_other_responses_are_refused(values: list[Any], family: str, says: str) -> None:
    frame = pd.DataFrame({"y": values, "x": [1.0, 2.0, 3.0]})
    design = make_design(read_formula("y ~ x", ["y", "x"]), pair(frame, frame))
    with pytest.raises(ColumnError, match=says):
        outcome_of(design, 0, family)


def test_a_model_needs_a_record_more_than_coefficients() -> None:
    frame = pd.DataFrame({"y": [1.0, 2, 4], "x": [1.0, 2, 3], "g": [*"aab"]})
    design = make_design(read_formula("y ~ x", [*frame]), pair(frame, frame))
    fits = fit_design(design, "gaussian")
    assert (fits.original.rank, fits.names) == (2, ("(Intercept)", "x"))
    with pytest.raises(NotComputable, match="synthetic has 3 complete record"):
        check_rank(replace(fits.original, rank=3, n=3), design, 1)
    check_rank(replace(fits.original, rank=2, n=3), design, 1)


def test_names_of_categories() -> None:
    frame = pd.DataFrame({"y": np.arange(9.0) % 4, "g": [*"abcabcacb"]})
    for family, expected in (
        ("multinomial", ("b:(Intercept)", "b:y", "c:(Intercept)", "c:y")),
        ("ordered", ("y", "a|b", "b|c")),
    ):
        design = make_design(read_formula("g ~ y", [*frame]), pair(frame, frame))
        assert fit_design(design, family).names == expected


@pytest.mark.parametrize(
    ("outcome", "binary", "columns"),
    [
        ([0, 0, 1, 1], True, [0, 1]),  # complete
        ([0, 1, 1, 1], True, [1]),  # of half of the records
        ([0, 1, 0, 1], True, []),
        ([0.5, 0.5, 1, 1], True, [1]),  # shares stay where they are
        ([0, 0, 2, 1], False, [0, 1]),
        ([3, 1, 0, 0], False, [1]),
        ([0, 1, 0, 1], False, []),
        ([1, 1, 1, 1], False, []),
    ],
)
def test_what_separates(outcome: list[float], columns: list[int], *, binary: bool) -> None:
    matrix = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    assert separating_columns(matrix, np.array(outcome, dtype=float), binary=binary) == columns
    scaled = matrix * [1e6, 1e-6]
    assert separating_columns(scaled, np.array(outcome, dtype=float), binary=binary) == columns


def test_each_column_along_which_a_direction_goes_separates() -> None:
    # The first record stays, b0 + b1 + b2 = 0; the others lose, b0 + b2 <= 0 and b0 <= 0.
    matrix, outcome = np.array([[1.0, 1, 1], [1, 0, 1], [1, 0, 0]]), np.array([1.0, 0, 0])
    assert separating_columns(matrix, outcome, binary=False) == [0, 1, 2]


def test_a_linear_model_by_hand() -> None:
    x, y = np.array([0.0, 1, 2, 3]), np.array([1.0, 2, 4, 4])
    model = fit_lm(x[:, None], y, intercept=False)
    slope = x @ y / (x @ x)
    residual = ((y - slope * x) ** 2).sum()
    assert model.coefficients == pytest.approx([slope])
    assert model.covariance[0, 0] == pytest.approx(residual / 3 / (x @ x))
    assert (model.slopes, model.rank, model.n) == (1, 1, 4)
    assert model.r2 == pytest.approx(1 - residual / (y @ y))  # about zero, as in R
    law = stats.norm(slope * x, math.sqrt(residual / 4))
    assert model.log_likelihood == pytest.approx(law.logpdf(y).sum())
    assert model.aic == pytest.approx(2 - 2 * model.log_likelihood)
    whole = fit_lm(np.column_stack([np.ones(4), x]), y, intercept=True)
    assert (whole.slopes, whole.rank) == (1, 2)
    assert whole.r2 == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    left = y - np.column_stack([np.ones(4), x]) @ whole.coefficients
    assert whole.covariance[1, 1] == pytest.approx(left @ left / 2 / ((x - 1.5) ** 2).sum())
    assert model.residual_ratio(model) == 1
    assert whole.residual_ratio(model) == pytest.approx(residual / (left @ left))
    assert _gaussian_log_likelihood(4, 0.0) == math.inf
    assert np.isnan(fit_lm(np.eye(2), np.array([1.0, 2.0]), intercept=False).covariance).all()


def test_counts_by_hand() -> None:
    y = np.array([0.0, 1, 3, 4])
    model = fit_glm(np.ones((4, 1)), y, "poisson", intercept=True)
    assert model.coefficients == pytest.approx([math.log(2)])
    assert model.log_likelihood == pytest.approx(stats.poisson.logpmf(y, 2).sum())
    assert model.null_log_likelihood == pytest.approx(model.log_likelihood)
    assert (model.slopes, model.rank, model.separated) == (0, 1, ())
    assert model.r2 == pytest.approx(0)
    assert model.covariance[0, 0] == pytest.approx(1 / 8, rel=1e-5)


def test_coefficients_are_placed_among_all_columns() -> None:
    values, spread = placed(np.array([5.0]), np.array([[2.0]]), np.array([1]), 3)
    assert np.isnan(values).tolist() == [True, False, True]
    assert (values[1], spread[1, 1]) == (5, 2)
    assert np.isnan(spread).sum() == 8


@pytest.mark.parametrize(
    ("sizes", "size"), [([4, 4], 4), ([4], 4), ([200, 100], 400 / 3), ([1, 2, 4], 12 / 7)]
)
def test_records_of_syntheses_of_several_sizes(sizes: list[int], size: float) -> None:
    assert mean_size(sizes) == pytest.approx(size)


def test_moments_leave_out_what_is_missing() -> None:
    frames = [
        pd.DataFrame({"x": values})
        for values in ([1.0, 2, 2, -8, np.nan], [-8.0, 3, np.nan], [1.0, 3, 3, 3, -8])
    ]
    data = pair(frames[0], frames[1:], missing_codes={"x": -8})
    first, few, many = moments(data, data.variables["x"])
    assert (first.n, first.mean, first.deviation) == pytest.approx((3, 5 / 3, math.sqrt(1 / 3)))
    assert few.n == 1
    assert np.isnan([few.mean, few.deviation]).all()
    assert (many.n, many.mean, many.deviation) == pytest.approx((4, 2.5, 1.0))


NOTES = ["", "fewer than two values", "a data set has one value only, so its interval has no width"]


@pytest.mark.parametrize(
    ("sets", "note"),
    [
        ([(4, 0.0, 2.0), (16, 1.0, 4.0)], 0),
        ([(4, 0.0, 2.0), (1, math.nan, math.nan)], 1),
        ([(1, math.nan, math.nan), (4, 0.0, 2.0)], 1),
        ([(4, 0.0, 0.0), (4, 0.0, 2.0)], 2),
        ([(4, 0.0, 2.0), (4, 0.0, 0.0)], 2),
    ],
)
def test_intervals_of_a_mean(sets: list[tuple[int, float, float]], note: int) -> None:
    row = _row([Moments(*each) for each in sets], 0.95)
    assert row["note"] == NOTES[note]
    if not note:
        assert (row["se_original"], row["se_synthetic"]) == (1, 1)
        assert row["overlap"] == pytest.approx(1 - 1 / (2 * Z))
        assert row["apart"] == 0
    else:
        assert np.isnan(row["overlap"])


def test_intervals_apart_are_counted_over_syntheses() -> None:
    near, far = Moments(4, 0.0, 2.0), Moments(4, 9.0, 2.0)
    row = _row([near, near, far], 0.95)
    assert row["apart"] == 0.5
    assert (row["synthetic"], row["overlap_truncated"]) == (4.5, 0.5)
    assert row["overlap"] == pytest.approx((1 + 1 - 9 / (2 * Z)) / 2)


def test_means_of_numeric_columns() -> None:
    first = pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 1, 2], "z": 1.0, "g": [*"abc"]})
    other = first.assign(y=first["y"] + 50)
    result = sdc.mean_ci_overlap(first, [first, other])
    assert (result.non_overlaps, result.share_non_overlaps) == (0.5, 0.25)
    assert result.mean == pytest.approx(0.75)
    assert list(result.by_variable.index) == ["x", "y", "z"]
    for level in (0.0, 1.0):
        with pytest.raises(StudyError, match="a share between 0 and 1"):
            sdc.mean_ci_overlap(first, first, level=level)
        with pytest.raises(StudyError, match="a share between 0 and 1"):
            sdc.survey_overlap(first, first, formula="y ~ x", level=level)


def test_a_synthesis_among_several_is_compared_by_itself() -> None:
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame({"x": rng.normal(size=30), "y": rng.normal(size=30)}) for _ in "abc"]
    single = sdc.fit_overlap(frames[0], frames[1], formula="y ~ x")
    assert list(_each(single)) == []
    assert _whole(single).lack_of_fit == single.lack_of_fit.ratio  # type: ignore[union-attr]
    assert np.isnan(_whole(replace(single, lack_of_fit=None)).lack_of_fit)
    assert single.residual_df == 28
    both = sdc.fit_overlap(frames[0], frames[1:], formula="y ~ x")
    first, _ = _each(both)
    assert first.coefficients["CIO"].tolist() == single.coefficients["CIO"].tolist()
    assert first.lack_of_fit == pytest.approx(single.lack_of_fit.ratio)  # type: ignore[union-attr]
    assert first.adjusted_r2 == both.adjusted_r2


def test_flags_of_a_fit_of_the_replica_alone() -> None:
    other = model([2.0, np.nan], [2.0, np.nan], confounded={1: ()})
    table = each_fit(Fits(NAMES, replace(OURS, separated=(0,)), (other,)))
    assert table["flag"].tolist() == ["no finite estimate", "", "", "not there, or aliased"]
    assert table["z"].tolist()[:3] == [1, 2.5, 1]


@pytest.mark.parametrize(
    ("aside", "m", "spread", "words"),
    [
        (["x"], 1, False, ["x not synthesised"]),
        (["x"], 2, False, []),
        (["z"], 1, False, []),
        ([], 1, True, ["needs more than one"]),
        ([], 2, True, ["spread over 2"]),
        ([], 4, True, ["spread over 4"]),
        ([], 5, True, []),
    ],
)
def test_how_a_synthesis_was_made_enters_errors(
    aside: list[str], m: int, words: list[str], *, spread: bool
) -> None:
    said = [*_of_synthesis(["y", "x"], aside, m, rests_on_spread=spread)]
    assert len(said) == len(words)
    assert all(word in item for word, item in zip(words, said, strict=True))


def test_where_predictors_tell_the_response_exactly_no_estimate_is_finite() -> None:
    rng = np.random.default_rng(3)
    original = pd.DataFrame({"x": np.repeat([0.0, 1.0], 40), "z": rng.normal(size=80)})
    original["won"] = rng.random(80) < 0.3 + 0.4 * original["x"]
    replica = original.assign(won=original["x"] > 0)
    with pytest.raises(NotComputable, match="no coefficient of won ~ x has a finite estimate"):
        sdc.fit_overlap(original, replica, formula="won ~ x", family="binomial")
    fits = sdc.synthetic_fit(replica, formula="won ~ x", family="binomial").fits
    assert fits["separated"].iloc[0] == ("(Intercept)", "x")


def test_moments_of_batches_are_those_of_all_records() -> None:
    batches = [
        pa.record_batch({"column": pa.array(values)})
        for values in ([1.0, 2.0, None, -8.0], [-8.0], [5.0, float("nan")], [4.0])
    ]
    data: Any = SimpleNamespace(
        names={"x": "column"}, count=lambda names, sums: sums(batches) if names == ["x"] else None
    )
    variable: Any = SimpleNamespace(name="x", missing_codes=(-8.0,))
    result = _of_batches(data, variable, 2.5)
    assert (result.n, result.mean) == (4, 3.0)
    assert result.deviation == pytest.approx(np.std([1, 2, 5, 4], ddof=1))
    each = [
        [(row["table"], row["count"]) for row in part.to_pylist()]
        for part in _Sums("column", (-8.0,), 2.5)(batches)
    ]
    assert each == [[(0, 2)], [(1, 1)], [(2, 1)]] + 2 * [[(0, 1)], [(1, 1)], [(2, 1)]]


def test_poisson_regression_starts_where_r_does() -> None:
    assert family_of("poisson").starting_mu(np.array([0.0, 2.0])).tolist() == [0.1, 2.1]
