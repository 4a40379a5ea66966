"""Which columns a study learns from replicas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdcmetrics.errors import StudyError, did_you_mean

LearnerName = Literal["logistic", "tree", "boosting", "cart", "forest", "network"]


@dataclass(frozen=True)
class Prediction:
    """What is learnt from the replica and from the original, and tested on the holdout.

    Attributes
    ----------
    targets : tuple of str
        Columns to predict from all others; empty for the targets of the scenarios.
    learners : tuple of str
        See `prediction`; empty for those that suit a column.
    permutations : int
        Of the labels original and synthetic; 0 for no p.
    """

    targets: tuple[str, ...] = ()
    learners: tuple[LearnerName, ...] = ()
    permutations: int = 99


def check_targets(asked: Prediction | None, columns: Sequence[str]) -> None:
    """Check that targets are columns of the original.

    Raises
    ------
    StudyError
    """
    for name in () if asked is None else asked.targets:
        if name not in columns:
            msg = f"prediction: targets: {name!r} is not a column of the original."
            raise StudyError(f"{msg}{did_you_mean(name, columns)}")
