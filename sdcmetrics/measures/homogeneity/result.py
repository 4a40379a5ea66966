"""Results of the tests of all tables: limits, flagged tables, and the result of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.homogeneity.derived import Derived
from sdcmetrics.measures.homogeneity.exchange import Statistics
from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.results import Readable

Status = Literal["within", "review", "fail", "not judged"]
Reason = Literal["", "clusters", "few records", "no table", "weights"]
LARGE = 0.5
"""A large w on Cohen's scale: some share is off by up to 25 points."""

Label = tuple[str, ...] | Derived
"""What a table is of."""


@dataclass(frozen=True)
class Limits:
    """Limits by which a table is judged.

    Attributes
    ----------
    review : float
        S_pMSE of a replica of the original's size must be above it; 3 is the advice of synthpop's
        authors.
    chance : float
        The level, shared by all tables.
    size_review, size_fail : float
        w must be above the first for a table to be called, and its lower limit above the second
        for it to fail. 0.1 is a small size on Cohen's scale, 0.3 a medium one.
    """

    review: float = 3.0
    chance: float = 0.01
    size_review: float = 0.1
    size_fail: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.chance < 1.0 or min(self.review, self.size_review, self.size_fail) < 0.0:
            msg = (
                "limits of tables: expected a chance between 0 and 1, and sizes of at least 0, but "
                f"got {self}."
            )
            raise StudyError(msg)


@dataclass(frozen=True)
class Table:
    """A table that is flagged.

    Attributes
    ----------
    name : str
        In words, such as "age by sex" or "trailing zeros of income".
    variables : tuple of str
    derived : bool
        Whether it is of a derived column.
    one_sided : bool
        Whether it counts values that one file alone has.
    invented : bool
        Whether that is the replica.
    w, w_low, S_pMSE, p, adjusted_p : float
        See `Homogeneity.frame`.
    """

    name: str
    variables: tuple[str, ...]
    derived: bool
    w: float
    w_low: float
    S_pMSE: float
    p: float
    adjusted_p: float
    one_sided: bool = False
    invented: bool = False


@dataclass(frozen=True)
class Totals:
    """For how many people the records of both files stand, by their weights.

    Attributes
    ----------
    original, synthetic : float
        Sums of weights.
    error : float
        The standard error of their difference between two samples: the root of the sum of all
        squared weights, as of samples whose numbers of records are left to chance, too.
    """

    original: float
    synthetic: float
    error: float

    @classmethod
    def of(cls, original: Floats, synthetic: Floats) -> Totals:
        """Return the totals of the weights of two files."""
        squares = float((original**2).sum() + (synthetic**2).sum())
        return cls(float(original.sum()), float(synthetic.sum()), float(np.sqrt(squares)))

    @property
    def ratio(self) -> float:
        """The replica's total over the original's."""
        return self.synthetic / self.original

    @property
    def differ(self) -> bool:
        """Whether totals differ by more than a tenth and by more than chance (p about .001)."""
        apart = abs(self.synthetic - self.original)
        return apart > _MUCH * self.original and apart > _SURE * self.error


_MUCH, _SURE = 0.1, 3.29


