"""A review.json read again: its entries, and its measurements judged by another profile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.decision.answer import Decision, decide
from sdcmetrics.decision.record import recalled
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.digests import DIGESTS, is_as_listed
from sdcmetrics.review.decided import limited_of
from sdcmetrics.review.judge import Finding, judge
from sdcmetrics.review.review import InputSummary
from sdcmetrics.study.profile import Profile

_FORMAT = 2
_BETWEEN = " | "


@dataclass(frozen=True)
class ResultsFile:
    """The content of a review.json, in the shape that is judged.

    Attributes
    ----------
    path : Path
    document : dict
        As the schema says (docs/files.md).
    replicas : tuple of str
    inputs : tuple of InputSummary
    """

    path: Path
    document: dict[str, Any]
    replicas: tuple[str, ...]
    inputs: tuple[InputSummary, ...]

    @property
    def n_original(self) -> int:
        """Number of original records, as the file tells it."""
        return self.inputs[0].n

    def mean_rows(self) -> pd.DataFrame:
        """Return the measurements, one row each; those held back have no value."""
        rows = [_row(entry) for entry in self.document["measurements"]]
        return pd.DataFrame(rows).astype({"value": float, "count": float, "total": float})


def read_results(path: str | Path) -> ResultsFile:
    """Read a review.json, or the one in the folder that is named.

    Raises
    ------
    FileError
        If it cannot be read.
    StudyError
        If it is no review.json of this format, or was changed since the review wrote it.
    """
    file = Path(path)
    try:
        if file.is_dir():
            file /= "review.json"
        content = file.read_bytes()
    except FileNotFoundError:
        outside = " An edition for outside has none." if file.with_name(_OUTSIDE).exists() else ""
        msg = f"{file}: there is no such file. Name the folder of a review.{outside}"
        raise FileError(msg) from None
    except OSError as error:
        msg = f"{file}: the file cannot be opened ({error.strerror})."
        raise FileError(msg) from None
    except ValueError:
        msg = (
            f"{str(file)!r}: no file has a name with a null character. Name the folder of a review."
        )
        raise FileError(msg) from None
    if not is_as_listed(file, content):
        msg = (
            f"{file}: this file was changed since the review wrote it, as {DIGESTS} beside it "
            "says. Review the study again, or get the folder again from whoever wrote it."
        )
        raise StudyError(msg)
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):  # a hundred thousand nested lists
        document = None
    ours = isinstance(document, dict) and document.get("format") == _FORMAT
    if not ours or not _is_whole(document):
        raise _other_shape(file)
    return results_of(document, file)


def _other_shape(file: Path) -> StudyError:
    msg = (
        f"{file}: expected a review.json of format {_FORMAT}, as sdcmetrics review writes it. "
        "Review the study again."
    )
    return StudyError(msg)


def _is_whole(document: dict[str, Any]) -> bool:
    """Whether a document has the parts that are read, each of its own shape."""
    scenarios = document.get("scenarios", [])
    return (
        isinstance(document.get("classification"), str)
        and _lists(document.get("measurements"), "replica", "family", "metric", may=_OF_ROW)
        and _lists(document.get("inputs"), "data_set", may=_OF_INPUT)
        and bool(document["inputs"])
        and _lists(document.get("decision"), "replica")
        and _decides_on_all(document["decision"], document["measurements"])
        and all(
            isinstance(entry.get(name), dict) and _is_status(entry[name].get("status"))
            for entry in document["decision"]
            for name in ("risk", "utility")
        )
        and _lists(document.get("reproduce", []), "what")
        and _lists(document.get("thresholds", []), "measure")
        and _lists(document.get("context", []))
        and all(document.get("context", []))
        and _lists(scenarios, "name")
        and all(_texts(entry.get(name)) for entry in scenarios for name in ("knows", "wants"))
    )


def _decides_on_all(decision: list[Any], measurements: list[Any]) -> bool:
    """Whether there is one answer on each replica that was measured, so that none is left out."""
    replicas = [entry["replica"] for entry in decision]
    measured = {row["replica"] for row in measurements}
    return len(replicas) == len(set(replicas)) and measured <= set(replicas)


def _is_status(value: Any) -> bool:
    return isinstance(value, str) and value in _STATUSES


def _texts(entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(text, str) for text in entries)


def _lists(entries: Any, *names: str, may: Mapping[str, Any] | None = None) -> bool:
    """Whether it is a list of entries, each with texts of these names; and what it may have."""
    return isinstance(entries, list) and all(
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), str) for name in names)
        and all(
            isinstance(entry[name], kind) for name, kind in (may or {}).items() if name in entry
        )
        for entry in entries
    )


_OF_ROW = {
    **dict.fromkeys(("scenario", "keys", "target", "variables", "unit", "status"), str),
    "value": int | float,
}
_OF_INPUT = {"records": int, "columns": int, "source": str}
_STATUSES = frozenset(Status)
_OUTSIDE = "release.json"


def results_of(document: dict[str, Any], file: Path) -> ResultsFile:
    """Return the results of a parsed document; its file is only named in errors."""
    replicas = tuple(str(entry["replica"]) for entry in document["decision"])
    inputs = tuple(_input(entry, replicas) for entry in document["inputs"])
    return ResultsFile(file, document, replicas, inputs)


def judge_file(
    results: ResultsFile, profile: Profile
) -> tuple[tuple[Decision, ...], list[Finding]]:
    """Return the findings of a profile on the measurements of an internal review.json.

    What the review claimed of people of the original stays claimed. Its tests of tables and of
    excess hold for a profile that has the same rules; by others they are not judged.

    Raises
    ------
    StudyError
        If the file is a release, whose values are rounded: a limit could lie on the other side.
    """
    if results.document["classification"] != "internal":
        msg = (
            f"{results.path}: expected the review.json of an internal review, but this is a "
            "release, whose values are rounded. Judge the internal one."
        )
        raise StudyError(msg)
    if results.n_original < 1 or not results.document["measurements"]:
        raise _other_shape(results.path)
    findings = judge(results, profile)
    limited: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.threshold is not None:
            limited.setdefault(finding.replica, []).append(finding)
    decided = []
    for entry in results.document["decision"]:
        limits = limited_of(limited.get(entry["replica"], []))
        try:
            state = recalled(
                entry["facts"],
                limits,
                tables=profile.tables,
                excess=profile.excess,
                judge=profile.judge,
            )
            decided.append(decide(entry["replica"], state))
        except (KeyError, TypeError, ValueError, AttributeError):  # facts of another shape
            raise _other_shape(results.path) from None
    return tuple(decided), findings


def _input(row: dict[str, Any], replicas: tuple[str, ...]) -> InputSummary:
    name = str(row["data_set"])
    role = name.casefold()
    match = re.fullmatch(r"(.*), synthesis (\d+)", name)
    synthesis = 0
    if match and match[1] in replicas:
        name, synthesis = match[1], int(match[2])
    if name in replicas:
        role = "replica"
    # Of a release, the size may be held back.
    n, columns = (int(row.get(field, 0)) for field in ("records", "columns"))
    source, digest = row.get("source", ""), row.get("sha256")
    return InputSummary(role, name, synthesis, source, n, columns, digest)


def _row(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a measurement as a review has it: what is asked of goes where its kind has it."""
    metric = entry["metric"]
    per = MEASURES[metric].of.per if metric in MEASURES else ""
    question = entry.get("scenario", "")
    scenario = question if entry.get("keys") or per in ("target", "scenario") else ""
    rule = question if per == "rule" else ""
    parts = (tuple(filter(None, entry.get(name, "").split(_BETWEEN))) for name in _NAMES)
    keys, variables = parts
    return {
        "replica": entry["replica"],
        "family": entry["family"],
        "metric": metric,
        "scenario": scenario,
        "keys": keys,
        "target": entry.get("target", ""),
        "variables": variables,
        "model": "" if scenario or rule else question,
        "rule": rule,
        "value": entry.get("value", float("nan")),
        "unit": entry.get("unit", ""),
        "count": float("nan"),
        "total": float("nan"),
    }


_NAMES = ("keys", "variables")
