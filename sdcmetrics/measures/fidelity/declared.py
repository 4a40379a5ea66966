"""Declarations of marginal fidelity, beside that of the holdout."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity
from sdcmetrics.measures.fidelity.places import HOLDOUT, MARGINS
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure, Release
from sdcmetrics.measures.subject import Subject

_SOURCE = (
    "Platzer and Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic "
    "data, Frontiers in Big Data 4, section 3.1"
)
_BANDS = (0.01, 0.02, 0.05, 0.1)
_WAYS = {1: "one variable", 2: "two variables", 3: "three variables"}

_fidelity = partial(
    Measure,
    family=GENERAL_UTILITY,
    of=MARGINS,
    low=0,
    high=1,
    source=_SOURCE,
    unit="",
)


def _figure(ways: int, column: str) -> Callable[[MarginalFidelity], float]:
    return lambda fidelity: fidelity.figure(ways, column) if ways in fidelity.index else math.nan


def _of_replica(ways: int) -> Measure:
    return _fidelity(
        symbol=f"F{ways}",
        function=_figure(ways, "tvd"),
        undefined="there are too few variables, or too many tables of this size",
        one_way=ways == 1,
        release=Release("band", _BANDS),
        title=f"Mean total variation distance over all tables of {_WAYS[ways]}",
        better="lower",
        ideal=0,
        meaning=f"Share of records that would have to change category for a table of "
        f"{_WAYS[ways]} to become that of the training data, averaged over all such tables. Read "
        f"it beside F{ways}_holdout: people who were not in the original are not at 0 either.",
        formula="mean over tables of 1/2 sum |p_o - p_s|",
        limits="A replica that is closer than people who were not in the original is too close. A "
        "mean hides single bad "
        "tables: see the largest. Depends on the number of categories and, through sampling "
        "noise, on the number of records.",
    )


def _of_holdout(ways: int) -> Measure:
    return _fidelity(
        symbol=f"F{ways}_holdout",
        function=_figure(ways, "holdout_tvd"),
        undefined="there are too few variables, or too many tables of this size",
        release=Release("band", _BANDS),
        title=f"F{ways} of the holdout",
        better="none",
        ideal=None,
        meaning="The same distance for records of the population that were not used for the "
        "synthesis: what sampling noise alone does, and the mark that a replica should come up to.",
        formula="mean over tables of 1/2 sum |p_o - p_h|",
        limits="Holds for a holdout that is a random part of the same data, of about the same "
        "number of records.",
    )


MEASURES: tuple[Measure, ...] = (
    *(_of_replica(ways) for ways in _WAYS),
    *(_of_holdout(ways) for ways in _WAYS),
)

SUBJECT = Subject("fidelity", tuple(MEASURES), kinds=(HOLDOUT,))
