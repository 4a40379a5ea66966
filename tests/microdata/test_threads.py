"""One thread of linear algebra: within a block of few columns, and no longer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
import scipy.linalg  # noqa: F401  (one of the libraries whose threads are counted)
from threadpoolctl import threadpool_info, threadpool_limits

from sdcmetrics.errors import NotComputable
from sdcmetrics.microdata.threads import limited, one_thread


def of_openmp() -> set[int]:
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "openmp"
    }


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if "blas" in library.values()}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with threadpool_limits(2, "blas"):
        yield


def test_small_matrices_take_one_thread_and_give_it_back() -> None:
    with one_thread(columns=40):
        assert threads() == {1}
        with one_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == {2}


def test_large_ones_take_all() -> None:
    with one_thread(columns=5_000):
        assert threads() == {2}


def test_a_block_that_fails_lifts_the_limit() -> None:
    msg = "no fit"
    with pytest.raises(NotComputable), one_thread():
        raise NotComputable(msg)
    assert threads() == {2}


def test_overlapping_blocks_of_two_threads_leave_no_limit_behind() -> None:
    both_inside = Barrier(2, timeout=60)

    def other() -> None:
        both_inside.wait()
        with one_thread():
            both_inside.wait()
            both_inside.wait()

    thread = Thread(target=other)
    thread.start()
    with one_thread():
        both_inside.wait()
        both_inside.wait()
        assert threads() == {1}
    both_inside.wait()
    thread.join()
    assert threads() == {2}


def test_every_library_is_limited_where_that_is_asked_for() -> None:
    import sklearn.tree  # noqa: F401  (brings OpenMP, maybe after others were looked for)

    with threadpool_limits(2):
        with limited(1):
            assert threads() == of_openmp() == {1}
        assert threads() == of_openmp() == {2}
        for free in (None, -1):
            with limited(free):
                assert threads() == of_openmp() == {2}
        with one_thread():
            assert (threads(), of_openmp()) == ({1}, {2})


def test_a_library_that_comes_later_is_limited_too() -> None:
    code = (
        "import numpy; from threadpoolctl import threadpool_info;"
        "from sdcmetrics.microdata.threads import limited\n"
        "with limited(1): pass\n"
        "import sklearn.tree\n"
        "with limited(1): print({x['num_threads'] for x in threadpool_info()})"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert result.stdout.strip() == "{1}"
