"""A sample's risks as numbers in percent."""

from __future__ import annotations

import math

from sdcmetrics.measures.anonymity.sampled import Computed
from sdcmetrics.results import Counted, Share


def test_values_are_in_percent_and_nan_where_there_is_none() -> None:
    computed = Computed({"shares": Share(3, 8), "counted": Counted(12.5, 1, 4)}, "", ())
    assert computed.number("shares") == 37.5
    assert computed.number("counted") == 12.5
    assert math.isnan(computed.number("other"))
