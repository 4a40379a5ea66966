"""The rules of a study, checked against its data before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.rules.binding import bind
from sdcmetrics.measures.rules.large import one_record
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.schema import MissingCodes, harmonise
from sdcmetrics.study.data import DataSets


def check_study_rules(
    rules: Sequence[Rule],
    data: DataSets,
    missing_codes: MissingCodes,
    coarse: Collection[str] = (),
) -> None:
    """Raise if a rule does not fit the columns of the original.

    A replica that lacks a column, or has it in another kind, is no fault of the rule: the review
    says of it that the rule could not be checked.

    Raises
    ------
    ColumnError
        If a rule names a column that the original lacks.
    StudyError
        If it compares what cannot be compared, or names a level that no data set has.
    """
    for rule in rules:
        rule.check_columns(data.original)
        names = set(rule.columns)
        codes = {name: codes for name, codes in missing_codes.items() if name in names}
        others_of = data.every[1:]
        others = [data_set for data_set in others_of if names <= set(data_set.columns)]
        try:
            both = harmonise(data.original, others, variables=rule.columns, missing_codes=codes)
        except DataError:  # a replica that does not fit, or none that has the columns
            both = harmonise(
                data.original, [data.original], variables=rule.columns, missing_codes=codes
            )
            others = []
        source, variables, sizes = data.original.source, both.variables, both.sizes
        if both.large:
            variables, sizes = one_record(both), (1,)
        # Levels that are not in the original may be in the replica that could not be read.
        complete = len(others) == len(others_of)
        try:
            bind(rule.text, rule.node, variables, sizes, source=source, any_level=not complete)
        except StudyError as error:
            bands = [name for name in rule.columns if name in coarse]
            if not bands:
                raise
            msg = (
                f"{error}\n[coarsen] makes levels of {', '.join(map(repr, bands))}. Leave out the "
                "rule, or the column there."
            )
            raise StudyError(msg) from None
