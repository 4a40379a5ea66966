"""Homogeneity of the tables of original and replica: the list.

Its evidence is judged as a whole; there is no number of its own to show or to rank by.
"""

from __future__ import annotations

from sdcmetrics.measures.homogeneity.places import KIND
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("homogeneity", kinds=(KIND,))
