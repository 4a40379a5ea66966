"""Households that nobody else's resembles: what a neighbour recognises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, alone
from sdcmetrics.results import Readable, Share


@dataclass(frozen=True)
class HouseholdUniqueness(Readable, shows=("households", "unique", "in_unique", "keys")):
    """How many households of a file resemble no other.

    Attributes
    ----------
    keys : tuple of str
    households : int
    unique : Share
        Of households: those whose members' keys, taken together, no other household has.
    in_unique : Share
        Of records: those in such a household.
    unique_alone : Share
        Of records: those whose own keys no other record has, to compare.
    of_record : int array of shape (n,)
        How many households resemble the record's, itself included.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    households: int
    unique: Share
    in_unique: Share
    unique_alone: Share
    of_record: npt.NDArray[np.int64]
    fixes: tuple[str, ...] = ()


@checked
def household_uniqueness(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    household: str,
    missing_codes: MissingCodes | None = None,
) -> HouseholdUniqueness:
    """Count the households whose members' keys, taken together, no other household has.

    An intruder who knows a family knows its members together: their number, ages and sexes make
    a household unique where no member is.

    Parameters
    ----------
    frame : data frame
        The original, or perturbed microdata that are to be released.
    keys : name or names of the columns that an intruder may know of each member
    household : name of a column that identifies households
        A record without one is a household of its own; this is listed.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    HouseholdUniqueness
        Its shares are 0 (best) to 1. `in_unique` is `unique` in records; `unique_alone`, of keys
        without the household, is never above it. `of_record` has an int from 1 (unique) up to
        `households` per record of the file, in its order.

    Raises
    ------
    ColumnError
        If a key or the household is not a column of the file.
    DataError
        If the file has no records.
    StudyError
        If there are no keys, or missing codes name no column.

    Notes
    -----
    Households are alike if their members can be paired so that each pair has the same keys: the
    order of members does not count, their number does. Missing is a value that equals itself.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"home": [1, 1, 2, 2, 3, 3], "age": [40, 8, 8, 40, 40, 40]})
    >>> result = household_uniqueness(file, keys="age", household="home")
    >>> result.unique.count, result.in_unique.count, result.unique_alone.count
    (1, 2, 0)
    """
    data = as_microdata(frame, "the file")
    classes = classes_of(data, keys, missing_codes=missing_codes)
    read = alone(data, [household], missing_codes)
    number, listed = households_of(read, household)
    order = np.lexsort((classes.of_record, number))
    members = np.split(classes.of_record[order], np.cumsum(np.bincount(number))[:-1])
    kind_of: dict[bytes, int] = {}
    kinds = np.array(
        [kind_of.setdefault(household.tobytes(), len(kind_of)) for household in members]
    )
    alike = np.bincount(kinds)[kinds]
    of_record = alike[number]
    fixes = (*classes.fixes, *map(str, read.fixes), *map(str, listed))
    return HouseholdUniqueness(
        classes.keys,
        len(members),
        Share(int((alike == 1).sum()), len(members)),
        Share(int((of_record == 1).sum()), classes.n),
        Share(int((classes.sizes == 1).sum()), classes.n),
        of_record,
        tuple(dict.fromkeys(fixes)),
    )
