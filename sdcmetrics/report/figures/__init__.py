"""Figures as inline SVG, drawn from safe numbers only."""

from __future__ import annotations

from sdcmetrics.report.figures.bars import draw_bars
from sdcmetrics.report.figures.charts import Bars, Chart, Dots, FreshMap, Heat, RiskUtility
from sdcmetrics.report.figures.dots import draw_dots
from sdcmetrics.report.figures.fresh_map import draw_fresh_map
from sdcmetrics.report.figures.heat import draw_heat
from sdcmetrics.report.figures.risk_utility import draw_risk_utility
from sdcmetrics.report.figures.scatter import draw_scatter

__all__ = ["draw"]


def draw(chart: Chart, identity: str) -> str:
    """Return a chart as an SVG element whose ids begin with `identity`."""
    if isinstance(chart, Bars):
        return draw_bars(chart, identity)
    if isinstance(chart, Heat):
        return draw_heat(chart, identity)
    if isinstance(chart, Dots):
        return draw_dots(chart, identity)
    if isinstance(chart, RiskUtility):
        return draw_risk_utility(chart, identity)
    if isinstance(chart, FreshMap):
        return draw_fresh_map(chart, identity)
    return draw_scatter(chart, identity)
