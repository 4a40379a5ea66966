"""The map of utility and protection: replicas, references, and the front of what is unbeaten."""

from __future__ import annotations

import itertools

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Mark, RiskUtility

__all__ = ["draw_risk_utility"]

_WIDTH, _HEIGHT = 540.0, 460.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 26.0, 44.0, 84.0
_BOLD = 1.15

Box = tuple[float, float, float, float]


def draw_risk_utility(chart: RiskUtility, identity: str) -> str:
    """Return the figure as SVG."""
    canvas = svg.Canvas(identity, _WIDTH, _HEIGHT)
    floor = _HEIGHT - _BOTTOM
    for i in range(5):
        share = i / 4
        x, y = _x(share), _y(share)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, color=svg.GREY if not i else "#d9d9d9")
        canvas.line(x, _TOP, x, floor, color=svg.GREY if not i else "#d9d9d9")
        canvas.text(_LEFT - 6, y + 4, f"{share:g}", anchor="end")
        canvas.text(x, floor + 16, f"{share:g}", anchor="middle")
    canvas.text(_WIDTH - _RIGHT, floor + 34, chart.x_title, anchor="end")
    canvas.text(4, 14, chart.y_title)
    places = [(_x(mark.utility), _y(mark.protection)) for mark in chart.marks]
    taken: list[Box] = [(x - 6, y - 7, x + 6, y + 7) for x, y in places]
    taken += [(0, floor + 3, _WIDTH, _HEIGHT), (0, 0, _WIDTH, 20)]
    taken += _front(canvas, chart)
    for mark, (x, y) in zip(chart.marks, places, strict=True):
        _shape(canvas, mark.kind, x, y)
    # Replicas are named first: they get the places next to their points.
    order = sorted(range(len(places)), key=lambda i: chart.marks[i].kind == "reference")
    for i in order:
        _label(canvas, chart.marks[i], *places[i], taken)
    _legend(canvas)
    return canvas.finish(chart.title, chart.description)


def _x(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)


def _front(canvas: svg.Canvas, chart: RiskUtility) -> list[Box]:
    """Draw steps through the replicas that no other one beats; return where the lines are."""
    lines: list[Box] = []
    front = sorted({(_x(m.utility), _y(m.protection)) for m in chart.marks if m.kind == "front"})
    for (x1, y1), (x2, y2) in itertools.pairwise(front):
        # What lies right of one and below its protection is beaten only up to the next one.
        canvas.line(x1, y1, x1, y2, color=svg.BLUE, width=1.5, dashed=True)
        canvas.line(x1, y2, x2, y2, color=svg.BLUE, width=1.5, dashed=True)
        lines += [(x1 - 1, y1, x1 + 1, y2), (x1, y2 - 1, x2, y2 + 1)]
    return lines


def _shape(canvas: svg.Canvas, kind: str, x: float, y: float) -> None:
    if kind == "reference":
        canvas.path(f"M{x:.1f},{y - 6:.1f} l6,6 l-6,6 l-6,-6 z", color=svg.GREY)
    else:
        fill = svg.BLUE if kind == "front" else "#ffffff"
        canvas.circle(x, y, 5.5, fill=fill, stroke=svg.BLUE)


def _label(canvas: svg.Canvas, mark: Mark, x: float, y: float, taken: list[Box]) -> None:
    bold = mark.kind != "reference"
    text = svg.shorten(mark.name, 150, 12)
    wide = svg.text_width(text, 12) * (_BOLD if bold else 1.0)
    options = [
        (x + 10, y + 4, "start"),
        (x - 10, y + 4, "end"),
        *((x, y + d, "middle") for d in (-11, 20)),
        *((x + 10, y + d, "start") for d in (-10, 18, -22, 30)),
        *((x - 10, y + d, "end") for d in (-10, 18, -22, 30, 44, -36, 58, -50)),
    ]
    boxes = []
    for left, base, anchor in options:
        start = left - (wide if anchor == "end" else wide / 2 if anchor == "middle" else 0)
        boxes.append((start, base - 11, start + wide, base + 3))
    free = [
        i
        for i, box in enumerate(boxes)
        if box[0] >= 0
        and box[2] <= _WIDTH
        and box[1] >= 0
        and not any(_overlap(box, other) for other in taken)
    ]
    chosen = free[0] if free else 0
    left, base, anchor = options[chosen]
    taken.append(boxes[chosen])
    canvas.text(left, base, text, anchor=anchor, bold=bold, color=svg.INK if bold else "#595959")


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 2 and b[0] < a[2] + 2 and a[1] < b[3] and b[1] < a[3]


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
