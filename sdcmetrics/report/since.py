"""Changes from one review to the next: verdicts, measurements, data, options, versions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.report.results_file import ResultsFile, read_results
from sdcmetrics.results import Readable
from sdcmetrics.review.judge import Status

_PLACE = ("replica", "metric", "scenario", "target", "variables")
CHIEF = ("repU", "DiSCO")
"""Measures of who is found, and of what is learnt, that are told first."""
_TIMES = ("Made at", "Seconds", "Slowest steps")
_SAME = 1e-9
"""Relative difference up to which two values are one: other versions add in another order."""
_OF_ORIGINAL = "/ N_d"
"""How the formula of a share of the original's records ends."""
_ORDER = [status.value for status in Status]


@dataclass(frozen=True)
class Changes(Readable, shows=("worse", "verdicts", "measurements"), table="measurements"):
    """The differences of a review from an earlier one.

    Attributes
    ----------
    verdicts : DataFrame
        One row per replica and question that has another status now: replica, question ("risk" or
        "utility"), before, after. A replica that is new or gone has no status on one side.
    measurements : DataFrame
        One row per measurement with another value or status: replica, metric, scenario, target,
        variables, before, after, status_before, status_after, change ("better", "worse",
        "neither", "new" or "gone") and people (by how many records of the original a share of them
        changed; else NaN). First what is told of most people, the chief measures before others;
        then the largest relative change.
    data : DataFrame
        Records, columns, file name and digest that differ: data_set, what, before, after.
    settings : DataFrame
        Options, versions, profile and limits that differ: what, before, after.
    """

    verdicts: pd.DataFrame
    measurements: pd.DataFrame
    data: pd.DataFrame
    settings: pd.DataFrame

    @property
    def moved(self) -> pd.DataFrame:
        """The measurements that are better or worse, once where they are the same for targets."""
        rows = self.measurements[self.measurements["change"].isin(["better", "worse"])]
        same = [name for name, measure in MEASURES.items() if measure.any_target]
        rows = rows.assign(target=rows["target"].mask(rows["metric"].isin(same), ""))
        return rows.drop_duplicates([*_PLACE])

    @property
    def worse(self) -> bool:
        """Whether a verdict, or the status of a measurement, is worse than it was."""
        statuses = self.measurements[["status_before", "status_after"]].to_numpy().tolist()
        answers = self.verdicts[["before", "after"]].dropna().to_numpy().tolist()
        return any(_worse(before, after) for before, after in statuses) or any(
            _ORDER.index(after) > _ORDER.index(before) for before, after in answers
        )


@checked
def compare_results(old: str | Path, new: str | Path) -> Changes:
    """Compare the results of two reviews, by their review.json or the folders that hold them.

    Parameters
    ----------
    old, new : str or Path
        Of the same mode: a release rounds values.

    Raises
    ------
    FileError
        If a file cannot be read.
    StudyError
        If one is no review.json, or the modes differ.
    """
    before, after = read_results(old), read_results(new)
    modes = [results.document["classification"] for results in (before, after)]
    if modes[0] != modes[1]:
        msg = (
            f"{before.path} is {modes[0]} and {after.path} is {modes[1]}: a release rounds what it "
            "tells, so the two cannot be compared. Take two of one mode."
        )
        raise StudyError(msg)
    return changes(before, after)


def changes(before: ResultsFile, after: ResultsFile) -> Changes:
    """Return the differences between two documents of one mode."""
    return Changes(
        _verdicts(before, after),
        _measurements(before, after),
        _data(before, after),
        _settings(before, after),
    )


def _verdicts(old: ResultsFile, new: ResultsFile) -> pd.DataFrame:
    sides = [
        {
            (entry["replica"], what): entry[what]["status"]
            for entry in of.document["decision"]
            for what in _ASKED
        }
        for of in (old, new)
    ]
    rows = [(*key, *pair) for key, pair in _pairs(*sides) if pair[0] != pair[1]]
    return pd.DataFrame(rows, columns=["replica", "question", "before", "after"])


_ASKED = ("risk", "utility")


