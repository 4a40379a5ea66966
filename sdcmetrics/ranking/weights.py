"""Weights of families and of the metrics in each; both sum to 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.ranking.criteria import DEFAULT, FAMILIES, Criterion, Floats, criterion

__all__ = ["Weights", "make_weights"]

_ROUNDING = 1e-6
_BOTH_KINDS = {"general": 0.35, "specific": 0.15, "disclosure": 0.5}
"""Utility and risk count alike; specific utility counts less, since it knows only the models that
were named (Comparative Metrics Framework, sections 3 and 5)."""


@dataclass(frozen=True)
class Weights:
    """What each metric counts for.

    Attributes
    ----------
    families : dict of "general", "specific" and "disclosure" to float
        They sum to 1.
    within : dict of family to dict of criterion to float
        In each family they sum to 1.
    notes : tuple of str
        What was changed because a family or a metric has no value.
    """

    families: dict[str, float]
    within: dict[str, dict[str, float]]
    notes: tuple[str, ...] = ()

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria, family after family."""
        return tuple(criterion(name) for metrics in self.within.values() for name in metrics)

    def flat(self) -> dict[str, float]:
        """Return the weight of each criterion in the whole; they sum to 1.

        Examples
        --------
        >>> given = {"general": {"ROC": 1.0}, "disclosure": {"DiSCO": 0.75, "repU": 0.25}}
        >>> Weights({"general": 0.5, "disclosure": 0.5}, given).flat()
        {'ROC': 0.5, 'DiSCO': 0.375, 'repU': 0.125}
        """
        return {
            name: self.families[family] * weight
            for family, metrics in self.within.items()
            for name, weight in metrics.items()
        }

    def vector(self) -> Floats:
        """Return the weights of `criteria`, in their order."""
        return np.array(list(self.flat().values()))

    def only(self, names: Iterable[str]) -> Weights:
        """Return the weights where only some criteria have values.

        Within a family the rest keeps its proportions. The weight of a family that is empty, or
        in which only metrics with a weight of 0 are left, goes to the other kind of utility where
        there is one, so that utility and risk keep what they counted for; otherwise to all others
        in proportion.
        """
        kept = set(names)
        within, notes, idle = {}, list(self.notes), []
        for family, metrics in self.within.items():
            left = {name: weight for name, weight in metrics.items() if name in kept}
            gone = [name for name in metrics if name not in kept]
            if left:
                within[family] = _scaled(left)
            if not left or (any(metrics.values()) and not any(left.values())):
                idle.append(family)
            elif gone:
                notes.append(f"{', '.join(gone)}: left out; its weight goes to the others")
        families = dict(self.families)
        active = [family for family in within if family not in idle] or list(within)
        for family in idle:
            heirs = [f for f in active if f != "disclosure"]
            if family == "disclosure" or not heirs:
                heirs = active
            weight = families[family]
            if weight and heirs and family not in heirs:
                families[family] = 0.0
                whole = sum(families[f] for f in heirs)
                for heir in heirs:
                    share = families[heir] / whole if whole else 1 / len(heirs)
                    families[heir] += weight * share
                notes.append(
                    f"{FAMILIES[family]}: nothing that counts was measured; its weight of "
                    f"{weight:.2g} goes to {' and '.join(FAMILIES[heir] for heir in heirs)}"
                )
        return Weights({f: families[f] for f in within}, within, tuple(notes))


def make_weights(
    families: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    *,
    models: bool = True,
) -> Weights:
    """Check weights, and fill in what was not given.

    Parameters
    ----------
    families : mapping, optional
        Of "general", "specific", "disclosure" to weights that sum to 1; a family that is not
        named counts nothing. Or of metrics to weights that sum to 1, whose families then count
        the sum of their metrics.
    metrics : mapping, optional
        Of a family to a mapping of its metrics to weights that sum to 1, or to a list of
        metrics that count alike. A family that is not named has the default metrics.
    models : bool
        Whether the study has models, so that specific utility counts by default.

    Raises
    ------
    StudyError
        For an unknown family or metric, a metric in the wrong family, or weights that are
        negative or do not sum to 1.

    Examples
    --------
    >>> make_weights(models=False).families
    {'general': 0.5, 'disclosure': 0.5}
    >>> make_weights({"ROC": 0.25, "DiSCO": 0.75}).families
    {'general': 0.25, 'disclosure': 0.75}
    """
    for where, given in (("weights", families), ("metrics", metrics)):
        _check_mapping(where, given)
    if families and not metrics and not any(name in FAMILIES for name in families):
        return _from_metrics(families)
    of_family = _default_families(models=models) if families is None else _check(families)
    for family in metrics or {}:
        _known_family(family)
    within: dict[str, dict[str, float]] = {}
    for family in FAMILIES:
        if family not in of_family:
            if metrics and family in metrics:
                msg = f"ranking: metrics.{family}: this family has no weight. Give it one."
                raise StudyError(msg)
            continue
        given = (metrics or {}).get(family)
        within[family] = DEFAULT[family] if given is None else _metrics(family, given)
    return Weights({family: of_family[family] for family in within}, within)


