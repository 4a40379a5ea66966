"""Which columns a study learns from replicas, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean

__all__ = ["LEARNER_NAMES", "Prediction", "check_targets", "make_prediction"]

LEARNER_NAMES = ("logistic", "tree", "boosting", "cart", "forest", "network")


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
    learners: tuple[str, ...] = ()
    permutations: int = 99


def make_prediction(given: Prediction | Mapping[str, Any] | bool | None) -> Prediction | None:  # noqa: FBT001  (what a caller gives)
    """Make it of what a caller or a study file gives; None asks for none.

    Raises
    ------
    StudyError
        For an unknown entry or learner, or a number of permutations below 0.

    Examples
    --------
    >>> make_prediction({"targets": "vote"})
    Prediction(targets=('vote',), learners=(), permutations=99)
    """
    if given is None or given is False:
        return None
    if isinstance(given, Prediction):
        return given
    entries: Any = {} if given is True else given  # a caller may pass anything
    if not isinstance(entries, Mapping):
        msg = "prediction: expected true, or entries such as targets and learners."
        raise StudyError(msg)
    known = tuple(Prediction.__dataclass_fields__)
    for name in entries:
        if name not in known:
            msg = f"prediction: unknown entry {name!r}.{did_you_mean(str(name), known)}"
            raise StudyError(msg)
    targets, learners = (_names(entries.get(name, ())) for name in ("targets", "learners"))
    for learner in learners:
        if learner not in LEARNER_NAMES:
            hint = did_you_mean(str(learner), LEARNER_NAMES)
            choice = ", ".join(LEARNER_NAMES)
            msg = f"prediction: learners: expected some of {choice} but got {learner!r}.{hint}"
            raise StudyError(msg)
    permutations = entries.get("permutations", 99)
    if not isinstance(permutations, int) or isinstance(permutations, bool) or permutations < 0:
        msg = "prediction: permutations: expected a whole number of at least 0."
        raise StudyError(msg)
    return Prediction(targets, learners, permutations)


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


def _names(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
