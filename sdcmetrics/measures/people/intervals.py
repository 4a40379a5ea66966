"""How many people are replicated beyond chance, with limits, by what each test counts."""

from __future__ import annotations

from collections.abc import Callable

from sdcmetrics.measures.people.claims import Interval
from sdcmetrics.measures.people.repeated import Repeated
from sdcmetrics.measures.people.tails import at_least_binomial, at_least_hypergeometric, first
from sdcmetrics.measures.people.values import Values

_TAIL = 0.025


def beyond_labels(original: int, holdout: int, n: int, h: int) -> Interval:
    """Return the people replicated: hits in the original less what the holdout's lead to expect.

    If k of the hits are copied people, the others are a random part of original and holdout.

    Examples
    --------
    >>> beyond_labels(10, 0, 100, 100)
    Interval(estimate=10.0, low=5, high=10, of=100)
    """
    hits = original + holdout

    def at_least(k: int, wanted: int) -> float:
        """Return P(k copied and chance together hit as many of the original)."""
        return at_least_hypergeometric(wanted - k, hits - k, n - k, n + h - k)

    low, high = _limits(at_least, original)
    # Where most are copied, few are left whom chance could hit: the estimate counts them, too.
    return Interval(min(max(low, original - holdout * n / h), high), low, high, n)


def beyond_duplicates(joined: int, bundles: int, chance: float, n: int) -> Interval:
    """Return the people replicated: joined bundles or pairs beyond the most that chance joins."""

    def at_least(k: int, wanted: int) -> float:
        """Return P(k copied and chance together join as many)."""
        return at_least_binomial(wanted - k, bundles - k, chance)

    low, high = _limits(at_least, joined)
    estimate = (joined - chance * bundles) / (1 - chance) if chance < 1 else 0.0
    return Interval(min(max(low, estimate), high), low, high, n)


def beyond_repeated(values: Repeated, n: int) -> Interval:
    """Return the people replicated: so many that the others are alike as chance makes them.

    Examples
    --------
    >>> beyond_repeated(Repeated(people=40, different=40, values=40), 50)
    Interval(estimate=39, low=30, high=40, of=50)
    """
    alike = values.people - values.different
    low = first(lambda k: values.without(k).p > _TAIL, values.different)
    estimate = first(lambda k: values.without(k).expected <= alike, values.different)
    return Interval(max(low, estimate), low, values.people, n)


def beyond_values(values: Values, n: int) -> Interval:
    """Return the people replicated: so many that the others are met as chance has it.

    Examples
    --------
    >>> beyond_values(Values(once=300, twice=8, nobody=590), 1000)
    Interval(estimate=203, low=149, high=316, of=1000)
    """
    low = first(lambda k: values.without(k).p > _TAIL, values.once)
    estimate = first(lambda k: values.without(k).is_by_chance, values.once)
    return Interval(max(low, estimate), low, min(values.once + 2 * values.twice, n), n)


def _limits(at_least: Callable[[int, int], float], observed: int) -> tuple[int, int]:
    """Return the smallest and the largest number that the observed one does not reject."""
    low = first(lambda k: at_least(k, observed) > _TAIL, observed)
    high = first(lambda k: 1 - at_least(k, observed + 1) <= _TAIL, observed + 1) - 1
    return low, max(low, high)
