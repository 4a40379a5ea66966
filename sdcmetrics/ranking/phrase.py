"""Sentences in parts, so that replicas' names can be shown as each reader's medium needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """A replica's name within a sentence."""

    replica: str


Phrase = tuple[str | Mention, ...]
"""A sentence: words, and names of replicas."""


def joined(phrases: Iterable[Phrase], between: str = "; ", last: str = "") -> Phrase:
    """Return phrases joined by one separator, and another before the last.

    Examples
    --------
    >>> plain_text(joined([("a is", " first"), ("b is not",)]))
    'a is first; b is not'
    """
    first, *rest = [*phrases] or [()]
    for i, phrase in enumerate(rest, start=1):
        first = (*first, last if last and i == len(rest) else between, *phrase)
    return first


def listed(replicas: Iterable[str]) -> Phrase:
    """Return names with commas between them, and "and" before the last.

    Examples
    --------
    >>> plain_text(listed(["a", "b", "c"]))
    'a, b and c'
    """
    return joined(((Mention(name),) for name in replicas), ", ", " and ")


def plain_text(phrase: Phrase) -> str:
    """Return a phrase as one text, names as they are."""
    return "".join(part.replica if isinstance(part, Mention) else part for part in phrase)
