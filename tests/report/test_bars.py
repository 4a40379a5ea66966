"""The keys of bars stand beside each other as far as there is room."""

from __future__ import annotations

import pytest

from sdcmetrics.report.figures import bars


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
