"""The discrete Gaussian: its law, exactly, and that it follows from secret and question."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.release.sampler import (
    KeyedBits,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    uniform,
)

SECRET = bytes(range(32))
LEAST = 1e-4
"""Of p values of laws that are right: the seed is fixed, so a test fails always or never."""


def bits(name: str) -> KeyedBits:
    return KeyedBits(SECRET, name.encode())


def chi_square(draws: list[int], law: dict[int, float]) -> float:
    """Return the p value of draws under a law; what is rare goes together."""
    n, counts = len(draws), Counter(draws)
    frequent = [k for k, chance in law.items() if n * chance >= 10]
    observed = [counts[k] for k in frequent]
    expected = [n * law[k] for k in frequent]
    observed.append(n - sum(observed))
    expected.append(n - sum(expected))
    return float(stats.chisquare(observed, expected).pvalue)


def gaussian(variance: float) -> dict[int, float]:
    reach = math.ceil(12 * math.sqrt(variance)) + 3
    weight = {k: math.exp(-k * k / (2 * variance)) for k in range(-reach, reach + 1)}
    return {k: w / sum(weight.values()) for k, w in weight.items()}


def laplace(scale: int) -> dict[int, float]:
    q = math.exp(-1 / scale)
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-60 * scale, 60 * scale + 1)}


@pytest.mark.parametrize(
    "variance", [Fraction(1, 4), Fraction(139, 128), Fraction(7), Fraction(33 * 1024 + 77, 1024)]
)
def test_draws_have_the_law(variance: Fraction) -> None:
    source = bits(f"law {variance}")
    draws = [discrete_gaussian(variance, source) for _ in range(10_000)]
    assert chi_square(draws, gaussian(float(variance))) > LEAST


def test_the_chi_square_notices_a_rounded_gaussian() -> None:
    # Half of a discrete Gaussian of variance 1/4 would be seen: the test above can fail.
    rounded = np.rint(np.random.default_rng(1).normal(0, 0.5, 10_000)).astype(int).tolist()
    assert chi_square(rounded, gaussian(0.25)) < LEAST


def test_draws_for_separate_questions_have_the_law_too() -> None:
    draws = [discrete_gaussian(Fraction(4), bits(f"question {i}")) for i in range(10_000)]
    assert chi_square(draws, gaussian(4.0)) > LEAST


def test_questions_are_independent() -> None:
    first = [discrete_gaussian(Fraction(4), bits(f"a {i}")) for i in range(4_000)]
    second = [discrete_gaussian(Fraction(4), bits(f"b {i}")) for i in range(4_000)]
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / math.sqrt(4_000)
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 4 / math.sqrt(4_000)


@pytest.mark.parametrize("scale", [1, 2, 5])
def test_the_laplace_law(scale: int) -> None:
    source = bits(f"laplace {scale}")
    draws = [discrete_laplace(scale, source) for _ in range(10_000)]
    assert chi_square(draws, laplace(scale)) > LEAST


@pytest.mark.parametrize("gamma", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_the_exponential_coin(gamma: Fraction) -> None:
    source = bits(f"coin {gamma}")
    heads = sum(bernoulli_exp(gamma.numerator, gamma.denominator, source) for _ in range(10_000))
    assert stats.binomtest(heads, 10_000, math.exp(-gamma)).pvalue > LEAST


def test_certain_coins() -> None:
    source = bits("certain")
    assert all(bernoulli_exp(0, 1, source) for _ in range(50))
    assert not any(bernoulli_exp(60, 1, source) for _ in range(50))


def test_uniform_numbers() -> None:
    source = bits("uniform")
    assert uniform(1, source) == 0
    counts = Counter(uniform(6, source) for _ in range(6_000))
    assert stats.chisquare([counts[i] for i in range(6)]).pvalue > LEAST


def test_the_same_question_has_the_same_noise_and_another_has_not() -> None:
    def draws(secret: bytes, question: bytes) -> list[int]:
        source = KeyedBits(secret, question)
        return [discrete_gaussian(Fraction(900), source) for _ in range(20)]

    assert draws(SECRET, b"n") == draws(SECRET, b"n")
    assert draws(SECRET, b"n") != draws(SECRET, b"m")
    assert draws(SECRET, b"n") != draws(bytes(32), b"n")


def test_bits_come_in_order_whatever_their_width() -> None:
    whole = bits("width").draw_bits(600)
    source = bits("width")
    parts = [source.draw_bits(width) for width in (1, 255, 3, 300, 41)]
    joined = 0
    for part, width in zip(parts, (1, 255, 3, 300, 41), strict=True):
        joined = joined << width | part
    assert joined == whole
