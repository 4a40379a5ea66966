"""The heat map: where keys wrap, and a picture of many variables."""

from __future__ import annotations

import re

import pytest

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Band, Heat, HeatCell
from sdcmetrics.report.figures.heat import PALETTE, _dot, _keys, draw_heat

BANDS = (Band("up to 1", "plain"), Band("above", "fail"), Band("none", "mid"))


def heat(n: int, cells: tuple[HeatCell, ...] = (), *, named: bool = True) -> Heat:
    return Heat("t", "d", tuple(f"v{i}" for i in range(n)), BANDS, cells, named)


def test_a_key_that_just_fits_is_on_the_same_line() -> None:
    wide = [26 + svg.text_width(band.text) for band in BANDS]
    second = wide[0] + 16
    assert _keys(heat(3), second + wide[1]) == [(0, 0), (second, 0), (0, 1)]
    assert _keys(heat(3), second + wide[1] - 0.1) == [(0, 0), (0, 1), (wide[1] + 16, 1)]
    assert _keys(heat(3), 1.0) == [(0, 0), (0, 1), (0, 2)]  # wider than the figure, all the same


def test_a_picture_is_as_wide_as_a_page_and_a_dot_is_a_point_at_least() -> None:
    assert [_dot(heat(n)) for n in (100, 300, 401, 600, 900, 1300)] == [6, 2, 1, 1, 1, 1]


def test_cells_of_a_picture_that_look_alike_are_one_line() -> None:
    cells = tuple(
        HeatCell(row, column, "", band)
        for row, bands in ((1, (0,)), (2, (0, 0)), (3, (1, 0, 1)), (4, (1, 1, 1, 2)))
        for column, band in enumerate(bands)
    )
    drawing = draw_heat(heat(100, cells, named=False), "x")
    paths = {
        color: re.findall(r"M(\d+),([\d.]+)h(\d+)", path)
        for path, color in re.findall(r'<path d="([^"]*)"[^>]*stroke="([^"]*)"', drawing)
    }
    below = 30 + 19 * _keys(heat(100), 326.0)[-1][1]

    def lines(*places: tuple[int, int, int]) -> list[tuple[str, str, str]]:
        return [(str(6 * x), f"{below + 6 * (y + 0.5):g}", str(6 * n)) for x, y, n in places]

    assert paths == {
        PALETTE["plain"][0]: lines((0, 1, 1), (0, 2, 2), (1, 3, 1)),
        PALETTE["fail"][0]: lines((0, 3, 1), (2, 3, 1), (0, 4, 3)),
        PALETTE["mid"][0]: lines((3, 4, 1)),
    }


def test_keys_stand_in_lines_above_the_cells() -> None:
    bands = tuple(Band("x" * letters, "plain") for letters in (30, 20, 3))
    chart = Heat("t", "d", ("a", "b"), bands, (HeatCell(1, 0, "7", 0),))
    drawing = draw_heat(chart, "x")
    places = _keys(chart, 326.0)
    assert [line for _, line in places] == [0, 1, 1]
    rects = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)"', drawing)
    below = 30 + 19 + 24 + 0.5
    numbers = [*((x + 0.5, 2.0 + 19 * line) for x, line in places), (0.5, below)]
    assert [(float(x), float(y)) for x, y in rects] == [
        (pytest.approx(x, abs=0.06), y) for x, y in numbers
    ]
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>x+<', drawing)
    assert [float(y) for _, y in texts] == [13.0, 32.0, 32.0]


def test_a_long_name_ends_within_the_figure() -> None:
    chart = Heat("t", "d", ("n" * 60,) * 6, BANDS, ())
    names = re.findall(r">(n+)\N{HORIZONTAL ELLIPSIS}<", draw_heat(chart, "x"))
    # at most as wide as a cell and the names' column; the last has 180 of 378 to itself
    letters = [int(room / (12 * 0.58)) for room in [188] * 5 + [180]]
    assert [len(name) + 1 for name in names] == letters
