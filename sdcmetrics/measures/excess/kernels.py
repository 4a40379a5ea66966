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
    "void(uint8[:,::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[::1], int64[::1], int64[:,::1], int64, float64[:,::1])"
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


def disclosed(
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


def clusters_out(
    labels: Array,
    records: Array,
    key_starts: Array,
    cells_of_key: Array,
    cell_starts: Array,
    cell_sizes: Array,
    part_starts: Array,
    part_sizes: Array,
    part_of_key: Array,
    part_cluster: Array,
    sizes: Array,
    k: int,
    out: Array,
) -> None:
    """Do what `disclosed` does where a person's whole cluster is left out; a row per draw.

    Records of a cell stand by cluster: `part_starts`, `part_sizes` are those of one cluster in one
    cell (all parts of a cell adjoin), `part_of_key` how many of the cluster have the key
    combination, `part_cluster` how many there are in all. `sizes` are, by draw, the records of the
    original and of the replica.
    """
    for b in range(labels.shape[0]):
        n, m = sizes[b, 0], sizes[b, 1]
        value, base = 0.0, 0.0
        part = 0
        for key in range(len(key_starts) - 1):
            d = 0
            for i in range(key_starts[key], key_starts[key + 1]):
                d += labels[b, records[i]]
            s = key_starts[key + 1] - key_starts[key] - d
            for cell in range(cells_of_key[key], cells_of_key[key + 1]):
                first = cell_starts[cell]
                end = first + cell_sizes[cell]
                n_cell = 0
                for i in range(first, end):
                    n_cell += labels[b, records[i]]
                s_cell = cell_sizes[cell] - n_cell
                gain = 0.0
                if n_cell > 0 and s_cell > 0:
                    chance, wrong = 1.0, 1.0
                    for i in range(s - s_cell):
                        wrong *= max(m - i - k, 0) / (m - i)
                        if wrong < 1e-15:
                            wrong = 0.0
                            break
                    chance = wrong
                    for i in range(s - s_cell, s):
                        if chance < 1e-15:
                            chance = 0.0
                            break
                        chance *= max(m - i - k, 0) / (m - i)
                    gain = wrong - chance
                while part < len(part_starts) and part_starts[part] < end:
                    if n_cell > 0 and labels[b, records[part_starts[part]]]:
                        size = part_sizes[part]
                        value += size * gain
                        left = n - part_cluster[part]
                        own_key, own_cell = d - part_of_key[part], n_cell - size
                        if own_cell > 0:
                            wrong = 1.0
                            for i in range(own_key - own_cell):
                                wrong *= max(left - i - k, 0) / (left - i)
                                if wrong < 1e-15:
                                    wrong = 0.0
                                    break
                            chance = wrong
                            for i in range(own_key - own_cell, own_key):
                                if chance < 1e-15:
                                    chance = 0.0
                                    break
                                chance *= max(left - i - k, 0) / (left - i)
                            base += size * (wrong - chance)
                    part += 1
        out[b, 0] = value
        out[b, 1] = base
