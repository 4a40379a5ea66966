"""The tidy measurements, looked up by what they are of. The only reader of the frame."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.reference_values import REFERENCES, References
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.arrays import Floats, Ints, Ints32
from sdcmetrics.report.measure import FIELDS, UNMARKED, Measure, measure_of, text_of
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.review.measurements import Measurements, Rare, Texts
from sdcmetrics.review.review import Review

LARGE_REVIEW = 50_000
"""Measurements above which files list all tables: some 60 columns, a JSON of some 10 MB."""

_PAIR = 2

_OFTEN = {"replica", "family", "metric", "unit"}
"""Columns of few texts, whatever pandas keeps them as."""


class Measures:
    """Every measurement of a review, with what a profile says of it.

    Wide data have hundreds of thousands: rows are kept as columns, found by what they are of, and
    made into a `Measure` when somebody asks.
    """

    def __init__(self, review: Review | Protected, findings: Iterable[Finding]) -> None:
        rows = (
            review.measurements.means
            if isinstance(review, Review)
            else Measurements.of_frame(review.mean_rows())
        )
        questions = _questions(rows)
        self._numbers = rows.parted("value")
        self._variables = rows.parted("variables")
        self._columns: dict[str, Any] = {
            name: rows.entries(name, often=name in _OFTEN)
            for name in FIELDS
            if name not in ("scenario", "value", "variables")
        }
        self._columns |= {
            "scenario": questions,
            "value": self._numbers,
            "variables": self._variables,
        }
        self._references = [rows.entries(name) for name in REFERENCES if name in rows.columns]
        marked = np.zeros(len(rows), dtype=bool)
        for each in self._references:
            if isinstance(each, Rare):
                marked[list(each.entries)] = True
            else:
                marked |= each.filled()
        self._marked = marked
        self._cached: dict[int, Measure] = {}
        of_table = np.ones(len(rows), np.bool_)
        of_table[list(questions.entries)] = False
        ways = np.fromiter(map(len, self._variables), np.int32, len(rows))
        self._groups = _grouped(self._columns["replica"], self._columns["metric"], ways, of_table)
        self._tables: dict[tuple[str, str, int], dict[tuple[str, ...], int]] = {}
        self._other = np.flatnonzero(~of_table).tolist()
        self._risks = {
            (m.replica, m.metric, m.scenario, m.target): m for m in map(self.at, self._other)
        }
        model = self._columns["model"]
        of_model: list[int] = (
            [*model.entries] if isinstance(model, Rare) else np.flatnonzero(model.filled()).tolist()
        )
        self._fits = {self._of(i, "replica", "metric", "model"): i for i in of_model}
        self._statuses = {
            (f.replica, f.metric, f.scenario, f.target, f.variables): f.status for f in findings
        }
        self._judged = {metric for _, metric, *_ in self._statuses}

    def at(self, i: int) -> Measure:
        """Return the measurement of a row."""
        if i not in self._cached:
            references = (
                References(*(float(each[i]) for each in self._references))
                if self._marked[i]
                else UNMARKED
            )
            self._cached[i] = measure_of(references, *self._of(i, *FIELDS))
        return self._cached[i]

    def _of(self, i: int, *names: str) -> tuple[Any, ...]:
        """Return what some columns have in a row."""
        return tuple(self._columns[name][i] for name in names)

    def of_no_table(self) -> Iterator[Measure]:
        """Yield those that are of no table of variables, in the review's order."""
        whole = (rows.tolist() for (_, _, ways), rows in self._groups.items() if ways == 0)
        return map(self.at, sorted(itertools.chain(self._other, *whole)))

    @property
    def wide(self) -> bool:
        """Whether there are so many tables of variables that a list of all is for files only."""
        return len(self._numbers) > LARGE_REVIEW

    @property
    def metrics(self) -> tuple[str, ...]:
        """Symbols of what was measured, in the order of the review."""
        return tuple(dict.fromkeys(self._columns["metric"].texts))

    @property
    def ways(self) -> set[int]:
        """The numbers of variables of the tables."""
        return {ways for _, _, ways in self._groups if ways}

    @property
    def missing(self) -> int:
        """Number of measurements without a value."""
        return int((~self._numbers.filled()).sum())

    def without_value(self) -> list[Measure]:
        """Return those without a value, in the review's order."""
        apart, _ = self.listed
        rows = np.array(apart, dtype=np.int64)
        return [self.at(i) for i in rows[np.isnan(self._numbers.of(rows))].tolist()]

    def worst(self, replica: str, metric: str) -> Measure | None:
        """Return the worst measurement of a replica; the largest where nothing is better."""
        rows = self._rows_of(replica, metric)
        rows = rows[~np.isnan(self._numbers.of(rows))]
        if not len(rows):
            return None
        values = self._numbers.of(rows)
        worst = values.min() if MEASURES[metric].better == "higher" else values.max()
        return self.at(int(rows[values == worst].min()))

    def every(self, replica: str, metric: str) -> Iterator[Measure]:
        """Yield all measurements of a measure."""
        return map(self.at, self._rows_of(replica, metric).tolist())

    def _rows_of(self, replica: str, metric: str) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *self._rows.get((replica, metric), ())])

    @cached_property
    def _rows(self) -> dict[tuple[str, str], list[Ints]]:
        """The rows of each measure, those of tables first."""
        out = defaultdict[tuple[str, str], list[Ints]](list)
        for (replica, metric, _), rows in self._groups.items():
            out[replica, metric].append(rows)
        for i in self._other:
            out[self.at(i).replica, self.at(i).metric].append(np.array([i]))
        return dict(out)

    def __iter__(self) -> Iterator[Measure]:
        """Yield all in the review's order; of very many tables, only measures that can go out."""
        apart, plain = self.listed
        rows = (row.tolist() for _, _, row in plain)
        return map(self.at, sorted(itertools.chain(apart, *rows)))

    @cached_property
    def listed(self) -> tuple[list[int], list[tuple[str, str, Ints]]]:
        """The rows of `iter`: by measure those that are a number of a pair, if very many."""
        reasons = self._columns["reason"]
        apart, plain = [self._other], []
        for (replica, metric, ways), rows in self._groups.items():
            if ways < _PAIR or not self.wide:
                apart.append(rows.tolist())
            elif MEASURES[metric].release is not None:
                bare = ~np.isnan(self._numbers.of(rows))
                bare &= ~_with_reason(reasons, rows)
                apart.append(rows[~bare].tolist())
                plain.append((replica, metric, rows[bare]))
        return sorted(itertools.chain(*apart)), plain

    def references(self, rows: Ints) -> dict[str, list[float]]:
        """Return the reference values of the rows that `listed` gave; NaN where there are none."""
        return {
            name: _numbers(of, rows) for name, of in zip(REFERENCES, self._references, strict=False)
        }

    def statuses(
        self, replica: str, metric: str, tables: Iterable[tuple[str, ...]]
    ) -> list[Status]:
        """Return what the profile says of a statistic of tables."""
        by_place = self._statuses if metric in self._judged else {}
        none = Status.NOT_JUDGED
        return [by_place.get((replica, metric, "", "", table), none) for table in tables]

    def by_table(self, ways: int) -> Iterator[tuple[str, str, Ints]]:
        """Yield replica, measure and rows of the tables of so many variables."""
        for (replica, metric, number), rows in self._groups.items():
            if number == ways:
                yield replica, metric, rows

    def values(self, rows: Ints) -> tuple[list[tuple[str, ...]], list[float | None]]:
        """Return the variables and the values of rows that `by_table` named."""
        values = self._numbers.of(rows).tolist()
        return self.tables(rows), [None if math.isnan(x) else x for x in values]

    def tables(self, rows: Ints) -> list[tuple[str, ...]]:
        """Return the variables of rows that `by_table` named."""
        names: list[tuple[str, ...]] = self._variables.of(rows).tolist()
        return names

    def numbers(self, rows: Ints) -> Floats:
        """Return the values of rows that `by_table` named; NaN for none."""
        return self._numbers.of(rows)

    def table(self, replica: str, metric: str, variables: tuple[str, ...]) -> Measure | None:
        """Return a utility statistic of one table."""
        key = (replica, metric, len(variables))
        if key not in self._tables:
            rows = self._groups.get(key, np.zeros(0, np.int64))
            self._tables[key] = dict(zip(self._variables.of(rows), rows.tolist(), strict=True))
        row = self._tables[key].get(variables)
        return None if row is None else self.at(row)

    def risk(self, replica: str, metric: str, scenario: str, target: str) -> Measure | None:
        """Return a disclosure measure of one target, of a scenario, or of a whole replica."""
        if not scenario:
            return self.table(replica, metric, ())
        return self._risks.get((replica, metric, scenario, target))

    def fitted(self, replica: str, metric: str, model: str) -> Measure | None:
        """Return a measure of a model, which is called by its formula and family."""
        row = self._fits.get((replica, metric, model))
        return None if row is None else self.at(row)

    def find(
        self,
        replica: str,
        metric: str,
        scenario: str = "",
        target: str = "",
        variables: tuple[str, ...] = (),
        model: str = "",
    ) -> Measure | None:
        """Return the measurement of a place; of a rule, the scenario is its text."""
        if model:
            return self.fitted(replica, metric, model)
        if variables or not scenario:
            return self.table(replica, metric, variables)
        return self.risk(replica, metric, scenario, target)

    def of(self, finding: Finding) -> Measure | None:
        """Return the measurement that a finding is about."""
        f = finding
        return next(
            (
                m
                for m in self.every(f.replica, f.metric)
                if (m.variables, m.subject) == (f.variables, f.scenario)
                and f.target in (m.target, "")
            ),
            None,
        )

    def status(self, measure: Measure) -> Status:
        """Return what the profile says of a measurement."""
        m = measure
        if m.metric not in self._judged:
            return Status.NOT_JUDGED
        for target in dict.fromkeys((m.target, "")):
            judged = self._statuses.get((m.replica, m.metric, m.subject, target, m.variables))
            if judged is not None:
                return judged
        return Status.NOT_JUDGED

    @cached_property
    def pairs(self) -> tuple[tuple[str, ...], ...]:
        """The tables of two variables, each once."""
        out: dict[tuple[str, ...], None] = {}
        before: list[tuple[str, ...]] = []
        for _, _, rows in self.by_table(_PAIR):
            names = self.tables(rows)
            if names != before:  # most measures have the same tables
                out |= dict.fromkeys(names)
                before = names
        return tuple(out)


