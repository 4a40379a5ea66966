"""The result of every attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

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
