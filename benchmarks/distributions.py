"""How long distances between distributions take on adult, in seconds of processor time.

python benchmarks/distributions.py TRAINING REPLICA HOLDOUT    # three files
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import pandas as pd

import sdcmetrics as sdc

PERMUTATIONS = 999


def main() -> None:
    """Time each function once, after a small run that loads and compiles."""
    original, replica, holdout = (pd.read_parquet(path) for path in sys.argv[1:4])
    runs: dict[str, Callable[..., Any]] = {
        "k_marginal, all pairs, beside the holdout": lambda o, s, h: sdc.k_marginal(
            o, s, holdout=h
        ),
        "energy_distance, ten blocks, beside the holdout": lambda o, s, h: sdc.energy_distance(
            o, s, holdout=h, permutations=PERMUTATIONS
        ),
        "wasserstein, every number, no bootstrap": lambda o, s, h: sdc.wasserstein(
            o, s, holdout=h, permutations=PERMUTATIONS, draws=0
        ),
        "tails": lambda o, s, _: sdc.tails(o, s),
        "subgroups, by sex": lambda o, s, _: sdc.subgroups(
            o, s, groups=["sex"], permutations=PERMUTATIONS
        ),
    }
    print("| function | s | peak MB |\n|---|---:|---:|")
    for name, run in runs.items():
        run(original.head(300), replica.head(300), holdout.head(300))
        start = time.process_time()
        run(original, replica, holdout)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {name} | {seconds:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
