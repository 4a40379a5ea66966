"""Locks on files and folders, and the compiler behind one."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from sdcmetrics.microdata.compiled import compiled
from sdcmetrics.microdata.locks import lock

fcntl = pytest.importorskip("fcntl", reason="there are no such locks on Windows")


def test_what_is_held_is_refused_or_waited_for(tmp_path: Path) -> None:
    order: list[str] = []

    def waiting() -> None:
        with lock(tmp_path, wait=True) as held:
            order.append("second" if held else "not held")

    thread = threading.Thread(target=waiting)
    with lock(tmp_path) as held:
        assert held
        with pytest.raises(BlockingIOError), lock(tmp_path):
            pass
        thread.start()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_without_locks_nothing_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "not supported")

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", refused)
        with lock(tmp_path) as held:
            assert not held
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with lock(tmp_path / "absent") as held:
        assert not held


def test_what_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), lock(tmp_path / "absent"):
        pass


def test_a_loop_that_another_process_compiles_is_waited_for() -> None:
    def double(x: int) -> int:
        return 2 * x

    compiled(lambda x: x, "int64(int64)")  # the compiler is there, so that what follows is fast
    results: list[int] = []
    thread = threading.Thread(target=lambda: results.append(compiled(double, "int64(int64)")(4)))
    with lock(Path(__file__)):
        thread.start()
        thread.join(0.5)
        assert not results
    thread.join()
    assert results == [8]
