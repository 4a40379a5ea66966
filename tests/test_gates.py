"""Format, lint, types and the list of equivalent changes: gates that every change must pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MYPY = """
import gc
gc.disable()
gc.enable = lambda: None
from mypy.__main__ import console_entry
console_entry()
"""
"""mypy without its search for garbage, a fifth of its time; it ends before memory is short."""


@pytest.mark.gates
@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "format", "--check", "--quiet", "."],
        ["-m", "ruff", "check", "--quiet", "."],
        ["-c", MYPY],
        [".ci/mutate", "--entries"],
    ],
    ids=["ruff format", "ruff check", "mypy", "equivalent changes"],
)
def test_gate(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
