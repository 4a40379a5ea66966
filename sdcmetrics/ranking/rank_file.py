"""Rank replicas by the results of a review that were written to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdcmetrics.decision.choice import verdict_of
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.values import collect, list_entries
from sdcmetrics.study.criteria import default_metrics
from sdcmetrics.study.ranking import RankingOptions, make_ranking
from sdcmetrics.study.weights import make_weights

_BETWEEN = " | "


def rank_file(
    path: str | Path,
    *,
    weights: Mapping[str, float] | None = None,
    metrics: Mapping[str, Any] | None = None,
    strategy: str = RankingOptions.strategy,
    seed: int = RankingOptions.seed,
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
    rows, inputs, verdicts = _measurements(Path(path))
    entries = list_entries(rows, _sizes(inputs, {str(row["replica"]) for row in rows}))
    specific = default_metrics("specific")
    models = any(entry.metric in specific for entry in entries)
    given = {"strategy": strategy, "seed": seed}
    options = make_ranking(given, models=models)
    wanted = make_weights(weights, metrics, models=models)
    replicas = tuple(dict.fromkeys(entry.replica for entry in entries))
    ranking = rank_values(collect(entries, wanted.criteria, replicas), wanted, options)
    return replace(ranking, verdicts={name: verdicts.get(name, "") for name in replicas})


def _measurements(
    file: Path,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, str]]:
    """Return the measurements of replicas, the data sets, and in brief what is decided."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{file}: the file cannot be opened ({error.strerror})."
        raise FileError(msg) from None
    except (ValueError, RecursionError):
        msg = f"{file.name}: expected the results of a review (JSON), such as review.json."
        raise FileError(msg) from None
    rows, variables = (_dicts(document, name) for name in ("measurements", "variables"))
    if not rows or not all(map(_is_measurement, rows)):
        msg = (
            f"{file.name}: there are no measurements in this file. Expected the review.json that "
            "'sdcmetrics review' writes, or a study file."
        )
        raise StudyError(msg)
    names = [str(row.get("variable", "")) for row in variables]
    whole = [
        {**row, "variables": _names(row.get("variables", ()), names)}
        for row in rows
        if not row.get("synthesis")
    ]
    return whole, _dicts(document, "inputs"), dict(map(_verdict, _dicts(document, "decision")))


def _verdict(row: dict[str, Any]) -> tuple[str, str]:
    """Return the name of a replica and its verdict."""
    statuses = []
    for question in ("risk", "utility"):
        part = row.get(question)
        word = part.get("status") if isinstance(part, dict) else None
        statuses.append(next((status for status in Status if status == word), Status.NOT_JUDGED))
    return str(row.get("replica", "")), verdict_of(*statuses)


def _sizes(
    inputs: Sequence[dict[str, Any]], replicas: set[str]
) -> Iterator[tuple[str, str, float]]:
    """Yield role, name and records of the data sets; a report lists the original first."""
    for i, row in enumerate(inputs):
        name, records = str(row.get("data_set", row.get("name"))), row.get("records")
        if isinstance(records, int | float):
            of = name if name in replicas else name.rpartition(", synthesis ")[0]
            role = "original" if i == 0 else "replica" if of in replicas else "holdout"
            yield str(row.get("role", role)), of, float(records)


def _dicts(document: Any, name: str) -> list[dict[str, Any]]:
    listed = document.get(name) if isinstance(document, dict) else None
    return [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []


def _is_measurement(row: dict[str, Any]) -> bool:
    return (
        all(isinstance(row.get(name), str) for name in ("replica", "metric"))
        and isinstance(row.get("value"), int | float | None)
        and isinstance(row.get("variables", ""), str | list)
    )


def _names(variables: Any, variable_names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a table's variables; a name may hold what stands between names."""
    if not isinstance(variables, str):
        return tuple(str(name) for name in variables)
    parts, names = variables.split(_BETWEEN) if variables else [], []
    whole = [1] if all(part in variable_names for part in parts) else range(len(parts), 0, -1)
    while parts:
        size = next((i for i in whole if _BETWEEN.join(parts[:i]) in variable_names), 1)
        names.append(_BETWEEN.join(parts[:size]))
        parts = parts[size:]
    return tuple(names)
