"""Training, synthetic and holdout data as points between which distances are measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import DataError
from sdcmetrics.measures.neighbours import Distance, Euclidean, Gower, Hamming, Points
from sdcmetrics.measures.pair import refuse_copy, stacked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.discretise import by_training
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.published import for_distances, read_as_published
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable, harmonise

DistanceName = Literal["hamming", "gower", "euclidean"]
Mode = Literal["corrected", "published"]

_Number = TypeVar("_Number", bound=np.number)

_GROUPS = 100
_FEWEST = 2
_LARGEST_ID = 2**62


@dataclass(frozen=True)
class ClosestPoints:
    """Three data sets over the same columns, ready to be searched.

    Attributes
    ----------
    training, synthetic, holdout : Points
    distance : Hamming, Gower or Euclidean
    columns : tuple of str
        Names in the order of the points' columns: codes first, then numbers.
    varying : tuple of str
        The columns that are not constant over the training points.
    identities : three int arrays
        The same number for records that are equal in every value, before any grouping.
    fixes : tuple of Fix
        Changes made to the inputs.
    """

    training: Points
    synthetic: Points
    holdout: Points
    distance: Distance
    columns: tuple[str, ...]
    varying: tuple[str, ...]
    identities: tuple[npt.NDArray[np.int64], ...]
    fixes: tuple[Fix, ...]


def as_points(
    training: Microdata,
    synthetic: Microdata | Sequence[Microdata],
    holdout: Microdata,
    *,
    distance: DistanceName = "hamming",
    mode: Mode = "corrected",
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
) -> ClosestPoints:
    """Bring three data sets to one codebook, as the distance needs it.

    Parameters
    ----------
    training, synthetic, holdout : Microdata
        Several syntheses are one, their records stacked.
    distance : "hamming", "gower" or "euclidean"
        Hamming: numbers are cut into at most 100 groups. Gower, Euclidean: numbers and dates stay
        numbers, over their range (standard deviation) in training and holdout data together, so
        that the distance does not depend on who was trained on; a missing code is missing.
    mode : "corrected" or "published"
        Hamming: groups by training and holdout data together, so that they do not depend on who
        was trained on either, or those behind the published figures; see
        `sdcmetrics.microdata.discretise` and `sdcmetrics.microdata.published`.
    variables, missing_codes : see `distance_to_closest_record`

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    """
    files = [synthetic] if isinstance(synthetic, Microdata) else list(synthetic)
    others = [*files, holdout]
    if mode == "published":
        data = read_as_published(training, others, variables=variables)
    else:
        data = harmonise(training, others, variables=variables, missing_codes=missing_codes)
    data = stacked(data, len(files))
    for part in (0, 2):
        if data.sizes[part] < _FEWEST:
            msg = (
                f"{data.sources[part]}: expected at least {_FEWEST} records, for the distance "
                "from one to another. Use a larger part of the data."
            )
            raise DataError(msg)
    identities = _identities(data)
    refuse_copy(identities[0], identities[2], (data.sources[0], data.sources[2]))
    numbers: _Columns = {}
    if distance == "hamming":
        codes = _grouped(data, mode)
        chosen: Distance = Hamming()
    else:
        codes, numbers, sizes = _scaled(data, distance)
        chosen = Gower(sizes) if distance == "gower" else Euclidean(sizes)
    points = [
        Points.from_columns(
            [parts[part] for parts in codes.values()], [parts[part] for parts in numbers.values()]
        )
        for part in range(3)
    ]
    columns = (*codes, *numbers)
    return ClosestPoints(
        training=points[0],
        synthetic=points[1],
        holdout=points[2],
        distance=chosen,
        columns=columns,
        varying=tuple(name for name in columns if _varies((codes | numbers)[name][0])),
        identities=identities,
        fixes=data.fixes,
    )


_Parts = tuple[npt.NDArray[np.int64], ...]
_Columns = dict[str, Sequence[npt.NDArray[np.number]]]


def _grouped(data: Harmonised, mode: Mode) -> _Columns:
    if mode == "published":
        published = encode(data, for_distances(_GROUPS), data.variables)
        return {name: variable.parts for name, variable in published.variables.items()}
    rule = by_training(_GROUPS, fold=False)
    out: _Columns = {}
    for name, variable in data.variables.items():
        real, synthetic = rule(_real_together(variable)).parts
        training, holdout = np.split(real, [data.sizes[0]])
        out[name] = (training, synthetic, holdout)
    return out


def _real_together(variable: Variable) -> Variable:
    """Put training and holdout records together, so that groups do not depend on the label."""

    def together(parts: Sequence[npt.NDArray[_Number]]) -> tuple[npt.NDArray[_Number], ...]:
        return (np.concatenate([parts[0], parts[2]]), parts[1]) if parts else ()

    joined = replace(variable, values=together(variable.values), codes=together(variable.codes))
    if variable.values:
        joined.__dict__["ranked"] = variable.ranked[0], together(variable.ranked[1])
    return joined


def _scaled(
    data: Harmonised, distance: DistanceName
) -> tuple[_Columns, _Columns, tuple[float, ...]]:
    measure: Callable[[Floats], float] = np.ptp if distance == "gower" else np.std
    codes: _Columns = {}
    numbers: _Columns = {}
    sizes = []
    for name, variable in data.variables.items():
        if variable.kind not in (Kind.NUMBER, Kind.DATE):
            codes[name] = [part + 1 for part in variable.codes]
            continue
        parts = [_without_codes(part, variable) for part in variable.values]
        pool = np.concatenate([parts[0], parts[2]])
        pool = pool[~np.isnan(pool)]
        # The standard deviation of equal numbers can come out as 1e-17.
        size = float(measure(pool)) if _varies(pool) else 0.0
        if size == 0.0 and distance == "euclidean":  # nothing to scale by: equal or not
            codes[name] = _factorised(parts)
        else:
            numbers[name] = parts
            sizes.append(size)
    return codes, numbers, tuple(sizes)


def _without_codes(values: Floats, variable: Variable) -> Floats:
    out = values.copy()
    out[np.isin(out, variable.missing_codes)] = np.nan
    return out


def _factorised(parts: Sequence[npt.NDArray[np.number]]) -> _Parts:
    codes = pd.factorize(np.concatenate(parts))[0] + 1
    return tuple(np.split(codes.astype(np.int64), np.cumsum([len(part) for part in parts])[:-1]))


def _identities(data: Harmonised) -> _Parts:
    ids = np.zeros(sum(data.sizes), dtype=np.int64)
    size = 1
    for variable in data.variables.values():
        each = variable.ranked[1] if variable.values else variable.codes
        codes = np.concatenate(each).astype(np.int64) + 1
        levels = int(codes.max()) + 1
        if size * levels > _LARGEST_ID:
            places, distinct = pd.factorize(ids)
            ids, size = places.astype(np.int64), len(distinct)
        ids = ids * levels + codes
        size *= levels
    ids = pd.factorize(ids)[0].astype(np.int64)
    return tuple(np.split(ids, np.cumsum(data.sizes)[:-1]))


def _varies(values: npt.NDArray[np.number]) -> bool:
    """Say whether there are two different values; missing is one."""
    return len(pd.unique(values)) > 1
