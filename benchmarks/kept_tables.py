"""How often small counts of a replica's tables are called the original's.

    python benchmarks/kept_tables.py --draws 8

Of every population of decision_kinds: fresh samples a fifth, once and five times as large, as many
draws from the original itself, its columns permuted one by one, half of them kept together beside
other people's, and a copy; with a holdout and without. `sdc.kept_tables` is asked of the columns
alone there. Then of every population of cluster_kinds: fresh clusters a third, once and three times
as many, clusters drawn from the original's, half of the columns kept, and a copy; with the column
of clusters, as a review asks it, and without.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from cluster_kinds import CLUSTER, CLUSTERS
from decision_kinds import POPULATIONS

import sdcmetrics as sdc

N = 250
N_CLUSTERS = 120


def permuted(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the records in another order."""
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def replicas(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield replicas of an original by name."""
    draw = POPULATIONS[kind]
    for size in (0.2, 1, 5):
        yield f"fresh, {size:g} times as many", draw(rng, round(size * N))
        drawn = rng.integers(0, N, round(size * N))
        yield f"drawn from the original, {size:g}", original.iloc[drawn].reset_index(drop=True)
    alone = {name: permuted(original[[name]], rng)[name] for name in original}
    yield "every column permuted", pd.DataFrame(alone)
    half = [*rng.permutation(original.columns)[: max(2, original.shape[1] // 2)]]
    yield "half of the columns together", draw(rng, N).assign(**permuted(original[half], rng))
    yield "copy", permuted(original, rng)


def of_clusters(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield replicas of an original in which records belong together, by name."""
    draw = CLUSTERS[kind]
    for size in (1 / 3, 1, 3):
        yield f"fresh, {size:.2g} times as many clusters", draw(rng, round(size * N_CLUSTERS))
    rows = list(original.groupby(CLUSTER, sort=False).indices.values())
    drawn = rng.integers(len(rows), size=len(rows))
    yield (
        "clusters drawn from the original",
        original.loc[np.concatenate([rows[number] for number in drawn])],
    )
    columns = [str(name) for name in original if name != CLUSTER]
    half = [*rng.permutation(columns)[: len(columns) // 2 + 1]]
    fresh = draw(rng, N_CLUSTERS)
    least = min(len(fresh), len(original))
    kept = permuted(original[half], rng)[:least]
    yield "half of the columns together", fresh[:least].assign(**kept)
    yield "copy", permuted(original, rng)


Calls = dict[str, Counter[bool]]


def print_calls(calls: Calls, number: Counter[str], first: str, second: str) -> None:
    """Print a Markdown table."""
    print(f"| replica | of | called, {first} | {second} |\n|---|---:|---:|---:|")
    for name, counts in calls.items():
        print(f"| {name} | {number[name]} | {counts[False]} | {counts[True]} |")


def main() -> None:
    """Print Markdown tables of calls."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=8)
    args = parser.parse_args()
    calls: Calls = {}
    number = Counter[str]()
    for i, kind in enumerate(POPULATIONS):
        for seed in range(args.draws):
            rng = np.random.default_rng([i, seed])
            original, holdout = POPULATIONS[kind](rng, N), POPULATIONS[kind](rng, N)
            for name, replica in replicas(kind, original, rng):
                number[name] += 1
                for aside in (None, holdout):
                    called = bool(sdc.kept_tables(original, replica, aside).kept)
                    calls.setdefault(name, Counter())[aside is not None] += called
    print_calls(calls, number, "no holdout", "with one")
    calls, number = {}, Counter[str]()
    for i, kind in enumerate(CLUSTERS):
        for seed in range(args.draws):
            rng = np.random.default_rng([i, seed])
            original = CLUSTERS[kind](rng, N_CLUSTERS)
            for name, replica in of_clusters(kind, original, rng):
                number[name] += 1
                records = [frame.drop(columns=CLUSTER) for frame in (original, replica)]
                alone = bool(sdc.kept_tables(*records).kept)
                called = bool(sdc.kept_tables(original, replica, cluster=CLUSTER).kept)
                calls.setdefault(name, Counter())[False] += alone
                calls[name][True] += called
    print()
    print_calls(calls, number, "as if drawn one by one", "by clusters as well")


if __name__ == "__main__":
    main()
