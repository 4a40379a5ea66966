"""Weights of families and of the measures in each; both sum to 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import did_you_mean
from sdcmetrics.study.criteria import FAMILIES, Criterion, criterion, default_metrics, refuse

_ROUNDING = 0.005
"""Per weight: weights that are written to two digits sum to 1 up to this."""

_BOTH_KINDS = {"general": 0.35, "specific": 0.15, "disclosure": 0.5}
"""Utility and risk count alike; specific utility counts less, since it knows only the models that
were named (Comparative Metrics Framework, sections 3 and 5)."""

_WITHOUT_MODELS = {"general": 0.5, "disclosure": 0.5}


@dataclass(frozen=True)
class Weights:
    """What each measure counts for.

    Attributes
    ----------
    families : dict of "general", "specific" and "disclosure" to float
        They sum to 1.
    within : dict of family to dict of criterion to float
        In each family they sum to 1.
    notes : tuple of str
        What was changed because a family or a measure has no value.
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

    def vector(self) -> npt.NDArray[np.float64]:
        """Return the weights of `criteria`, in their order."""
        return np.array(list(self.flat().values()))

    def only(self, names: Iterable[str]) -> Weights:
        """Return the weights where only some criteria have values.

        Within a family the rest keeps its proportions. The weight of a family that is empty, or
        in which only measures with a weight of 0 are left, goes to the other kind of utility where
        there is one, so that utility and risk keep what they counted for; otherwise to all others
        in proportion.
        """
        remaining = set(names)
        within, notes, idle = {}, list(self.notes), []
        for family, metrics in self.within.items():
            left = {name: weight for name, weight in metrics.items() if name in remaining}
            gone = [name for name in metrics if name not in remaining]
            if left:
                within[family] = _scaled(left)
            if not left or (any(metrics.values()) and not any(left.values())):
                idle.append(family)
            elif gone:
                notes.append(f"{', '.join(gone)}: left out; its weight goes to the others")
        families = dict(self.families)
        active = [family for family in within if family not in idle] or list(within)
        for family in idle:
            other = [f for f in active if f != "disclosure"]
            heirs = other if other and family != "disclosure" else active
            weight = families[family]
            if weight and heirs and family not in heirs:
                families[family] = 0.0
                for heir, share in _scaled({f: families[f] for f in heirs}).items():
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
        named counts nothing. Or of measures to weights that sum to 1, whose families then count
        the sum of their measures.
    metrics : mapping, optional
        Of a family to a mapping of its measures to weights that sum to 1, or to a list of
        measures that count alike. A family that is not named has the default ones.
    models : bool
        Whether the study has models, so that specific utility counts by default.

    Raises
    ------
    StudyError
        For an unknown family or measure, a measure in the wrong family, or weights that are
        negative or do not sum to 1.

    Examples
    --------
    >>> make_weights(models=False).families
    {'general': 0.5, 'disclosure': 0.5}
    >>> make_weights({"ROC": 0.25, "DiSCO": 0.75}).families
    {'general': 0.25, 'disclosure': 0.75}
    """
    for where, given, example in (
        ("weights", families, "general = 0.5, disclosure = 0.5"),
        ("metrics", metrics, 'general = ["ROC"]'),
    ):
        if given is not None and not isinstance(given, Mapping):
            refuse(f"{where}: expected names with what each is given, such as {example}.")
    if families and not metrics and not any(name in FAMILIES for name in families):
        return _of_metrics(families)
    by_metric = dict(metrics or {})
    for name in (*(families or ()), *by_metric):
        if name not in FAMILIES:
            hint = did_you_mean(str(name), FAMILIES) or f" Known: {', '.join(FAMILIES)}."
            refuse(f"there is no family {name!r}.{hint}")
    counts = _BOTH_KINDS if models else _WITHOUT_MODELS
    if families is not None:
        counts = _sum_to_one(families, "weights")
    for family in by_metric:
        if family not in counts:
            refuse(f"metrics.{family}: this family has no weight. Give it one.")
    listed = [family for family in FAMILIES if family in counts]
    within = {
        family: default_metrics(family)
        if by_metric.get(family) is None
        else _metrics(_with_weights(by_metric[family], family), f"metrics.{family}", family)
        for family in listed
    }
    return Weights({family: counts[family] for family in listed}, within)


def _with_weights(entry: Any, family: str) -> Mapping[str, Any]:
    """Return measures with weights; those of a list count alike."""
    if isinstance(entry, Mapping):
        return entry
    listed = [entry] if isinstance(entry, str) else entry
    if not isinstance(listed, Sequence | set):
        refuse(f"metrics.{family}: expected a list of metrics, or a weight for each.")
    return {name: 1 / len(listed) for name in listed}


def _metrics(entries: Mapping[str, Any], where: str, family: str = "") -> dict[str, float]:
    out: dict[str, Any] = {}
    for name, weight in entries.items():
        criterion_ = criterion(str(name))
        if family and criterion_.family != family:
            refuse(f"{where}: {criterion_.name} belongs to the family {criterion_.family!r}.")
        if criterion_.name in out:
            refuse(f"{where}: {criterion_.name} is given more than once. Give it once.")
        out[criterion_.name] = weight
    return _sum_to_one(out, where)


def _of_metrics(entries: Mapping[str, Any]) -> Weights:
    flat = _metrics(entries, "weights")
    within: dict[str, dict[str, float]] = {family: {} for family in FAMILIES}
    for name, weight in flat.items():
        within[criterion(name).family][name] = weight
    within = {family: of for family, of in within.items() if of}
    families = {family: math.fsum(of.values()) for family, of in within.items()}
    return Weights(families, {family: _scaled(of) for family, of in within.items()})


def _sum_to_one(weights: Mapping[str, Any], where: str) -> dict[str, float]:
    for name, value in weights.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            refuse(f"the weight of {name!r} must be a number of at least 0.")
    total = math.fsum(weights.values())
    if abs(total - 1) > _ROUNDING * max(len(weights), 1):
        listed = ", ".join(f"{name} {weight:g}" for name, weight in weights.items()) or "none"
        refuse(f"{where}: expected weights that sum to 1 but these sum to {total:g}: {listed}.")
    return _scaled({name: float(weight) for name, weight in weights.items()})


def _scaled(weights: dict[str, float]) -> dict[str, float]:
    """Make weights sum to 1; those of a family that count nothing at all count alike."""
    total = math.fsum(weights.values())
    if not total:
        return dict.fromkeys(weights, 1 / len(weights))
    return {name: weight / total for name, weight in weights.items()}
