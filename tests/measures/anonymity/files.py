"""Small files with missing keys, drawn by hypothesis, and the recorded data."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import strategies as st

SHARED = Path(__file__).parents[4] / "shared"
RISK = SHARED / "reference" / "risk"
recorded = pytest.mark.skipif(
    not RISK.is_dir(), reason="the recorded answers are not in this checkout"
)

_LEVELS = st.sampled_from(["a", "b", "c", None])


@st.composite
def files(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a file of two to four text columns, some values missing."""
    columns = draw(st.integers(2, 4))
    rows = draw(st.lists(st.tuples(*[_LEVELS] * columns), min_size=1, max_size=12))
    return pd.DataFrame(rows, columns=[f"x{i}" for i in range(columns)], dtype="str")


def demo() -> pd.DataFrame:
    """Return the original that the recorded answers are about."""
    return pd.read_csv(SHARED / "data" / "demo" / "original.csv")
