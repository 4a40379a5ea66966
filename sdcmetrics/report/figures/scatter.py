"""Risk against utility: one labelled point per replica."""

from __future__ import annotations

import math

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Point, Scatter, nice_end
from sdcmetrics.report.figures.labels import Box, Labels
from sdcmetrics.report.safety.numbers import with_minus

_WIDTH, _HEIGHT = 400.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 20.0, 30.0, 52.0
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000)


def draw_scatter(chart: Scatter, identity: str) -> str:
    """Return the figure as SVG."""
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    low, high = _x_range(chart)
    bottom = min(0.0, -nice_end(-min(point.y for point in chart.points)))
    if min(point.y for point in chart.points) >= 0:
        bottom = 0.0
    top = nice_end(max(point.y for point in chart.points))

    def x_at(value: float) -> float:
        place = (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low))
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * place

    def y_at(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - value) / (top - bottom)

    canvas.text(_WIDTH - _RIGHT, _HEIGHT - 8, chart.x_title, anchor="end")
    for i in range(5):
        value = bottom + (top - bottom) * i / 4
        y = y_at(value)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, color="#d9d9d9" if i else svg.GREY)
        canvas.text(_LEFT - 6, y + 4, f"{with_minus(value)} %", anchor="end")
    for tick in _TICKS:
        if low <= tick <= high:
            canvas.text(x_at(tick), _HEIGHT - _BOTTOM + 16, f"{tick:,g}", anchor="middle")
            x = x_at(tick)
            canvas.line(x, _HEIGHT - _BOTTOM, x, _HEIGHT - _BOTTOM + 4)
    lines: list[Box] = []
    for value, word in chart.x_marks:
        if low <= value <= high:
            x = x_at(value)
            canvas.line(x, _TOP - 6, x, _HEIGHT - _BOTTOM, color=svg.ORANGE, dashed=True)
            lines.append((x - 1, _TOP - 6, x + 1, _HEIGHT - _BOTTOM))
            canvas.text(x, _TOP - 10, f"{word} {value:g}", anchor="middle", color=svg.ORANGE)
    places = [(x_at(point.x), y_at(point.y)) for point in chart.points]
    inside = (0.0, _TOP, _WIDTH, _HEIGHT - _BOTTOM + 2)  # above the ticks
    points = [(x - 5, y - 6, x + 5, y + 6) for x, y in places]
    labels = Labels(canvas, inside, points + lines)
    for point, (x, y) in zip(chart.points, places, strict=True):
        _point(canvas, point, x, y)
        labels.put(point.name, x, y)
    return canvas.finish(chart.title, chart.description)


def _point(canvas: svg.Canvas, point: Point, x: float, y: float) -> None:
    canvas.circle(x, y, 5, fill="#ffffff" if point.bound else svg.BLUE, stroke=svg.BLUE)
    if point.bound:
        canvas.path(f"M{x:.1f},{y + 6:.1f} v14 m-4,-5 l4,5 l4,-5", color=svg.BLUE)


def _x_range(chart: Scatter) -> tuple[float, float]:
    values = [point.x for point in chart.points]
    low, high = min([*values, 1.0]) / 1.4, max([*values, 3.0]) * 1.4
    return low, high
