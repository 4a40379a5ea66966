"""Paired horizontal bars: the original beside every replica, by colour and by pattern."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Bars, nice_end
from sdcmetrics.report.figures.steps import draw_steps

_WIDTH, _LABELS, _VALUES = 540.0, 160.0, 64.0
_PITCH, _GAP, _SWATCH = 13.0, 10.0, 22.0


def draw_bars(chart: Bars, identity: str) -> str:
    """Return the figure as SVG."""
    if chart.end is not None:
        return draw_steps(chart, identity)
    keys = _legend([series.name for series in chart.series])
    top = 18.0 * (keys[-1][1] + 1) + 14
    group = _PITCH * len(chart.series) + _GAP
    canvas = svg.Canvas(identity, _WIDTH, top + group * len(chart.levels) + 24)
    paints = [_paint(canvas, i) for i in range(len(chart.series))]
    for (x, line, name), (fill, stroke) in zip(keys, paints, strict=True):
        y = 4 + 18.0 * line
        canvas.rect(x, y, _SWATCH, 11, fill=fill, stroke=stroke)
        canvas.text(x + _SWATCH + 6, y + 10, name)
    largest = max((v for s in chart.series for v in s.values if v is not None), default=0.0)
    end = nice_end(largest)
    room = _WIDTH - _LABELS - _VALUES
    bottom = top + group * len(chart.levels)
    for i in range(5):
        x = _LABELS + room * i / 4
        canvas.line(x, top - 4, x, bottom, color="#d9d9d9" if i else svg.GREY)
        canvas.text(x, bottom + 16, f"{end * i / 4:g} %", anchor="middle")
    for place, level in enumerate(chart.levels):
        y = top + group * place
        middle = y + _PITCH * len(chart.series) / 2 + 4
        canvas.text(_LABELS - 8, middle, svg.shorten(level, _LABELS - 12), anchor="end")
        for series, (fill, stroke) in zip(chart.series, paints, strict=True):
            value = series.values[place]
            if value is not None:
                length = room * value / end
                canvas.rect(_LABELS, y + 1, length, _PITCH - 3, fill=fill, stroke=stroke)
                canvas.text(_LABELS + length + 5, y + _PITCH - 3, series.texts[place])
            y += _PITCH
    return canvas.finish(chart.title, chart.description)


def _paint(canvas: svg.Canvas, place: int) -> tuple[str, str]:
    if place == 0:
        return svg.INK, svg.INK
    color = (svg.BLUE, svg.ORANGE)[(place - 1) % 2]
    return canvas.pattern(svg.PATTERNS[(place - 1) % len(svg.PATTERNS)], color), color


def _legend(names: list[str]) -> list[tuple[float, int, str]]:
    """Return place, line and text of each key, wrapped to the width."""
    out, x, line = [], 0.0, 0
    for name in names:
        text = svg.shorten(name, 200)
        width = _SWATCH + 6 + svg.text_width(text) + 18
        if x and x + width > _WIDTH:
            x, line = 0.0, line + 1
        out.append((x, line, text))
        x += width
    return out
