"""How alike what two networks have made of the same records is: centred kernel alignment (CKA)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sdcmetrics.measures.prediction.learners import Fitted
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arrays import Floats


def hidden(model: Fitted, records: Records, rng: np.random.Generator | None = None) -> Floats:
    """Return the values of a network's hidden layer for some records; shape (n, width).

    With `rng` they are those of a network of this shape that has learnt nothing.
    """
    network: Any = model.model
    weights, bias = network.coefs_[0], network.intercepts_[0]
    if rng is not None:  # scikit-learn's own start (Glorot and Bengio 2010)
        bound = np.sqrt(6.0 / sum(weights.shape))
        weights = rng.uniform(-bound, bound, weights.shape)
        bias = rng.uniform(-bound, bound, bias.shape)
    out: Floats = np.maximum(model.encoder(records) @ weights + bias, 0.0)
    return out


def linear_cka(x: Floats, y: Floats) -> float:
    """Linear CKA of two representations of the same records, 0 to 1.

    Parameters
    ----------
    x, y : float arrays of shape (n, p) and (n, q)

    Notes
    -----
    It does not change with a rotation or a common scale. Untrained networks have some 0.77.

    References
    ----------
    Kornblith, Norouzi, Lee and Hinton (2019), International Conference on Machine Learning.

    Examples
    --------
    >>> x = np.array([[1.0, 0], [0, 1], [2, 2]])
    >>> round(linear_cka(x, 3 * x[:, ::-1]), 12)
    1.0
    """
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)
    return float(np.linalg.norm(y.T @ x) ** 2 / size) if size else float("nan")


def debiased_cka(x: Floats, y: Floats) -> float:
    """Linear CKA by the unbiased estimator of HSIC, whose mean for unrelated ones is near 0.

    References
    ----------
    Song, Smola, Gretton, Bedo and Borgwardt (2012), Journal of Machine Learning Research 13.
    """

    def hsic(a: Floats, b: Floats) -> float:
        # Sums of kernels without their diagonals, of matrices that are never built.
        n = len(a)
        diagonals = (a**2).sum(axis=1), (b**2).sum(axis=1)
        rows = a @ a.sum(axis=0) - diagonals[0], b @ b.sum(axis=0) - diagonals[1]
        both = float((a.T @ b).ravel() @ (a.T @ b).ravel() - diagonals[0] @ diagonals[1])
        product = float(rows[0].sum() * rows[1].sum()) / ((n - 1) * (n - 2))
        # The estimator is over n (n - 3), which is in the root below as well.
        return both + product - 2 * float(rows[0] @ rows[1]) / (n - 2)

    # The estimator does not change with the mean; without it rounding is less.
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = hsic(x, x) * hsic(y, y)
    return hsic(x, y) / float(np.sqrt(size)) if size > 0 else float("nan")
