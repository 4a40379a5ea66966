"""A test of the suite, and its outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sdcmetrics.errors import NotComputable
from sdcmetrics.microdata.threads import limited
from sdcmetrics.suites.daisynt.sets import Sets


@dataclass(frozen=True)
class Score:
    """Outcome of a published test.

    Attributes
    ----------
    raw : float
        The score before it is cut to 0 to 1.
    evidence : mapping of words to numbers
    note : str
    """

    raw: float
    evidence: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """Outcome of a corrected test.

    Attributes
    ----------
    value : float
    fresh : float
        What the holdout in the replica's place is expected to give.
    p : float
        Probability that the holdout gives as much; NaN where there is no test.
    evidence : mapping of words to numbers
    note : str
    shown : function of nothing, optional
        Makes what figures are drawn of.
    """

    value: float
    fresh: float = math.nan
    p: float = math.nan
    evidence: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    shown: Callable[[], Any] | None = None

    def drawn_of(self) -> Any:
        """Return what figures are drawn of; None where there are none."""
        if self.shown is None:
            return None
        with limited(1):  # sums repeat, and small products on several threads only wait
            return self.shown()


@dataclass(frozen=True)
class SuiteTest:
    """One of the fifteen.

    Attributes
    ----------
    symbol : str
    name, group, detail : str
        As in the paper's Table 1.
    run : function of Sets to Score or Finding
    holdout : bool
        Whether it has no meaning without a holdout.
    of_test : bool
        Whether the replica is compared with the holdout, or else with the original.
    """

    symbol: str
    name: str
    group: str
    detail: str
    run: Callable[[Sets], Any]
    holdout: bool = False
    of_test: bool = False

    def outcome(self, sets: Sets) -> Any:
        """Return the outcome.

        Raises
        ------
        NotComputable
            If it cannot be made of these data sets.
        """
        if self.holdout and not sets.has_holdout:
            msg = "there is no holdout"
            raise NotComputable(msg)
        with limited(1):  # sums repeat, and small products on several threads only wait
            return self.run(sets)
