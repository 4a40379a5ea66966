"""The declaration of a measure: how it is computed, read, judged, released and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.reference_values import ReferenceValues
from sdcmetrics.measures.twin import Twin
from sdcmetrics.results import Renamed, renamed_option

__all__ = [
    "DISCLOSURE_RISK",
    "FAMILIES",
    "GENERAL_UTILITY",
    "P_VALUE",
    "SPECIFIC_UTILITY",
    "Kind",
    "Measure",
    "PeopleSum",
    "ReferenceValues",
    "Release",
    "Twin",
    "variant_of",
]

GENERAL_UTILITY = "general utility"
SPECIFIC_UTILITY = "specific utility"
DISCLOSURE_RISK = "disclosure risk"

FAMILIES = (GENERAL_UTILITY, SPECIFIC_UTILITY, DISCLOSURE_RISK)


@dataclass(frozen=True)
class PeopleSum:
    """A sum over people, which a release tells with noise.

    Attributes
    ----------
    function : from what the measure itself is given to a whole number or a fraction, exactly
    sensitivity : by how much it changes at most when one person is added or removed, whatever the
        others are; tests measure it
    by_person : whether what each person adds follows from the person and the replica alone, so that
        people who were not in the original can be set against those who were
    """

    function: Callable[..., int | Fraction]
    sensitivity: int = 1
    by_person: bool = False


@dataclass(frozen=True)
class Release:
    """How a value may leave the original; what has no `Release` never does.

    Attributes
    ----------
    rule : str
        How the edition for an output checker shows it.
        "share": of original records, made of protected counts. "replica share": of the replica's
        records, which are public. "chance": of a right guess, over original records. "target": the
        same, made of the protected counts of the target alone.
        Made of protected tables by the measure's own function: "distance" between tables, "ratio"
        of counts, "standardised" statistic over its degrees of freedom.
        "band": one of a few bands, for what cannot be made of protected counts.
    bands : tuple of float
        At most four ends between bands, smallest first, where a profile names no others; without
        any the value is not handed out.
    followed : bool
        Whether a release can tell which small counts follow from a share or a chance, because it
        knows what is counted or because only the replica is. Where a scenario has few combinations
        of keys and targets, others are not handed out.
    sum : PeopleSum or None
        What a release that is handed out tells of it, with noise; None for nothing.
    """

    rule: Literal[
        "share", "replica share", "chance", "target", "distance", "ratio", "standardised", "band"
    ]
    bands: tuple[float, ...] = ()
    followed: bool = False
    sum: PeopleSum | None = None


@renamed_option("beside", "baseline")
@renamed_option("yardstick", "reference_values")
@dataclass(frozen=True)
class Measure:
    """One measure: how to compute it, and how to read it.

    Raises
    ------
    StudyError
        If a measure of disclosure risk has no `reference_values`, or a p or an
        expectation is not `tested`.

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
    syntheses : "mean"; "smallest" for a p value of m tests: the smallest times m, at most 1; or
        "once" for what does not depend on the synthesis
    undefined : why it has no value where it is NaN, for the reader
    tested : what it says of fresh data, each tried by benchmarks/calibration.py: "p", that it is a
        p value; "z", that its mean is 0 and its standard deviation 1; "fresh", that its mean is
        `fresh` or as its texts say; "drawn", what these say of records drawn from the original
    of_original : whether it is a fact about the original or the holdout, whatever the replica
    any_target : whether it is the same number for every target
    one_way : whether it sees one variable at a time, so that relations do not matter to it
    ranked : what it counts for in its family when replicas are ranked and a study says nothing
        else, by the number of variables of its tables; 0 where it is not of tables
    fresh : what a fresh sample of the population is expected to give, from the numbers of original
        and of synthetic records; None where that is not known in closed form
    fresh_here : the same from what the function is given, where it depends on more than that;
        then `fresh` is what it comes to with many records per cell
    reference_values : what a verbatim copy and people who were not in the original score; every
        measure of disclosure risk has them
    baseline : the symbol of what the original itself gives, for a measure of disclosure; else ""
    says : a sentence on one target, with {replica}, {target}, {where} (the scenario), {value} and
        {beside}; what has one is told on the first page where no limit judges it
    show : further facts for a section of the report, by name: "one_way" is its place among what
        is shown of every variable, "decimals" how many a mean distance has, "first_page" the
        heading of its highest value in the table of statuses, "beside_fresh" its place among what
        is shown beside the holdout. With its place, its heading and what stands below it: "found"
        and "learnt" in the tables of who is found and of what is learnt of them, "people" of
        whether a match is right, "fitted" of the means of a model. "between" has the symbols of
        what a guess by the target alone gives and of what the original does; "of_file" the symbol
        of the same without weights, and a heading for both; "counted" what its count is of, where
        that is not records
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
    syntheses: Literal["mean", "smallest", "once"] = "mean"
    undefined: str = ""
    tested: tuple[Literal["p", "z", "fresh", "drawn"], ...] = ()
    of_original: bool = False
    any_target: bool = False
    one_way: bool = False
    ranked: Mapping[int, float] = field(default_factory=dict)
    fresh: Callable[[float, float], float] | None = None
    fresh_here: Callable[[Any], Any] | None = None
    reference_values: ReferenceValues | None = None
    baseline: str = ""
    says: str = ""
    show: Mapping[str, Any] = field(default_factory=dict)

    beside = Renamed("baseline")
    yardstick = Renamed("reference_values")

    def __post_init__(self) -> None:
        stated = {"p": self.syntheses == "smallest", "fresh": self.fresh is not None}
        for name in (name for name, yes in stated.items() if yes and name not in self.tested):
            msg = (
                f"{self.symbol}: it states a {name!r} that no simulation has seen. Run "
                f"benchmarks/calibration.py, and declare tested=({name!r}, ...) if it holds."
            )
            raise StudyError(msg)
        if self.family == DISCLOSURE_RISK and self.reference_values is None:
            msg = (
                f"{self.symbol}: a measure of disclosure risk needs its reference values, which a "
                "verbatim copy and people who were not in the original score. Declare "
                "reference_values=ReferenceValues(procedure, copy, tells, release)."
            )
            raise StudyError(msg)

    @property
    def range(self) -> str:
        """The range in words."""
        low = "unbounded" if self.low is None else f"{self.low:g}"
        high = "unbounded" if self.high is None else f"{self.high:g}"
        return f"{low} to {high}"

    @property
    def where(self) -> str:
        """What the letters of the formula stand for, as far as its kind says it.

        Examples
        --------
        >>> from sdcmetrics.measures.registry import MEASURES
        >>> MEASURES["CAP_b"].where
        'd_t: original records with a target level; n: original records'
        """
        words = [
            f"{letter}: {meaning}"
            for letter, meaning in self.of.symbols.items()
            if re.search(rf"(?<![A-Za-z0-9_']){re.escape(letter)}(?![A-Za-z0-9_])", self.formula)
        ]
        signs = [meaning for sign, meaning in _SIGNS.items() if re.search(sign, self.formula)]
        return "; ".join([*words, *signs])

    @property
    def rtol(self) -> float:
        """Relative tolerance against synthpop."""
        return self.twin.rtol if self.twin else 1e-10


_SIGNS: Mapping[str, str] = {
    "#": "#: the number of",
    r"(?<!E)\[[^\]]*([=<>]| is |unanimous|among)": "[ ]: 1 where this is true, else 0",
}
"""Signs of formulas of every kind: pattern to meaning."""

P_VALUE: Mapping[str, Any] = {
    "better": "higher",
    "low": 0,
    "high": 1,
    "syntheses": "smallest",
    "tested": ("p",),
}
"""What every `Measure` that is a p value says; m syntheses have the smallest times m."""

_SAME = ("family", "better", "low", "high", "ideal", "unit", "one_way", "any_target")


def variant_of(base: Measure, suffix: str, **entries: Any) -> Measure:
    """Declare the same number of other evidence, such as a weighted sample or an analysis.

    Symbol, family, range, direction, ideal value and unit follow from the base; how it may be
    released, what it is tested for and where it is shown do not.
    """
    same = {name: getattr(base, name) for name in _SAME}
    return Measure(**{"symbol": f"{base.symbol}_{suffix}", **same, **entries})
