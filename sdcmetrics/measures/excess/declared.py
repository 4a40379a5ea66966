"""Excess of disclosure: the list.

Its evidence is judged as a whole; there is no number of its own to show or to rank by.
"""

from __future__ import annotations

from sdcmetrics.measures.excess.places import EXCESS
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("excess", kinds=(EXCESS,))
