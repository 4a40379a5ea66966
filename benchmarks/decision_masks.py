"""Masked files: what statistical offices did before synthesis, for decisions.py --masked.

Every record comes from one person of the original, and the file is in another order. Numbers are
columns of numbers with more than a few values; categories are the others, dates and the column of a
household or person aside. After Hundepool et al. (2012), Statistical Disclosure Control, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
from decision_kinds import CLUSTERED, REPLICAS, Draw, Rng, mixed, numbers

Mask = Callable[[pd.DataFrame, Rng], pd.DataFrame]
Values = npt.NDArray[np.float64]

MASKS: list[str] = []
"""Names of the replicas that are made here."""


def mask(name: str, *steps: Mask) -> None:
    """List masking methods, one after the other, as a way to make a replica."""

    def masked(draw: Draw) -> pd.DataFrame:
        frame = draw.original.copy()
        for step in steps:
            frame = step(frame, draw.rng)
        return mixed(draw.rng, frame)

    REPLICAS[name] = masked
    MASKS.append(name)


def _numbers(frame: pd.DataFrame) -> list[str]:
    return [name for name in numbers(frame) if name not in CLUSTERED.values()]


def _categories(frame: pd.DataFrame) -> list[str]:
    aside = {*numbers(frame), *frame.select_dtypes("datetime"), *CLUSTERED.values()}
    return [str(name) for name in frame if name not in aside]


def _of_numbers(change: Callable[[Values, Rng], Values]) -> Mask:
    """Return a mask of one number after the other; whole numbers stay whole."""

    def step(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
        for name in _numbers(frame):
            values = frame[name].to_numpy(np.float64, copy=True)
            there = ~np.isnan(values)
            whole = bool((values[there] % 1 == 0).all())
            values[there] = change(values[there], rng)
            frame[name] = np.round(values) if whole else values
        return frame

    return step


def noise(share: float) -> Mask:
    """Add normal noise of so many standard deviations."""
    return _of_numbers(lambda x, rng: x + share * x.std() * rng.normal(size=len(x)))


def rank_swapped(share: float) -> Mask:
    """Swap values with others whose ranks are at most so far away, as a share of the records."""

    def change(values: Values, rng: Rng) -> Values:
        order = np.argsort(values, kind="stable")
        reach = max(1, int(share * len(order)))
        free = np.ones(len(order), dtype=bool)
        out = values.copy()
        for i in range(len(order)):
            others = i + 1 + np.flatnonzero(free[i + 1 : i + 1 + reach])
            if free[i] and len(others):
                pair = order[[i, rng.choice(others)]]
                free[[i, np.flatnonzero(order == pair[1])[0]]] = False
                out[pair] = values[pair[::-1]]
        return out

    return _of_numbers(change)


def microaggregated(size: int) -> Mask:
    """Replace values, in order, by the means of groups of so many."""

    def change(values: Values, _: Rng) -> Values:
        order = np.argsort(values, kind="stable")
        group = np.minimum(np.arange(len(order)) // size, max(len(order) // size - 1, 0))
        means = np.bincount(group, values[order]) / np.bincount(group)
        out = np.empty_like(values)
        out[order] = means[group]
        return out

    return _of_numbers(change)


def aggregated_together(size: int) -> Mask:
    """Replace the numbers of those nearest in all of them by their means (MDAV)."""

    def step(frame: pd.DataFrame, _: Rng) -> pd.DataFrame:
        names = _numbers(frame)
        values = frame[names].astype(np.float64)
        at = ((values - values.mean()) / values.std()).fillna(0.0).to_numpy()
        left = np.arange(len(frame))
        while len(left) and names:
            far = left[np.argmax(((at[left] - at[left].mean(axis=0)) ** 2).sum(axis=1))]
            near = np.argsort(((at[left] - at[far]) ** 2).sum(axis=1), kind="stable")
            group = left[near[: size if len(left) >= 2 * size else None]]
            values.iloc[group] = values.iloc[group].mean().to_numpy()
            left = np.setdiff1d(left, group)
        frame[names] = values.where(frame[names].notna())
        return frame

    return step


def banded(bands: int) -> Mask:
    """Replace values by the medians of so many bands of equally many records."""

    def change(values: Values, _: Rng) -> Values:
        series = pd.Series(values)
        of = pd.qcut(series.rank(), bands, labels=False, duplicates="drop")
        return series.groupby(of).transform("median").to_numpy(np.float64)

    return _of_numbers(change)


def post_randomised(share: float) -> Mask:
    """Draw so many categories again, from all records (PRAM)."""

    def step(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
        for name in _categories(frame):
            values = frame[name].to_numpy(copy=True)
            rows = np.flatnonzero(rng.random(len(frame)) < share)
            values[rows] = values[rng.integers(0, len(frame), len(rows))]
            frame[name] = values
        return frame

    return step


def suppressed(share: float) -> Mask:
    """Leave so many cells out."""

    def step(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
        for name in [*_numbers(frame), *_categories(frame)]:
            frame[name] = frame[name].where(rng.random(len(frame)) >= share)
        return frame

    return step


def sampled(share: float) -> Mask:
    """Hand out so many of the records, as they are."""
    return lambda frame, rng: frame.iloc[rng.permutation(len(frame))[: round(share * len(frame))]]


def shuffled_in(share: float) -> Mask:
    """Shuffle so many of the columns, each on its own."""

    def step(frame: pd.DataFrame, rng: Rng) -> pd.DataFrame:
        names = [str(name) for name in frame if name not in CLUSTERED.values()]
        for name in rng.choice(names, max(1, round(share * len(names))), replace=False):
            frame[name] = frame[name].to_numpy()[rng.permutation(len(frame))]
        return frame

    return step


mask("a tenth of the cells suppressed", suppressed(0.1))
mask("half of the records", sampled(0.5))
mask("microaggregation of three, by column", microaggregated(3))
mask("microaggregation of five, all numbers", aggregated_together(5))
mask("bands of a tenth, PRAM of a fifth", banded(10), post_randomised(0.2))
mask("noise of half a standard deviation", noise(0.5))
mask("rank swapping within 15 %, PRAM of a fifth", rank_swapped(0.15), post_randomised(0.2))
mask("PRAM of a half", post_randomised(0.5))
mask("noise of a half, PRAM of a half", noise(0.5), post_randomised(0.5))
mask("half of the columns shuffled", shuffled_in(0.5))
