"""What a model takes is announced: no less than it does, and not much more."""

from __future__ import annotations

import logging
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.propensity import fitter as subject
from sdcmetrics.measures.propensity.cart import TreeRules
from sdcmetrics.measures.propensity.fitter import fitter, memory_of, prepare_pair
from sdcmetrics.measures.propensity.model_matrix import count_parameters, terms_of


def drawn(seed: int, n: int, levels: Sequence[int]) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns = {f"x{j}": rng.integers(0, k, n).astype(str) for j, k in enumerate(levels)}
    return pd.DataFrame(columns | {"z": rng.normal(size=n)})


@pytest.mark.parametrize(
    ("n", "levels", "order"),
    [(4_000, (900, 5), 0), (2_000, (13, 13, 13, 13), 1)],  # a text of many levels; pairs of columns
)
def test_a_fit_takes_what_is_announced(n: int, levels: Sequence[int], order: int) -> None:
    first, other = (drawn(seed, n, levels) for seed in (1, 2))
    _, prepared, _ = prepare_pair(first, other, None, None, None)
    stacked = prepared.put_together(1, 0)
    parameters = count_parameters(stacked.predictors, order)
    announced = memory_of(parameters, 2 * n, len(terms_of(len(stacked.predictors), order)))
    fit = fitter("logit", order, None, TreeRules(), k_syn=False)
    fit(prepared, 1, 0).observed()  # loads what it needs
    tracemalloc.start()
    model = fit(prepared, 1, 0)
    model.observed()
    model.by_variable()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= announced <= 1.3 * peak


def test_what_a_large_model_takes_is_told_before(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "_HUGE", 2)
    first = pd.DataFrame({"x": list("abc") * 10})
    _, prepared, _ = prepare_pair(first, first[:20], None, None, None)
    with caplog.at_level(logging.WARNING):
        fitter("logit", 0, None, TreeRules(), k_syn=False)(prepared, 1, 0)
    parameters, records, steps, memory, more = caplog.records[0].args  # type: ignore[misc]
    assert (parameters, records) == (3, 50)
    assert steps == 3**3 / 3
    assert memory == 1e-9 * memory_of(3, 50, 2)
    assert more == pytest.approx(1e-9 * 8 * 3**2 * subject._RELABELLED)
    monkeypatch.setattr(subject, "_HUGE", 3)
    fitter("logit", 0, None, TreeRules(), k_syn=False)(prepared, 1, 0)
    assert len(caplog.records) == 1
