"""Maximum mean discrepancy: the largest difference in mean of any function that a kernel makes."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.measure import GENERAL_UTILITY, P_VALUE, Measure
from sdcmetrics.measures.neighbours.every_pair import squared_distances
from sdcmetrics.measures.survey.households import Households, relabelled
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.mixed import Mixed
from sdcmetrics.suites.metric import Metric, Number, Quantities, Quantity
from sdcmetrics.suites.trio import Trio, complete, numbers_of

RECORDS = 2000
"""Of either data set, drawn at random: the kernel of all pairs then takes 128 MB."""
PERMUTATIONS = 999
_BLOCK = 1024
_MOST = 20_000
"""Records of both data sets together of which SynthEval's own number is computed: 3.2 GB."""


def discrepancy(kernel: Floats, n: int) -> float:
    """Unbiased squared discrepancy of the first n records from the others; may be below 0.

    Parameters
    ----------
    kernel : float array of shape (records, records)
    n : int

    Examples
    --------
    >>> discrepancy(np.eye(4), 2)
    0.0
    """
    first, other, across = kernel[:n, :n], kernel[n:, n:], kernel[:n, n:]
    m = len(other)
    within = (first.sum() - np.trace(first)) / (n * (n - 1))
    within += (other.sum() - np.trace(other)) / (m * (m - 1))
    return float(within - 2 * across.mean())


def _mmd(trio: Trio, *, records: int = RECORDS) -> Quantities:
    """Compare with exp(-d / median d), d Euclid's over one-hot columns and scaled numbers."""
    rng = trio.rng("mmd")
    parts, chosen = [], []
    for i, part in enumerate((trio.original, trio.synthetic)):
        if part.n < 2:  # noqa: PLR2004  (no pair)
            msg = "there are fewer than two records"
            raise NotComputable(msg)
        rows = np.sort(trio.drawn(i, records, rng))
        chosen.append(rows)
        parts.append(part.subset(rows))
    points = np.concatenate([_one_hot(part, trio.original) for part in parts])
    distances = np.sqrt(squared_distances(points))
    upper = distances[np.triu_indices(len(points), 1)]
    positive = upper[upper > 0]
    if not len(positive):
        return {"u_mmd": Quantity(0.0, normalised=1.0), "p": Quantity(1.0, better="higher")}
    kernel = np.exp(-distances / float(np.median(positive)))
    n = parts[0].n
    value = discrepancy(kernel, n)
    p, untested = math.nan, ""
    try:
        households = trio.households_of()
        if households is not None:
            households = households.subset(np.append(chosen[0], households.n + chosen[1]))
        p = _permutation_p(kernel, n, value, rng, households)
    except NotComputable as reason_of_none:
        untested = str(reason_of_none)
    left = [
        part.n - own.n for part, own in zip((trio.original, trio.synthetic), parts, strict=True)
    ]
    reason = f"of {records:,} records each, drawn at random" if any(left) else ""
    return {
        "u_mmd": Quantity(value, normalised=1 - math.sqrt(max(0.0, value)), reason=reason),
        "p": Quantity(p, better="higher", reason=untested or "a copy is not found by it"),
    }


def _one_hot(data_set: Mixed, original: Mixed) -> Floats:
    """Return points: levels as columns over root 2, numbers over the original's deviation."""
    columns = []
    for codes, levels in zip(data_set.codes, data_set.levels, strict=True):
        block = np.zeros((data_set.n, len(levels)))
        block[np.arange(data_set.n), codes] = math.sqrt(0.5)
        columns.append(block)
    for numbers, own in zip(data_set.numbers, original.numbers, strict=True):
        defined = own[~np.isnan(own)]
        if not len(defined):
            continue
        scale = float(defined.std()) if np.ptp(defined) > 0 else 1.0
        missing = np.isnan(numbers)
        columns.append(np.where(missing, 0.0, (numbers - defined.mean()) / scale)[:, None])
        columns.append(missing[:, None].astype(np.float64))
    return np.concatenate(columns, axis=1)


