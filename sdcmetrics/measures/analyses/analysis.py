"""Declarations of analyses: a statistic with its columns, or a user's own function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from sdcmetrics.errors import StudyError, counted
from sdcmetrics.measures.analyses.survival import Ties
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.section import Before, Limits, Name, Section, Texts, as_list, section
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names

Statistic = Literal[
    "mean",
    "total",
    "share",
    "ratio",
    "difference",
    "correlation",
    "table",
    "quantile",
    "gini",
    "poverty_threshold",
    "poverty_rate",
    "s80_s20",
    "lorenz",
    "survival_median",
    "survival_curve",
    "cox",
    "mixed_model",
    "function",
]
_Positions = Annotated[
    tuple[Annotated[float, Limits(ge=0, allow_inf_nan=False)], ...],
    Before(lambda value: tuple(as_list(value)) if isinstance(as_list(value), list) else value),
]
_Positive = Annotated[float, Limits(gt=0, allow_inf_nan=False)]

FEWEST = 2
"""Variables of a table."""


@dataclass(frozen=True)
class Needs:
    """The entries that a statistic needs and may have.

    Attributes
    ----------
    variables : how many columns it takes, in words; "" for none
    number : tuple of int, of that; empty for any number from `FEWEST`
    entries : names of entries that it needs beside
    optional : names of entries that it knows beside
    """

    variables: str
    number: tuple[int, ...]
    entries: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


NEEDS: dict[str, Needs] = {
    "mean": Needs("the column of numbers", (1,), (), ("by",)),
    "total": Needs("the column of numbers", (1,), (), ("by",)),
    "share": Needs("the column of categories", (1,), (), ("by",)),
    "ratio": Needs("the columns of numerator and denominator", (2,), (), ("by",)),
    "difference": Needs("the column of numbers, and that of groups", (2,), (), ("by",)),
    "correlation": Needs("two columns of numbers", (2,), (), ("by",)),
    "table": Needs("two or more columns of categories", (), (), ("by",)),
    "quantile": Needs("the column of numbers", (1,), ("at",), ("by",)),
    "gini": Needs("the column of incomes", (1,), (), ("by",)),
    "poverty_threshold": Needs("the column of incomes", (1,), (), ("by", "line")),
    "poverty_rate": Needs("the column of incomes", (1,), (), ("by", "line")),
    "s80_s20": Needs("the column of incomes", (1,), (), ("by",)),
    "lorenz": Needs("the column of incomes", (1,), ("at",), ("by",)),
    "survival_median": Needs("the column of times", (1,), ("event",), ("by", "occurred")),
    "survival_curve": Needs("the column of times", (1,), ("event", "at"), ("by", "occurred")),
    "cox": Needs("", (0,), ("formula", "event"), ("by", "occurred", "ties")),
    "mixed_model": Needs("", (0,), ("formula", "group"), ("by", "slopes", "restricted")),
    "function": Needs("the columns that it is given", (), ("function",), ()),
}
"""What each statistic is made of."""


@section("analysis")
class Analysis(Section):
    """An analysis that users of a replica may make.

    Attributes
    ----------
    name : str
        What the report calls it.
    statistic : str
        "mean", "total", "share" (of each level), "ratio" (of two totals), "difference" (of the
        means of groups from the first), "correlation", "table" (shares of all cells), "quantile",
        "gini", "poverty_threshold", "poverty_rate", "s80_s20", "lorenz", "survival_median",
        "survival_curve", "cox", "mixed_model" or "function".
    variables : tuple of names
        The columns that it is of.
    by : str
        A column for each level of which it is made.
    at : tuple of float
        Shares for "quantile" and "lorenz", times for "survival_curve".
    line : float
        Share of the median that is the poverty threshold.
    event : str
        The column that says whether something occurred.
    occurred : str or float
        Its value if it did.
    formula : str
        In R's notation, as of a model: for "cox" (the time before the ~) and "mixed_model".
    ties : "efron" or "breslow"
        Of times of events in "cox".
    group : str
        The column of groups that have effects of their own, for "mixed_model".
    slopes : tuple of names
        Predictors whose slope is another in each group.
    restricted : bool
        Whether "mixed_model" is fitted by restricted maximum likelihood.
    function : str
        File and name of a Python function, such as "yearbook.py:estimates".
    """

    name: Name
    statistic: Statistic
    variables: Texts = ()
    by: str = ""
    at: _Positions = ()
    line: _Positive = 0.6
    event: str = ""
    occurred: str | float = 1.0
    formula: str = ""
    ties: Ties = "efron"
    group: str = ""
    slopes: Texts = ()
    restricted: bool = True
    function: str = ""

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns of the original that the analysis uses."""
        return self.columns_of([])

    def columns_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns it uses; a dot in its formula stands for all of `columns`."""
        named = (*self.variables, self.by, self.event, self.group, *self.slopes)
        more = read_formula(self.formula, columns).columns if self.formula else []
        return tuple(dict.fromkeys(name for name in (*named, *more) if name))

    def check(self, original: Microdata) -> None:
        """Raise if an entry is missing or unknown, or a name is no column.

        Raises
        ------
        StudyError, ColumnError
            Naming the analysis, the entry and the remedy.
        """
        needs = NEEDS[self.statistic]
        before = f"analysis {self.name!r}: "
        number = len(self.variables)
        wrong = number not in needs.number if needs.number else number < FEWEST
        if self.statistic != "function" and wrong:
            what = needs.variables or "none: name columns in its formula"
            msg = f"{before}variables: expected {what}, but got {counted(number, 'column')}."
            raise StudyError(msg)
        for entry in needs.entries:
            if not getattr(self, entry):
                msg = f"{before}{self.statistic!r} needs the entry {entry!r}, which is missing."
                raise StudyError(msg)
        entries = {"name", "statistic", "variables", *needs.entries, *needs.optional}
        for entry, default in _DEFAULTS.items():
            if entry not in entries and getattr(self, entry) != default:
                listed = ", ".join(sorted(entries - {"name", "statistic"}))
                msg = f"{before}{self.statistic!r} knows no entry {entry!r}. It has {listed}."
                raise StudyError(msg)
        if self.statistic in ("quantile", "lorenz") and not all(0 <= p <= 1 for p in self.at):
            msg = f"{before}at: expected shares from 0 to 1, such as 0.5."
            raise StudyError(msg)
        if len({*self.at}) < len(self.at):
            msg = f"{before}at: expected each number once."
            raise StudyError(msg)
        check_names(self.columns_of(original.columns), original, f"{before}column")

    @property
    def path(self) -> Path | None:
        """Path of the file with the user's function; None without one."""
        return Path(self.function.rpartition(":")[0]) if self.function else None

    def within(self, folder: Path) -> Self:
        """Return the same analysis, the path of its function being relative to a folder."""
        return replace(self, function=str(folder / self.function)) if self.function else self


