"""The sentences on which replica to choose, and when each is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sdcmetrics.decision.statement import Value


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """All replicas in disjoint groups, by the two answers on each.

    Attributes
    ----------
    ready : tuple of str
        No objection, and useful; best place first, where they were ranked.
    held : tuple of str
        Useful, and not without a closer look, or not judged.
    unused : tuple of str
        No objection, and to be looked at for its use, or not judged.
    both : tuple of str
        Both questions open.
    useless : tuple of str
        No objection, and not useful.
    out : tuple of str
        All others: they may not go out, or are not useful and not free of objections.
    level : tuple of str
        The ready ones that share the best place; nothing where they were not ranked.
    doubted : tuple of str
        The ready ones whose order after the best is not sure.
    measured : bool
        Whether it was measured how far the order of the ready ones is luck.
    first : tuple of str
        Who is first in the ranking of all.
    protected : bool
        Whether the ranking is of protected figures, as that of an edition for outside is.
    """

    ready: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    both: tuple[str, ...] = ()
    useless: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    measured: bool = False
    first: tuple[str, ...] = ()
    protected: bool = False
    words: Mapping[str, Value] = field(default_factory=dict)

    @property
    def few(self) -> bool:
        """Whether there is one replica only."""
        parts = (self.ready, self.held, self.unused, self.both, self.useless, self.out)
        return sum(map(len, parts)) == 1

    @property
    def near(self) -> int:
        """Number of groups of replicas that one step would make ready."""
        return sum(map(bool, (self.held, self.unused, self.both)))


Condition = Callable[[Candidates], bool]


@dataclass(frozen=True)
class Row:
    """One sentence: when it is true, and its words."""

    condition: Condition
    words: str


_BOTH = "there is no objection to {it}, and {it_is} useful as far as tested"

ANSWERS = (
    Row(lambda c: len(c.ready) == 1 and c.few, "{ready}: " + _BOTH + "."),
    Row(
        lambda c: len(c.ready) == 1 and not c.few,
        "{ready}: the only replica to which there is no objection and that is useful as far as "
        "tested.",
    ),
    Row(
        lambda c: len(c.ready) > 1 and not c.level,
        "{ready}: " + _BOTH + ". Which of them is best was not ranked.",
    ),
    Row(
        lambda c: len(c.level) > 1,
        "{level}: " + _BOTH + ". By the weights of the ranking they are level.",
    ),
    Row(
        lambda c: len(c.level) == 1 and len(c.ready) > 1 and bool(c.doubted),
        "{close}: " + _BOTH + ". {best} has the better place by the weights of the ranking, but "
        "their order is not sure.",
    ),
    Row(
        lambda c: len(c.level) == 1 and len(c.ready) > 1 and not c.doubted,
        "{best}: by the weights of the ranking the best of the {number} replicas to which there "
        "is no objection and that are useful as far as tested.",
    ),
    Row(
        lambda c: not c.ready and bool(c.held) and c.near == 1,
        "None yet. {held} {only_useful}; first {settle}.",
    ),
    Row(
        lambda c: not c.ready and bool(c.unused) and c.near == 1,
        "None yet. There is no objection to {unused}; first {try_out}.",
    ),
    Row(
        lambda c: not c.ready and bool(c.both) and c.near == 1,
        "None yet. Both questions are open for {both}: look at them first.",
    ),
    Row(
        lambda c: not c.ready and c.near > 1,
        "None yet. No replica is both free of objections and useful so far.",
    ),
    Row(
        lambda c: not c.ready and not c.near and bool(c.useless),
        "None. There is no objection to {useless}, but {useless_is} not useful for what is named.",
    ),
    Row(
        lambda c: not c.ready and not c.near and not c.useless,
        "None. {all_out}",
    ),
)
"""The answers; in every state exactly one is true."""

BESIDES = (
    Row(
        lambda c: not c.ready and c.near > 1 and bool(c.held),
        "{held} {held_is} useful; first {settle}.",
    ),
    Row(
        lambda c: not c.ready and c.near > 1 and bool(c.unused),
        "There is no objection to {unused}; first {try_out}.",
    ),
    Row(
        lambda c: not c.ready and c.near > 1 and bool(c.both),
        "Both questions are open for {both}.",
    ),
    Row(
        lambda c: len(c.ready) > len({*c.level, *c.doubted}) > 0,
        "After that: {after}.",
    ),
    Row(
        lambda c: len(c.level) == 1 and len(c.ready) > 1 and not c.measured,
        "How far that order is luck was not measured.",
    ),
    Row(
        lambda c: not c.few and any(replica not in c.ready for replica in c.first),
        "First in the ranking, which knows neither answer: {first_of_all}.",
    ),
    Row(
        lambda c: not c.few and c.protected and bool(c.first),
        "The ranking is of what this edition shows, and can differ from that of the exact values.",
    ),
)
"""What stands beside the answer. Who is first in a ranking of all may be no choice."""
