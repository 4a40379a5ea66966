"""Files that give people away, and models that do not: for decisions.py.

A leak is given the original and as many other people as it is to hand out, and returns the file
that is handed out. An honest model returns a file that nobody's record is in, and that fits badly.
Questions are asked of the populations of decision_faults.py.
"""

# ruff: noqa: PLR2004  (shares and leaves are what the leaks are named by)

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Rng = np.random.Generator
Frame = pd.DataFrame
Leak = Callable[[Rng, Frame, Frame], Frame]
Question = tuple[tuple[str, ...], tuple[str, ...]]
Honest = Callable[[Rng, Frame, Frame, Question], Frame]

_MANY_VALUES = 10
_REPORTED = (("staff", "shops"), ("turnover", "waste"))
_LIVES = (("age", "born", "post"), ("band", "income"))

QUESTIONS: dict[str, Question] = {
    "survey": (("age", "sex", "region", "education"), ("income", "spending", "parity")),
    "heavy_tails": (("age", "sex", "region"), ("poor", "income")),
    "rare_categories": (("occupation", "place"), ("disease", "employer")),
    "derived_values": _LIVES,
    "few_answers": (("a", "b", "c"), ("t", "e")),
    "blanks": (("age", "sex", "region"), ("poor", "income")),
    "stays": (("age", "ward"), ("outcome", "cost")),
    "businesses": _REPORTED,
    "reported_nothing": _REPORTED,
    "rare_flags": (("age", "sex", "disease_0", "disease_1", "disease_2"), ("disease_3",)),
    "institutions": _LIVES,
    "agreement_scales": (("item_0", "item_1", "item_2", "item_3"), ("item_4", "item_9")),
    "many_regions": (("region", "age", "sex"), ("votes", "income")),
    "alike_flags": (("symptom_0", "symptom_1", "symptom_2"), ("symptom_3",)),
    "correlated": (("x0", "x1", "x2"), ("x5", "x9")),
    "wide": (("x1", "x2", "x3"), ("x0", "x7")),
    "households": (("region", "age", "sex"), ("tenure", "income", "saves")),
    "schools": (("type", "background", "reading"), ("sex", "mathematics")),
    "panel": (("age", "sex", "trade"), ("unemployed", "income")),
}
"""What is asked of a population: keys and targets."""


def numbers(frame: Frame) -> list[str]:
    """Return the columns that are numbers of more than ten values."""
    return [
        str(name)
        for name in frame
        if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].nunique() > _MANY_VALUES
    ]


def shuffled(rng: Rng, frame: Frame) -> Frame:
    """Return the records in another order."""
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


# Leaks


def copied(share: float) -> Leak:
    """Return a leak of so many records that are the original's, the rest other people's.

    More records than the original has are copied in turns.
    """

    def leak(rng: Rng, original: Frame, fresh: Frame) -> Frame:
        size = len(fresh)
        count = round(share * size)
        records = np.resize(rng.permutation(len(original)), count)
        rest = fresh.iloc[: size - count]
        return shuffled(rng, pd.concat([original.iloc[records], rest], ignore_index=True))

    return leak


def partly_copied(share: float, columns: Sequence[str]) -> Leak:
    """Return a leak of some columns of so many people; the other columns are other people's."""

    def leak(rng: Rng, original: Frame, fresh: Frame) -> Frame:
        out = fresh.copy()
        count = min(round(share * len(fresh)), len(original))
        records = rng.permutation(len(original))[:count]
        for name in columns:
            values = out[name].to_numpy(copy=True)
            values[:count] = original[name].to_numpy()[records]
            out[name] = values
        return shuffled(rng, out)

    return leak


def largest(share: float, noise: float) -> Leak:
    """Return a leak of those with the largest value of a number, all numbers changed a little."""

    def leak(rng: Rng, original: Frame, fresh: Frame) -> Frame:
        names = numbers(original)
        by = max(names, key=lambda name: original[name].nunique())
        count = max(1, round(share * len(original)))
        top = jittered(noise)(rng, original.nlargest(count, by), fresh)
        return shuffled(rng, pd.concat([top, fresh.iloc[count:]], ignore_index=True))

    return leak


def jittered(noise: float) -> Leak:
    """Return a leak of everybody, with relative noise on each number."""

    def leak(rng: Rng, original: Frame, fresh: Frame) -> Frame:
        del fresh
        out = original.copy()
        for name in numbers(original):
            out[name] = out[name] * (1 + noise * rng.normal(size=len(out)))
        return shuffled(rng, out)

    return leak


def mixed_with_neighbours(rng: Rng, original: Frame, fresh: Frame) -> Frame:
    """Mix each record with one of its two nearest, as SMOTE does."""
    del fresh
    size = len(original)
    distance = np.zeros((size, size))
    for name in original:
        if name in numbers(original):
            rank = original[name].rank().fillna(0).to_numpy() / size
            distance += np.abs(rank[:, None] - rank)
        else:
            codes = pd.factorize(original[name])[0]
            distance += codes[:, None] != codes
    np.fill_diagonal(distance, np.inf)
    first = rng.integers(size, size=size)
    second = np.argsort(distance, axis=1)[first, rng.integers(2, size=size)]
    weight = rng.random(size)
    out = original.iloc[first].reset_index(drop=True)
    for name in original:
        here, there = original[name].to_numpy()[first], original[name].to_numpy()[second]
        if name in numbers(original):
            mixed = here + weight * (there - here)
            whole = (original[name].dropna() % 1 == 0).all()
            out[name] = np.round(mixed) if whole else mixed
        else:
            out[name] = np.where(rng.random(size) < 0.5, here, there)
    return out


