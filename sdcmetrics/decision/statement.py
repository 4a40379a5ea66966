"""A sentence with names in it: names stay apart from the words, so that a page can clean them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Formatter

from sdcmetrics.decision.status import Status
from sdcmetrics.errors import StudyError


@dataclass(frozen=True)
class Names:
    """Names out of the data (columns, replicas), in the order in which they are stated."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.names)


Phrase = tuple[str | Names, ...]
Value = str | int | Names | Phrase
"""What a field of a sentence is filled with; an int is written with thousands apart."""


@dataclass(frozen=True, repr=False)
class Statement:
    """One sentence that is true of a replica.

    Attributes
    ----------
    status : Status or None
        What it makes the answer, at least; None where it only stands beside.
    template : str
        With fields in braces.
    fields : mapping of field to text, number, names, or words with names among them
    """

    status: Status | None
    template: str
    fields: Mapping[str, Value] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Statement({self.status and self.status.value}: {self.text})"

    def parts(self) -> Iterator[str | Names]:
        """Yield words and names in turn."""
        for words, name, _, _ in Formatter().parse(self.template):
            if words:
                yield typeset(words)
            if name is not None:
                if name not in self.fields:  # of results on disk
                    msg = (
                        f"The results do not say what stands for {name!r} in a sentence of the "
                        "decision: another version of sdcmetrics wrote them. Review it again."
                    )
                    raise StudyError(msg)
                value = self.fields[name]
                if isinstance(value, tuple):
                    yield from value
                else:
                    yield f"{value:,}" if isinstance(value, int) else value

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(map(str, self.parts()))

    def __str__(self) -> str:
        return self.text


def typeset(words: str) -> str:
    r"""Return words with the apostrophe and the sign of comparison that are printed.

    Examples
    --------
    >>> ascii(typeset("the original's, p <= .01"))
    "'the original\\u2019s, p \\u2264 .01'"
    """
    return words.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}").replace(
        "<=", "\N{LESS-THAN OR EQUAL TO}"
    )