_DEFAULTS: dict[str, Any] = {
    "by": "",
    "at": (),
    "line": 0.6,
    "event": "",
    "occurred": 1.0,
    "formula": "",
    "ties": "efron",
    "group": "",
    "slopes": (),
    "restricted": True,
    "function": "",
}


@section("analysis")
class Analyses(Section):
    """Analyses that users of a replica may make: sections [[analysis]] of a study file.

    Attributes
    ----------
    each : tuple of Analysis
    """

    item: ClassVar[type[Any] | None] = Analysis

    each: tuple[Analysis, ...] = ()

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns of the original that analyses use."""
        return tuple(
            dict.fromkeys(name for analysis in self.each for name in analysis.named_columns)
        )

    def check(self, original: Microdata) -> None:
        """Raise if an analysis does not fit the original, or two have one name."""
        for analysis in self.each:
            analysis.check(original)
        names = [analysis.name for analysis in self.each]
        for name in names:
            if names.count(name) > 1:
                msg = f"analysis {name!r} is declared twice. Give each a name of its own."
                raise StudyError(msg)

    @property
    def code(self) -> Mapping[str, Path]:
        """Files of Python that would be run, by analysis."""
        return {analysis.name: analysis.path for analysis in self.each if analysis.path is not None}

    def within(self, folder: Path) -> Self:
        """Return the same analyses, paths of functions being relative to a folder."""
        return replace(self, each=tuple(analysis.within(folder) for analysis in self.each))
