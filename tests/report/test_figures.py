"""Figures: what is drawn is what they were given, and every text is escaped."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import (
    Band,
    Bars,
    Chart,
    Coefficient,
    Curve,
    Curves,
    Dot,
    Dots,
    Forest,
    Heat,
    HeatCell,
    Histogram,
    HoldoutMap,
    Mark,
    Null,
    Point,
    Position,
    Reference,
    RiskUtility,
    Row,
    Scatter,
    Series,
)
from sdcmetrics.report.figures.histogram import ticks
from sdcmetrics.report.figures.svg import text_width

EVIL = "<b>&\"'</b>"
BARS = Bars(
    EVIL,
    "d",
    ("a", EVIL, "c"),
    (
        Series("Original", (50.0, 30.0, 20.0), ("50 %", "30 %", "20 %")),
        *(Series(f"{EVIL}{i}", (40.0, None, 0.0), ("40 %", "none", "0 %")) for i in range(8)),
    ),
)
HEAT = Heat(
    EVIL,
    "d",
    ("u", EVIL, "w"),
    (Band("up to 1", "plain"), Band("above 1", "fail")),
    (HeatCell(1, 0, "0.5", 0), HeatCell(2, 1, "12", 1)),
)
DOTS = Dots(
    EVIL,
    "d",
    (
        Reference("base", Dot(20.0, "20 %"), dashed=True),
        Reference("top", Dot(21.0, "21 %")),
    ),
    (
        Row(EVIL, Dot(1.1, "< 1.1 %", "below")),
        Row("b", None),
        Row("c", Dot(99.0, "> 99 %", "above")),
    ),
)
SCATTER = Scatter(
    EVIL,
    "d",
    "x",
    "y",
    tuple(Point(f"{EVIL}{i}", 1.0 + i / 100, 10.0, "t", i == 0) for i in range(9)),
    ((1.0, "expected"), (3.0, "review")),
)
MAP = RiskUtility(
    EVIL,
    "d",
    "x",
    "y",
    (
        Position(f"{EVIL}1", 0.1, 1.0, "front"),
        Position("two", 0.6, 0.8, "front"),
        Position("beaten", 0.5, 0.5, "beaten"),
        *(Position(f"crowd {i}", 1.0, 0.0, "reference") for i in range(12)),
    ),
)
HISTOGRAM = Histogram(
    EVIL,
    "d",
    (-2.0, 0.0, 2.0, 6.0),
    (Series("Holdout", (50.0, 30.0, 20.0), ()), Series(EVIL, (0.0, 100.0, 0.0), ())),
    Null("Beside chance", (0.0, 1.0, 2.0), (0.75, 0.25), 1.5, 7.9, "p < 0.001"),
)
CURVES = Curves(
    EVIL,
    "d",
    "x",
    "y",
    (Curve(EVIL, (0.0, 0.5, 1.0), (0.0, 0.9, 1.0), first=True), Curve("b", (0, 1), (0, 1))),
)
STEPS = Bars(
    EVIL,
    "d",
    ("up to 1", EVIL, "above 9"),
    (
        Series("Original", (60.0, 25.0, 15.0), ("", "", "")),
        Series("Replica", (30.0, None, 70.0), ("", "", "")),
    ),
    end=80.0,
)
FOREST = Forest(
    EVIL,
    "d",
    (Coefficient(EVIL, 0.5, 1.0), Coefficient("b", -3.0, 0.25), Coefficient("c", 9.0, 2.0)),
    4.0,
    1.0,
)
HOLDOUT_MAP = HoldoutMap(
    EVIL,
    "d",
    "x",
    "y",
    (
        Mark(EVIL, "replica", 3.0, 60.0),
        Mark("copy", "replica", 0.5, 99.0),
        Mark("Holdout", "holdout", 1.0, 50.0),
        Mark("10 %", "perturbed", 1.5, 90.0),
        Mark("50 %", "perturbed", 2.5, 70.0),
    ),
)
ALL = (BARS, HEAT, DOTS, SCATTER, MAP, HISTOGRAM, CURVES, STEPS, FOREST, HOLDOUT_MAP)
SVG = "{http://www.w3.org/2000/svg}"
Scale = Callable[[float], float]
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def tree(chart: Chart) -> ET.Element:
    return ET.fromstring(draw(chart, "fig-1"))  # noqa: S314  (made just above)


def texts(chart: Chart) -> list[str]:
    return [element.text or "" for element in tree(chart).iter(f"{SVG}text")]


@pytest.mark.parametrize("chart", ALL)
def test_it_is_xml_with_a_title_and_ids_of_its_own(chart: Chart) -> None:
    root = tree(chart)
    assert root.find(f"{SVG}title") is not None
    assert root.findtext(f"{SVG}title") == EVIL
    ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    assert all(identity.startswith("fig-1") for identity in ids)


@pytest.mark.parametrize("chart", ALL)
def test_texts_stay_inside(chart: Chart) -> None:
    root = tree(chart)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.attrib["x"]) <= width
        assert 0 <= float(element.attrib["y"]) <= height


def ends_of(root: ET.Element) -> Iterator[tuple[float, float, float, float]]:
    """Yield how far every shape and text reaches: left, top, right, bottom."""
    drawn = [e for part in root if part.tag != f"{SVG}defs" for e in part.iter()]
    for element in drawn:
        given = {name: float(v) for name, v in element.attrib.items() if NUMBER.fullmatch(v)}
        if element.tag == f"{SVG}rect":
            x, y = given["x"], given["y"]
            yield x, y, x + given["width"], y + given["height"]
        elif element.tag == f"{SVG}line":
            across, up = sorted((given["x1"], given["x2"])), sorted((given["y1"], given["y2"]))
            yield across[0], up[0], across[1], up[1]
        elif element.tag == f"{SVG}circle":
            x, y, r = given["cx"], given["cy"], given["r"]
            yield x - r, y - r, x + r, y + r
        elif element.tag == f"{SVG}text":
            size = given.get("font-size", 12)
            wide = text_width(element.text or "", size)
            moved = {"start": 0.0, "middle": 0.5, "end": 1.0}
            left = given["x"] - wide * moved[element.attrib.get("text-anchor", "start")]
            yield left, given["y"] - 0.8 * size, left + wide, given["y"] + 0.2 * size


@pytest.mark.parametrize("chart", ALL, ids=lambda chart: type(chart).__name__)
def test_shapes_and_texts_stay_inside(chart: Chart) -> None:
    root = tree(chart)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    reaches = [*ends_of(root)]
    assert len(reaches) > 8
    for left, top, right, bottom in reaches:
        assert -0.5 <= left <= right <= width + 0.5, (left, right, width)
        assert -0.5 <= top <= bottom <= height + 0.5, (top, bottom, height)


def scale_of(root: ET.Element, anchor: str, unit: str = "", *, log: bool = False) -> Scale:
    """Return the scale that the numbers at an axis tell: a value's place.

    Numbers in the middle of their place are of the axis across, those that end there of the other.
    """
    ticks = []
    for element in root.iter(f"{SVG}text"):
        text = (element.text or "").replace("\N{MINUS SIGN}", "-")
        number, moved = text.removesuffix(unit), 4.0 if anchor == "end" else 0.0
        is_tick = text.endswith(unit) and NUMBER.fullmatch(number)
        if is_tick and element.attrib.get("text-anchor") == anchor:
            place = float(element.attrib["x" if anchor == "middle" else "y"]) - moved
            ticks.append((math.log(float(number)) if log else float(number), place))
    assert len(ticks) >= 3
    values, places = np.array(sorted(ticks)).T
    slope, start = np.polyfit(values, places, 1)
    assert np.abs(start + slope * values - places).max() < 0.2  # one scale has them all
    return lambda value: start + slope * (math.log(value) if log else value)


def places(root: ET.Element, shape: str, *names: str) -> list[tuple[float, ...]]:
    """Return attributes of shapes of a kind, in the order in which they were drawn."""
    shapes = (e for e in root.iter(f"{SVG}{shape}") if names[0] in e.attrib)  # no patterns
    drawn = [e for e in shapes if "fill-opacity" not in e.attrib]  # nor what is behind a name
    return [tuple(float(e.attrib[name]) for name in names) for e in drawn]


def near(*expected: tuple[float, ...]) -> object:
    """Return places that are equal up to how they are written."""
    return [pytest.approx(place, abs=0.3) for place in expected]


def test_steps_are_as_high_as_their_shares() -> None:
    root = tree(STEPS)
    up = scale_of(root, "end", " %")
    bars = places(root, "rect", "y", "height")
    assert bars == near(*((up(value), up(0) - up(value)) for value in (60, 25, 15)))
    lefts = places(root, "rect", "x", "width")
    assert np.diff([x for x, _ in lefts]) == pytest.approx([w for _, w in lefts[:2]], abs=0.3)
    (path,) = root.iter(f"{SVG}path")
    line = [
        tuple(map(float, p.split(","))) for p in re.findall(r"[0-9.]+,[0-9.]+", path.attrib["d"])
    ]
    assert [y for _, y in line] == pytest.approx([up(v) for v in (30, 30, 0, 0, 70, 70)], abs=0.3)
    ends = [(x, x + width) for x, width in lefts]
    assert [x for x, _ in line] == pytest.approx([x for end in ends for x in end], abs=0.3)


def test_coefficients_lie_where_they_are_in_errors_of_the_original() -> None:
    root = tree(FOREST)
    across = scale_of(root, "middle")
    assert places(root, "circle", "cx") == near((across(0.5),), (across(-3),))  # 9 is beyond
    lines = [
        (float(e.attrib["x1"]), float(e.attrib["x2"]))
        for e in root.iter(f"{SVG}line")
        if e.attrib["stroke-width"] == "2"
    ]
    ends = [(-1, 1), (-0.5, 1.5), (-1, 1), (-3.25, -2.75), (-1, 1), (4, 4)]  # cut at the end
    assert lines == near(*((across(low), across(high)) for low, high in ends))


def test_marks_of_the_map_beside_a_holdout_lie_at_their_values() -> None:
    root = tree(HOLDOUT_MAP)
    across, up = scale_of(root, "middle", log=True), scale_of(root, "end", " %")
    replicas = [(across(3), up(60)), (across(0.5), up(99))]
    assert places(root, "circle", "cx", "cy") == near(*replicas)
    squares = [(across(1.5) - 4, up(90) - 4), (across(2.5) - 4, up(70) - 4)]
    assert places(root, "rect", "x", "y") == near(*squares)
    (diamond,) = root.iter(f"{SVG}path")
    start = tuple(map(float, diamond.attrib["d"].split()[0].removeprefix("M").split(",")))
    assert [start] == near((across(1), up(50) - 8))


def test_marks_of_risk_and_utility_lie_at_their_values() -> None:
    root = tree(MAP)
    across, up = scale_of(root, "middle"), scale_of(root, "end")
    marks = [(across(0.1), up(1)), (across(0.6), up(0.8)), (across(0.5), up(0.5))]
    drawn = places(root, "circle", "cx", "cy")
    assert drawn[:3] == near(*marks)  # then those of the legend


def test_bars_end_at_their_share() -> None:
    root = tree(BARS)
    across = scale_of(root, "middle", " %")
    bars = [
        (x, x + width)
        for x, width, height in places(root, "rect", "x", "width", "height")
        if height == 10 and x == 160
    ]
    original = [(across(0), across(value)) for value in (50, 30, 20)]
    assert [bars[0], bars[9], bars[10]] == near(*original)


def test_bars_are_as_long_as_their_values() -> None:
    root = tree(BARS)
    bars = [
        float(e.attrib["width"])
        for e in root.iter(f"{SVG}rect")
        if e.attrib.get("x") == "160" and float(e.attrib["height"]) == 10
    ]
    assert bars[0] == pytest.approx(bars[1] * 50 / 40, abs=0.2)
    assert len(bars) == 9 + 1 + 9  # the other series have no second value
    assert texts(BARS).count("50 %") == 1


def test_bars_differ_by_pattern_as_well_as_by_color() -> None:
    fills = {e.attrib["fill"] for e in tree(BARS).iter(f"{SVG}rect") if "url(" in e.attrib["fill"]}
    assert len(fills) == 6  # then patterns repeat


def test_the_heat_map_writes_its_values_and_its_legend() -> None:
    result = texts(HEAT)
    for text in ("0.5", "12", "up to 1", "above 1", "u", "w"):
        assert text in result


def test_a_heat_map_of_many_variables_has_no_numbers() -> None:
    names = tuple(f"v{i}" for i in range(25))
    chart = Heat("t", "d", names, (Band("all", "pale"),), (HeatCell(1, 0, "7.7", 0),))
    assert "7.7" not in texts(chart)
    assert not chart.numbered


def test_a_hidden_value_is_drawn_hollow_with_an_arrow() -> None:
    root = tree(DOTS)
    circles = [e.attrib["fill"] for e in root.iter(f"{SVG}circle")]
    assert circles == ["#ffffff", "#ffffff"]
    assert len(list(root.iter(f"{SVG}path"))) == 4
    assert {"< 1.1 %", "> 99 %", "not shown"} <= set(texts(DOTS))


def test_an_arrow_of_a_bound_covers_neither_name_nor_value() -> None:
    rows = (
        Row("a rather long name of a replica", Dot(0.2, "< 0.2 %", "below")),
        Row("another replica with a name", Dot(99.5, "> 99.5 %", "above")),
    )
    root = tree(Dots("t", "d", (), rows))
    arrows = [
        [*map(float, re.findall(r"[MLH]([\d.]+)", path.attrib["d"]))]
        for path in root.iter(f"{SVG}path")
    ]
    left, right = min(map(min, arrows)), max(map(max, arrows))
    result = {text.text or "": float(text.attrib["x"]) for text in root.iter(f"{SVG}text")}
    names = [x for text, x in result.items() if text.endswith("\N{HORIZONTAL ELLIPSIS}")]
    assert len(names) == 2
    assert max(names) < left
    assert right < result["> 99.5 %"] - text_width("> 99.5 %")


def test_every_point_is_labelled() -> None:
    result = texts(SCATTER)
    assert all(point.name in result for point in SCATTER.points)


def test_the_map_tells_kinds_apart_by_shape_and_names_every_data_set() -> None:
    root = tree(MAP)
    assert {mark.name for mark in MAP.positions} <= set(texts(MAP))
    fills = [e.attrib["fill"] for e in root.iter(f"{SVG}circle")]
    assert fills.count("#ffffff") == 1 + 1  # the beaten replica, and the legend
    assert len(fills) == 3 + 2
    assert len(list(root.iter(f"{SVG}path"))) == 12 + 1  # diamonds


def test_the_front_is_a_staircase_between_unbeaten_replicas() -> None:
    circles = [
        (float(e.attrib["cx"]), float(e.attrib["cy"])) for e in tree(MAP).iter(f"{SVG}circle")
    ]
    steps = [
        tuple(float(e.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
        for e in tree(MAP).iter(f"{SVG}line")
        if "stroke-dasharray" in e.attrib
    ]
    (x1, y1), (x2, y2) = circles[:2]
    assert steps == [(x1, y1, x1, y2), (x1, y2, x2, y2)]


def rects(chart: Chart, fill: str) -> list[dict[str, float]]:
    result = [e.attrib for e in tree(chart).iter(f"{SVG}rect") if e.attrib["fill"] == fill]
    return [{k: float(item[k]) for k in ("x", "y", "width", "height")} for item in result]


def test_a_histogram_has_a_bar_per_group_as_wide_as_it_is_and_as_high_as_its_share() -> None:
    key, *bars = rects(HISTOGRAM, "#d0d0d0")
    groups, null = bars[:3], bars[3:]
    assert groups[2]["width"] == pytest.approx(2 * groups[0]["width"], abs=0.2)
    assert groups[0]["height"] == pytest.approx(2.5 * groups[2]["height"], abs=0.2)
    assert null[0]["height"] == pytest.approx(3 * null[1]["height"], abs=0.2)
    assert key["height"] == 11
    step = next(e.attrib["d"] for e in tree(HISTOGRAM).iter(f"{SVG}path"))
    assert step.count("H") == 3


def test_what_was_seen_lies_right_of_the_limit_where_it_is_beyond_chance() -> None:
    lines = [
        e.attrib for e in tree(HISTOGRAM).iter(f"{SVG}line") if e.attrib["x1"] == e.attrib["x2"]
    ]
    (limit,) = [float(line["x1"]) for line in lines if "stroke-dasharray" in line]
    (seen,) = [float(line["x1"]) for line in lines if line["stroke-width"] == "2.5"]
    null = rects(HISTOGRAM, "#d0d0d0")[4:]
    assert null[1]["x"] < limit < null[1]["x"] + null[1]["width"] < seen
    assert "p < 0.001" in texts(HISTOGRAM)


def test_curves_rise_from_the_lower_left_corner_to_the_upper_right_one() -> None:
    paths = [e.attrib["d"][1:].split() for e in tree(CURVES).iter(f"{SVG}path")]
    points = [[tuple(map(float, point.split(","))) for point in path] for path in paths]
    (left, bottom), (x, y), (right, top) = points[0]
    assert (left, bottom, right, top) == (*points[1][0], *points[1][1])
    assert (x - left) / (right - left) == pytest.approx(0.5, abs=0.001)
    assert (bottom - y) / (bottom - top) == pytest.approx(0.9, abs=0.001)


def test_limits_and_ticks_that_are_near_each_other_do_not_cover_each_other() -> None:
    points = (Point("good", 0.9, 5.0, "t"), Point("bad", 90_000.0, 20.0, "t"))
    marks = ((1.0, "draws"), (2.0, "fresh"), (3.0, "review"), (10.0, "fail"))
    chart = Scatter("t", "d", "x", "y", points, x_marks=marks)
    texts = [item for item in tree(chart).iter() if item.tag.endswith("text")]
    words = {text.text or "": text.attrib for text in texts}
    assert {"draws 1", "fresh 2", "review 3", "fail 10", "1", "100", "10,000"} <= set(words)
    boxes = [
        (float(at["x"]), float(at["y"]), 6.0 * len(text))
        for text, at in words.items()
        if at.get("text-anchor") == "middle"
    ]
    for i, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:i]:
            apart = abs(x - other_x) >= (width + other_width) / 2 or abs(y - other_y) >= 12
            assert apart, (x, y, other_x, other_y)


def test_names_of_points_between_limits_cover_a_line_rather_than_each_other() -> None:
    names = ("synthpop", "mostly", "more", "flip")
    points = tuple(Point(name, 2.0 + 0.05 * i, 34.0 + i, "t") for i, name in enumerate(names))
    points += (Point("far", 50.0, 10.0, "t"),)
    marks = ((1.0, "draws"), (2.0, "holdout"), (3.0, "review"), (10.0, "fail"))
    chart = Scatter("t", "d", "x", "y", points, x_marks=marks)
    boxes = []
    for element in tree(chart).iter(f"{SVG}text"):
        if element.text in (*names, "far"):
            wide = 6.0 * len(element.text)
            shift = {"end": wide, "middle": wide / 2}.get(element.get("text-anchor", ""), 0.0)
            left = float(element.attrib["x"]) - shift
            boxes.append((left, left + wide, float(element.attrib["y"])))
    assert len(boxes) == len(points)
    for i, (left, right, y) in enumerate(boxes):
        for other_left, other_right, other_y in boxes[:i]:
            assert right <= other_left or other_right <= left or abs(y - other_y) >= 10


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.0, 40.0, [0, 10, 20, 30, 40]),
        (0.0, 41.0, [0, 20, 40]),
        (0.0, 4.0, [0, 1, 2, 3, 4]),
        (3.0, 200.0, [50, 100, 150, 200]),
        (-0.2, 0.2, [-0.2, -0.1, 0, 0.1, 0.2]),
        (0.0, 24.0, [0, 10, 20]),
    ],
)
def test_marks_of_an_axis_are_a_one_a_two_or_a_five_apart(
    low: float, high: float, marks: list[float]
) -> None:
    assert ticks(low, high) == marks


def test_bars_have_room_for_every_level() -> None:
    def bottom(levels: int) -> tuple[float, float]:
        names = tuple("abcde"[:levels])
        series = Series("Original", (20.0,) * levels, ("20 %",) * levels)
        root = ET.fromstring(draw(Bars("t", "d", names, (series, series)), "f"))  # noqa: S314
        rows = [float(r.get("y", 0)) for r in root.iter() if r.tag.endswith("rect")]
        return float(root.get("viewBox", "").split()[3]), max(rows)

    heights = [bottom(levels) for levels in (1, 2, 5)]
    steps = [heights[1][0] - heights[0][0], (heights[2][0] - heights[1][0]) / 3]
    assert steps[0] == pytest.approx(steps[1])
    assert steps[0] > 0
    assert all(row < height - 24 for height, row in heights)


def test_the_note_on_a_closer_map_stands_beside_an_area_that_is_as_high_as_the_map() -> None:
    root = tree(replace(MAP, positions=MAP.positions[:1], box=(0.93, 1.0, 0.0, 1.0)))
    (note,) = (t for t in root.iter(f"{SVG}text") if (t.text or "").startswith("replicas:"))
    assert note.attrib["text-anchor"] == "end"
    left = min(
        float(e.attrib["x1"]) for e in root.iter(f"{SVG}line") if "stroke-dasharray" in e.attrib
    )
    assert float(note.attrib["x"]) < left
    floor = max(
        float(e.attrib["y2"]) for e in root.iter(f"{SVG}line") if e.attrib["x1"] == e.attrib["x2"]
    )
    assert float(note.attrib["y"]) < floor - 20


def test_the_word_chance_keeps_clear_of_names_of_points() -> None:
    points = (
        *HOLDOUT_MAP.points[2:],
        Mark("70 %", "perturbed", 2.9, 51.0),
        Mark("90 %", "perturbed", 3.0, 49.0),
    )
    root = tree(replace(HOLDOUT_MAP, points=points))
    (chance,) = (t for t in root.iter(f"{SVG}text") if t.text == "by chance")
    assert "text-anchor" not in chance.attrib  # at the left end of the line
