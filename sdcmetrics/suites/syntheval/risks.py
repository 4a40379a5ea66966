"""Epsilon identifiability and hitting rate, each beside the same of the holdout."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.attacks.membership import membership
from sdcmetrics.measures.neighbours import Euclidean, Gower, Points, in_box
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity
from sdcmetrics.suites.syntheval import published
from sdcmetrics.suites.syntheval.passes import Name, Searches, points_of, published_points, searches
from sdcmetrics.suites.trio import Trio, numbers_of

_NEVER_ZERO = 1e-16
_PERCENT = 0.01


def entropy_weights(columns: list[npt.NDArray[np.signedinteger]]) -> Floats:
    """One over the entropy, in nats, of every column of codes; 0 for a constant.

    Examples
    --------
    >>> entropy_weights([np.array([0, 1, 0, 1]), np.array([2, 2, 2, 2])]).round(4).tolist()
    [1.4427, 0.0]
    """
    entropies = np.array([_entropy(column) for column in columns])
    out: Floats = np.where(entropies > 0, 1 / np.where(entropies > 0, entropies, 1.0), 0.0)
    return out


def _entropy(column: npt.NDArray[np.generic]) -> float:
    shares = np.unique(column, return_counts=True)[1] / len(column)
    return max(0.0, -float((shares * np.log(shares)).sum()))


def _epsilon(trio: Trio) -> Quantities:
    variables = trio.binned.variables.values()
    weights = entropy_weights([variable.parts[0] for variable in variables])
    if not weights.any():
        msg = "every column is constant in the original"
        raise NotComputable(msg)
    plain = searches(trio).distance
    assert isinstance(plain, Gower)  # noqa: S101  (as `searches` makes it)
    pool = trio.cached(
        "weighted searches",
        lambda: Searches(points_of(trio), Gower(plain.ranges, tuple(weights.tolist()))),
    )
    closer = pool.to_nearest("original", "synthetic") < pool.to_nearest("original", "original")
    risk, error = _share(closer)
    out = {"eps_risk": Quantity(risk, error, 1 - risk)}
    if trio.has_holdout:
        fresh = pool.to_nearest("holdout", "synthetic") < pool.to_nearest("holdout", "original")
        other, other_error = _share(fresh)
        loss = risk - other
        out["holdout"] = Quantity(other, other_error, better="none")
        out["priv_loss"] = Quantity(loss, math.hypot(error, other_error), 1 - max(0.0, loss))
    return out


def _share(flags: npt.NDArray[np.bool_]) -> tuple[float, float]:
    share = float(flags.mean())
    return share, math.sqrt(share * (1 - share) / len(flags))


def _published_epsilon(
    trio: Trio, *, distance: str = "gower", as_in_2024: bool = False
) -> Quantities:
    if as_in_2024:
        risk = float(_in_2024(trio).mean())
        return {"eps_risk": Quantity(risk, normalised=1 - risk)}
    pool = _weighted(trio, distance)
    closer = pool.to_nearest("original", "synthetic") < pool.to_nearest("original", "original")
    risk = float(closer.mean())
    out = {"eps_risk": Quantity(risk, normalised=1 - risk)}
    if trio.has_holdout:
        fresh = pool.to_nearest("holdout", "synthetic") < pool.to_nearest("holdout", "holdout")
        loss = risk - float(fresh.sum()) / len(closer)
        out["priv_loss"] = Quantity(loss, normalised=1 - abs(loss))
    return out


def _weighted(trio: Trio, distance: str) -> Searches:
    plain = published_points(trio, distance)
    if distance == "euclid":
        if trio.has_holdout:
            msg = "SynthEval fails: it leaves the categories out of all sets but the holdout"
            raise NotComputable(msg)
        scaled = numbers_of(trio, scaled=True)
        points = {
            name: Points.from_columns(numbers=list(part))
            for name, part in zip(plain.points, scaled, strict=True)
        }
        # Squared differences over the entropy of the column.
        entropies = [_entropy(np.round(column)) + _NEVER_ZERO for column in scaled[0]]
        return Searches(points, Euclidean(tuple(map(math.sqrt, entropies))))
    columns = numbers_of(trio, scaled=True, categories=True)[0]
    size = len(trio.original.categories)
    each = np.array([1 / (_entropy(np.round(column)) + _NEVER_ZERO) for column in columns])
    each[:size] *= size / each[:size].sum() if size else 1.0  # the mean over categories, and ...
    assert isinstance(plain.distance, Gower)  # noqa: S101  (not Euclid's)
    chosen = Gower(plain.distance.ranges, tuple(each.tolist()))  # ... the sum over numbers
    return Searches(plain.points, chosen, same=plain.same)


def _in_2024(trio: Trio) -> npt.NDArray[np.bool_]:
    """Return which originals are nearer to the replica, by ranges and weights of January 2024."""
    first, other = trio.original, trio.synthetic
    columns = [*first.codes, *(np.round(column) for column in first.numbers)]
    entropies = np.array([_entropy(column) for column in columns])
    # A constant has a weight of 1e16 and no difference: without it the order is the same.
    weights = np.where(entropies > 0, 1 / np.maximum(entropies, _NEVER_ZERO), 0.0)
    distances = []
    sides: tuple[Name, ...] = ("synthetic", "original")
    for against in sides:
        numbers = [first.numbers, other.numbers] if against == "synthetic" else [first.numbers]
        ranges = tuple(np.ptp(np.concatenate(numbers, axis=1), axis=1).tolist())
        pool = Searches(points_of(trio), Gower(ranges, tuple(weights.tolist())))
        distances.append(pool.to_nearest("original", against))
    out: npt.NDArray[np.bool_] = distances[0] < distances[1]
    return out


def _hits(trio: Trio, *, thres_percent: float = 1 / 30) -> Quantities:
    ends = [np.quantile(column, [_PERCENT, 1 - _PERCENT]) for column in _present(trio)]
    reach = _thirtieth(thres_percent) * np.array([high - low for low, high in ends])
    points = points_of(trio)
    rate, error = _share(in_box(points["original"], points["synthetic"], reach))
    out = {"hit rate": Quantity(rate, error, 1 - rate)}
    if trio.has_holdout:
        other, other_error = _share(in_box(points["holdout"], points["synthetic"], reach))
        loss = rate - other
        out["holdout hit rate"] = Quantity(other, other_error, better="none")
        out["priv_loss"] = Quantity(loss, math.hypot(error, other_error), 1 - max(0.0, loss))
    return out


def _published_hits(trio: Trio, *, thres_percent: float = 1 / 30) -> Quantities:
    scaled = numbers_of(trio, scaled=True)  # rounding decides who is exactly at the end
    reach = _thirtieth(thres_percent) * np.array([np.ptp(column) for column in scaled[0]])
    first, other = (
        Points.from_columns(part.codes, list(numbers))
        for part, numbers in zip(trio.parts[:2], scaled[:2], strict=True)
    )
    rate = float(in_box(first, other, reach).mean())
    return {"hit rate": Quantity(rate, normalised=1 - rate)}


def _present(trio: Trio) -> list[Floats]:
    present = [column[~np.isnan(column)] for column in trio.original.numbers]
    return [column if len(column) else np.zeros(1) for column in present]


def _thirtieth(share: float) -> float:
    if not 0 <= share <= 1:
        msg = f"hit_rate: thres_percent: expected a share from 0 to 1 but got {share}."
        raise StudyError(msg)
    return share


EPSILON = Metric(
    "eps_risk",
    _epsilon,
    "privacy",
    ("eps_risk",),
    _published_epsilon,
    defect="A constant or skewed column has a weight of 1e16 and switches off the others; the "
    "loss divides the holdout's number by the records of the original.",
)
HITS = Metric(
    "hit_rate",
    _hits,
    "privacy",
    ("hit rate",),
    _published_hits,
    defect="One outlier of the original makes every record a hit, and there is no reference value "
    "of the holdout.",
)


def _members(trio: Trio) -> Quantities:
    """AUC, and its p, of who was in the original by the nearest synthetic record."""
    if not trio.has_holdout:
        msg = "there is no holdout"
        raise NotComputable(msg)
    codes = {
        name: list(variable.missing_codes)
        for name, variable in trio.data.variables.items()
        if len(variable.missing_codes)
    }
    result = membership(
        *trio.frames[:3],
        variables=list(trio.original.names),
        missing_codes=codes,
        household=trio.households_of(0, 2),
        seed=trio.seed,
    )
    return {
        "MIA AUC": Quantity(result.training, normalised=1 - abs(2 * result.training - 1)),
        "MIA p": Quantity(float(result.figures["p_auc"]), better="higher"),
    }


MIA = Metric(
    "mia",
    _members,
    "privacy",
    ("MIA AUC",),
    published.membership,
    published_quantities=("MIA recall", "MIA precision"),
    defect="It tests whether records look synthetic, not who was in the original: the recall of "
    "nonsense is 0, and that of people who were not in the original 0.56.",
)
