"""Original, replica and holdout for attacks: one codebook, one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.neighbours import Gower, Points
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses, pair, refuse_copy, stacked
from sdcmetrics.measures.prediction.records import Records, records_of
from sdcmetrics.measures.survey.households import (
    HouseholdColumn,
    Households,
    relabelled,
    set_aside,
    two_sides,
)
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes

__all__ = ["ORIGINAL", "People", "labels_drawn", "linked", "names_of", "people", "permuted_p"]

ORIGINAL, SYNTHETIC, HOLDOUT = 0, 1, 2

_MOST_BITS = 4e8
"""Of labels that are kept: 50 MB."""


@dataclass(frozen=True)
class People:
    """Three data sets over the same columns.

    Attributes
    ----------
    codes : mapping of column to three int arrays
        Original, synthetic, holdout: texts and categories from 0; missing is a level.
    numbers : mapping of column to three float arrays
        Numbers and dates; a missing value, and a missing code, is NaN.
    sizes : tuple of int
    fixes : tuple of str
    households : Households, optional
        Who of original and holdout lives together.
    files : tuple of int
        Records of each file of the replica, one after the other.
    is_copy : bool
        Whether the replica is the original itself.
    memo : dict
        What several attacks need of these data sets, by name.
    """

    codes: dict[str, tuple[Ints, ...]]
    numbers: dict[str, tuple[Floats, ...]]
    sizes: tuple[int, int, int]
    fixes: tuple[str, ...]
    households: Households | None = None
    files: tuple[int, ...] = ()
    is_copy: bool = False
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, codes first."""
        return (*self.codes, *self.numbers)

    @property
    def n(self) -> int:
        """Original records."""
        return self.sizes[ORIGINAL]

    @property
    def h(self) -> int:
        """Holdout records."""
        return self.sizes[HOLDOUT]

    def records(self, part: int) -> Records:
        """Return one data set as models take it."""
        codes = {name: parts[part] for name, parts in self.codes.items()}
        numbers = {name: parts[part] for name, parts in self.numbers.items()}
        return Records(codes, numbers, self.sizes[part])

    def range_of(self, column: str) -> float:
        """Return the range of a number in original and holdout together; 0 where it is constant."""
        pool = self.pooled(column)
        pool = pool[~np.isnan(pool)]
        return float(np.ptp(pool)) if len(pool) else 0.0

    def pooled(self, column: str) -> npt.NDArray[np.float64]:
        """Return a column of original and holdout together, as numbers."""
        parts = self.codes.get(column) or self.numbers[column]
        return np.concatenate([parts[ORIGINAL], parts[HOLDOUT]]).astype(np.float64)

    def points(self, columns: Sequence[str]) -> tuple[Points, Points, Gower]:
        """Return original and holdout together, the replica, and Gower's distance."""
        coded = [name for name in columns if name in self.codes]
        scaled = [name for name in columns if name in self.numbers]
        pool, synthetic = (
            Points.from_columns(
                [np.concatenate([self.codes[name][i] for i in parts]) for name in coded],
                [np.concatenate([self.numbers[name][i] for i in parts]) for name in scaled],
            )
            for parts in ((ORIGINAL, HOLDOUT), (SYNTHETIC,))
        )
        return pool, synthetic, Gower(tuple(self.range_of(name) for name in scaled))

    def values(self, columns: Sequence[str]) -> tuple[Ints, ...]:
        """Return one number per record and data set that tells combinations of values apart."""
        bounds = np.cumsum(self.sizes)[:-1]
        codes = {k: np.concatenate(v) for k, v in self.codes.items() if k in columns}
        numbers = {k: np.concatenate(v) for k, v in self.numbers.items() if k in columns}
        index = Records(codes, numbers, sum(self.sizes)).identity
        return tuple(np.split(index, bounds))

    def taken(self, here: Ints, there: Ints) -> People:
        """Return some originals and, as the replica, some records of the first two data sets.

        Where `there` is `here`, the originals are their own replica.
        """
        part = ORIGINAL if there is here else SYNTHETIC
        return People(
            {k: (v[ORIGINAL][here], v[part][there], v[HOLDOUT]) for k, v in self.codes.items()},
            {k: (v[ORIGINAL][here], v[part][there], v[HOLDOUT]) for k, v in self.numbers.items()},
            (len(here), len(there), self.h),
            self.fixes,
        )

    def by_file(self) -> tuple[People, ...]:
        """Return the same with each file of the replica alone."""
        ends = np.cumsum(self.files)
        return tuple(
            self._with(slice(end - size, end), size)
            for end, size in zip(ends, self.files, strict=True)
        ) or (self,)

    def _with(self, rows: slice, size: int) -> People:
        return People(
            {name: (a, b[rows], c) for name, (a, b, c) in self.codes.items()},
            {name: (a, b[rows], c) for name, (a, b, c) in self.numbers.items()},
            (self.n, size, self.h),
            self.fixes,
            self.households,
        )

    def copied(self) -> People:
        """Return the same with the original itself as the replica."""
        if "copied" not in self.memo:
            self.memo["copied"] = self._copied()
        copied: People = self.memo["copied"]
        return copied

    def _copied(self) -> People:
        return People(
            {name: (parts[0], parts[0], parts[2]) for name, parts in self.codes.items()},
            {name: (parts[0], parts[0], parts[2]) for name, parts in self.numbers.items()},
            (self.n, self.n, self.h),
            self.fixes,
            self.households,
            is_copy=True,
        )


