"""How often a replica is called for people where rows belong together, without a holdout.

    python benchmarks/cluster_rows.py --draws 6

Of every population of cluster_kinds, 60 and 200 clusters: fresh ones a third, once and three times
as many; rows of fresh ones in random clusters, or in one each; the original's columns permuted one
by one; and fresh ones of whom a twentieth, a fifth or a half of the rows are rows of the original,
taken one by one, as they are and with numbers changed by a hundredth of their spread; and all of
these, in random clusters or in one each.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from cluster_kinds import CLUSTER, CLUSTERS

import sdcmetrics as sdc

SIZES = (60, 200)
SHARES = {"a twentieth": 0.05, "a fifth": 0.2, "half": 0.5}


def replicas(
    kind: str, original: pd.DataFrame, clusters: int, rng: np.random.Generator
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield replicas of an original by name."""
    draw = CLUSTERS[kind]
    for size in (1 / 3, 1, 3):
        yield f"fresh, {size:.2g} times as many clusters", draw(rng, round(size * clusters))
    fresh = draw(rng, clusters)
    drawn = {CLUSTER: rng.permutation(fresh[CLUSTER])}
    yield "fresh rows in random clusters", fresh.assign(**drawn)
    yield "fresh rows in a cluster each", fresh.assign(**{CLUSTER: range(len(fresh))})
    yield "every column permuted", original.apply(lambda column: rng.permutation(column.to_numpy()))
    columns = [name for name in fresh if name != CLUSTER]
    for words, share in SHARES.items():
        copied = min(round(share * len(original)), len(fresh))
        places, sources = (rng.permutation(len(file))[:copied] for file in (fresh, original))
        out = fresh.astype(object)
        out.loc[places, columns] = original.iloc[sources][columns].to_numpy(object)
        yield f"{words} of the rows copied", out.astype(original.dtypes.to_dict())
        for name in columns:
            if original[name].dtype.kind in "if":
                numbers = original[name] + rng.normal(0, 0.01 * original[name].std(), len(original))
                numbers = numbers.round(2 if original[name].dtype.kind == "f" else 0)
                out.loc[places, name] = numbers.iloc[sources].to_numpy(object)
        yield f"{words}, numbers changed by 1 %", out.astype(original.dtypes.to_dict())
    dealt = rng.permutation(original[CLUSTER])
    yield "all rows, in random clusters", original.assign(**{CLUSTER: dealt})
    yield "all rows, in a cluster each", original.assign(**{CLUSTER: range(len(original))})


def main() -> None:
    """Draw, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=6, help="of each population and size")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    number: Counter[str] = Counter()
    called: Counter[str] = Counter()
    for place, (kind, draw) in enumerate(CLUSTERS.items()):
        for clusters in SIZES:
            for i in range(given.draws):
                rng = np.random.default_rng([given.seed, place, clusters, i])
                original = draw(rng, clusters)
                for name, replica in replicas(kind, original, clusters, rng):
                    number[name] += 1
                    called[name] += sdc.people(original, replica, cluster=CLUSTER).accused
    print("| replica | of | called |\n|---|---:|---:|")
    for name, count in number.items():
        print(f"| {name} | {count} | {called[name]} |")


if __name__ == "__main__":
    main()
