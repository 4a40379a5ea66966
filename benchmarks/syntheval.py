"""Speed of SynthEval's metrics, metric by metric, beside syntheval where it is installed.

    python benchmarks/syntheval.py ORIGINAL REPLICA HOLDOUT [--preset full] [--target income]
        [--rows 5000]

Each metric is computed on its own, in a trio of its own, so that nothing that others made is
found; the last line is the preset as a user runs it, where searches and counts are shared. With
`pip install syntheval==1.7.3` its own times stand beside, and are left out where it does not end.
Run it once before: the first search waits for the compiler.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.suites.preset import load_preset

_MEGABYTE = 1024


def main() -> None:
    """Print seconds per metric, and those of the preset as a whole."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=3, metavar="FILE", help="original, replica, holdout")
    parser.add_argument("--preset", default="full")
    parser.add_argument(
        "--rows", type=int, default=10**9, help="the first records of each file only"
    )
    parser.add_argument("--target", help="what models learn; without it they learn nothing")
    parser.add_argument("--whole", action="store_true", help="only the preset as a whole")
    given = parser.parse_args()
    sets = [sdc.read(path).to_pandas().head(given.rows) for path in given.files]
    print("records", [len(data) for data in sets], "columns", sets[0].shape[1])
    for name in () if given.whole else load_preset(given.preset).metrics:
        theirs = _syntheval(sets, name, given.target)
        ours = _timed(lambda name=name: sdc.syntheval(*sets, metrics=[name], target=given.target))
        print(f"{name:12} {ours} {theirs}", flush=True)
    whole = _timed(lambda: sdc.syntheval(*sets, preset=given.preset, target=given.target))
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    print(f"{given.preset:12} {whole}, {used:,.0f} MB")


def _timed(run: Any) -> str:
    start, busy = time.perf_counter(), time.process_time()
    run()
    passed, busy = time.perf_counter() - start, time.process_time() - busy
    return f"{passed:8.2f} s ({busy:.2f} of processors)"


def _syntheval(sets: list[pd.DataFrame], name: str, target: str | None) -> str:
    here = str(Path(__file__).parent)  # where a module of this name is: this one
    sys.path[:] = [path for path in sys.path if path != here]
    try:
        from syntheval import SynthEval  # type: ignore[attr-defined]
    except ImportError:
        return ""
    made = SynthEval(sets[0], holdout_dataframe=sets[2], verbose=False)
    try:
        return f"{_timed(lambda: made.evaluate(sets[1], target, **{name: {}}))} by syntheval"
    except Exception as error:  # noqa: BLE001  (whatever it fails with)
        return f"syntheval: {type(error).__name__}"


if __name__ == "__main__":
    main()
