"""Each worker computes on one core, lines are noted and not traced, bytecode is kept."""

from __future__ import annotations

import atexit
import functools
import gc
import hashlib
import operator
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")  # how long an example takes says what else is running

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # libraries that use all of them wait for each other

# Some hundred tests start a process: each would compile the package, and each worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


_LOOPS = """
import gc
gc.disable()
from sdcmetrics.microdata.compiled import compiled
from sdcmetrics.measures.neighbours import kernels
from sdcmetrics.measures.people import kernels as of_people, search
from sdcmetrics.measures.propensity.growing import SIGNATURE, grow_nodes
compiled(of_people.search, search._SEARCH.format("int16"))
compiled(of_people.among, search._AMONG.format("int16"))
compiled(of_people.crowd, search._CROWD.format("int16"))
compiled(grow_nodes, SIGNATURE.format("uint16"))
for kernel in kernels._SIGNATURES:
    kernels.compiled(kernel)
"""
_COLLECT_AFTER = (200_000, 50, 50)
"""New objects and younger collections; at 700, Python looks at each data frame again and again."""

_LONGEST = ("test_gates.py", "test_calibration.py")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the loops while workers collect: each worker would compile all of them."""
    gc.set_threshold(*_COLLECT_AFTER)
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        process = subprocess.Popen(
            [sys.executable, "-c", _LOOPS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        config.add_cleanup(process.wait)


def pytest_collection_finish() -> None:
    """Leave thousands of tests and modules out of every search for garbage, a tenth of the time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let Python tidy up when it ends; DuckDB would list all that it leaves."""
    atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let the second worker begin at the end: of a new clone, each compiles half of the files."""
    report = yield
    second = os.environ.get("PYTEST_XDIST_WORKER") == "gw1"
    if second and report.passed and isinstance(collector, pytest.Directory | pytest.Session):
        report.result.reverse()
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes longest, so that no worker waits for another at the end."""
    places = {name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: (places.get(item.path.name, len(places)), str(item.path)))


_SMALL = 10_000
"""Records of files that several tests review; of larger ones, each is reviewed by one."""

_reports: deque[tuple[tuple[Any, ...], Any]] = deque(maxlen=12)
"""What the last reports were made of, and they themselves."""

_patched = False
"""Whether the test that runs may change what a report is made by."""


def _tracer() -> Any:
    """Return what traces lines at present, if anything does."""
    coverage = sys.modules.get("coverage")
    return coverage and coverage.Coverage.current()


_lines: Any = None
"""What notes the lines of the package, where they are counted."""

# From Python 3.12 on coverage.py does without a tracer, too.
if sys.version_info < (3, 12) and _tracer() and not _tracer().get_option("run:branch"):
    from tests.lines import Lines

    _lines = Lines()
    _lines.note()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """Stop tracing lines that note themselves; a worker has two tracers, one behind the other."""
    while _lines and (tracer := _tracer()):
        tracer.stop()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Hand over the lines that ran before they are counted."""
    try:
        return (yield)
    finally:
        if _lines:
            _coverage(session).get_data().add_lines(_lines.noted())


def _coverage(session: pytest.Session) -> Any:
    plugin: Any = session.config.pluginmanager.getplugin("_cov")
    return plugin.cov_controller.cov


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Trace a test that runs loops as Python, and remember what a test may change."""
    global _patched  # noqa: PLW0603  (read by what is called in the middle of a test)
    _patched = "monkeypatch" in getattr(item, "fixturenames", ())
    traced = _lines and item.get_closest_marker("traced")
    if traced:
        _coverage(item.session).start()
    try:
        return (yield)
    finally:
        if traced:
            _coverage(item.session).stop()


@pytest.fixture(scope="session", autouse=True)
def no_key_in_the_home_of_whoever_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session", autouse=True)
def _no_test_waits_for_the_disk() -> None:
    """Leave to the operating system when it writes: no file of a test survives a power cut."""
    os.fsync = os.fstat  # an error for what is no open file


@pytest.fixture(scope="session", autouse=True)
def _no_program_is_solved_twice() -> None:
    """Solve what a release must not give away once: some hundred tests release the same reviews."""
    from sdcmetrics.report.safety.protect import program

    solve, solved = program._milp, {}

    @functools.wraps(solve)
    def once(*given: Any) -> Any:
        key = hashlib.sha256(pickle.dumps(given)).digest()
        if key not in solved:
            solved[key] = solve(*given)
            if solved[key] is not None:
                solved[key].flags.writeable = False
        return solved[key]

    program._milp = once


@pytest.fixture(scope="session", autouse=True)
def _no_file_is_looked_at_twice() -> None:
    """Look once whose records a file holds: some hundred tests review the same small files."""
    from sdcmetrics.measures.people import files

    look, seen = files.whose_records, {}

    @functools.wraps(look)
    def once(records: Any, *, memo: Any = None, **options: Any) -> Any:
        if records.n + records.m > _SMALL:
            return look(records, memo=memo, **options)
        settled = sorted(options.pop("settled", ()))  # the order of a set is that of hashes
        key = hashlib.sha256(pickle.dumps((records, settled, sorted(options.items())))).digest()
        if key not in seen:
            seen[key] = look(records, memo=memo, settled=frozenset(settled), **options)
        return seen[key]

    files.whose_records = once


@pytest.fixture(scope="session", autouse=True)
def _no_report_is_made_twice() -> None:
    """Make the report of one review once: tests read it, and write it as page, JSON and tables."""
    from sdcmetrics.report.formats import write

    make = write.safe_report

    @functools.wraps(make)
    def once(*given: Any, **more: Any) -> Any:
        if _patched or more:
            return make(*given, **more)
        for before, report in _reports:
            if len(before) == len(given) and all(map(operator.is_, before, given)):
                return report
        _reports.append((given, made := make(*given)))
        return made

    write.safe_report = once
    for name, module in list(sys.modules.items()):
        if name.startswith("tests.") and getattr(module, "safe_report", None) is make:
            module.safe_report = once  # type: ignore[attr-defined]


collect_ignore = ["third_party/digits_block.py"]
"""It imports its own package, which only the processes that try it have on their path."""
if sys.version_info >= (3, 12):
    collect_ignore.append("lines.py")  # slipcover is not installed: coverage.py needs no tracer


@pytest.fixture
def plots() -> Iterator[None]:
    """Draw nowhere, and forget what was drawn; skipped where there is no matplotlib."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    yield
    plt.close("all")
