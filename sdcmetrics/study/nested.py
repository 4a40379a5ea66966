"""Clusters that are numbered within strata, as in most files of surveys: each is told apart."""

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

_LACKS = "clusters are numbered within strata, which it lacks: who belongs together is not known"
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
    cells = np.unique(np.stack([outer, inner])[:, (outer >= 0) & (inner >= 0)], axis=1)
    if len(np.unique(cells[1])) == cells.shape[1] or _are_alike(original, outer, inner, roles):
        return [original, *others]
    return [
        _numbered(original, strata, cluster, PARTS_OF_CLUSTERS),
        *(_numbered(data, strata, cluster) if cluster in data.columns else data for data in others),
    ]


def _numbered(data: Microdata, strata: str, cluster: str, *changes: str) -> Microdata:
    if strata not in data.columns:
        fix = Fix(data.source, cluster, _LACKS)
        return replace(data, table=data.table.drop_columns([cluster]), fixes=(*data.fixes, fix))
    outer, inner = _codes(data, strata), _codes(data, cluster)
    pairs = np.where((outer < 0) | (inner < 0), -1, outer * (inner.max(initial=0) + 1) + inner)
    number = np.unique(pairs, return_inverse=True)[1].ravel()
    column = pa.array(number, mask=pairs < 0)
    parts: dict[str, Any] = {
        part: {name: entry for name, entry in getattr(data, part).items() if name != cluster}
        for part in ("value_labels", "level_codes", "missing_codes")
    }
    table = data.table.set_column(data.columns.index(cluster), cluster, column)
    fixes = (*data.fixes, *(Fix(data.source, cluster, change) for change in changes))
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
