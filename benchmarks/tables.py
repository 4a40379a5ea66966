"""Time and memory of the table functions, beside synthpop where it is installed.

    python benchmarks/tables.py [--quick] [--skip-synthpop] [--only TEXT] [--write RESULTS.md]

Prints for every case the first call in a process and the best of nine, of both, and their ratios:
synthpop's elapsed seconds over ours, measured in this run on this machine. Ours are from frames in
memory to result, synthpop's from factors in memory to result, either package loaded before; a call
of synthpop that took longer than ten seconds is not repeated; "as categories" gives ours
categoricals, which is what factors are, where the other rows begin with text. Memory is the peak
of the whole process. Data: a survey that synthpop ships (SD2011, if synthpop is installed), the
adult census extract (if it lies beside the checkout), and generated tables of 10 million records.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
ADULT = HERE.parents[1] / "shared" / "data" / "platzer"
SECONDS_ALLOWED = 900


@dataclass(frozen=True)
class Case:
    """One call on one pair of data sets."""

    data: str
    call: str
    keys: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What is measured, in words."""
        suffix = f", {len(self.keys)} keys" if self.keys else ""
        return f"{self.data}: {self.call}{suffix}"


SD_KEYS = ("sex", "age", "region", "placesize", "marital")
ADULT_KEYS = ("age", "race", "sex", "marital-status", "native-country")
CATEGORIES = ", as categories"
WAYS = {"oneway": 1, "twoway": 2, "threeway": 3}


def cases(*, quick: bool) -> list[Case]:
    """List what can be measured here."""
    out = []
    for data, keys, there in (
        ("SD2011", SD_KEYS, _synthpop()),
        ("adult", ADULT_KEYS, ADULT.is_dir()),
    ):
        if there:
            out += [Case(data, ways) for ways in ("oneway", "twoway", "threeway")]
            out.append(Case(data + CATEGORIES, "oneway"))
            out.append(Case(data, "multi_disclosure", keys[:3]))
            out.append(Case(data, "multi_disclosure", keys))
    out.append(Case("1 million x 15" if quick else "10 million x 15", "twoway"))
    return out


def frames(data: str, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Load or make the two data sets of a case."""
    if data.endswith(CATEGORIES):
        return categorical(*frames(data.removesuffix(CATEGORIES), folder))
    if data == "adult":
        original = pd.read_parquet(ADULT / "adult_trn.parquet")
        return original, pd.read_parquet(ADULT / "adult_synthpop.parquet")
    if data == "SD2011":
        return pd.read_csv(folder / "sd_original.csv"), pd.read_csv(folder / "sd_synthetic.csv")
    n = int(data.split(maxsplit=1)[0]) * 1_000_000
    return generated(n, 1), generated(n, 2)


def categorical(*data: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make text categorical, with the same levels in both data sets."""
    pooled = pd.concat(data)
    texts = [name for name in pooled if not pd.api.types.is_numeric_dtype(pooled[name])]
    levels = {name: pd.CategoricalDtype(sorted(pooled[name].dropna().unique())) for name in texts}
    original, synthetic = (frame.astype(levels) for frame in data)
    return original, synthetic


def generated(n: int, seed: int) -> pd.DataFrame:
    """Make nine categories and six numbers."""
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 5, 7, 9, 12, 16, 25, 40)
    columns: dict[str, Any] = {
        f"category_{size}": pd.Categorical.from_codes(
            rng.integers(0, size, n), pd.Index([f"level {i}" for i in range(size)])
        )
        for size in sizes
    }
    columns |= {f"number_{i}": rng.normal(size=n).round(2) for i in range(6)}
    return pd.DataFrame(columns)


def ours(case: Case, folder: Path) -> dict[str, float]:
    """Measure one case in this process."""
    import sdcmetrics as sdc

    original, synthetic = frames(case.data, folder)
    before = _peak_mb()

    def call() -> object:
        if case.call == "multi_disclosure":
            return sdc.multi_disclosure(original, synthetic, keys=list(case.keys))
        return sdc.utility_tables(original, synthetic, ways=WAYS[case.call])

    repeats = 1 if case.data.endswith("x 15") else 9
    seconds = [_timed(call) for _ in range(repeats)]
    return {"first": seconds[0], "best": min(seconds), "mb": _peak_mb(), "base": before}


