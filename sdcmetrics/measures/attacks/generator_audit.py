"""Audit of a generator: whether its output shows that one person was in its original."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.people import ORIGINAL, SYNTHETIC, People, linked
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import Draws, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable, formerly

Generate = Callable[[pd.DataFrame, int], Frame]

_NEIGHBOURS = 5  # the records that an outlier is far from
_SMALLEST = 1e-12  # a variance that counts as none
_LEVEL = 0.025  # of each of the two bounds: together 5 %


@dataclass(frozen=True)
class Audit(Readable, shows=("epsilon", "largest", "rounds"), table="targets"):
    """Result of an audit from worlds with and without one person.

    Attributes
    ----------
    epsilon : float, 0 or more
        Lower bound, at 95 % for all targets together, in natural logarithms: a generator that kept
        a smaller epsilon of differential privacy would not be found out so often. 0: nothing was
        shown, which is no proof of privacy.
    largest : float
        The largest bound that so many rounds can prove, by an attack that is never wrong.
    targets : DataFrame
        One row per target: record (position in the original), attack, direction ("in" or "out":
        which world is told with certainty), right (share of worlds told right on the half in which
        the attack was not chosen; a half by chance), true_rate, false_rate (shares of these worlds
        that are told, with right and without), epsilon.
    rounds, seed : int
        As they were asked for.
    delta : float
        The same.
    syntheses : int
        How many data sets were generated.
    """

    epsilon: float
    largest: float
    targets: pd.DataFrame
    rounds: int
    delta: float
    seed: int
    syntheses: int


@formerly("generate original")
@checked
def audit_generator(
    original: Frame,
    *,
    generate: Generate,
    records: Sequence[int] | None = None,
    rounds: Draws = 100,
    delta: float = 0.0,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> Audit:
    """Tell worlds with one person from worlds without, by what a generator makes of each.

    For each target `rounds` data sets are generated from the original, and as many from the
    original without that record. An attack is chosen on half of them and tried on the other half.

    Parameters
    ----------
    original : data frame
    generate : callable
        ``generate(frame, seed)`` returns a synthetic data frame with the frame's columns. For
        synthpop: ``lambda frame, seed: sdcmetrics.rbridge.syn(frame, seed=seed)[0]``.
    records : positions of the targets, optional
        By default the record that is farthest from its five nearest.
    rounds : int
        Pairs of worlds per target; it takes 2 x rounds x targets syntheses.
    delta : float, 0 to 1
        Of (epsilon, delta) differential privacy.
    missing_codes : mapping of column to code or codes, optional
    seed : int

    Returns
    -------
    Audit
        `epsilon` is 0 (nothing shown) to `largest`; the larger, the more of one person shows. It is
        the largest of the targets, and never shows that a generator is private.

    Raises
    ------
    StudyError
        If so many rounds can prove nothing (with one target fewer than 11), `delta` is not from 0
        to below 1, or a target is no position.
    DataError
        If the original has fewer than three records.
    ColumnError
        If the generator returns a frame without a column of the original.

    Notes
    -----
    Attacks: the distance from the target to its nearest synthetic record, the number of synthetic
    records equal to it, and a linear discriminant on means, spreads, shares and correlations of
    the columns. Attack, direction and threshold are chosen on one half of the worlds; rates are
    of the other half, with Clopper-Pearson bounds at 97.5 % each, and Bonferroni's correction for
    several targets. Rates of the worlds that an attack was chosen on would show leaks where there
    are none. The original is one world with the person, and stays as it is: what is found holds for
    this original, and for removing one record.

    References
    ----------
    Stadler, Oprisanu and Troncoso (2022), Synthetic data: anonymisation groundhog day, USENIX
    Security; Houssiau et al. (2022), TAPAS, arXiv:2211.06550; Jagielski, Ullman and Oprea (2020),
    Auditing differentially private machine learning, NeurIPS.

    Examples
    --------
    >>> original = pd.DataFrame({"x": [1, 2, 3, 4, 50]})
    >>> result = audit_generator(original, generate=lambda frame, seed: frame, rounds=20)
    >>> result.targets["record"].tolist(), round(result.epsilon, 2), round(result.largest, 2)
    ([4], 0.81, 0.81)
    """
    if not 0.0 <= delta < 1.0:
        msg = f"delta: expected a number from 0 to below 1 but got {delta!r}."
        raise StudyError(msg)
    frame = _as_pandas(original)
    if len(frame) < 3:  # noqa: PLR2004  (two are left without the target)
        msg = f"original: expected at least 3 records but got {len(frame)}."
        raise DataError(msg)
    columns = list(frame.columns)

    def together(synthetic: Frame) -> People:
        return linked(original, synthetic, variables=columns, missing_codes=missing_codes)

    chosen = [_farthest(together(original))] if records is None else [*records]
    for target in chosen:
        if not 0 <= target < len(frame):
            msg = f"records: expected positions from 0 to {len(frame) - 1} but got {target}."
            raise StudyError(msg)
    seeds = np.random.default_rng(seed)
    level = _LEVEL / max(len(chosen), 1)
    largest = largest_bound(rounds - rounds // 2, level, delta)
    if largest == 0:
        msg = f"rounds: {rounds} per target can prove nothing, whatever is found. Ask for more."
        raise StudyError(msg)
    rows = []
    for target in chosen:
        without = frame.drop(index=frame.index[target]).reset_index(drop=True)
        worlds = [
            _seen(together(generate(world.copy(), int(seeds.integers(2**31)))), target)
            for _ in range(rounds)
            for world in (frame, without)
        ]
        rows.append({"record": target, **_attacked(worlds, level, delta)})
    table = pd.DataFrame(rows)
    return Audit(
        epsilon=float(table["epsilon"].max()),
        largest=largest,
        targets=table,
        rounds=rounds,
        delta=delta,
        seed=seed,
        syntheses=2 * rounds * len(chosen),
    )


def epsilon_bound(true: int, false: int, worlds: int, level: float, delta: float = 0.0) -> float:
    """Return the lower bound of epsilon from true and false alarms, each in so many worlds.

    Examples
    --------
    >>> round(epsilon_bound(100, 0, worlds=100, level=0.025), 2)
    3.28
    >>> epsilon_bound(60, 50, worlds=100, level=0.025)
    0.0
    """
    from scipy import stats  # large: for a fast start, only when it is needed

    low = stats.beta.ppf(level, true, worlds - true + 1) if true else 0.0
    high = stats.beta.isf(level, false + 1, worlds - false) if false < worlds else 1.0
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def largest_bound(worlds: int, level: float = _LEVEL, delta: float = 0.0) -> float:
    """Return the bound from an attack that is right in all of so many worlds on either side.

    Examples
    --------
    >>> [round(largest_bound(worlds), 2) for worlds in (50, 100, 500)]
    [2.57, 3.28, 4.91]
    """
    return epsilon_bound(worlds, 0, worlds, level, delta)


def _as_pandas(original: Frame) -> pd.DataFrame:
    if isinstance(original, pd.DataFrame):
        return original.reset_index(drop=True)
    frame: pd.DataFrame = as_microdata(original, "original").to_pandas()
    return frame


def _farthest(data: People) -> int:
    """Return the record whose five nearest are farthest away."""
    pool, _, distance = data.points(data.columns)
    own = pool.subset(np.arange(data.n))
    k = min(_NEIGHBOURS, data.n - 1)
    nearby = nearest(own, own, distance=distance, k=k, exclude_self=True)
    return int(
        np.asarray(nearby.distances, dtype=np.float64).reshape(data.n, -1).mean(axis=1).argmax()
    )


@dataclass(frozen=True)
class _Seen:
    """Features of one synthetic data set that an attacker uses."""

    near: float
    equal: float
    summary: Floats


def _seen(data: People, target: int) -> _Seen:
    pool, synthetic, distance = data.points(data.columns)
    near = nearest(pool.subset([target]), synthetic, distance=distance).distances
    values = data.values(data.columns)
    equal = int((values[SYNTHETIC] == values[ORIGINAL][target]).sum()) / data.sizes[SYNTHETIC]
    return _Seen(float(np.ravel(near)[0]), equal, _summary(data))


def _summary(data: People) -> Floats:
    out = []
    for parts in data.codes.values():
        levels = int(parts[ORIGINAL].max()) + 1
        counts = np.bincount(np.minimum(parts[SYNTHETIC], levels), minlength=levels + 1)
        out.append(counts / data.sizes[SYNTHETIC])
    numbers = np.array([parts[SYNTHETIC] for parts in data.numbers.values()], dtype=np.float64)
    means = np.zeros((len(numbers), 1))
    for i, column in enumerate(numbers):
        values = column[~np.isnan(column)]
        ends = (values.min(), values.max()) if len(values) else (0.0, 0.0)
        middle = (
            (values.mean(), np.median(values), values.std()) if len(values) else (0.0, 0.0, 0.0)
        )
        means[i] = middle[0]
        out.append(np.array([*middle, *ends, np.isnan(column).mean()]))
    if len(numbers) > 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            related = np.corrcoef(np.where(np.isnan(numbers), means, numbers))
        out.append(np.nan_to_num(related[np.triu_indices(len(numbers), 1)]))
    return np.concatenate(out)


def _attacked(worlds: Sequence[_Seen], level: float, delta: float) -> dict[str, Any]:
    """Choose an attack on the first half of the worlds, and try it on the second.

    Worlds come in pairs, with the target and without.
    """
    first = 2 * (len(worlds) // 4)
    label = np.arange(len(worlds)) % 2 == 0
    scores = {
        "nearest record": np.array([-world.near for world in worlds]),
        "equal records": np.array([world.equal for world in worlds]),
        "summaries": _by_summaries(np.array([world.summary for world in worlds]), label, first),
    }
    attacks = []
    for name, score in scores.items():
        for sign, says in itertools.product((1, -1), (True, False)):
            # Of all worlds with such a score or more it says "in", or "out".
            signed, side = sign * score[:first], label[:first] == says
            for cut in np.unique(signed):
                true, false = (
                    int((side & (signed >= cut)).sum()),
                    int((~side & (signed >= cut)).sum()),
                )
                proved = epsilon_bound(true, false, first // 2, level, delta)
                attacks.append((proved, true - false, name, float(cut), sign, says))
    _, _, name, cut, sign, says = max(attacks, key=operator.itemgetter(0, 1))  # the first of equals
    positive, side = sign * scores[name][first:] >= cut, label[first:] == says
    count = len(side) // 2
    true, false = int((side & positive).sum()), int((~side & positive).sum())
    return {
        "attack": name,
        "direction": "in" if says else "out",
        "right": (true + count - false) / (2 * count),
        "true_rate": true / count,
        "false_rate": false / count,
        "epsilon": epsilon_bound(true, false, count, level, delta),
    }


def _by_summaries(summaries: Floats, label: npt.NDArray[np.bool_], first: int) -> Floats:
    """Score worlds along the line between the means of both kinds, each column by its variance.

    The means are of the first half; a world of that half is left out of its own.
    """
    training, side = summaries[:first], label[:first]
    count = first // 2
    totals = np.array([training[side].sum(axis=0), training[~side].sum(axis=0)])
    variance = training[side].var(axis=0) + training[~side].var(axis=0)
    weight = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > 0)
    # A column that never varies within either kind, but differs, tells all.
    weight[(variance == 0) & (totals[0] != totals[1])] = 1 / _SMALLEST
    out = []
    for i, summary in enumerate(summaries):
        own = np.array([side[i], not side[i]]) if i < first else np.zeros(2)
        means = (totals - own[:, None] * summary) / (count - own)[:, None]
        out.append((summary - means.mean(axis=0)) @ (weight * (means[0] - means[1])))
    return np.array(out)
