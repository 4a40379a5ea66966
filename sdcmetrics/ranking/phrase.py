"""Sentences in parts, so that replicas' names can be shown as each reader's medium needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Mention", "Phrase", "listed", "plain_text"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A replica's name within a sentence."""

    replica: str


Phrase = tuple[str | Mention, ...]
"""A sentence: words, and names of replicas."""


def listed(replicas: Iterable[str], last: str = " and ") -> Phrase:
    """Return names with commas between them, and a word before the last.

    Examples
    --------
    >>> plain_text(listed(["a", "b", "c"]))
    'a, b and c'
    """
    names = list(replicas)
    parts: list[str | Mention] = []
    for i, name in enumerate(names):
        if i:
            parts.append(last if i == len(names) - 1 else ", ")
        parts.append(Mention(name))
    return tuple(parts)


def plain_text(phrase: Phrase) -> str:
    """Return a phrase as one text, names as they are."""
    return "".join(part.replica if isinstance(part, Mention) else part for part in phrase)
