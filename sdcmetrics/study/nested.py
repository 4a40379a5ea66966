"""Clusters numbered within strata, as in most files of surveys, and households within clusters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.repetition import is_running
from sdcmetrics.measures.survey.design import PARTS_OF_CLUSTERS
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import alone

HOUSEHOLDS_OF_CLUSTERS = "households are numbered within {}: each has a number of its own"
"""What is listed where "1" of one cluster, or stratum, and "1" of another are two households."""

_LACKS = "{} are numbered within {}, which it lacks: who belongs together is not known"
_ALIKE = 1e-4
"""p over all columns from which on the parts of clusters in several strata are no chance."""


def with_nested_clusters(
    original: Microdata,
    others: Sequence[Microdata],
    *,
    strata: str,
    cluster: str,
    roles: Collection[str],
) -> list[Microdata]:
    """Return data sets whose clusters have a number of their own in each stratum.

    Where no number of a cluster is in two strata of the original, they are as they were, and so
    they are where strata cross clusters: where parts of a cluster that lie in several strata are
    alike in a column, by an analysis of variance. Otherwise "1" of one stratum and "1" of another
    are two clusters, and without strata it is not known which records of a replica or a holdout
    belong together: there the column is left out.

    Parameters
    ----------
    original : Microdata
    others : sequence of Microdata
        Holdout and replicas; those without a column of clusters stay as they are.
    strata, cluster : str
    roles : names of columns of the sample, in which nothing is looked for

    Raises
    ------
    ColumnError
        If a data set has clusters or strata that cannot be read.
    """
    outer, inner = _codes(original, strata), _codes(original, cluster)
    cells = _cells(outer, inner)
    if len(np.unique(cells[1])) == cells.shape[1] or _are_alike(original, outer, inner, roles):
        return [original, *others]
    lacks = _LACKS.format("clusters", "strata")
    return _with_own_numbers(original, others, strata, cluster, PARTS_OF_CLUSTERS, lacks)


def with_nested_households(
    original: Microdata,
    others: Sequence[Microdata],
    *,
    groups: str,
    household: str,
    within: str,
    roles: Collection[str],
) -> list[Microdata]:
    """Return data sets whose households have a number of their own in each cluster or stratum.

    They are as they were where no number is in more than half of the original's clusters, as of a
    few households that moved, and where households of one number are alike in a column, as those
    that come again in each wave.

    Parameters
    ----------
    original : Microdata
    others : sequence of Microdata
        Holdout and replicas; those without a column of households stay as they are, and of those
        without clusters it is not known who belongs together: there the column is left out.
    groups, household : str
        Columns of clusters, or strata, and of households.
    within : {"clusters", "strata"}
    roles : names of columns of the sample, in which nothing is looked for

    Raises
    ------
    ColumnError
        If a data set has households or clusters that cannot be read.
    """
    outer, inner = _codes(original, groups), _codes(original, household)
    cells = _cells(outer, inner)
    widest = np.unique(cells[1], return_counts=True)[1].max(initial=1)
    few = widest == 1 or 2 * widest <= len(np.unique(cells[0]))
    if few or _are_alike(original, outer, inner, roles):
        return [original, *others]
    change, lacks = HOUSEHOLDS_OF_CLUSTERS.format(within), _LACKS.format("households", within)
    return _with_own_numbers(original, others, groups, household, change, lacks)


def _cells(outer: Ints, inner: Ints) -> Ints:
    """Return each pair of numbers that a record has, once."""
    return np.unique(np.stack([outer, inner])[:, (outer >= 0) & (inner >= 0)], axis=1)


def _with_own_numbers(
    original: Microdata,
    others: Sequence[Microdata],
    groups: str,
    units: str,
    change: str,
    lacks: str,
) -> list[Microdata]:
    """Return data sets whose units have a number of their own in each group, where they have both.

    Of the original the change is listed, and of others that lack groups, and lose their units.
    """
    out = [_numbered(original, groups, units, change)]
    for data in others:
        if units not in data.columns:
            out.append(data)
        elif groups in data.columns:
            out.append(_numbered(data, groups, units))
        else:
            fixes = (*data.fixes, Fix(data.source, units, lacks, compared=True))
            out.append(replace(data, table=data.table.drop_columns([units]), fixes=fixes))
    return out


def _numbered(data: Microdata, groups: str, units: str, *changes: str) -> Microdata:
    outer, inner = _codes(data, groups), _codes(data, units)
    pairs = np.where((outer < 0) | (inner < 0), -1, outer * (inner.max(initial=0) + 1) + inner)
    number = np.unique(pairs, return_inverse=True)[1].ravel()
    column = pa.array(number, mask=pairs < 0)
    parts: dict[str, Any] = {
        part: {name: entry for name, entry in getattr(data, part).items() if name != units}
        for part in ("value_labels", "level_codes", "missing_codes")
    }
    table = data.table.set_column(data.columns.index(units), units, column)
    fixes = (*data.fixes, *(Fix(data.source, units, change) for change in changes))
    return replace(data, table=table, fixes=fixes, **parts)


def _codes(data: Microdata, name: str) -> Ints:
    """Return which value each record has, in their order; -1 is missing."""
    coded = encode(alone(data, [name]), by_value, [name]).variables[name]
    codes = coded.parts[0].astype(np.int64)
    return np.where(codes == coded.missing_code, -1, codes)


def _are_alike(data: Microdata, outer: Ints, inner: Ints, roles: Collection[str]) -> bool:
    """Tell whether records of one number are alike in different strata: it is one cluster then."""
    names = [name for name in data.columns if name not in roles]
    there = (outer >= 0) & (inner >= 0)
    cells, cell = np.unique(np.stack([outer, inner])[:, there], axis=1, return_inverse=True)
    for name in names:
        try:
            variable = alone(data, [name]).variables[name]
        except SdcMetricsError:  # what cannot be read cannot be compared either
            continue
        if variable.values:
            values = variable.values[0]
            if is_running(values) or bool((np.diff(values) > 0).all()):
                continue  # a number of records, which follows the file's order
            codes: Ints = np.unique(values, return_inverse=True)[1].ravel()[there]
        else:
            codes = variable.codes[0][there].astype(np.int64) + 1
        counts = np.bincount(codes)
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
        means = np.bincount(cell.ravel(), ranks) / np.bincount(cell.ravel())
        if _p(means, cells[0], cells[1]) * len(names) <= _ALIKE:
            return True
    return False


def _p(means: Floats, outer: Ints, inner: Ints) -> float:
    """Return p that cells of one number differ no less than others of their stratum."""
    outer, inner = (np.unique(codes, return_inverse=True)[1] for codes in (outer, inner))
    apart = means - (np.bincount(outer, means) / np.bincount(outer))[outer]
    sizes = np.bincount(inner)
    between = float((np.bincount(inner, apart) ** 2 / sizes).sum())
    within = float((apart**2).sum()) - between
    degrees = len(sizes) - 1, len(means) - int(outer.max()) - len(sizes)
    if min(degrees) < 1 or within <= 0.0:
        return 1.0
    return float(lazy.special.fdtrc(*degrees, between / degrees[0] / (within / degrees[1])))