def _measurements(old: ResultsFile, new: ResultsFile) -> pd.DataFrame:
    sides: list[dict[tuple[str, ...], dict[str, Any]]] = []
    for of in (old, new):
        by_place: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in of.document["measurements"]:
            by_place[tuple(row.get(name, "") for name in _PLACE)] = row
        sides.append(by_place)
    rows = []
    for place, (first, other) in _pairs(*sides):
        before, after = (_value(side) for side in (first, other))
        statuses = [side.get("status", "") if side else "" for side in (first, other)]
        if first and other and _alike(before, after) and statuses[0] == statuses[1]:
            continue
        change = "new" if not first else "gone" if not other else _better(place[1], before, after)
        people = _people(place[1], before, after) * min(old.n_original, new.n_original)
        order = (_chief(place[1]) and people > 0, people if people > 0 else 0.0)
        rows.append(
            (*place, before, after, *statuses, change, people, *order, _size(before, after))
        )
    columns = [*_PLACE, "before", "after", "status_before", "status_after", "change", "people"]
    order_by = ["chief", "most", "size"]
    frame = pd.DataFrame(rows, columns=[*columns, *order_by])
    frame = frame.sort_values(order_by, ascending=False, kind="stable")
    return frame[columns].reset_index(drop=True)


def _people(metric: str, before: float, after: float) -> float:
    """Return by how much a share of the original's records changed; NaN for other measures."""
    measure = MEASURES.get(metric)
    if measure is None or not measure.formula.endswith(_OF_ORIGINAL):
        return math.nan
    return abs(after - before) / 100


def _chief(metric: str) -> bool:
    return metric in CHIEF


def _value(row: Mapping[str, Any] | None) -> float:
    return float(row.get("value", math.nan)) if row else math.nan


def _alike(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=_SAME) or (math.isnan(first) and math.isnan(second))


def _size(first: float, second: float) -> float:
    if math.isnan(first + second):
        return math.inf
    return abs(second - first) / max(abs(first), abs(second), 1e-300)


def _better(metric: str, before: float, after: float) -> str:
    measure = MEASURES.get(metric)
    if measure is None or measure.better == "none" or math.isnan(before + after):
        return "neither"
    if _alike(before, after):
        return "neither"
    return "better" if (after < before) == (measure.better == "lower") else "worse"


def _worse(before: str | None, after: str | None) -> bool:
    """Whether the mark of a value is worse; to be judged no more, or only now, is neither."""
    if not before or not after or "not judged" in (before, after):
        return after == Status.FAIL.value and before != after
    return _ORDER.index(after) > _ORDER.index(before)


def _data(old: ResultsFile, new: ResultsFile) -> pd.DataFrame:
    sides = [
        {
            (entry["data_set"], what): str(entry[what])
            for entry in of.document["inputs"]
            for what in ("records", "columns", "source", "sha256")
            if what in entry
        }
        for of in (old, new)
    ]
    rows = [(*key, *pair) for key, pair in _pairs(*sides) if pair[0] != pair[1]]
    return pd.DataFrame(rows, columns=["data_set", "what", "before", "after"])


def _settings(old: ResultsFile, new: ResultsFile) -> pd.DataFrame:
    sides = [dict(_settings_of(of.document)) for of in (old, new)]
    rows = [(key, *pair) for key, pair in _pairs(*sides) if pair[0] != pair[1]]
    return pd.DataFrame(rows, columns=["what", "before", "after"])


def _settings_of(document: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for row in document.get("reproduce", ()):
        if row["what"] not in _TIMES:
            yield row["what"], str(row.get("value", ""))
    for row in document.get("thresholds", ()):
        for name in _LIMITS:
            if name in row:
                yield f"Limit on {row['measure']}, {name.replace('_', ' ')}", str(row[name])
    yield "Title", str(document.get("title", ""))
    for row in document.get("context", ()):
        what, *values = map(str, row.values())
        yield f"Context {what}", ", ".join(values)
    for scenario in document.get("scenarios", ()):
        knows, wants = ", ".join(scenario["knows"]), ", ".join(scenario["wants"])
        yield f"Scenario {scenario['name']}", f"{knows}; wants {wants}"


_LIMITS = ("review_beyond", "fail_beyond", "rule", "kind", "source", "owner", "date")


def _pairs(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterable[tuple[Any, tuple[Any, Any]]]:
    for key in dict.fromkeys([*old, *new]):
        yield key, (old.get(key), new.get(key))
