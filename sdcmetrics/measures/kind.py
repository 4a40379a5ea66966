"""Kinds of measures, the places where they are computed, and their inputs there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from sdcmetrics.measures.reference_values import References

if TYPE_CHECKING:
    from sdcmetrics.measures.options import Options
    from sdcmetrics.measures.pair import Pair
    from sdcmetrics.measures.rules.rule import Rule
    from sdcmetrics.measures.section import Section
    from sdcmetrics.measures.survey.sample import Sample


@dataclass(frozen=True)
class Scenario:
    """What an intruder is assumed to know (keys) and to want (targets)."""

    name: str
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True)
class Model:
    """A model that somebody may fit to the replica: a formula in R's notation, and a family."""

    formula: str
    family: str = "gaussian"

    @property
    def name(self) -> str:
        """The formula, with its family unless that is gaussian."""
        return self.formula if self.family == "gaussian" else f"{self.formula}, {self.family}"


Tell = Callable[[str], None]
"""Called now and then, in words, during long steps."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a measurement: scenario, target, variables, model or rule.

    Attributes
    ----------
    scenario : what an intruder is assumed to know, by name
    keys : the columns that the intruder knows
    target : what the intruder wants to know; the response of a model
    variables : the columns of a table, or those that a rule names
    model : a model's formula with its family, or how records were scored
    rule : the text of a rule
    """

    scenario: str = ""
    keys: tuple[str, ...] = ()
    target: str = ""
    variables: tuple[str, ...] = ()
    model: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Given:
    """The input of the measures of one kind at one place, or at many tables at once.

    Attributes
    ----------
    step : what was done, in words, for progress
    places : tuple of Place
        One; or one per table, and then each item of `each` is an iterator of table batches for
        which a function returns one value per table.
    each : tuple
        What a function is given, synthesis by synthesis.
    whole : object
        What it is given for the replica as a whole; None where that is the mean over syntheses.
    reason : why there is nothing to give; empty if there is
    undefined : why a value is NaN here, if that differs from what the measure says of itself
    leaves_out : symbols of measures that are not defined here
    references : gives what a copy and the holdout score by some measures, by symbol, beside
        synthesis i (from 0)
    whole_references : gives the same beside `whole`; None where it is the mean over syntheses
    result : what the review keeps as evidence; or a function of nothing that makes it, which is
        not called where values are all that is wanted
    sampled : which part of the records the values are of, where that is not all
    """

    step: str
    places: tuple[Place, ...]
    each: tuple[object, ...] = ()
    whole: object = None
    reason: str = ""
    undefined: str = ""
    leaves_out: frozenset[str] = frozenset()
    references: Callable[[Sequence[Any], int], Mapping[str, References]] | None = (
        None  # of its measures
    )
    whole_references: Callable[[Sequence[Any]], Mapping[str, References]] | None = None
    result: object = None
    sampled: str = ""


S = TypeVar("S")


class TableSizes(Protocol):
    """What tables of original and replica are tested by, see `study.limits.TableRule`."""

    @property
    def review(self) -> float:
        """S_pMSE above which a table may be called."""

    @property
    def chance(self) -> float:
        """The level over all tables."""

    @property
    def size_review(self) -> float:
        """The size from which a table is called."""

    @property
    def size_fail(self) -> float:
        """The size from whose lower limit it fails."""


class ExcessSizes(Protocol):
    """What an excess of disclosure is tested by, see `study.limits.ExcessRule`."""

    @property
    def excess(self) -> float:
        """Points from which a question is flagged."""

    @property
    def chance(self) -> float:
        """The level over all questions."""

    @property
    def excess_share(self) -> float:
        """The share of what a copy would add from which it fails."""


class Judging(Protocol):
    """The rules of a profile by which evidence of a decision is measured."""

    @property
    def tables(self) -> TableSizes | None:
        """By which tables are tested; None where the profile asks no such test."""

    @property
    def excess(self) -> ExcessSizes | None:
        """By which excess is tested; None where the profile asks no such test."""

    @property
    def derived(self) -> bool:
        """Whether tables of derived columns are tested, too."""


class Plan(Protocol):
    """The part of a study that measures know: options, scenarios, models, rules."""

    @property
    def options(self) -> Options:
        """How measures are computed."""

    @property
    def scenarios(self) -> Sequence[Scenario]:
        """What intruders are assumed to know and to want."""

    @property
    def models(self) -> Sequence[Model]:
        """Models that users of a replica may fit."""

    @property
    def rules(self) -> Sequence[Rule]:
        """Relations that every record is to keep."""

    @property
    def sample(self) -> Sample | None:
        """How the original was sampled; None where nothing is said of it."""

    @property
    def judging(self) -> Judging:
        """The rules of the profile."""

    def section(self, of: type[S]) -> S | None:
        """Return a section of the study; None where it has none."""


class Option(str):
    """An entry of a study that asks for measures, as a reader writes it.

    Parameters
    ----------
    words : str
        Such as "[attacks]".
    wanted : function of a Plan
        Whether a study has it.
    """

    __slots__ = ("wanted",)

    wanted: Callable[[Plan], bool]

    def __new__(cls, words: str, wanted: Callable[[Plan], bool]) -> Self:  # noqa: D102
        option = super().__new__(cls, words)
        option.wanted = wanted
        return option


def asks_for(section: type[Section]) -> Option:
    """Return the option that a section of a study is."""
    return Option(f"[{section.entry}]", lambda plan: plan.section(section) is not None)


ALWAYS = Option("", lambda _: True)
"""Of what is always measured."""
SAMPLED = Option("[sample]", lambda plan: plan.sample is not None)
"""Of what needs weights, strata or clusters."""
PRESET = Option("[options] preset", lambda plan: bool(plan.options.preset))
"""Of what a preset names, see `Subject.preset`."""


Places = Callable[["Pair", Plan, Tell], Iterator[Given]]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of measure: its input, and its places.

    Attributes
    ----------
    name : what is compared, in words, such as "cross-tables"
    given : what a function of this kind takes and returns
    places : yields what is given, place by place, for one replica
    per : "table", "variable", "target", "scenario", "model" or "rule"
        "" where a replica has one row only.
    holdout : whether it needs a holdout
    option : the study's entry that asks for it; `ALWAYS`, which is empty, where none need
    counted : whether counts are all that it needs: it is measured of every record even where data
        sets are too large for memory, and others of a random sample
    overall : where the mean over places is a measurement too: why it may have no value; else ""
    common : whether it depends on no replica, only on which columns are compared: its places have
        these as `variables`, and its evidence is of no replica. It has no measures
    decides : whether decisions rest on it, and nothing else: it is left out where values are all
        that is wanted, and measured by the rules of the profile
    symbols : what the letters stand for in formulas of its measures
    """

    name: str
    given: str
    places: Places
    per: Literal["table", "variable", "target", "scenario", "model", "rule", ""] = ""
    holdout: bool = False
    option: Option = ALWAYS
    counted: bool = False
    overall: str = ""
    common: bool = False
    decides: bool = False
    symbols: Mapping[str, str] = field(default_factory=dict)
