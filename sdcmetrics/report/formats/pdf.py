"""PDF from the report's HTML, by WeasyPrint: tagged, and with every request for a URL refused."""

from __future__ import annotations

import base64
import re
from typing import Any

from sdcmetrics.errors import StudyError


def html_to_pdf(html: str, *, archive: bool = False) -> bytes:
    """Return an HTML document as PDF with tags, title and language: PDF/UA-1, or PDF/A-3a.

    Headings, lists, tables with their header cells, and figures with their alternative text are
    in a structure tree, which screen readers follow.

    Parameters
    ----------
    html : str
    archive : bool
        PDF/A-3a, for archives, in place of PDF/UA-1: it has the same tags, and a file cannot
        declare both here.

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
    out: bytes = document.write_pdf(
        pdf_variant="pdf/a-3a" if archive else "pdf/ua-1",
        presentational_hints=True,
        finisher=_with_language,
    )
    return out


def _with_language(document: Any, pdf: Any) -> None:
    """Write the language into the XMP metadata as well; WeasyPrint has it in the catalogue."""
    number = int(str(pdf.catalog["Metadata"].decode()).split()[0])
    (xml,) = pdf.objects[number].stream
    words = (
        '<rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" rdf:about=""><dc:language><rdf:Bag><rdf:li>'
        f"{document.metadata.lang or 'en'}"
        "</rdf:li></rdf:Bag></dc:language></rdf:Description></rdf:RDF>"
    )
    pdf.objects[number].stream = [xml.replace(b"</rdf:RDF>", words.encode(), 1)]


_FIGURE = re.compile(r"<svg .*?</svg>", re.DOTALL)
_OWN = "data:image/svg+xml;base64,"
_ALTERNATIVE_TEXT = re.compile(r"<(title|desc)[^>]*>(.*?)</\1>", re.DOTALL)


def _as_image(match: re.Match[str]) -> str:
    """Return a figure as an image: the style sheet is then not asked about each of its lines."""
    svg = match[0]
    label = ". ".join(text for _, text in _ALTERNATIVE_TEXT.findall(svg))
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
