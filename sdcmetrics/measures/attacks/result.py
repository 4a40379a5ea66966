"""The result of every attack."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class AttackResult(
    Readable, shows=("attack", "training", "control", "baseline", "excess", "p_value")
):
    """How well an attack does on those who were in the original, and on those who were not.

    What it does on the control the replica teaches about anybody; only the excess is about those
    who were in the original.

    Attributes
    ----------
    attack : str
    of : str
        What training and control are, in words.
    training, control : float
        Success on original records, and on holdout records, 0 to 1.
    baseline : float
        Success of somebody who knows the attack but not whom it is about.
    excess : float
        1 - (1 - training) / (1 - control): of what is not learnt about anybody, the share that is
        learnt about those who were in the original. NaN where the control is all learnt. Never
        cut off at 0. For membership 2 AUC - 1; for singling out training less control.
    interval : (float, float)
        95 % interval of the excess; NaN for singling out, which has a band of chance in `figures`.
    p_value : float
        One-sided, exact or by permutation: that the labels original and holdout, given at random,
        differ as much or more. It takes records to be independent, as does the interval, unless
        told who lives together: where whole households are drawn anew, an attack may look more
        successful than it is.
    n_training, n_control, n_synthetic : int
        Records.
    copy : float
        Training success if the original itself were handed out; NaN where it is not computed.
    per_record : float array of shape (n_training,)
        The attack's success on each original record, or its score.
    figures : mapping of str to number, text or tuple
        What this attack has beside these, by name.
    seed : int or None
    notes, fixes : tuple of str
        What to know about the result; changes made to the inputs.
    per_synthesis : tuple of AttackResult
        Of several syntheses, the same attack by each alone; the result itself is by all together.
    """

    attack: str
    of: str
    training: float
    control: float
    baseline: float
    excess: float
    interval: tuple[float, float]
    p_value: float
    n_training: int
    n_control: int
    n_synthetic: int
    copy: float
    per_record: npt.NDArray[np.float64]
    figures: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    notes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    per_synthesis: tuple[AttackResult, ...] = ()


P = ParamSpec("P")


def by_several(attack: Callable[P, AttackResult]) -> Callable[P, AttackResult]:
    """Let an attack take a list of syntheses: the result is that of all, with that of each.

    Raises
    ------
    DataError
        If the list is empty.
    """
    signature = inspect.signature(attack)

    @functools.wraps(attack)
    def attack_by_all(*args: P.args, **kwargs: P.kwargs) -> AttackResult:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # Python says best which argument is unknown or left out
            return attack(*args, **kwargs)
        files = given["synthetic"]
        if not isinstance(files, list | tuple):
            return attack(*args, **kwargs)
        if not files:
            msg = "synthetic: expected at least one synthetic data set but got an empty list."
            raise DataError(msg)

        def by(synthetic: object) -> AttackResult:
            bound = signature.bind(*args, **kwargs)
            bound.arguments["synthetic"] = synthetic
            return attack(*bound.args, **bound.kwargs)

        if len(files) == 1:
            return by(files[0])
        return replace(by(files), per_synthesis=tuple(map(by, files)))

    return attack_by_all
