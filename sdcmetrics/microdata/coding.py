"""Harmonised data to codes over ONE codebook: union of levels, missing is a level."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.arrays import Codes
from sdcmetrics.microdata.columns import DAY, Kind, date_texts, texts_of
from sdcmetrics.microdata.grouping import Groups, check_groups, group_numbers, round_half_even
from sdcmetrics.microdata.schema import Harmonised, Variable

if TYPE_CHECKING:
    from sdcmetrics.microdata.sources.large import Large

_MOST = {kind: int(np.iinfo(kind).max) for kind in (np.int8, np.int16, np.int32)}
_UNSIGNED = {np.int8: np.uint8, np.int16: np.uint16, np.int32: np.uint32}

MISSING = None
"""The label of the missing level: no text, so that no text can be mistaken for it."""


@dataclass(frozen=True)
class CodedVariable:
    """One variable as codes, the same codebook in every data set.

    Attributes
    ----------
    name : str
    labels : tuple of str or MISSING
        One label per code. The missing level, where any data set has missing values, is the last.
    parts : tuple of int arrays
        Codes in the original, then in each synthesis; every code is in 0..len(labels)-1.
    groups : Groups or None
        The breaks, where numbers were grouped.
    large : tuple of Large
        Where the data sets are too large for memory: these. Then `parts` are the codes of their
        distinct values, and what counts goes through the records.
    """

    name: str
    labels: tuple[str | None, ...]
    parts: tuple[Codes, ...]
    groups: Groups | None = None
    large: tuple[Large, ...] = ()

    @property
    def size(self) -> int:
        """Number of levels, missing included."""
        return len(self.labels)

    @property
    def missing_code(self) -> int:
        """Code of the missing level, or -1 where nothing is missing."""
        return self.size - 1 if self.labels and self.labels[-1] is MISSING else -1

    def count(self, part: int) -> npt.NDArray[np.int64]:
        """Return how many records of a data set have each level."""
        times = self.large[part].counts(self.name) if self.large else None
        counts = np.bincount(self.parts[part], weights=times, minlength=self.size)
        return counts.astype(np.int64)  # exact, as no file has 2^53 records


@dataclass(frozen=True)
class Coded:
    """An original and m syntheses as codes.

    Attributes
    ----------
    variables : dict of name to CodedVariable
    sizes : tuple of int
        Number of records: original, synthesis 1, ..., synthesis m.
    """

    variables: dict[str, CodedVariable]
    sizes: tuple[int, ...]

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.sizes) - 1

    @property
    def large(self) -> tuple[Large, ...]:
        """The data sets, where they are too large for memory."""
        return next((variable.large for variable in self.variables.values()), ())


Rule = Callable[[Variable], CodedVariable]
"""A rule codes one harmonised variable."""


def encode(data: Harmonised, rule: Rule | Mapping[str, Rule], names: Iterable[str]) -> Coded:
    """Code the named variables by one rule, or by a rule for each."""
    out = {}
    for name in names:
        chosen = rule[name] if isinstance(rule, Mapping) else rule
        coded = chosen(data.variables[name])
        out[name] = replace(coded, large=data.large) if data.large else coded
    return Coded(out, data.sizes)


def by_value(variable: Variable) -> CodedVariable:
    """Give every distinct value a level of its own.

    Numbers are the same level when they agree in 15 significant digits, as in R; whole numbers
    up to 2^53 only when they are equal.
    """
    if variable.kind in (Kind.NUMBER, Kind.DATE):
        return _distinct_numbers(variable)
    return pack(variable.name, variable.levels, variable.codes)


def by_groups(
    ngroups: int, style: str = "quantile", *, dates: bool = False, option: str = "ngroups"
) -> Rule:
    """Return the rule that groups numbers as synthpop does; other kinds keep their levels.

    With ``dates=True`` dates are grouped like numbers; synthpop makes each date a level.

    Raises
    ------
    StudyError
        If there are fewer than two groups; the message names `option`.
    """
    check_groups(ngroups, option)

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind is not Kind.NUMBER and not (dates and variable.kind is Kind.DATE):
            return by_value(variable)
        groups = group_numbers(
            variable.values[0],
            variable.values[1:],
            ngroups=ngroups,
            style=style,
            missing_codes=variable.missing_codes,
            counts=variable.counts,
        )
        labels = groups.labels if variable.kind is Kind.NUMBER else _date_labels(groups)
        parts = [groups.assign(part) for part in variable.values]
        return pack(variable.name, labels, parts, groups)

    return rule


def by_group_or_value(
    names: Sequence[str], groups: Mapping[str, int], option: str = "ngroups"
) -> dict[str, Rule]:
    """Return a rule per column: groups where their number is given, every value where not."""
    return {
        name: by_groups(groups[name], option=option) if groups.get(name) else by_value
        for name in names
    }


def by_rounding(to: float) -> Rule:
    """Return the rule that rounds numbers to the nearest multiple; other kinds keep their levels.

    Missing codes are not rounded.
    """

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind is not Kind.NUMBER:
            return by_value(variable)
        parts = []
        for part in variable.values:
            rounded = round_half_even(part, to)
            for code in variable.missing_codes:
                rounded[part == code] = code
            parts.append(rounded)
        return _distinct_numbers(replace(variable, values=tuple(parts)))

    return rule


def by_rounding_or_value(
    variables: Mapping[str, Variable],
    to: float | Mapping[str, float] | None,
    steps: Mapping[str, float],
) -> dict[str, Rule]:
    """Return a rule per column: rounding where there is a step, every value where it is NaN.

    Raises
    ------
    StudyError
        If `to` names a column that is no number.
    """
    for name in to if isinstance(to, Mapping) else ():
        kind = variables[name].kind
        if kind is not Kind.NUMBER:
            msg = f"round_to: {name!r} is of kind {kind.value}, so this has no effect. Remove it."
            raise StudyError(msg)
    return {
        name: by_value if math.isnan(step) else by_rounding(step) for name, step in steps.items()
    }


def _distinct_numbers(variable: Variable) -> CodedVariable:
    distinct, ranks = variable.ranked
    texts = texts_of(distinct, variable.kind)
    merged, labels = _merge_equal(texts)
    codes = np.append(merged, -1).astype(np.int32)
    return pack(variable.name, labels, [codes[part] for part in ranks])


def _merge_equal(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    distinct = dict.fromkeys(texts)
    if len(distinct) == len(texts):
        return np.arange(len(texts)), tuple(texts)
    distinct = {text: i for i, text in enumerate(distinct)}
    return np.array([distinct[text] for text in texts], dtype=np.int64), tuple(distinct)


def pack(
    name: str,
    labels: Sequence[str],
    parts: Sequence[npt.NDArray[np.int32]],
    groups: Groups | None = None,
) -> CodedVariable:
    """Put codes into the smallest type that holds them; code -1 becomes the missing level."""
    all_labels: tuple[str | None, ...] = tuple(labels)
    # The place of the least code is found in less time than the code itself.
    gaps = [len(part) > 0 and part[part.argmin()] < 0 for part in parts]
    if any(gaps):
        all_labels = (*all_labels, MISSING)
    kind = next(kind for kind, most in _MOST.items() if len(all_labels) <= most)
    codes: tuple[Codes, ...] = tuple(part.astype(kind) for part in parts)
    for part, has_gaps in zip(codes, gaps, strict=True):
        if has_gaps:  # without a sign -1 is the largest of all numbers
            unsigned = part.view(_UNSIGNED[kind])
            np.minimum(unsigned, len(labels), out=unsigned)
    return CodedVariable(name, all_labels, codes, groups)


def _date_labels(groups: Groups) -> tuple[str, ...]:
    texts = date_texts(np.floor(groups.breaks / DAY) * DAY)
    pairs = list(itertools.pairwise(texts))
    labels = [f"[{low},{high})" for low, high in pairs[:-1]]
    labels += [f"[{low},{high}]" for low, high in pairs[-1:]]
    if len(set(labels)) < len(labels):
        labels = [f"{label} #{i}" for i, label in enumerate(labels, start=1)]
    return tuple(labels)
