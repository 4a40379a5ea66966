"""Threads of linear algebra: one, where several would only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_WORTH_THREADS = 500  # columns from which on a second thread makes a fit sooner
_SETTING = RLock()


@contextmanager
def one_thread(columns: int = 0) -> Iterator[None]:
    """Keep linear algebra to one thread in a block, unless its matrices have many columns.

    The limit is the process's. One thread at a time sets and lifts it, so that it is never left
    behind: blocks of other threads take what they find.

    Parameters
    ----------
    columns : int
        Of the largest matrix; 0 for a block that runs models side by side, whatever their size.
    """
    if columns >= _WORTH_THREADS or not _SETTING.acquire(blocking=False):
        yield
        return
    import scipy.linalg  # noqa: F401  (its library is limited as well, once it is there)
    from threadpoolctl import threadpool_limits

    try:
        with threadpool_limits(1, "blas"):
            yield
    finally:
        _SETTING.release()