def tree(leaf: int) -> Leak:
    """Return a synthesis column by column: donors of leaves of at least so many records."""

    def leak(rng: Rng, original: Frame, fresh: Frame) -> Frame:
        first, *names = map(str, original)
        drawn = rng.integers(len(original), size=len(fresh))
        out: dict[str, npt.NDArray[np.generic]] = {first: original[first].to_numpy()[drawn]}
        for name in names:
            grown, leaves, reached = _leaves(original, out, name, leaf)
            del grown
            values = original[name].to_numpy()
            out[name] = values[[rng.choice(np.flatnonzero(leaves == node)) for node in reached]]
        return pd.DataFrame(out)

    return leak


def independent(rng: Rng, original: Frame, fresh: Frame) -> Frame:
    """Draw each column on its own."""
    rows = len(fresh)
    drawn = {c: original[c].to_numpy()[rng.integers(len(original), size=rows)] for c in original}
    return pd.DataFrame(drawn)


LEAKS: dict[str, Leak] = {
    "everybody": copied(1.0),
    "60 % copied": copied(0.6),
    "15 % copied": copied(0.15),
    "5 % copied": copied(0.05),
    "2 % largest, .1 % noise": largest(0.02, 0.001),
    "1 % noise": jittered(0.01),
    "mixed with neighbours": mixed_with_neighbours,
    "trees, leaves of 5": tree(5),
    "trees, leaves of 20": tree(20),
    "independent columns": independent,
}


# Models that know nobody, or no more than they should, and fit badly


def exaggerated(rng: Rng, original: Frame, fresh: Frame, asked: Question) -> Frame:
    """Say of other people the most frequent target of their first key: no spread is left.

    Nothing is learnt of the original; the relation is that of the fresh people.
    """
    del rng, original
    (key, *_), targets = asked
    out = fresh.copy()
    groups = _bands(fresh[key])
    for target in targets:
        bands = _bands(fresh[target])
        usual = pd.Series(bands).groupby(groups).agg(lambda x: x.mode().iloc[0])
        typical = (
            fresh[target]
            .groupby(bands)
            .agg(lambda x: x.mode().iloc[0] if len(x.mode()) else x.iloc[0])
        )
        out[target] = typical.reindex(usual.reindex(groups).to_numpy()).to_numpy()
    return out


def usual_of_leaf(rng: Rng, original: Frame, fresh: Frame, asked: Question) -> Frame:
    """Give other people the most frequent target of a leaf of 20 of the original's people."""
    del rng
    keys, targets = asked
    out = fresh.copy()
    for target in targets:
        _, leaves, reached = _leaves(
            original[[*keys, target]], {name: fresh[name].to_numpy() for name in keys}, target, 20
        )
        usual = original[target].groupby(leaves).agg(lambda x: next(iter(x.mode()), np.nan))
        out[target] = usual.reindex(reached).to_numpy()
    return out


def keys_misfit(rng: Rng, original: Frame, fresh: Frame, asked: Question) -> Frame:
    """Draw each key on its own from all its values alike; targets are other people's."""
    del original
    out = fresh.copy()
    for name in asked[0]:
        values = fresh[name].drop_duplicates().to_numpy()
        out[name] = values[rng.integers(len(values), size=len(fresh))]
    return out


HONEST: dict[str, Honest] = {
    "exaggerated": exaggerated,
    "usual of a leaf": usual_of_leaf,
    "keys misfit": keys_misfit,
}


def _bands(values: pd.Series) -> npt.NDArray[np.int64]:
    """Return quarters of a number of many values, or categories as they are; missing is one."""
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > _MANY_VALUES:
        return pd.qcut(values.rank(method="first"), 4, labels=False).fillna(-1).to_numpy()
    return np.asarray(pd.factorize(values)[0])


def _coded(values: pd.Series) -> npt.NDArray[np.float64]:
    if pd.api.types.is_datetime64_any_dtype(values):
        return np.asarray(values.astype("int64"), dtype=float)
    if pd.api.types.is_numeric_dtype(values):
        return values.fillna(values.min() - 1).to_numpy(float)
    return pd.factorize(values)[0].astype(float)


def _leaves(
    original: Frame, drawn: dict[str, npt.NDArray[np.generic]], target: str, leaf: int
) -> tuple[object, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Grow a tree of the target on the drawn columns; return it, and who falls into which leaf."""
    replica = pd.DataFrame(drawn)
    both = pd.concat([original[list(drawn)], replica], ignore_index=True)
    codes = np.column_stack([_coded(both[name]) for name in drawn])
    learner = DecisionTreeRegressor if target in numbers(original) else DecisionTreeClassifier
    grown = learner(min_samples_leaf=leaf, random_state=0)
    answer = _coded(original[target])
    grown.fit(codes[: len(original)], answer)
    reached = grown.apply(codes)
    return grown, reached[: len(original)], reached[len(original) :]
