"""HTML from a safe report: one file, no script, nothing loaded from outside."""

from __future__ import annotations

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import Chart
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.safety.safe import SafeReport

__all__ = ["render"]


def render(report: SafeReport) -> str:
    """Return the report as one HTML document."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,  # the suffix-based default is off for *.html.j2
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The only markup that is not escaped: our own style sheet, and figures that escape every text.
    css = Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704
    environment.globals["draw"] = _draw
    return environment.get_template("report.html.j2").render(report=report, css=css)


def _draw(chart: Chart, identity: str) -> Markup:
    return Markup(draw(chart, identity))  # noqa: S704  (every text in it is escaped)
