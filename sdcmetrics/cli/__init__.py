"""The command line."""

import os
import sys

__all__ = ["main"]

_CYCLES = "16"
"""Power of two: 20 microseconds, where numpy's threads would wait 20 ms for a next product, and
keep a core from all others. It changes no number."""


def main() -> None:
    """Run the command line; nothing is imported before."""
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _CYCLES)
    try:
        from sdcmetrics.cli.program import main as run
    except KeyboardInterrupt:  # while the program is loaded
        sys.stderr.write("sdcmetrics: interrupted\n")
        sys.exit(130)
    run()
