"""Loops that are compiled when they are first used, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from sdcmetrics.microdata.locks import lock


@cache
def compiled(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Compile a function for one set of types, or load it.

    It is kept on disk where any folder can be written, so that only its first use ever waits for
    the compiler, and it runs without Python's lock. What another process compiles is waited for.
    """
    from numba import njit  # half a second: only when something is compiled

    with ExitStack() as stack:
        with suppress(OSError):  # of a package in an archive
            stack.enter_context(lock(Path(function.__code__.co_filename), wait=True))
        try:
            return cast("Callable[..., Any]", njit(signature, cache=True, nogil=True)(function))
        except RuntimeError:  # no folder for it can be written
            return cast("Callable[..., Any]", njit(signature, nogil=True)(function))
