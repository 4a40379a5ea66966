"""How the measures of a study are computed, and which columns those settings may name."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.options import Options
from sdcmetrics.measures.registry import read_preset
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.grouping import check_groups
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.study.file import check_options

__all__ = ["Options", "check_columns", "check_preset", "make_options"]

_MOST_TABLES = 1_000_000


def make_options(entries: Mapping[str, Any]) -> Options:
    """Make options of what a caller or a study file gives.

    Raises
    ------
    StudyError
        For an unknown option, or a value of the wrong type or out of range.
    """
    options = check_options(entries)
    check_preset(options.preset)
    return options


def check_preset(name: str) -> str:
    """Return the name of a preset that there is, of metrics that there are; empty for none.

    Raises
    ------
    StudyError, FileError
        If there is no such preset, or it names what is not a metric.
    """
    if name:
        read_preset(name)
    return name


_OF_NUMBERS = ("round_to", "ngroups_keys", "ngroups_targets")


def check_coarse(options: Options, coarse: Collection[str]) -> None:
    """Raise StudyError for an option of numbers that names a column in bands or groups."""
    for name in _OF_NUMBERS:
        both = [column for column in getattr(options, name) if column in coarse]
        if both:
            msg = (
                f"{name}: {both[0]!r} is no number any more, as [coarsen] names it, so this has no "
                "effect. Remove it from one of the two."
            )
            raise StudyError(msg)


def without_coarse(options: Options, coarse: Collection[str]) -> Options:
    """Return the options without missing codes of columns that are categories now."""
    codes = {name: code for name, code in options.missing_codes.items() if name not in coarse}
    return replace(options, missing_codes=codes) if coarse else options


def check_columns(
    options: Options, original: Microdata, keys: Iterable[str], targets: Iterable[str]
) -> None:
    """Check that the options name columns of the original, and of the right role.

    Raises
    ------
    ColumnError
        If `variables` names no column.
    StudyError
        If another option does, or if there would be too many tables to measure.
    """
    for name, role, having in (
        ("round_to", "column", original.columns),
        ("missing_codes", "column", original.columns),
        ("ngroups_keys", "key", list(keys)),
        ("ngroups_targets", "target", list(targets)),
    ):
        for column in getattr(options, name):
            if column not in original.columns:
                msg = (
                    f"{name}: {column!r} is not a column of {original.source}."
                    f"{did_you_mean(column, original.columns)}"
                )
                raise StudyError(msg)
            if column not in having:
                msg = f"{name}: {column!r} is a {role} in no scenario, so it has no effect."
                raise StudyError(f"{msg}{did_you_mean(column, having)} Remove it.")
    for name in ("ngroups_keys", "ngroups_targets"):
        for column, number in getattr(options, name).items():
            if number != 0:  # which keeps every value
                check_groups(number, f"{name}.{column}")
    _check_rounding(options, original)
    if options.population_size is not None and options.population_size < original.n:
        msg = f"population_size: expected at least the {original.n:,} records of {original.source}."
        raise StudyError(msg)
    if options.variables is not None:
        check_names(options.variables, original, "variable")
    width = len(original.columns if options.variables is None else options.variables)
    for ways in options.ways:
        count = math.comb(width, ways)
        if count > _MOST_TABLES:
            msg = (
                f"ways: {width} variables have {count:,} tables of {ways}, too many to measure. "
                "Name fewer variables, or leave out this number of ways."
            )
            raise StudyError(msg)


def _check_rounding(options: Options, original: Microdata) -> None:
    for column in options.round_to:
        kind = read_column(original, column, []).kind
        used = options.variables is None or column in options.variables
        if kind is not Kind.NUMBER or not used:
            why = f"is of kind {kind.value}" if kind and used else "is compared in no table"
            if kind is None:
                continue
            msg = (
                f"round_to: {column!r} {why}, so rounding it has no effect. It is for numbers in "
                "the ratio of counts. Remove it."
            )
            raise StudyError(msg)
