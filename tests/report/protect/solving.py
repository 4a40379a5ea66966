"""What an outsider does with a release: solve its statistics for the counts of the original.

Every statistic of a table is a sum over cells of a function of one unknown count, so with one
binary unknown per cell and value all of them are linear.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]


def digits(value: float, significant: int) -> tuple[float, float]:
    """Return the ends of what is shown as `value` with so many significant digits."""
    half = 0.5 * 10.0 ** (np.floor(np.log10(value)) - significant + 1)
    return value - half, value + half


Term = Callable[[float], float]


def statistics_of(
    replicas: dict[str, list[Floats]], shown: dict[str, tuple[float | None, float | None]], n: int
) -> list[tuple[list[Term], float, float]]:
    """Return, per published statistic, its term in every cell and the ends of what is shown.

    Parameters
    ----------
    replicas : counts of every cell, per synthesis of every replica
    shown : TVD (two decimals) and S_pMSE (three significant digits) of every replica
    n : original records
    """
    out: list[tuple[list[Term], float, float]] = []
    for name, syntheses in replicas.items():
        far, ratio = shown.get(name, (None, None))
        cells = len(syntheses[0])
        if far is not None:

            def distance(d: float, k: int, of: list[Floats] = syntheses) -> float:
                return sum(abs(s[k] / s.sum() - d / n) / 2 for s in of) / len(of)

            out.append(([partial(distance, k=k) for k in range(cells)], far - 0.005, far + 0.005))
        if ratio is not None and all((s > 0).all() for s in syntheses):

            def standardised(d: float, k: int, of: list[Floats] = syntheses) -> float:
                parts = [
                    (s[k] - d * s.sum() / n) ** 2 / ((s[k] + d) * s.sum() / (s.sum() + n))
                    for s in of
                ]
                return sum(parts) / len(of) / (len(of[0]) - 1)

            out.append(([partial(standardised, k=k) for k in range(cells)], *digits(ratio, 3)))
    return out


def solve(
    ranges: list[range],
    statistics: list[tuple[list[Term], float, float]],
    sums: list[tuple[list[int], int, int]],
    cell: int,
    seconds: float = 120.0,
) -> tuple[float, float] | None:
    """Return the least and the largest value of a cell; None where nothing solves the release."""
    wanted = [float(d) if k == cell else 0.0 for k, d in _places(ranges)]
    least = _minimum(wanted, ranges, statistics, sums, seconds)
    most = _minimum([-item for item in wanted], ranges, statistics, sums, seconds)
    return None if least is None or most is None else (least, -most)


def all_hold(
    values: dict[int, int],
    ranges: list[range],
    statistics: list[tuple[list[Term], float, float]],
    sums: list[tuple[list[int], int, int]],
    seconds: float = 120.0,
) -> bool:
    """Whether every solution has these values in these cells: one with the fewest has them all."""
    wanted = [float(values.get(k) == d) for k, d in _places(ranges)]
    fewest = _minimum(wanted, ranges, statistics, sums, seconds)
    return fewest is not None and fewest > len(values) - 0.5


def _places(ranges: list[range]) -> list[tuple[int, int]]:
    return [(k, d) for k, values in enumerate(ranges) for d in values]


def _minimum(
    wanted: list[float],
    ranges: list[range],
    statistics: list[tuple[list[Term], float, float]],
    sums: list[tuple[list[int], int, int]],
    seconds: float,
) -> float | None:
    """Return a bound below a sum over cells and values of what solves; None where nothing does."""
    place = _places(ranges)
    rows = [[float(item == k) for item, _ in place] for k in range(len(ranges))]
    rows += [[terms[k](d) for k, d in place] for terms, _, _ in statistics]
    rows += [[float(d) if k in cells else 0.0 for k, d in place] for cells, _, _ in sums]
    ends = [(1.0, 1.0)] * len(ranges) + [item[1:] for item in (*statistics, *sums)]
    result = milp(
        np.array(wanted),
        constraints=LinearConstraint(csr_array(np.array(rows)), *np.array(ends, dtype=float).T),
        integrality=np.ones(len(place)),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds},
    )
    if result.status == 2:
        return None
    return -np.inf if result.mip_dual_bound is None else result.mip_dual_bound
