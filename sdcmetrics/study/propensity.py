"""Which models of a study tell replica from original, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean

__all__ = ["METHODS", "Propensity", "make_propensity"]

METHODS = ("logit", "cart")


@dataclass(frozen=True)
class Propensity:
    """Models that score every record by how synthetic it looks; see `utility_gen`.

    Attributes
    ----------
    methods : "logit" (logistic regression), "cart" (a classification tree), or both
    maxorder : int
        Logit: order of interactions; 0 for main effects, 1 for all pairs, ...
    """

    methods: tuple[str, ...] = METHODS
    maxorder: int = 0

    def name(self, method: str) -> str:
        """Return what rows of a review call a method."""
        if method == "cart":
            return "classification tree"
        words = {0: "main effects", 1: "main effects and pairs"}
        return f"logistic regression, {words.get(self.maxorder, f'order {self.maxorder}')}"


def make_propensity(given: Propensity | Mapping[str, Any] | bool | None) -> Propensity | None:  # noqa: FBT001  (what a caller gives)
    """Make the models of what a caller or a study file gives; None asks for none.

    Raises
    ------
    StudyError
        For an unknown entry or method, or an order that is no whole number of at least 0.

    Examples
    --------
    >>> make_propensity({"methods": "logit"})
    Propensity(methods=('logit',), maxorder=0)
    """
    if given is None or given is False:
        return None
    if isinstance(given, Propensity):
        return given
    entries: Any = {} if given is True else given  # a caller may pass anything
    if not isinstance(entries, Mapping):
        msg = "propensity: expected entries such as methods and maxorder."
        raise StudyError(msg)
    known = ("methods", "maxorder")
    for name in entries:
        if name not in known:
            msg = f"propensity: unknown entry {name!r}.{did_you_mean(str(name), known)}"
            raise StudyError(msg)
    methods = entries.get("methods", METHODS)
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in methods:
        if method not in METHODS:
            msg = f"propensity: methods: expected 'logit' or 'cart' but got {method!r}."
            raise StudyError(f"{msg}{did_you_mean(str(method), METHODS)}")
    order = entries.get("maxorder", 0)
    if not isinstance(order, int) or isinstance(order, bool) or order < 0:
        msg = "propensity: maxorder: expected a whole number of at least 0."
        raise StudyError(msg)
    return Propensity(tuple(dict.fromkeys(methods)), order)
