"""SynthEval's metrics as rows of a review, where a study asks for a preset that names them."""

from __future__ import annotations

from sdcmetrics.measures.subject import Subject
from sdcmetrics.suites.catalogue import read_preset
from sdcmetrics.suites.syntheval import association, columns, discrepancy, nearest

SUBJECT = Subject(
    "syntheval",
    (
        *columns.MEASURES,
        *association.MEASURES,
        *discrepancy.MEASURES,
        *nearest.MEASURES,
    ),
    preset=read_preset,
)
