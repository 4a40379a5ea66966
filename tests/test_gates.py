"""Format, lint and types: the gates that every change must pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Kept for the next time where that was done before: to write what it found takes a fifth longer.
CACHE = ".mypy_cache" if (ROOT / ".mypy_cache").is_dir() else os.devnull


@pytest.mark.gates
@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "format", "--check", "--quiet", "."],
        ["ruff", "check", "--quiet", "."],
        ["mypy", f"--cache-dir={CACHE}"],
    ],
    ids=["ruff format", "ruff check", "mypy"],
)
def test_gate(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
