"""Speed of DAISYnt's tests, test by test, as published and corrected.

    python benchmarks/daisynt.py ORIGINAL REPLICA HOLDOUT --target income --public age,sex
        --sensitive income [--mode corrected]

Tests share what they read, count and fit, so that each one's seconds are what it adds to those
above it. Run it once before: the first search waits for the compiler.
"""

from __future__ import annotations

import argparse
import resource
import time

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.suites.daisynt import corrected, published
from sdcmetrics.suites.daisynt.sets import sets_of

_TESTS = {"published": published.PUBLISHED, "corrected": corrected.CORRECTED}
_COUNTS = {published.__name__, corrected.__name__}
_MEGABYTE = 1024


def main() -> None:
    """Print processor seconds per test, of those of counts and labels, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs=3, metavar="FILE", help="original, replica, holdout")
    parser.add_argument("--target", required=True)
    parser.add_argument("--public", default="")
    parser.add_argument("--sensitive", default="")
    parser.add_argument("--mode", choices=[*_TESTS], default="corrected")
    given = parser.parse_args()
    sets = sets_of(
        *map(sdc.read, given.files),
        target=given.target,
        categorical=None,
        public=given.public.split(","),
        sensitive=given.sensitive.split(","),
        missing_codes=None,
        seed=1,
    )
    print("records", sets.data.sizes, "columns", len(sets.data.variables))
    clock, start = time.perf_counter(), time.process_time()
    counts = 0.0
    for test in _TESTS[given.mode]:
        began = time.process_time()
        try:
            outcome = test.outcome(sets)
            score = outcome.raw if given.mode == "published" else outcome.value
        except NotComputable as reason:
            score = reason
        took = time.process_time() - began
        counts += took if test.run.__module__ in _COUNTS else 0.0
        print(f"{test.symbol:17} {took:7.2f} s  {score}", flush=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    print(f"{'counts and labels':17} {counts:7.2f} s")
    print(f"{'all':17} {time.process_time() - start:7.2f} s, {used:,.0f} MB")
    print(f"{'by the clock':17} {time.perf_counter() - clock:7.2f} s")


if __name__ == "__main__":
    main()
