"""Fidelity against closeness, as Platzer and Reutterer's Figure 9: the holdout is the mark."""

from __future__ import annotations

import itertools
import math

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import HoldoutMap
from sdcmetrics.report.figures.labels import Labels, around

_WIDTH, _HEIGHT = 420.0, 360.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 24.0, 30.0, 56.0
_TICKS = (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_LEAST_ROOM = 5.0


def draw_holdout_map(chart: HoldoutMap, identity: str) -> str:
    """Return the figure as SVG."""
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    low, high = _range([mark.x for mark in chart.points])
    bottom, top = _percents([chart.chance, *(mark.y for mark in chart.points)])

    def x_at(value: float) -> float:
        place = math.log(value / low) / math.log(high / low)
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * place

    def y_at(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - value) / (top - bottom)

    step = 5.0 if top - bottom <= 30 else 10.0  # noqa: PLR2004  (some six lines)
    value = math.ceil(bottom / step) * step
    while value <= top:
        canvas.line(_LEFT, y_at(value), _WIDTH - _RIGHT, y_at(value), color="#d9d9d9")
        canvas.text(_LEFT - 6, y_at(value) + 4, f"{value:g} %", anchor="end")
        value += step
    for tick in _TICKS:
        if low <= tick <= high:
            canvas.line(x_at(tick), _HEIGHT - _BOTTOM, x_at(tick), _HEIGHT - _BOTTOM + 4)
            canvas.text(x_at(tick), _HEIGHT - _BOTTOM + 17, f"{tick:g}", anchor="middle")
    canvas.line(
        _LEFT,
        y_at(chart.chance),
        _WIDTH - _RIGHT,
        y_at(chart.chance),
        color=svg.ORANGE,
        dashed=True,
    )
    canvas.text(_LEFT, _TOP - 12, chart.y_title)
    canvas.text(_WIDTH - _RIGHT, _HEIGHT - 8, chart.x_title, anchor="end")
    places = [(x_at(mark.x), y_at(mark.y)) for mark in chart.points]
    for (x1, y1), (x2, y2) in _joined(chart, places):
        canvas.line(x1, y1, x2, y2, color=svg.ORANGE)
    inside = (0.0, _TOP, _WIDTH, _HEIGHT - 22)
    by_chance = (_LEFT, y_at(chart.chance) - 1, _WIDTH - _RIGHT, y_at(chart.chance) + 1)
    labels = Labels(canvas, inside, [*map(around, places), by_chance])
    for mark, (x, y) in zip(chart.points, places, strict=True):
        _shape(canvas, mark.kind, x, y)
    # Data sets are named first: they get the places next to their points.
    order = sorted(range(len(places)), key=lambda i: chart.points[i].kind == "perturbed")
    for i in order:
        bold = chart.points[i].kind != "perturbed"
        color = svg.INK if bold else svg.ORANGE
        labels.put(chart.points[i].name, *places[i], bold=bold, color=color)
    right, level = _WIDTH - _RIGHT, y_at(chart.chance)
    ends = [(right, "end"), (_LEFT + 4, "start")]
    options = [(x, level + down, anchor) for x, anchor in ends for down in (15, -5)]
    labels.write("by chance", options, color=svg.ORANGE)
    return canvas.finish(chart.title, chart.description)


def _shape(canvas: svg.Canvas, kind: str, x: float, y: float) -> None:
    if kind == "replica":
        canvas.circle(x, y, 5, fill=svg.BLUE, stroke=svg.BLUE)
    elif kind == "perturbed":
        canvas.rect(x - 4, y - 4, 8, 8, fill="#ffffff", stroke=svg.ORANGE)
    else:
        canvas.path(f"M{x:.1f},{y - 8:.1f} l8,8 l-8,8 l-8,-8 z", color=svg.INK, width=2.5)


def _joined(
    chart: HoldoutMap, places: list[tuple[float, float]]
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the ends of the lines between perturbed references, in their order."""
    points = [
        place for mark, place in zip(chart.points, places, strict=True) if mark.kind == "perturbed"
    ]
    return list(itertools.pairwise(points))


def _range(values: list[float]) -> tuple[float, float]:
    return min([*values, 1.0]) / 2.0, max([*values, 2.0]) * 1.6


def _percents(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max([*values, min(values) + _LEAST_ROOM])
    room = (high - low) / 6  # for names
    low, high = low - room, high + room
    return max(low, 0.0), min(high, 101.0)
