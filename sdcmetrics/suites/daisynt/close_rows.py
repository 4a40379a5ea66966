"""Rows that equal a training record in all columns but one, or in all: how published, corrected."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.neighbours import within_one_column
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.results import Share

Codes = npt.NDArray[np.integer[Any]]

_NEARLY_ALL = 0.95
"""Where more of the pool is close, as in data of few columns, nobody stands out by it."""


def close_rows(training: Codes, synthetic: Codes) -> Share:
    """Synthetic records that differ from some training record in at most one column.

    Parameters
    ----------
    training, synthetic : int arrays of shape (columns, records)
        Codes; numbers cut into groups.

    Returns
    -------
    Share
        DAISYnt's score is 1 less its proportion.

    Examples
    --------
    >>> close_rows(np.array([[0, 1], [0, 1], [0, 1]]), np.array([[0, 2], [0, 2], [1, 0]]))
    Share(count=1, total=2)
    """
    near = within_one_column(synthetic, training)
    return Share(int(near.sum()), len(near))


def close_to_replica(
    training: Codes, synthetic: Codes, holdout: Codes, *, households: Households | None = None
) -> LabelTest:
    """Real records that differ from some synthetic record in at most one column, by label.

    The published share looks from the replica to the training data, and real people who were never
    used come out as a leak. This looks from people to the replica: whether the replica has a
    record close to somebody does not depend on the number of training or holdout records, so that
    the test of the labels is exact.

    Raises
    ------
    NotComputable
        If more than 95 % of all real records are close.

    Notes
    -----
    The groups of the codes must not depend on who was trained on: cut numbers by training and
    holdout data together.
    """
    inside, outside = (within_one_column(real, synthetic) for real in (training, holdout))
    test = label_test(np.append(inside, outside), len(inside), households)
    if test.training + test.holdout > _NEARLY_ALL * (len(inside) + len(outside)):
        msg = "more than 95 % of all real records are close to a synthetic record"
        raise NotComputable(msg)
    return test
