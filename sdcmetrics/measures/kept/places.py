"""Where kept tables are looked for: once per replica, in all its files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdcmetrics.measures.homogeneity.homogeneity import code_by_groups
from sdcmetrics.measures.homogeneity.places import rows_together
from sdcmetrics.measures.kept.kept_tables import kept_tables_of
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.coding import Coded


def _kept(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "kept tables"
    if pair.data.large or rows_together(pair, plan):
        return
    tell(step)
    coded = code_by_groups(pair.data)
    aside = None if pair.holdout is None else pair.real()
    result = kept_tables_of(coded, aside, fixed=_fixed(coded, plan.sample))
    yield Given(step, (Place(),), (result,) * pair.m, whole=result, result=result)


def _fixed(coded: Coded, sample: Sample | None) -> frozenset[str]:
    """Return columns that are the same throughout each stratum: a design may fix their tables."""
    if sample is None or not sample.strata or sample.original.n != coded.sizes[0]:
        return frozenset()
    strata = sample.design.strata
    number = len(np.unique(strata))
    return frozenset(
        name
        for name, column in coded.variables.items()
        if len(np.unique(strata * column.size + column.parts[0])) == number
    )


KEPT_TABLES = Kind("kept tables", "`KeptTables`", _kept, counted=True, decides=True)
"""Not asked of rows that belong together, or seem to, nor of files too large for memory."""


SUBJECT = Subject("kept tables", kinds=(KEPT_TABLES,))
