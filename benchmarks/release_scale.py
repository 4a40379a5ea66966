"""What a release costs by the number of records, perhaps beside another checkout.

    python benchmarks/release_scale.py 0.1 0.2 0.4 1 10 --folder /scratch --before ../main

Original and replica are those of `scale.py`, of so many millions of records and 15 columns each, up
to a million as one Parquet file and above as folders; they stay in the folder. Keys are five
columns, targets three. Every release starts without secret and ledger, in a process of its own;
with `--before` both checkouts take turns, up to `--most` millions for the other one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import pyarrow.dataset as ds
import pyarrow.parquet as pq
from scale import GROUPS, KEYS, TARGETS, generate

HERE = Path(__file__).resolve().parents[1]
SIDES = ("original", "replica")
STUDY = """
[study]
title = "Survey"
[data]
original = "{original}"
[data.replicas]
replica = "{replica}"
[roles]
keys = {keys}
targets = {targets}
[options]
ngroups_targets = {{ {groups} }}
"""
RUN = """
import json, resource, sys, time
from sdcmetrics.report import write_release
start, processor = time.perf_counter(), time.process_time()
write_release(sys.argv[1], sys.argv[2])
print(json.dumps({
    "s": time.perf_counter() - start,
    "processor s": time.process_time() - processor,
    "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
}))
"""


def data_of(folder: Path, millions: float) -> dict[str, Path]:
    """Return original and replica, generated where they are not there yet."""
    whole = max(1, round(millions))
    out = {}
    for seed, side in enumerate(SIDES, start=1):
        parts = folder / f"{whole}" / side
        if not parts.exists():
            generate(parts, whole, seed)
        out[side] = parts
        if millions <= 1:
            out[side] = folder / f"{millions:g}-{side}.parquet"
            if not out[side].exists():
                table = ds.dataset(parts).head(round(millions * 1_000_000))
                pq.write_table(table, out[side], row_group_size=1 << 20)
    return out


def release(data: dict[str, Path], checkout: Path) -> dict[str, float]:
    """Write a release by the code of a checkout, in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        study = Path(place) / "study.toml"
        groups = ", ".join(f"{name} = {number}" for name, number in GROUPS.items())
        paths = {side: str(path.resolve()) for side, path in data.items()}
        keys, targets = json.dumps(KEYS), json.dumps(TARGETS)
        study.write_text(STUDY.format(keys=keys, targets=targets, groups=groups, **paths))
        done = subprocess.run(  # noqa: S603  (the code above)
            [sys.executable, "-c", RUN, str(study), str(Path(place) / "out")],
            check=True,
            stdout=subprocess.PIPE,
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(checkout.resolve())},
        )
    out: dict[str, float] = json.loads(done.stdout)
    return out


def main() -> None:
    """Print a row per size and checkout, of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", type=float, nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("scale-data"))
    parser.add_argument("--before", type=Path, help="another checkout, to take turns with")
    parser.add_argument("--most", type=float, default=0.4, help="millions for the other checkout")
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print("| millions a side | checkout | s | processor s | peak GB |")
    print("|---:|---|---:|---:|---:|")
    for millions in given.millions:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # its memory is no release's
            data = pool.submit(data_of, given.folder, millions).result()
        checkouts = {"this": HERE}
        if given.before and millions <= given.most:
            checkouts = {"before": given.before, **checkouts}
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
        for _ in range(given.times):
            for name, checkout in checkouts.items():
                runs[name].append(release(data, checkout))
        middle = {
            name: {what: median(run[what] for run in own) for what in own[0]}
            for name, own in runs.items()
        }
        for name, own in middle.items():
            figures = " | ".join(f"{own[what]:.3g}" for what in ("s", "processor s", "peak GB"))
            print(f"| {millions:g} | {name} | {figures} |", flush=True)
        if "before" in middle:
            ratio = middle["before"]["processor s"] / middle["this"]["processor s"]
            print(f"| {millions:g} | ratio | | {ratio:.2g} | |", flush=True)


if __name__ == "__main__":
    main()
