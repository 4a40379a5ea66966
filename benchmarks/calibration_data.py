"""Data whose truth is known, for calibration.py: populations, and what a replica of them is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

Rng = np.random.Generator
Frame = pd.DataFrame


# Populations. Each returns n records with the columns a and b (keys), t (target), x and y.


def numeric(rng: Rng, n: int) -> Frame:
    """Draw numbers only: hardly two records are alike."""
    z = rng.normal(size=n)
    x = 10.0 + z + rng.normal(size=n)
    return pd.DataFrame(
        {
            "a": np.round(45 + 12 * z + 6 * rng.normal(size=n)),
            "b": np.round(5 + 2 * rng.normal(size=n)),
            "t": (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int),
            "x": x,
            "y": 2.0 * x + rng.normal(size=n),
        }
    )


def categorical(rng: Rng, n: int) -> Frame:
    """Draw categories only: most records have duplicates."""
    group = rng.choice(3, n, p=[0.5, 0.3, 0.2])

    def levels(k: int) -> npt.NDArray[np.str_]:
        return np.take(list("pqrstu"), (group + rng.geometric(0.5, n) - 1) % k)

    return pd.DataFrame(
        {"a": levels(4), "b": levels(3), "t": levels(2), "x": levels(5), "y": levels(6)}
    )


def tied(rng: Rng, n: int) -> Frame:
    """Draw numbers with few values: counts, tens, and an income that is often 0."""
    z = rng.normal(size=n)
    x = np.round(np.exp(1 + 0.5 * z)) * (rng.random(n) < 0.6)  # noqa: PLR2004
    return pd.DataFrame(
        {
            "a": 10 * np.round(4 + z + 0.5 * rng.normal(size=n)),
            "b": rng.poisson(0.8, n),
            "t": (rng.random(n) < 1 / (1 + np.exp(1 - z))).astype(int),
            "x": x,
            "y": 20 * np.round(1 + rng.random(n) + z / 3),
        }
    )


def duplicated(rng: Rng, n: int) -> Frame:
    """Draw from 400 people of whom some are met far oftener than others."""
    people = numeric(np.random.default_rng(7), 400)
    weights = 1.0 / np.arange(1, 401)
    return people.iloc[rng.choice(400, n, p=weights / weights.sum())].reset_index(drop=True)


def households(rng: Rng, n: int) -> Frame:
    """Draw whole households, whose members share a place, an income and much of their age."""
    size = rng.integers(1, 6, n)
    number = np.repeat(np.arange(n), size)[:n]
    parent = rng.normal(size=n)
    z = parent[number]
    return pd.DataFrame(
        {
            "a": np.array(list("nesw"))[(rng.integers(0, 4, n))[number]],
            "b": size[number],
            "t": (rng.random(n) < 1 / (1 + np.exp(-2 * z))).astype(int),
            "x": np.round(np.exp(3 + z), 1),
            "y": np.round(40 + 8 * z + 10 * rng.normal(size=n)),
        }
    )


KINDS: dict[str, Callable[[Rng, int], Frame]] = {
    kind.__name__: kind for kind in (numeric, categorical, tied, duplicated, households)
}
MODELS: Mapping[str, Sequence[Any]] = {  # right ones: what they say of a wrong model is not tried
    "numeric": ["y ~ x"],
    "categorical": [("t ~ a", "binomial")],
}


RULES: Mapping[str, Sequence[str]] = (
    {  # broken by one record in two to one in thirty
        "categorical": ['t == "p"', 'y != "r"'],
        "tied": ["t == 0", "y >= -20"],
    }
    | {kind: ["t == 0", "x <= 12.6"] for kind in ("numeric", "duplicated")}
    | {"households": ["t == 0", "y <= 64"]}
)


class Sizes(NamedTuple):
    """Records of original, each synthesis and holdout, and the number of syntheses."""

    n: int
    m: int
    h: int
    syntheses: int = 1

    def __str__(self) -> str:
        """Return them as in the table: 200 / 3 x 200 / 200."""
        times = f"{self.syntheses} x " if self.syntheses > 1 else ""
        return f"{self.n} / {times}{self.m} / {self.h}"


SIZES = (Sizes(300, 300, 300), Sizes(300, 600, 100), Sizes(200, 100, 400), Sizes(200, 200, 200, 3))


# Conditions: what the replica is, or the holdout. A fresh replica is drawn like the original.


class Sets(NamedTuple):
    """Data of one draw."""

    original: Frame
    syntheses: list[Frame]
    holdout: Frame


def fresh(sets: Sets, rng: Rng) -> Sets:  # noqa: ARG001
    """Leave the replica as it was drawn from the population."""
    return sets


def drawn(sets: Sets, rng: Rng) -> Sets:
    """Draw the replica's records from the original, with replacement."""
    return sets._replace(syntheses=[_take(sets.original, len(s), rng) for s in sets.syntheses])


