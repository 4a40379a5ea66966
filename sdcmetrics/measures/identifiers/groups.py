"""Numbers made by a rule: a group's number, then those of its members from 1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.measures.identifiers.values import Values, values_of
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.frames import Microdata

_CUTS = (10_000, 1_000, 100, 10)
"""Digits of a member: as many as do."""
_FEWEST_GROUPS = 10
_FEWEST_EACH = 1.5
"""Members of a group on average, below which most numbers end alike."""
_MOSTLY = 0.8
"""Share of groups whose members begin with the same number, and of their numbers that are used."""
_BY_CHANCE = 0.01
"""p up to which numbers of groups that are the original's were not drawn anew."""


def groups_of(values: Values, original: npt.NDArray[np.bool_]) -> Values | None:
    """Return the groups that values name, if the members of a group are numbered from 0 or 1.

    1001, 1002, 2001 are members of 1 and 2, H07-1 and H07-2 of H07: what follows is made by the
    rule, in a replica too, and tells nobody apart who is not told apart by the group.

    Parameters
    ----------
    values : Values
    original : bool array
        Which of the different values the original has.

    Examples
    --------
    >>> numbers = pa.array([1000.0 * i + j for i in range(12) for j in (1, 2)])
    >>> values = Values((np.arange(24),), (None,), numbers, "number")
    >>> groups = groups_of(values, np.ones(24, dtype=np.bool_))
    >>> groups.levels.to_pylist()[:3], groups.codes[0][:4].tolist()
    ([0.0, 1.0, 2.0], [0, 0, 1, 1])
    """
    if values.steps is not None:
        numbers = values.steps
        if bool(np.isnan(numbers).any()):
            return None
        for cut in _CUTS:
            stems = np.floor(numbers / cut)
            members = numbers - stems * cut
            groups, index = np.unique(stems, return_inverse=True)
            if _is_rule(index[original], members[original], cut):
                return _grouped(values, index, pa.array(groups))
        return None
    if values.kind != "text":
        return None
    parts = pc.extract_regex(values.levels, r"^(?P<stem>.*[^0-9])(?P<member>[0-9]{1,4})$")
    if parts.null_count:
        return None
    stems = pc.replace_substring_regex(pc.struct_field(parts, "stem"), r"[^\p{L}\p{N}]+$", "")
    encoded = stems.dictionary_encode()
    members = np.asarray(pc.struct_field(parts, "member").cast(pa.float64()))
    index = np.asarray(encoded.indices, dtype=np.int64)
    if not _is_rule(index[original], members[original], None):
        return None
    return _grouped(values, index, encoded.dictionary)


def is_numbered_anew(name: str, original: Microdata, synthetic: Microdata) -> bool:
    """Whether a replica's groups are no groups of the original by name: it numbers its own.

    They are if none of its values is one of the original's, its numbers leave no gap, or half of
    them at most are the original's, no more than of numbers drawn from the same range.

    Examples
    --------
    >>> from sdcmetrics.microdata.frames import as_microdata
    >>> villages = [
    ...     as_microdata(pa.table({"village": codes}), "file")
    ...     for codes in (["v07", "v19", "v23"], ["v07", "v23", "v23"], ["1", "3", "2"])
    ... ]
    >>> [is_numbered_anew("village", villages[0], part) for part in villages]
    [False, False, True]
    """
    if name not in synthetic.columns:
        return True
    values = values_of(name, [original, synthetic]) if name in original.columns else None
    if values is None:
        return False
    here, there = (values.counts(part) > 0 for part in (0, 1))
    shared = int((here & there).sum())
    if not shared:
        return True
    if values.steps is None:
        return False
    numbers = np.sort(values.steps[there])
    if bool((np.diff(numbers) == 1).all()):
        return True
    span = float(np.ptp(values.steps)) + 1.0
    by_chance = float(here.sum()) * float(there.sum()) / span
    few = 2 * shared <= int(there.sum())
    return few and bool(lazy.special.gammainc(shared, by_chance) > _BY_CHANCE)


def _is_rule(index: Ints, members: Floats, cut: int | None) -> bool:
    """Whether most groups number their members from 0 or 1, few of the numbers being left out."""
    groups, index = np.unique(index, return_inverse=True)
    if len(groups) < _FEWEST_GROUPS or len(index) < _FEWEST_EACH * len(groups):
        return False
    first, last = np.full(len(groups), np.inf), np.zeros(len(groups))
    np.minimum.at(first, index, members)
    np.maximum.at(last, index, members)
    if cut is not None and np.median(last) > cut / 2:
        return False  # the next group goes on where one ends
    begins = float(np.median(first))
    if begins not in (0.0, 1.0) or float((first == begins).mean()) < _MOSTLY:
        return False
    return len(index) >= _MOSTLY * float((last - begins + 1).sum())


def _grouped(values: Values, index: Ints, levels: pa.Array) -> Values:
    codes = tuple(np.where(part >= 0, index[part], -1) for part in values.codes)
    return Values(codes, values.weights, levels, values.kind)
