"""Whose records are in a file: the list. What is told are claims, and no measure is a number."""

from __future__ import annotations

from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.people.given import PEOPLE

MEASURES: list[Measure] = []

KINDS: tuple[Kind, ...] = (PEOPLE,)
