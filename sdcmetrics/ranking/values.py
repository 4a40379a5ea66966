"""One value a replica and criterion: the mean over what every replica was measured on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.ranking.criteria import Criterion, Floats
from sdcmetrics.review.review import Review

__all__ = ["Entry", "Place", "Values", "collect", "entries_of", "mean_at"]

Place = tuple[str, str, tuple[str, ...], int]
"""Scenario, target, variables, and which of several rows of that kind it is, from 0."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One measurement of a replica, and where it was made; NaN where `reason` says why."""

    replica: str
    metric: str
    place: Place
    value: float
    reason: str = ""


@dataclass(frozen=True)
class Values:
    """What is ranked.

    Attributes
    ----------
    criteria : tuple of Criterion, length k
    replicas : tuple of str, length n
    table : array of floats, n x k
        Means over `places`; NaN where `reasons` says why.
    places : tuple of tuples of Place, length k
        What all replicas that have the metric were measured on.
    left_out : tuple of int, length k
        Places that were not measured on all of them.
    reasons : dict of (replica, criterion) to str
    """

    criteria: tuple[Criterion, ...]
    replicas: tuple[str, ...]
    table: Floats
    places: tuple[tuple[Place, ...], ...]
    left_out: tuple[int, ...]
    reasons: dict[tuple[str, str], str]

    def to_frame(self) -> pd.DataFrame:
        """Return the values as a frame: one row a replica, one column a criterion."""
        return pd.DataFrame(
            self.table,
            index=pd.Index(self.replicas, name="replica"),
            columns=pd.Index([one.name for one in self.criteria], name="metric"),
        )

    def without(self, names: Iterable[str]) -> Values:
        """Return the values without some criteria."""
        left = set(names)
        keep = [j for j, one in enumerate(self.criteria) if one.name not in left]
        return Values(
            tuple(self.criteria[j] for j in keep),
            self.replicas,
            self.table[:, keep],
            tuple(self.places[j] for j in keep),
            tuple(self.left_out[j] for j in keep),
            {key: why for key, why in self.reasons.items() if key[1] not in left},
        )


def entries_of(review: Review, criteria: Sequence[Criterion]) -> list[Entry]:
    """Return the measurements of a review that some criteria are made of, means over syntheses."""
    frame = review.mean_rows()
    rows = frame["metric"].isin([one.metric for one in criteria])
    seen: Counter[tuple[str, str, str, str, tuple[str, ...]]] = Counter()
    out = []
    frame = frame.assign(scenario=frame["scenario"].fillna(frame["model"]).fillna(frame["rule"]))
    columns = ("replica", "metric", "scenario", "target", "variables", "value", "reason")
    for replica, metric, scenario, target, variables, value, reason in zip(
        *(frame.loc[rows, name] for name in columns), strict=True
    ):
        key = (replica, metric, scenario or "", target or "", tuple(variables))
        place = (*key[2:], seen[key])
        seen[key] += 1
        out.append(Entry(replica, metric, place, float(value), reason or ""))
    return out


def collect(
    entries: Iterable[Entry], criteria: Sequence[Criterion], replicas: Sequence[str]
) -> Values:
    """Reduce measurements to one value a replica and criterion.

    Means over different tables or targets could not be compared, so only places count at which
    every replica that has the metric at all has a value.

    Examples
    --------
    >>> from sdcmetrics.ranking.criteria import criterion
    >>> entries = [
    ...     Entry("a", "DCAP", ("s", "income", (), 0), 20.0),
    ...     Entry("a", "DCAP", ("s", "vote", (), 0), 60.0),
    ...     Entry("b", "DCAP", ("s", "income", (), 0), 30.0),
    ... ]
    >>> found = collect(entries, [criterion("DCAP")], ["a", "b"])
    >>> found.table.tolist(), found.left_out
    ([[20.0], [30.0]], (1,))
    """
    by_metric: dict[str, dict[str, dict[Place, Entry]]] = {}
    for entry in entries:
        of_metric = by_metric.setdefault(entry.metric, {})
        of_metric.setdefault(entry.replica, {})[entry.place] = entry
    table = np.full((len(replicas), len(criteria)), math.nan)
    places: list[tuple[Place, ...]] = []
    left_out: list[int] = []
    reasons: dict[tuple[str, str], str] = {}
    for j, one in enumerate(criteria):
        found = {
            replica: _of(one, by_metric.get(one.metric, {}).get(replica, {}))
            for replica in replicas
        }
        known = {
            replica: {place: e.value for place, e in rows.items() if not math.isnan(e.value)}
            for replica, rows in found.items()
        }
        having = [values for values in known.values() if values]
        every = dict.fromkeys(place for values in having for place in values)
        common = tuple(place for place in every if all(place in values for values in having))
        places.append(common)
        left_out.append(len(every) - len(common))
        for i, replica in enumerate(replicas):
            if known[replica] and common:
                table[i, j] = _mean([known[replica][place] for place in common])
            elif known[replica]:
                reasons[replica, one.name] = "no table or target has a value for every replica"
            else:
                why = next((e.reason for e in found[replica].values() if e.reason), "")
                reasons[replica, one.name] = why or "it was not measured"
    return Values(tuple(criteria), tuple(replicas), table, tuple(places), tuple(left_out), reasons)


def mean_at(entries: Iterable[Entry], values: Values, replicas: Sequence[str]) -> Floats:
    """Return means of other data sets over the places of `values`; NaN where one is missing.

    Shape: replicas x criteria.
    """
    metrics = {one.metric for one in values.criteria}
    found: dict[tuple[str, str, Place], float] = {}
    for entry in entries:
        if entry.metric in metrics:
            found.setdefault((entry.replica, entry.metric, _place(entry)), entry.value)
            found.setdefault((entry.replica, entry.metric, entry.place), entry.value)
    table = np.full((len(replicas), len(values.criteria)), math.nan)
    for i, replica in enumerate(replicas):
        for j, (one, places) in enumerate(zip(values.criteria, values.places, strict=True)):
            parts = [found.get((replica, one.metric, place), math.nan) for place in places]
            if parts:
                table[i, j] = _mean(parts)
    return table


def _of(criterion: Criterion, rows: dict[Place, Entry]) -> dict[Place, Entry]:
    out: dict[Place, Entry] = {}
    for place, entry in rows.items():
        failed = bool(entry.reason) and not place[2]  # a row for all tables that were not made
        if criterion.ways is not None and len(place[2]) != criterion.ways and not failed:
            continue
        out.setdefault(_place(entry) if criterion.over == "scenarios" else place, entry)
    return out


def _place(entry: Entry) -> Place:
    """Return the place of a measure that is the same for every target of a scenario."""
    return (entry.place[0], "", entry.place[2], 0)


def _mean(parts: Sequence[float]) -> float:
    return math.fsum(parts) / len(parts)
