"""Codes of people over what a replica has: levels and groups of its own, and one for the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.coding import Coded, CodedVariable
from sdcmetrics.microdata.grouping import group_numbers
from sdcmetrics.release.people import Codes, Column, Records
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.release.texts import as_number, is_day, plain_text


def level_codes(column: Column, levels: Mapping[str | None, int]) -> Codes:
    """Return the code of each entry among given levels; what is none of these is last."""
    place = places_among(column, levels)
    return place[column.codes] if len(place) else np.empty(0, np.int64)


def places_among(column: Column, levels: Mapping[str | None, int]) -> Codes:
    """Return the code of each text among given levels; what is none of these is last."""
    return np.array([levels.get(text, len(levels)) for text in column.texts], dtype=np.int64)


def values_coded(
    data: Sequence[Records],
    replica: Replica | None,
    names: Sequence[str],
    groups: Mapping[str, int],
    public: Public,
) -> Coded:
    """Return data sets by every single value, in the order given; see `people.held_alike`.

    Each distinct text of any of them is a level, or, where a number of groups is given, what is
    between quantiles of the replica. Which text is which level is told nowhere.
    """
    variables = {}
    large = tuple(records.large for records in data if records.large is not None)
    for name in names:
        columns = [records.column(name) for records in data]
        if replica is not None and groups.get(name):
            own = [synthesis.column(name) for synthesis in replica.syntheses]
            parts, size = _grouped(columns, own, groups[name], name, public)
        else:
            place: dict[str | None, int] = {}
            parts = [_numbered(column, place) for column in columns]
            size = max(len(place), 1)
        labels = tuple(map(str, range(size)))
        variables[name] = CodedVariable(name, labels, tuple(parts), large=large)
    return Coded(variables, tuple(records.n for records in data))


def cells_coded(
    data: Sequence[Records], replica: Replica, names: Sequence[str], public: Public
) -> Coded:
    """Return columns of data sets by the replica's cells; see `people.held_alike`.

    Numbers are in groups whose breaks are quantiles of the replica, the outer ones open; days too
    where the study groups dates; other entries are levels. Missing, and each code for it, is a
    level, and the last cell is for none of these.
    """
    large = tuple(records.large for records in data if records.large is not None)
    variables = {}
    for name in names:
        parts, size = _cells([records.column(name) for records in data], replica, name, public)
        labels = tuple(map(str, range(size)))
        variables[name] = CodedVariable(name, labels, tuple(parts), large=large)
    return Coded(variables, tuple(records.n for records in data))


def _cells(
    columns: Sequence[Column], replica: Replica, name: str, public: Public
) -> tuple[list[Codes], int]:
    own = [synthesis.column(name) for synthesis in replica.syntheses]
    texts = {text for column in own for text in column.texts if text is not None}
    texts -= {*_missing(public, name)}
    numeric = bool(texts) and not any(math.isnan(as_number(text)) for text in texts)
    numeric = numeric and name != public.strata  # whose number is a name
    if numeric and (public.options.group_dates or not any(map(is_day, texts))):
        return _grouped(columns, own, public.options.ngroups, name, public)
    levels = replica.levels(name)
    return [level_codes(column, levels) for column in columns], len(levels) + 1


def _grouped(
    columns: Sequence[Column],
    replica_columns: Sequence[Column],
    number: int,
    name: str,
    public: Public,
) -> tuple[list[Codes], int]:
    """Return columns in groups that follow from the replica's own entries, and how many cells."""
    codes = _missing(public, name)
    pooled, times = [], []
    for column in replica_columns:
        numbers = _numbers(column)
        numbers[[text in codes for text in column.texts]] = math.nan
        there = column.counts > 0
        pooled.append(numbers[there])
        times.append(column.counts[there])
    breaks = group_numbers(
        pooled[0], pooled[1:], ngroups=number, style=public.options.style, counts=times
    ).breaks
    inner = breaks[1:-1]
    levels = {text: len(inner) + 1 + i for i, text in enumerate((None, *codes))}
    rest = len(inner) + 1 + len(levels)
    out = []
    for column in columns:
        numbers = _numbers(column)
        place = np.searchsorted(inner, numbers, side="right")
        place[np.isnan(numbers)] = rest
        for i, text in enumerate(column.texts):
            place[i] = levels.get(text, place[i])
        out.append(place[column.codes] if len(place) else np.empty(0, np.int64))
    return out, rest + 1


def _missing(public: Public, name: str) -> tuple[str, ...]:
    """Return the texts of the codes that mean missing in a column."""
    texts = (plain_text(code) for code in public.missing_codes.get(name, ()))
    return tuple(dict.fromkeys(text for text in texts if text is not None))


def _numbers(column: Column) -> npt.NDArray[np.float64]:
    """Return the number of each distinct text; NaN for what is none."""
    return np.array([as_number(text) for text in column.texts], dtype=np.float64)


def _numbered(column: Column, place: dict[str | None, int]) -> Codes:
    """Number the texts of a column, those of earlier columns as before."""
    number = np.array([place.setdefault(text, len(place)) for text in column.texts], dtype=np.int64)
    return number[column.codes] if len(number) else np.empty(0, np.int64)
