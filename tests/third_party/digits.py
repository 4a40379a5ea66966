"""An opt-in subject from somebody else's package: section, measure and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.section import Limits, Section, section
from sdcmetrics.measures.subject import Subject


@section("digits")
class Digits(Section):
    """Last digits of numbers, which people round and synthesisers do not.

    Attributes
    ----------
    base : int
        A number ends in a zero if it is a multiple of this.
    """

    base: Annotated[int, Limits(ge=2)] = 10


def _places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    asked = plan.section(Digits)
    if asked is None:
        return
    for name, variable in pair.data.variables.items():
        if not variable.values:
            continue
        tell(f"last digits of {name}")
        zeros = [float((np.mod(part, asked.base) == 0).mean()) for part in variable.values]
        each = tuple((zeros[0], other) for other in zeros[1:])
        yield Given(f"last digits of {name}", (Place(variables=(name,)),), each, result=each)


ZEROS = Kind("last digits", "shares", _places, per="variable", option=asks_for(Digits))


def rounded(shares: tuple[float, float]) -> float:
    """Difference of the shares of numbers that end in zero."""
    return abs(shares[1] - shares[0])


SUBJECT = Subject(
    "digits",
    measures=(
        Measure(
            "zero_gap",
            rounded,
            of=ZEROS,
            family=GENERAL_UTILITY,
            title="Difference of rounded numbers",
            better="lower",
            low=0,
            high=1,
            ideal=0,
            meaning="How much more, or less, often numbers end in zero.",
            formula="|share_s - share_d|",
            source="nobody",
            limits="Sees the last digit only.",
        ),
    ),
    section=Digits,
)
