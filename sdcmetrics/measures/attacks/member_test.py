"""One permutation test of several membership scores: the smallest p, adjusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.measures.normal import symmetric_root
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Floats, Ints

_DRAWS = 999
_MANY, _MARKED = 5_000, 100
"""Records on each side, and marked by a score, from which sums are drawn from the normal law."""
_NORMAL_FROM = 20
"""Records on each side from which a sum of ranks is close to normal."""


@dataclass(frozen=True)
class Difference:
    """The surest difference, and its p.

    Attributes
    ----------
    p_value : float
        One-sided: that labels given at random make any of the scores differ as surely.
    surest : str
        The score that differs most surely.
    standardised : mapping of str to float
        How much each differs, in standard deviations under labels given at random.
    others : float
        p of the other scores without the surest: the smallest over its weight among them.
    """

    p_value: float
    surest: str
    standardised: Mapping[str, float]
    others: float = 1.0


def surest_difference(
    scores: Mapping[str, Floats],
    n: int,
    *,
    weights: Mapping[str, float] | None = None,
    households: Households | None = None,
    seed: int = 1,
) -> Difference:
    """Compare the first n records with the rest by several scores, as one test.

    Each score is a number per record that does not know the labels. Its sum over the first n is
    standardised by mean and variance under labels given at random (of whole households, where these
    are known) and turned into a p: exact where the score marks records, else of the normal law. The
    smallest p, each over its weight, is set beside the smallest of 999 such draws (from 5,000
    records on each side on, of sums with the same means and covariances); where it shows
    more than draws can, with weights that add up to one, it is the p itself.

    Parameters
    ----------
    scores : mapping of str to float array of shape (records,)
        Larger for who is surer to be one of the first n.
    n : int
    weights : mapping of str to float, optional
        Parts of the level; by default equal ones.
    households : Households, optional
    seed : int

    Examples
    --------
    >>> scores = {"first": np.arange(60.0), "other": np.arange(60.0) % 7}
    >>> surest_difference(scores, 30).p_value > 0.5
    True
    >>> surest_difference({"first": -np.arange(60.0)}, 30).p_value < 1e-9
    True
    """
    names = list(scores)
    share = np.array([1.0 if weights is None else weights[name] for name in names])
    share = share / share.sum()
    values = np.column_stack([scores[name] for name in names]).astype(np.float64)
    centre = values.mean(axis=0)
    deviation = _deviations(values - centre, n, households)
    tails = [_tail_of(values[:, j], n, deviation[j]) for j in range(len(names))]

    total = len(values)
    drawn = _drawn_sums(values, n, households, np.random.default_rng(seed))
    sums = values[:n].sum(axis=0)
    each = np.array([float(tail(x)) for tail, x in zip(tails, sums, strict=True)]) / share
    # 1e-9: sums of the same numbers in another order
    least = np.min([tails[j](drawn[:, j]) / share[j] for j in range(len(names))], axis=0)
    as_sure = int((least <= each.min() * (1 + 1e-9)).sum())
    p = (1 + as_sure) / (1 + _DRAWS)
    exact = households is None and min(n, total - n) >= _NORMAL_FROM
    if exact and not as_sure:
        p = min(p, float(each.min()))
    differs = (sums - n * centre) / np.where(deviation > 0, deviation, np.inf)
    standardised = dict(zip(names, map(float, differs), strict=True))
    first = int(np.argmin(each))
    others = np.delete(each, first) * (1 - share[first])
    return Difference(p, names[first], standardised, float(others.min(initial=1.0)))


def _drawn_sums(
    values: Floats, n: int, households: Households | None, rng: np.random.Generator
) -> Floats:
    """Return the sums over the first side under labels given at random, shape (draws, scores).

    Of many records the sums are drawn from the normal law with their exact means and covariances;
    what a score marks so rarely that its sum is not close to that is drawn record by record.
    """
    total = len(values)
    if households is None and min(n, total - n) >= _MANY:
        flags = np.isin(values, (0.0, 1.0)).all(axis=0) & (values.sum(axis=0) < _MARKED)
        rare = values[:, flags].any(axis=1)
        common = values[~rare]
        members = rng.hypergeometric(n, total - n, int(rare.sum()), _DRAWS)
        out = _normal_sums(common, n - members, rng)
        out += [rng.permutation(values[rare])[:count].sum(axis=0) for count in members.tolist()]
        return out
    out = np.empty((_DRAWS, values.shape[1]))
    for i in range(_DRAWS):
        first = rng.permutation(total)[:n] if households is None else households.drawn(rng)
        out[i] = values[first].sum(axis=0)
    return out


def _normal_sums(values: Floats, counts: Ints, rng: np.random.Generator) -> Floats:
    """Return normal sums over so many records drawn without replacement, shape (draws, scores)."""
    total = len(values)
    spread = np.atleast_2d(np.cov(values.T))
    noise = rng.standard_normal((len(counts), len(spread))) @ symmetric_root(spread)
    scale = np.sqrt(counts * (total - counts) / total)
    out: Floats = counts[:, None] * values.mean(axis=0) + scale[:, None] * noise
    return out


def _deviations(values: Floats, n: int, households: Households | None) -> Floats:
    """Return the standard deviation of each sum over the first side under random labels."""
    if households is not None:
        variances = np.array(
            [households.moments(column)[1] for column in values.T], dtype=np.float64
        )
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)))
    total = len(values)
    spread = (values**2).sum(axis=0) / max(total - 1, 1)
    out: Floats = np.sqrt(n * (total - n) / total * spread)
    return out


def _tail_of(score: Floats, n: int, deviation: float) -> Callable[[npt.ArrayLike], Floats]:
    """Return the function that gives the p of a sum of a score over the first side.

    Exact where the score marks records that are exchanged one by one; else of the normal law.
    """
    if deviation <= 0:
        return lambda sums: np.ones(np.shape(sums))
    if not set(np.unique(score)) <= {0.0, 1.0}:
        from scipy.special import ndtr  # large: for a fast start, only when it is needed

        centre = n * float(score.mean())
        # 1e-9: sums of the same numbers in another order
        return lambda sums: np.asarray(ndtr((centre - np.asarray(sums)) / deviation + 1e-9))
    marked = int(score.sum())
    chances = hypergeometric(np.arange(marked + 1), len(score), n, marked)
    tail = np.minimum(np.cumsum(chances[::-1])[::-1], 1.0)
    return lambda sums: tail[np.rint(sums).astype(np.int64).clip(0, marked)]
