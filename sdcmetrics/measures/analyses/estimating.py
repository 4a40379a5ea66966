"""One analysis of every data set: the columns that it needs, and its estimates group by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses import incomes, mixed, moments, survival
from sdcmetrics.measures.analyses.analysis import Analysis
from sdcmetrics.measures.analyses.estimates import Category, Estimates, Records, joined
from sdcmetrics.measures.analyses.own_function import Function, call
from sdcmetrics.measures.fits.design import INTERCEPT, Design, make_design
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design
from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.microdata.frames import labels_of
from sdcmetrics.microdata.schema import Harmonised, Variable

MOST_LEVELS = 50
"""Distinct numbers that a column of groups may have; more are no groups."""


@dataclass(frozen=True)
class Sides:
    """One analysis over original and syntheses.

    Attributes
    ----------
    analysis : Analysis
    records : tuple of Records, the original's first
    design : Design or None
        Of its formula.
    function : the function that it calls, or None
    """

    analysis: Analysis
    records: tuple[Records, ...]
    design: Design | None = None
    function: Function | None = None

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # is no estimate in the result
    def estimates(self, part: int) -> Estimates:
        """Estimate it from one data set; 0 is the original.

        Raises
        ------
        NotComputable
            If no group of it can be estimated.
        """
        records = self.records[part]
        if self.function is not None:
            return call(self.function, records)
        whole = np.ones(records.n, dtype=np.bool_)
        if not self.analysis.by:
            return self._of(part, whole)
        groups = records.categories(self.analysis.by)
        estimates, reasons = [], []
        for code, level in enumerate(groups.levels):
            try:
                of_level = self._of(part, groups.codes == code)
            except NotComputable as reason:
                reasons.append(str(reason))
                continue
            named = tuple(f"{level}: {term}" for term in of_level.terms)
            estimates.append(replace(of_level, terms=named))
        if not estimates:
            none = f"no record has a value of {self.analysis.by!r}, by which it is made"
            raise NotComputable(next(iter(reasons), none))
        return joined(estimates)

    def _of(self, part: int, rows: Bools) -> Estimates:
        analysis, records = self.analysis, self.records[part]
        if analysis.statistic == "cox":
            return self._cox(part, rows)
        if analysis.statistic == "mixed_model":
            return self._mixed(part, rows)
        if analysis.event:
            event, observed = survival.occurred(records, analysis.event, analysis.occurred)
            rows, time = rows & observed, analysis.variables[0]
            if analysis.statistic == "survival_median":
                return survival.survival_median(records, rows, time, event)
            return survival.survival_curve(records, rows, time, event, at=analysis.at)
        return _STATISTICS[analysis.statistic](analysis, records, rows)

    def _modelled(self, part: int, rows: Bools) -> tuple[Design, Bools, Bools]:
        """Return the design matrix, the records used of a group, and their rows in it."""
        design = self.design
        assert design is not None  # noqa: S101  (of every analysis with a formula)
        complete = design.complete[part]
        return design, complete & rows, rows[complete]

    def _cox(self, part: int, rows: Bools) -> Estimates:
        analysis, records = self.analysis, self.records[part]
        event, observed = survival.occurred(records, analysis.event, analysis.occurred)
        design, used, inside = self._modelled(part, rows & observed)
        columns = [j for j, name in enumerate(design.names) if name != INTERCEPT]
        matrix = design.matrix(part)[inside][:, columns]
        times = design.outcome(part)[inside]
        terms = [design.names[j] for j in columns]
        return survival.cox(terms, matrix, times, event[used], records, used, ties=analysis.ties)

    def _mixed(self, part: int, rows: Bools) -> Estimates:
        analysis, records = self.analysis, self.records[part]
        if records.designed:
            msg = (
                "a mixed model has no errors of a design here: it is fitted without weights where "
                "the study has no [sample]"
            )
            raise NotComputable(msg)
        group = records.categories(analysis.group)
        design, used, inside = self._modelled(part, rows & (group.codes >= 0))
        matrix = design.matrix(part)[inside]
        slopes = [self._slope(design, name) for name in analysis.slopes]
        random = np.column_stack([np.ones(len(matrix)), *(matrix[:, j] for j in slopes)])
        return mixed.mixed_model(
            design.names,
            matrix,
            design.outcome(part)[inside],
            group.codes[used],
            random,
            restricted=analysis.restricted,
            source=records.source,
        )

    def _slope(self, design: Design, name: str) -> int:
        if name not in design.names:
            msg = f"the slope {name!r} is no numeric predictor of {design.formula}"
            raise NotComputable(msg)
        return design.names.index(name)


def _simple(function: Callable[..., Estimates], *entries: str) -> Callable[..., Estimates]:
    """Return a statistic of the analysis' variables, and of entries by their names."""

    def estimate(analysis: Analysis, records: Records, rows: Bools) -> Estimates:
        given = {entry: getattr(analysis, entry) for entry in entries}
        return function(records, rows, *analysis.variables, **given)

    return estimate


