"""Original records that the replica holds, among those that nobody else shares."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.intervals import excess, excess_interval, spread_factor
from sdcmetrics.measures.attacks.people import (
    HOLDOUT,
    ORIGINAL,
    SYNTHETIC,
    People,
    names_of,
    people,
)
from sdcmetrics.measures.attacks.result import AttackResult, by_several
from sdcmetrics.measures.exchangeable import label_test
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.households import HouseholdColumn, Households
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.schema import MissingCodes


@checked
@by_several
def exact_matches(
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    variables: Sequence[str] | None = None,
    unique_in_replica: bool = False,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> AttackResult:
    """Count the records of people unlike everybody else that the replica holds.

    Looks at records that are unique in original and holdout together: that a common record
    occurs in the replica says nothing.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
        Of several syntheses, a list, all that are in any of them: a person is in the replica whose
        record one of its files holds.
    variables : names, optional
        In which columns records must agree; by default all that all data sets have. With a few
        keys these are apparent matches: what an intruder takes for a person.
    unique_in_replica : bool
        Count only matches with a record that is unique in the replica too, as an intruder would.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int
        Of the exchanges of households.

    Returns
    -------
    AttackResult
        training and control are the matched shares of the unique records. p_value is exact:
        hypergeometric; with households it is drawn. baseline is NaN. per_record is 1 for a
        matched, 0 for another unique record, NaN for one that is not unique. figures: matched
        (originals, holdout records), unique (originals, holdout records); and, if some columns
        were not compared, agreement: the mean share of the other columns in which matches agree,
        for originals and holdout records (of the nearest in the file's order where several match).
        With households, of original and holdout: households (with somebody who is matched),
        families (of two and more, all of whom the replica holds, unique or not: one leak each),
        persons (in these), and p_families, of the persons where whole households are exchanged.

    Raises
    ------
    ColumnError, DataError

    Notes
    -----
    Uniqueness in original and holdout together, and not in each: in a smaller file more is
    unique, and fresh data would look riskier than fresh data.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"a": [1, 2, 3, 3]})
    >>> holdout = pd.DataFrame({"a": [4, 5, 6]})
    >>> result = exact_matches(original, original, holdout)
    >>> result.figures["matched"], result.figures["unique"]
    ((2, 0), (2, 3))
    """
    data = people(original, synthetic, holdout, missing_codes=missing_codes, household=household)
    return match_exactly(data, variables=variables, unique_in_replica=unique_in_replica, seed=seed)


def match_exactly(
    data: People,
    *,
    variables: Sequence[str] | None = None,
    unique_in_replica: bool = False,
    seed: int = 1,
) -> AttackResult:
    """Make the attack of `exact_matches` on data sets of one codebook.

    Raises
    ------
    StudyError
        If one of the variables is unknown.
    """
    names = names_of(variables, data.columns, "variables")
    values = data.values(names)
    n, h = data.n, data.h
    pool = np.concatenate([values[ORIGINAL], values[HOLDOUT]])
    size = int(max(pool.max(), values[SYNTHETIC].max())) + 1
    alone = np.bincount(pool, minlength=size)[pool] == 1
    there = np.bincount(values[SYNTHETIC], minlength=size)[pool] > 0
    matched = alone & there
    if unique_in_replica:  # in one of its files
        parts = np.split(values[SYNTHETIC], np.cumsum(data.files[:-1], dtype=np.int64))
        matched &= np.any(
            [np.bincount(codes, minlength=size)[pool] == 1 for codes in parts], axis=0
        )
    count = (int(matched[:n].sum()), int(matched[n:].sum()))
    unique = (int(alone[:n].sum()), int(alone[n:].sum()))
    training, control = (c / u if u else math.nan for c, u in zip(count, unique, strict=True))
    comparable = all(unique)
    per_record = np.where(alone[:n], matched[:n].astype(np.float64), np.nan)
    figures: dict[str, object] = {"matched": count, "unique": unique}
    households = None
    if data.households is not None:
        figures |= _by_household(data.households, matched, there, seed)
        households = data.households.subset(alone)
    rest = [name for name in data.columns if name not in names]
    if rest:
        first = np.full(size, -1)
        first[values[SYNTHETIC][::-1]] = np.arange(data.sizes[SYNTHETIC])[::-1]
        agree = [
            np.concatenate([part[ORIGINAL], part[HOLDOUT]])[matched]
            == part[SYNTHETIC][first[pool[matched]]]
            for part in (data.values([name]) for name in rest)
        ]
        share = np.mean(agree, axis=0)
        of_n = np.flatnonzero(matched) < n
        figures["agreement"] = tuple(
            float(share[side].mean()) if side.any() else math.nan for side in (of_n, ~of_n)
        )
    factor = (
        1.0 if households is None else spread_factor(matched[alone].astype(np.float64), households)
    )
    return AttackResult(
        attack="exact matches",
        of="unique records that the replica holds",
        training=training,
        control=control,
        baseline=math.nan,
        excess=excess(training, control),
        interval=excess_interval(training, unique[0], control, unique[1], factor)
        if comparable
        else (math.nan, math.nan),
        p_value=label_test(matched[alone], unique[0], households, seed).p_value
        if any(unique)
        else math.nan,
        n_training=n,
        n_control=h,
        n_synthetic=data.sizes[SYNTHETIC],
        copy=1.0 if unique[0] else math.nan,
        per_record=per_record,
        figures=figures,
        seed=None if households is None else seed,
        fixes=data.fixes,
    )


def _by_household(
    households: Households, matched: npt.NDArray[np.bool_], there: npt.NDArray[np.bool_], seed: int
) -> dict[str, object]:
    """Return figures of households, of original and holdout."""
    number = np.unique(households.number, return_inverse=True)[1].ravel()
    size = np.bincount(number)
    whole = ((np.bincount(number, there) == size) & (size > 1))[number]
    test = label_test(whole, households.n, households, seed)
    sides = slice(households.n), slice(households.n, None)

    def counted(marked: npt.NDArray[np.bool_]) -> tuple[int, ...]:
        return tuple(len(np.unique(number[side][marked[side]])) for side in sides)

    return {
        "households": counted(matched),
        "families": counted(whole),
        "persons": (test.training, test.holdout),
        "p_families": test.p_value,
    }
