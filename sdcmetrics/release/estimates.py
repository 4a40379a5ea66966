"""Estimates from noisy sums, in the units of their measures, with 90 % ranges and statuses.

All of it follows from noisy sums and public things, so none of it costs anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Literal

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.accounting import half_width
from sdcmetrics.release.answers import NoisySum, NoisySums
from sdcmetrics.release.questions import ALIKE, NEAREST, RECORDS, TVD_PAIRS, Question
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile

People = Literal["original", "holdout", "difference"]

SETS: tuple[People, ...] = ("original", "holdout")
_ENOUGH = 5.0
"""Standard deviations of its noise that a number of records has at least, or shares say nothing."""
_NEARLY_ALL = 95.0
"""Percent of the original's records, at the lower end of the range."""

_TWO_DIGITS = 3.55
"""Below it two digits of a standard deviation are shown, and one from there on."""

_MOST = {"records": math.inf, "percent": 100.0, "share": 1.0}


@dataclass(frozen=True)
class Estimate:
    """One figure of an edition for outside.

    Attributes
    ----------
    measure : symbol, "records", "nearest", "replicated" or "TVD of pairs"
    replica : name; empty for what is of the original alone
    scenario, target, variable : what it is of; empty where it is of none
    cell : which of the cells of "nearest", from 0
    people : "original", "holdout" or the "difference" of the two
    unit : "records", "percent" or "share"
    value, low, high : the figure and the ends of its 90 % range, rounded to what noise leaves, the
        ends outward; NaN where the number of records is lost in noise
    sd : standard deviation of the noise, in the unit
    status : what a limit says of it, where the whole range, as it is shown, is on one side of it
    limited : whether there is a limit on it
    """

    measure: str
    replica: str
    scenario: str
    target: str
    variable: str
    cell: int
    people: People
    unit: Literal["records", "percent", "share"]
    value: float
    low: float
    high: float
    sd: float
    status: Status = Status.NOT_JUDGED
    limited: bool = False

    @property
    def decimals(self) -> int:
        """Decimals that noise leaves; negative for tens and hundreds."""
        return _decimals(self.sd, self.unit)


def estimates_of(sums: NoisySums, profile: Profile) -> tuple[Estimate, ...]:
    """Return all figures, in the order of the questions."""
    records = next(
        (answer for question, answer in sums.answers.items() if question.measure == RECORDS)
    )
    out: list[Estimate] = []
    for question, answer in sums.answers.items():
        out += _estimates(question, answer, records, profile)
    return tuple(out)


def _estimates(
    question: Question, answer: NoisySum, records: NoisySum, profile: Profile
) -> Iterator[Estimate]:
    # Who is alike in every column is counted among all people, where others are drawn.
    for cell in range(int(question.drawn > 1), question.cells):
        pair = []
        for i in range(question.sets):
            value = float(answer.values[i * question.cells + cell])
            if question.measure == RECORDS:
                yield _estimate(question, cell, SETS[i], value, math.sqrt(answer.variance), profile)
                continue
            share = (
                _share(value, answer, records, i)
                if question.drawn == 1
                else _share_of_drawn(question, value, answer, i)
            )
            if question.measure not in ("TVD", TVD_PAIRS):
                share = 100 * share[0], 100 * share[1]
            # As they are told: beside 0 % and 0 % no difference can be 10 %.
            pair.append((min(max(share[0], 0.0), _MOST[_unit(question)]), share[1]))
            yield _estimate(question, cell, SETS[i], *share, profile)
        if len(pair) == len(SETS):
            apart = pair[0][0] - pair[1][0]
            sd = math.hypot(pair[0][1], pair[1][1])
            yield _estimate(question, cell, "difference", apart, sd, profile)


def _share(value: float, answer: NoisySum, records: NoisySum, i: int) -> tuple[float, float]:
    """Return a share of the records, and the standard deviation that both noises give it."""
    n, variance = float(records.values[i]), float(records.variance)
    if n < _ENOUGH * math.sqrt(variance):
        return math.nan, math.nan
    share = value / n
    return share, math.sqrt(float(answer.variance) + min(share, 1.0) ** 2 * variance) / n


def _share_of_drawn(
    question: Question, value: float, answer: NoisySum, i: int
) -> tuple[float, float]:
    """Return a share of the people who were drawn, and its standard deviation.

    Each of them is in one cell, so that their number is the sum of the cells. Noise in the share
    is that of value - share * sum; drawing adds the variance of independent draws, which is
    no smaller than it is. Shares are taken two people away from 0 and 1, where a count says least
    of its own error.
    """
    cells = question.cells
    number = float(sum(answer.values[i * cells : (i + 1) * cells]))
    if number < _ENOUGH * math.sqrt(cells * answer.variance):
        return math.nan, math.nan
    share = value / number
    inside = min(max((value + 2.0) / (number + 4.0), 0.0), 1.0)
    noise = float(answer.variance) * ((1.0 - share) ** 2 + (cells - 1) * share**2)
    return share, math.sqrt(noise / number**2 + inside * (1.0 - inside) / number)


