"""Figures as inline SVG, drawn from safe numbers only."""

from __future__ import annotations

from collections.abc import Callable

from sdcmetrics.report.figures.bars import draw_bars
from sdcmetrics.report.figures.charts import (
    Bars,
    Chart,
    Curves,
    Dots,
    Forest,
    Heat,
    Histogram,
    HoldoutMap,
    RiskUtility,
    Scatter,
)
from sdcmetrics.report.figures.curves import draw_curves
from sdcmetrics.report.figures.dots import draw_dots
from sdcmetrics.report.figures.forest import draw_forest
from sdcmetrics.report.figures.heat import draw_heat
from sdcmetrics.report.figures.histogram import draw_histogram
from sdcmetrics.report.figures.holdout_map import draw_holdout_map
from sdcmetrics.report.figures.risk_utility import draw_risk_utility
from sdcmetrics.report.figures.scatter import draw_scatter

__all__ = ["draw"]


_DRAWN: dict[type[Chart], Callable[..., str]] = {
    Bars: draw_bars,
    Heat: draw_heat,
    Dots: draw_dots,
    Forest: draw_forest,
    RiskUtility: draw_risk_utility,
    HoldoutMap: draw_holdout_map,
    Scatter: draw_scatter,
    Histogram: draw_histogram,
    Curves: draw_curves,
}


def draw(chart: Chart, identity: str) -> str:
    """Return a chart as an SVG element whose ids begin with `identity`."""
    return _DRAWN[type(chart)](chart, identity)
