"""The kind of evidence on homogeneity of tables; no measure.

Its evidence is judged as a whole; there is no number of its own to show or to rank by.
"""

from __future__ import annotations

from sdcmetrics.measures.homogeneity.places import KIND
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("homogeneity", kinds=(KIND,))
