"""Steps of a backward elimination, and lacks of fit, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.measures.fits.backward_elimination import _choose, _p_value, _Step


def model(**of: Any) -> Any:
    return SimpleNamespace(**{"linear": True, "slopes": 2, "n": 25, **of})


def test_the_f_test_is_of_the_terms_that_were_left_out() -> None:
    larger = model(rank=5, log_likelihood=-10.0, residual_ratio=lambda _: 1.5)
    smaller = model(rank=3, log_likelihood=-12.0)
    # half more is left of 20 degrees of freedom, for two terms: 5
    assert _p_value(larger, smaller, "gaussian") == pytest.approx(stats.f.sf(5, 2, 20))
    assert _p_value(larger, smaller, "binomial") == pytest.approx(stats.chi2.sf(4, 2))
    assert _p_value(larger, model(rank=3, log_likelihood=-9.0), "poisson") == 1
    assert _p_value(larger, model(rank=5), "gaussian") == 1


@pytest.mark.parametrize(
    ("criterion", "values", "chosen"),
    [
        ("p", [0.3, 0.5, 0.2], 1),
        ("p", [0.05, 0.01, 0.02], None),
        ("p", [0.051, 0.01, 0.02], 0),
        ("aic", [10.0, 8.0, 9.0], 1),
        ("aic", [10.0, 9.5, 10.0], None),  # as good as it is
        ("adjusted_r2", [0.4, 0.6, 0.5], 1),
        ("adjusted_r2", [0.4, 0.5, 0.3], None),
    ],
)
def test_the_term_that_tells_least_goes_if_the_rest_is_better(
    criterion: str, values: list[float], chosen: int | None
) -> None:
    whole = model(aic=9.5, rank=1, r2=0.5, slopes=0, n=10**12)
    tried = [
        _Step(
            None,  # type: ignore[arg-type]
            None,  # type: ignore[arg-type]
            model(aic=value, rank=1, r2=value, slopes=0, n=10**12),
            value,
        )
        for value in values
    ]
    step = _choose(tried, whole, criterion, 0.05)
    assert step is (None if chosen is None else tried[chosen])


def line(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": 1 + 2 * x + rng.normal(size=n)})


def test_the_lack_of_fit_of_a_replica_of_another_size() -> None:
    original, replicas = line(80, 1), [line(40, 2), line(40, 3)]

    def fitted(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        design = np.column_stack([np.ones(len(frame)), frame["x"]])
        estimate, residual, *_ = np.linalg.lstsq(design, frame["y"], rcond=None)
        return estimate, residual[0] / (len(frame) - 2) * np.linalg.inv(design.T @ design)

    estimate, covariance = fitted(original)
    result = sdc.fit_overlap(original, replicas, formula="y ~ x")
    apart = [fitted(replica)[0] - estimate for replica in replicas]
    expected = [far @ np.linalg.solve(covariance * 80 / 40, far) for far in apart]
    assert result.lack_of_fit_per_synthesis["statistic"].tolist() == pytest.approx(expected)
    mean = (apart[0] + apart[1]) / 2
    assert result.lack_of_fit is not None
    assert result.lack_of_fit.statistic == pytest.approx(
        mean @ np.linalg.solve(covariance * 80 / (2 * 40), mean)
    )
