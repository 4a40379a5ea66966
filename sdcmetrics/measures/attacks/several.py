"""Attacks with several syntheses: with all of them stacked, and with each.

The files are one replica, made without regard to who is original and who holdout if nobody leaked.
So an attack that takes all their records together is tested as that of one file is: exactly, and
without a factor for the number of files.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec

from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks.result import AttackResult

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
