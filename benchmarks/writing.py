"""Wide data: what a report costs beside measuring, as a ratio, and how it grows with the columns.

    python benchmarks/writing.py                # 5,000 records x 300 columns: 44,850 pairs
    python benchmarks/writing.py 2000 50 100    # other records and columns

Processor time, this process and its children. "whole command" is `sdcmetrics review` on CSV files,
reading and start included; "writing / measuring" and "microseconds per pair" are of one process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from sdcmetrics import Study
from sdcmetrics.report import write_all
from sdcmetrics.review.conduct import conduct

STUDY = """
[data]
original = "original.csv"

[data.replicas]
replica = "replica.csv"

[roles]
keys = ["q001", "q002"]
targets = ["q003"]
"""


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="?", type=int, default=5000)
    parser.add_argument("columns", nargs="*", type=int, default=[75, 150, 300])
    wanted = parser.parse_args()
    for columns in wanted.columns:
        data = [survey(wanted.records, columns, seed) for seed in (1, 2)]
        for mode in ("internal", "checker"):
            print(f"{wanted.records:,} x {columns} {mode}: {compare(data, columns, mode)}")
    print(f"whole command, {columns} columns: {whole_command(data)}")


def survey(n: int, columns: int, seed: int) -> pd.DataFrame:
    """Return related answers of five levels, every fifth column a number."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    levels = np.array(list("abcde"))
    out = {}
    for i in range(columns):
        x = 0.5 * common + rng.normal(size=n)
        steps = np.clip((x + 2).astype(int), 0, 4)
        out[f"q{i:03d}"] = np.round(10 * x, 1) if i % 5 == 0 else levels[steps]
    return pd.DataFrame(out)


def compare(data: list[pd.DataFrame], columns: int, mode: str) -> str:
    """Return writing as a ratio to measuring, and per pair."""
    start = time.process_time()
    review = conduct(Study(data[0], {"replica": data[1]}, keys=["q001", "q002"], targets=["q003"]))
    measured = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        (report,) = write_all(review, folder, mode=mode)
        size = report.stat().st_size
    written = time.process_time()
    ratio = (written - measured) / (measured - start)
    pairs = columns * (columns - 1) / 2
    each = 1e6 * (written - measured) / pairs
    return f"writing / measuring {ratio:.1f}, {each:.0f} us per pair, report {size / 1e6:.2f} MB"


def whole_command(data: list[pd.DataFrame]) -> str:
    """Return processor seconds of `sdcmetrics review`, and the size of the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, frame in zip(("original", "replica"), data, strict=True):
            frame.to_csv(folder / f"{part}.csv", index=False)
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        command = "from sdcmetrics.cli import main; main()"
        review = ["review", str(folder / "study.toml"), "--out", str(folder / "out"), "--quiet"]
        whole = [sys.executable, "-c", command, *review]
        subprocess.run(whole, check=True, capture_output=True)  # noqa: S603
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = (folder / "out" / "report.html").stat().st_size
    seconds = used.ru_utime + used.ru_stime
    return f"{seconds:.1f} s of processor time, report {size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
