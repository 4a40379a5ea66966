"""Names out of the data, made fit to be shown: no control characters, and short enough."""

from __future__ import annotations

import unicodedata

from sdcmetrics.report.safety.cells import Name

LIMIT = 60
MISSING_LABEL = "(missing)"
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_BIDI = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}


def clean(text: str) -> str:
    r"""Replace what no reader can see but a browser would act on: controls and bidi overrides.

    Examples
    --------
    >>> clean("a\tb\x00")
    'a b�'
    """
    changed = {ord(c): shown for c in set(text) if (shown := _shown(c)) != c}
    return text.translate(changed) if changed else text


def shortened(text: str, most: int) -> str:
    """Cut a text to so many signs.

    Examples
    --------
    >>> shortened("Age in years", 20), shortened("Age in years", 8)
    ('Age in years', 'Age in…')
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _shown(character: str) -> str:
    if character in "\t\r\n\u2028\u2029":
        return " "
    unseen = character in _BIDI or unicodedata.category(character) in ("Cc", "Cs")
    return _REPLACEMENT if unseen else character


class Names:
    """Gives every name one form, short enough to show, and remembers what it shortened."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._by_raw: dict[str, Name] = {}
        self._taken: set[str] = set()

    def __call__(self, raw: str | None) -> Name:
        """Return the name as it is shown; None is the missing level."""
        if raw is None:
            return Name(MISSING_LABEL, MISSING_LABEL)
        if raw not in self._by_raw:
            full = clean(raw)
            text = full
            if len(full) > self._limit:
                text = self._short(full)
            self._by_raw[raw] = Name(text, full)
            self._taken.add(text)
        return self._by_raw[raw]

    def _short(self, full: str) -> str:
        text = shortened(full, self._limit)
        number = 2
        while text in self._taken:
            text = f"{full[: self._limit - 6].rstrip()}\N{HORIZONTAL ELLIPSIS} #{number}"
            number += 1
        return text

    @property
    def shortened(self) -> tuple[Name, ...]:
        """Names whose shown form is not the whole name, in order of first use."""
        return tuple(name for name in self._by_raw.values() if name.text != name.full)
