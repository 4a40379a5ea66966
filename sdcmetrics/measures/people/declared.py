"""The kind of evidence on whose records a file holds: claims, no measures."""

from __future__ import annotations

from sdcmetrics.measures.people.given import PEOPLE
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("people", kinds=(PEOPLE,))
