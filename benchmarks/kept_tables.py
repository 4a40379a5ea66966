"""How often small counts of a replica's tables are called the original's.

    python benchmarks/kept_tables.py --draws 8

Of every population of decision_kinds: fresh samples a fifth, once and five times as large, as many
draws from the original itself, its columns permuted one by one, half of them kept together beside
other people's, and a copy; with a holdout and without. `sdc.kept_tables` is asked of the columns
alone, also of populations in which rows belong together, of which a review does not ask it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from decision_kinds import POPULATIONS

import sdcmetrics as sdc

N = 250


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


def main() -> None:
    """Print a Markdown table of calls."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=8)
    args = parser.parse_args()
    calls: dict[str, Counter[bool]] = {}
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
    print("| replica | of | called, no holdout | with one |\n|---|---:|---:|---:|")
    for name, counts in calls.items():
        print(f"| {name} | {number[name]} | {counts[False]} | {counts[True]} |")


if __name__ == "__main__":
    main()
