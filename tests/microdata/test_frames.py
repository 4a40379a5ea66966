"""Data frames as they are taken: columns of several kinds of values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd

from sdcmetrics.microdata.frames import Fix, as_microdata


def test_values_of_several_kinds_are_read_as_text_and_what_is_missing_stays_missing() -> None:
    texts = {0: "1", 1: "1", 2: "a", 6: "[1, 2]", 7: "[None]", 8: "TRUE", 9: "2.5", 10: "\\ud800"}
    values = [1, 1.0, "a", None, np.nan, pd.NA, [1, 2], [None], True, Decimal("2.50"), "\ud800"]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object), "y": range(len(values))})
    data = as_microdata(frame, "replica")
    assert data.column("x").to_pylist() == [texts.get(i) for i in range(len(values))]
    assert data.fixes == (
        Fix("replica", "x", "mixes kinds of values; all were read as text", len(values)),
    )
