"""ROC curves: how many are found against how many are wrongly taken for them."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Curves

_SIDE, _LEFT, _TOP, _RIGHT, _BOTTOM = 256.0, 48.0, 10.0, 22.0, 46.0
_KEY = 18.0


def draw_curves(chart: Curves, identity: str) -> str:
    """Return the figure as SVG."""
    # Keys stand below: beside names of any length no corner is sure to be free.
    legend = _KEY * len(chart.curves) + 8
    height = _TOP + 18 + _SIDE + _BOTTOM + legend
    canvas = svg.Canvas(identity, _LEFT + _SIDE + _RIGHT, height)
    top = _TOP + 18
    bottom = top + _SIDE
    canvas.text(0, _TOP + 4, chart.y_title)
    for i in range(6):
        place = _SIDE * i / 5
        pale = "#d9d9d9" if i else svg.GREY
        canvas.line(_LEFT, bottom - place, _LEFT + _SIDE, bottom - place, color=pale)
        canvas.line(_LEFT + place, top, _LEFT + place, bottom, color=pale)
        canvas.text(_LEFT - 6, bottom - place + 4, f"{20 * i} %", anchor="end")
        canvas.text(_LEFT + place, bottom + 16, f"{20 * i} %", anchor="middle")
    canvas.text(_LEFT + _SIDE, bottom + 34, chart.x_title, anchor="end")
    canvas.line(_LEFT, bottom, _LEFT + _SIDE, top, color=svg.GREY)
    for place, curve in enumerate(chart.curves):
        color = svg.INK if curve.first else svg.BLUE
        points = " ".join(
            f"{_LEFT + _SIDE * x:.1f},{bottom - _SIDE * y:.1f}"
            for x, y in zip(curve.x, curve.y, strict=True)
        )
        canvas.path(f"M{points}", color=color, dashed=curve.dashed)
        y = bottom + _BOTTOM + _KEY * place + 8
        canvas.line(0, y, 30, y, color=color, width=2, dashed=curve.dashed)
        canvas.text(38, y + 4, svg.shorten(curve.name, _LEFT + _SIDE + _RIGHT - 40))
    return canvas.finish(chart.title, chart.description)