def _check_mapping(where: str, given: Any) -> None:
    if given is not None and not isinstance(given, Mapping):
        example = "general = 0.5, disclosure = 0.5" if where == "weights" else 'general = ["ROC"]'
        msg = f"ranking: {where}: expected names with what each is given, such as {example}."
        raise StudyError(msg)


def _default_families(*, models: bool) -> dict[str, float]:
    return dict(_BOTH_KINDS) if models else {"general": 0.5, "disclosure": 0.5}


def _known_family(name: str) -> None:
    if name not in FAMILIES:
        hint = did_you_mean(str(name), FAMILIES) or f" Known: {', '.join(FAMILIES)}."
        msg = f"ranking: there is no family {name!r}.{hint}"
        raise StudyError(msg)


def _check(families: Mapping[str, Any]) -> dict[str, float]:
    for name in families:
        _known_family(name)
    return _sum_to_one({name: _number(name, w) for name, w in families.items()}, "weights")


def _metrics(family: str, given: Any) -> dict[str, float]:
    where = f"metrics.{family}"
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Mapping):
        if not isinstance(given, Sequence | set):
            msg = f"ranking: {where}: expected a list of metrics, or a weight for each."
            raise StudyError(msg)
        listed = list(given)
        given = dict.fromkeys(listed, 1 / len(listed)) if listed else {}
    out: dict[str, float] = {}
    for name, weight in given.items():
        found = criterion(str(name))
        if found.family != family:
            msg = f"ranking: {where}: {found.name} belongs to the family {found.family!r}."
            raise StudyError(msg)
        if found.name in out:
            msg = f"ranking: {where}: {found.name} is given more than once. Give it once."
            raise StudyError(msg)
        out[found.name] = _number(f"{where}.{name}", weight)
    return _sum_to_one(out, where)


def _from_metrics(given: Mapping[str, Any]) -> Weights:
    flat = {}
    for name, weight in given.items():
        found = criterion(str(name))
        if found.name in flat:
            msg = f"ranking: weights: {found.name} is given more than once. Give it once."
            raise StudyError(msg)
        flat[found.name] = _number(str(name), weight)
    flat = _sum_to_one(flat, "weights")
    within: dict[str, dict[str, float]] = {}
    for family in FAMILIES:
        of = {name: weight for name, weight in flat.items() if criterion(name).family == family}
        if of:
            within[family] = of
    families = {family: math.fsum(of.values()) for family, of in within.items()}
    return Weights(families, {family: _scaled(of) for family, of in within.items()})


def _number(name: str, value: Any) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        msg = f"ranking: the weight of {name!r} must be a number of at least 0."
        raise StudyError(msg)
    return float(value)


def _sum_to_one(weights: dict[str, float], where: str) -> dict[str, float]:
    total = math.fsum(weights.values())
    if abs(total - 1) > max(_ROUNDING, 0.005 * len(weights)):
        msg = (
            f"ranking: {where}: expected weights that sum to 1 but these sum to {total:g}: "
            f"{', '.join(f'{name} {weight:g}' for name, weight in weights.items()) or 'none'}."
        )
        raise StudyError(msg)
    return _scaled(weights)


def _scaled(weights: dict[str, float]) -> dict[str, float]:
    """Make weights sum to 1; those of a family that count nothing at all count alike."""
    total = math.fsum(weights.values())
    if not total:
        return dict.fromkeys(weights, 1 / len(weights))
    return {name: weight / total for name, weight in weights.items()}
