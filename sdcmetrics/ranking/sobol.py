"""A scrambled Sobol sequence, as scipy.stats gives it but without its half a second of imports.

The direction numbers are those that scipy brings along in a file; where it is not there,
scipy.stats is asked.
"""

from __future__ import annotations

import os.path

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats

_BITS = 30
_TABLE = ("stats", "_sobol_direction_numbers.npz")

Bits = npt.NDArray[np.uint32]


def sobol(columns: int, power: int, *, seed: int) -> Floats:
    """Return 2 ** power points of a scrambled Sobol sequence.

    Parameters
    ----------
    columns : int
        Dimensions.
    power : int, 0 to 30
    seed : int
        Scrambles it: by lower triangular matrices of random bits, and a random shift.

    Returns
    -------
    array of floats from 0 to 1, points x columns

    Notes
    -----
    Equals ``scipy.stats.qmc.Sobol(columns, seed=numpy.random.default_rng(seed))`` bit by bit.
    The recurrence is that of Bratley and Fox (1988, ACM TOMS 14(1)), the numbers those of Joe
    and Kuo (2008, SIAM J. Sci. Comput. 30(5)), the scrambling that of Matousek (1998).

    Examples
    --------
    >>> points = sobol(2, 3, seed=1)
    >>> [sorted((8 * column).astype(int).tolist()) for column in points.T]
    [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]]
    """
    import scipy

    table = os.path.join(os.path.dirname(scipy.__file__), *_TABLE)  # noqa: PTH118, PTH120  (no pathlib needed)
    try:
        with np.load(table) as numbers:
            polynomials, starts = numbers["poly"][:columns], numbers["vinit"][:columns]
    except (OSError, KeyError):
        from scipy.stats import qmc

        out: Floats = qmc.Sobol(d=columns, seed=np.random.default_rng(seed)).random_base2(power)
        return out
    (child,) = np.random.SeedSequence(seed).spawn(1)  # as scipy does, so that the points are equal
    rng = np.random.default_rng(child)
    shift = rng.integers(2, size=(columns, _BITS), dtype=np.uint32) @ (
        2 ** np.arange(_BITS, dtype=np.uint32)
    )
    matrices = np.tril(rng.integers(2, size=(columns, _BITS, _BITS), dtype=np.uint32))
    directions = _scrambled(_directions(polynomials, starts), matrices)
    points = shift[None, :]
    for bit in range(power):  # Gray code: the next points are those before, from last to first
        points = np.concatenate([points, points[::-1] ^ directions[:, bit]])
    return np.asarray(points * (1.0 / 2**_BITS))


def _directions(polynomials: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> Bits:
    """Return the direction numbers of each column, columns x bits."""
    out = np.ones((len(polynomials), _BITS), np.int64)
    for numbers, polynomial, first in zip(
        out[1:], polynomials[1:].tolist(), starts[1:], strict=True
    ):
        degree = polynomial.bit_length() - 1
        numbers[:degree] = first[:degree]
        for j in range(degree, _BITS):
            numbers[j] = numbers[j - degree]
            for k in range(degree):
                if polynomial >> (degree - 1 - k) & 1:
                    numbers[j] ^= numbers[j - k - 1] << (k + 1)
    return (out << np.arange(_BITS - 1, -1, -1)).astype(np.uint32)


def _scrambled(directions: Bits, matrices: Bits) -> Bits:
    """Return direction numbers times lower triangular matrices over bits, the first the highest."""
    matrices[:, range(_BITS), range(_BITS)] = 1
    places = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)
    bits = directions[:, None, :] >> places[:, None] & 1  # columns x bits x numbers
    parity = matrices @ bits & 1
    return np.asarray((parity << places[:, None]).sum(axis=1, dtype=np.uint32))
