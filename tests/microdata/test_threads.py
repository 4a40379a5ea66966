"""One thread of linear algebra: within a block of few columns, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
import scipy.linalg  # noqa: F401  (one of the libraries whose threads are counted)
from threadpoolctl import threadpool_info, threadpool_limits

from sdcmetrics.errors import NotComputable
from sdcmetrics.microdata.threads import one_thread


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
