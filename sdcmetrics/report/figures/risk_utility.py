"""The map of utility and protection: replicas, references, and the front of what is unbeaten."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Position, RiskUtility
from sdcmetrics.report.figures.labels import Box, Labels, around
from sdcmetrics.report.safety.numbers import with_minus

_WIDTH, _HEIGHT = 400.0, 400.0
"""Small, so that its text can still be read on a narrow screen."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 18.0, 32.0, 88.0
_SOFT = "#595959"

Place = tuple[float, float]


def draw_risk_utility(chart: RiskUtility, identity: str) -> str:
    """Return the figure as SVG."""
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    _axes(canvas, chart)
    places = [_place(chart, mark.utility, mark.protection) for mark in chart.positions]
    taken = [*map(around, places)]
    floor = _HEIGHT - _BOTTOM
    taken += [(0, floor + 3, _WIDTH, _HEIGHT), (0, 0, _WIDTH, 20), (0, 0, _LEFT - 4, floor)]
    area = None
    if chart.box is None:
        taken += _front(canvas, chart)
    else:
        taken.append(area := _closer(canvas, chart, chart.box))
    for mark, place in zip(chart.positions, places, strict=True):
        taken += _intervals(canvas, chart, mark, place)
    for mark, (x, y) in zip(chart.positions, places, strict=True):
        _shape(canvas, mark.kind, x, y)
    # Replicas are named first: they get the places next to their points.
    order = sorted(range(len(places)), key=lambda i: chart.positions[i].kind == "reference")
    labels = Labels(canvas, (0, 0, _WIDTH, _HEIGHT), taken)
    if area is not None:
        left, top, right, bottom = area
        across, up = (left + right) / 2, (top + bottom) / 2
        labels.write(
            "replicas: see the closer map",
            [
                (across, bottom + 16, "middle"),
                (across, top - 6, "middle"),
                *((left - 6, y, "end") for y in (up, up - 20, up + 20)),
                *((right + 6, y, "start") for y in (up, up - 20, up + 20)),
            ],
        )
    for i in order:
        mark = chart.positions[i]
        if mark.kind != "reference":
            if chart.box is None:
                labels.put(mark.name, *places[i])
        else:
            labels.put(mark.name, *places[i], bold=False, color=_SOFT)
    _legend(canvas, chart)
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
        canvas.text(_LEFT - 6, y + 4, with_minus(round(up, 3)), anchor="end")
        canvas.text(x, floor + 16, with_minus(round(across, 3)), anchor="middle")
    canvas.text(_WIDTH - _RIGHT, floor + 34, chart.x_title, anchor="end")
    canvas.text(4, 14, chart.y_title)


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
    return (left, top, right, bottom)


def _shape(canvas: svg.Canvas, kind: str, x: float, y: float) -> None:
    if kind == "reference":
        canvas.path(f"M{x:.1f},{y - 6:.1f} l6,6 l-6,6 l-6,-6 z", color=svg.GREY)
    else:
        fill = svg.BLUE if kind == "front" else "#ffffff"
        canvas.circle(x, y, 5.5, fill=fill, stroke=svg.BLUE)


def _intervals(
    canvas: svg.Canvas, chart: RiskUtility, mark: Position, place: Place
) -> Iterator[Box]:
    """Draw how far a replica may be from where it is; yield where the lines are."""
    x, y = place
    (left, right), (low, high) = chart.across, chart.up
    if mark.utility_interval is not None:
        (x1, _), (x2, _) = (
            _place(chart, min(max(end, left), right), high) for end in mark.utility_interval
        )
        canvas.line(x1, y, x2, y, color=svg.ORANGE, width=1.5)
        yield (x1, y - 1, x2, y + 1)
    if mark.protection_interval is not None:
        (_, y1), (_, y2) = (
            _place(chart, right, min(max(end, low), high)) for end in mark.protection_interval
        )
        canvas.line(x, y1, x, y2, color=svg.ORANGE, width=1.5)
        yield (x - 1, y2, x + 1, y1)


def _legend(canvas: svg.Canvas, chart: RiskUtility) -> None:
    entries = (
        ("front", "replica no other beats", 12.0, 26.0),
        ("beaten", "replica that is beaten", 200.0, 26.0),
        ("reference", "reference to compare with", 12.0, 8.0),
    )
    for kind, words, x, up in entries:
        _shape(canvas, kind, x, _HEIGHT - up - 4)
        canvas.text(x + 11, _HEIGHT - up, words)
    if any(mark.utility_interval or mark.protection_interval for mark in chart.positions):
        canvas.line(194, _HEIGHT - 12, 206, _HEIGHT - 12, color=svg.ORANGE, width=1.5)
        canvas.text(211, _HEIGHT - 8, chart.spread)
