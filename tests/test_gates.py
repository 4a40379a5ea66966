"""Format, lint, types and the list of equivalent changes: gates that every change must pass."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
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


@pytest.mark.gates
@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="not a checkout of git"
)
def test_what_benchmarks_write_is_not_kept() -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listing.split("\0") if name]
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    include = {part.strip("/") for part in hatch["build"]["targets"]["sdist"]["include"]}
    kept = include | {"pyproject.toml", ".gitignore"}
    assert {file.relative_to(ROOT).parts[0] for file in files} <= kept
    assert [file for file in files if file.exists() and file.stat().st_size > 1e6] == []
