"""Maps of associations: the lower triangle of each matrix, signs by colour and by number."""

from __future__ import annotations

import numpy as np

from sdcmetrics.report.figures import draw
from sdcmetrics.report.sections.suite_figures import association_maps

NAMES = ("a", "b", "c")
ONE = np.array([[1, 0.7, np.nan], [0.7, 1, -0.2], [np.nan, -0.2, 1]])
OTHER = np.array([[1, 0.55, np.nan], [0.55, 1, -0.204], [np.nan, -0.204, 1]])


def said(text: str) -> str:
    return text.replace("\N{MINUS SIGN}", "-")


def test_every_pair_has_its_number_in_its_own_band_and_what_is_undefined_is_empty() -> None:
    apart, first, other = association_maps(
        NAMES, {"change": OTHER - ONE}, {"holdout": ONE, "replica": OTHER}
    )
    assert [item.title for item in (apart, first, other)] == ["change", "holdout", "replica"]
    result = {
        (c.row, c.column): (said(c.text), said(first.bands[c.band].text)) for c in first.cells
    }
    assert result == {(1, 0): ("0.70", "above 0.6"), (2, 1): ("-0.20", "-0.3 to -0.1")}
    changes = {
        (c.row, c.column): (said(c.text), said(apart.bands[c.band].text)) for c in apart.cells
    }
    assert changes == {(1, 0): ("-0.15", "-0.2 to -0.1"), (2, 1): ("0.00", "-0.05 to 0.05")}
    assert said(apart.description) == "2 pairs of variables: -0.2 to -0.1: 1, -0.05 to 0.05: 1."


def test_what_falls_is_of_another_colour_than_what_rises_alike_in_strength() -> None:
    rising = association_maps(NAMES, {}, {"one": np.abs(ONE)})[0]
    falling = association_maps(NAMES, {}, {"one": -np.abs(ONE)})[0]
    pairs = zip(reversed(rising.bands), falling.bands, strict=True)
    assert [(a.shade, b.shade) for a, b in pairs] == [("mid", "below-mid"), ("pale", "below-pale")]


def test_the_legend_stays_within_the_picture_and_above_the_cells() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.uniform(-1, 1, (12, 12))
    chart = association_maps([f"v{i}" for i in range(12)], {}, {"m": matrix})[0]
    assert len(chart.bands) == 7
    svg = draw(chart, "f")
    assert all(f">{band.text}<" in svg for band in chart.bands)
    assert 'x="0.5" y="21"' in svg  # a second line of keys
    assert 'y="49.5"' not in svg  # where cells begin below one line only
    assert 'y="73.5"' in svg  # the first pair: a row below the legend's two lines
