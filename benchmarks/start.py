"""Start-up beside ``import pandas``: processor time of fresh interpreters, as ratios.

    python benchmarks/start.py

Timed: user and system time of one child process from start to end, interpreter included; median of
nine runs, taken in turns so that a busy machine slows all alike.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

RUNS = 9
_MAIN = "from sdcmetrics.cli import main; main()"
CASES = {
    "import pandas": ("import pandas",),
    "import sdcmetrics": ("import sdcmetrics",),
    "sdcmetrics --version": (_MAIN, "--version"),
    "sdcmetrics --help": (_MAIN, "--help"),
    "sdcmetrics review --help": (_MAIN, "review", "--help"),
}


def main() -> None:
    """Time all cases and print the ratios."""
    seconds: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(RUNS):
        for name, arguments in CASES.items():
            seconds[name].append(_processor_time(arguments))
    pandas = statistics.median(seconds["import pandas"])
    print("| start | s | of import pandas |\n|---|---:|---:|")
    for name, times in seconds.items():
        middle = statistics.median(times)
        print(f"| {name} | {middle:.3f} | {middle / pandas:.2f} |")


def _processor_time(arguments: tuple[str, ...]) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", *arguments], stdout=subprocess.DEVNULL, check=True)  # noqa: S603
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


if __name__ == "__main__":
    main()
