"""Risk against utility: one labelled point a replica."""

from __future__ import annotations

import math

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.bars import nice_end
from sdcmetrics.report.figures.charts import Point, Scatter

__all__ = ["draw_scatter"]

_WIDTH, _HEIGHT = 530.0, 360.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 20.0, 30.0, 52.0
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000)

_BOLD = 1.15
"""How much wider than plain a bold text is."""

Box = tuple[float, float, float, float]


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
        canvas.text(_LEFT - 6, y + 4, f"{_minus(value)} %", anchor="end")
    for tick in _TICKS:
        if low <= tick <= high:
            canvas.text(x_at(tick), _HEIGHT - _BOTTOM + 16, f"{tick:,g}", anchor="middle")
            x = x_at(tick)
            canvas.line(x, _HEIGHT - _BOTTOM, x, _HEIGHT - _BOTTOM + 4)
    for value, word in chart.x_marks:
        if low <= value <= high:
            x = x_at(value)
            canvas.line(x, _TOP - 6, x, _HEIGHT - _BOTTOM, color=svg.ORANGE, dashed=True)
            canvas.text(x, _TOP - 10, f"{word} {value:g}", anchor="middle", color=svg.ORANGE)
    places = [(x_at(point.x), y_at(point.y)) for point in chart.points]
    taken: list[Box] = [(x - 5, y - 6, x + 5, y + 6) for x, y in places]
    for point, (x, y) in zip(chart.points, places, strict=True):
        _point(canvas, point, x, y, taken)
    return canvas.finish(chart.title, chart.description)


def _point(canvas: svg.Canvas, point: Point, x: float, y: float, taken: list[Box]) -> None:
    canvas.circle(x, y, 5, fill="#ffffff" if point.bound else svg.BLUE, stroke=svg.BLUE)
    if point.bound:
        canvas.path(f"M{x:.1f},{y + 6:.1f} v14 m-4,-5 l4,5 l4,-5", color=svg.BLUE)
    text = svg.shorten(point.name, 150, 12)
    wide = svg.text_width(text, 12) * _BOLD
    options = [
        (x + 10, y + 4, "start"),
        (x - 10, y + 4, "end"),
        *((x, y + d, "middle") for d in (-11, 20, -25, 34, -39, 48)),
    ]
    for left, base, anchor in options:
        start = left - (wide if anchor == "end" else wide / 2 if anchor == "middle" else 0)
        box = (start, base - 11, start + wide, base + 3)
        inside = box[0] >= 0 and box[2] <= _WIDTH and box[1] >= _TOP and box[3] <= _HEIGHT
        if inside and not any(_overlap(box, other) for other in taken):
            break
    else:
        left, base, anchor = options[0]
        box = (left, base - 11, left + wide, base + 3)
    taken.append(box)
    canvas.text(left, base, text, anchor=anchor, bold=True)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 4 and b[0] < a[2] + 4 and a[1] < b[3] and b[1] < a[3]


def _x_range(chart: Scatter) -> tuple[float, float]:
    values = [point.x for point in chart.points]
    low, high = min([*values, 1.0]) / 1.4, max([*values, 3.0]) * 1.4
    return low, high


def _minus(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")
