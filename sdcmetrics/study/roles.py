"""Scenarios of intruders, checked against the data sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.kind import Scenario
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names

__all__ = ["UNNAMED", "Scenario", "complete", "list_scenarios"]

UNNAMED = "default"
"""The name of the scenario of `keys` and `targets`, which have none."""


def list_scenarios(
    keys: Sequence[str], targets: Sequence[str] | None, scenarios: Iterable[Any]
) -> list[Scenario]:
    """Return the scenarios asked for, that of `keys` and `targets` first.

    Raises
    ------
    StudyError
        If there is none, one has no keys, or two have one name.
    """
    listed = []
    if keys or targets:
        listed.append(Scenario(UNNAMED, _names(keys), _names(targets)))
    for scenario in scenarios:
        if not isinstance(scenario, Scenario):
            msg = f"scenarios: expected sdcmetrics.Scenario but got {type(scenario).__name__}."
            raise StudyError(msg)
        roles = _names(scenario.keys), _names(scenario.targets)
        listed.append(Scenario(scenario.name, *roles, scenario.description))
    for scenario in listed or [Scenario(UNNAMED, (), ())]:
        if not scenario.keys:
            msg = (
                f"keys{_where(scenario)}: expected the columns that an intruder knows, but got "
                "none."
            )
            raise StudyError(msg)
    names = [scenario.name for scenario in listed]
    for name in names:
        if names.count(name) > 1:
            msg = f"scenario {name!r} is given more than once. Give each its own name."
            raise StudyError(msg)
    return listed


def complete(scenario: Scenario, original: Microdata, others: Sequence[Microdata]) -> Scenario:
    """Check the columns of a scenario, and fill in its targets where none are named.

    Parameters
    ----------
    scenario : Scenario
    original : Microdata
    others : sequence of Microdata
        Every synthesis of every replica, and the holdout if there is one.

    Raises
    ------
    ColumnError
        If a column is absent, named twice, or both a key and a target.
    StudyError
        If no column is left to be a target.
    """
    where = _where(scenario)
    check_names(scenario.keys, original, f"key{where}")
    check_names(scenario.targets, original, f"target{where}")
    refuse_both_roles(scenario)
    for name in (*scenario.keys, *scenario.targets):
        for data in others:
            if name not in data.columns:
                role = "key" if name in scenario.keys else "target"
                msg = (
                    f"column {name!r}, a {role}{where}, is missing from {data.source}."
                    f"{did_you_mean(name, data.columns)} Rename the column, or choose other "
                    f"{role}s."
                )
                raise ColumnError(msg)
    common = [name for name in original.columns if all(name in data.columns for data in others)]
    return with_targets(scenario, common)


def refuse_both_roles(scenario: Scenario) -> None:
    """Raise ColumnError if a column is both a key and a target."""
    both = [name for name in scenario.targets if name in scenario.keys]
    if both:
        msg = (
            f"column {both[0]!r} is both a key and a target{_where(scenario)}. What an intruder "
            "knows cannot be learned; remove it from one of the two."
        )
        raise ColumnError(msg)


def with_targets(scenario: Scenario, names: Iterable[str]) -> Scenario:
    """Return a scenario with targets: of some columns those that are no keys, if none are named.

    Raises
    ------
    StudyError
        If no column is left to be a target.
    """
    targets = scenario.targets or tuple(name for name in names if name not in scenario.keys)
    if not targets:
        msg = (
            f"targets{_where(scenario)}: every column that all data sets have is a key, so none is "
            "left to be learned. Use fewer keys."
        )
        raise StudyError(msg)
    return Scenario(scenario.name, scenario.keys, targets, scenario.description)


def _names(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _where(scenario: Scenario) -> str:
    return "" if scenario.name == UNNAMED else f" of scenario {scenario.name!r}"
