"""Loops over permuted labels of a group of people, compiled when they are first used."""

from __future__ import annotations

import numpy as np

from sdcmetrics.microdata.arrays import Array

DISTANCES = "void(uint8[:,::1], int64[:,::1], boolean[:,::1], int64, int64, float64[:,::1])"


def distances(labels: Array, order: Array, ends: Array, n: int, m: int, sums: Array) -> None:
    """Add up over tables the TVD, and the S_pMSE of those that vary, of every labelling.

    `labels` has a row per record and a column per labelling: 1 where it is one of the n of the
    original. `order[t]` are the records by their cell of table t, and `ends[t]` says where a cell
    ends. What cells of one record add is linear in the labels: they are added up together.
    """
    size, draws = labels.shape
    here, single = np.empty(draws, np.uint32), np.empty(draws, np.uint32)
    distance, square = np.empty(draws), np.empty(draws)
    apart_of, square_of = np.empty(size + 1), np.empty(size + 1)
    for table in range(order.shape[0]):
        distance[:] = 0.0
        square[:] = 0.0
        single[:] = 0
        cells, singles, start = 0, 0, 0
        for last in range(size):
            if not ends[table, last]:
                continue
            total = last + 1 - start
            cells += 1
            if total == 1:
                singles += 1
                record = order[table, last]
                for b in range(draws):
                    single[b] += labels[record, b]
            else:
                for o in range(total + 1):
                    apart = o / n - (total - o) / m
                    apart_of[o] = abs(apart)
                    square_of[o] = apart * apart / total
                here[:] = 0
                for i in range(start, last + 1):
                    record = order[table, i]
                    for b in range(draws):
                        here[b] += labels[record, b]
                for b in range(draws):
                    distance[b] += apart_of[here[b]]
                    square[b] += square_of[here[b]]
            start = last + 1
        for b in range(draws):
            ones = np.int64(single[b])
            sums[0, b] += (distance[b] + (ones / n + (singles - ones) / m)) / 2
            if cells > 1:
                squares = square[b] + (ones / (n * n) + (singles - ones) / (m * m))
                sums[1, b] += squares * m * (n + m) / (cells - 1)
