"""Loops that are compiled when they are first used, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast


@cache
def compiled(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Compile a function for one set of types, or load it.

    It is kept on disk where any folder can be written, so that only its first use ever waits for
    the compiler, and it runs without Python's lock.
    """
    from numba import njit  # half a second: only when something is compiled

    try:
        return cast("Callable[..., Any]", njit(signature, cache=True, nogil=True)(function))
    except RuntimeError:  # no folder for it can be written
        return cast("Callable[..., Any]", njit(signature, nogil=True)(function))