def copy(sets: Sets, rng: Rng) -> Sets:  # noqa: ARG001
    """Hand out the original itself."""
    return sets._replace(syntheses=[sets.original for _ in sets.syntheses])


def swapped(sets: Sets, rng: Rng) -> Sets:
    """Hand out the original with 15 % of the cells swapped within their columns."""
    out = []
    for _ in sets.syntheses:
        made = sets.original.copy()
        for name in made:
            rows = np.flatnonzero(rng.random(len(made)) < 0.15)  # noqa: PLR2004
            made.loc[rows, name] = made[name].to_numpy()[rng.permutation(rows)]
        out.append(made)
    return sets._replace(syntheses=out)


def verbatim(sets: Sets, rng: Rng) -> Sets:
    """Put original records, unchanged, in the place of 5 % of fresh ones."""
    return sets._replace(
        syntheses=[_put(s, sets.original, len(s) // 20, rng) for s in sets.syntheses]
    )


def outliers(sets: Sets, rng: Rng) -> Sets:  # noqa: ARG001
    """Put the six most unusual original records, unchanged, in the place of fresh ones."""
    unusual = np.argsort(-_unusual(sets.original), kind="stable")[:6]
    six = sets.original.iloc[unusual]
    return sets._replace(
        syntheses=[pd.concat([s.iloc[6:], six], ignore_index=True) for s in sets.syntheses]
    )


def overlap(sets: Sets, rng: Rng) -> Sets:
    """Put original records into the holdout, in the place of a tenth of it."""
    return sets._replace(holdout=_put(sets.holdout, sets.original, len(sets.holdout) // 10, rng))


def others(sets: Sets, rng: Rng) -> Sets:
    """Take the holdout where t is oftener the first of its values: other people."""
    keep = (sets.holdout["t"] == sets.holdout["t"].min()) | (rng.random(len(sets.holdout)) < 0.4)  # noqa: PLR2004
    return sets._replace(holdout=sets.holdout[keep].reset_index(drop=True))


Condition = Callable[[Sets, Rng], Sets]
CONDITIONS: tuple[Condition, ...] = (
    fresh,
    drawn,
    copy,
    swapped,
    verbatim,
    outliers,
    overlap,
    others,
)


def _take(frame: Frame, n: int, rng: Rng) -> Frame:
    return frame.iloc[rng.integers(0, len(frame), n)].reset_index(drop=True)


def _put(into: Frame, source: Frame, many: int, rng: Rng) -> Frame:
    rows = rng.choice(len(source), min(many, len(source)), replace=False)
    return pd.concat([into.iloc[len(rows) :], source.iloc[rows]], ignore_index=True)


def _unusual(frame: Frame) -> npt.NDArray[np.float64]:
    out = np.zeros(len(frame))
    for name in frame:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            column = pd.cut(column, 12, labels=False)
        out -= np.log(column.map(column.value_counts()).to_numpy(np.float64))
    return out
