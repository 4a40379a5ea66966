"""The fixed list of what a release asks the original: it follows from public things alone."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sdcmetrics import __version__
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.measure import PeopleSum
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.crate import sha256_of
from sdcmetrics.release.near import apart_from_itself, drawn_of
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.study.roles import Scenario

RECORDS = "records"
NEAREST = "nearest"
ALIKE = "alike"
REPLICATED = "replicated"
TVD_PAIRS = "TVD of pairs"

_HALF, _WHOLE = Fraction(1, 2), Fraction(1)
_NOWHERE = Place()
_SHARES = (0.05, 0.5)
"""Quantiles between which people are counted, of how far the replica's own records are apart."""


@dataclass(frozen=True)
class Question:
    """One vector of sums over people, that noise is added to.

    Attributes
    ----------
    measure : symbol of a measure, or "records", "nearest", "alike", "replicated", "TVD of pairs"
    replica : name of the replica; empty for what is of the original alone
    place : Place
    cells : how many numbers are counted of a data set
    sets : data sets that are asked: 1, or 2 with a holdout
    edges : distances that separate the cells of "nearest"
    sensitivity : by how much one person changes it at most, as the root of the sum of squares
    weight : its part of mu squared, beside that of other questions
    identity : text that determines the answer, but for the original: another text is another
        question
    drawn : of how many people one is counted; 1 for all of them
    """

    measure: str
    replica: str
    place: Place
    cells: int
    sets: int
    edges: tuple[int, ...]
    sensitivity: int
    weight: Fraction
    identity: str
    drawn: int = 1


def questions_of(public: Public) -> tuple[Question, ...]:
    """Return what a release asks, in the order in which it is told."""
    return tuple(_questions(public))


def _questions(public: Public) -> Iterator[Question]:
    # A person is in the original or in the holdout: both are asked for the price of one.
    sets = 2 if public.holdout else 1
    yield _question(public, RECORDS, weight=_HALF, sets=sets)
    keys = [s for s in public.measures if MEASURES[s].of is KEYS]
    tables = [s for s in public.measures if MEASURES[s].of is CROSSTABLES]
    for replica in (None, *public.replicas):
        if replica is not None:
            edges = _edges(public, replica)
            if drawn_of(replica) > 1:  # few people drawn hold few of some copies
                yield _question(public, ALIKE, replica, sets=sets)
            yield _question(public, NEAREST, replica, sets=sets, cells=len(edges) + 1, edges=edges)
        for scenario in public.scenarios:
            for symbol in keys:
                if _without_replica(public, scenario, symbol) != (replica is None):
                    continue
                targets = scenario.targets[:1] if MEASURES[symbol].any_target else scenario.targets
                for target in targets:
                    place = Place(
                        scenario=scenario.name,
                        keys=scenario.keys,
                        target="" if MEASURES[symbol].any_target else target,
                    )
                    number = sets if sum_of(symbol).by_person else 1
                    yield _question(public, symbol, replica, place, sets=number)
            if replica is not None and public.holdout and "repU" in keys:
                place = Place(scenario=scenario.name, keys=scenario.keys)
                yield _question(public, REPLICATED, replica, place, sets=2)
        if replica is None:
            continue
        variables = public.variables(replica)
        if tables:
            if public.pairs and len(variables) > 1:
                yield _question(public, TVD_PAIRS, replica, Place(variables=variables))
            for name in variables:
                place = Place(variables=(name,))
                yield _question(public, "TVD", replica, place, weight=_HALF)


def _without_replica(public: Public, scenario: Scenario, symbol: str) -> bool:
    """Whether a measure counts in the original alone; groups of numbers are a replica's own."""
    options, targets = public.options, () if MEASURES[symbol].any_target else scenario.targets
    grouped = [options.ngroups_keys.get(name) for name in scenario.keys]
    grouped += [options.ngroups_targets.get(name) for name in targets]
    return symbol in ("UiO", "baseCAPd", "CAPd") and not any(grouped)


def sum_of(symbol: str) -> PeopleSum:
    """Return the sum over people that a measure declares.

    Raises
    ------
    StudyError
        If it declares none.
    """
    release = MEASURES[symbol].release
    if release is None or release.sum is None:
        msg = f"{symbol} declares no sum over people, so a release does not tell it."
        raise StudyError(msg)
    return release.sum


def _question(
    public: Public,
    measure: str,
    replica: Replica | None = None,
    place: Place = _NOWHERE,
    *,
    sets: int = 1,
    cells: int = 1,
    edges: tuple[int, ...] = (),
    weight: Fraction = _WHOLE,
) -> Question:
    # What is declared nowhere is counted here, each person once.
    sensitivity = (sum_of(measure).sensitivity if measure in MEASURES else 1) * public.rows
    options = public.options
    compared: tuple[str, ...] = ()
    if measure in (NEAREST, ALIKE) and replica is not None:
        compared = public.variables(replica)
    drawn = drawn_of(replica) if measure == NEAREST and replica is not None else 1
    columns = {*place.keys, place.target, *place.variables}
    grouped = [
        {name: number for name, number in sorted(given.items()) if name in columns}
        for given in (options.ngroups_keys, options.ngroups_targets)
    ]
    facts: dict[str, Any] = {
        "program": __version__,
        "measure": measure,
        "replica": "" if replica is None else replica.digest,
        # sorted: no answer depends on how files or the study order their columns
        "keys": sorted(place.keys),
        "target": place.target,
        "variables": sorted(place.variables),
        "edges": edges,
        "compared": sorted(compared),
        "sets": sets,
        "rows": public.rows,
        "groups": (options.ngroups, options.group_dates) if place.variables else (),
        "style": options.style if place.variables or any(grouped) else "",
        "groups of keys and targets": grouped,
        "missing": {
            name: codes for name, codes in sorted(public.missing_codes.items()) if name in columns
        },
    }
    if drawn > 1:
        facts["drawn"] = drawn
    if measure in MEASURES and (elsewhere := _defined_elsewhere(measure)):
        facts["defined"] = [*elsewhere, sensitivity]
    coarse = public.bands([*columns, *compared])
    if coarse:  # the same columns in other bands are another question
        facts["coarsened"] = coarse
    if days := public.days_of([*columns, *compared]):
        facts["days"] = days
    if public.strata in place.variables:
        facts["levels"] = [public.strata]
    return Question(
        measure=measure,
        replica="" if replica is None else replica.name,
        place=place,
        cells=cells,
        sets=sets,
        edges=edges,
        sensitivity=sensitivity,
        weight=weight,
        identity=json.dumps(facts, sort_keys=True, default=str),
        drawn=drawn,
    )


def _defined_elsewhere(symbol: str) -> list[str]:
    """Return digests of the files in which another package defines a measure; of its own none.

    The version of this program does not tell whether that package counts otherwise than before.
    """
    files = set()
    for function in (MEASURES[symbol].function, sum_of(symbol).function):
        while isinstance(function, partial):
            function = function.func  # noqa: PLW2901  (what is called in the end)
        package = getattr(function, "__module__", "").partition(".")[0]
        if package != __name__.partition(".")[0]:
            files.add(Path(inspect.getfile(function)))
    return sorted(sha256_of(file) for file in files)


def _edges(public: Public, replica: Replica) -> tuple[int, ...]:
    """Return the numbers of columns between which people are counted: 0, 1, and the replica's."""
    variables = public.variables(replica)
    apart = apart_from_itself(replica, variables)
    usual = np.quantile(apart, _SHARES, method="lower").astype(int).tolist()
    return tuple(sorted({0, 1, *usual} - {len(variables)}))
