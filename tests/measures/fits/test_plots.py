"""Coefficients are drawn with both their intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sdcmetrics as sdc
from tests.axes import ORIGINAL, REPLICA, named, ticks

pytestmark = pytest.mark.usefixtures("plots")


def test_coefficients_have_both_intervals() -> None:
    result = sdc.fit_overlap(ORIGINAL, REPLICA, formula="age ~ place + ill")
    ax = result.plot()
    original, synthetic = ax.containers
    rows = result.coefficients
    shift = (rows["synthetic"] - rows["original"]) / rows["se_original"]
    assert original.lines[0].get_xdata().tolist() == [0.0] * len(rows)
    assert synthetic.lines[0].get_xdata() == pytest.approx(shift.to_numpy())
    ends = np.array([segment[:, 0] for segment in synthetic.lines[2][0].get_segments()])
    half = 1.959964 * rows["se_synthetic"] / rows["se_original"]
    assert ends[:, 1] - ends[:, 0] == pytest.approx(2 * half.to_numpy(), rel=1e-6)
    assert ticks(ax) == list(rows.index)
    places = np.arange(len(rows))
    assert original.lines[0].get_ydata() == pytest.approx(places - 0.12)
    assert synthetic.lines[0].get_ydata() == pytest.approx(places + 0.12)
    assert ax.get_xlabel() == "difference in standard errors, 95 % intervals"
    assert named(ax)


def test_coefficients_of_any_size_are_drawn_but_not_those_without_an_error() -> None:
    original, replica = (data.assign(income=1e4 * data["age"] ** 2) for data in (ORIGINAL, REPLICA))
    result = sdc.fit_overlap(original, replica, formula="income ~ age + place")
    assert result.coefficients["se_original"].min() > 1
    assert ticks(result.plot()) == list(result.coefficients.index)
    errors = result.coefficients.assign(se_original=[0.0, 0.5, 2.0])
    ax = replace(result, coefficients=errors).plot()
    assert ticks(ax) == list(errors.index[1:])
