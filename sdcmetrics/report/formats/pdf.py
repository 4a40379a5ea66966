"""PDF from the report's HTML, by WeasyPrint, with every request for a URL refused."""

from __future__ import annotations

import base64
import re
from typing import Any

from sdcmetrics.errors import StudyError


def html_to_pdf(html: str) -> bytes:
    """Return an HTML document as PDF.

    Raises
    ------
    StudyError
        If WeasyPrint, or a library it needs, is not installed.
    """
    try:
        import weasyprint
    except (ImportError, OSError) as error:  # OSError: Pango is missing
        msg = (
            "a PDF needs WeasyPrint, which is not installed or lacks a library. Install it with: "
            'pip install "sdcmetrics[pdf]", or write the HTML report and print it from a browser.'
        )
        raise StudyError(msg) from error
    document = weasyprint.HTML(string=_FIGURE.sub(_as_image, html), url_fetcher=_refuse)
    out: bytes = document.write_pdf(pdf_ua=False, presentational_hints=True)
    return out


_FIGURE = re.compile(r"<svg .*?</svg>", re.DOTALL)
_OWN = "data:image/svg+xml;base64,"
_SAID = re.compile(r"<(title|desc)[^>]*>(.*?)</\1>", re.DOTALL)


def _as_image(match: re.Match[str]) -> str:
    """Return a figure as an image: the style sheet is then not asked about each of its lines."""
    svg = match[0]
    label = ". ".join(text for _, text in _SAID.findall(svg))
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f'<img alt="{label}" src="data:image/svg+xml;base64,{data}">'


def _refuse(url: str, *_: Any, **__: Any) -> Any:
    if url.startswith(_OWN):
        svg = base64.b64decode(url[len(_OWN) :])
        from weasyprint import urls

        if hasattr(urls, "URLFetcherResponse"):  # 68 and later
            return urls.URLFetcherResponse(url, svg, {"Content-Type": "image/svg+xml"})
        return {"string": svg, "mime_type": "image/svg+xml"}
    msg = "the report loads nothing from outside"
    raise ValueError(msg)
