"""A rule as a user gives it: a text, and optionally a name and a description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.expressions.tree import Name, Node, columns_of, nodes_of
from sdcmetrics.measures.rules.parser import LANGUAGE, parse_rule
from sdcmetrics.microdata.frames import Microdata

_FIELDS = ("text", "name", "description")


@dataclass(frozen=True)
class Rule:
    """A relation that every record is to keep.

    Attributes
    ----------
    text : str
        In the language of `sdcmetrics.measures.rules.parser`, such as ``if employed == "no" then
        income == 0``.
    name, description : str
        For the report.
    """

    text: str
    name: str = ""
    description: str = ""

    @cached_property
    def node(self) -> Node:
        """The rule as a tree."""
        return parse_rule(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, in the order of the text."""
        return columns_of(self.node)

    def check_columns(self, data: Microdata) -> None:
        """Raise ColumnError, with a pointer, if the rule names a column that the data lack."""
        for node in nodes_of(self.node):
            if isinstance(node, Name) and node.text not in data.columns:
                hint = did_you_mean(node.text, data.columns)
                what = f"{node.text!r} is not a column of {data.source}.{hint}"
                end = node.at + len(str(node))
                raise LANGUAGE.wrong(self.text, what, node.at, end, ColumnError)


def make_rules(entries: Any) -> tuple[Rule, ...]:
    """Read rules given as texts, mappings with text, name and description, or `Rule`.

    Raises
    ------
    StudyError
        If one is no rule, or is given twice.

    Examples
    --------
    >>> [rule.columns for rule in make_rules(["a <= b", {"text": "c > 0", "name": "positive"}])]
    [('a', 'b'), ('c',)]
    """
    if isinstance(entries, str | Mapping | Rule):
        entries = [entries]
    if not isinstance(entries, Iterable):
        msg = f"rules: expected one rule or several but got {type(entries).__name__}."
        raise StudyError(msg)
    out: list[Rule] = []
    for entry in entries:
        rule = _rule(entry)
        if not rule.columns:
            what = "it names no column. A column goes without quotes, or between backticks"
            raise LANGUAGE.wrong(rule.text, what, 0, len(rule.text))
        if any(rule.node == other.node for other in out):
            msg = f"the rule '{rule.text}' is given more than once. Give it once."
            raise StudyError(msg)
        if rule.name and any(rule.name == other.name for other in out):
            msg = f"two rules are named {rule.name!r}. Give each a name of its own."
            raise StudyError(msg)
        out.append(rule)
    return tuple(out)


def _rule(entry: Any) -> Rule:
    if isinstance(entry, Rule):
        return entry
    if isinstance(entry, str):
        return Rule(entry.strip())
    if isinstance(entry, Mapping):
        for field in entry:
            if field not in _FIELDS:
                msg = f"rules: unknown entry {field!r}.{did_you_mean(str(field), _FIELDS)}"
                raise StudyError(msg)
        values = {field: entry.get(field, "") for field in _FIELDS}
        if isinstance(entry.get("text"), str) and all(isinstance(v, str) for v in values.values()):
            return Rule(values["text"].strip(), values["name"], values["description"])
    if isinstance(entry, Sequence) and not isinstance(entry, bytes):
        msg = "rules: expected texts, not lists of them. Give one list of texts."
        raise StudyError(msg)
    msg = (
        "rules: expected texts such as 'age_married <= age', or mappings with a text, a name and a "
        "description."
    )
    raise StudyError(msg)
