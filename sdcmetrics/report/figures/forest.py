"""Coefficients of a model: the interval of the original and that of a replica, on one scale."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Forest
from sdcmetrics.report.safety.numbers import with_minus

_WIDTH, _LABELS, _ROW, _TOP, _FOOT = 320.0, 116.0, 22.0, 6.0, 20.0


def draw_forest(chart: Forest, identity: str) -> str:
    """Return the figure as SVG: in standard errors of the original, whose estimates are at 0."""
    last = _TOP + _ROW * len(chart.rows)
    canvas = svg.Canvas(identity, _WIDTH, last + _FOOT)
    room = _WIDTH - _LABELS - 10

    def at(value: float) -> float:
        return _LABELS + room * (min(max(value / chart.end, -1.0), 1.0) + 1) / 2

    for i in range(5):
        value = chart.end * (i - 2) / 2
        canvas.line(at(value), _TOP, at(value), last, color=svg.GREY if i == 2 else "#d9d9d9")  # noqa: PLR2004  (the middle)
        canvas.text(at(value), last + 15, with_minus(value), anchor="middle", size=11)
    for i, row in enumerate(chart.rows):
        y = _TOP + _ROW * (i + 0.5)
        canvas.text(
            _LABELS - 6, y + 4, svg.shorten(row.name, _LABELS - 8, 11), anchor="end", size=11
        )
        canvas.line(at(-chart.original), y - 4, at(chart.original), y - 4, color=svg.INK, width=2)
        canvas.line(
            at(row.value - row.half),
            y + 4,
            at(row.value + row.half),
            y + 4,
            color=svg.BLUE,
            width=2,
        )
        if abs(row.value) <= chart.end:
            canvas.circle(at(row.value), y + 4, 3, fill=svg.BLUE, stroke=svg.BLUE)
    return canvas.finish(chart.title, chart.description)
