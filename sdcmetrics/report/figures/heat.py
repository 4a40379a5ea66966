"""Heat map of all pairs of variables: shades that darken, also in grey, with their numbers."""

from __future__ import annotations

from sdcmetrics.report.figures import svg
from sdcmetrics.report.figures.charts import Heat

PALETTE: dict[str, tuple[str, str]] = {
    "plain": ("#ffffff", svg.INK),
    "pale": ("#dce8f4", svg.INK),
    "light": ("#b4cbe3", svg.INK),
    "mid": ("#4a739c", "#ffffff"),
    "dark": ("#1f3f66", "#ffffff"),
    "below-pale": ("#f8e4d3", svg.INK),
    "below-light": ("#e9b58c", svg.INK),
    "below-mid": ("#9a4a12", "#ffffff"),
    "review": ("#f0b95e", svg.INK),
    "fail": ("#8a1c12", "#ffffff"),
}
"""Fill and ink of each shade. Every fill is darker than the one before it in its row."""

_ROW, _NAMES, _LEGEND, _LINE = 24.0, 150.0, 30.0, 19.0
_LEAST = 326.0
"""Width within a phone's: more keys are on further lines."""
_PICTURE = 600.0
"""Width of a picture of very many variables."""


def draw_heat(chart: Heat, identity: str) -> str:
    """Return the figure as SVG.

    Names stand on the diagonal, so that none has to be turned: the cells of a variable are
    those to the left of its name and those below it.
    """
    n = len(chart.variables)
    cell = 38.0 if chart.numbered else 20.0 if chart.named else _dot(chart)
    row = _ROW if chart.numbered else 18.0 if chart.named else cell
    width = max(cell * n + (_NAMES if chart.named else 0), _LEAST)
    keys = _keys(chart, width)
    below = _LEGEND + _LINE * keys[-1][1] if keys else _LEGEND
    canvas = svg.Canvas(identity, width, below + row * n + 6)
    for (x, line), band in zip(keys, chart.bands, strict=True):
        fill, _ = PALETTE[band.shade]
        canvas.rect(x + 0.5, 2 + _LINE * line, 20, 13, fill=fill, stroke=svg.GREY)
        canvas.text(x + 26, 13 + _LINE * line, band.text)
    if not chart.named:
        _picture(canvas, chart, below)
        return canvas.finish(chart.title, chart.description)
    for square in chart.cells:
        fill, ink = PALETTE[chart.bands[square.band].shade]
        left, top = cell * square.column + 0.5, below + row * square.row + 0.5
        canvas.rect(left, top, cell - 2, row - 2, fill=fill, stroke=svg.GREY)
        if chart.numbered:
            canvas.text(
                left + (cell - 2) / 2,
                top + row / 2 + 3,
                square.text,
                anchor="middle",
                size=11,
                color=ink,
                bold=chart.bands[square.band].shade == "fail",
            )
    for i, name in enumerate(chart.variables):
        room = width - cell * i - 8
        canvas.text(
            cell * i + 4,
            below + row * i + row / 2 + 3,
            svg.shorten(name, min(room, _NAMES + cell)),
            bold=True,
        )
    return canvas.finish(chart.title, chart.description)


def _keys(chart: Heat, width: float) -> list[tuple[float, int]]:
    """Return place and line of each key, wrapped to the width."""
    out, x, line = [], 0.0, 0
    for band in chart.bands:
        wide = 26 + svg.text_width(band.text)
        if x and x + wide > width:
            x, line = 0.0, line + 1
        out.append((x, line))
        x += wide + 16
    return out


def _dot(chart: Heat) -> float:
    """Return the side of a cell of a picture that is to fit on a page."""
    return max(round(_PICTURE / len(chart.variables)), 1)


def _picture(canvas: svg.Canvas, chart: Heat, below: float) -> None:
    """Draw every cell as a dot; neighbours in a row that look alike are one line of a path."""
    side = int(_dot(chart))
    bands = {(cell.row, cell.column): cell.band for cell in chart.cells}
    runs: dict[int, list[str]] = {}
    for (row, column), band in sorted(bands.items()):
        if bands.get((row, column - 1)) == band:
            continue
        end = column + 1
        while bands.get((row, end)) == band:
            end += 1
        y = below + side * (row + 0.5)
        runs.setdefault(band, []).append(f"M{side * column},{y:g}h{side * (end - column)}")
    for band, paths in runs.items():
        fill, _ = PALETTE[chart.bands[band].shade]
        canvas.path("".join(paths), color=fill, width=side)
