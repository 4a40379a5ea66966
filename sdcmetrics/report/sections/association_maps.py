"""What every two columns tell of each other: a map of one data set, of another, and of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.report.figures.charts import Band, Heat, HeatCell
from sdcmetrics.report.safety import numbers

Floats = npt.NDArray[np.float64]

_NAMED = 30
"""Variables of a map that still has room for their names."""
_STRENGTH = (0.1, 0.3, 0.6)
"""Cohen's small and medium correlations, and twice the latter."""
_CHANGE = (0.05, 0.1, 0.2)
"""Of 800 records each, a difference has a standard error of 0.05 where nothing is related."""
_SHADES = ("below-mid", "below-light", "below-pale", "plain", "pale", "light", "mid")


def association_maps(
    names: Sequence[str], differences: Mapping[str, Floats], associations: Mapping[str, Floats]
) -> tuple[Heat, ...]:
    """Return a heat map of each matrix, differences first, as these have a scale of their own.

    Parameters
    ----------
    names : sequence of str, as they are shown
    differences, associations : title of a map to its matrix, shape (names, names)
        Only the lower triangles are drawn; NaN is left empty.
    """
    return (
        *(_heat(title, names, found, _CHANGE) for title, found in differences.items()),
        *(_heat(title, names, found, _STRENGTH) for title, found in associations.items()),
    )


def _heat(title: str, names: Sequence[str], matrix: Floats, ends: tuple[float, ...]) -> Heat:
    limits = (*(-end for end in reversed(ends)), *ends)
    cells = [
        HeatCell(
            row, column, numbers.with_decimals(value, 2), sum(value > limit for limit in limits)
        )
        for row in range(1, len(names))
        for column in range(row)
        if not np.isnan(value := float(matrix[row, column]))
    ]
    used = sorted({cell.band for cell in cells})
    bands = tuple(_band(limits, place) for place in used)
    counts = [sum(cell.band == place for cell in cells) for place in used]
    found = ", ".join(f"{n} {band.text}" for n, band in zip(counts, bands, strict=True))
    return Heat(
        title=title,
        description=f"{numbers.plural(len(cells), 'pair')} of variables: {found}.",
        variables=tuple(names),
        bands=bands,
        cells=tuple(HeatCell(c.row, c.column, c.text, used.index(c.band)) for c in cells),
        named=len(names) <= _NAMED,
    )


def _band(limits: tuple[float, ...], place: int) -> Band:
    ends = [*map(numbers.with_minus, limits)]
    if place == 0:
        text = f"below {ends[0]}"
    elif place == len(limits):
        text = f"above {ends[-1]}"
    else:
        text = f"{ends[place - 1]} to {ends[place]}"
    return Band(text, _SHADES[place])
