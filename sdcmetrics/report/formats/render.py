"""HTML from a safe report: nothing loaded from outside; no script in a release."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import Chart
from sdcmetrics.report.folder import TEMPLATES

Page = Literal["whole", "board", "annexes"]
_LEAST = 3
"""Letters of a symbol that is linked wherever it stands: U, G and FT are words too."""


REPORT, ANNEXES = "report.html", "report-annexes.html"
_IDENTITY = re.compile(r'(?<= id=")[^"]+(?=")')


def render_pages(report: SafeReport) -> dict[str, str]:
    """Return the board's pages and the annexes, each a document that links to the other."""
    pages = {REPORT: render(report, "board"), ANNEXES: render(report, "annexes")}
    identities = {name: set(_IDENTITY.findall(page)) for name, page in pages.items()}
    out = {}
    for name, page in pages.items():
        other = ANNEXES if name == REPORT else REPORT
        away = identities[other] - identities[name]

        def there(link: re.Match[str], away: set[str] = away, target: str = other) -> str:
            return f'href="{target}#{link[1]}"' if link[1] in away else link[0]

        out[name] = re.sub(r'href="#([^"]+)"', there, page)
    return out


def render(report: SafeReport, page: Page = "whole") -> str:
    """Return the report as one HTML document: all of it, the board's pages, or the annexes."""
    # An internal page finds and sorts rows; one that is handed out runs nothing.
    script = (TEMPLATES / "report.js").read_text("utf-8") if report.mode == "internal" else ""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    given = {"css": _style(), "script": Markup(script), "digest": f"sha256-{digest}"}  # noqa: S704
    given["page"] = page
    before = _GLOSSARY.set(_Glossary.of(method.symbol for method in report.methods))
    try:
        return _environment().get_template("report.html.j2").render(report=report, **given)
    finally:
        _GLOSSARY.reset(before)


def page(name: str, **content: Any) -> str:
    """Return a page of a template without script that needs no glossary."""
    return _environment().get_template(name).render(css=_style(), **content)


def _style() -> Markup:
    """Return our own style sheet, the only markup beside figures that is not escaped."""
    return Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))  # noqa: S704


@cache
def _environment() -> Environment:
    """Return what compiles templates, which takes as long as a small report, and keeps them."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,  # the suffix-based default is off for *.html.j2
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["draw"] = _draw
    environment.filters |= {"terms": _terms, "term": _term}
    return environment


@dataclass(frozen=True)
class _Glossary:
    """Anchors of the symbols that the report says the meaning of, and where texts hold one."""

    anchors: Mapping[str, str]
    within: re.Pattern[str]

    @classmethod
    def of(cls, symbols: Iterable[str]) -> _Glossary:
        anchors = {symbol: f"m-{i}" for i, symbol in enumerate(symbols)}
        return cls(anchors, _pattern(tuple(anchors)))

    def link(self, symbol: str) -> Markup:
        """Return a symbol as a link to what is said of it."""
        return _LINK.format(self.anchors[symbol], symbol)


_GLOSSARY: ContextVar[_Glossary] = ContextVar("glossary")
"""Where the report that is rendered says what symbols mean."""
_LINK = Markup('<a class="term" href="#{}">{}</a>')


@lru_cache(maxsize=4)
def _pattern(symbols: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(
        (symbol for symbol in symbols if len(symbol) >= _LEAST), key=len, reverse=True
    )
    either = "|".join(map(re.escape, longest_first)) or r"(?!)"
    return re.compile(rf"(?<![\w-])({either})(?![\w-])")


def _term(text: str) -> Markup:
    """Link a text that is the symbol of a measure to what the glossary says of it."""
    glossary = _GLOSSARY.get()
    return glossary.link(text) if text in glossary.anchors else escape(text)


def _terms(text: str) -> Markup:
    """Link symbols of measures in a text."""
    glossary = _GLOSSARY.get()
    parts = glossary.within.split(text)
    if len(parts) == 1:
        return escape(text)
    return Markup().join(glossary.link(part) if i % 2 else part for i, part in enumerate(parts))


def _draw(chart: Chart, identity: str) -> Markup:
    return Markup(draw(chart, identity))  # noqa: S704  (every text in it is escaped)
