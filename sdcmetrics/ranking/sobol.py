"""Scrambled Sobol points, as scipy draws them: of scipy only its direction numbers are read.

scipy.stats itself takes half a second to import, a tenth of a small review.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy

_BITS = 30
_PLACES = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)  # of bits, the highest first
_NUMBERS = Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz"


def sobol(dimensions: int, power: int, seed: int) -> npt.NDArray[np.float64]:
    """Draw 2^power points of a scrambled Sobol sequence.

    Returns
    -------
    array of floats, 2^power x dimensions
        In [0, 1); equal to those of `scipy.stats.qmc.Sobol`.

    References
    ----------
    Joe and Kuo (2008), SIAM Journal on Scientific Computing 30(5); scrambled by a random linear
    map and a digital shift as in Matousek (1998), Journal of Complexity 14(4).

    Examples
    --------
    >>> np.bincount((sobol(1, 2, seed=1) * 4).astype(int).ravel()).tolist()
    [1, 1, 1, 1]
    """
    rng = np.random.default_rng(seed)
    if not _NUMBERS.exists():  # a scipy that keeps them elsewhere
        from scipy.stats import qmc

        drawn: npt.NDArray[np.float64] = qmc.Sobol(d=dimensions, seed=rng).random_base2(power)
        return drawn
    own = rng.spawn(1)[0]
    shift = own.integers(2, size=(dimensions, _BITS), dtype=np.uint32) @ (1 << _PLACES[::-1])
    maps = np.tril(own.integers(2, size=(dimensions, _BITS, _BITS), dtype=np.uint32))
    maps[:, _PLACES, _PLACES] = 1
    bits = (_directions(dimensions)[:, :power, None] >> _PLACES) & 1
    mixed = (bits @ maps.transpose(0, 2, 1) & 1) @ (1 << _PLACES)
    points = shift[None, :]
    for k in range(power):  # in the order of Gray's code
        points = np.concatenate([points, points[::-1] ^ mixed[:, k]])
    return points / 2.0**_BITS


def _directions(dimensions: int) -> npt.NDArray[np.uint32]:
    """Return the direction numbers of each dimension, from primitive polynomials."""
    with np.load(_NUMBERS) as given:
        polynomials, starts = given["poly"][:dimensions].tolist(), given["vinit"][:dimensions]
    out = np.ones((dimensions, _BITS), dtype=np.uint32)
    for row, polynomial, start in zip(out[1:], polynomials[1:], starts[1:], strict=True):
        degree = polynomial.bit_length() - 1
        values = start[:degree].tolist()
        for j in range(degree, _BITS):
            value = values[j - degree]
            for k in range(1, degree + 1):
                value ^= ((polynomial >> (degree - k)) & 1) * (values[j - k] << k)
            values.append(value)
        row[:] = values
    return out << _PLACES
