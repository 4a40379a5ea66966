"""Reading delimited text beside pyarrow and pandas: processor time and memory, in fresh processes.

Run by `python benchmarks/text_files.py [FILE]`; without a file, one of 75 MB is made. Each reader
has a process of its own per round, in another order each round, with the threads that the machine
gives. User and system time stand apart: system time is mostly new pages of memory and varies
several fold from process to process, so that a ratio of sums may be that of the pages.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

from sdcmetrics.microdata.read import read

RECORDS = 1_250_000
ROUNDS = 9
READERS: dict[str, Callable[[str], Any]] = {
    "pyarrow.csv.read_csv": pyarrow.csv.read_csv,
    "sdcmetrics read": lambda path: read(path).table,
    "pandas.read_csv": pd.read_csv,
}


def people(path: Path) -> None:
    """Write 1.25 million records of five whole numbers, two amounts and three texts."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {
        name: rng.integers(low, high, RECORDS)
        for name, low, high in (
            ("age", 16, 95),
            ("hours", 0, 80),
            ("children", 0, 6),
            ("year", 1990, 2024),
            ("code", 1000, 9999),
        )
    }
    columns["income"] = np.round(rng.lognormal(10, 0.6, RECORDS), 2)
    columns["weight"] = np.round(rng.gamma(2, 50, RECORDS), 3)
    columns["sex"] = rng.choice(["female", "male"], RECORDS)
    columns["region"] = rng.choice(["north", "south", "east", "west", "centre"], RECORDS)
    columns["status"] = rng.choice(["single", "married", "widowed", "divorced"], RECORDS)
    pyarrow.csv.write_csv(pa.table(columns), path)


def measure(reader: str, path: str) -> None:
    """Print user seconds, system seconds, MB of memory that reading added at most, MB of Arrow."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    before, start = pages * resource.getpagesize() / 1e6, os.times()
    table = READERS[reader](path)
    end = os.times()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    size = table.nbytes / 1e6 if isinstance(table, pa.Table) else float("nan")
    print(end.user - start.user, end.system - start.system, peak - before, size)


def main(path: str) -> None:
    """Print the table, and the ratio of user times."""
    runs: dict[str, list[list[float]]] = {reader: [] for reader in READERS}
    threads = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    for turn in range(ROUNDS):
        names = list(READERS)
        for reader in names[turn % 3 :] + names[: turn % 3]:
            command = [sys.executable, __file__, path, reader]
            answer = subprocess.check_output(command, env=threads, text=True)  # noqa: S603
            runs[reader].append([float(number) for number in answer.split()])
    print(
        f"{Path(path).stat().st_size / 1e6:.0f} MB, {ROUNDS} rounds: median (lowest to highest)\n"
    )
    print("| reader | user s | system s | added MB | MB of Arrow | user, ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    least = statistics.median(run[0] for run in runs["pyarrow.csv.read_csv"])
    for reader, rows in runs.items():
        user, system, peak, size = (sorted(column) for column in zip(*rows, strict=True))
        cells = [
            f"{statistics.median(times):.2f} ({times[0]:.2f} to {times[-1]:.2f})"
            for times in (user, system)
        ]
        cells += [f"{statistics.median(peak):.0f}", f"{statistics.median(size):.0f}"]
        print("|", " | ".join([reader, *cells, f"{statistics.median(user) / least:.2f}"]), "|")


if __name__ == "__main__":
    if len(sys.argv) > 2:  # noqa: PLR2004
        measure(sys.argv[2], sys.argv[1])
    elif len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            people(Path(folder) / "people.csv")
            main(str(Path(folder) / "people.csv"))
