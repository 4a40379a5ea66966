"""Dots of every replica between baseline and original, on one axis."""

from __future__ import annotations

from typing import NamedTuple

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Dot, Dots, Panel, nice_end

_ROW = 22.0
_ARROW = 20.0
"""How far the arrow of a bound reaches from its dot."""


class _Size(NamedTuple):
    """Width of a figure and of its columns of names and values; room above and below its rows."""

    width: float
    labels: float
    values: float
    head: float
    foot: float


_LARGE = _Size(560.0, 130.0, 64.0, 54.0, 34.0)
_SMALL = _Size(320.0, 96.0, 58.0, 36.0, 22.0)
"""One of many, which stands beside others and has its heading above it."""


def draw_dots(chart: Dots, identity: str) -> str:
    """Return the figure as SVG."""
    size = _LARGE if chart.end is None else _SMALL
    heights = [size.head + _ROW * len(panel.rows) + size.foot for panel in chart.panels]
    canvas = svg.Canvas(identity, size.width, sum(heights))
    top = 0.0
    for panel, height in zip(chart.panels, heights, strict=True):
        _panel(canvas, panel, top, size, chart.end)
        top += height
    return canvas.finish(chart.title, chart.description)


def _panel(canvas: svg.Canvas, panel: Panel, top: float, size: _Size, whole: float | None) -> None:
    dots = [row.dot for row in panel.rows if row.dot] + [
        reference.dot for reference in panel.references
    ]
    dots += [tick.dot for row in panel.rows for tick in row.ticks]
    end = whole or nice_end(max((dot.value for dot in dots), default=0.0))
    above = any(row.dot and row.dot.bound == "above" for row in panel.rows)
    room = size.width - size.labels - size.values - (_ARROW if above else 0)
    first, last = top + size.head, top + size.head + _ROW * len(panel.rows)

    def at(value: float) -> float:
        return size.labels + room * min(max(value / end, 0.0), 1.0)

    if whole is None:
        canvas.text(0, top + 14, panel.heading, size=13, bold=True)
        if panel.key:
            canvas.text(0, top + 32, panel.key)
    for i in range(5):
        x = size.labels + room * i / 4
        canvas.line(x, first, x, last, color="#d9d9d9" if i else svg.GREY)
        canvas.text(x, last + 15, f"{end * i / 4:g} %", anchor="middle")
    last_one = len(panel.references) - 1
    for i, reference in enumerate(panel.references):
        x = at(reference.dot.value)
        color = svg.ORANGE if reference.dashed else svg.INK
        # The last label may reach over the first line, so it stands above where that begins.
        line = top + size.head - (20 if i == last_one and last_one else 6)
        canvas.line(x, line - 9, x, last, color=color, width=2, dashed=reference.dashed)
        name = reference.name if whole is None else reference.name.partition(" (")[0]
        text = f"{name} {reference.dot.text}"
        # To the left of the first line and to the right of the last, where there is room.
        wide = svg.text_width(text)
        left = x + 6 + wide > size.width if i == last_one else x - 6 - wide > 0
        canvas.text(
            x - 6 if left else x + 6, line, text, anchor="end" if left else "start", color=color
        )
    tips = [
        at(row.dot.value) - _ARROW for row in panel.rows if row.dot and row.dot.bound == "below"
    ]
    names = min([size.labels - 6, *tips]) - 4  # where the names of the rows end
    for place, row in enumerate(panel.rows):
        y = first + _ROW * place + _ROW / 2
        canvas.text(names, y + 4, svg.shorten(row.name, names - 4), anchor="end")
        canvas.line(size.labels, y, size.labels + room, y, color="#d9d9d9")
        for tick in row.ticks:
            x, color = at(tick.dot.value), svg.ORANGE if tick.dashed else svg.INK
            canvas.line(x, y - 8, x, y + 8, color=color, width=3, dashed=tick.dashed)
        if row.dot is None:
            canvas.text(size.width, y + 4, "not shown", anchor="end")
            continue
        _dot(canvas, row.dot, at(row.dot.value), y)
        canvas.text(size.width, y + 4, row.dot.text, anchor="end", bold=True)


def _dot(canvas: svg.Canvas, dot: Dot, x: float, y: float) -> None:
    canvas.circle(x, y, 5, fill="#ffffff" if dot.bound else svg.BLUE, stroke=svg.BLUE)
    if dot.bound:
        side = -1 if dot.bound == "below" else 1
        tip = x + side * _ARROW
        canvas.path(f"M{x + side * 6:.1f},{y:.1f} H{tip:.1f}", color=svg.BLUE)
        back = tip - side * 5
        arrow = f"M{back:.1f},{y - 4:.1f} L{tip:.1f},{y:.1f} L{back:.1f},{y + 4:.1f}"
        canvas.path(arrow, color=svg.BLUE)
