"""Whether a file holds records of people of the holdout: the exact tests, their parts exchanged.

A replica that is a part of the holdout, or was made from it, is nobody's replica of the original,
and all that is measured beside such a holdout looks harmless. The label test alone would accuse
replicas from which records that equal one of the original were removed; the twin test alone those
that were not drawn one by one. Both have to alarm, beyond every replica of permuted columns.
"""

from __future__ import annotations

import numpy as np

from sdcmetrics.measures.people.controls import beaten_by_equal
from sdcmetrics.measures.people.equal import (
    Bundles,
    Equal,
    bundles_of,
    equal_records,
    label_p,
    sum_keys,
)
from sdcmetrics.measures.people.testing import PeopleTests

_REPEATS = 3


def holds_outsiders(tests: PeopleTests) -> bool:
    """Return whether a file holds records of people of the holdout, beyond chance.

    Parameters
    ----------
    tests : PeopleTests
        Of files with a holdout that is a random part of it and the original.
    """
    files, levels, equal = tests.files, tests.levels, tests.equal
    n, h = files.n, files.h
    if not h or label_p(equal.holdout, equal.original, h, n) > levels["LE"]:
        return False
    aside, replica = np.arange(n, n + h), np.arange(files.pool, files.size)
    exchanged = [column[np.r_[aside, np.arange(n), replica]] for column in tests.keys]
    bundles = bundles_of(sum_keys(exchanged), h, n)
    p_twins = _without(bundles, h).p_twins
    if p_twins > levels["TE"] or _without_repeats(bundles):
        return False
    p_label = label_p(equal.holdout, equal.original, h, n)
    alone = [column[np.r_[aside, replica]] for column in tests.keys]
    return (
        beaten_by_equal(exchanged, h, n, {"LE": p_label}, tests.rng)["LE"]
        and beaten_by_equal(alone, h, 0, {"TE": p_twins}, tests.rng)["TE"]
    )


def _without(bundles: Bundles, h: int) -> Equal:
    """Return what records say that equal none of the original, which others may have lost."""
    rest = bundles.holdout == 0
    few = Bundles(*(part[rest] for part in (bundles.original, bundles.holdout, bundles.replica)))
    return equal_records(few, h, 0)


def _without_repeats(bundles: Bundles) -> bool:
    """Whether a file repeats nothing although people do: then it was not drawn one by one."""
    people = bundles.original + bundles.holdout
    return not bool((bundles.replica > 1).any()) and int((people > 1).sum()) >= _REPEATS
