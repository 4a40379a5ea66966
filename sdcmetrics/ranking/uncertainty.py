"""How much values, scores and ranks move from one synthesis, or one draw of records, to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.rebuild import take_records
from sdcmetrics.ranking.criteria import Floats
from sdcmetrics.ranking.references import with_replicas
from sdcmetrics.ranking.values import Values, entries_of, mean_at
from sdcmetrics.review.conduct import Progress, conduct
from sdcmetrics.review.review import Review

__all__ = ["between_syntheses", "intervals", "resample_records"]

_FEW = 2


def between_syntheses(review: Review, values: Values, *, times: int, seed: int) -> Floats | None:
    """Draw syntheses again, with replacement, in every replica that has more than one.

    Returns
    -------
    array of floats, times x replicas x criteria, or None
        Means over the drawn syntheses. Their spread around the mean of all is widened by
        sqrt(m / (m - 1)), which m draws from m lack. None where every replica has one synthesis.

    Notes
    -----
    Replicas are drawn independently of each other, the metrics of a synthesis together.
    """
    study = review.study
    sizes = [len(study.replicas[name]) for name in values.replicas]
    if max(sizes) < _FEW:
        return None
    # Some metrics are only measured of all syntheses together, so each is measured on its own.
    apart = {
        f"{i}.{k}": [one]
        for i, name in enumerate(values.replicas)
        for k, one in enumerate(study.replicas[name])
        if sizes[i] >= _FEW
    }
    fresh = any(one.fresh for one in values.criteria)
    entries = entries_of(conduct(with_replicas(study, apart, fresh=fresh)), values.criteria)
    rng = np.random.default_rng(seed)
    out = np.repeat(values.table[None, :, :], times, axis=0)
    for i, m in enumerate(sizes):
        if m < _FEW:
            continue
        each = mean_at(entries, values, [f"{i}.{k}" for k in range(m)])
        drawn = each[rng.integers(m, size=(times, m))].mean(axis=1)
        moved = (drawn - each.mean(axis=0)) * np.sqrt(m / (m - 1))
        out[:, i] += np.where(np.isnan(moved), 0.0, moved)
    return out


def resample_records(
    review: Review,
    values: Values,
    *,
    times: int,
    seed: int,
    progress: Progress | None = None,
) -> Floats:
    """Draw the records of every replica again, with replacement, and measure anew.

    The original stays as it is: the question is how much of a difference between replicas is
    the luck of their finite records.

    Returns
    -------
    array of floats, times x replicas x criteria
        Centred at the measured values: drawing again adds noise of its own to a distance, which
        would shift them.

    Raises
    ------
    StudyError
        If `times` is below 2.
    """
    if times < _FEW:
        msg = f"replicates: expected 0, or a whole number of at least 2, but got {times}."
        raise StudyError(msg)
    rng = np.random.default_rng(seed)
    study = review.study
    tables = []
    fresh = any(one.fresh for one in values.criteria)
    for i in range(times):
        drawn = {name: [_drawn(one, rng) for one in many] for name, many in study.replicas.items()}
        again = conduct(with_replicas(study, drawn, fresh=fresh))
        tables.append(mean_at(entries_of(again, values.criteria), values, values.replicas))
        if progress is not None:
            progress("records drawn again", i + 1, times)
    found = np.stack(tables)
    known = ~np.isnan(found)
    count = known.sum(axis=0)
    mean = np.where(known, found, 0.0).sum(axis=0) / np.maximum(count, 1)
    moved = np.where(known, found - mean, 0.0)
    return np.asarray(values.table[None, :, :] + moved)


def intervals(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of percentile intervals over the first axis.

    Examples
    --------
    >>> low, high = intervals(np.arange(101.0), level=0.5)
    >>> float(low), float(high)
    (25.0, 75.0)
    """
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return low, high


def _drawn(data: Microdata, rng: Any) -> Microdata:
    records = rng.integers(data.n, size=data.n)
    drawn: Microdata = take_records(data, dict.fromkeys(data.columns, records))
    return drawn
