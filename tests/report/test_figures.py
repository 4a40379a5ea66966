"""Figures: what is drawn is what they were given, and every text is escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import (
    Band,
    Bars,
    Chart,
    Curve,
    Curves,
    Dot,
    Dots,
    Heat,
    HeatCell,
    Histogram,
    Null,
    Panel,
    Point,
    Position,
    Reference,
    RiskUtility,
    Row,
    Scatter,
    Series,
)

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
        Panel(
            "h",
            (
                Reference("base", Dot(20.0, "20 %"), dashed=True),
                Reference("top", Dot(21.0, "21 %")),
            ),
            (
                Row(EVIL, Dot(1.1, "< 1.1 %", "below")),
                Row("b", None),
                Row("c", Dot(99.0, "> 99 %", "above")),
            ),
        ),
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
ALL = (BARS, HEAT, DOTS, SCATTER, MAP, HISTOGRAM, CURVES)
SVG = "{http://www.w3.org/2000/svg}"


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
    found = texts(HEAT)
    for text in ("0.5", "12", "up to 1", "above 1", "u", "w"):
        assert text in found


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


def test_every_point_is_labelled() -> None:
    found = texts(SCATTER)
    assert all(point.name in found for point in SCATTER.points)


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
    found = [e.attrib for e in tree(chart).iter(f"{SVG}rect") if e.attrib["fill"] == fill]
    return [{k: float(one[k]) for k in ("x", "y", "width", "height")} for one in found]


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
    (limit,) = [float(one["x1"]) for one in lines if "stroke-dasharray" in one]
    (seen,) = [float(one["x1"]) for one in lines if one["stroke-width"] == "2.5"]
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
    texts = [one for one in tree(chart).iter() if one.tag.endswith("text")]
    words = {one.text or "": one.attrib for one in texts}
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
