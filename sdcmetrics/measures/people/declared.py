"""Whose records are in a file: the list. What is told are claims, and no measure is a number."""

from __future__ import annotations

from sdcmetrics.measures.people.given import PEOPLE
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("people", kinds=(PEOPLE,))
