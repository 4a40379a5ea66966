"""Places of identifiers: once per replica, in all its files and columns."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.measures.identifiers.identifiers import identifiers_of_study
from sdcmetrics.measures.identifiers.result import of_levels
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.frames import Fix


def _identifiers(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "identifiers"
    tell(step)
    result = identifiers_of_study(
        (pair.original, pair.syntheses, pair.holdout),
        plan.sample,
        pair.data.variables,
        missing_codes=pair.missing_codes,
        seed=plan.options.seed,
        shared=pair.shared,
    )
    for source, column, number in result.rare_levels:
        pair.note([Fix(source, column, of_levels(number), number, compared=True)])
    if pair.holdout is not None:
        source = pair.holdout.source
        split = [entry for entry in result.each if entry.split]
        pair.note([Fix(source, entry.name, entry.of_holdout, compared=True) for entry in split])
    yield Given(step, (Place(),), (result,) * pair.m, whole=result, result=result)


IDENTIFIERS = Kind(
    "identifiers",
    "`Identifiers`; a number",
    _identifiers,
    counted=True,
    decides=True,
)
"""Of all columns as they were read, those that a study does not compare among them."""


SUBJECT = Subject("identifiers", kinds=(IDENTIFIERS,))
