"""Each worker computes on one core, coverage waits for simulations, processes find bytecode."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator

import pytest

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # libraries that use all of them wait for each other

# Some hundred tests start a process: each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


_LONGEST = ("test_gates.py", "test_calibration.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes longest, so that no worker waits for another at the end."""
    items.sort(key=lambda item: item.path.name not in _LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test that repeats what others run without counting lines, which takes as long again."""
    coverage = sys.modules.get("coverage")
    counting = coverage.Coverage.current() if coverage is not None else None
    if counting is None or item.get_closest_marker("long") is None:
        return (yield)
    counting.stop()
    try:
        return (yield)
    finally:
        counting.start()


@pytest.fixture(scope="session", autouse=True)
def no_key_in_the_home_of_whoever_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