def _numbers(column: Any, rows: Ints) -> list[float]:
    """Return some entries of a column of numbers."""
    if isinstance(column, Rare):
        return [column.entries.get(i, math.nan) for i in rows.tolist()]
    numbers: list[float] = column.of(rows).astype(np.float64).tolist()
    return numbers


def _with_reason(reasons: Any, rows: Ints) -> npt.NDArray[np.bool_]:
    """Return which of some rows have a reason."""
    if isinstance(reasons, Rare):
        return np.isin(rows, [i for i, reason in reasons.entries.items() if text_of(reason)])
    return np.array([bool(text_of(reasons[i])) for i in rows.tolist()], dtype=np.bool_)


def _questions(rows: Measurements) -> Rare:
    """Return what each measurement is of, which stands in one place here."""
    model = {i: _formula(name) for i, name in rows.filled("model").items()}
    return Rare({**rows.filled("rule"), **model, **rows.filled("scenario")}, None)


def _grouped(
    replica: Texts, metric: Texts, ways: Ints32, chosen: npt.NDArray[np.bool_]
) -> dict[tuple[str, str, int], Ints]:
    """Return rows by replica, measure and number of variables, in the order of the first ones."""
    rows = np.flatnonzero(chosen)
    number = replica.codes[rows].astype(np.int32) * len(metric.texts) + metric.codes[rows]
    number = number * (int(ways.max(initial=0)) + 1) + ways[rows]
    groups: dict[tuple[str, str, int], list[Ints]] = {}
    ends = (np.flatnonzero(np.diff(number)) + 1).tolist()
    for part in np.split(rows, ends) if len(rows) else []:  # each of one measure, as they come
        first = part[0]
        group = replica[first], metric[first], int(ways[first])
        groups.setdefault(group, []).append(part)
    return {group: _joined(parts) for group, parts in groups.items()}


def _joined(parts: list[Ints]) -> Ints:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _formula(model: str) -> str:
    """Return the formula of a model without its family."""
    return re.sub(r", [a-z_]+$", "", model) if model else ""
