"""Whole households: labels that are exchanged, and records that are drawn, by household.

People who live together are alike. Exchanging the labels of single records then mixes what a
fresh sample never mixes, and p values come out too small. Labels are exchanged between whole
households of as many persons instead, so that both sides keep their numbers of records and of
households of each size: exact where households of one size are exchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError, NotComputable, StudyError
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import alone, harmonise
from sdcmetrics.results import Readable

_MANY = 1_000  # different sums of households, from which on drawing them is quicker
_AT_ONCE = 4_000_000  # drawn counts held at a time, 32 MB
_ROUNDING = 1e-13  # of a score, by which scores that are alike may differ


@dataclass(frozen=True)
class Households(Readable, shows=("n", "total")):
    """Which household each record is of, in two data sets one after the other.

    Attributes
    ----------
    number : int array of shape (n + m,)
        Of the first data set's records, then of the second's; no household is in both.
    n : int
        Records of the first.

    Examples
    --------
    >>> households = Households(np.array([0, 0, 1, 2, 2, 3]), 3)
    >>> sorted(households.drawn(np.random.default_rng(1)).tolist()) in (
    ...     [[0, 1, 2], [0, 1, 5], [2, 3, 4], [3, 4, 5]])
    True
    """

    number: Ints
    n: int

    @property
    def total(self) -> int:
        """Records of both data sets."""
        return len(self.number)

    @cached_property
    def by_size(self) -> list[tuple[Ints, int]]:
        """For each size: records by household, shape (households, size), and how many are first."""
        number = np.unique(self.number, return_inverse=True)[1].ravel()
        sizes = np.bincount(number)
        order, starts = np.argsort(number, kind="stable"), np.cumsum(sizes) - sizes
        out = []
        for size in np.unique(sizes):
            rows = order[starts[sizes == size][:, None] + np.arange(size)]
            out.append((rows, int((rows[:, 0] < self.n).sum())))
        return out

    @property
    def exchangeable(self) -> bool:
        """Whether any household of one side has as many persons as one of the other."""
        return any(0 < first < len(rows) for rows, first in self.by_size)

    def drawn(self, rng: np.random.Generator) -> Ints:
        """Draw which records are the first side's, as many as there are."""
        chosen = [rows[rng.permutation(len(rows))[:first]].ravel() for rows, first in self.by_size]
        return np.concatenate(chosen)

    def order(self, rng: np.random.Generator) -> Ints:
        """Draw an order of all records, those of the first side first."""
        first = self.drawn(rng)
        rest = np.ones(len(self.number), dtype=np.bool_)
        rest[first] = False
        return np.append(first, np.flatnonzero(rest))

    def counts(
        self, cells: npt.NDArray[Any], size: int, draws: int, rng: np.random.Generator
    ) -> Ints:
        """Draw how many of the first side's records are in each cell, shape (draws, size)."""
        drawn = (np.bincount(cells[self.drawn(rng)], minlength=size) for _ in range(draws))
        return np.array([*drawn], dtype=np.int64).reshape(draws, size)

    def sums(self, scores: Floats, draws: int, rng: np.random.Generator) -> Floats:
        """Draw what the first side's scores add up to, shape (draws,)."""
        out = np.zeros(draws)
        for rows, first in self.by_size:
            each = scores[rows].sum(axis=1)
            values, counts = np.unique(each, return_counts=True)
            if len(values) > max(_MANY, len(each) // 4):  # hardly two alike: counts take longer
                out += [each[rng.permutation(len(each))[:first]].sum() for _ in range(draws)]
                continue
            step = max(1, _AT_ONCE // len(values))
            for at in range(0, draws, step):
                part = slice(at, min(at + step, draws))
                chosen = rng.multivariate_hypergeometric(
                    counts, first, size=part.stop - at, method="marginals"
                )
                out[part] += chosen @ values
        return out

    def moments(self, scores: Floats) -> tuple[float, float, int]:
        """Return mean and variance of `sums`, exactly, and how many households change sides.

        The last is of the side with fewer of those that can.
        """
        mean = variance = 0.0
        changing = np.zeros(2, dtype=np.int64)
        for rows, first in self.by_size:
            each, persons = scores[rows].sum(axis=1), len(rows)
            mean += first * float(each.mean())
            if 0 < first < persons:
                variance += first * (persons - first) / persons * float(each.var(ddof=1))
                changing += [first, persons - first]
        return mean, variance, int(changing.min())

    def design_effect(self, scores: Floats) -> float:
        """How many times the variance of means is what it is where nobody lives together."""
        if not 0 < self.n < len(scores):
            return 1.0
        side = np.arange(len(scores)) >= self.n
        centred = scores - np.array([scores[~side].mean(), scores[side].mean()])[side.astype(int)]
        total = np.bincount(np.unique(self.number, return_inverse=True)[1].ravel(), centred)
        own = float((centred**2).sum())
        nothing = _ROUNDING**2 * float((scores**2).sum())
        return float((total**2).sum()) / own if own > nothing else 1.0

    def subset(self, records: npt.NDArray[Any]) -> Households:
        """Return those of some of all records: a mask, or places in order."""
        some = np.arange(len(self.number))[records]
        return replace(self, number=self.number[some], n=int((some < self.n).sum()))

    def resampled(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Draw as many households with replacement; how often each record of either side is in."""
        out = []
        for side in np.split(self.number, [self.n]):
            each, number = np.unique(side, return_inverse=True)
            times = np.bincount(rng.integers(len(each), size=len(each)), minlength=len(each))
            out.append(times[number.ravel()])
        return out[0], out[1]


HouseholdColumn = str | Households | None
"""How a function is told who lives together: by a column's name, or by who it is."""


def relabelled(
    rng: np.random.Generator, size: int, n: int, households: Households | None = None
) -> Ints:
    """Draw which n of so many records are the first side's: single ones, or whole households."""
    return rng.permutation(size)[:n] if households is None else households.drawn(rng)


def households_drawn(number: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Draw whole households of at most so many records together; their records in order.

    Examples
    --------
    >>> households_drawn(np.array([7, 7, 7, 8, 8, 8]), 5, np.random.default_rng(0)).tolist() in (
    ...     [[0, 1, 2], [3, 4, 5]])
    True
    """
    number = np.unique(number, return_inverse=True)[1].ravel()
    sizes = np.bincount(number)
    order = rng.permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    chosen[order[np.cumsum(sizes[order]) <= most]] = True
    return np.flatnonzero(chosen[number])


def set_aside(
    household: HouseholdColumn, variables: Sequence[str] | str | None, *frames: tuple[Any, str]
) -> list[Microdata | Any]:
    """Return data sets without the household column, which is no variable.

    Raises
    ------
    StudyError
        If it is one of the variables to compare.
    """
    if not isinstance(household, str):
        return [frame for frame, _ in frames]
    if variables is not None and household in (
        [variables] if isinstance(variables, str) else variables
    ):
        msg = f"household: {household!r} says who lives together and cannot be compared as well."
        raise StudyError(msg)
    data_sets = [as_microdata(frame, name) for frame, name in frames]
    return [
        replace(data_set, table=data_set.table.drop_columns([household]))
        if household in data_set.columns
        else data_set
        for data_set in data_sets
    ]


def two_sides(
    household: HouseholdColumn, first: tuple[Any, str], second: tuple[Any, str], *, together: bool
) -> Households | None:
    """Return the households of two data sets whose labels are exchanged.

    Parameters
    ----------
    household : name of a column of both, or Households, or None
        A record without one is a household of its own; this is listed.
    first, second : data frames and their names
    together : bool
        Whether they are parts of one file, original and holdout, in which a number means the same
        household. Those of an original and a replica have nothing to do with each other.

    Raises
    ------
    DataError
        If there are other numbers of records, or a household is in both parts of one file.
    NotComputable
        If a data set does not say who lives together, or no household of one has as many persons
        as one of the other.
    """
    if household is None:
        return None
    if isinstance(household, Households):
        sizes = [as_microdata(*frame).n for frame in (first, second)]
        if (household.n, len(household.number)) != (sizes[0], sum(sizes)):
            msg = f"household: expected those of {sizes[0]:,} and {sizes[1]:,} records."
            raise DataError(msg)
        return household
    numbers = numbered(household, first, *([(None, ""), second] if together else [second]))
    return between(numbers, 0, 2 if together else 1)


def numbered(
    household: str,
    original: tuple[Any, str],
    synthetic: tuple[Any, str],
    holdout: tuple[Any, str] | None = None,
) -> tuple[Ints | None, ...]:
    """Number the households of original, replica and holdout; None without a column.

    Raises
    ------
    DataError
        If a household of the original is in the holdout too.
    """
    frames = [original, synthetic, *([] if holdout is None else [holdout])]
    data = [None if frame is None else as_microdata(frame, name) for frame, name in frames]
    out: list[Ints | None] = [None] * len(data)
    real = [i for i in (0, 2) if i < len(data) and _has(data[i], household)]
    if real:
        numbers = _of_one_file(household, [frame for i in real if (frame := data[i]) is not None])
        for i, number in zip(real, numbers, strict=True):
            out[i] = number
    if (replica := data[1]) is not None and household in replica.columns:
        after = max(
            (int(numbers_of.max()) + 1 for numbers_of in out if numbers_of is not None), default=0
        )
        out[1] = after + households_of(alone(replica, [household]), household)[0]
    return tuple(out)


def between(
    numbers: Sequence[Ints | None],
    first: int,
    second: int,
    *,
    names: Sequence[str] = ("original", "replica", "holdout"),
    unit: str = "household",
) -> Households:
    """Return the households of two of several numbered data sets; or persons, as the unit says.

    Raises
    ------
    NotComputable
        If one does not say it, or no household of one has as many persons as one of the other.
    """
    of_persons = unit == "person"
    first_numbers, other = numbers[first], numbers[second]
    if first_numbers is None or other is None:
        says = "whose its records are" if of_persons else "who lives together"
        msg = (
            f"the {names[first if first_numbers is None else second]} does not say {says}, so "
            f"that whole {unit}s cannot be exchanged with it, and of single records p is too small"
        )
        raise NotComputable(msg)
    households = Households(np.concatenate([first_numbers, other]), len(first_numbers))
    if not households.exchangeable:
        msg = (
            f"no {unit} of the {names[first]} has as many {'records' if of_persons else 'persons'} "
            f"as one of the {names[second]}, so that none can be exchanged"
        )
        raise NotComputable(msg)
    return households


def _has(data: Microdata | None, name: str) -> bool:
    return data is not None and name in data.columns


def _of_one_file(household: str, data: Sequence[Microdata]) -> list[Ints]:
    """Number the households of parts of one file; a record without one is one of its own."""
    coded = encode(harmonise(data[0], data[1:], variables=[household]), by_value, [household])
    variable = coded.variables[household]
    numbers = [part.astype(np.int64) for part in variable.parts]
    if len(data) > 1:
        split = np.intersect1d(numbers[0], numbers[1])
        both = int((split != variable.missing_code).sum())
        if both:
            words = "1 household is" if both == 1 else f"{both:,} households are"
            msg = (
                f"{data[1].source}, column {household!r}: {words} also in "
                f"{data[0].source}. A holdout that splits households holds people whom the "
                "synthesis knows by their family. Split whole households, before the synthesis; "
                "if numbers were given anew in each file, make them differ."
            )
            raise DataError(msg)
    free = variable.size
    for part in numbers:
        missing = np.flatnonzero(part == variable.missing_code)
        part[missing] = free + np.arange(len(missing))
        free += len(missing)
    return numbers