@dataclass(frozen=True)
class Homogeneity(Readable, shows=("status", "reason", "called", "failed", "tables")):
    """Whether the tables of one synthesis are those of a fresh sample, or nearly so.

    Attributes
    ----------
    status : "within", "review", "fail" or "not judged"
    reason : "", "clusters", "few records", "no table" or "weights"
        Why it is not judged. The records are too few where no table is called, and even a large
        difference (`LARGE`) would not show in a usual table of one column.
    cluster : str
        The column that looks like a household or a school and is not named as one, or that a
        synthesis lacks; else empty.
    called, failed : tuple of Table
        The worst w first, and only those that exchange (bound or draws) confirmed. Those that fail
        are called too.
    tables : int
        How many were tested.
    ways : int
        Up to how many columns a table has.
    notice : float
        The smallest w that a table of usual size shows in four of five cases.
    notice_one_way : float
        The same of a usual table of one column, at the level of a first file.
    repeats : bool
        Whether records are repeated more, or less, often than in the original: a remark.
    one_sided : tuple of str
        Columns of which few records, but more than by chance, have values that the other file has
        nowhere: a remark.
    few, few_clusters : bool
        Fewer than 30 records, or clusters, on either side.
    assumed_clusters : bool
        Whether the synthesis lacks `cluster`, so that its records were taken to belong together as
        those of the original do.
    weighted : bool
        Whether shares are those of the population, by weights.
    totals : Totals or None
        What the weights of both files add up to; None where the synthesis has none.
    skipped : tuple of str
        Which derived columns were not made, and why.
    """

    status: Status
    reason: Reason = ""
    cluster: str = ""
    called: tuple[Table, ...] = ()
    failed: tuple[Table, ...] = ()
    tables: int = 0
    ways: int = 0
    notice: float = float("nan")
    notice_one_way: float = float("nan")
    repeats: bool = False
    one_sided: tuple[str, ...] = ()
    few: bool = False
    few_clusters: bool = False
    assumed_clusters: bool = False
    weighted: bool = False
    totals: Totals | None = None
    skipped: tuple[str, ...] = ()
    tested: JudgedTables | None = field(default=None, compare=False)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All tables.

        One row per table: variables (a tuple of names, or the name of a derived column), cells,
        X2, expected and variance under exchange, p, holm_p (over all tables, over the
        file's part of the level), S_pMSE of a replica of the original's size (NaN for values that
        one file alone has), w, w_low, called,
        failed.
        """
        return JudgedTables.frame_of(self.tested)


@dataclass(frozen=True, repr=False)
class JudgedTables:
    """All tables of one synthesis and their statistics."""

    labels: Sequence[Label]
    statistics: Statistics
    adjusted: Floats
    w_low: Floats
    called: Bools
    failed: Bools

    def table(self, i: int) -> Table:
        """Return one table in words."""
        label, of = self.labels[i], self.statistics
        derived = isinstance(label, Derived)
        return Table(
            name=label.name if isinstance(label, Derived) else " by ".join(label),
            variables=label.variables if isinstance(label, Derived) else label,
            derived=derived,
            w=float(of.w[i]),
            w_low=float(self.w_low[i]),
            S_pMSE=float(of.s_p_mse[i]),
            p=float(of.p[i]),
            adjusted_p=float(self.adjusted[i]),
            one_sided=isinstance(label, Derived) and label.p is not None,
            invented=isinstance(label, Derived) and label.invented,
        )

    def worst_first(self, tables: Bools) -> tuple[Table, ...]:
        """Return some of the tables, the largest w first."""
        chosen = np.flatnonzero(tables)
        order = np.argsort(-self.statistics.w[chosen], kind="stable")
        return tuple(self.table(i) for i in chosen[order].tolist())

    @staticmethod
    def frame_of(tested: JudgedTables | None) -> pd.DataFrame:
        """Return a frame with one row per table; without rows where nothing was tested."""
        labels = [] if tested is None else tested.labels
        names: Any = np.empty(len(labels), dtype=object)
        names[:] = [label.name if isinstance(label, Derived) else label for label in labels]
        columns: dict[str, Any] = {
            "cells": "cells",
            "X2": "x2",
            "expected": "expected",
            "variance": "variance",
            "p": "p",
            "holm_p": None,
            "S_pMSE": "s_p_mse",
            "w": "w",
        }
        empty = np.empty(0)
        for name, attribute in columns.items():
            if tested is None:
                columns[name] = empty
            else:
                of = tested.statistics
                columns[name] = tested.adjusted if attribute is None else getattr(of, attribute)
        columns["w_low"] = empty if tested is None else tested.w_low
        columns["called"] = empty.astype(bool) if tested is None else tested.called
        columns["failed"] = empty.astype(bool) if tested is None else tested.failed
        frame = pd.DataFrame({"variables": names, **columns})
        return frame.astype({"cells": np.int64})
