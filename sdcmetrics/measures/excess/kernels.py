"""Loops over labels of records, compiled when they are first used.

Draws are the inner loop wherever they can be: cells are of a few records, draws are many.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]

LABEL = "void(float64[:,::1], int64, int64[::1], uint8[:,::1])"
DISCLOSED = (
    "void(uint8[:,::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[::1],"
    " float64[::1], int32[:,::1], float64[:,::1])"
)
ALONE = (
    "void(uint8[:,::1], int32[::1], int64[::1], float64[::1], float64[::1], float64[::1],"
    " int32[:,::1], float64[:,::1])"
)
CLUSTERS_OUT = (
    "void(uint8[:,::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:,::1],"
    " int64[:,::1], int64[::1], int64, float64[:,::1], float64[:,::1])"
)
ORDER = "void(int64[::1], int64[::1], int64[::1], int32[::1])"


def label(uniform: Array, size: int, left: Array, labels: Array) -> None:
    """Draw which records are the original's, in each column `left` of the `size` that are left.

    Selection sampling, exact: every set is as likely, one uniform number per record decides.
    """
    for i in range(uniform.shape[0]):
        for b in range(uniform.shape[1]):
            taken = uniform[i, b] * (size - i) < left[b]
            labels[i, b] = taken
            left[b] -= taken


def order(codes: Array, before: Array, starts: Array, out: Array) -> None:
    """Sort by codes, keeping the order of `before` within a code; `starts` is used up."""
    for i in range(len(before)):
        record = before[i]
        place = starts[codes[record]]
        out[place] = record
        starts[codes[record]] = place + 1


def disclosed(  # noqa: PLR0913, PLR0917  (compiled as one)
    labels: Array,
    records: Array,
    key_starts: Array,
    cells_of_key: Array,
    cell_starts: Array,
    cell_sizes: Array,
    other: Array,
    own: Array,
    counts: Array,
    out: Array,
) -> None:
    """Add up what a replica, and what other people of the original, disclose; in records.

    `labels` has a column per draw. `other[j]` is the chance that k records of the replica avoid j
    given ones, `own[j]` that k of the n - 1 others of the original avoid j - 1 (0 for j = 0).
    Records stand by key, and within it by cell; after the last cell of a key come records that no
    cell counts. `counts` is for a row of the key and one per cell of it. `out` has two rows: value
    and baseline.
    """
    draws = labels.shape[1]
    for key in range(len(key_starts) - 1):
        first_cell, last_cell = cells_of_key[key], cells_of_key[key + 1]
        for b in range(draws):
            counts[0, b] = 0
        end = key_starts[key]
        for cell in range(first_cell, last_cell):
            row = cell - first_cell + 1
            for b in range(draws):
                counts[row, b] = 0
            end = cell_starts[cell] + cell_sizes[cell]
            for i in range(cell_starts[cell], end):
                record = records[i]
                for b in range(draws):
                    counts[row, b] += labels[record, b]
            for b in range(draws):
                counts[0, b] += counts[row, b]
        for i in range(end, key_starts[key + 1]):
            record = records[i]
            for b in range(draws):
                counts[0, b] += labels[record, b]
        size = key_starts[key + 1] - key_starts[key]
        for cell in range(first_cell, last_cell):
            row = cell - first_cell + 1
            wrong = size - cell_sizes[cell]
            for b in range(draws):
                d = counts[0, b]
                here = counts[row, b]
                out[0, b] += here * (other[wrong - (d - here)] - other[size - d])
                out[1, b] += here * (own[d - here + 1] - own[d])


def alone(
    labels: Array,
    records: Array,
    key_starts: Array,
    first: Array,
    second: Array,
    both: Array,
    counts: Array,
    out: Array,
) -> None:
    """Add up who is alone with the keys in a part of the original and in a part of the replica.

    `first[d] * second[s]` is how many of a combination's records are, on average, and `both[d]`
    where the two parts are of the original itself.
    """
    draws = labels.shape[1]
    for key in range(len(key_starts) - 1):
        for b in range(draws):
            counts[0, b] = 0
        for i in range(key_starts[key], key_starts[key + 1]):
            record = records[i]
            for b in range(draws):
                counts[0, b] += labels[record, b]
        size = key_starts[key + 1] - key_starts[key]
        for b in range(draws):
            d = counts[0, b]
            out[0, b] += first[d] * second[size - d]
            out[1, b] += both[d]


def clusters_out(  # noqa: PLR0913, PLR0917  (compiled as one)
    labels: Array,
    records: Array,
    key_starts: Array,
    cells_of_key: Array,
    cell_starts: Array,
    cell_sizes: Array,
    parts: Array,
    sizes: Array,
    left: Array,
    k: int,
    avoiding: Array,
    out: Array,
) -> None:
    """Do what `disclosed` does where a person's whole cluster is left out; a row per draw.

    A part is what one cluster has of one cell. A row of `parts` holds the place of its first
    record (parts stand in the order of records, those of a cell adjoin), how many it has, how many
    the cluster has of the key combination, and which of `left` the cluster is as large as.
    `sizes` are, by draw, the records of the original and of the replica. `avoiding` is for the
    chance that k of so many records avoid j given ones: of the replica, and of the original
    without a cluster of each of the sizes in `left`.
    """
    for b in range(labels.shape[0]):
        for row in range(avoiding.shape[0]):
            of = sizes[b, 1] if row == 0 else sizes[b, 0] - left[row - 1]
            chance = 1.0
            for j in range(avoiding.shape[1]):
                avoiding[row, j] = chance
                chance *= max(of - j - k, 0) / max(of - j, 1)
        part = 0
        for key in range(len(key_starts) - 1):
            d = 0
            for i in range(key_starts[key], key_starts[key + 1]):
                d += labels[b, records[i]]
            s = key_starts[key + 1] - key_starts[key] - d
            for cell in range(cells_of_key[key], cells_of_key[key + 1]):
                end = cell_starts[cell] + cell_sizes[cell]
                here = 0
                for i in range(cell_starts[cell], end):
                    here += labels[b, records[i]]
                wrong = s - (cell_sizes[cell] - here)
                gain = avoiding[0, wrong] - avoiding[0, s]
                while part < len(parts) and parts[part, 0] < end:
                    if labels[b, records[parts[part, 0]]]:
                        size, others, row = parts[part, 1], d - parts[part, 2], parts[part, 3] + 1
                        wrong = others - (here - size)
                        out[b, 0] += size * gain
                        out[b, 1] += size * (avoiding[row, wrong] - avoiding[row, others])
                    part += 1
