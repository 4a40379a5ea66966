"""Nearest-neighbour adversarial accuracy: whether records are nearer to their own kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity
from sdcmetrics.suites.syntheval.passes import (
    Name,
    PairDistances,
    Searches,
    comparison,
    published_points,
    searches,
)
from sdcmetrics.suites.trio import Trio

_ONE_SIZE = 2
"""SynthEval takes a part of the larger data set only where it is so many times the smaller."""


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Adversarial accuracy, record by record.

    Attributes
    ----------
    first, second : float arrays
        Of every record of either data set: the probability, over samples of the larger data set
        of the smaller's size, that its nearest record is of its own kind; a tie counts half.
    """

    first: Floats
    second: Floats

    @property
    def value(self) -> float:
        """The mean of both halves: 0.5 where the data sets cannot be told apart, 0 for a copy."""
        return float(self.first.mean() + self.second.mean()) / 2


def adversarial_accuracy(distances: PairDistances, *, ties: float = 0.5) -> Accuracy:
    """Adversarial accuracy of two data sets at the smaller's size, without drawing samples.

    Parameters
    ----------
    distances : PairDistances
    ties : float
        What a tie counts; 0 as published.

    Notes
    -----
    A sample of m of the n records of the larger data set holds none of c of them with probability
    C(n - c, m) / C(n, m). A record of the larger one is nearest to its own kind if the m - 1
    others of the sample hold one that is closer than the nearest of the smaller data set; one of
    the smaller if the m hold none that is as close as the nearest of its own.

    References
    ----------
    Yale, Dash, Dutta, Guyon, Pavao and Bennett (2020), Neurocomputing 416; the expectation over
    samples is exact here.
    """
    n, m = len(distances.large_within), len(distances.small_within)
    closer, tied = distances.large_within.T
    none, none_tied = (_holds_none(n - 1, c, m - 1) for c in (closer, closer + tied))
    large = 1 - none + ties * (none - none_tied)
    closer, tied = distances.small_within.T
    none, none_tied = (_holds_none(n, c, m) for c in (closer, closer + tied))
    small = none_tied + ties * (none - none_tied)
    return Accuracy(large, small) if distances.first_larger else Accuracy(small, large)


def strict_accuracy(distances: PairDistances) -> Accuracy:
    """Adversarial accuracy of the data sets as they are, whatever their sizes."""
    return Accuracy(
        (distances.to_other > distances.to_own).astype(np.float64),
        (distances.other_to_first > distances.other_to_own).astype(np.float64),
    )


def _holds_none(pool: int, marked: npt.NDArray[np.int64], size: int) -> Floats:
    """Probability that a sample of the pool holds none of those marked."""
    rest = pool - marked
    logs = (
        lazy.special.gammaln(rest + 1)
        - lazy.special.gammaln(np.maximum(rest - size, 0) + 1)
        - lazy.special.gammaln(pool + 1)
        + lazy.special.gammaln(pool - size + 1)
    )
    return np.where(rest >= size, np.exp(np.minimum(logs, 0.0)), 0.0)


def _nnaa(trio: Trio) -> Quantities:
    accuracy = adversarial_accuracy(comparison(trio))
    out = {
        "avg": Quantity(
            accuracy.value, better="none", reason="0.5 is best: 0 is a copy, 1 is told apart"
        ),
        "original half": Quantity(float(accuracy.first.mean()), better="none"),
        "synthetic half": Quantity(float(accuracy.second.mean()), better="none"),
    }
    if trio.has_holdout:
        out["priv_loss"] = _loss(trio)
    return out


def _loss(trio: Trio) -> Quantity:
    """Accuracy of the holdout less that of as many originals: above 0 where the replica leaks them.

    The larger of original and holdout is cut at random to the size of the other.
    """
    pool = searches(trio)
    sizes = {name: points.n for name, points in pool.points.items()}
    size = min(sizes["original"], sizes["holdout"])
    accuracies = []
    names: tuple[Name, ...] = ("original", "holdout")
    for name in names:
        if sizes[name] > size:
            rng = trio.rng("adversarial accuracy")
            rows = np.sort(trio.drawn(0 if name == "original" else 2, size, rng))
            part = {name: pool.points[name].subset(rows), "synthetic": pool.points["synthetic"]}
            beside_it = Searches(part, pool.distance).compare(name, "synthetic")
        else:
            beside_it = pool.compare(name, "synthetic")
        accuracies.append(adversarial_accuracy(beside_it))
    first, other = accuracies
    value = other.value - first.value
    # Records that are nearest to each other are not independent: no error over records is right.
    return Quantity(value, normalised=1 - max(0.0, value))


def _published_nnaa(trio: Trio, *, distance: str = "gower") -> Quantities:
    pool = published_points(trio, distance)
    value = _as_published(pool.compare("original", "synthetic"))
    out = {"avg": Quantity(value, 0.0, 1 - value)}
    if trio.has_holdout:
        loss = _as_published(pool.compare("holdout", "synthetic")) - value
        out["priv_loss"] = Quantity(loss, normalised=1 - abs(loss))
    return out


def _as_published(distances: PairDistances) -> float:
    n, m = len(distances.to_other), len(distances.other_to_first)
    if max(n, m) >= _ONE_SIZE * min(n, m):
        return adversarial_accuracy(distances, ties=0.0).value
    return strict_accuracy(distances).value


NNAA = Metric(
    "nnaa",
    _nnaa,
    "utility",
    ("avg",),
    _published_nnaa,
    defect="A copy of the original has the best utility of all, 1; strict comparison of floats "
    "lets ties fall either way; samples are drawn without a seed.",
)
