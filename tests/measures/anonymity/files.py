"""Small files with missing keys, drawn by hypothesis."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

_LEVELS = st.sampled_from(["a", "b", "c", None])


@st.composite
def files(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a file of two to four text columns, some values missing."""
    columns = draw(st.integers(2, 4))
    rows = draw(st.lists(st.tuples(*[_LEVELS] * columns), min_size=1, max_size=12))
    return pd.DataFrame(rows, columns=[f"x{i}" for i in range(columns)], dtype="str")
