"""Verdicts of a cross-check: whether two numbers agree, and if not, for which known reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

EQUAL = "equal"
DIFFERS = "DIFFERS"
_ABSOLUTE = 1e-12  # rounding of a number that is zero in exact arithmetic
_SQUARED_RTOL = 1e-9


@dataclass(frozen=True)
class Agreement:
    """A native value beside synthpop's.

    Attributes
    ----------
    native, synthpop : float
    absolute, relative : float
        Their difference; NaN where one of the two does not exist.
    verdict : str
        "equal", "differs as documented: ...", "DIFFERS", or "not compared: ...".
    explained : bool
        False for "DIFFERS", and where no comparison was possible for an unknown reason.
    aligned : float
        synthpop's value where the data were shown so that it matches by label; NaN where that
        was not needed.
    """

    native: float
    synthpop: float
    absolute: float
    relative: float
    verdict: str
    explained: bool
    aligned: float = math.nan


def agree(native: float, synthpop: float, *, squared: bool = False, rtol: float = 1e-10) -> bool:
    """Whether two values are equal but for rounding; two NaN count as equal.

    Examples
    --------
    >>> agree(1.0, 1.0 + 1e-12), agree(1.0, 1.1), agree(math.nan, math.nan), agree(math.nan, 0.0)
    (True, False, True, False)
    """
    if math.isnan(native) or math.isnan(synthpop):
        if math.isnan(native) and math.isnan(synthpop):
            return True
        # rounding can make the difference negative, and its root does not exist then
        there = synthpop if math.isnan(native) else native
        return squared and there**2 < _SQUARED_RTOL
    if squared:
        return math.isclose(native**2, synthpop**2, rel_tol=_SQUARED_RTOL, abs_tol=_ABSOLUTE)
    return math.isclose(native, synthpop, rel_tol=rtol, abs_tol=_ABSOLUTE)


def _relative(native: float, synthpop: float, *, squared: bool) -> float:
    """Return the relative difference of two values, or of their squares if these are compared."""
    ours, theirs = (native**2, synthpop**2) if squared else (native, synthpop)
    scale = max(abs(ours), abs(theirs))
    return 0.0 if scale <= _ABSOLUTE else abs(ours - theirs) / scale


def judge_pair(
    native: float,
    synthpop: float | None,
    aligned: float | None = None,
    *,
    squared: bool = False,
    rtol: float = 1e-10,
    defect: str = "",
    reason: str = "",
    documented: bool = False,
) -> Agreement:
    """Judge a native value beside synthpop's.

    Parameters
    ----------
    native : float
    synthpop : float or None
        What synthpop makes of the data as a user would pass them; None where it stops.
    aligned : float or None
        What it makes of them where position, text order and label mean the same.
    squared, rtol : as in `agree`
    defect : str
        The defect of synthpop's that a difference between its two answers comes from.
    reason : str
        Why there is no value of synthpop's.
    documented : bool
        Whether that reason is a documented one.

    Examples
    --------
    >>> judge_pair(9.83, 0.82, 9.83, defect="B2").verdict
    'differs as documented: B2'
    >>> judge_pair(9.83, 0.82, 0.82, defect="B2").verdict
    'DIFFERS'
    >>> judge_pair(9.83, None, reason="R was killed").verdict
    'not compared: R was killed'
    """

    def agreement(verdict: str, shown: float | None, *, explained: bool) -> Agreement:
        value = math.nan if shown is None else shown
        absolute = abs(native - value)
        relative = _relative(native, value, squared=squared)
        other = math.nan if aligned is None else aligned
        return Agreement(native, value, absolute, relative, verdict, explained, other)

    if synthpop is not None and agree(native, synthpop, squared=squared, rtol=rtol):
        return agreement(EQUAL, synthpop, explained=True)
    if aligned is not None and agree(native, aligned, squared=squared, rtol=rtol):
        why = f"{defect}: {reason}" if reason and synthpop is None else defect
        return agreement(f"differs as documented: {why}", synthpop, explained=True)
    if synthpop is None and aligned is None:
        return agreement(f"not compared: {reason}", None, explained=documented)
    shown = synthpop if synthpop is not None else aligned
    return agreement(DIFFERS, shown, explained=False)
