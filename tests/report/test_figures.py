"""Figures: what is drawn is what they were given, and every text is escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import (
    Band,
    Bars,
    Chart,
    Dot,
    Dots,
    Heat,
    HeatCell,
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
ALL = (BARS, HEAT, DOTS, SCATTER, MAP)
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
