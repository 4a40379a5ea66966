"""The example for R users: data frames out as .rds files, the review back as JSON."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.r
def test_the_example_for_r_users_works(tmp_path: Path) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not installed")
    asked = [rscript, "-e", "quit(status = !requireNamespace('jsonlite', quietly = TRUE))"]
    if subprocess.run(asked, capture_output=True, check=False).returncode != 0:
        pytest.skip("R's package jsonlite is not installed")
    program = tmp_path / "sdcmetrics"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from sdcmetrics.cli import main; main()" "$@"\n'
    )
    program.chmod(0o755)
    done = subprocess.run(
        [rscript, str(ROOT / "r" / "from_r.R"), str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if "shuffled" in line]
    assert [line[1] for line in lines] == ["Dorig", "DiSCO", "DCAP"]
