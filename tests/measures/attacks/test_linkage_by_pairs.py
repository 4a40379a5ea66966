"""Linked records beside every pair: agreement, likelihood ratios, EM, and what permuting gives."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from sdcmetrics import record_linkage
from sdcmetrics.measures.attacks import record_linkage as module

KEYS = ["a", "b", "c"]
N = 60


def two() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a file, and the same with some values of each column of other records."""
    rng = np.random.default_rng(4)
    original = pd.DataFrame(
        {name: rng.choice(list("vwxyz")[:k], N) for name, k in zip(KEYS, (2, 3, 5), strict=True)}
    )
    noisy = original.copy()
    for name, share in zip(KEYS, (0.1, 0.3, 0.2), strict=True):
        rows = rng.random(N) < share
        noisy.loc[rows, name] = rng.permutation(original[name])[rows]
    return original, noisy


ORIGINAL, NOISY = two()
EQUAL = np.stack(
    [ORIGINAL[name].to_numpy()[:, None] == NOISY[name].to_numpy() for name in KEYS], axis=-1
)
TRUE = np.eye(N, dtype=bool)


def ratios(m: np.ndarray) -> np.ndarray:
    """Sum of log likelihood ratios of every pair; of random pairs, others than the true ones."""
    u = EQUAL[~TRUE].mean(axis=0)
    return np.where(EQUAL, np.log(m / u), np.log((1 - m) / (1 - u))).sum(axis=-1).round(9)


def by_em() -> np.ndarray:
    """Chances of agreement of true pairs, of which there is one per record, by EM over pairs."""
    u, m = EQUAL[~TRUE].mean(axis=0), np.full(3, 0.9)
    for _ in range(3_000):
        of_true, of_random = (
            np.where(EQUAL, chance, 1 - chance).prod(axis=-1) for chance in (m, u)
        )
        belongs = of_true / N / (of_true / N + (1 - 1 / N) * of_random)
        m = (belongs[..., None] * EQUAL).sum(axis=(0, 1)) / belongs.sum()
    return m


@pytest.fixture(autouse=True)
def _blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let seven records be compared at a time."""
    monkeypatch.setattr(module, "_PAIRS", 7 * N + 5)


METHODS = ("hamming", "gower", "fellegi-sunter", "em")


@cache
def agreement_by(method: str) -> np.ndarray:
    """How far every pair agrees; by gower as by hamming, of categories."""
    if method in ("hamming", "gower"):
        return EQUAL.sum(axis=-1)
    return ratios(by_em() if method == "em" else EQUAL[TRUE].mean(axis=0))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_picks_the_pairs_that_agree_most(method: str) -> None:
    result = record_linkage(ORIGINAL, NOISY, keys=KEYS)
    row = result.methods.loc[method]
    agreement = agreement_by(method)
    top = agreement == agreement.max(axis=1, keepdims=True)
    picked = top / top.sum(axis=1, keepdims=True)
    assert row["risk"] == pytest.approx(picked[TRUE].mean())
    assert row["candidates"] == pytest.approx(top.sum(axis=1).mean())
    assert row["among_candidates"] == pytest.approx(top[TRUE].mean())

    centred = picked - picked.mean(axis=0) - picked.mean(axis=1, keepdims=True) + picked.mean()
    deviation = np.sqrt((centred**2).sum() / (N - 1)) / N  # of the mean of records permuted
    assert row["z"] == pytest.approx((row["risk"] - 1 / N) / deviation)
    if method == result.worst:
        assert result.per_record["risk"].tolist() == pytest.approx(picked[TRUE].tolist())


@pytest.mark.parametrize(("pairs", "sizes"), [(7 * N + 5, [7] * 8 + [4]), (1, [1] * N)])
def test_no_more_pairs_are_held_than_fit(
    pairs: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAIRS", pairs)
    codes = np.zeros((1, N), dtype=np.int64)
    assert [len(rows) for rows, _ in module._Agreements(codes, codes)._blocks()] == sizes


def test_the_rank_is_that_of_the_true_record_among_all() -> None:
    result = record_linkage(ORIGINAL, NOISY, keys=KEYS)
    ranks = rankdata(-agreement_by("fellegi-sunter"), axis=1)[TRUE]
    assert result.per_record["rank"].tolist() == ranks.tolist()
    assert result.baseline == 1 / N


def test_a_weight_is_the_sum_of_the_logarithms_of_likelihood_ratios() -> None:
    equal = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    m, u = np.array([0.9, 0.6]), np.array([0.2, 0.3])
    ratios = [0.1 / 0.8 * 0.4 / 0.7, 0.9 / 0.2 * 0.4 / 0.7, 0.1 / 0.8 * 0.6 / 0.3, 4.5 * 2]
    assert module._weights(equal, m, u).tolist() == pytest.approx(np.log(ratios))
    never, always = np.array([0.0]), np.array([1.0])  # of which a millionth is left
    assert module._weights(equal[:1, :2], always, never).tolist() == pytest.approx(
        np.log([1e-6 / (1 - 1e-6), (1 - 1e-6) / 1e-6])
    )


def test_keys_that_always_agree_are_as_certain_as_so_few_records_can_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A chance of 1 of so few true pairs is 1 - 1/2n, and what disagrees is not impossible."""
    chances: list[Any] = []
    weigh = module._weights
    monkeypatch.setattr(
        module, "_weights", lambda equal, m, u: (chances.append([m, u]), weigh(equal, m, u))[1]
    )
    file = pd.DataFrame({"a": list("vvvwww"), "b": list("xyzxyz"), "c": list("xxyyzz")})
    other = file.assign(c=list("yyzzxx"), b=list("xyzxzy"))
    equal = np.stack(
        [file[name].to_numpy()[:, None] == other[name].to_numpy() for name in KEYS], axis=-1
    )
    true = np.eye(6, dtype=bool)
    m, u = np.array([1 - 1 / 12, 4 / 6, 1 / 12]), equal[~true].mean(axis=0)
    weights = np.where(equal, np.log(m / u), np.log((1 - m) / (1 - u))).sum(axis=-1).round(9)
    top = weights == weights.max(axis=1, keepdims=True)
    row = record_linkage(file, other, keys=KEYS).methods.loc["fellegi-sunter"]
    assert [part.tolist() for part in chances[0]] == [pytest.approx(m), pytest.approx(u)]
    assert row["risk"] == pytest.approx((top / top.sum(axis=1, keepdims=True))[true].mean())
    assert row["candidates"] == pytest.approx(top.sum(axis=1).mean())
