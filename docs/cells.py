"""Tables in Markdown."""

from __future__ import annotations


def row(*cells: object) -> str:
    """Return one row of a table."""
    safe = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(safe)} |"


def table(*heads: str) -> list[str]:
    """Return the head of a table."""
    return [row(*heads), row(*("---" for _ in heads))]


def code(text: object) -> str:
    """Return a text as code, and nothing as nothing."""
    return f"`{text}`" if str(text) else ""
