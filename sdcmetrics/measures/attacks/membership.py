"""Whether a replica tells who was in the original: membership inference by distance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.belonging import belonging
from sdcmetrics.measures.attacks.intervals import auc_interval
from sdcmetrics.measures.attacks.member_test import Difference, surest_difference
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.result import AttackResult, by_several
from sdcmetrics.measures.attacks.scores import closeness_scores
from sdcmetrics.measures.exchangeable import label_test
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.households import HouseholdColumn, Households
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes

_NORMAL_FROM = 20
"""Records on each side from which the rank sum is close to normal; below, it is permuted."""
_PERMUTATIONS = 9_999
_TOP = 0.01
_FEWEST_TOP = 6
_RARELY = 0.02
"""People who are nearest, at least: as few as are all of the original so rarely by chance."""
_LONELY = 0.1
"""People who are farthest from others: the rare."""
_SMALL = 0.05
_VALUES = "single values"
OF_VALUES = (
    "only values of single columns differ beyond chance, as where these are taken from the "
    "original one by one: that tells of no person by itself"
)
"""A note on a small p, where no other score has one."""
_PARTS = {
    "everybody": 0.2,
    "nearest few": 0.3,
    "nearest of the rare": 0.2,
    "equal": 0.2,
    _VALUES: 0.1,
}
"""Of the level."""


@checked
@by_several
def membership(
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> AttackResult:
    """Infer who was in the original from how near the replica's nearest record is.

    The intruder has the records of people, some of whom were in the original, and guesses that
    those were who are nearest to a synthetic record. A lower bound on the risk: a better attack
    may find more.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
        Of several syntheses, a list, the nearest record is that of all files together.
    variables : names, optional
        What the intruder knows; by default every column that all data sets have.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int
        Of the permutations: below 20 records in a data set, and of households.

    Returns
    -------
    AttackResult
        training is the AUC, the chance that a random original record is nearer than a random
        holdout record (ties count half); control and baseline are 1/2, excess is 2 AUC - 1,
        interval. p_value is of one test of several scores, see below: a few who leak hardly move
        the AUC. per_record is the distance to the nearest synthetic record. figures:
        surest (the score that differs most surely), standardised (how much each does, in standard
        deviations), p_auc, p_top, top (originals, people), top_distance (of the last of them),
        tpr_at_1_percent (NaN below 100 holdout records),
        at_distance_0 (originals, holdout records), p_at_distance_0, p_belonging (see below).

    Raises
    ------
    ColumnError, DataError

    Notes
    -----
    Without `household` it is asked first whether rows belong together all the same: whether the
    five people most like a person are on the same side more often than labels given at random
    make them (p_belonging). If that is so at .02, p_value is what is left of it if six rows alike
    count as one, and NaN above .01; `notes` say what to name. Labels of single rows would find a
    leak in fresh data up to ten times as often as they may.

    Gower's distance, numbers over their range in original and holdout together, so that nothing
    but the labels tells the two apart.

    The test asks by five scores whether people of the original are surer members than people of
    the holdout, and sets the surest difference beside those of labels given at random: (1) the
    distance to the nearest replica record, the same over the distance to the nearest other person,
    that over the five nearest, the share of replica records among the five nearest of both, and
    the number of replica records that somebody is nearest to, their ranks added up; (2) the 1 %
    who are first by the first or the second of these, at least as many as are all of the original
    in 2 of 100 cases (six, where the holdout is as large); (3) as many of the loneliest tenth,
    first by the second; (4) all who equal a replica record; (5) column by column, the replica's
    values shared out among the people who have them or the nearest. No score knows a label, so
    that p is valid whatever the replica is.

    The fifth finds values that were taken from the original one by one, as independent columns and
    copulas have them, and tells of no person: `figures["surest"]` is then "single values". Where p
    is at most .05 and that of the other four above it, `notes` say so.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25, 559-573; Pilgram et al. (2025), Patterns 101320;
    for the scores van Breugel et al. (2023), Membership inference attacks against synthetic data
    through overfitting detection (DOMIAS), AISTATS; Hilprecht et al. (2019), Monte Carlo and
    reconstruction membership inference attacks against generative models, PoPETs; Ward et al.
    (2024), Data plagiarism index, arXiv:2406.13012.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")})
    >>> holdout = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5], "y": list("baba")})
    >>> result = membership(original, original, holdout)
    >>> result.training, result.figures["at_distance_0"]
    (1.0, (4, 0))
    """
    data = people(
        original,
        synthetic,
        holdout,
        variables=variables,
        missing_codes=missing_codes,
        household=household,
    )
    return infer_membership(data, seed=seed)


def infer_membership(data: People, *, seed: int) -> AttackResult:
    """Make the attack of `membership` on data sets of one codebook."""
    far = member_distances(data)
    difference = member_difference(data, seed=seed)
    auc, p_auc = rank_test(-far, data.n, seed, data.households)
    less = 1.0 if data.households is None else max(data.households.design_effect(_ranks(far)), 1.0)
    low, high = auc_interval(auc, data.n / less, data.h / less)
    top = top_records(-far, math.floor(_TOP * len(far)))
    nearest_few = label_test(top, data.n, data.households, seed)
    members, size = nearest_few.training, int(top.sum())
    p_top = nearest_few.p_value
    training, _, held = data.values(data.columns)
    copies = label_test(far == 0, data.n, data.households, seed)
    rows = belonging(data, seed=seed)
    p_value = difference.p_value
    notes: tuple[str, ...] = ()
    if rows is not None and rows.together:
        p_value, notes = rows.judged(p_value), (rows.reason,)
    if difference.surest == _VALUES and p_value <= _SMALL < difference.others:
        notes += (OF_VALUES,)
    return AttackResult(
        attack="membership",
        of="chance that an original record is nearer to the replica than one of the holdout (AUC)",
        training=auc,
        control=0.5,
        baseline=0.5,
        excess=2 * auc - 1,
        interval=(2 * low - 1, 2 * high - 1),
        p_value=p_value,
        n_training=data.n,
        n_control=data.h,
        n_synthetic=data.sizes[1],
        copy=1.0 - 0.5 * float(np.isin(held, training).mean()),
        per_record=far[: data.n],
        figures={
            "surest": difference.surest,
            "standardised": "; ".join(
                f"{name} {value:.2f}" for name, value in difference.standardised.items()
            ),
            "p_auc": p_auc,
            "p_top": p_top,
            "top": (members, size),
            "top_distance": float(np.sort(far)[size - 1]) if size else math.nan,
            "tpr_at_1_percent": _tpr(-far, data.n, _TOP),
            "at_distance_0": (copies.training, copies.holdout),
            "p_at_distance_0": copies.p_value,
            "p_belonging": math.nan if rows is None else rows.p_value,
        },
        seed=seed,
        notes=notes,
        fixes=data.fixes,
    )


def member_difference(data: People, *, seed: int) -> Difference:
    """Return the surest difference between original and holdout, one by one or by household."""
    scores = member_scores(data, member_distances(data))
    return surest_difference(scores, data.n, weights=_PARTS, households=data.households, seed=seed)


def member_scores(data: People, far: Floats) -> dict[str, Floats]:
    """Return the scores by which membership is tested, by name; none knows the labels.

    Parameters
    ----------
    data : People
    far : float array of shape (people,)
        Gower's distance to the nearest replica record.
    """
    closeness = closeness_scores(data)
    ranked = [
        _ranks(score)
        for score in (-far, closeness.ratio, closeness.density, closeness.share, closeness.parents)
    ]
    near, ratio, share = ranked[0], ranked[1], ranked[3]
    total = len(far)
    count = _fewest(data.n, total)
    scores = {
        "everybody": _ranks(sum(ranked) + share),
        "equal": (far == 0).astype(np.float64),
        _VALUES: _ranks(closeness.values),
    }
    if 2 * count <= total:
        # Ranks differ by a half at least: the sum orders those of one rank only.
        first = np.maximum(near, ratio) + (near + ratio) / (8.0 * total)
        few = top_records(first, count)
        scores["nearest few"] = few.astype(np.float64)
    rare = top_records(closeness.apart, math.floor(_LONELY * total))
    if 2 * count <= int(rare.sum()):
        few = top_records(np.where(rare, ratio, 0.0), count)
        scores["nearest of the rare"] = few.astype(np.float64)
    return scores


def _fewest(n: int, total: int) -> int:
    """Return how many people are all of the original by chance rarely enough to be evidence."""
    share = n / total
    few = _FEWEST_TOP if share in (0.0, 1.0) else math.ceil(math.log(_RARELY) / math.log(share))
    return max(_FEWEST_TOP, few, math.floor(_TOP * total))


def member_distances(data: People) -> Floats:
    """Return how far the nearest synthetic record is from each original and holdout record."""
    if "far" not in data.memo:
        data.memo["far"] = _far(data)
    far: Floats = data.memo["far"]
    return far


def _far(data: People) -> Floats:
    pool, replica, distance = data.points(data.columns)
    if not data.is_copy:
        every = nearest(pool, replica, distance=distance, indices=False)
        return every.distances[:, 0].astype(np.float64)
    held = pool.subset(np.arange(data.n, pool.n))  # the others are their own nearest
    nearby = nearest(held, replica, distance=distance, indices=False).distances[:, 0]
    return np.concatenate([np.zeros(data.n), nearby])


def rank_test(
    scores: Floats, n: int, seed: int, households: Households | None = None
) -> tuple[float, float]:
    """Return the AUC of the first n scores against the rest, and its one-sided p.

    Exact mean and variance of the rank sum under permuted labels, of records or of whole
    households, and the normal law; with fewer than 20 of them on a side 9,999 permutations.
    """
    from scipy import stats  # large: for a fast start, only when it is needed

    total = len(scores)
    h = total - n
    ranks = _ranks(scores)
    rank_sum = float(ranks[:n].sum())
    auc = (rank_sum - n * (n + 1) / 2) / (n * h)
    if households is None:
        fewest, mean = min(n, h), n * (total + 1) / 2
        variance = n * h / (total * (total - 1)) * float(((ranks - ranks.mean()) ** 2).sum())
    else:
        mean, variance, fewest = households.moments(ranks)
    if fewest < _NORMAL_FROM:
        rng = np.random.default_rng(seed)
        if households is None:
            drawn = np.array([rng.permutation(ranks)[:n].sum() for _ in range(_PERMUTATIONS)])
        else:
            drawn = households.sums(ranks, _PERMUTATIONS, rng)
        return auc, (1 + int((drawn >= rank_sum).sum())) / (1 + _PERMUTATIONS)
    if variance <= 0:
        return auc, 1.0
    return auc, float(stats.norm.sf((rank_sum - mean) / math.sqrt(variance)))


def _ranks(scores: Floats) -> Floats:
    from scipy import stats  # large: for a fast start, only when it is needed

    return np.asarray(stats.rankdata(scores), dtype=np.float64)


def top_records(scores: Floats, count: int) -> npt.NDArray[np.bool_]:
    """Mark so many highest scores; ties at the cut are left out, unless nothing else remains.

    Examples
    --------
    >>> top_records(np.array([3.0, 1.0, 2.0, 2.0]), 1)
    array([ True, False, False, False])
    >>> top_records(np.array([3.0, 1.0, 2.0, 2.0]), 2)
    array([ True, False, False, False])
    >>> top_records(np.array([2.0, 1.0, 2.0, 2.0]), 1)
    array([ True, False,  True,  True])
    """
    if count == 0:
        return np.zeros(len(scores), dtype=np.bool_)
    cut = np.sort(scores)[-1 - count]
    chosen = scores > cut
    return np.asarray(chosen if chosen.any() else scores >= cut)


def _tpr(scores: Floats, n: int, share: float) -> float:
    """Return the share of the first n above the score that this share of the rest exceeds."""
    control = np.sort(scores[n:])[::-1]
    if len(control) < 1 / share:
        return math.nan
    at = np.unique(scores)[::-1]
    fpr = np.searchsorted(-control, -at, side="right") / len(control)
    tpr = np.searchsorted(np.sort(-scores[:n]), -at, side="right") / n
    last = np.append(fpr[1:] != fpr[:-1], True)  # the top of each vertical step
    return float(np.interp(share, np.append(0.0, fpr[last]), np.append(0.0, tpr[last])))
