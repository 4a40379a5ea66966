"""Excess over a holdout: disclosure of people of the original and of the holdout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.excess.questions import Asked, Pool
from sdcmetrics.measures.exchangeable import more_than_hypergeometric
from sdcmetrics.microdata.arrays import Bools, Floats, Ints


def disclosed_people(pool: Pool, questions: Sequence[Asked], encoding: str) -> Bools:
    """Mark of whom the replica discloses the answer, shape (questions, n + h).

    DiSCO: whose key combination is unanimous in the replica, and right. repU: who is single with
    the keys in original and holdout together, where the combination occurs once in the replica.
    No mark looks at who of the pool was in the original.

    Parameters
    ----------
    pool : Pool
        Original, replica, holdout.
    """
    n, m, _ = pool.sizes
    replica, people = slice(n, n + m), np.r_[0:n, n + m : pool.size]
    out = np.zeros((len(questions), len(people)), dtype=np.bool_)
    for row, question in zip(out, questions, strict=True):
        keys, size = pool.combinations(question.keys, encoding)
        if not question.target:
            single = (np.bincount(keys[replica], minlength=size) == 1) & (
                np.bincount(keys[people], minlength=size) == 1
            )
            row[:] = single[keys[people]]
            continue
        levels = pool.codes(question.target, encoding)[0]
        agreed = unanimous(keys[replica], levels[replica], size)
        row[:] = agreed[keys[people]] == levels[people]
    return out


def unanimous(keys: Ints, levels: Ints, size: int) -> Ints:
    """Return the level on which all records of each key combination agree; else -1.

    Examples
    --------
    >>> unanimous(np.array([0, 0, 1, 1]), np.array([2, 2, 2, 3]), 3).tolist()
    [2, -1, -1]
    """
    out = np.full(size, -1, dtype=np.int64)
    out[keys] = levels
    out[keys[out[keys] != levels]] = -1
    return out


def exact_p(people: Bools, n: int) -> Floats:
    """Return by Holm the chance of as many people of the original among those disclosed.

    The replica did not look at who of original and holdout is which: of those disclosed the
    original's are a random part, whatever the replica is.

    Parameters
    ----------
    people : bool array of shape (questions, n + h)
    n : int
    """
    x, both = people[:, :n].sum(axis=1), people.sum(axis=1)
    pool = people.shape[1]
    p = [
        min(more_than_hypergeometric(int(a) - 1, int(b), n, pool), 1.0) if a else 1.0
        for a, b in zip(x, both, strict=True)
    ]
    return holm(p)
