"""The map of risk and utility: what stands at the very ends of its axes, and what stands apart."""

from __future__ import annotations

import re

import pytest

from sdcmetrics.report.figures import scatter, svg
from sdcmetrics.report.figures.charts import Point, Scatter
from sdcmetrics.report.figures.labels import Box, Labels
from sdcmetrics.report.figures.scatter import _apart, _roundness, _rows, draw_scatter

LEFT, RIGHT, TOP, BOTTOM = 62.0, 380.0, 30.0, 268.0


def drawn(*places: tuple[float, float], marks: tuple[tuple[float, str], ...] = ()) -> str:
    points = tuple(Point(f"p{i}", x, y, "t") for i, (x, y) in enumerate(places))
    return draw_scatter(Scatter("t", "d", "x", "y", points, marks), "map")


def texts(drawing: str, pattern: str) -> list[str]:
    return re.findall(rf">({pattern})</text>", drawing)


def test_limits_at_the_ends_of_the_axis_are_drawn_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boxes: list[Box] = []
    monkeypatch.setattr(
        scatter, "Labels", lambda *given: (boxes.extend(given[2]), Labels(*given))[1]
    )
    low, high = 1.0 / 1.4, 3.0 * 1.4
    marks = ((low, "low"), (low * 0.999, "out"), (high, "high"), (high * 1.001, "out"))
    drawing = drawn((1.0, 5.0), (3.0, 5.0), marks=marks)
    assert texts(drawing, "(?:low|high|out)[^<]*") == [f"low {low:g}", f"high {high:g}"]
    dashes = re.findall(r'<line x1="([\d.]+)"[^>]*stroke-dasharray', drawing)
    assert [*map(float, dashes)] == [LEFT, RIGHT]
    lines = [(x - 1, TOP - 6, x + 1, BOTTOM) for x in (LEFT, RIGHT)]
    assert boxes[2:] == [pytest.approx(line) for line in lines]  # what names of points leave free


def test_ticks_at_the_ends_of_the_axis_are_drawn() -> None:
    assert (0.7 / 1.4, 5 / 1.4 * 1.4) == (0.5, 5)
    for largest, last in ((5 / 1.4, 5), (4.9 / 1.4, 2)):
        drawing = drawn((0.7, 5.0), (max(largest, 3.0), 5.0))
        ticks = re.findall(r'<line x1="([\d.]+)" y1="268" x2="\1" y2="272"', drawing)
        assert len(ticks) == [0.5, 1, 2, 5].index(last) + 1
        assert float(ticks[-1]) <= RIGHT


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        ((0.0, 19.0), ["0", "5", "10", "15", "20"]),
        ((3.0, 19.0), ["0", "5", "10", "15", "20"]),
        ((-3.0, 12.0), ["\N{MINUS SIGN}4", "2", "8", "14", "20"]),
    ],
)
def test_the_axis_begins_at_0_or_below_all_points(
    values: tuple[float, ...], axis: list[str]
) -> None:
    drawing = drawn(*((1.0, y) for y in values))
    assert texts(drawing, "[^<]* %") == [f"{end} %" for end in axis]
    heights = re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', drawing)
    low, high = (float(end.replace("\N{MINUS SIGN}", "-")) for end in (axis[0], axis[-1]))
    for height, value in zip(heights, values, strict=True):
        expected = BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)
        assert float(height) == pytest.approx(expected, abs=0.06)


def test_names_that_just_leave_a_gap_stand_apart() -> None:
    room = svg.text_width("abcd") + 4  # half of each, and the gap
    assert _apart(0.0, "abcd", room, "abcd")
    assert _apart(room, "abc", 0.0, "abcde")
    assert not _apart(0.0, "abcd", room - 0.01, "abcd")
    assert _rows([(0.0, "a"), (0.0, "a"), (100.0, "a"), (0.0, "a"), (100.0, "a")]) == [
        0,
        1,
        0,
        2,
        1,
    ]


def test_powers_of_ten_are_written_before_fives_and_twos() -> None:
    ticks = (0.5, 1, 2, 5, 10, 20, 50)
    assert sorted(ticks, key=_roundness) == [1, 10, 0.5, 5, 50, 2, 20]
