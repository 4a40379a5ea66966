"""Facts of a decision as plain values, from which another profile decides anew.

What follows from a profile's own limits is left out: it is judged anew. Facts that were measured by
other rules than a profile's are not judged by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any, Literal, TypeVar

from sdcmetrics.decision.limits import Grounds, Limited, limit_facts
from sdcmetrics.decision.state import (
    OTHER_RULES,
    ExcessFacts,
    IdentifierFacts,
    PeopleFacts,
    State,
    TableFacts,
)
from sdcmetrics.decision.statement import Value
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.study.limits import ExcessRule, TableRule

F = TypeVar("F", PeopleFacts, IdentifierFacts, ExcessFacts, TableFacts)

_RULES_OF_TABLES = ("review", "chance", "size_review", "size_fail")
_RULES_OF_EXCESS = ("metrics", "excess", "chance", "excess_share")


_STORED = {"questions": "asked"}
"""Facts of an excess that results on disk have under another name."""


_WORDS = {
    "excess_unused": "",
    "in_part": "",
    "tables_unused": "",
    "holds": "It holds",
    "its": "Its records",
    "whom": "the people in the original",
    "others": "people who were not in it",
}
"""Words of sentences that results on disk may lack: earlier versions said no more."""


def record(state: State, tables: TableRule | None, excess: ExcessRule | None) -> dict[str, Any]:
    """Return facts as plain values, with the rules by which they were measured."""
    claims = [claim.name for claim in Claim if claim in state.people.claims]
    people = asdict(state.people) | {"claims": claims}
    return {
        "people": people,
        "identifiers": asdict(state.identifiers),
        "excess": {_STORED.get(name, name): fact for name, fact in asdict(state.excess).items()},
        "tables": asdict(state.tables),
        "census": state.census,
        "of_holdout": state.of_holdout,
        "kept": state.kept,
        "lacking": state.lacking,
        "intruder": state.intruder,
        "epsilon": state.epsilon,
        "words": {name: _text(value) for name, value in state.words.items()},
        "rules": {"tables": _rules(tables), "excess": _rules(excess)},
    }


def recalled(
    facts: Mapping[str, Any],
    limited: Iterable[Limited],
    *,
    tables: TableRule | None,
    excess: ExcessRule | None,
    judge: Literal["either", "both"] = "either",
) -> State:
    """Return the state of recorded facts under the limits and rules of a profile.

    Parameters
    ----------
    facts : mapping, as `record` gives it
    limited : iterable of Limited
        What limits say of the measurements.
    tables, excess : rules of the profile, or None
    judge : "either" or "both"
        With "both" a limit counts by itself, as single questions are not recorded.
    """
    words: dict[str, Value] = {**_WORDS, **facts["words"]}
    people = dict(facts["people"]) | {
        "claims": frozenset(Claim[name] for name in facts["people"]["claims"])
    }
    of_excess = _excess(facts, excess)
    of_tables = _tables(facts, tables)
    grounds = Grounds(limited=tuple(limited), judge=judge)
    limits = {
        part: limit_facts(grounds, part, words)
        for part in ("limits", "table_limits", "rules", "models")
    }
    return State(
        people=_of(PeopleFacts, people),
        identifiers=_of(IdentifierFacts, facts["identifiers"]),
        excess=of_excess,
        tables=of_tables,
        census=bool(facts["census"]),
        of_holdout=facts.get("of_holdout", False),  # earlier results have none of these
        kept=facts.get("kept", False),
        lacking=facts.get("lacking", False),
        intruder=facts.get("intruder", ""),
        epsilon=facts.get("epsilon", ""),
        words=words,
        **limits,
    )


def _of(kind: type[F], facts: Mapping[str, Any]) -> F:
    """Return facts of a kind; what only earlier versions recorded is left out."""
    names = {entry.name for entry in fields(kind)}
    return kind(**{name: fact for name, fact in facts.items() if name in names})


def _excess(facts: Mapping[str, Any], rule: ExcessRule | None) -> ExcessFacts:
    if rule is None:
        return ExcessFacts()
    if _rules(rule) != facts["rules"]["excess"]:
        return ExcessFacts(status=Status.NOT_JUDGED, reason=OTHER_RULES)
    names = {stored: name for name, stored in _STORED.items()}
    recorded = _of(
        ExcessFacts, {names.get(name, name): fact for name, fact in facts["excess"].items()}
    )
    return (
        recorded if recorded.status == "off" else replace(recorded, status=Status(recorded.status))
    )


def _tables(facts: Mapping[str, Any], rule: TableRule | None) -> TableFacts:
    if rule is None:
        return TableFacts()
    if _rules(rule) != facts["rules"]["tables"]:
        return TableFacts(status=Status.NOT_JUDGED, reason=OTHER_RULES)
    recorded = _of(TableFacts, facts["tables"])
    return (
        recorded if recorded.status == "off" else replace(recorded, status=Status(recorded.status))
    )


def _rules(rule: TableRule | ExcessRule | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    names = _RULES_OF_TABLES if isinstance(rule, TableRule) else _RULES_OF_EXCESS
    values = {name: getattr(rule, name) for name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


def _text(value: Value) -> str | int:
    if isinstance(value, int):
        return value
    return "".join(map(str, value)) if isinstance(value, tuple) else str(value)
