"""SynthEval's principal components: shares of variance, and the angle between leading spaces."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity
from sdcmetrics.suites.trio import Trio, complete, numbers_of

_FEWEST = 2


def least_gap(columns: int, n: int, m: int) -> float:
    """Gap of eigenvalues of a correlation matrix below which its leading space is noise.

    Twice the largest eigenvalue of what sampling alone adds to the difference of two correlation
    matrices, about 2 sqrt(columns (1/n + 1/m)): the sine of the angle is then some 1/2 at most
    for fresh data (Davis and Kahan 1970).
    """
    return 4.0 * math.sqrt(columns * (1.0 / n + 1.0 / m))


def leading_angle(
    original: Floats, synthetic: Floats, *, n: int, m: int
) -> tuple[float, int, float]:
    """Largest principal angle between the leading spaces of two correlation matrices.

    Parameters
    ----------
    original, synthetic : float arrays of shape (columns, columns)
    n, m : records of either

    Returns
    -------
    angle : float, 0 to 1, 1 being a right angle
        NaN where the original has no gap of at least `least_gap` between its eigenvalues: then
        fresh data of the same population have other leading axes.
    dimensions : int
        Of the spaces: as many as the original has eigenvalues before its largest gap.
    gap : float

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.9], [0.9, 1.0]])
    >>> leading_angle(matrix, matrix * [[1, -1], [-1, 1]], n=10**4, m=10**4)[:2]
    (1.0, 1)
    """
    values, axes = np.linalg.eigh(original)
    gaps = np.diff(values)[::-1]
    k = int(np.argmax(gaps)) + 1
    gap = float(gaps[k - 1])
    if gap < least_gap(len(values), n, m):
        return math.nan, k, gap
    other = np.linalg.eigh(synthetic)[1]
    cosines = np.linalg.svd(axes[:, -k:].T @ other[:, -k:], compute_uv=False)
    return float(2 / np.pi * np.arccos(np.clip(cosines.min(), 0.0, 1.0))), k, gap


def _pca(trio: Trio) -> Quantities:
    first, other = numbers_of(trio)[:2]
    whole = [part[:, ~np.isnan(part).any(axis=0)] for part in (first, other)]
    if min(part.shape[1] for part in whole) < _FEWEST:
        msg = "there are fewer than two records with every number"
        raise NotComputable(msg)
    varies = np.array([np.ptp(column) > 0 for column in whole[0]], dtype=bool)
    if varies.sum() < _FEWEST:
        msg = "there are fewer than two columns of numbers that vary in the original"
        raise NotComputable(msg)
    n, m = whole[0].shape[1], whole[1].shape[1]
    matrices = [_correlation(part[varies]) for part in whole]
    angle, dimensions, gap = leading_angle(matrices[0], matrices[1], n=n, m=m)
    least = least_gap(int(varies.sum()), n, m)
    rms = float(
        np.sqrt(np.square(np.subtract(*matrices))[np.triu_indices_from(matrices[0], 1)].mean())
    )
    value = _share_difference(*[np.array(np.linalg.eigvalsh(matrix)[::-1]) for matrix in matrices])
    words = f"of the first {dimensions} axes; gap {gap:.2g}, needed {least:.2g}"
    if math.isnan(angle):
        words = f"the largest gap of eigenvalues is {gap:.2g}, and {least:.2g} is needed"
    return {
        "exp_var_diff": Quantity(value, normalised=1 - value),
        "comp_angle_diff": Quantity(angle, normalised=1 - angle, reason=words),
        "rms correlation": Quantity(rms, normalised=1 - rms / 2),
    }


def _correlation(numbers: Floats) -> Floats:
    """Return the correlation matrix; a column that is constant in the replica has none."""
    off = numbers - numbers.mean(axis=1, keepdims=True)
    size = np.sqrt(np.square(off).sum(axis=1))
    same = np.array([np.ptp(column) == 0 for column in numbers])
    off[same], size[same] = 0.0, 1.0
    out: Floats = off @ off.T / np.outer(size, size)
    np.fill_diagonal(out, 1.0)
    return out


def _published_pca(
    trio: Trio, *, preprocess: Literal["std", "mean"] = "std", use_cats: bool = False
) -> Quantities:
    if preprocess not in ("std", "mean"):
        msg = "pca: preprocess: expected 'std' or 'mean'."
        raise StudyError(msg)
    parts = complete(numbers_of(trio, scaled=True, categories=use_cats)[:2])
    if len(parts[0]) < _FEWEST or min(part.shape[1] for part in parts) < _FEWEST:
        msg = "there are fewer than two columns of numbers, or two records"
        raise NotComputable(msg)
    spectra = []
    for part in parts:
        off = part - part.mean(axis=1, keepdims=True)
        if preprocess == "std":
            size = off.std(axis=1, keepdims=True)
            off = off / np.where(size > 0, size, 1.0)
        # Over the records it would be the covariance, with the same shares and axes.
        values, axes = np.linalg.eigh(off @ off.T)
        spectra.append((values[::-1], axes[:, -1]))
    value = _share_difference(spectra[0][0], spectra[1][0])
    cosine = abs(float(spectra[0][1] @ spectra[1][1]))
    angle = 2 / math.pi * math.acos(min(1.0, cosine))
    return {
        "exp_var_diff": Quantity(value, normalised=1 - value),
        "comp_angle_diff": Quantity(angle, normalised=1 - angle),
    }


def _share_difference(first: Floats, second: Floats) -> float:
    p = len(first)
    return float(p / (2 * p - 2) * np.abs(first / first.sum() - second / second.sum()).sum())


PCA = Metric(
    "pca",
    _pca,
    "utility",
    ("exp_var_diff", "comp_angle_diff"),
    _published_pca,
    defect="The angle is between the first components alone, which are arbitrary where the first "
    "two eigenvalues are near each other: independent columns and faithful ones score alike.",
)
