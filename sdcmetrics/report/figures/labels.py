"""Names beside points, and other texts, where they cover nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdcmetrics.report.figures import svg

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Option = tuple[float, float, str]
"""A place for a text: x, the y of its baseline, and which end of it x is."""

_BOLD = 1.15
"""How much wider than plain a bold text is."""

_SIZE = 12
_LONGEST = 150
_NEAR = 24
"""A name further than this from its point is joined to it by a line."""

_PALE = 0.8

_DOWN = (18, -10, 32, -24, 46, -38, 60, -52, 74, -66, 88, 102, 116, 130, 144)
_SIDES = ((10, "start"), (-10, "end"), (0, "middle"))


class Labels:
    """Puts names beside points of one figure; later ones keep clear of earlier ones.

    Parameters
    ----------
    canvas : Canvas
    inside : Box
        What no name may leave.
    taken : list of Box
        What no name may cover: points, axes, other texts.
    """

    def __init__(self, canvas: svg.Canvas, inside: Box, taken: list[Box]) -> None:
        self._canvas, self._inside, self._taken = canvas, inside, list(taken)

    def put(
        self, name: str, x: float, y: float, *, bold: bool = True, color: str = svg.INK
    ) -> None:
        """Write a name beside a point; from further away with a line to it."""
        text = svg.shorten(name, _LONGEST, _SIZE)
        wide = svg.text_width(text, _SIZE) * (_BOLD if bold else 1.0)
        options = [
            (x + 10, y + 4, "start"),
            (x - 10, y + 4, "end"),
            *((x, y + d, "middle") for d in (-11, 20)),
            *((x + side, y + d, anchor) for d in _DOWN for side, anchor in _SIDES),
        ]
        (left, base, anchor), box = self._chosen(options, wide)
        if abs(base - y) > _NEAR:
            end = base + 3 if base < y else base - 11
            self._canvas.line(x, y + (7 if base > y else -7), left, end, color=svg.GREY, width=0.8)
        self._clear(box)
        self._canvas.text(left, base, text, anchor=anchor, bold=bold, color=color)

    def write(self, text: str, options: Sequence[Option], *, color: str = svg.INK) -> None:
        """Write a text at the first place of several where it covers nothing, else the least."""
        (left, base, anchor), box = self._chosen(options, svg.text_width(text, _SIZE))
        self._clear(box)
        self._canvas.text(left, base, text, anchor=anchor, color=color)

    def _clear(self, box: Box) -> None:
        """Make lines pale on which a text is going to stand; a mark is still seen."""
        left, top, right, bottom = box
        self._canvas.rect(left, top, right - left, bottom - top, fill="#ffffff", opacity=_PALE)

    def _chosen(self, options: Sequence[Option], wide: float) -> tuple[Option, Box]:
        boxes = []
        for left, base, anchor in options:
            start = left - (wide if anchor == "end" else wide / 2 if anchor == "middle" else 0)
            boxes.append((start, base - 11, start + wide, base + 3))
        least = min(range(len(boxes)), key=lambda i: self._covered(boxes[i]))
        chosen = next((i for i, box in enumerate(boxes) if self._free(box)), least)
        self._taken.append(boxes[chosen])
        return options[chosen], boxes[chosen]

    def _free(self, box: Box) -> bool:
        return self._holds(box) and not any(_overlap(box, other) for other in self._taken)

    def _holds(self, box: Box) -> bool:
        left, top, right, bottom = self._inside
        return box[0] >= left and box[1] >= top and box[2] <= right and box[3] <= bottom

    def _covered(self, box: Box) -> float:
        """Return the area that a name at this place covers; infinity outside of the figure."""
        if not self._holds(box):
            return math.inf
        return math.fsum(
            max(min(box[2], other[2]) - max(box[0], other[0]), 0.0)
            * max(min(box[3], other[3]) - max(box[1], other[1]), 0.0)
            for other in self._taken
        )


def around(place: tuple[float, float]) -> Box:
    """Return what a mark of any shape covers."""
    x, y = place
    return x - 6, y - 7, x + 6, y + 7


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 2 and b[0] < a[2] + 2 and a[1] < b[3] and b[1] < a[3]
