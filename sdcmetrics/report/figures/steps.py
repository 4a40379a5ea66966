"""A variable of numbers in steps: the original as an area, one replica as a line over it."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Bars

_WIDTH, _HEIGHT = 300.0, 132.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 6.0, 10.0, 22.0


def draw_steps(chart: Bars, identity: str) -> str:
    """Return the figure as SVG; every group of numbers is as wide as any other."""
    original, replica = chart.series
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    floor, end = _HEIGHT - _BOTTOM, chart.end or 100.0
    wide = (_WIDTH - _LEFT - _RIGHT) / max(len(chart.levels), 1)

    def y_at(value: float) -> float:
        return floor - (floor - _TOP) * value / end

    for value in (0.0, end / 2, end):
        canvas.line(_LEFT, y_at(value), _WIDTH - _RIGHT, y_at(value), color="#d9d9d9")
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
    half = (_WIDTH - _LEFT) / 2 - 6
    ends = ((_LEFT, chart.levels[0], "start"), (_WIDTH - _RIGHT, chart.levels[-1], "end"))
    for x, label, anchor in ends if len(chart.levels) > 1 else ends[:1]:
        canvas.text(x, _HEIGHT - 6, svg.shorten(label, half, 11), anchor=anchor, size=11)
    return canvas.finish(chart.title, chart.description)
