"""What check says of columns that go out with a replica, and that nothing compares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.check import show_check


@pytest.mark.parametrize(
    ("variables", "listed"), [(["a", "b"], "c"), (["a", "c"], ""), (["b"], "c"), (None, "")]
)
def test_columns_that_nothing_compares_are_listed(
    variables: list[str] | None, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({name: rng.integers(0, 4, 60) for name in "abc"}) for _ in range(2)
    )
    show_check(sdc.Study(original, {"r": replica}, keys=["a"], targets=["b"], variables=variables))
    text = " ".join(capsys.readouterr().out.split())
    words = f"columns of replica r in no table, distance or set of keys: {listed}. Compare them"
    assert (words in text) is bool(listed)
    assert ("set of keys:" in text) is bool(listed)
