"""JSON from a safe report: the same content as the HTML, for machines."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.safety.cells import AnyTable, Sentence, Words, as_name
from sdcmetrics.report.safety.rows import as_rows, rows_of

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_BETWEEN = "\0"
"""Between entries of a list; no entry is this text."""
_AT_ONCE = 1_000
"""Entries of a list that are encoded at a time."""
_LONGEST = 10_000
"""Rows above which a table is in its file only: all pairs of 140 variables."""


def as_json(report: SafeReport) -> str:
    """Return the report as JSON. Hidden values are absent; `not_shown` names them.

    `in_files_only` names the tables that are too long for it, with their number of rows.
    """
    return "".join(json_parts(report))


def json_parts(report: SafeReport) -> Iterator[str]:
    """Yield the same part by part: of wide data the whole is there once and not several times."""
    document, between = _document(report), "{\n"
    for key in [*document]:
        yield f"{between}{_text(key)}: "
        yield from _value(document.pop(key))
        between = ",\n"
    yield "\n}\n"


def read_answers(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the answers in the lines of a JSON of `as_json`, whose tables are left unread."""
    rest = itertools.dropwhile(lambda line: not line.startswith('"answers": ['), lines)
    text = "".join(itertools.takewhile(lambda line: not line.startswith("]"), rest))
    answers: list[dict[str, Any]] = json.loads("{" + text + "]}")["answers"]
    return answers


def as_document(report: SafeReport) -> dict[str, Any]:
    """Return what the JSON holds, as plain lists and dicts."""
    document = _document(report)
    return {key: list(v) if isinstance(v, Iterator) else v for key, v in document.items()}


def _document(report: SafeReport) -> dict[str, Any]:
    """Return the same with the rows of long tables still to be made."""
    decision = report.decision
    people = {name.full for name in decision.people}
    return {
        "format": 2,
        "classification": report.mode,
        "title": report.title.full,
        "date": report.date,
        "profile": report.profile_title,
        "answers": [
            {
                "question": answer.question,
                "answer": _full(answer.short),
                "status": answer.status.value,
                "replicas": [_sentence(item) for item in answer.replicas],
                "sentences": [_sentence(item) for item in answer.sentences],
                "rests": [_full(item.words) for item in answer.rests],
            }
            for answer in decision.answers
        ],
        "replicas": as_rows(decision.grid),
        "decision": [
            {**decision_, "people": "yes" if decision_["replica"] in people else "no"}
            for decision_ in decision.decided
        ],
        "what_to_do": as_rows(report.to_do.table),
        "effect_of_remedies": as_rows(report.to_do.effect),
        "findings": [
            _sentence(item) for finding in decision.findings for item in finding.sentences
        ],
        "not_checked": [_full(item.words) for item in decision.unchecked],
        "scenarios": [
            {
                "name": _full(scenario.name),
                "description": scenario.description,
                "knows": [name.full for name in scenario.keys],
                "wants": [name.full for name in scenario.targets],
            }
            for scenario in report.scenarios
        ],
        "context": as_rows(report.context),
        "sample": next((_full(words) for what, words in report.facts if what == "Sample"), ""),
        "inputs": as_rows(report.inputs),
        "variables": as_rows(report.variables),
        "thresholds": as_rows(report.thresholds),
        "held_back": as_rows(report.suppression),
        "reproduce": as_rows(report.reproduce),
        "specific_utility_remarks": [
            {"formula": block.formula.full, "remark": _full(item.words)}
            for block in report.specific.blocks
            for item in block.problems
        ],
        "ranking_in_words": [
            _full(item.words)
            for item in (report.ranking.headline, *report.ranking.sure, *report.ranking.notes)
            if item is not None
        ],
        **_proof(report),
        "in_files_only": {
            name: len(table) for name, table in report.exports.items() if _long(name, table)
        },
        **{
            name: rows_of(table) for name, table in report.exports.items() if not _long(name, table)
        },
    }


def _long(name: str, table: AnyTable) -> bool:
    """Whether a table is for its file only; the measurements are what others read from here."""
    return name != "measurements" and len(table) > _LONGEST


def _value(value: Any) -> Iterator[str]:
    """Yield a value; a list with a line per entry, which is as short as it is fast."""
    if not isinstance(value, list | Iterator):
        yield _text(value)
        return
    entries, between = iter(value), "[\n "
    while some := list(itertools.islice(entries, _AT_ONCE)):
        # Many at once: an entry at a time takes twice as long.
        text = _text([part for entry in some for part in (_BETWEEN, entry)][1:])
        yield between + text[1:-1].replace(f", {_text(_BETWEEN)}, ", ",\n ")
        between = ",\n "
    yield "[]" if between[0] == "[" else "\n]"


def _text(value: Any) -> str:
    return _ENCODER.encode(value)


def _proof(report: SafeReport) -> dict[str, Any]:
    """Return what the cross-check found, where it was asked for."""
    if report.proof is None:
        return {}
    proof = report.proof
    return {
        "proof": {
            "outcome": [_full(item.words) for item in proof.outcome],
            "versions": as_rows(proof.versions),
            "verdicts": as_rows(proof.verdicts),
            "not_compared": as_rows(proof.reasons),
        }
    }


def _sentence(item: Sentence) -> dict[str, str]:
    status = item.status.value if item.status else ""
    return {"status": status, "finding": _full(item.words)}


def _full(words: Words) -> str:
    return as_name(words).full
