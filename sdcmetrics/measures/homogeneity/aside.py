"""Columns that are not compared: those that say which records belong together, or may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import alone


def with_cluster(records: Records, name: str, original: Microdata, synthesis: Microdata) -> Records:
    """Return records with the column that says which of them belong together.

    Its replica is empty where the synthesis does not have the column.
    """
    sides = [
        households_of(alone(data, [name]), name)[0]
        if name in data.columns
        else np.empty(0, dtype=np.int64)
        for data in (original, synthesis)
    ]
    return replace(records, cluster=Column(name, Kind.CATEGORY, sides[0], sides[1]))


def with_weights(records: Records, original: Floats, synthetic: Floats | None) -> Records:
    """Return records with what each of them counts; None where the synthesis has no weights."""
    return replace(records, weights=(original, synthetic))


def columns_aside(original: Microdata, compared: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of the original that are not compared; without those it cannot read."""
    out = []
    for name in original.columns:
        if name in compared:
            continue
        try:
            variable = alone(original, [name]).variables[name]
        except ColumnError:
            continue
        values = (variable.values or variable.codes)[0]
        out.append(Column(name, variable.kind, values, values[:0]))
    return tuple(out)
