"""Tables of a designed sample beside z-tests of one share and Pearson's chi-square."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, f

from sdcmetrics.measures.crosstables import weighted
from sdcmetrics.measures.crosstables.weighted import two_samples
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design

NAMES = (
    "cells", "df", "TVD", "TVD_expected", "TVD_drawn", "ROC", "VW", "S_VW", "design_effect",
    "S_VW_fresh", "S_VW_corrected", "p", "p_first_order", "p_unweighted", "p_drawn",
)  # fmt: skip
ORIGINAL = np.repeat([0, 1], [12, 8])
SYNTHETIC = np.repeat([0, 1], [4, 6])
POOLED = 16 / 30
ERROR = 0.24 / 19  # of a share of 12 of 20
DRAW = POOLED * (1 - POOLED) / 10
PAIRS = SurveyDesign(np.ones(10), np.zeros(10, dtype=np.int64), np.repeat(np.arange(5), 2))


def compared(
    own: SurveyDesign | None = None, design: SurveyDesign | None = None
) -> dict[str, float]:
    designs = design or simple_design(20), own or simple_design(10)
    values = two_samples(ORIGINAL, SYNTHETIC, 2, *designs)
    return dict(zip(NAMES, values, strict=True))


def test_of_two_cells_it_is_the_test_of_one_share() -> None:
    result = compared()
    assert (result["cells"], result["df"]) == (2, 1)
    assert result["TVD"] == pytest.approx(0.2)
    assert result["ROC"] == pytest.approx(2 / 3)
    assert result["TVD_expected"] == pytest.approx(math.sqrt(2 / math.pi * (ERROR + DRAW)))
    assert result["TVD_drawn"] == pytest.approx(math.sqrt(2 / math.pi * 0.24 / 10))
    square = 0.04 / (ERROR + DRAW)
    assert result["p_first_order"] == pytest.approx(chi2.sf(square, 1))
    assert result["p"] == pytest.approx(f.sf(square, 1, 19))
    vw = 10 * 0.04 * (1 / POOLED + 1 / (1 - POOLED))
    assert result["VW"] == result["S_VW"] == pytest.approx(vw)
    assert result["p_drawn"] == pytest.approx(chi2.sf(vw, 1))
    pearson = chi2_contingency([[12, 8], [4, 6]], correction=False)
    assert result["p_unweighted"] == pytest.approx(pearson.pvalue)
    effect = 20 * ERROR * (1 / POOLED + 1 / (1 - POOLED))
    assert result["design_effect"] == pytest.approx(effect)
    assert result["S_VW_fresh"] == pytest.approx(1 + effect / 2)
    assert math.isnan(result["S_VW_corrected"])


def test_a_replica_that_is_a_sample_has_its_own_error() -> None:
    result = compared(PAIRS)
    own = (2 * 0.12**2 + 3 * 0.08**2) * 5 / 4  # two pairs of the first cell, three of the other
    square = 0.04 / (ERROR + own)
    assert result["p_first_order"] == pytest.approx(chi2.sf(square, 1))
    assert result["p"] == pytest.approx(f.sf(square, 1, 4))  # five pairs less one
    assert result["p_drawn"] == pytest.approx(f.sf(0.04 / own, 1, 4))
    assert result["TVD_expected"] == pytest.approx(math.sqrt(2 / math.pi * (ERROR + own)))
    assert result["TVD_drawn"] == pytest.approx(math.sqrt(2 / math.pi * own))


def test_weights_count_people() -> None:
    weights = np.where(np.arange(20) < 12, 1.0, 3.0)  # 12 and 24 of 36
    design = SurveyDesign(weights, np.zeros(20, dtype=np.int64), np.arange(20))
    result = compared(design=design)
    assert result["TVD"] == pytest.approx(0.4 - 1 / 3)
    assert result["ROC"] == pytest.approx(((1 / 3) / 0.4 + 0.6 / (2 / 3)) / 2)
    # influences: 12 of (2/3) / 36, 8 of -3 (1/3) / 36; squares times 20 / 19
    error = (12 * (2 / 3) ** 2 + 8) / 36**2 * 20 / 19
    pooled = (20 / 3 + 4) / 30
    square = (0.4 - 1 / 3) ** 2 / (error + pooled * (1 - pooled) / 10)
    assert result["p"] == pytest.approx(f.sf(square, 1, 19))


def test_of_very_many_cells_only_the_first_order_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    full = [compared(), compared(PAIRS)]
    monkeypatch.setattr(weighted, "MOST_CELLS", 2)
    assert compared() == pytest.approx(full[0], nan_ok=True)
    monkeypatch.setattr(weighted, "MOST_CELLS", 1)
    for own, whole in zip((None, PAIRS), full, strict=True):
        result = compared(own)
        unknown = {"p", "p_drawn"} if own else {"p"}
        for name in NAMES:
            expected = math.nan if name in unknown else whole[name]
            assert result[name] == pytest.approx(expected, nan_ok=True)


def test_one_cell_is_all_there_is() -> None:
    cells = np.zeros(4, dtype=int), np.zeros(3, dtype=int)
    values = two_samples(*cells, 1, simple_design(4), simple_design(3))
    result = dict(zip(NAMES, values, strict=True))
    assert (result["cells"], result["df"], result["TVD"], result["ROC"], result["VW"]) == (
        1,
        0,
        0,
        1,
        0,
    )
    assert all(math.isnan(result[name]) for name in NAMES[7:])
