"""Records of several data sets in one codebook: numbers and codes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.pair import Frame, pair
from sdcmetrics.measures.survey.households import HouseholdColumn, Households, set_aside, two_sides
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable


@dataclass(frozen=True)
class Records:
    """Records of one data set.

    Attributes
    ----------
    numbers : float array of shape (n, columns of numbers)
        NaN is missing.
    codes : int array of shape (n, columns of codes)
    """

    numbers: Floats
    codes: Ints

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.numbers)

    def subset(self, rows: Ints) -> Records:
        """Return some of the records."""
        return Records(self.numbers[rows], self.codes[rows])


def harmonised(
    original: Frame,
    synthetic: Frame,
    holdout: Frame | None,
    variables: Sequence[str] | str | None,
    missing_codes: MissingCodes | None,
    household: HouseholdColumn = None,
) -> Harmonised:
    """Bring an original, one synthesis and maybe a holdout to one codebook."""
    names = [variables] if isinstance(variables, str) else variables
    fresh = [] if holdout is None else [(holdout, "holdout")]
    aside = set_aside(household, names, (original, "original"), (synthetic, "synthetic"), *fresh)
    original, synthetic, *held_out = aside
    single = as_microdata(synthetic, "synthetic", names)  # and no list of several
    return pair(original, single, *held_out, variables=names, missing_codes=missing_codes)


def households_of(
    household: HouseholdColumn, original: Frame, synthetic: Frame
) -> Households | None:
    """Return the households of original and replica; None without such a column."""
    return two_sides(household, (original, "original"), (synthetic, "synthetic"), together=False)


def numbers_of(variable: Variable) -> tuple[Floats, ...]:
    """Return the numbers of each data set; a missing code is NaN too."""
    out = []
    for values in variable.values:
        numbers = values.copy()
        numbers[np.isin(numbers, variable.missing_codes)] = np.nan
        out.append(numbers)
    return tuple(out)


def records_of(data: Harmonised, names: Sequence[str]) -> tuple[Records, ...]:
    """Return the records of each data set over the named columns."""
    numeric = [n for n in names if data.variables[n].kind in (Kind.NUMBER, Kind.DATE)]
    columns = [numbers_of(data.variables[name]) for name in numeric]
    coded = [data.variables[name].codes for name in names if name not in numeric]
    return tuple(
        Records(
            np.array([column[i] for column in columns]).T.reshape(size, len(columns)),
            np.array([column[i] for column in coded], dtype=np.int64).T.reshape(size, len(coded)),
        )
        for i, size in enumerate(data.sizes)
    )
