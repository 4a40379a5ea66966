"""Log-linear models of counts over a grid of keys, and risks in the population from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats, Ints

Margins = tuple[tuple[int, ...], ...]

_SMALL = 1e-3
"""Below it (1 - exp(-v)) / v and its derivatives are taken from their series."""
_MOST_ROUNDS, _MANY_ROUNDS = 10_000, 1_000
_CLOSE, _NEAR = 1e-11, 1e-5
"""Largest difference of a fitted margin from the observed one, relative to the records.

Where a sparse table drives parameters to infinity the difference falls as 1 / rounds only, while
risks have settled to some six digits: after many rounds near is enough.
"""
REFUSED = 1.64
"""The 95 % quantile of the normal distribution: a model whose z are below is not refused."""


@dataclass(frozen=True)
class Fitted:
    """One log-linear model.

    Attributes
    ----------
    margins : tuple of tuples of int
        The margins that it keeps, as positions of keys.
    mu : float array, one axis per key
        Expected records of each cell.
    parameters : int
        Free parameters.
    """

    margins: Margins
    mu: Floats
    parameters: int


@dataclass(frozen=True)
class Risks:
    """Risks of the sample uniques under a log-linear model.

    Attributes
    ----------
    unique, match : float arrays, one per unique record
        Chance that nobody else in the population has its keys; expected chance of a right match.
    """

    unique: Floats
    match: Floats

    @property
    def population_uniques(self) -> float:
        """Expected sample uniques that are population uniques (tau 1)."""
        return float(self.unique.sum())

    @property
    def matches(self) -> float:
        """Expected number of right matches among the sample uniques (tau 2)."""
        return float(self.match.sum())


def fit(counts: Floats, margins: Margins, nested: Fitted | None = None) -> Fitted:
    """Fit a hierarchical log-linear model by iterative proportional fitting.

    Parameters
    ----------
    counts : float array, one axis per key
    margins : tuple of tuples of int
        Positions of the keys of each margin that the model keeps.
    nested : Fitted, optional
        A model of the same counts whose margins are among these: fewer rounds are needed from it.
    """
    observed = [_margin(counts, margin) for margin in margins]
    # Most cells of a sparse grid lie in an empty margin: they are 0, and take part in no round.
    filled = np.all(np.broadcast_arrays(*(margin > 0.0 for margin in observed)), axis=0)
    cells = np.nonzero(filled)
    numbers = [_numbers(cells, counts.shape, margin) for margin in margins]
    wanted = [np.bincount(number, counts[cells]) for number in numbers]
    total = counts.sum()
    mu = np.ones(len(cells[0])) if nested is None else nested.mu[cells]
    once = sum(map(len, margins)) == len({key for margin in margins for key in margin})
    for rounds in range(_MOST_ROUNDS):
        apart = 0.0
        for number, sums in zip(numbers, wanted, strict=True):
            have = np.bincount(number, mu, minlength=len(sums))
            apart = max(apart, float(np.abs(have - sums).max()))
            mu = mu * (sums / have)[number]
        if once or apart <= (_CLOSE if rounds < _MANY_ROUNDS else _NEAR) * total:
            break
    grid = np.zeros(counts.shape)
    grid[cells] = mu
    return Fitted(margins, grid, _parameters(counts, margins))


def choose(counts: Floats, fraction: float) -> list[tuple[Fitted, float, float]]:
    """Add pairs of keys to the main effects until neither test refuses the model.

    The pair whose table the last model fits worst comes next, by its deviance less twice its
    degrees of freedom. Returns every model tried with its two z; the last one is chosen.
    """
    keys = range(counts.ndim)
    pairs: list[tuple[int, int]] = []
    tried: list[tuple[Fitted, float, float]] = []
    while True:
        covered = {key for pair in pairs for key in pair}
        margins = (*pairs, *((key,) for key in keys if key not in covered))
        model = fit(counts, margins, tried[-1][0] if tried else None)
        z = fit_z(counts, model.mu, fraction)
        tried.append((model, *z))
        left = [pair for pair in itertools.combinations(keys, 2) if pair not in pairs]
        fits = all(math.isnan(value) or value < REFUSED for value in z)
        if fits or not left:
            return tried
        pairs.append(max(left, key=lambda pair: _misfit(counts, model.mu, pair)))


def risks(mu: Floats, fraction: float, others: Floats | None = None) -> Risks:
    """Return the risks of sample uniques from their expected counts.

    Parameters
    ----------
    mu : float array of shape (uniques,)
    fraction : share of the population that the file has
    others : float array of shape (uniques,), optional
        Expected people of the cell outside the sample; by default (1 - fraction) mu / fraction.
    """
    v = (1.0 - fraction) * mu / fraction if others is None else others
    return Risks(np.exp(-v), _match(v)[0])


def fit_z(counts: Floats, mu: Floats, fraction: float) -> tuple[float, float]:
    """Return the z values of Skinner and Shlomo's tests of fit for both risks.

    Large positive values say that the model makes the risk too large or small; its variance is
    that of the statistic under Poisson counts, so that it holds in sparse grids.
    """
    f, m = counts.ravel(), mu.ravel()
    lam = m / fraction
    v = (1.0 - fraction) * lam
    tail = np.exp(-v)
    _, slope, bend = _match(v)
    rest = 1.0 - fraction
    out = []
    for first, second in ((-rest * tail, rest**2 * tail), (rest * slope, rest**2 * bend)):
        a = -lam * np.exp(-m) * first
        b = lam * np.exp(-m) * second / (2.0 * fraction)
        statistic = float((a * (f - m) + b * ((f - m) ** 2 - f)).sum())
        variance = float((m * a**2 + 2.0 * m**2 * b**2).sum())
        out.append(statistic / math.sqrt(variance) if variance > 0.0 else math.nan)
    return out[0], out[1]


def _match(v: Floats) -> tuple[Floats, Floats, Floats]:
    """(1 - exp(-v)) / v with its first and second derivative."""
    small = v < _SMALL
    safe = np.where(small, 1.0, v)
    tail = np.exp(-safe)
    value = -np.expm1(-safe) / safe
    slope = (tail * (safe + 1.0) - 1.0) / safe**2
    bend = (2.0 - tail * (safe**2 + 2.0 * safe + 2.0)) / safe**3
    return (
        np.where(small, 1.0 - v / 2.0 + v**2 / 6.0 - v**3 / 24.0, value),
        np.where(small, -0.5 + v / 3.0 - v**2 / 8.0 + v**3 / 30.0, slope),
        np.where(small, 1.0 / 3.0 - v / 4.0 + v**2 / 10.0 - v**3 / 36.0, bend),
    )


def _numbers(cells: tuple[Ints, ...], shape: tuple[int, ...], margin: Sequence[int]) -> Ints:
    """Number the cell of a margin in which each cell of the grid lies."""
    places = np.ravel_multi_index([cells[key] for key in margin], [shape[key] for key in margin])
    numbers: Ints = np.unique(places, return_inverse=True)[1].ravel()
    return numbers


def _margin(table: Floats, axes: Sequence[int]) -> Floats:
    dropped = tuple(axis for axis in range(table.ndim) if axis not in axes)
    out: Floats = table.sum(axis=dropped, keepdims=True)
    return out


def _misfit(counts: Floats, mu: Floats, pair: tuple[int, int]) -> float:
    observed, fitted = _margin(counts, pair), _margin(mu, pair)
    filled = observed > 0.0
    deviance = 2.0 * float((observed[filled] * np.log(observed[filled] / fitted[filled])).sum())
    rows, columns = (int((_margin(counts, (key,)) > 0.0).sum()) for key in pair)
    return deviance - 2.0 * (rows - 1) * (columns - 1)


def _parameters(counts: Floats, margins: Margins) -> int:
    """Free parameters of the interactions among levels that occur."""
    levels = [int((_margin(counts, (key,)) > 0.0).sum()) for key in range(counts.ndim)]
    terms = {
        term
        for margin in margins
        for size in range(1, len(margin) + 1)
        for term in itertools.combinations(sorted(margin), size)
    }
    return 1 + sum(math.prod(levels[key] - 1 for key in term) for term in terms)