def people(
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
) -> People:
    """Bring three data sets to one codebook; several syntheses are one, their records stacked.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or there is no holdout.
    """
    if holdout is None:
        msg = (
            "holdout: expected records that the synthesis has not seen but got None. Without them "
            "learning the population cannot be told from learning who was in the original. Set "
            "them aside before the synthesis; it cannot be done afterwards."
        )
        raise DataError(msg)
    files = list_syntheses(synthetic, variables)
    households = two_sides(household, (original, "original"), (holdout, "holdout"), together=True)
    original, *syntheses, holdout = set_aside(
        household,
        variables,
        (original, "original"),
        *((file, file.source) for file in files),
        (holdout, "holdout"),
    )
    data = pair(original, syntheses, holdout, variables=variables, missing_codes=missing_codes)
    together = replace(_people(stacked(data, len(files)), households), files=data.sizes[1:-1])
    whole = together.values(together.columns)
    refuse_copy(whole[ORIGINAL], whole[HOLDOUT], (data.sources[0], data.sources[-1]))
    return together


def linked(
    original: Frame,
    synthetic: Frame,
    *,
    variables: Sequence[str],
    missing_codes: MissingCodes | None = None,
) -> People:
    """Bring an original and a perturbed file to one codebook; the file is its own holdout."""
    single = as_microdata(synthetic, "synthetic", variables)  # and no list of several
    return _people(pair(original, single, variables=variables, missing_codes=missing_codes))


def _people(data: Harmonised, households: Households | None = None) -> People:
    original, synthetic, *holdout = records_of(data)
    parts = original, synthetic, *(holdout or [synthetic])
    codes = {name: tuple(part.codes[name] for part in parts) for name in original.codes}
    numbers = {name: tuple(part.numbers[name] for part in parts) for name in original.numbers}
    n, m, h = (part.n for part in parts)
    return People(codes, numbers, (n, m, h), tuple(str(fix) for fix in data.fixes), households)


def names_of(
    wanted: Sequence[str] | str | None, available: Sequence[str], option: str
) -> list[str]:
    """Return the named columns, or all.

    Raises
    ------
    StudyError
        If one is unknown, or there is none.
    """
    names = [wanted] if isinstance(wanted, str) else list(available if wanted is None else wanted)
    strange = [name for name in names if name not in available]
    if strange or not names:
        what = f"{strange[0]!r}, which is none of the columns" if strange else "none"
        msg = f"{option}: expected names of columns of all data sets but got {what}."
        raise StudyError(msg)
    return names


def permuted_p(
    successes: Floats, n: int, permutations: int, seed: int, households: Households | None = None
) -> float:
    """Return the p of the mean of the first n beside that of the rest, labels drawn at random.

    Parameters
    ----------
    successes : float array of shape (n + h,)
    n : number of original records
    permutations : int
    seed : int
    households : Households, optional
        Of all records: then the labels of whole households are exchanged.
    """
    observed = float(successes[:n].sum())
    # 1e-9: sums of the same shares in another order
    if households is not None:
        rng = np.random.default_rng(seed)
        as_much = int((households.sums(successes, permutations, rng) >= observed - 1e-9).sum())
        return (1 + as_much) / (1 + permutations)
    drawn = [
        successes[label].sum() >= observed - 1e-9
        for label in labels_drawn(len(successes), n, permutations, seed)
    ]
    return (1 + int(np.sum(drawn))) / (1 + permutations)


def labels_drawn(
    size: int, n: int, draws: int, seed: int, households: Households | None = None
) -> Iterator[Bools]:
    """Yield who is of the original under labels drawn at random, so many times.

    Several attacks, on every replica and on the copy, ask for the same labels.
    """
    if households is not None or size * draws > _MOST_BITS:
        yield from _draws(size, n, draws, seed, households)
    else:
        for packed in _packed_labels(size, n, draws, seed):
            yield np.unpackbits(packed, count=size).view(np.bool_)


@lru_cache(maxsize=1)
def _packed_labels(size: int, n: int, draws: int, seed: int) -> npt.NDArray[np.uint8]:
    return np.array([np.packbits(label) for label in _draws(size, n, draws, seed, None)])


def _draws(
    size: int, n: int, draws: int, seed: int, households: Households | None
) -> Iterator[Bools]:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        label = np.zeros(size, dtype=np.bool_)
        label[relabelled(rng, size, n, households)] = True
        yield label
