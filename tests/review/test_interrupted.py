"""Ctrl-C in the middle of a count leaves nothing on disk but what it says it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")

INTERRUPTED = 130  # what a shell gives for Ctrl-C
_WAIT = 60
STUDY = """
[data]
original = "{original}"
replicas = {{ r = "{replica}" }}
[roles]
keys = ["sex", "age"]
targets = ["vote"]
"""
_SLOW = """
import sys, time
from sdcmetrics.microdata.sources import parquet
read, passes = parquet._cast, iter(range(100))
def slowly(batch, wanted):
    if next(passes) == {first}:
        print("in the middle", flush=True)
        time.sleep(60)
    return read(batch, wanted)
parquet._cast = slowly
from sdcmetrics.cli.app import main
sys.argv = ["sdcmetrics", "review", "study.toml", "--out", "out"]
main()
"""
_SPILLING = """
import duckdb
import sdcmetrics as sdc
from sdcmetrics.measures.crosstables import scanning
scanning._DENSE = 50
connection = duckdb.connect(
    config={"memory_limit": "60MB", "temp_directory": "spilled", "threads": "1"}
)
keys = "(i * 7919) % 3000017 as a, i % 1009 as b, i % 7 as c"
people = connection.sql(f"select {keys} from range(9000000) r(i)")
small = connection.sql(f"select {keys} from range(1000) r(i)")  # noqa: S608
study = sdc.Study(
    sdc.scan(people, "o"), {"r": sdc.scan(small, "r")}, keys=["a", "b"], targets=["c"],
    sample_size=0,
)
sdc.conduct(study)
"""


@contextmanager
def started(arguments: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start Python in a folder whose temporary files go to ``tmp`` in it."""
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=_WAIT)


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + _WAIT
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("first", [1, 5], ids=["first pass", "count"])
def test_of_files(tmp_path: Path, first: int) -> None:
    rng = np.random.default_rng(1)
    for name in ("original", "replica"):
        (tmp_path / name).mkdir()
        sexes, votes = rng.choice(["m", "f"], 60), rng.random(60) < 0.5
        frame = pd.DataFrame({"sex": sexes, "age": rng.integers(0, 9, 60), "vote": votes})
        frame.to_parquet(tmp_path / name / "0.parquet")
    (tmp_path / "study.toml").write_text(STUDY.format(original="original", replica="replica"))
    before = files_in(tmp_path)
    with started(["-c", _SLOW.format(first=first)], tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in the middle\n"
        _, said = interrupt(process)
        assert process.returncode == INTERRUPTED
    left = {"out/partial-measurements-internal.csv"}
    assert files_in(tmp_path) - before == (left if "finished measurements" in said else set())


def test_of_a_data_base_in_the_middle_of_a_query(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        columns = "i % 2 as sex, i % 90 as age, i % 7 as vote"
        connection.execute(f"create table p as select {columns} from range(1000) r(i)")  # noqa: S608
    at = "duckdb:///a.db?"
    endless = f"{at}query=select p.* from p, range(1000000000)"  # noqa: S608
    (tmp_path / "study.toml").write_text(STUDY.format(original=endless, replica=f"{at}table=p"))
    before = files_in(tmp_path)
    with started(["-m", "sdcmetrics", "review", "study.toml", "--out", "out"], tmp_path) as process:
        wait_for((tmp_path / "out").is_dir, process)  # made before the data are read
        time.sleep(1)
        interrupt(process)
        assert process.returncode == INTERRUPTED
    assert files_in(tmp_path) == before


def test_of_a_data_base_that_spills(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with started(["-c", _SPILLING], tmp_path) as process:
        wait_for(lambda: files_in(tmp_path), process)
        interrupt(process)
        assert process.returncode
    assert not files_in(tmp_path)