def synthpop(case: Case, folder: Path) -> dict[str, float] | str:
    """Measure one case in R; a text says why there is no number."""
    data = case.data.removesuffix(CATEGORIES)
    original, synthetic = frames(data, folder)
    paths = []
    for name, frame in (("original", original), ("synthetic", synthetic)):
        path = folder / f"{data}_{name}.csv".replace(" ", "_")
        if not path.exists():
            frame.rename(columns=lambda c: c.replace("-", ".")).to_csv(path, index=False)
        paths.append(str(path))
    keys = ",".join(case.keys).replace("-", ".") or "none"
    command = ["Rscript", str(HERE / "synthpop_times.R"), *paths, case.call, keys]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=SECONDS_ALLOWED, check=False
        )
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS_ALLOWED} s"
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1][:60]
    first, best = map(float, done.stdout.split()[-2:])
    return {"first": first, "best": best}


def main() -> None:
    """Measure every case, ours in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="1 instead of 10 million records")
    parser.add_argument("--skip-synthpop", action="store_true")
    parser.add_argument("--only", default="", help="cases whose title has this text")
    parser.add_argument("--write", type=Path, help="also write the table to this file")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        case = Case(**{**json.loads(options.one), "keys": tuple(json.loads(options.one)["keys"])})
        print(json.dumps(ours(case, options.folder)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if _synthpop():
            _write_sd2011(folder)
        lines = [
            "| case | our s, first | best | peak MB | synthpop s, first | best | x, first | best |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        print("\n".join(lines))
        for case in cases(quick=options.quick):
            if options.only not in case.title:
                continue
            lines.append(_line(case, folder, with_r=_synthpop() and not options.skip_synthpop))
            print(lines[-1], flush=True)
    if options.write:
        head = (
            "# Table functions beside synthpop\n\nMade by `python benchmarks/tables.py`, see there "
            f"for what is timed. Python {platform.python_version()}, {os.cpu_count()} cores, "
            f"{platform.system()} {platform.machine()}.\n\n"
        )
        options.write.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def _line(case: Case, folder: Path, *, with_r: bool) -> str:
    spec = json.dumps({"data": case.data, "call": case.call, "keys": case.keys})
    command = [sys.executable, __file__, "--one", spec, "--folder", str(folder)]
    figures = json.loads(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
    )
    theirs: dict[str, float] | str = "-"
    if with_r and not case.data.endswith("x 15"):
        theirs = synthpop(case, folder)
    memory = f"{figures['mb']:.0f} ({figures['base']:.0f} before)"
    shown = ratios = ["-", "-"]
    if isinstance(theirs, str):
        shown = [theirs, "-"]
    else:
        shown = [f"{theirs[which]:.1f}" for which in ("first", "best")]
        ratios = [f"{theirs[which] / figures[which]:.0f} x" for which in ("first", "best")]
    cells = [f"{figures['first']:.3f}", f"{figures['best']:.3f}", memory, *shown, *ratios]
    return f"| {case.title} | {' | '.join(cells)} |"


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _synthpop() -> bool:
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "-e", "stopifnot(requireNamespace('synthpop', quietly = TRUE))"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


def _write_sd2011(folder: Path) -> None:
    code = f"""
    suppressMessages(library(synthpop))
    original <- SD2011[setdiff(names(SD2011), "wkabdur")]
    # Factors of many levels as predictors would keep rpart busy for hours.
    wide <- c("region", "eduspec")
    method <- ifelse(names(original) %in% wide, "sample", "cart")
    predictors <- syn(original, m = 0, method = method, print.flag = FALSE)$predictor.matrix
    predictors[, wide] <- 0
    made <- syn(original, method = method, predictor.matrix = predictors, seed = 1,
                print.flag = FALSE)
    write.csv(original, file.path("{folder}", "sd_original.csv"), row.names = FALSE, na = "")
    write.csv(made$syn, file.path("{folder}", "sd_synthetic.csv"), row.names = FALSE, na = "")
    """
    subprocess.run(["Rscript", "-e", code], capture_output=True, check=True, timeout=600)  # noqa: S603, S607


if __name__ == "__main__":
    main()
