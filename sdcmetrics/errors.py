"""Every error that sdcmetrics raises on purpose.

An error says what was expected, what came and what to do, and names the file or data set and
the column. No error text ever holds a data value of the original.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping

_LONG_WORD = re.compile(r"\S{300,}")
_LONG_LINE = 2000
"""Letters of a line of a message; the rest of a longer one is left out."""


class SdcMetricsError(Exception):
    """Parent of every error of this package; its text is short, however long a name in it is."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(_shortened(arg) if isinstance(arg, str) else arg for arg in args))


def _shortened(text: str) -> str:
    """Return a message with the middle left out of names and lines that nobody reads to the end."""
    if len(text) < _LONG_LINE and _LONG_WORD.search(text) is None:
        return text
    text = _LONG_WORD.sub(lambda word: f"{word[0][:200]}[...]{word[0][-60:]}", text)
    lines = text.split("\n")
    return "\n".join(
        line if len(line) <= _LONG_LINE else f"{line[:_LONG_LINE]} [...]" for line in lines
    )


class DataError(SdcMetricsError, ValueError):
    """A data set cannot be assessed as it is."""


class FileError(DataError):
    """A file is missing, empty, damaged, or not what its suffix says."""


class ColumnError(DataError):
    """A column is absent, duplicated, or of a kind that does not fit its use."""


class IncomparableError(ColumnError):
    """Columns of several data sets cannot be brought into one form.

    Attributes
    ----------
    columns : dict of name to reason
    remedy : str
        The last line of the message, for all columns; empty without one.
    """

    def __init__(self, message: str, columns: Mapping[str, str], remedy: str = "") -> None:
        super().__init__(f"{message}\n{remedy}" if remedy else message)
        self.columns = dict(columns)
        self.remedy = remedy


class StudyError(SdcMetricsError, ValueError):
    """A study file, a profile or an option is wrong."""


class NotComputable(SdcMetricsError, ArithmeticError):  # noqa: N818  (it is a reason, shown in a result row)
    """A metric has no value on these data; the message is the reason that a result shows."""


class RError(SdcMetricsError):
    """R is not there, stopped with an error, died, or gave no answer in time.

    Attributes
    ----------
    reason : str
        What happened, in a sentence.
    kind : "unavailable", "error", "memory", "timeout", "died", or "broken"
        "error" is R's own, "broken" a value that could not be passed.
    defects : tuple of str
        synthpop's known defects that explain it, such as "B20".
    output, warnings : what R said before
    """

    def __init__(
        self,
        reason: str,
        *,
        kind: str = "error",
        defects: tuple[str, ...] = (),
        output: str = "",
        warnings: tuple[str, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.defects = defects
        self.output = output
        self.warnings = warnings


class ReleaseBlocked(SdcMetricsError):  # noqa: N818  (a state of the report, not a fault)
    """A report in release mode would give back a confidential value, so it was not written."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a hint naming the closest known names, or an empty string.

    Examples
    --------
    >>> did_you_mean("incme", ["age", "income"])
    " Did you mean 'income'?"
    >>> did_you_mean("zzz", ["age", "income"])
    ''
    """
    by_lower = {candidate.casefold().strip(): candidate for candidate in names}
    close = difflib.get_close_matches(name.casefold().strip(), list(by_lower), n=2, cutoff=0.6)
    if not close:
        return ""
    meant = [by_lower[key] for key in close]
    same = unicodedata.normalize("NFC", meant[0]) == unicodedata.normalize("NFC", name)
    looks = " It looks the same, and Unicode writes it in another way." if same else ""
    return " Did you mean " + " or ".join(map(repr, meant)) + "?" + looks


def counted(number: int, noun: str) -> str:
    """Write a number of things, as messages name them.

    Examples
    --------
    >>> counted(1, "record"), counted(1200, "record")
    ('1 record', '1,200 records')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
