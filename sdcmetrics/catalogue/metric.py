"""What the catalogue says of one metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

__all__ = ["DISCLOSURE_RISK", "GENERAL_UTILITY", "SPECIFIC_UTILITY", "Metric", "Needs"]

GENERAL_UTILITY = "general utility"
SPECIFIC_UTILITY = "specific utility"
DISCLOSURE_RISK = "disclosure risk"


class Needs(StrEnum):
    """What a metric's function is given."""

    TABLES = "tables"
    """`TablePairs`; one value a table comes back."""
    KEY_TARGET = "key combinations by target levels"
    """`KeyTargetCounts`; a number or a Share comes back."""
    ESTIMATES = "estimates of fitted models"
    """Arrays of estimates and standard errors, or what a model explains; see the function."""
    MARGINS = "marginal tables of several data sets"
    """An iterable of `Margin`; a `Fidelity` comes back."""
    PROPENSITY = "scored records"
    """`ScoredRecords` of a propensity model; a number comes back."""
    RULES = "records that keep or break a rule"
    """`RuleCounts` of the original, a synthesis, or both; see the function."""
    DISTANCES = "distances to the closest records"
    """`ClosestRecords`; a number or a Share comes back."""
    LABELS = "labels of training and holdout records"
    """`SharePermutation` or `LabelTest`, see the function; a number comes back."""


@dataclass(frozen=True)
class Metric:
    """One metric: how to compute it, and how to read it.

    Attributes
    ----------
    symbol : the published spelling
    title : the symbol spelled out
    family : "general utility", "specific utility" or "disclosure risk"
    function : computes it from the intermediate named by `needs`
    unit : "" for a plain number, "percent" or "records"
    low, high : ends of the range; None where it has none
    better : "lower", "higher", or "none" for a number that only helps to read others
    ideal : its value for a replica equal to the original; None where that is not fixed
    meaning, formula, source, limits : for the reader
    synthpop : the name R's synthpop gives it, or None
    rtol : relative tolerance against synthpop, whose answers are recorded to 15 digits
    differs : intended differences from synthpop, in words
    """

    symbol: str
    title: str
    family: str
    function: Callable[..., Any]
    needs: Needs
    better: Literal["lower", "higher", "none"]
    low: float | None
    high: float | None
    ideal: float | None
    meaning: str
    formula: str
    source: str
    limits: str
    unit: Literal["", "percent", "records"] = ""
    synthpop: str | None = None
    rtol: float = 1e-10
    differs: str = ""

    @property
    def range(self) -> str:
        """The range in words."""
        low = "unbounded" if self.low is None else f"{self.low:g}"
        high = "unbounded" if self.high is None else f"{self.high:g}"
        return f"{low} to {high}"
