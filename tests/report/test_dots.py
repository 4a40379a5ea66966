"""Names of reference lines stand beside them, on the side where there is room."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Dot, Dots, Reference, Row
from sdcmetrics.report.figures.dots import draw_dots


def placed(values: tuple[float, ...], of: int, name: str) -> tuple[float, str]:
    """Return where the name of one of some lines begins or ends, and which of these it is."""
    references = tuple(Reference(name, Dot(value, f"{i} %")) for i, value in enumerate(values))
    drawn = draw_dots(Dots("t", "d", references, (Row("a", Dot(1.0, "1 %")),)), "x")
    text = re.search(rf'<text x="([\d.-]+)"([^>]*)>{name} {of} %', drawn)
    assert text is not None
    return float(text[1]), "end" if 'text-anchor="end"' in text[2] else "start"


@pytest.mark.parametrize("name", ["copy", "a name that is long"])
def test_the_last_name_is_to_the_right_as_long_as_it_ends_within(name: str) -> None:
    wide, turned = svg.text_width(f"{name} 0 %"), []
    for value in np.arange(0.0, 100.0, 0.25):
        line = 96.0 + 166.0 * value / 100  # 320 wide, 96 of names and 58 of values
        x, anchor = placed((float(value),), 0, name)
        assert anchor == ("end" if line + 6 + wide > 320 else "start")
        assert x == pytest.approx(line + (-6 if anchor == "end" else 6), abs=0.06)
        turned.append(anchor)
    assert name == "copy" or {*turned} == {"start", "end"}
    assert sum(first != other for first, other in pairwise(turned)) <= 1


def test_names_that_just_reach_the_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    middle = 96.0 + 166.0 / 2
    for wide, anchor in ((320 - 6 - middle, "start"), (320 - 5.9 - middle, "end")):
        monkeypatch.setattr(svg, "text_width", lambda _, wide=wide: wide)
        assert placed((50.0,), 0, "copy") == (middle + (6 if anchor == "start" else -6), anchor)
    for wide, anchor in ((middle - 6, "start"), (middle - 6.1, "end")):
        monkeypatch.setattr(svg, "text_width", lambda _, wide=wide: wide)
        x, side = placed((50.0, 60.0), 0, "copy")
        assert (x, side) == (middle + (6 if anchor == "start" else -6), anchor)


def test_shares_beyond_the_axis_stand_at_its_ends() -> None:
    rows = tuple(Row(str(value), Dot(value, "")) for value in (-5.0, 0.0, 50.0, 100.0, 120.0))
    drawing = draw_dots(Dots("t", "d", (), rows), "x")
    places = [*map(float, re.findall(r'<circle cx="([\d.]+)"', drawing))]
    assert places == [96.0, 96.0, 179.0, 262.0, 262.0]


def test_earlier_names_are_to_the_left_as_long_as_they_begin_within() -> None:
    name = "a name that is rather long, too"
    wide, turned = svg.text_width(f"{name} 0 %"), []
    for value in np.arange(0.0, 100.0, 0.25):
        line = 96.0 + 166.0 * value / 100
        x, anchor = placed((float(value), 100.0), 0, name)
        assert anchor == ("end" if line - 6 - wide > 0 else "start")
        assert x == pytest.approx(line + (-6 if anchor == "end" else 6), abs=0.06)
        turned.append(anchor)
    assert {*turned} == {"start", "end"}
