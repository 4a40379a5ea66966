"""Structure: whether a replica has the original's columns, kinds, labels, ranges and levels."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable

Subject = Literal["label", "structure", "documentation", "relation", "intruder"]


@dataclass(frozen=True)
class Finding:
    """One finding with its remedy.

    Attributes
    ----------
    subject : "label", "structure", "documentation", "relation" or "intruder"
    column : the column that it is about; empty for the whole file
    text : what is so; it holds no value of the original
    remedy : what to do
    minor : whether users of the file are unlikely to notice
    files : which of several syntheses it is about, from 1; empty where it is about all
    """

    subject: Subject
    column: str
    text: str
    remedy: str
    minor: bool = False
    files: tuple[int, ...] = ()


@dataclass(frozen=True)
class Adherence:
    """One variable of the original and of one synthesis.

    Attributes
    ----------
    inside : percent of the synthesis' values that are in the original's range, or levels of it
    missing_original, missing_synthetic : percent of records without a value
    distinct_original, distinct_synthetic : percent of values that are there once only
    """

    inside: float
    missing_original: float
    missing_synthetic: float
    distinct_original: float
    distinct_synthetic: float


def adherence(variable: Variable, part: int) -> Adherence:
    """Compare a variable of the original with that of synthesis `part`, from 1."""
    original, synthetic = _numbers(variable, 0), _numbers(variable, part)
    there, theirs = original[~np.isnan(original)], synthetic[~np.isnan(synthetic)]
    if variable.kind is Kind.CATEGORY:
        inside = np.isin(theirs, there)
    else:
        codes = np.isin(theirs, variable.missing_codes)
        ends = there[~np.isin(there, variable.missing_codes)]
        low, high = (ends.min(), ends.max()) if len(ends) else (np.nan, np.nan)
        inside = codes | ((theirs >= low) & (theirs <= high))
    return Adherence(
        _percent(inside),
        _percent(np.isnan(original)),
        _percent(np.isnan(synthetic)),
        _single(there),
        _single(theirs),
    )


def _numbers(variable: Variable, part: int) -> Floats:
    """Return values, or codes of levels, with NaN for missing."""
    if variable.values:
        return np.asarray(variable.values[part], np.float64)
    codes = variable.codes[part].astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _percent(which: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    return 100.0 * float(which.mean()) if len(which) else np.nan


def _single(values: Floats) -> float:
    if not len(values):
        return np.nan
    counts = np.unique(values, return_counts=True)[1]
    return 100.0 * float((counts == 1).sum()) / len(values)


_KEY = 99.5
"""Percent of values that are there once, from which a column tells one record from another."""


def structural_findings(
    original: Microdata, synthesis: Microdata, data: Harmonised, part: int, gap: float
) -> Iterator[Finding]:
    """Yield what is other in a synthesis than in the original."""
    yield from _columns(original, synthesis)
    for name, variable in data.variables.items():
        yield from _labels(original, synthesis, name)
        yield from _values(variable, adherence(variable, part), gap)


def _columns(original: Microdata, synthesis: Microdata) -> Iterator[Finding]:
    ours, theirs = original.columns, synthesis.columns
    for name in ours:
        if name not in theirs:
            text = "the replica lacks this column"
            yield Finding("structure", name, text, "Add it, or tell users that it is left out.")
    for name in theirs:
        if name not in ours:
            text = "the original has no such column"
            yield Finding("structure", name, text, "Leave it out, or tell users what it is.")
    common = [name for name in ours if name in theirs]
    if [name for name in theirs if name in ours] != common:
        text = "columns are in another order than in the original"
        yield Finding("structure", "", text, "Put them in the original's order.")


def _labels(original: Microdata, synthesis: Microdata, name: str) -> Iterator[Finding]:
    for what, other, ours, theirs in (
        ("a label", "another label", original.labels.get(name), synthesis.labels.get(name)),
        ("value labels", "other value labels", _coded(original, name), _coded(synthesis, name)),
        ("codes for missing", "other codes for missing", *_missing(original, synthesis, name)),
    ):
        if ours and not theirs:
            text = f"the original has {what}, and the replica has none"
            yield Finding("structure", name, text, "Give the column what the original has.")
        elif ours and theirs and ours != theirs:
            text = f"{other} than in the original"
            yield Finding("structure", name, text, "Give the column what the original has.")
    scales = original.scales.get(name), synthesis.scales.get(name)
    if all(scales) and scales[0] != scales[1]:  # text files have none
        text = f"its level of measurement is {scales[1]}, in the original {scales[0]}"
        yield Finding("structure", name, text, "Give the column what the original has.")
    ours, theirs = original.table.column(name).type, synthesis.table.column(name).type
    if ours != theirs:
        text = f"stored as {theirs}, in the original as {ours}"
        yield Finding("structure", name, text, "Store it as the original does.", minor=True)


def _missing(original: Microdata, synthesis: Microdata, name: str) -> tuple[set[float], set[float]]:
    """Return the codes for missing of both, but for those that no record of the replica has."""
    ours = set(original.missing_codes.get(name, ()))
    theirs = set(synthesis.missing_codes.get(name, ()))
    return ours, theirs and ours | theirs


def _coded(data: Microdata, name: str) -> dict[str, str]:
    """Return labels by code, wherever they stand."""
    codes = {f"{code:g}": label for code, label in data.value_labels.get(name, {}).items()}
    return codes | {str(code): level for level, code in data.level_codes.get(name, {}).items()}


def _values(variable: Variable, of: Adherence, gap: float) -> Iterator[Finding]:
    name = variable.name
    if of.inside < 100.0:  # noqa: PLR2004  (percent)
        what = "levels" if variable.kind is Kind.CATEGORY else "range"
        text = f"{100.0 - of.inside:.3g} % of values are outside the original's {what}"
        yield Finding("structure", name, text, "Correct them, or say why they are there.")
    if abs(of.missing_synthetic - of.missing_original) > gap:
        text = (
            f"{of.missing_synthetic:.3g} % of records have no value, in the original "
            f"{of.missing_original:.3g} %"
        )
        yield Finding("structure", name, text, "Synthesise missing values, too, or say so.")
    if of.distinct_original >= _KEY > of.distinct_synthetic:
        text = "tells records from one another in the original, and not in the replica"
        yield Finding("structure", name, text, "Number the replica's records anew.")


def structure_table(data: Harmonised, part: int) -> pd.DataFrame:
    """Return adherence of all variables, one row each."""
    rows = {name: vars(adherence(variable, part)) for name, variable in data.variables.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variable")


LEVEL = 0.05
"""Of all pairs together: how often a file whose columns are independent is called."""
_GROUPS = 5
_FEWEST = 5.0
"""Records that a level, or a group, must be expected to have in each cell of a pair."""


def surviving_relations(
    data: Harmonised, part: int, declared: Collection[frozenset[str]]
) -> Iterator[Finding]:
    """Yield pairs of columns that depend on each other in a synthesis.

    A chi-squared test of independence for each pair, of the level 0.05 over the number of pairs.
    The original plays no part: that there is a relation is the finding, whoever has it, too.
    """
    from scipy.stats import chi2_contingency

    codes = {name: coded(variable, part) for name, variable in data.variables.items()}
    usable = [name for name, code in codes.items() if code.max(initial=0) > 0]
    pairs = [pair for pair in combinations(usable, 2) if frozenset(pair) not in declared]
    for first, second in pairs:
        table = _merged(codes[first], codes[second])
        if min(table.shape) < 2:  # noqa: PLR2004  (nothing to depend on)
            continue
        p = float(chi2_contingency(table, correction=False).pvalue)
        if p * len(pairs) <= LEVEL:
            text = f"depends on {second!r}, and no such relation is declared"
            remedy = "Draw these columns apart from each other, or declare the relation."
            yield Finding("relation", first, text, remedy)


def coded(variable: Variable, part: int) -> Ints:
    """Return levels, or fifths of numbers, as codes from 0; missing is a level of its own."""
    if variable.codes:
        return np.unique(variable.codes[part], return_inverse=True)[1]
    values = np.asarray(variable.values[part], np.float64)
    present = values[~np.isnan(values)]
    if not len(present):
        return np.zeros(len(values), np.int64)
    ends = np.unique(np.quantile(present, np.arange(1, _GROUPS) / _GROUPS))
    codes = np.where(np.isnan(values), np.nan, np.searchsorted(ends, values, side="left"))
    return np.unique(codes, return_inverse=True)[1]


def _merged(first: Ints, second: Ints) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the table of two columns, rare levels joined with the next rarer ones.

    Levels are joined by how often they occur, whatever the other column holds there, until each
    cell is expected to have five records, or two levels are left.
    """
    levels = [_Levels(code) for code in (first, second)]
    while levels[0].least * levels[1].least < _FEWEST * len(first):
        several = [each for each in levels if each.number > 2]  # noqa: PLR2004  (two to compare)
        if not several:
            break
        min(several, key=lambda each: each.least).join()
    first, second = (each.groups[code] for each, code in zip(levels, (first, second), strict=True))
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1), np.int64)
    np.add.at(table, (first, second), 1)
    expected = levels[0].least * levels[1].least / len(first)
    return table if expected >= 1.0 else table[:1]


class _Levels:
    """Levels of a column, the two rarest of which can be joined."""

    def __init__(self, codes: Ints) -> None:
        self._by_size = [(int(n), level) for level, n in enumerate(np.bincount(codes))]
        heapq.heapify(self._by_size)
        self._members = {level: [level] for _, level in self._by_size}

    @property
    def number(self) -> int:
        """Number of levels."""
        return len(self._by_size)

    @property
    def least(self) -> int:
        """Records of the rarest level."""
        return self._by_size[0][0]

    def join(self) -> None:
        """Make one level of the two rarest."""
        (n, level), (m, other) = heapq.heappop(self._by_size), heapq.heappop(self._by_size)
        larger, smaller = sorted((level, other), key=lambda i: -len(self._members[i]))
        self._members[larger] += self._members.pop(smaller)
        heapq.heappush(self._by_size, (n + m, larger))

    @property
    def groups(self) -> Ints:
        """New code of each code."""
        out = np.empty(sum(map(len, self._members.values())), np.int64)
        for group, members in enumerate(self._members.values()):
            out[members] = group
        return out
