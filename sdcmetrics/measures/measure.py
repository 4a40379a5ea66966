"""What is said of a measure, once: how it is computed, read, judged, released and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "DISCLOSURE_RISK",
    "FAMILIES",
    "GENERAL_UTILITY",
    "SPECIFIC_UTILITY",
    "Kind",
    "Measure",
    "Release",
    "Twin",
]

GENERAL_UTILITY = "general utility"
SPECIFIC_UTILITY = "specific utility"
DISCLOSURE_RISK = "disclosure risk"

FAMILIES = (GENERAL_UTILITY, SPECIFIC_UTILITY, DISCLOSURE_RISK)


@dataclass(frozen=True, eq=False)
class Kind:
    """What measures are computed from, and what a replica has one row per.

    Attributes
    ----------
    name : what is compared, in words, such as "cross-tables"
    given : what a function of this kind takes and returns
    per : "table", "variable", "target", "model" or "rule"; "" where a replica has one row only
    holdout : whether it needs a holdout
    option : the study's entry that asks for it; "" where it is always measured
    """

    name: str
    given: str
    per: Literal["table", "variable", "target", "model", "rule", ""] = ""
    holdout: bool = False
    option: str = ""


@dataclass(frozen=True)
class Release:
    """How exactly a value may be handed out; what has no `Release` never is.

    Attributes
    ----------
    rule : str
        "share": of original records, protected by its count. "replica share": of the replica's
        records, which are public. "chance": of a right guess. "distance": between tables.
        "ratio": of counts. "standardised": a statistic over its degrees of freedom. "fit": a mean
        over the coefficients of a model. "closeness": a mean over the records of a replica.
    most : float, optional
        From here on a value is only said to be so large: it would give single records back.
    """

    rule: Literal[
        "share", "replica share", "chance", "distance", "ratio", "standardised", "fit", "closeness"
    ]
    most: float | None = None


@dataclass(frozen=True)
class Twin:
    """The measure's counterpart in R's synthpop.

    Attributes
    ----------
    name : what synthpop calls it
    function : the synthpop function that answers
    differs : intended differences, in words
    rtol : relative tolerance; synthpop's answers are recorded to 15 digits
    """

    name: str
    function: str
    differs: str
    rtol: float = 1e-10


@dataclass(frozen=True)
class Measure:
    """One measure: how to compute it, and how to read it.

    Attributes
    ----------
    symbol : the published spelling
    function : computes it from what its kind is given
    of : Kind
    family : "general utility", "specific utility" or "disclosure risk"
    title : the symbol spelled out
    better : "lower", "higher", or "none" for a number that only helps to read others
    low, high : ends of the range; None where it has none
    ideal : its value for a replica equal to the original; None where that is not fixed
    meaning, formula, source, limits : for the reader
    unit : "" for a plain number, "percent" or "records"
    aliases : other names under which `explain` finds it
    twin : its counterpart in R's synthpop, or None
    release : how it may be handed out, or None for never
    syntheses : "mean", or "smallest" for a p value of m tests: the smallest times m, at most 1
    undefined : why it has no value where it is NaN, for the reader
    of_original : whether it is a fact about the original or the holdout, whatever the replica
    any_target : whether it is the same number for every target
    one_way : whether it sees one variable at a time, so that relations do not matter to it
    total : of which records a share is: "original", "synthetic", or the symbol of a share whose
        numerator it is
    show : further facts for a section of the report, by name: "one_way" is its place among what
        is shown of every variable, "decimals" how many a mean distance has
    """

    symbol: str
    function: Callable[..., Any]
    of: Kind
    family: str
    title: str
    better: Literal["lower", "higher", "none"]
    low: float | None
    high: float | None
    ideal: float | None
    meaning: str
    formula: str
    source: str
    limits: str
    unit: Literal["", "percent", "records"] = ""
    aliases: tuple[str, ...] = ()
    twin: Twin | None = None
    release: Release | None = None
    syntheses: Literal["mean", "smallest"] = "mean"
    undefined: str = ""
    of_original: bool = False
    any_target: bool = False
    one_way: bool = False
    total: str = "original"
    show: Mapping[str, Any] = field(default_factory=dict)

    @property
    def range(self) -> str:
        """The range in words."""
        low = "unbounded" if self.low is None else f"{self.low:g}"
        high = "unbounded" if self.high is None else f"{self.high:g}"
        return f"{low} to {high}"

    @property
    def twin_name(self) -> str:
        """What synthpop calls it; its own symbol where synthpop does not have it."""
        return self.twin.name if self.twin else self.symbol

    @property
    def rtol(self) -> float:
        """Relative tolerance against synthpop."""
        return self.twin.rtol if self.twin else 1e-10

    @property
    def limit_words(self) -> str:
        """Which way a limit looks: "above" or "below"."""
        return "below" if self.better == "higher" else "above"
