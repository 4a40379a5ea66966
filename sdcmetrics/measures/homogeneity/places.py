"""Where tables are tested as one family: every replica, all its syntheses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.homogeneity.calendar_days import fixed_by_calendar
from sdcmetrics.measures.homogeneity.derivation import derived_of_counts
from sdcmetrics.measures.homogeneity.family import Family, code_by_groups
from sdcmetrics.measures.homogeneity.files import (
    HomogeneityOfFiles,
    columns_aside,
    with_cluster,
    with_repeats,
)
from sdcmetrics.measures.homogeneity.homogeneity import family_of_records, judged
from sdcmetrics.measures.homogeneity.judging import judge
from sdcmetrics.measures.homogeneity.kept_tables import kept_tables_of
from sdcmetrics.measures.homogeneity.result import Homogeneity, Limits
from sdcmetrics.measures.homogeneity.rows_together import (
    EQUAL_VALUES,
    are_even,
    is_named_so,
    together_by,
)
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.records import Records, Weights, records_of
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded, by_value, encode
from sdcmetrics.microdata.schema import Harmonised, alone

SKIPPED = (
    "order of two columns: the files are counted batch by batch",
    "multiplicity of the record: the files are counted batch by batch",
)
"""What is not derived of large data, and why."""


def _places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    rule = plan.judging.tables
    step = "equal tables"
    if rule is None:  # an excess asks whether rows belong together, with tables or without
        name = "" if plan.judging.excess is None else unjudged_cluster(pair, plan)
        if name:
            unjudged = _unjudged(pair, name)
            yield Given(step, (Place(),), unjudged.files, result=unjudged)
        return
    tell(step)
    limits = Limits(rule.review, rule.chance, rule.size_review, rule.size_fail)
    tables = tables_of_pair(pair, plan, limits=limits, derived=plan.judging.derived)
    yield Given(step, (Place(),), tables.files, result=tables)


def tables_of_pair(pair: Pair, plan: Plan, *, limits: Limits, derived: bool) -> HomogeneityOfFiles:
    """Test the tables of all syntheses of a pair; see `homogeneity`.

    Data sets too large for memory are counted; what needs their records is skipped, and said.
    """
    if name := unjudged_cluster(pair, plan):
        return _unjudged(pair, name)
    try:
        weights = _weights(pair, plan)
    except ColumnError:
        unreadable = Homogeneity("not judged", "weights", weighted=True)
        return HomogeneityOfFiles((unreadable,) * pair.m)
    coded = code_by_groups(pair.data)
    tables = []
    for number in range(1, pair.m + 1):
        if pair.data.large:
            family = _counted(pair, coded, number, derived=derived)
            tables.append(judge(family, limits, seed=plan.options.seed, number=number))
            continue
        records = _records(pair, plan, number, weights[number - 1])
        make = partial(_family, pair, coded, number, derived=derived)
        tables.append(judged(make, records, limits, seed=plan.options.seed, number=number))
    return HomogeneityOfFiles(with_repeats(tables, pair.repeated))


def _unjudged(pair: Pair, cluster: str) -> HomogeneityOfFiles:
    """Return the unjudged result where a cluster column cannot be used."""
    return HomogeneityOfFiles((Homogeneity("not judged", "clusters", cluster),) * pair.m)


def unjudged_cluster(pair: Pair, plan: Plan) -> str:
    """Return a column that looks like a cluster and is not named, or one of large data."""
    name = _cluster(plan)
    if not name:
        suspected: str = pair.cached("suspected cluster", lambda: _suspected(pair), shared=True)
        return suspected
    return name if pair.data.large else ""  # by clusters tables of records are tested


def _cluster(plan: Plan) -> str:
    """Return the column that says which records belong together; empty where none does."""
    sample = plan.sample
    return "" if sample is None else sample.together


def _suspected(pair: Pair) -> str:
    """Return by what rows seem to belong together; of large data a column by its name."""
    if not pair.data.large:
        compared = records_of(pair.data).columns
        return together_by(compared, columns_aside(pair.original, list(pair.data.variables)))
    coded = encode(pair.data, by_value, filter(is_named_so, pair.data.variables))
    counts = {name: variable.count(0) for name, variable in coded.variables.items()}
    return next((name for name, each in counts.items() if are_even(each[each > 0])), "")


def _weights(pair: Pair, plan: Plan) -> list[Weights | None]:
    """Return the weights of the original with those of each synthesis.

    Raises
    ------
    ColumnError
        If those of a synthesis cannot be read, or tables are counted without their records.
    """
    sample = plan.sample
    if sample is None or not sample.weight:
        return [None] * pair.m
    if pair.data.large:
        msg = f"{sample.original.source}: tables of weighted records that are too many for memory."
        raise ColumnError(msg)
    own = [sample.weights_of(synthesis) for synthesis in pair.syntheses]
    first = sample.design.weights
    return [(first, None if design is None else design.weights) for design in own]


def _counted(pair: Pair, coded: Coded, synthesis: int, *, derived: bool) -> Family:
    """Return the tables of data sets too large for memory."""
    return Family(
        coded,
        synthesis,
        derived=list(derived_of_counts(pair, coded, synthesis)) if derived else [],
        skipped=SKIPPED if derived else (),
    )


def _records(pair: Pair, plan: Plan, synthesis: int, weights: Weights | None) -> Records:
    """Return the records of one synthesis with the weights and clusters that a study names."""
    records = replace(records_of(pair.data, synthesis), weights=weights)
    sample = plan.sample
    if sample is None or not (name := _cluster(plan)):
        return records
    whole = sample.whole(pair.syntheses[synthesis - 1])
    return with_cluster(records, name, sample.original, whole)


def _family(pair: Pair, coded: Coded, synthesis: int, records: Records, *, derived: bool) -> Family:
    codes = {name: variable.missing_codes for name, variable in pair.data.variables.items()}
    return family_of_records(records, coded, synthesis, codes, derived=derived)


def _kept(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "kept tables"
    if pair.data.large and (unjudged_cluster(pair, plan) or _has_strata(plan.sample)):
        return  # these are of records, which are counted only
    tell(step)
    aside = None if pair.holdout is None else pair.real()
    fixed = fixed_by_calendar(pair.data) | _fixed(pair.data, plan.sample)
    clusters = None if pair.data.large else _together(pair, plan)
    result = kept_tables_of(pair.data, aside, fixed=fixed, clusters=clusters)
    yield Given(step, (Place(),), (result,) * pair.m, whole=result, result=result)


def _has_strata(sample: Sample | None) -> bool:
    return sample is not None and bool(sample.strata)


def _fixed(data: Harmonised, sample: Sample | None) -> frozenset[str]:
    """Return columns that are the same throughout each stratum: a design may fix their tables."""
    if sample is None or not sample.strata or sample.original.n != data.sizes[0]:
        return frozenset()
    coded = code_by_groups(data)
    strata = sample.numbers_of_strata
    number = len(np.unique(strata))
    return frozenset(
        name
        for name, column in coded.variables.items()
        if len(np.unique(strata * column.size + column.parts[0])) == number
    )


def _together(pair: Pair, plan: Plan) -> Ints | None:
    """Number the clusters of the original's records, those that look like some, too.

    Records that are repeated as wholes vary more than those drawn one by one: they need no number.
    """
    if plan.sample is not None and plan.sample.together:
        return plan.sample.numbers_together
    name = unjudged_cluster(pair, plan)
    if name in {"", EQUAL_VALUES}:
        return None
    return households_of(alone(pair.original, [name]), name)[0]


KIND = Kind("equal tables", "`Homogeneity` of a synthesis", _places, counted=True, decides=True)


KEPT_TABLES = Kind("kept tables", "`KeptTables`", _kept, counted=True, decides=True)
"""Of files too large for memory not asked where rows belong together, or strata are named."""


SUBJECT = Subject("homogeneity", kinds=(KEPT_TABLES, KIND))
