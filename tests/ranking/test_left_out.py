"""How many records are left out of a file at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.ranking.uncertainty import _fewer


@pytest.mark.parametrize(("n", "left"), [(2, 1), (9, 8), (10, 9), (19, 18), (20, 18), (105, 95)])
def test_a_tenth_is_left_out_and_one_record_at_least(n: int, left: int) -> None:
    data = as_microdata(pd.DataFrame({"x": range(n)}), "replica")
    drawn = _fewer(data, np.random.default_rng(1)).to_pandas()["x"].tolist()
    assert len(drawn) == left
    assert drawn == sorted(set(drawn))
    others = _fewer(data, np.random.default_rng(2)).to_pandas()["x"].tolist()
    assert n < 9 or drawn != others
