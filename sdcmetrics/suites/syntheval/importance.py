"""How much of a model's score depends on each column that it predicts from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.prediction.learners import Fitted, Predicted
from sdcmetrics.measures.prediction.records import Records


def permutation_importances(
    model: Fitted,
    records: Records,
    score: Callable[[Predicted], float],
    *,
    columns: Sequence[str] | None = None,
    repeats: int = 5,
    seed: int = 1,
) -> npt.NDArray[np.float64]:
    """Return what the score loses when one column at a time is permuted among the records.

    Parameters
    ----------
    model : Fitted
    records : Records
        Not those that it was fitted to, or what it knows by heart counts as well.
    score : function of what is predicted of them
    columns : names, by default all that the model predicts from
    repeats : int
        Permutations per column, the same ones whatever the model.
    seed : int

    Returns
    -------
    float array of shape (columns, repeats)
        Unbounded; around 0 for a column that says nothing.

    References
    ----------
    Breiman (2001), Machine Learning 45(1), 5-32.
    """
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(records.n) for _ in range(repeats)]
    x = model.encoder(records)
    whole = score(model.predict_encoded(x))
    names = model.columns if columns is None else columns
    out = np.zeros((len(names), repeats))
    for row, name in zip(out, names, strict=True):
        places = model.encoder.places(name)
        own = x[:, places].copy()
        for i, order in enumerate(orders if own.size else ()):
            x[:, places] = own[order]
            row[i] = whole - score(model.predict_encoded(x))
        x[:, places] = own
    return out
