"""Dots of every replica between baseline and original, on one axis of percentages."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Dot, Dots

_WIDTH, _LABELS, _VALUES, _HEAD, _FOOT = 320.0, 96.0, 58.0, 36.0, 22.0
_ROW = 22.0
_ARROW = 20.0
"""How far the arrow of a bound reaches from its dot."""


def draw_dots(chart: Dots, identity: str) -> str:
    """Return the figure as SVG: one of many, which has its heading above it."""
    last = _HEAD + _ROW * len(chart.rows)
    canvas = svg.Canvas(identity, _WIDTH, last + _FOOT)
    above = any(row.dot and row.dot.bound == "above" for row in chart.rows)
    room = _WIDTH - _LABELS - _VALUES - (_ARROW if above else 0)

    def at(percent: float) -> float:
        return _LABELS + room * min(max(percent / 100, 0.0), 1.0)

    for i in range(5):
        x = _LABELS + room * i / 4
        canvas.line(x, _HEAD, x, last, color="#d9d9d9" if i else svg.GREY)
        canvas.text(x, last + 15, f"{25 * i} %", anchor="middle")
    last_one = len(chart.references) - 1
    for i, reference in enumerate(chart.references):
        x = at(reference.dot.value)
        color = svg.ORANGE if reference.dashed else svg.INK
        # The last label may reach over the first line, so it stands above where that begins.
        line = _HEAD - (20 if i == last_one and last_one else 6)
        canvas.line(x, line - 9, x, last, color=color, width=2, dashed=reference.dashed)
        text = f"{reference.name.partition(' (')[0]} {reference.dot.text}"
        # To the left of the first line and to the right of the last, where there is room.
        wide = svg.text_width(text)
        left = x + 6 + wide > _WIDTH if i == last_one else x - 6 - wide > 0
        canvas.text(
            x - 6 if left else x + 6, line, text, anchor="end" if left else "start", color=color
        )
    tips = [
        at(row.dot.value) - _ARROW for row in chart.rows if row.dot and row.dot.bound == "below"
    ]
    names = min([_LABELS - 6, *tips]) - 4  # where the names of the rows end
    for place, row in enumerate(chart.rows):
        y = _HEAD + _ROW * place + _ROW / 2
        canvas.text(names, y + 4, svg.shorten(row.name, names - 4), anchor="end")
        canvas.line(_LABELS, y, _LABELS + room, y, color="#d9d9d9")
        for tick in row.ticks:
            x, color = at(tick.dot.value), svg.ORANGE if tick.dashed else svg.INK
            canvas.line(x, y - 8, x, y + 8, color=color, width=3, dashed=tick.dashed)
        if row.dot is None:
            canvas.text(_WIDTH, y + 4, "not shown", anchor="end")
            continue
        _dot(canvas, row.dot, at(row.dot.value), y)
        canvas.text(_WIDTH, y + 4, row.dot.text, anchor="end", bold=True)
    return canvas.finish(chart.title, chart.description)


def _dot(canvas: svg.Canvas, dot: Dot, x: float, y: float) -> None:
    canvas.circle(x, y, 5, fill="#ffffff" if dot.bound else svg.BLUE, stroke=svg.BLUE)
    if dot.bound:
        side = -1 if dot.bound == "below" else 1
        tip = x + side * _ARROW
        canvas.path(f"M{x + side * 6:.1f},{y:.1f} H{tip:.1f}", color=svg.BLUE)
        back = tip - side * 5
        arrow = f"M{back:.1f},{y - 4:.1f} L{tip:.1f},{y:.1f} L{back:.1f},{y + 4:.1f}"
        canvas.path(arrow, color=svg.BLUE)
