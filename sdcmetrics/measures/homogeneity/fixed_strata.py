"""Columns within whose values both files seem to have been drawn, where the study names none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.special import chdtr

from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.arrays import Ints

_NAMES = re.compile(
    r"(^|_)(stratum|strata|strat|sdmvstra|varstrat|v?stratum|estrato|schicht)(_?(id|no|nr|num))?$"
)
_FEWEST_LEVELS, _FEWEST_EACH = 5, 2
_BY_CHANCE = 1e-6
"""Of counts so near to each other in files that were drawn one by one."""


def is_strata_name(name: str) -> bool:
    """Tell whether a column has the name of strata.

    >>> [is_strata_name(name) for name in ("stratum", "SDMVSTRA", "V_STRATA", "strategy")]
    [True, True, True, False]
    """
    return _NAMES.search(name.lower()) is not None


def suspected_strata(columns: Sequence[Column]) -> str:
    """Return the column each of whose values so many records of both files have; empty without one.

    Such are strata of which so many were drawn each, quotas, and balanced designs. What follows
    from them (the density of a district) has fixed counts, too. Where half of all others have the
    same counts in both files there is none: in a copy every column does.

    Parameters
    ----------
    columns : sequence of Column
        Of records in memory.
    """
    every = {column.name: _levels(column) for column in columns}
    fixed = {name: codes for name, codes in every.items() if _is_fixed(*codes)}
    categories = {column.name for column in columns if not column.numeric}
    chosen = sorted(fixed, key=lambda name: (not is_strata_name(name), name not in categories))
    for name in chosen:
        strata = fixed[name][0]
        others = [codes for codes in every.values() if not _follows(codes[0], strata)]
        same = sum(_has_same_counts(*codes) for codes in others)
        if others and 2 * same < len(others):
            return name
    return ""


def _levels(column: Column) -> tuple[Ints, Ints]:
    """Return the level of each record of original and replica, numbered from 0."""
    values = np.concatenate([column.original, column.replica])
    _, codes = np.unique(values, return_inverse=True)
    codes = codes.ravel().astype(np.int64)
    return codes[: len(column.original)], codes[len(column.original) :]


def _is_fixed(original: Ints, synthetic: Ints) -> bool:
    """Whether counts of levels are nearer to each other than those of two random files."""
    counts, others = _counts(original, synthetic)
    n, m, size = len(original), len(synthetic), len(counts)
    if size < _FEWEST_LEVELS or min(n, m) < _FEWEST_EACH * size:
        return False
    expected = (counts + others) * (n / (n + m))
    statistic = float(((counts - expected) ** 2 / (expected * m / (n + m))).sum())
    return bool(chdtr(size - 1, statistic) <= _BY_CHANCE)


def _counts(original: Ints, synthetic: Ints) -> tuple[Ints, Ints]:
    """Return how many records of either side each level has."""
    own, other = np.bincount(original), np.bincount(synthetic)
    size = max(len(own), len(other))
    return np.pad(own, (0, size - len(own))), np.pad(other, (0, size - len(other)))


def _has_same_counts(original: Ints, synthetic: Ints) -> bool:
    """Whether each level has the same share in both files."""
    counts, others = _counts(original, synthetic)
    return np.array_equal(counts * len(synthetic), others * len(original))


def _follows(codes: Ints, strata: Ints) -> bool:
    """Whether a column has one level in each stratum."""
    pairs = np.unique(np.stack([strata, codes]), axis=1)
    return len(pairs[0]) == len(np.unique(strata))
