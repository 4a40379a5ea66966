"""Threads of libraries: one for linear algebra, where several would only wait for each other.

A limit is the process's. One thread at a time sets and lifts it, so that it is never left behind:
blocks of other threads take what they find.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

_WORTH_THREADS = 500  # columns from which on a second thread makes a fit sooner
_HOLD_THREADS = "scipy.linalg", "sklearn.utils._openmp_helpers"
"""Modules that bring libraries with threads."""
_SETTING = RLock()


@contextmanager
def one_thread(columns: int = 0) -> Iterator[None]:
    """Keep linear algebra to one thread in a block, unless its matrices have many columns.

    Parameters
    ----------
    columns : int
        Of the largest matrix; 0 for a block that runs models side by side, whatever their size.
    """
    if columns >= _WORTH_THREADS:
        yield
        return
    import scipy.linalg  # noqa: F401  (its library is limited as well, once it is there)

    with _limited(1, "blas"):
        yield


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Keep every library, OpenMP's too, to so many threads in a block.

    Parameters
    ----------
    threads : int, optional
        None, or less than 1: as many as each library takes.
    """
    if threads is None or threads < 1:
        yield
        return
    with _limited(threads, None):
        yield


@contextmanager
def _limited(threads: int, api: str | None) -> Iterator[None]:
    if not _SETTING.acquire(blocking=False):
        yield
        return
    try:
        loaded = tuple(name for name in _HOLD_THREADS if name in sys.modules)
        with _libraries(loaded).limit(limits=threads, user_api=api):
            yield
    finally:
        _SETTING.release()


@cache
def _libraries(loaded: tuple[str, ...]) -> Any:  # noqa: ARG001  (looked for anew when there are more)
    """Return what holds threads; to look for it takes longer than to fit a tree."""
    from threadpoolctl import ThreadpoolController  # what scikit-learn itself uses

    return ThreadpoolController()
