"""Which figures of a rule are told: neither a few records, nor a level that few have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.measures.rules.outcome import RuleCounts, RuleOutcome
from sdcmetrics.report.safety.protect.figures import NOT_SHOWN
from sdcmetrics.report.safety.protect.protection import _Protection
from sdcmetrics.report.safety.protect.rounding import Rounding


def told(
    rule: str, fulfilled: int, broken: int, unknown: int = 0, levels: tuple[int, ...] = ()
) -> Any:
    n = fulfilled + broken + unknown
    exact = RuleCounts(fulfilled, broken, unknown, n)
    rounding = Rounding(base=5, least=10, zeros=True)
    outcome: Any = SimpleNamespace(
        original=exact, syntheses=(1, 2), level_counts=tuple(map(rounding.records, levels))
    )
    self: Any = SimpleNamespace(
        rounding=rounding, rules={("r", "x > 0"): outcome},
        review=SimpleNamespace(rules={("r", "x > 0"): SimpleNamespace(original=exact)}),
    )  # fmt: skip
    measure: Any = SimpleNamespace(
        release=None if rule in ("none", "p") else SimpleNamespace(rule=rule),
        function=lambda sides: 10.0 * sides[1],
        tested=("p",) if rule == "p" else (),
    )
    row = {"value": 12.5, "count": 3.0, "total": 24.0}
    return _Protection._of_rule(self, measure, "r", "x > 0", row)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"fulfilled": 80, "broken": 20}, True),
        ({"fulfilled": 80, "broken": 20, "levels": (12, 30)}, True),
        ({"fulfilled": 80, "broken": 20, "levels": (9, 30)}, False),  # few have the level
        ({"fulfilled": 96, "broken": 4}, True),
        ({"fulfilled": 80, "broken": 4, "unknown": 16}, False),  # who leaves it open may be known
        ({"fulfilled": 80, "broken": 10, "unknown": 16}, True),
        ({"fulfilled": 92, "broken": 4, "unknown": 4}, True),
        ({"fulfilled": 91, "broken": 4, "unknown": 6}, False),
    ],
)
def test_the_share_that_keeps_a_rule(given: dict[str, Any], *, shown: bool) -> None:
    assert (told("share", **given).shown != NOT_SHOWN) is shown


def test_other_figures_of_a_rule() -> None:
    figure = told("replica share", 0, 5)
    assert (figure.value, figure.count, figure.total) == (12.5, 3.0, 24.0)
    assert told("ratio", 10, 5).value == 15  # the mean over the syntheses
    assert told("none", 10, 5).value == 15
    assert told("ratio", 9, 5).shown == NOT_SHOWN
    assert told("p", 10, 5).shown == NOT_SHOWN  # of exact counts
    absent: Any = SimpleNamespace(rules={})
    assert _Protection._of_rule(absent, absent, "r", "x > 0", {}).shown == NOT_SHOWN


@pytest.mark.parametrize(
    ("holdout", "n", "broken"), [(None, 95, 10), (RuleCounts(31, 7, 2, 40), 84, 0)]
)
def test_nothing_exact_of_people_is_left_in_the_outcome_of_a_rule(
    holdout: RuleCounts | None, n: int, broken: int
) -> None:
    rounding = Rounding(base=5, least=10, zeros=True)
    rule: Any = SimpleNamespace(text="x > 0")
    synthesis = RuleCounts(50, 3, 1, 54)
    exact = RuleOutcome(rule, RuleCounts(83, 11, 3, 97), (synthesis,), holdout, (83, 4))
    self: Any = SimpleNamespace(
        rounding=rounding, n=n, review=SimpleNamespace(rules={("r", "x > 0"): exact})
    )
    ((key, outcome),) = _Protection._rules(self)
    fulfilled = rounding.records(83)
    assert key == ("r", "x > 0")
    assert fulfilled == 85
    assert outcome.original == RuleCounts(fulfilled, broken, 0, 0)
    assert outcome.holdout == (None if holdout is None else RuleCounts(0, 0, 0, 0))
    assert (outcome.level_counts, outcome.syntheses) == ((fulfilled, 0), (synthesis,))
