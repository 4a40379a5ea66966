"""Shares of levels as paired bars, or of groups of numbers in steps."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Bars, nice_end

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


_STEPS_WIDTH, _STEPS_HEIGHT = 300.0, 132.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 6.0, 10.0, 22.0
_BETWEEN = 6.0
"""At least, between the labels at the ends."""


def draw_steps(chart: Bars, identity: str) -> str:
    """Return the figure as SVG; every group of numbers is as wide as any other."""
    original, replica = chart.series
    canvas = svg.Canvas(identity, _STEPS_WIDTH, _STEPS_HEIGHT)
    floor, end = _STEPS_HEIGHT - _BOTTOM, chart.end or 100.0
    wide = (_STEPS_WIDTH - _LEFT - _RIGHT) / max(len(chart.levels), 1)

    def y_at(value: float) -> float:
        return floor - (floor - _TOP) * value / end

    for value in (0.0, end / 2, end):
        canvas.line(_LEFT, y_at(value), _STEPS_WIDTH - _RIGHT, y_at(value), color="#d9d9d9")
        canvas.text(_LEFT - 4, y_at(value) + 4, f"{value:g} %", anchor="end", size=11)
    for i, share in enumerate(original.values):
        if share is not None:
            y = y_at(share)
            canvas.rect(_LEFT + wide * i, y, wide, floor - y, fill="#c9c9c9")
    path = ""
    for i, share in enumerate(replica.values):
        x, y = _LEFT + wide * i, y_at(share or 0.0)
        path += f"{'L' if path else 'M'}{x:.1f},{y:.1f} L{x + wide:.1f},{y:.1f} "
    canvas.path(path.strip(), color=svg.BLUE)
    half = (_STEPS_WIDTH - _LEFT - _RIGHT - _BETWEEN) / 2
    ends = ((_LEFT, chart.levels[0], "start"), (_STEPS_WIDTH - _RIGHT, chart.levels[-1], "end"))
    for x, label, anchor in ends if len(chart.levels) > 1 else ends[:1]:
        canvas.text(x, _STEPS_HEIGHT - 6, svg.shorten(label, half, 11), anchor=anchor, size=11)
    return canvas.finish(chart.title, chart.description)
