"""The process that runs R, with a stand-in for R inside; and objects of this very process."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import DataError, RError
from sdcmetrics.rbridge import generate, in_process
from sdcmetrics.rbridge.wire import read_message, write_message
from tests.rbridge.standing import Standing

Put = pytest.MonkeyPatch

CODE = """
from sdcmetrics.rbridge import worker

class R:
    def __init__(self, adapters):
        if adapters == "broken":
            raise ValueError("no R here")
        self.versions = {"r": adapters}
    def call(self, name, arguments):
        if name == "full":
            raise MemoryError
        if name == "odd":
            raise TypeError("no twin")
        print("not among the replies")
        return {"value": arguments}

worker._EmbeddedR = R
worker._limit_memory = lambda megabytes: print("limit", megabytes, flush=True)
worker.main()
"""


def replies(settings: dict[str, Any], *requests: Any) -> tuple[list[Any], bytes]:
    """Return the worker's replies, and what it writes beside them."""
    asked = BytesIO()
    for message in (settings, *requests):
        write_message(asked, message)
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=asked.getvalue(), capture_output=True, check=True
    )
    told, out = BytesIO(done.stdout), []
    while told.tell() < len(done.stdout):
        out.append(read_message(told))
    return out, done.stderr


def test_requests_are_answered_one_by_one_until_the_other_end_is_gone() -> None:
    settings = {"adapters": "4.4.1", "memory_mb": None}
    requests = [("tell", {"x": 1}), ("full", {}), ("odd", {}), ("tell", {"x": 2})]
    told, beside = replies(settings, *requests)
    assert told == [
        {"ready": {"r": "4.4.1"}},
        {"value": {"x": 1}},
        {"error": "cannot allocate memory", "from": "full"},
        {"broken": "TypeError: no twin"},
        {"value": {"x": 2}},
    ]
    assert b"limit" not in beside


def test_memory_is_limited_where_that_is_asked_for_and_a_failed_start_is_told() -> None:
    told, beside = replies({"adapters": "4", "memory_mb": 700})
    assert told == [{"ready": {"r": "4"}}]
    assert beside.split() == [b"limit", b"700"]
    told, _ = replies({"adapters": "broken", "memory_mb": None}, ("tell", {}))
    assert told == [{"failed": "ValueError: no R here"}]


@pytest.fixture
def here(monkeypatch: Put) -> dict[str, Any]:
    """Return the files that a stand-in for the R of this process reads and writes."""
    files: dict[str, Any] = {}

    def save(value: Any, path: list[str]) -> None:
        files[path[0]] = value

    rinterface = SimpleNamespace(
        initr=lambda: files.update(started=True),
        baseenv={"readRDS": lambda path: f"read {path[0]}", "saveRDS": save},
        StrSexpVector=list,
    )
    package, vectors = ModuleType("rpy2"), ModuleType("rpy2.robjects.vectors")
    vars(package)["rinterface"] = rinterface
    vars(vectors)["ListVector"] = lambda value: ["list", value]
    for module in (package, ModuleType("rpy2.robjects"), vectors):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return files


def test_a_file_is_read_as_a_list(here: dict[str, Any]) -> None:
    assert in_process.read_here(Path("a.rds")) == ["list", "read a.rds"]
    assert here == {"started": True}


def test_only_objects_of_class_synds_are_saved(here: dict[str, Any]) -> None:
    synds = SimpleNamespace(rclass=("synds", "list"))
    in_process.save_here(synds, Path("b.rds"))
    assert here["b.rds"] is synds
    for wrong, words in (
        (SimpleNamespace(rclass=("data.frame", "list")), "but got data.frame/list."),
        ([1], "but got list."),
    ):
        with pytest.raises(DataError, match=words):
            in_process.save_here(wrong, Path("c.rds"))
    assert "c.rds" not in here


def test_without_rpy2_that_is_said(monkeypatch: Put) -> None:
    monkeypatch.setitem(sys.modules, "rpy2", None)
    with pytest.raises(RError, match="Install R, then") as caught:
        in_process.read_here(Path("a.rds"))
    assert caught.value.kind == "unavailable"


@pytest.mark.parametrize("codes", [{}, {"x": (-8.0,)}])
def test_an_object_of_this_process_becomes_a_handle(
    monkeypatch: Put, codes: dict[str, tuple[float, ...]]
) -> None:
    frame = pd.DataFrame({"x": [1.0, -8, 2]})
    read = rbridge.as_synds(frame, frame, missing_codes=codes or None, session=Standing())

    def syntheses(path: Path) -> Any:
        assert path.name == "synds.rds"
        one = SimpleNamespace(missing_codes=codes)
        return [one]

    given: list[Any] = []

    def wrapped(*said: Any, **options: Any) -> Any:
        given.append((said, options))
        return read

    monkeypatch.setattr(generate, "save_here", lambda *items: given.append(items))
    monkeypatch.setattr(generate, "read_synds", syntheses)
    monkeypatch.setattr(generate, "as_synds", wrapped)
    assert rbridge.from_rpy2("theirs", frame) is read
    assert given[0][0] == "theirs"
    (said, options) = given[1]
    assert len(said[0]) == 1
    assert said[1] is frame
    assert options == {"missing_codes": codes or None, "session": None}


def test_an_object_is_written_where_no_stranger_is(monkeypatch: Put, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": ["a", "b"]})
    session = Standing(lambda _, item: Path(item["path"]).write_text("rds"))
    synds = rbridge.as_synds(frame, frame, session=session)
    out = rbridge.write_rds(synds, tmp_path / "one.rds")
    assert out == tmp_path / "one.rds"
    (name, said) = session.asked[0]
    assert (name, said["id"], said["part"]) == ("adapt_write_rds", synds.id, "object")
    rbridge.write_rds(synds, out)  # ours
    synds.write_original_rds(tmp_path / "two.rds")
    assert session.asked[-1][1]["part"] == "data"
    out.write_text("theirs")
    with pytest.raises(Exception, match="pass force=True"):
        rbridge.write_rds(synds, out)
    rbridge.write_rds(synds, out, force=True)
    assert out.read_text() == "rds"
    read = []
    monkeypatch.setattr("sdcmetrics.rbridge.synds.read_here", lambda path: read.append(path) or 5)
    assert synds.to_rpy2() == 5
    assert read[0].name == "synds.rds"
