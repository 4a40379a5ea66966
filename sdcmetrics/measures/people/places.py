"""Large files: near records are looked for in places, the neighbourhoods of a few random records.

A random part of large files would lose the parents of most records. Places are blind to labels:
centres are drawn from all records, and their nearest records are of all files alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.columns import Files, Part, codes_of
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.compiled import compiled

LARGE = 4_500
"""Records in all above which near tests look at places; and how many these hold."""

_CENTRES = 6
_MOST_CENTRES = 24
_EACH = 750
_KNOTS = 1_024  # values by which ranks of numbers are told, to a thousandth


def places(files: Files, rng: np.random.Generator) -> Ints:
    """Return the positions of the records in places, sorted."""
    number = np.array([part.number for part in files.parts])
    shares = np.vstack([_shares(part, rng) for part in files.parts])
    chosen = np.zeros(files.size, np.bool_)
    distance = np.empty(files.size, np.float32)
    measure = compiled(_distance, _SIGNATURE)
    for i, centre in enumerate(rng.choice(files.size, _MOST_CENTRES, replace=False)):
        if i >= _CENTRES and chosen.sum() >= LARGE:
            break
        measure(shares, number, centre, distance)
        distance += rng.random(files.size, dtype=np.float32) * np.float32(1e-5)
        chosen[np.argpartition(distance, _EACH)[:_EACH]] = True
    return np.flatnonzero(chosen)


def _shares(part: Part, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the share of records with smaller values, or the code of a category."""
    values = part.values if part.mapped is None else part.mapped
    if not part.number:
        return codes_of(values).astype(np.float32)
    there = values[~np.isnan(values)]
    some = np.sort(there if len(there) <= _KNOTS else rng.choice(there, _KNOTS, replace=False))
    knots, counts = np.unique(some, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / len(some)
    out = np.interp(values, knots, middle).astype(np.float32)
    out[np.isnan(values)] = -9
    return out


def _distance(shares: Any, number: Any, centre: int, out: Any) -> None:
    """Fill in the distances of all records to one."""
    out[:] = 0
    unit = np.float32(1)
    for j in range(shares.shape[0]):
        column = shares[j]
        own = column[centre]
        if number[j]:
            for b in range(len(column)):
                out[b] += min(abs(column[b] - own), unit)
        else:
            for b in range(len(column)):
                out[b] += unit if column[b] != own else np.float32(0)


_SIGNATURE = "void(float32[:,::1], boolean[::1], int64, float32[::1])"
