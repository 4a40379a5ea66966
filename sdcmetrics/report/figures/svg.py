"""The pieces of an inline SVG: escaped text, shapes, and a frame with title and description."""

from __future__ import annotations

from html import escape

INK = "#1b1b1b"
BLUE = "#4477AA"
ORANGE = "#B85410"
GREY = "#767676"
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
PATTERNS = ("forward", "dots", "back", "level", "cross", "upright")
_LETTER = 0.58
_DASH = ' stroke-dasharray="5 3"'


def text_width(text: str, size: float = 12) -> float:
    """Return roughly how wide a text is, in pixels."""
    return len(text) * size * _LETTER


def shorten(text: str, width: float, size: float = 12) -> str:
    """Shorten a text to a width.

    Examples
    --------
    >>> shorten("hours-per-week", 65)
    'hours-pe…'
    """
    most = max(int(width / (size * _LETTER)), 2)
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


class Canvas:
    """Collects the elements of one figure.

    Parameters
    ----------
    identity : str
        Unique in the document; every id of the figure begins with it.
    width, height : float
    """

    def __init__(self, identity: str, width: float, height: float) -> None:
        self.identity = identity
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._patterns: dict[tuple[str, str], str] = {}

    def text(
        self,
        x: float,
        y: float,
        content: str,
        *,
        size: float = 12,
        anchor: str = "start",
        color: str = INK,
        bold: bool = False,
    ) -> None:
        """Write a text with its baseline at y."""
        style = f' text-anchor="{anchor}"' if anchor != "start" else ""
        style += ' font-weight="600"' if bold else ""
        style += f' font-size="{size:g}"' if size != 12 else ""  # noqa: PLR2004  (the default)
        style += f' fill="{color}"' if color != INK else ""
        self._parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{style}>{escape(content)}</text>')

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        color: str = GREY,
        width: float = 1,
        dashed: bool = False,
    ) -> None:
        """Draw a line."""
        dash = _DASH if dashed else ""
        self._parts.append(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" '
            f'stroke="{color}" stroke-width="{width:g}"{dash}/>'
        )

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str,
        stroke: str = "none",
        opacity: float = 1.0,
    ) -> None:
        """Draw a rectangle."""
        edge = f' stroke="{stroke}"' if stroke != "none" else ""
        edge += f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(height)}" '
            f'fill="{fill}"{edge}/>'
        )

    def circle(self, x: float, y: float, radius: float, *, fill: str, stroke: str) -> None:
        """Draw a circle."""
        self._parts.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{radius:g}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="2"/>'
        )

    def path(self, d: str, *, color: str, width: float = 2, dashed: bool = False) -> None:
        """Draw an open path."""
        dash = _DASH if dashed else ""
        self._parts.append(
            f'<path d="{d}" fill="none" stroke="{color}" stroke-width="{width:g}"{dash}/>'
        )

    def pattern(self, name: str, color: str) -> str:
        """Return the paint of a pattern in a colour."""
        key = (name, color)
        if key not in self._patterns:
            self._patterns[key] = f"{self.identity}-p{len(self._patterns)}"
        return f"url(#{self._patterns[key]})"

    def finish(self, title: str, description: str) -> str:
        """Return the SVG element."""
        name = self.identity
        patterns = "".join(
            f'<pattern id="{identity}" width="6" height="6" patternUnits="userSpaceOnUse">'
            f'<rect width="6" height="6" fill="#ffffff"/>{_PATTERNS[kind].format(color=color)}'
            "</pattern>"
            for (kind, color), identity in self._patterns.items()
        )
        defs = f"<defs>{patterns}</defs>" if patterns else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" role="img" '
            f'aria-labelledby="{name}-t {name}-d" width="{_n(self.width)}" '
            f'height="{_n(self.height)}" viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            f'font-family="{FONT}" font-size="12" fill="{INK}">'
            f'<title id="{name}-t">{escape(title)}</title>'
            f'<desc id="{name}-d">{escape(description)}</desc>'
            f"{defs}{''.join(self._parts)}</svg>"
        )


_PATTERNS = {
    "forward": '<path d="M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2" stroke="{color}" stroke-width="2"/>',
    "back": '<path d="M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2" stroke="{color}" stroke-width="2"/>',
    "dots": '<circle cx="1.5" cy="1.5" r="1.4" fill="{color}"/>'
    '<circle cx="4.5" cy="4.5" r="1.4" fill="{color}"/>',
    "level": '<path d="M0,1.5 h6 M0,4.5 h6" stroke="{color}" stroke-width="1.5"/>',
    "upright": '<path d="M1.5,0 v6 M4.5,0 v6" stroke="{color}" stroke-width="1.5"/>',
    "cross": '<path d="M0,3 h6 M3,0 v6" stroke="{color}" stroke-width="1.5"/>',
}


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