def _permutation_p(
    kernel: Floats,
    n: int,
    value: float,
    rng: np.random.Generator,
    households: Households | None = None,
) -> float:
    """Probability that records exchanged at random differ as much; all draws by one product."""
    size = len(kernel)
    m = size - n
    diagonal = np.diag(kernel)
    total, reached = kernel.sum() - diagonal.sum(), 0
    for start in range(0, PERMUTATIONS, _BLOCK):
        draws = min(_BLOCK, PERMUTATIONS - start)
        labels = np.zeros((size, draws))
        for j in range(draws):
            labels[relabelled(rng, size, n, households), j] = 1.0
        first = (labels * (kernel @ labels)).sum(axis=0) - diagonal @ labels
        sums = kernel.sum(axis=1) @ labels
        across = sums - first - diagonal @ labels
        other = total - first - 2 * across
        drawn = first / (n * (n - 1)) + other / (m * (m - 1)) - 2 * across / (n * m)
        reached += int((drawn >= value - 1e-12 * abs(value) - 1e-15).sum())
    return (1 + reached) / (1 + PERMUTATIONS)


def _published_mmd(
    trio: Trio, *, kernel: Literal["rbf", "linear", "poly"] = "rbf", use_cats: bool = True
) -> Quantities:
    if kernel not in ("rbf", "linear", "poly"):
        msg = f"mmd: kernel: expected 'rbf', 'linear' or 'poly' but got {kernel!r}."
        raise StudyError(msg)
    original, other = complete(numbers_of(trio, scaled=True, categories=use_cats)[:2])
    if min(original.shape[1], other.shape[1]) < 2:  # noqa: PLR2004  (no pair)
        msg = "there are fewer than two records"
        raise NotComputable(msg)
    if original.shape[1] + other.shape[1] > _MOST:
        msg = f"its kernel is of all pairs of records: more than {_MOST:,} do not fit"
        raise NotComputable(msg)
    centre, size = original.mean(axis=1, keepdims=True), original.std(axis=1, keepdims=True) + 1e-8
    first, second = (((part - centre) / size).T for part in (original, other))
    out: dict[str, Quantity] = {}
    n = len(first)
    points = np.concatenate([first, second])
    if kernel == "rbf":
        distances = squared_distances(points)
        if not distances.any():
            msg = "all records are equal"
            raise NotComputable(msg)
        gamma = 1 / (2 * float(np.median(distances[distances > 0])))
        values = np.exp(-gamma * distances / 2)
        out["rbf_gamma"] = Quantity(gamma, better="none")
    else:
        products = points @ points.T
        values = products if kernel == "linear" else (products + 1) ** 3
    unbiased = discrepancy(values, n)
    biased = float(values[:n, :n].mean() + values[n:, n:].mean() - 2 * values[:n, n:].mean())
    for name, value in (("b_mmd", biased), ("u_mmd", unbiased)):
        clipped = max(0.0, value)
        out[name] = Quantity(value, normalised=max(0.0, 1 - math.sqrt(clipped)))
        out[f"{name}_clip"] = Quantity(clipped)
    return out


MMD = Metric(
    "mmd",
    _mmd,
    "utility",
    ("u_mmd",),
    _published_mmd,
    defect="Codes of nominal levels are taken as numbers, so that the name of a level changes it.",
)


_discrepancy = partial(
    Measure,
    of=MMD,
    family=GENERAL_UTILITY,
    high=1,
    source="Gretton, Borgwardt, Rasch, Schoelkopf and Smola (2012), JMLR 13",
    limits="A copy of the original is not found by it: it scores as people who were not in the "
    "original do. Of more than "
    f"{RECORDS:,} records a random part.",
)

MEASURES: tuple[Measure, ...] = (
    _discrepancy(
        symbol="u_mmd",
        title="Squared maximum mean discrepancy",
        function=Number("u_mmd"),
        better="lower",
        low=-1,
        ideal=0,
        aliases=("mmd", "maximum mean discrepancy"),
        meaning="How far whole records are from coming from one distribution; 0 on average for "
        "people who were not in the original.",
        formula="mean k(o, o') + mean k(s, s') - 2 mean k(o, s), k = exp(-distance / median)",
    ),
    _discrepancy(
        symbol="mmd_p",
        title="Permutation p of the maximum mean discrepancy",
        function=Number("p"),
        ideal=1,
        meaning="Probability that a fresh sample differs so much, or more.",
        formula="(1 + exchanged records that differ as much) / (1 + 999)",
        **P_VALUE,
    ),
)
