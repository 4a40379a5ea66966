"""What the terminal says of a decision: both answers, and what they rest on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sdcmetrics.cli.terminal import one_line
from sdcmetrics.decision.answer import Decision

_NAME = 30
"""Letters of the name of a replica."""


def decision_lines(decided: Collection[Decision], *, quiet: bool = False) -> Iterator[str]:
    """Yield a line per replica with both answers and, unless quiet, one per reason."""
    width = min(_NAME, max((len(decision.replica) for decision in decided), default=0))
    for decision in decided:
        yield f"  {one_line(decision.replica, limit=_NAME):<{width}}  {decision.words}"
        if not quiet:
            reasons = (*decision.risk.because, *decision.utility.because)
            yield from (f"  {'':<{width}}    {reason}" for reason in reasons)
