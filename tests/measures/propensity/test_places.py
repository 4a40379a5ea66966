"""What the holdout is expected to score by propensity models, beside each replica."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc


def drawn(seed: int, n: int, columns: int) -> pd.DataFrame:
    levels = np.random.default_rng(seed).integers(0, 3, (n, columns))
    return pd.DataFrame(levels, columns=[f"x{i}" for i in range(columns)]).astype(str)


def expected(original: pd.DataFrame, *syntheses: pd.DataFrame) -> pd.Series[float]:
    study = sdc.Study(
        original, {"a": list(syntheses)}, keys=["x0"], targets=["x1"], propensity=True
    )
    rows = sdc.conduct(study).frame
    rows = rows[rows["metric"] == "S_pMSE_logit"]
    return rows.set_index("synthesis")["fresh"]


def test_with_enough_records_it_is_one_and_the_ratio_of_sizes() -> None:
    found = expected(drawn(1, 40, 5), drawn(2, 20, 5), drawn(3, 60, 5))
    assert found.loc[[1.0, 2.0]].tolist() == [1.5, 2.5]
    assert found.loc[np.nan] == 2.0


@pytest.mark.long
def test_with_fewer_it_is_the_mean_over_permuted_labels() -> None:
    original, replica = drawn(1, 40, 14), drawn(2, 30, 14)
    both = pd.concat([original, replica], ignore_index=True)
    rng = np.random.default_rng(5)
    permuted = []
    for _ in range(100):
        order = rng.permutation(70)
        one, other = both.iloc[order[:40]], both.iloc[order[40:]]
        permuted.append(sdc.utility_gen(one, other, method="logit", maxorder=0).s_p_mse)
    [found] = expected(original, replica)
    assert found > 1.95  # 1 + 30/40 would be too little
    assert found == pytest.approx(np.mean(permuted), rel=0.1)
