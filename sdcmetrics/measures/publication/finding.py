"""A finding on a file that is to go out, with its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Subject = Literal["label", "structure", "documentation", "relation", "intruder"]


@dataclass(frozen=True)
class Finding:
    """One finding with its remedy.

    Attributes
    ----------
    subject : "label", "structure", "documentation", "relation" or "intruder"
    column : the column that it is about; empty for the whole file
    text : what is so; it holds no value of the original
    remedy : what to do
    minor : whether users of the file are unlikely to notice
    """

    subject: Subject
    column: str
    text: str
    remedy: str
    minor: bool = False
