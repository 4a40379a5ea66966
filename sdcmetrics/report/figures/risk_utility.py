"""The map of utility and protection: replicas, references, and the front of what is unbeaten."""

from __future__ import annotations

import itertools

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import RiskUtility
from sdcmetrics.report.figures.labels import Box, Labels

__all__ = ["draw_risk_utility"]

_WIDTH, _HEIGHT = 540.0, 460.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 26.0, 44.0, 84.0
_SOFT = "#595959"

Place = tuple[float, float]


def draw_risk_utility(chart: RiskUtility, identity: str) -> str:
    """Return the figure as SVG."""
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    _axes(canvas, chart)
    places = [_place(chart, mark.utility, mark.protection) for mark in chart.positions]
    taken: list[Box] = [(x - 6, y - 7, x + 6, y + 7) for x, y in places]
    floor = _HEIGHT - _BOTTOM
    taken += [(0, floor + 3, _WIDTH, _HEIGHT), (0, 0, _WIDTH, 20), (0, 0, _LEFT - 4, floor)]
    if chart.box is None:
        taken += _front(canvas, chart)
    else:
        taken.append(_closer(canvas, chart, chart.box))
    for mark, (x, y) in zip(chart.positions, places, strict=True):
        _shape(canvas, mark.kind, x, y)
    # Replicas are named first: they get the places next to their points.
    order = sorted(range(len(places)), key=lambda i: chart.positions[i].kind == "reference")
    labels = Labels(canvas, (0, 0, _WIDTH, _HEIGHT), taken)
    for i in order:
        mark = chart.positions[i]
        if mark.kind != "reference":
            if chart.box is None:
                labels.put(mark.name, *places[i])
        else:
            labels.put(mark.name, *places[i], bold=False, color=_SOFT)
    _legend(canvas)
    return canvas.finish(chart.title, chart.description)


def _place(chart: RiskUtility, utility: float, protection: float) -> Place:
    (left, right), (low, high) = chart.across, chart.up
    return (
        _LEFT + (_WIDTH - _LEFT - _RIGHT) * (utility - left) / (right - left),
        _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - protection) / (high - low),
    )


def _axes(canvas: svg.Canvas, chart: RiskUtility) -> None:
    (left, right), (low, high) = chart.across, chart.up
    floor = _HEIGHT - _BOTTOM
    for i in range(5):
        across, up = left + (right - left) * i / 4, low + (high - low) * i / 4
        x, y = _place(chart, across, up)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, color="#d9d9d9" if i else svg.GREY)
        canvas.line(x, _TOP, x, floor, color="#d9d9d9" if i else svg.GREY)
        canvas.text(_LEFT - 6, y + 4, _tick(up), anchor="end")
        canvas.text(x, floor + 16, _tick(across), anchor="middle")
    canvas.text(_WIDTH - _RIGHT, floor + 34, chart.x_title, anchor="end")
    canvas.text(4, 14, chart.y_title)


def _tick(value: float) -> str:
    return f"{round(value, 3):g}".replace("-", "\N{MINUS SIGN}")


def _front(canvas: svg.Canvas, chart: RiskUtility) -> list[Box]:
    """Draw steps through the replicas that no other one beats; return where the lines are."""
    lines: list[Box] = []
    front = sorted(
        {_place(chart, m.utility, m.protection) for m in chart.positions if m.kind == "front"}
    )
    for (x1, y1), (x2, y2) in itertools.pairwise(front):
        # What lies left of one and below its protection is beaten by it.
        canvas.line(x1, y1, x1, y2, color=svg.BLUE, width=1.5, dashed=True)
        canvas.line(x1, y2, x2, y2, color=svg.BLUE, width=1.5, dashed=True)
        lines += [(x1 - 1, y1, x1 + 1, y2), (x1, y2 - 1, x2, y2 + 1)]
    return lines


def _closer(canvas: svg.Canvas, chart: RiskUtility, box: Box) -> Box:
    """Draw the part that another figure shows; return where it is."""
    left, top = _place(chart, max(box[0], 0.0), min(box[3], 1.0))
    right, bottom = _place(chart, min(box[1], 1.0), max(box[2], 0.0))
    left, top, right, bottom = left - 8, top - 8, right + 8, bottom + 8
    for x1, y1, x2, y2 in (
        (left, top, right, top),
        (left, bottom, right, bottom),
        (left, top, left, bottom),
        (right, top, right, bottom),
    ):
        canvas.line(x1, y1, x2, y2, color=svg.BLUE, dashed=True)
    canvas.text((left + right) / 2, bottom + 16, "replicas: see the closer map", anchor="middle")
    return (left, top, right, bottom + 20)


def _shape(canvas: svg.Canvas, kind: str, x: float, y: float) -> None:
    if kind == "reference":
        canvas.path(f"M{x:.1f},{y - 6:.1f} l6,6 l-6,6 l-6,-6 z", color=svg.GREY)
    else:
        fill = svg.BLUE if kind == "front" else "#ffffff"
        canvas.circle(x, y, 5.5, fill=fill, stroke=svg.BLUE)


def _legend(canvas: svg.Canvas) -> None:
    y = _HEIGHT - 12
    entries = (
        ("front", "replica no other beats", 12.0),
        ("beaten", "replica that is beaten", 182.0),
        ("reference", "reference to compare with", 344.0),
    )
    for kind, words, x in entries:
        _shape(canvas, kind, x, y - 4)
        canvas.text(x + 11, y, words)
