"""Risk against utility: one labelled point per replica."""

from __future__ import annotations

import math

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Point, Scatter, nice_end
from sdcmetrics.report.figures.labels import Box, Labels, around
from sdcmetrics.report.safety.numbers import with_minus

_WIDTH, _HEIGHT = 400.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 20.0, 30.0, 52.0
_ROW = 14.0
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000)


def draw_scatter(chart: Scatter, identity: str) -> str:
    """Return the figure as SVG."""
    low, high = _x_range(chart)
    least = min(point.y for point in chart.points)
    bottom = -nice_end(-least) if least < 0 else 0.0
    top = nice_end(max(point.y for point in chart.points))

    def x_at(value: float) -> float:
        place = (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low))
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * place

    limits = [(x_at(v), f"{word} {v:g}") for v, word in chart.x_marks if low <= v <= high]
    rows = _rows(limits)
    raised = _ROW * max(rows, default=0)  # labels that would cover each other stand higher
    height = _HEIGHT + raised
    canvas = svg.Canvas(identity, _WIDTH, height)

    def y_at(value: float) -> float:
        return raised + _TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - value) / (top - bottom)

    canvas.text(_WIDTH - _RIGHT, height - 8, chart.x_title, anchor="end")
    for i in range(5):
        value = bottom + (top - bottom) * i / 4
        y = y_at(value)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, color="#d9d9d9" if i else svg.GREY)
        canvas.text(_LEFT - 6, y + 4, f"{with_minus(value)} %", anchor="end")
    placed: list[tuple[float, str]] = []
    for tick in sorted((tick for tick in _TICKS if low <= tick <= high), key=_roundness):
        x, text = x_at(tick), f"{tick:,g}"
        canvas.line(x, height - _BOTTOM, x, height - _BOTTOM + 4)
        if all(_apart(x, text, *other) for other in placed):
            placed.append((x, text))
            canvas.text(x, height - _BOTTOM + 16, text, anchor="middle")
    lines: list[Box] = []
    for (x, text), row in zip(limits, rows, strict=True):
        at = raised + _TOP - _ROW * row
        canvas.line(x, at - 6, x, height - _BOTTOM, color=svg.ORANGE, dashed=True)
        lines.append((x - 1, at - 6, x + 1, height - _BOTTOM))
        canvas.text(x, at - 10, text, anchor="middle", color=svg.ORANGE)
    places = [(x_at(point.x), y_at(point.y)) for point in chart.points]
    inside = (0.0, raised + _TOP, _WIDTH, height - _BOTTOM + 2)  # above the ticks
    labels = Labels(canvas, inside, [*map(around, places), *lines])
    for point, (x, y) in zip(chart.points, places, strict=True):
        _point(canvas, point, x, y)
        labels.put(point.name, x, y)
    return canvas.finish(chart.title, chart.description)


def _apart(x: float, text: str, second_x: float, second_text: str) -> bool:
    """Whether two texts that are centred at these places leave a gap."""
    room = (svg.text_width(text) + svg.text_width(second_text)) / 2 + 4
    return abs(x - second_x) >= room


def _rows(labels: list[tuple[float, str]]) -> list[int]:
    """Return how many rows above the lowest each label stands, so that none covers another."""
    rows: list[int] = []
    for i, (x, text) in enumerate(labels):
        taken = {rows[j] for j in range(i) if not _apart(x, text, *labels[j])}
        rows.append(next(row for row in range(i + 1) if row not in taken))
    return rows


def _roundness(tick: float) -> tuple[bool, bool, float]:
    """Return what puts powers of ten first, then five times those."""
    first = f"{tick:e}"[0]
    return first != "1", first != "5", tick


def _point(canvas: svg.Canvas, point: Point, x: float, y: float) -> None:
    canvas.circle(x, y, 5, fill="#ffffff" if point.bound else svg.BLUE, stroke=svg.BLUE)
    if point.bound:
        canvas.path(f"M{x:.1f},{y + 6:.1f} v14 m-4,-5 l4,5 l4,-5", color=svg.BLUE)


def _x_range(chart: Scatter) -> tuple[float, float]:
    values = [point.x for point in chart.points]
    low, high = min([*values, 1.0]) / 1.4, max([*values, 3.0]) * 1.4
    return low, high
