"""How many records are left out of a file at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.ranking.uncertainty import _fewer


@pytest.mark.parametrize("in_batches", [False, True])
@pytest.mark.parametrize(("n", "left"), [(2, 1), (9, 8), (10, 9), (19, 18), (20, 18), (105, 95)])
def test_a_tenth_is_left_out_and_one_record_at_least(
    n: int, left: int, *, in_batches: bool
) -> None:
    frame = pd.DataFrame({"x": range(n)})
    data = scan(frame) if in_batches else as_microdata(frame, "replica")
    drawn, others = (
        _fewer(data, np.random.default_rng(seed)).column("x").to_pylist() for seed in (1, 2)
    )
    assert len(drawn) == left
    assert drawn == sorted(set(drawn))
    assert n < 9 or drawn != others
