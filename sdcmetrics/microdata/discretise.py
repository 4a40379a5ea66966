"""Rules that make every variable categorical by what the training data hold.

For measures that compare a replica with the data that it was trained on and with fresh data:
the categories come from the training data alone, so that they are the same whatever is compared,
and what lies outside of them stays visible as a category of its own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.coding import CodedVariable, Rule, pack
from sdcmetrics.microdata.columns import Kind, texts_of
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.grouping import is_usable
from sdcmetrics.microdata.schema import Variable

BELOW = "below the training data"
ABOVE = "above the training data"
OTHER = "rarer levels"
NOVEL = "not in the training data"

_FEWEST_LEVELS = 2
_ROUNDING = 1e-6  # of a record, in the place of a quantile


def by_training(max_levels: int, *, fold: bool = True) -> Rule:
    """Return the rule that gives a variable at most `max_levels` categories of the training data.

    Parameters
    ----------
    max_levels : int, at least 2
        Categories that training values can have; missing values, missing codes, values outside
        the training data's range and levels that it does not have come on top of these.
    fold : bool
        False keeps every level of a category, whichever data set has it.

    Returns
    -------
    Rule
        The first part of what it is given is the training data.

    Notes
    -----
    Numbers and dates with no more than `max_levels` distinct values keep each; a value between
    two of them counts as the nearer. Others are cut at their quantiles into intervals closed on
    the right. A value on which several quantiles fall (the zeros of an income) has a category
    of its own, so that no variable ends up with a single one. The most frequent levels of a
    category are kept, one less than `max_levels`; the rarer ones share a category.
    """
    if max_levels < _FEWEST_LEVELS:
        msg = f"max_levels: expected a whole number of at least 2 but got {max_levels}."
        raise StudyError(msg)

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind in (Kind.NUMBER, Kind.DATE):
            return _intervals(variable, max_levels)
        if not fold:
            return pack(variable.name, variable.levels, variable.codes)
        return _levels(variable, max_levels)

    return rule


def _intervals(variable: Variable, most: int) -> CodedVariable:
    values, ranks = variable.ranked
    present = ranks[0] >= 0
    training, times = ranks[0][present], variable.counts[0][present] if variable.counts else None
    there = is_usable(values, variable.missing_codes)
    there &= np.bincount(training, minlength=len(values)) > 0
    distinct = values[there]
    counts = np.bincount(training, times, len(values))[there].astype(np.int64)
    if len(distinct) <= most:
        ends = distinct[:-1] + np.diff(distinct) / 2.0
        labels = texts_of(distinct, variable.kind)
    else:
        last = _last_of_each(counts, most)
        ends = distinct[last]
        first = np.concatenate([[0], last + 1])
        last = np.append(last, len(distinct) - 1)
        lowest, highest = (texts_of(distinct[at], variable.kind) for at in (first, last))
        pairs = zip(lowest, highest, strict=True)
        labels = [low if low == high else f"{low} to {high}" for low, high in pairs]
    codes_at = len(labels) + 2
    own = [label_of(code) for code in variable.missing_codes]
    codes = np.searchsorted(ends, values, side="left").astype(np.int32)
    if len(distinct):
        codes[values < distinct[0]] = len(labels)
        codes[values > distinct[-1]] = len(labels) + 1
    else:
        codes[:] = 1  # nothing in the training data: all is above it
    for i, code in enumerate(variable.missing_codes):
        codes[values == code] = codes_at + i
    codes = np.append(codes, np.int32(-1))
    parts = [codes[part] for part in ranks]
    return pack(variable.name, (*labels, BELOW, ABOVE, *own), parts)


def _last_of_each(counts: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Return which distinct value ends each interval; the last one, which ends all, is left out."""
    up_to = np.cumsum(counts)
    shares = np.linspace(0.0, 1.0, most + 1) * up_to[-1]
    chosen, times = np.unique(np.searchsorted(up_to, shares - _ROUNDING), return_counts=True)
    heavy = chosen[times > 1]
    ends = set(chosen.tolist()) | set((heavy - 1).tolist())
    if not {0, 1} & set(heavy.tolist()):
        ends.discard(0)  # the minimum is part of the first interval
    return np.array(sorted(ends - {-1, len(counts) - 1}), dtype=np.int64)


def _levels(variable: Variable, most: int) -> CodedVariable:
    size = len(variable.levels)
    training = variable.codes[0]
    times = variable.counts[0][training >= 0] if variable.counts else None
    counts = np.bincount(training[training >= 0], weights=times, minlength=size).astype(np.int64)
    occurring = np.flatnonzero(counts)
    new = np.full(size + 1, -1, dtype=np.int32)
    if len(occurring) > most:
        frequent = np.sort(occurring[np.argsort(-counts[occurring], kind="stable")][: most - 1])
        labels = [*(variable.levels[i] for i in frequent), OTHER]
        new[occurring] = len(frequent)
    else:
        frequent = occurring
        labels = [variable.levels[i] for i in frequent]
    new[frequent] = np.arange(len(frequent), dtype=np.int32)
    unknown = np.setdiff1d(np.arange(size), occurring)
    new[unknown] = len(labels)
    parts = [new[codes] for codes in variable.codes]
    return pack(variable.name, (*labels, NOVEL), parts)