_STATISTICS: dict[str, Callable[[Analysis, Records, Bools], Estimates]] = {
    "mean": _simple(moments.mean),
    "total": _simple(moments.total),
    "share": _simple(moments.share),
    "ratio": _simple(moments.ratio),
    "difference": _simple(moments.difference),
    "correlation": _simple(moments.correlation),
    "table": _simple(moments.table),
    "quantile": _simple(incomes.quantile, "at"),
    "gini": _simple(incomes.gini),
    "poverty_threshold": _simple(incomes.poverty_threshold, "line"),
    "poverty_rate": _simple(incomes.poverty_rate, "line"),
    "s80_s20": _simple(incomes.s80_s20),
    "lorenz": _simple(incomes.lorenz, "at"),
}

_GROUPED = {"share": (0,), "table": None, "difference": (1,)}
"""Which of its variables a statistic takes as categories; None for all."""


def sides_of(
    analysis: Analysis,
    data: Harmonised,
    designs: Sequence[SurveyDesign | None],
    function: Function | None = None,
) -> Sides:
    """Return the columns and weights that an analysis needs, of original and syntheses.

    Parameters
    ----------
    analysis : Analysis
    data : Harmonised
        The columns that it is of.
    designs : sequence of SurveyDesign or None, the original's first
        None for a simple random sample.
    function : optional
        The function that it calls.

    Raises
    ------
    NotComputable
        If a column of groups is a number of very many values.
    """
    grouped = _grouped(analysis)
    columns = {
        name: list(
            _columns(
                variable,
                categories=name in grouped,
                grouping=name == analysis.group,
                source=data.sources[0],
            )
        )
        for name, variable in data.variables.items()
    }
    records = tuple(
        Records(
            source,
            {name: parts[part] for name, parts in columns.items()},
            simple_design(data.sizes[part]) if design is None else design,
            designed=designs[0] is not None,
        )
        for part, (source, design) in enumerate(zip(data.sources, designs, strict=True))
    )
    model = None
    if analysis.formula:
        model = make_design(read_formula(analysis.formula, list(data.variables)), data)
    return Sides(analysis, records, model, function)


def _grouped(analysis: Analysis) -> set[str]:
    places = _GROUPED.get(analysis.statistic, ())
    chosen = analysis.variables if places is None else [analysis.variables[i] for i in places]
    return {name for name in (*chosen, analysis.by, analysis.group) if name}


def _columns(
    variable: Variable, *, categories: bool, grouping: bool, source: str
) -> Iterator[Category | Floats]:
    """Yield a column of each data set; a `grouping` may have any number of levels."""
    if variable.values and not categories:
        for values in variable.values:
            missing = np.isin(values, variable.missing_codes)
            yield np.where(missing, np.nan, values)
        return
    if not variable.values:
        for codes in variable.codes:
            yield Category(codes.astype(np.int64), variable.levels)
        return
    distinct, ranks = variable.ranked
    if len(distinct) > MOST_LEVELS and not grouping:
        msg = (
            f"{source}, column {variable.name!r}: expected groups but it holds {len(distinct):,} "
            f"different numbers, of which at most {MOST_LEVELS} are groups"
        )
        raise NotComputable(msg)
    absent = np.flatnonzero(np.isin(distinct, variable.missing_codes))
    levels = tuple(labels_of(distinct))
    for codes in ranks:
        yield Category(np.where(np.isin(codes, absent), -1, codes).astype(np.int64), levels)
