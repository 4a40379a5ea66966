"""Ctrl-C in the middle of a count leaves nothing on disk but what it says it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics.cli.program import _signals, main
from sdcmetrics.microdata.sources import parquet

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
# A job in the background of a shell ignores Ctrl-C, and so does what it starts.
_INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
_SPILLING = """
import duckdb
import sdcmetrics as sdc
from sdcmetrics.measures.crosstables import scanning
scanning._DENSE = 50
connection = duckdb.connect(
    config={"memory_limit": "30MB", "temp_directory": "spilled", "threads": "1"}
)
keys = "(i * 7919) % 1000003 as a, i % 1009 as b, i % 7 as c"
people = connection.sql(f"select {keys} from range(2000000) r(i)")
small = connection.sql(f"select {keys} from range(1000) r(i)")  # noqa: S608
study = sdc.Study(
    sdc.scan(people, "o"), {"r": sdc.scan(small, "r")}, keys=["a", "b"], targets=["c"],
    sample_size=0,
)
sdc.conduct(study)
"""


@contextmanager
def started(code: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start Python in a folder whose temporary files go to ``tmp`` in it."""
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTIBLE + code, "review", "study.toml", "--out", "out"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
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
def test_of_files(
    tmp_path: Path, first: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    for name in ("original", "replica"):
        (tmp_path / name).mkdir()
        sexes, votes = rng.choice(["m", "f"], 60), rng.random(60) < 0.5
        frame = pd.DataFrame({"sex": sexes, "age": rng.integers(0, 9, 60), "vote": votes})
        frame.to_parquet(tmp_path / name / "0.parquet")
    (tmp_path / "study.toml").write_text(STUDY.format(original="original", replica="replica"))
    (tmp_path / "tmp").mkdir()
    before = files_in(tmp_path)
    read, passes = parquet._cast, count()

    def interrupted(*batch: Any) -> pa.RecordBatch:
        if next(passes) == first:
            raise KeyboardInterrupt
        return read(*batch)

    monkeypatch.setattr(parquet, "_cast", interrupted)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    study, out = str(tmp_path / "study.toml"), str(tmp_path / "out")
    monkeypatch.setattr("sys.argv", ["sdcmetrics", "review", study, "--out", out])
    with pytest.raises(SystemExit) as stopped:
        main()
    err = capsys.readouterr().err
    assert (stopped.value.code, next(passes)) == (INTERRUPTED, first + 1), err
    left = {"out/partial-measurements-internal.csv"}
    assert files_in(tmp_path) - before == (left if "finished measurements" in err else set())


def test_of_a_data_base_in_the_middle_of_a_query(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        columns = "i % 2 as sex, i % 90 as age, i % 7 as vote"
        connection.execute(f"create table p as select {columns} from range(1000) r(i)")  # noqa: S608
    at = "duckdb:///a.db?"
    endless = f"{at}query=select p.* from p, range(1000000000)"  # noqa: S608
    (tmp_path / "study.toml").write_text(STUDY.format(original=endless, replica=f"{at}table=p"))
    before = files_in(tmp_path)
    with started("from sdcmetrics.cli.program import main; main()", tmp_path) as process:
        wait_for((tmp_path / "out").is_dir, process)  # made before the data are read
        time.sleep(0.3)
        said = interrupt(process)
        assert process.returncode == INTERRUPTED, said
    assert files_in(tmp_path) == before


def test_of_a_data_base_that_spills(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with started(_SPILLING, tmp_path) as process:
        wait_for(lambda: any("storage" in name for name in files_in(tmp_path)), process)
        interrupt(process)
        assert process.returncode
    assert not files_in(tmp_path)


# What is raised in a destructor is dropped, as what is raised in callbacks of a compiler is.
_DROPPED = """
import os, signal, sys, time
from sdcmetrics.cli import program
class Ends:
    def __del__(self):
        os.kill(os.getpid(), {signal})
        time.sleep(0.01)
def long(*_):
    Ends()
    print("goes on", flush=True)
    time.sleep(30)
program.app.invoke = long
program.main()
"""


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [("SIGTERM", 143, "terminated"), ("SIGINT", INTERRUPTED, "interrupted")],
)
def test_a_request_to_end_that_a_library_drops_is_made_again(
    tmp_path: Path, name: str, code: int, words: str
) -> None:
    with started(_DROPPED.format(signal=f"signal.{name}"), tmp_path) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (code, "goes on\n", f"sdcmetrics: {words}\n")


def test_what_else_cannot_be_raised_is_told_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    told = list[Any]()
    usual, sys.unraisablehook = sys.unraisablehook, told.append
    try:
        with _signals():
            assert sys.unraisablehook != told.append
            sys.unraisablehook(SimpleNamespace(exc_value=ValueError("x")))  # type: ignore[arg-type]
        assert [type(each.exc_value) for each in told] == [ValueError]
        assert sys.unraisablehook == told.append
    finally:
        sys.unraisablehook = usual
    assert capsys.readouterr().err == ""
