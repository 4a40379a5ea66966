"""Heat map of all pairs of variables: shades that darken, also in grey, with their numbers."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Heat

__all__ = ["PALETTE", "draw_heat"]

PALETTE: dict[str, tuple[str, str]] = {
    "plain": ("#ffffff", svg.INK),
    "pale": ("#dce8f4", svg.INK),
    "light": ("#b4cbe3", svg.INK),
    "mid": ("#4a739c", "#ffffff"),
    "dark": ("#1f3f66", "#ffffff"),
    "review": ("#f0b95e", svg.INK),
    "fail": ("#8a1c12", "#ffffff"),
}
"""Fill and ink of each shade. Every fill is darker than the one before it in its row."""

_ROW, _NAMES, _LEGEND = 24.0, 150.0, 30.0


def draw_heat(chart: Heat, identity: str) -> str:
    """Return the figure as SVG.

    Names stand on the diagonal, so that none has to be turned: the cells of a variable are
    those to the left of its name and those below it.
    """
    n = len(chart.variables)
    cell = 38.0 if chart.numbered else 20.0
    row = _ROW if chart.numbered else 18.0
    width = max(cell * n + _NAMES, 530.0)
    canvas = svg.Canvas(identity, width, _LEGEND + row * n + 6)
    x = 0.0
    for band in chart.bands:
        fill, _ = PALETTE[band.shade]
        canvas.rect(x + 0.5, 2, 20, 13, fill=fill, stroke=svg.GREY)
        canvas.text(x + 26, 13, band.text)
        x += 26 + svg.text_width(band.text) + 16
    for found in chart.cells:
        fill, ink = PALETTE[chart.bands[found.band].shade]
        left, top = cell * found.column + 0.5, _LEGEND + row * found.row + 0.5
        canvas.rect(left, top, cell - 2, row - 2, fill=fill, stroke=svg.GREY)
        if chart.numbered:
            canvas.text(
                left + (cell - 2) / 2,
                top + row / 2 + 3,
                found.text,
                anchor="middle",
                size=11,
                color=ink,
                bold=chart.bands[found.band].shade == "fail",
            )
    for i, name in enumerate(chart.variables):
        room = width - cell * i - 8
        canvas.text(
            cell * i + 4,
            _LEGEND + row * i + row / 2 + 3,
            svg.shorten(name, min(room, _NAMES + cell)),
            bold=True,
        )
    return canvas.finish(chart.title, chart.description)
