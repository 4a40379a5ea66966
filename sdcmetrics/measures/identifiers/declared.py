"""The kind of evidence on identifiers in replicas; no measure."""

from __future__ import annotations

from sdcmetrics.measures.identifiers.places import IDENTIFIERS
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("identifiers", kinds=(IDENTIFIERS,))
