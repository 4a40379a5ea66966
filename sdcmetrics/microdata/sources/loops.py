"""The loops of the second pass, compiled when they are first used: values of a batch to codes.

Each returns False where a value has no code: it was not there in the first pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sdcmetrics.microdata.compiled import compiled

FEW = 16
"""Cuts up to which a value is compared with each of them."""


def code_whole(
    values: Any, low: int, table: Any, missing: Any, missing_code: int, codes: Any
) -> bool:
    """Code whole numbers by their place in a table from the lowest on."""
    gaps, high = len(missing) > 0, low + len(table) - 1
    for i in range(len(values)):
        if gaps and missing[i]:
            codes[i] = missing_code
            continue
        value = values[i]
        if value < low or value > high:
            return False
        code = table[value - low]
        if code < 0:
            return False
        codes[i] = code
    return True


def code_scaled(
    values: Any,
    scale: float,
    low: float,
    table: Any,
    missing: Any,
    missing_code: int,
    nan_code: int,
    codes: Any,
) -> bool:
    """Code multiples of 1 / scale by their place in a table; `low` is the lowest, scaled."""
    gaps, places = len(missing) > 0, float(len(table))
    for i in range(len(values)):
        if gaps and missing[i]:
            codes[i] = missing_code
            continue
        value = values[i]
        if value != value:  # noqa: PLR0124  (NaN)
            if nan_code < 0:
                return False
            codes[i] = nan_code
            continue
        whole = np.rint(value * scale)
        place = whole - low
        if not 0 <= place < places or whole / scale != value:
            return False
        code = table[int(place)]
        if code < 0:
            return False
        codes[i] = code
    return True


def code_runs(
    values: Any,
    cuts: Any,
    of_run: Any,
    missing: Any,
    missing_code: int,
    nan_code: int,
    codes: Any,
) -> bool:
    """Code numbers by the run of values between two cuts that they are in."""
    gaps, few = len(missing) > 0, len(cuts) <= FEW
    for i in range(len(values)):
        if gaps and missing[i]:
            codes[i] = missing_code
            continue
        value = values[i]
        if value != value:  # noqa: PLR0124  (NaN)
            if nan_code < 0:
                return False
            codes[i] = nan_code
            continue
        run = 0
        if few:
            for cut in cuts:
                run += value >= cut
        else:
            stop = len(cuts)
            while run < stop:
                middle = (run + stop) >> 1
                if value >= cuts[middle]:
                    run = middle + 1
                else:
                    stop = middle
        codes[i] = of_run[run]
    return True


def code_levels(indices: Any, of_level: Any, missing: Any, missing_code: int, codes: Any) -> bool:
    """Code what a dictionary's indices stand for."""
    gaps = len(missing) > 0
    for i in range(len(indices)):
        if gaps and missing[i]:
            codes[i] = missing_code
            continue
        code = of_level[indices[i]]
        if code < 0:
            return False
        codes[i] = code
    return True


_SIGNATURES: dict[Callable[..., Any], str] = {
    code_whole: "boolean({int64}, int64, {codes}, {boolean}, int64, {out})",
    code_scaled: "boolean({float64}, float64, float64, {codes}, {boolean}, int64, int64, {out})",
    code_runs: "boolean({values}, {values}, {codes}, {boolean}, int64, int64, {out})",
    code_levels: "boolean({int32}, {codes}, {boolean}, int64, {out})",
}
_READ = "Array({}, 1, 'C', True)"  # an array that is only read, which those of Arrow are


def loop(function: Callable[..., Any], codes: str, values: str = "float64") -> Callable[..., Any]:
    """Return a loop compiled for a type of codes, and of values where there are several."""
    types = {name: _READ.format(name) for name in ("int64", "float64", "int32", "boolean")}
    signature = _SIGNATURES[function].format(
        **types, values=_READ.format(values), codes=_READ.format(codes), out=f"{codes}[::1]"
    )
    return compiled(function, signature)
