"""The keys of bars stand beside each other as far as there is room."""

from __future__ import annotations

import pytest

from sdcmetrics.report.figures import bars
from sdcmetrics.report.figures.charts import Bars, Series


@pytest.mark.parametrize(
    ("width", "places"),
    [
        (224.0, [(0.0, 0), (270.0, 0), (0.0, 1)]),  # two fill a line
        (224.5, [(0.0, 0), (0.0, 1), (0.0, 2)]),
        (134.0, [(0.0, 0), (180.0, 0), (360.0, 0)]),
        (600.0, [(0.0, 0), (0.0, 1), (0.0, 2)]),  # the first one stands in the first line
    ],
)
def test_a_key_begins_a_line_where_it_would_end_beyond_the_width(
    width: float, places: list[tuple[float, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars.svg, "text_width", lambda *_: width)
    monkeypatch.setattr(bars.svg, "shorten", lambda name, _: name)
    assert [key[:2] for key in bars._legend(["a", "b", "c"])] == places


def test_the_ends_of_steps_do_not_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    room: list[float] = []
    monkeypatch.setattr(bars.svg, "shorten", lambda name, most, _: (room.append(most), name)[1])
    series = tuple(Series(name, (50.0, 50.0), ("", "")) for name in "ab")
    bars.draw_steps(Bars("t", "d", ("low", "high"), series, end=100.0), "i")
    low, high = room
    ends = bars._LEFT + low, bars._STEPS_WIDTH - bars._RIGHT - high
    assert ends[0] + bars._BETWEEN == ends[1]  # no more is cut than need be
    assert low == high
