"""HTML from a safe report: one file, no script, nothing loaded from outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import Chart
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.safety.safe import SafeReport

__all__ = ["render"]


_LEAST = 3
"""Letters of a symbol that is linked wherever it stands: U, G and FT are words too."""


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
    glossary = {method.symbol: f"m-{i}" for i, method in enumerate(report.methods)}
    environment.filters |= {
        "terms": partial(_terms, glossary=glossary, found=_pattern(glossary, _LEAST)),
        "term": partial(_terms, glossary=glossary, found=_pattern(glossary, 1, whole=True)),
    }
    return environment.get_template("report.html.j2").render(report=report, css=css)


def _pattern(glossary: Mapping[str, str], least: int, *, whole: bool = False) -> re.Pattern[str]:
    known = sorted((one for one in glossary if len(one) >= least), key=len, reverse=True)
    either = "|".join(map(re.escape, known)) or r"(?!)"
    return re.compile(rf"^({either})$" if whole else rf"(?<![\w-])({either})(?![\w-])")


def _terms(text: str, *, glossary: Mapping[str, str], found: re.Pattern[str]) -> Markup:
    """Link symbols of measures to what the glossary says of them."""
    parts = found.split(text)
    linked = Markup('<a class="term" href="#{}">{}</a>')
    return Markup("").join(
        linked.format(glossary[part], part) if i % 2 else part for i, part in enumerate(parts)
    )


def _draw(chart: Chart, identity: str) -> Markup:
    return Markup(draw(chart, identity))  # noqa: S704  (every text in it is escaped)
