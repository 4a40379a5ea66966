"""Loops that are compiled, run as Python: that checks bounds and waits for no compiler."""

from __future__ import annotations

from types import ModuleType

import pytest


def as_python(patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Put the functions as they are written in the place of the compiled ones."""
    for module in modules:
        for name, part in vars(module).copy().items():
            if hasattr(part, "py_func"):
                patch.setattr(module, name, part.py_func)