def _estimate(
    question: Question, cell: int, people: People, value: float, sd: float, profile: Profile
) -> Estimate:
    unit = _unit(question)
    most = _MOST[unit]
    least = -most if people == "difference" else 0.0
    wide, decimals = half_width(sd * sd), _decimals(sd, unit)
    low = min(max(rounded(value - wide, decimals, ROUND_FLOOR), least), most)
    high = min(max(rounded(value + wide, decimals, ROUND_CEILING), least), most)
    status, limited = Status.NOT_JUDGED, False
    limits = profile.thresholds.get(question.measure)
    if limits is not None and people == "original" and question.measure in MEASURES:
        limited = True
        status = judged(low, high, limits.review, limits.fail, MEASURES[question.measure].better)
    place = question.place
    return Estimate(
        measure=NEAREST if question.measure == ALIKE else question.measure,
        replica=question.replica,
        scenario=place.scenario,
        target=place.target,
        variable=place.variables[0] if question.measure == "TVD" else "",
        cell=cell,
        people=people,
        unit=unit,
        value=min(max(rounded(value, decimals), least), most),
        low=low,
        high=high,
        sd=float(f"{sd:.2g}"),
        status=status,
        limited=limited,
    )


def _unit(question: Question) -> Literal["records", "percent", "share"]:
    if question.measure == RECORDS:
        return "records"
    return "share" if question.measure in ("TVD", TVD_PAIRS) else "percent"


def judged(
    low: float, high: float, review: float | None, fail: float | None, better: str
) -> Status:
    """Return the status of a range under limits; "not judged" where a limit lies inside it.

    Examples
    --------
    >>> judged(26, 30, 15, 25, "lower").value, judged(20, 30, 15, 25, "lower").value
    ('fail', 'review')
    >>> judged(1, 3, 15, 25, "lower").value, judged(12, 18, 15, 25, "lower").value
    ('within', 'not judged')
    """
    if better == "higher":
        review, fail = (None if limit is None else -limit for limit in (review, fail))
        low, high = -high, -low
    if fail is not None and low > fail:
        return Status.FAIL
    if review is not None and low > review:
        return Status.REVIEW
    limits = [limit for limit in (review, fail) if limit is not None]
    return Status.WITHIN if limits and high <= min(limits) else Status.NOT_JUDGED


def holds_nearly_all(alike: Estimate) -> bool:
    """Whether nearly all records of the original occur in the replica, alike in every column.

    So it is with a copy, which no noise hides, and where there are few columns.
    """
    return alike.measure == NEAREST and alike.cell == 0 and alike.low >= _NEARLY_ALL


def worst_of(estimates: tuple[Estimate, ...], replica: str) -> Status:
    """Return the worst status among a replica's figures that have a limit."""
    order = (Status.NOT_JUDGED, Status.WITHIN, Status.REVIEW, Status.FAIL)
    own = [
        estimate.status
        for estimate in estimates
        if estimate.replica == replica and estimate.limited
    ]
    beyond = [status for status in own if status in (Status.REVIEW, Status.FAIL)]
    if beyond:
        return max(beyond, key=order.index)
    # One value near its limit leaves the question open.
    return Status.WITHIN if own and set(own) == {Status.WITHIN} else Status.NOT_JUDGED


def rounded(value: float, decimals: int, how: str = ROUND_HALF_EVEN) -> float:
    """Round to so many decimals, tens for -1; `how` is a mode of the module decimal.

    >>> rounded(631.0, -1), rounded(0.0312, 2), rounded(0.0312, 2, ROUND_CEILING)
    (630.0, 0.03, 0.04)
    """
    if not math.isfinite(value):
        return value
    return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), how)) + 0.0


def _decimals(sd: float, unit: str) -> int:
    """Return the decimals that a standard deviation leaves: two of its digits up to 354, else one.

    So the Particle Data Group rounds (Review of Particle Physics, introduction, 5.3): a figure is
    moved by a seventh of its standard deviation at most. Records are whole numbers.
    """
    if not 0 < sd < math.inf:
        return 0
    exponent = math.floor(math.log10(sd))
    decimals = int(sd / 10.0**exponent < _TWO_DIGITS) - exponent
    return min(decimals, 0) if unit == "records" else decimals
