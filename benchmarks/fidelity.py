"""Marginal fidelity beside plain pandas: one run, ratios.

    python benchmarks/fidelity.py training.parquet replica.parquet holdout.parquet

Timed: from frames in memory to the mean distance over all tables of one, two and three variables,
of the replica and of the holdout. pandas groups each table's shares with the same categories, made
beforehand and not timed; its answers are compared with ours. Best of three for ours, one run of
pandas.
"""

from __future__ import annotations

import argparse
import itertools
import time

import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.fidelity.marginal_fidelity import MAX_LEVELS
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import encode
from sdcmetrics.microdata.discretise import by_training


def main() -> None:
    """Time both and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=3, metavar="FILE")
    training, replica, holdout = (sdc.read(file) for file in parser.parse_args().files)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        result = sdc.marginal_fidelity(training, replica, holdout=holdout)
        seconds.append(time.perf_counter() - start)
    data = pair(training, [replica, holdout])
    coded = {
        ways: encode(data, by_training(levels), data.variables)
        for ways, levels in MAX_LEVELS.items()
    }
    frames = {
        ways: [
            pd.DataFrame({name: v.parts[part] for name, v in one.variables.items()})
            for part in range(3)
        ]
        for ways, one in coded.items()
    }
    start = time.perf_counter()
    means = {ways: by_pandas(sets, ways) for ways, sets in frames.items()}
    plain = time.perf_counter() - start
    for ways, (of_replica, of_holdout) in means.items():
        assert abs(of_replica - result.figure(ways, "tvd")) < 1e-12  # noqa: S101, PLR2004
        assert abs(of_holdout - result.figure(ways, "holdout_tvd")) < 1e-12  # noqa: S101, PLR2004
    print("| marginal fidelity | s | ratio |\n|---|---:|---:|")
    print(f"| sdcmetrics, with standard errors | {min(seconds):.2f} | 1 x |")
    print(f"| pandas, groups made beforehand | {plain:.1f} | {plain / min(seconds):.0f} x |")


def by_pandas(sets: list[pd.DataFrame], ways: int) -> tuple[float, float]:
    """Return the mean distance of the second and of the third frame from the first."""
    tables = list(itertools.combinations(sets[0].columns, ways))
    total = [0.0, 0.0]
    for table in tables:
        shares = [frame.groupby(list(table)).size() / len(frame) for frame in sets]
        for i in (0, 1):
            gaps = shares[0].sub(shares[i + 1], fill_value=0.0).abs()
            total[i] += float(gaps.sum()) / 2
    return total[0] / len(tables), total[1] / len(tables)


if __name__ == "__main__":
    main()
