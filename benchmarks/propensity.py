"""Time of propensity models, beside synthpop where it is installed.

    python benchmarks/propensity.py [--skip-synthpop] [--one CASE]

Prints synthpop's elapsed seconds over ours, both measured in this run on this machine, frames in
memory to result: over our first call, which loads the compiler and what it made, and over the
next one in the same process. synthpop and what it needs are loaded before its call is timed, and
a call that takes longer than ten minutes is stopped. Data: the
adult census extract and a published replica (if they lie beside the checkout), and a survey that
synthpop ships with a replica that it makes (SD2011).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from tables import ADULT, _synthpop

SECONDS_ALLOWED = 600
COLUMNS = 10
PERMUTED = {"resampling": "perm", "nperms": 10, "seed": 1}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "adult, logit, main effects": ("adult", {"method": "logit", "maxorder": 0}),
    "adult, logit, all pairs of 10 columns": ("adult10", {"method": "logit", "maxorder": 1}),
    "adult, logit, 10 permutations": ("adult", {"method": "logit", "maxorder": 0, **PERMUTED}),
    "adult, cart, no permutations": ("adult", {"method": "cart", "resampling": "none"}),
    "adult, cart, 50 permutations": ("adult", {"method": "cart", "nperms": 50, "seed": 1}),
    "SD2011, cart, 50 permutations": ("SD2011", {"method": "cart", "nperms": 50, "seed": 1}),
    "SD2011, logit, main effects": ("SD2011", {"method": "logit", "maxorder": 0}),
    "SD2011, logit, 10 permutations": ("SD2011", {"method": "logit", "maxorder": 0, **PERMUTED}),
    "SD2011, logit, all pairs of 34 columns": ("SD2011", {"method": "logit", "maxorder": 1}),
}
MAKE_SD2011 = """
suppressMessages(library(synthpop))
original <- SD2011[setdiff(names(SD2011), "wkabdur")]
last <- c("region", "eduspec")
order <- c(setdiff(names(original), last), last)
method <- setNames(ifelse(names(original) %in% last, "sample", "cart"), names(original))
made <- syn(original, method = method, visit.sequence = order, seed = 1, print.flag = FALSE)
folder <- commandArgs(TRUE)
write.csv(original, file.path(folder, "SD2011_original.csv"), row.names = FALSE, na = "")
write.csv(made$syn, file.path(folder, "SD2011_synthetic.csv"), row.names = FALSE, na = "")
"""
ASK = """
suppressMessages(library(synthpop))
path <- commandArgs(TRUE)
read <- function(name) read.csv(file.path(path[1], name), stringsAsFactors = TRUE, na.strings = "")
data <- read(paste0(path[2], "_original.csv")); syn <- read(paste0(path[2], "_synthetic.csv"))
for (name in names(data)) if (is.factor(data[[name]]) || is.factor(syn[[name]])) {
  all <- sort(unique(c(as.character(data[[name]]), as.character(syn[[name]]))))
  data[[name]] <- factor(data[[name]], all); syn[[name]] <- factor(syn[[name]], all)
}
object <- structure(list(syn = syn, m = 1, cont.na = NULL), class = "synds")
arguments <- eval(parse(text = path[3]))
cat(system.time(do.call(utility.gen, c(list(object, data, print.flag = FALSE), arguments)))[[3]])
"""


def write(data: str, folder: Path) -> None:
    """Write the two data sets of a case, once."""
    target = folder / f"{data}_original.csv"
    if target.exists():
        return
    if data == "SD2011":
        command = ["Rscript", "-e", MAKE_SD2011, str(folder)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        return
    for name, file in (("original", "trn"), ("synthetic", "synthpop")):
        frame = pd.read_parquet(ADULT / f"adult_{file}.parquet")
        frame = frame.iloc[:, :COLUMNS] if data == "adult10" else frame
        frame = frame.rename(columns=lambda column: column.replace("-", "."))
        frame.to_csv(folder / f"{data}_{name}.csv", index=False)


def ours(case: str, folder: Path) -> None:
    """Measure one case and print seconds of two calls and megabytes."""
    import sdcmetrics as sdc

    data, options = CASES[case]
    frames = [sdc.read(folder / f"{data}_{name}.csv") for name in ("original", "synthetic")]
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        sdc.utility_gen(*frames, **options)
        seconds.append(time.perf_counter() - start)
    print(*seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def synthpop(case: str, folder: Path) -> str:
    """Measure one case in R; a text says why there is no number."""
    data, options = CASES[case]
    given = [f'method = "{options["method"]}"', "max.params = 1e6"]
    given += [f"maxorder = {options['maxorder']}"] if "maxorder" in options else []
    given += [f'resamp.method = "{options["resampling"]}"'] if "resampling" in options else []
    given += [f"nperms = {options['nperms']}"] if "nperms" in options else []
    command = ["Rscript", "-e", ASK, str(folder), data, f"list({', '.join(given)})"]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=SECONDS_ALLOWED, check=False
        )
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS_ALLOWED}"
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1][:60]
    return done.stdout.split()[-1]


def main() -> None:
    """Measure every case, ours in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--skip-synthpop", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        ours(options.one, options.folder)
        return
    with_r = _synthpop()
    print("| case | sdcmetrics s: first, next call | peak MB | synthpop s | ratios |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, (data, _) in CASES.items():
            there = with_r if data == "SD2011" else ADULT.is_dir()
            if there and options.only in case:
                write(data, folder)
                command = [sys.executable, __file__, "--one", case, "--folder", name]
                done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
                *mine, memory = (float(text) for text in done.stdout.split())
                theirs = synthpop(case, folder) if with_r and not options.skip_synthpop else "-"
                known = theirs.replace(".", "").isdigit()
                ratios = [f"{float(theirs) / seconds:.0f} x" if known else "-" for seconds in mine]
                cells = [", ".join(f"{seconds:.2f}" for seconds in mine), f"{memory:.0f}", theirs]
                print(f"| {case} | {' | '.join((*cells, ', '.join(ratios)))} |", flush=True)


if __name__ == "__main__":
    main()
