"""Coded data sets made by hand, or at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdcmetrics.microdata.coding import Coded, CodedVariable


def variable(name: str, size: int, parts: Sequence[Any], *, missing: bool = False) -> CodedVariable:
    """A variable of some levels; with `missing` the last level is the missing one."""
    labels: tuple[str | None, ...] = tuple(f"{name}{i}" for i in range(size))
    if missing:
        labels = (*labels[:-1], None)
    kind = np.int8 if size <= 127 else np.int32
    return CodedVariable(name, labels, tuple(np.asarray(part, dtype=kind) for part in parts))


def coded(*variables: CodedVariable) -> Coded:
    return Coded({v.name: v for v in variables}, tuple(len(p) for p in variables[0].parts))


def random_data(
    sizes: Sequence[int], records: Sequence[int], seed: int = 1, *, missing: bool = False
) -> Coded:
    rng = np.random.default_rng(seed)
    return coded(
        *(
            variable(name, k, [rng.integers(0, k, n) for n in records], missing=missing)
            for name, k in zip("abcdefghijklmnopqrst", sizes, strict=False)
        )
    )
