"""Cells and sources that are made by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

from sdcmetrics.measures.reference_values import References
from sdcmetrics.report.safety.cells import Name, SafeCell

SCENARIO: Any = With(name="s", keys=("age",), targets=("vote",))


def cell(value: float | None) -> SafeCell:
    return SafeCell("-" if value is None else f"{value:g}", "number", value)


def plain_of(found: Any) -> str:
    return str(found.text).replace("\N{NO-BREAK SPACE}", " ")


def marks(**of: References | None) -> Any:
    rows = {
        name: None if item is None else With(references=item, value=1.0)
        for name, item in of.items()
    }
    measures = With(risk=lambda replica, *_: rows[replica])
    return With(release=False, replicas=tuple(of), measures=measures, name=lambda n: Name(n, n))
