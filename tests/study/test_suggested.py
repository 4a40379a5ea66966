"""What a first study is guessed from: values that look like codes."""

from __future__ import annotations

import pandas as pd
import pytest

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.study.suggested import suggest


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([-9, 1, 2, 3], (-9.0,)),
        ([-9, -8, 5], (-9.0, -8.0)),
        ([-9, 0, 0, 0], None),  # nothing is above 0
        ([-9, -7.5, 5], None),  # one of them is no code
        ([1, 2, 99], (99.0,)),
        ([1, 65, 99], (99.0,)),
        ([1, 66, 99], None),  # not half as far again as the rest
        ([0, 1, 9], None),
        ([0, 0.5, 99], (99.0,)),
        ([-9, 1, 99], (-9.0, 99.0)),
    ],
)
def test_numbers_at_an_end_that_look_like_codes(
    values: list[float], codes: tuple[float, ...] | None
) -> None:
    frame = pd.DataFrame({"x": values * 4, "y": list("ab") * (2 * len(values))})
    data = as_microdata(frame, "original")
    assert suggest(data, [data]).missing_codes.get("x") == codes
