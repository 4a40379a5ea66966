"""Two data sets over one axis of numbers, and below them the null of how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Histogram, Null, nice_end

_WIDTH, _LEFT, _RIGHT = 326.0, 46.0, 12.0
_TOP, _HEIGHT, _AXIS = 34.0, 150.0, 26.0
_HEAD, _NULL = 44.0, 64.0
_PALE = "#d0d0d0"

Scale = Callable[[float], float]


def draw_histogram(chart: Histogram, identity: str) -> str:
    """Return the figure as SVG: the first data set filled, the other one as a line."""
    first, other = chart.series
    bottom = _TOP + _HEIGHT
    more = _HEAD + _NULL + _AXIS if chart.null else 0.0
    canvas = svg.Canvas(identity, _WIDTH, bottom + _AXIS + more)
    name = svg.shorten(first.name, 200)
    canvas.rect(_LEFT, 4, 22, 11, fill=_PALE, stroke=svg.GREY)
    canvas.text(_LEFT + 28, 14, name)
    x = _LEFT + 28 + svg.text_width(name) + 24
    canvas.line(x, 10, x + 22, 10, color=svg.BLUE, width=2.5)
    canvas.text(x + 28, 14, svg.shorten(other.name, 200))
    end = nice_end(max(value or 0.0 for bars in chart.series for value in bars.values))

    def up(value: float) -> float:
        return bottom - _HEIGHT * value / end

    for i in range(5):
        y = up(end * i / 4)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, color="#d9d9d9" if i else svg.GREY)
        canvas.text(_LEFT - 5, y + 4, f"{end * i / 4:g} %", anchor="end")
    at = _axis(canvas, chart.edges[0], chart.edges[-1], bottom)
    _filled(canvas, chart.edges, [value or 0.0 for value in first.values], at, up)
    steps = [f"M{at(chart.edges[0]):.1f},{bottom:.1f}"]
    for value, right in zip(other.values, chart.edges[1:], strict=True):
        steps.append(f"V{up(value or 0.0):.1f}H{at(right):.1f}")
    canvas.path(f"{''.join(steps)}V{bottom:.1f}", color=svg.BLUE, width=2.5)
    if chart.null:
        _null(canvas, chart.null, bottom + _AXIS + _HEAD)
    return canvas.finish(chart.title, chart.description)


def _null(canvas: svg.Canvas, null: Null, top: float) -> None:
    bottom = top + _NULL
    canvas.text(0, top - 26, null.title, bold=True)
    at = _axis(canvas, min(0.0, null.edges[0]), 1.04 * max(null.observed, null.edges[-1]), bottom)
    most = max(null.shares)
    _filled(canvas, null.edges, null.shares, at, lambda value: bottom - _NULL * value / most)
    canvas.line(_LEFT, bottom, _WIDTH - _RIGHT, bottom)
    canvas.line(at(null.limit), top, at(null.limit), bottom, color=svg.ORANGE, dashed=True, width=2)
    x = at(null.observed)
    canvas.line(x, top - 4, x, bottom, color=svg.INK, width=2.5)
    # Towards the middle, where there is room for it.
    right = x < _WIDTH / 2
    canvas.text(
        x + 6 if right else x - 6, top - 8, null.text, anchor="start" if right else "end", bold=True
    )


def _axis(canvas: svg.Canvas, low: float, high: float, bottom: float) -> Scale:
    """Draw marks of an axis and return where its values are."""

    def at(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    for tick in ticks(low, high):
        canvas.line(at(tick), bottom, at(tick), bottom + 4)
        text = f"{tick:,.10g}".replace("-", "\N{MINUS SIGN}")
        canvas.text(at(tick), bottom + 17, text, anchor="middle")
    return at


def _filled(
    canvas: svg.Canvas, edges: Sequence[float], values: Sequence[float], at: Scale, up: Scale
) -> None:
    for value, left, right in zip(values, edges, edges[1:], strict=False):
        x = at(left)
        canvas.rect(x, up(value), at(right) - x, up(0.0) - up(value), fill=_PALE, stroke=svg.GREY)


def ticks(low: float, high: float) -> list[float]:
    """Return two to five round numbers within an interval.

    Examples
    --------
    >>> ticks(17, 90), ticks(-0.03, 0.41)
    ([20.0, 40.0, 60.0, 80.0], [0.0, 0.2, 0.4])
    """
    rough = (high - low) / 4
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(times for times in (1, 2, 5, 10) if times * scale >= rough * (1 - 1e-9)) * scale
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) + 0.0 for i in range(first, math.floor(high / step + 1e-9) + 1)]
