"""Loops over labels of records, compiled when they are first used.

Draws are the inner loop wherever they can be: cells are of a few records, draws are many.
"""

from __future__ import annotations

from sdcmetrics.microdata.arrays import Array

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
    "void(uint8[:,::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[:,::1],"
    " float64[::1], float64[::1], int32[:,::1], float64[:,::1])"
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
    replica_avoids: Array,
    original_avoids: Array,
    counts: Array,
    out: Array,
) -> None:
    """Add up what a replica, and what other people of the original, disclose; in records.

    `labels` has a column per draw. `replica_avoids[j]` is the chance that k records of
    the replica avoid j given ones, `original_avoids[j]` that k of the n - 1 others of the original
    avoid j - 1 (0 for j = 0).
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
                out[0, b] += here * (replica_avoids[wrong - (d - here)] - replica_avoids[size - d])
                out[1, b] += here * (original_avoids[d - here + 1] - original_avoids[d])


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
    clusters: Array,
    key_starts: Array,
    cells_of_key: Array,
    cell_starts: Array,
    parts: Array,
    replica_avoids: Array,
    original_avoids: Array,
    counts: Array,
    out: Array,
) -> None:
    """Do what `disclosed` does where a person's whole cluster is left out.

    `labels` are of clusters, with a column per draw, and `clusters` those with a key combination.
    A row of `parts` is what one cluster has of one cell: its number, its people there, and whether
    all its people with the key combination are there. `replica_avoids` and `original_avoids`
    are as in `disclosed`, of clusters. `counts` has four rows.
    """
    draws = labels.shape[1]
    for key in range(len(key_starts) - 1):
        counts[:] = 0
        for i in range(key_starts[key], key_starts[key + 1]):
            cluster = clusters[i]
            for b in range(draws):
                counts[0, b] += labels[cluster, b]
        size = key_starts[key + 1] - key_starts[key]
        for cell in range(cells_of_key[key], cells_of_key[key + 1]):
            counts[1:] = 0
            agreeing = 0
            for i in range(cell_starts[cell], cell_starts[cell + 1]):
                cluster, here, whole = parts[i, 0], parts[i, 1], parts[i, 2]
                agreeing += whole
                row = 3 - whole
                for b in range(draws):
                    counts[1, b] += whole * labels[cluster, b]
                    counts[row, b] += here * labels[cluster, b]
            for b in range(draws):
                d, own_agreeing = counts[0, b], counts[1, b]
                in_whole, in_mixed = counts[2, b], counts[3, b]
                s = size - d
                gain = replica_avoids[s - (agreeing - own_agreeing)] - replica_avoids[s]
                out[0, b] += (in_whole + in_mixed) * gain
                out[1, b] += in_whole * (original_avoids[d - own_agreeing + 1] - original_avoids[d])
                out[1, b] += in_mixed * (original_avoids[d - own_agreeing] - original_avoids[d])
