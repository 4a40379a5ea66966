"""One value per replica and criterion: the mean over what every replica was measured on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.ranking.phrase import Phrase, listed, plain_text
from sdcmetrics.review.judge import rows_of, size_scale
from sdcmetrics.review.review import Review
from sdcmetrics.study.criteria import Criterion, refuse
from sdcmetrics.study.weights import Weights


class Place(NamedTuple):
    """Where a measurement was made; `nth` tells rows apart whose names are the same, from 0."""

    scenario: str = ""
    target: str = ""
    model: str = ""
    rule: str = ""
    variables: tuple[str, ...] = ()
    nth: int = 0


class Entry(NamedTuple):
    """One measurement of a replica, and where it was made; NaN where `reason` says why."""

    replica: str
    metric: str
    place: Place
    value: float
    reason: str = ""


@dataclass(frozen=True)
class Values:
    """Values of the replicas, one per criterion.

    Attributes
    ----------
    criteria : tuple of Criterion, length k
    replicas : tuple of str, length n
    table : array of floats, n x k
        Means over `places`; NaN where `reasons` says why.
    places : tuple of tuples of Place, length k
        What all replicas that have the measure were measured on.
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
        """Return the values as a frame: one row per replica, one column per criterion."""
        names = pd.Index([criterion.name for criterion in self.criteria], name="metric")
        return pd.DataFrame(self.table, pd.Index(self.replicas, name="replica"), names)

    def only(self, keep: Sequence[int]) -> Values:
        """Return the values of some criteria."""
        criteria, places, left_out = (
            tuple(of[j] for j in keep) for of in (self.criteria, self.places, self.left_out)
        )
        table = self.table[:, list(keep)]
        return Values(criteria, self.replicas, table, places, left_out, self.reasons)  # type: ignore[arg-type]


_NAMES = ("scenario", "target", "model", "rule")
_READ = ("replica", "metric", "value", "variables", "reason", "shown", *_NAMES)


def list_entries(
    rows: Iterable[Mapping[str, Any]], inputs: Iterable[tuple[str, str, float]]
) -> list[Entry]:
    """Return measurements from rows that have the columns of `Review.frame`.

    `inputs` has role, name and number of records of each data set: what grows with a replica, as
    S_pMSE does, is compared as that of a replica of the original's size. Otherwise the smallest of
    several fresh samples would be the best.
    """
    scale = size_scale(inputs)
    occurrences: Counter[tuple[str, str, Place]] = Counter()
    out = []
    for row in rows:
        replica, metric, given = str(row["replica"]), str(row["metric"]), row.get("value")
        names = [str(row.get(name) or "") for name in _NAMES]
        place = Place._make([*names, tuple(row.get("variables") or ()), 0])
        nth = occurrences[replica, metric, place]
        occurrences[replica, metric, place] += 1
        value = math.nan if given is None else float(given) * scale(replica, MEASURES[metric])
        why = str(row.get("reason") or row.get("shown") or "") if math.isnan(value) else ""
        out.append(Entry(replica, metric, place._replace(nth=nth) if nth else place, value, why))
    return out


def review_entries(review: Review, criteria: Sequence[Criterion]) -> list[Entry]:
    """Return the measurements behind some criteria, means over syntheses."""
    metrics = [criterion.metric for criterion in criteria]
    rows = (dict(zip(_READ, row, strict=True)) for row in rows_of(review, metrics, _READ))
    return list_entries(rows, ((data.role, data.name, data.n) for data in review.inputs))


