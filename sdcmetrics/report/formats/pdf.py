"""PDF from the report's HTML, by WeasyPrint, with every request for a URL refused."""

from __future__ import annotations

from typing import Any

from sdcmetrics.errors import StudyError

__all__ = ["html_to_pdf"]


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
    document = weasyprint.HTML(string=html, url_fetcher=_refuse)
    out: bytes = document.write_pdf(pdf_ua=False, presentational_hints=True)
    return out


def _refuse(*_: Any, **__: Any) -> dict[str, Any]:
    msg = "the report loads nothing from outside"
    raise ValueError(msg)
