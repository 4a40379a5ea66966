"""Checks of the installation of R, synthpop and rpy2, and what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

_INSTALLED = Path(__file__).parent / "_r"

R_CODE = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "r"


_SECONDS = 60
_IN_ONE = tuple(f"3.{minor}." for minor in range(6))  # until 3.5 rpy2 held what rinterface has
_AGAIN = (
    "overwrite each other's files: pip uninstall -y rpy2 rpy2-rinterface rpy2-robjects, then "
    'pip install "sdcmetrics[r]".'
)
_ASK = (
    "cat(as.character(getRversion()), R.home(), "
    "tryCatch(as.character(packageVersion('synthpop')), error = function(e) ''), sep = '\\n')"
)


def remedy(reason: str, output: str = "") -> str:
    """Turn the reason why R did not start, and what it printed, into what to install.

    Examples
    --------
    >>> remedy("ModuleNotFoundError: No module named 'rpy2'")
    'The Python package rpy2 is missing: pip install "sdcmetrics[r]".'
    """
    script = R_CODE / "install.R"
    if "R_getVar" in reason:
        return (
            "The installed rpy2-rinterface needs R 4.5 or later: "
            'pip install "rpy2-rinterface<3.6.6", or update R.'
        )
    if "findVar" in reason:
        return (
            "The installed rpy2-rinterface is too old for this R: "
            'pip install "rpy2-rinterface>=3.6.6".'
        )
    if collision := rpy2_collision():
        return collision
    if "'rpy2." in reason:  # a part of it is gone, as after an upgrade from 3.5 in one step
        return f"Parts of rpy2 are missing; its older and newer packages {_AGAIN}"
    if "rpy2" in reason and "No module named" in reason:
        return 'The Python package rpy2 is missing: pip install "sdcmetrics[r]".'
    if "synthpop" in reason:
        return f"R's package synthpop is missing or does not load: Rscript {script}"
    if "R_HOME" in reason or "libR" in reason:
        return (
            "R was not found: install R 4.1 or later (Debian, Ubuntu: sudo apt-get install r-base) "
            f"or set R_HOME, then run Rscript {script}"
        )
    if "StopIteration" in reason:  # rpy2 asks Rscript, which ended before it answered
        reason = "Rscript ended without an answer"
    printed = output.strip().splitlines()
    return f"R does not start: {reason}{f' ({printed[-1]})' if printed else ''}"


def rpy2_version() -> str | None:
    """Return the version of the installed rpy2, or None; nothing is imported."""
    return _installed("rpy2-rinterface") or _installed("rpy2")


def rpy2_collision() -> str:
    """Say how to mend two packages that wrote each other's files; "" where they do not."""
    whole, part = _installed("rpy2"), _installed("rpy2-rinterface")
    if whole is None or part is None or not whole.startswith(("2.", *_IN_ONE)):
        return ""
    return f"The Python packages rpy2 {whole} and rpy2-rinterface {part} {_AGAIN}"


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def ask_r() -> tuple[str | None, str | None, str | None]:
    """Return R's version, its home and synthpop's version; None for what is not there."""
    program = _r_program()
    if program is None:
        return None, None, None
    try:
        done = subprocess.run(  # noqa: S603  (the R that the user's PATH or R_HOME names)
            [program, "--no-echo", "--no-save", "--no-restore", "-e", _ASK],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None, None, None
    parts = done.stdout.strip().splitlines()
    if done.returncode != 0 or len(parts) < 2:  # noqa: PLR2004  (version and home)
        return None, None, None
    return parts[0], parts[1], parts[2] if len(parts) > 2 else None  # noqa: PLR2004


def _r_program() -> str | None:
    home = os.environ.get("R_HOME")
    if home:
        program = Path(home) / "bin" / "R"
        return str(program) if program.is_file() else None
    return shutil.which("R")
