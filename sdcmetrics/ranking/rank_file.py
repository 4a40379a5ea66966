"""Rank replicas by the results of a review that were written to a file."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.rules import Rules
from sdcmetrics.ranking.strategies import check_strategy
from sdcmetrics.ranking.values import Entry, collect
from sdcmetrics.ranking.weights import make_weights

__all__ = ["rank_file"]

_BETWEEN = " | "


def rank_file(
    path: str | Path,
    *,
    weights: Mapping[str, float] | None = None,
    metrics: Mapping[str, Any] | None = None,
    strategy: str = "rank",
    missing: str = "leave out",
    seed: int = 1,
) -> Ranking:
    """Rank the replicas of a review.json, of either mode; nothing is measured.

    A release's file has rounded values and none that are held back, so its ranks can tie where
    those of the review do not. References and draws need the data: rank the study for these.

    Raises
    ------
    FileError
        If the file cannot be read.
    StudyError
        If it holds no measurements, or the strategy needs references.
    """
    file = Path(path)
    entries = _entries(_measurements(file))
    models = any(entry.metric == "CIO_weighted" for entry in entries)
    wanted = make_weights(weights, metrics, models=models)
    replicas = tuple(dict.fromkeys(entry.replica for entry in entries))
    values = collect(entries, wanted.criteria, replicas)
    return rank_values(values, wanted, Rules(check_strategy(strategy), missing, seed=seed))


def _measurements(file: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{file}: the file cannot be opened ({error.strerror})."
        raise FileError(msg) from None
    except ValueError:
        msg = f"{file.name}: expected the results of a review (JSON), such as review.json."
        raise FileError(msg) from None
    rows = found.get("measurements") if isinstance(found, dict) else None
    if not isinstance(rows, list) or not rows or not all(map(_is_measurement, rows)):
        msg = (
            f"{file.name}: there are no measurements in this file. Expected the review.json that "
            "'sdcmetrics review' writes, or a study file."
        )
        raise StudyError(msg)
    table = found.get("variables")
    known = [
        str(row.get("variable", ""))
        for row in (table if isinstance(table, list) else [])
        if isinstance(row, dict)
    ]
    return [
        {**row, "variables": _names(row.get("variables", ()), known)}
        for row in rows
        if not row.get("synthesis")
    ]


def _is_measurement(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and {"replica", "metric"} <= row.keys()
        and isinstance(row.get("value"), int | float | None)
        and isinstance(row.get("variables", ""), str | list)
    )


def _entries(rows: Sequence[Mapping[str, Any]]) -> list[Entry]:
    seen: Counter[tuple[Any, ...]] = Counter()
    out = []
    for row in rows:
        replica, metric = str(row["replica"]), str(row["metric"])
        place = (str(row.get("scenario", "")), str(row.get("target", "")), row["variables"])
        key = (replica, metric, *place)
        value = row.get("value")
        why = str(row.get("reason") or row.get("shown") or "")
        out.append(
            Entry(
                replica,
                metric,
                (*place, seen[key]),
                math.nan if value is None else float(value),
                why if value is None else "",
            )
        )
        seen[key] += 1
    return out


def _names(variables: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a table's variables; a name may hold what stands between names."""
    if not isinstance(variables, str):
        return tuple(str(name) for name in variables)
    if not variables:
        return ()
    parts = variables.split(_BETWEEN)
    if len(parts) == 1 or all(part in known for part in parts):
        return tuple(parts)
    for i in range(len(parts), 0, -1):
        head = _BETWEEN.join(parts[:i])
        if head in known:
            rest = _BETWEEN.join(parts[i:])
            return (head, *_names(rest, known))
    return tuple(parts)
