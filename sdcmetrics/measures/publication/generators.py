"""How replicas were made, as a study tells it: asked for by other subjects, measured by none."""

from __future__ import annotations

from sdcmetrics.measures.publication.sections import Generators
from sdcmetrics.measures.subject import Subject

SUBJECT = Subject("generator", section=Generators)
