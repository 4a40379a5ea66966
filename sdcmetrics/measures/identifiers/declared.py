"""Where identifiers are looked for: in every replica; no number of it is a measure."""

from __future__ import annotations

from sdcmetrics.measures.identifiers.places import IDENTIFIERS
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("identifiers", kinds=(IDENTIFIERS,))