def collect(
    entries: Sequence[Entry], criteria: Sequence[Criterion], replicas: Sequence[str]
) -> Values:
    """Reduce measurements to one value per replica and criterion.

    Means over different tables or targets could not be compared, so only places count at which
    every replica that has the measure at all has a value.

    Examples
    --------
    >>> from sdcmetrics.study.criteria import criterion
    >>> entries = [
    ...     Entry("a", "DCAP", Place("s", "income"), 20.0),
    ...     Entry("a", "DCAP", Place("s", "vote"), 60.0),
    ...     Entry("b", "DCAP", Place("s", "income"), 30.0),
    ... ]
    >>> result = collect(entries, [criterion("DCAP")], ["a", "b"])
    >>> result.table.tolist(), result.left_out
    ([[20.0], [30.0]], (1,))
    """
    groups = _group(entries)
    places: list[tuple[Place, ...]] = []
    left_out: list[int] = []
    reasons: dict[tuple[str, str], str] = {}
    for criterion in criteria:
        rows = {
            replica: _at(criterion, groups.get((replica, criterion.metric), []))
            for replica in replicas
        }
        places_of = {
            replica: [place for place, e in of.items() if not math.isnan(e.value)]
            for replica, of in rows.items()
        }
        having = [set(of) for of in places_of.values() if of]
        every = dict.fromkeys(place for of in places_of.values() for place in of)
        common = tuple(place for place in every if all(place in of for of in having))
        places.append(common)
        left_out.append(len(every) - len(common))
        for replica, of in rows.items():
            if not places_of[replica]:
                why = next((e.reason for e in of.values() if e.reason), "it was not measured")
                reasons[replica, criterion.name] = why
            elif not common:
                reasons[replica, criterion.name] = (
                    "no table or target has a value for every replica"
                )
    empty = np.zeros((len(replicas), len(criteria)))
    collected = Values(
        tuple(criteria), tuple(replicas), empty, tuple(places), tuple(left_out), reasons
    )
    return replace(collected, table=mean_at(entries, collected, replicas))


def mean_at(entries: Sequence[Entry], values: Values, replicas: Sequence[str]) -> Floats:
    """Return means of other data sets over the places of `values`; NaN where one is missing.

    Shape: replicas x criteria.
    """
    groups = _group(entries)
    table = np.full((len(replicas), len(values.criteria)), math.nan)
    for i, replica in enumerate(replicas):
        for j, (criterion, at) in enumerate(zip(values.criteria, values.places, strict=True)):
            rows = _at(criterion, groups.get((replica, criterion.metric), []))
            if at and all(place in rows for place in at):
                table[i, j] = math.fsum(rows[place].value for place in at) / len(at)
    return table


def drop_missing(
    values: Values, weights: Weights, *, missing: str
) -> tuple[Values, Weights, tuple[Phrase, ...]]:
    """Return the values without replicas and criteria that cannot be ranked, and notes on them.

    Raises
    ------
    StudyError
        If nothing is left.
    """
    keep: list[int] = []
    notes: list[Phrase] = []
    for j, criterion in enumerate(values.criteria):
        empty = np.isnan(values.table[:, j])
        lacking = [replica for replica, is_so in zip(values.replicas, empty, strict=True) if is_so]
        gone = empty.all() or (lacking and missing == "leave out")
        if not gone:
            keep.append(j)
        if lacking:
            of = ("any replica",) if empty.all() else listed(lacking)
            says = (
                "is left out, for want of a value for" if gone else "ranks last, having no value,"
            )
            notes.append(
                (
                    f"{criterion.name} {says} ",
                    *of,
                    f": {values.reasons[lacking[0], criterion.name]}",
                )
            )
    if not keep:
        reasons_ = "; ".join(plain_text(note) for note in notes)
        refuse(
            f"no metric has a value for every replica: {reasons_}. With missing = 'last' a replica "
            "without a value is ranked last."
        )
    for j in keep:
        criterion, count = values.criteria[j], values.left_out[j]
        noun = ("variables" if criterion.ways == 1 else criterion.over).removesuffix(
            "s" if count == 1 else "-"
        )
        if count:
            words = f"{criterion.name}: {count} {noun} without a value for some replica, left out"
            words += " for all"
            notes.append((words,))
    fewer = weights.only([values.criteria[j].name for j in keep])
    return values.only(keep), fewer, (*notes, *((note,) for note in fewer.notes))


def _group(entries: Iterable[Entry]) -> dict[tuple[str, str], list[Entry]]:
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.replica, entry.metric), []).append(entry)
    return groups


def _at(criterion: Criterion, entries: Iterable[Entry]) -> dict[Place, Entry]:
    """Return the entries of a criterion by place; of some criteria one per scenario."""
    out: dict[Place, Entry] = {}
    for entry in entries:
        place = entry.place
        failed = bool(entry.reason) and not place.variables  # of all tables that were not made
        if criterion.ways is not None and len(place.variables) != criterion.ways and not failed:
            continue
        once = place._replace(target="", nth=0) if criterion.measure.any_target else place
        out.setdefault(once, entry)
    return out
