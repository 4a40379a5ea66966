"""All questions of one encoding: excess over a holdout or over other people, and its p."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.excess.exchange import FIRST_DRAWS, Family, Stopping, in_parts, largest_p
from sdcmetrics.measures.excess.households import clusters_left_out, of_clusters
from sdcmetrics.measures.excess.left_out import LeftOut
from sdcmetrics.measures.excess.questions import KeyQuestion, Pool
from sdcmetrics.measures.exchangeable import more_than_hypergeometric
from sdcmetrics.microdata.arrays import Bools, Floats, Ints


def disclosed_people(pool: Pool, questions: Sequence[KeyQuestion], encoding: str) -> Bools:
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
        more_than_hypergeometric(int(a) - 1, int(b), n, pool) if a else 1.0
        for a, b in zip(x, both, strict=True)
    ]
    return holm(p)


_LARGE = 20_000
"""Records of a pool from which on a part of the key combinations is tried first."""
_PART = 10_000
"""Records that are drawn of a question, whole key combinations."""
_DRAWS_AT_ONCE = 128
_LABELS_AT_ONCE = 20_000_000
"""One byte each."""


def over_people(
    pool: Pool, questions: Sequence[KeyQuestion], encoding: str, *, quick: bool = False, **rule: Any
) -> Family:
    """Compare people of the original with those of the holdout, or without one with each other.

    See `over_holdout` and `over_other_people`, which alone can be `quick` and knows what `matters`.
    """
    if sum(pool.sizes[2:]):
        rule.pop("matters", None)
        return over_holdout(pool, questions, encoding, **rule)
    return over_other_people(pool, questions, encoding, quick=quick, **rule)


def over_holdout(
    pool: Pool,
    questions: Sequence[KeyQuestion],
    encoding: str,
    *,
    clusters: Ints | None,
    points: float,
    seed: int,
    when: Stopping,
) -> Family:
    """Compare people of the original with those of a holdout.

    Parameters
    ----------
    pool : Pool
        Original, replica, holdout.
    clusters : int array of shape (n + h,) or None
        Of original and holdout.
    """
    n, _, h = pool.sizes
    disclosed = disclosed_people(pool, questions, encoding)
    original = 100 * disclosed[:, :n].sum(axis=1) / n
    others = 100 * disclosed[:, n:].sum(axis=1) / h
    if clusters is None:
        return Family(original, others, exact_p(disclosed, n))
    return Family(original, others, of_clusters(disclosed, clusters, n, points, seed, when)[1])


def over_other_people(  # noqa: PLR0913  (the rule's own settings)
    pool: Pool,
    questions: Sequence[KeyQuestion],
    encoding: str,
    *,
    clusters: Ints | None,
    points: float,
    seed: int,
    when: Stopping,
    matters: Callable[[Family], Bools] | None = None,
    quick: bool = False,
) -> Family:
    """Compare people of the original with its other people, each left out in turn.

    Parameters
    ----------
    pool : Pool
        Original, then replica.
    clusters : int array of shape (n + m,) or None
    matters : callable, optional
        Given value and baseline, tells which questions are to be decided; by default those with
        enough points.
    quick : bool
        Whether it is enough to know that a question stands out: in a large pool random key
        combinations are tried first, and of the rest the first 199 draws decide.
    """
    if clusters is not None:
        return clusters_left_out(
            pool,
            clusters,
            questions,
            encoding,
            matters=matters,
            points=points,
            seed=seed,
            when=when,
        )
    rng = np.random.default_rng(seed)
    left_out = LeftOut(pool, questions, encoding)
    value, base = (side[0] for side in left_out.values(left_out.labels))
    family = Family(value, base, np.ones(len(questions)), left_out.of_copy)
    wanted = family.excess >= points if matters is None else matters(family)
    if not (quick and pool.size > _LARGE):
        p = _by_chance(left_out, family.excess, wanted, when, rng)
        return replace(family, p=p)
    when = Stopping(when.level, FIRST_DRAWS, FIRST_DRAWS)
    part = left_out.some(_PART, rng)
    p = _by_chance(part, part.statistics(part.labels)[0], wanted, when, rng)
    rest = wanted & (p > when.level)
    p = np.where(rest, _by_chance(left_out, family.excess, rest, when, rng), p)
    return replace(family, p=p)


def _by_chance(
    left_out: LeftOut,
    observed: Floats,
    matters: Bools,
    when: Stopping,
    rng: np.random.Generator,
) -> Floats:
    """Return the p of each question, single records exchanged."""
    step = max(1, min(_DRAWS_AT_ONCE, _LABELS_AT_ONCE // left_out.pool.size))

    def draw(draws: int) -> Floats:
        parts = in_parts(draws, step)
        return np.vstack([left_out.statistics(left_out.drawn(b, rng)) for b in parts])

    return largest_p(observed, draw, matters, when)
