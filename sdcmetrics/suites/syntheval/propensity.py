"""SynthEval's pMSE by cross-validation, beside the ratio to its expectation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.suites.metric import Metric, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.trio import Trio, complete, numbers_of

_FOLDS = 5
_SEED = 42
"""SynthEval's own."""


def _pmse(trio: Trio) -> Quantities:
    """Score by main effects of dummy-coded columns, as `utility_gen` does."""
    from sdcmetrics.measures.propensity.utility_gen import utility_gen  # scipy, when asked for

    result = utility_gen(
        trio.frames[0],
        trio.frames[1],
        method="logit",
        maxorder=0,
        variables=list(trio.original.names),
    )
    row = result.mean
    n, m = trio.original.n, trio.synthetic.n
    most = n * m / (n + m) ** 2
    return {
        "avg pMSE": Quantity(float(row["pMSE"]), normalised=1 - float(row["pMSE"]) / most),
        "S_pMSE": Quantity(float(row["S_pMSE"]), reason="1 is expected of the right model"),
    }


def scores_by_fold(
    points: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    *,
    k: int,
    max_iter: int,
    solver: str,
) -> tuple[list[float], list[float]]:
    """Score the records of every fold by a logistic regression of the others.

    Parameters
    ----------
    points : float array of shape (n, columns)
    labels : int array of shape (n,)
        1 for the original, 0 for the replica.

    Returns
    -------
    pmse, f1 : lists of float
        Of every fold: the mean squared difference of scores from the replica's share, and macro F1.
    """
    from sklearn.linear_model import LogisticRegression  # takes half a second
    from sklearn.metrics import f1_score
    from sklearn.model_selection import StratifiedKFold

    share = float((labels == 0).mean())
    pmse, f1 = [], []
    folds = StratifiedKFold(k, shuffle=True, random_state=_SEED)
    for training, test in folds.split(points, labels):
        model = LogisticRegression(max_iter=max_iter, solver=solver, random_state=_SEED)
        model.fit(points[training], labels[training])
        synthetic = model.predict_proba(points[test])[:, 0]
        pmse.append(float(np.square(synthetic - share).mean()))
        f1.append(float(f1_score(labels[test], model.predict(points[test]), average="macro")))
    return pmse, f1


def _published_pmse(
    trio: Trio, *, k_folds: int = _FOLDS, max_iter: int = 100, solver: str = "liblinear"
) -> Quantities:
    if min(trio.original.n, trio.synthetic.n) < k_folds:
        msg = f"a data set has fewer than {k_folds} records, one per fold"
        raise NotComputable(msg)
    parts = complete(numbers_of(trio, scaled=True, categories=True)[:2])
    place = {name: i for i, name in enumerate(trio.original.names)}
    columns = [place[name] for name in trio.data.variables]  # the solver sees them in this order
    points = np.concatenate(parts, axis=1)[columns].T
    numeric = [name in trio.original.numeric for name in trio.data.variables]
    points[:, numeric] -= points[:, numeric].mean(axis=0)
    size = points[:, numeric].std(axis=0)
    points[:, numeric] /= np.where(size > 0, size, 1.0)
    labels = np.repeat([1, 0], [trio.original.n, trio.synthetic.n])
    scores, accuracy = scores_by_fold(points, labels, k=k_folds, max_iter=max_iter, solver=solver)
    mean, error = mean_and_error(scores)
    return {
        "avg pMSE": Quantity(mean, error, 1 - 4 * mean),
        "avg acc": Quantity(*mean_and_error(accuracy), better="none"),
    }


PMSE = Metric(
    "p_mse",
    _pmse,
    "utility",
    ("avg pMSE",),
    _published_pmse,
    defect="Nominal levels are taken as numbers, so that a shift in the middle ones is not seen; "
    "its bound is that of equal sizes; it has no expectation.",
)
