"""The list of commands in the help, by what they look at."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from sdcmetrics.cli.terminal import one_line

if TYPE_CHECKING:  # help is shown without the modules that decide
    from sdcmetrics.decision.answer import Decision

HEADINGS: Mapping[str, tuple[str, ...]] = {
    "Review": ("demo", "init", "check", "review", "diff", "rank", "remedies", "ledger"),
    "Before a file goes out": (
        "label",
        "sheet",
        "metadata",
        "verify",
        "make-keys",
        "bundle",
        "sign",
        "verify-bundle",
    ),
    "Words": ("explain", "profiles"),
    "One replica": (
        "utility-tables",
        "utility-gen",
        "fit-overlap",
        "fit",
        "prediction",
        "rules",
        "disclosure",
        "fidelity",
        "closest-record",
        "daisynt",
    ),
    "One replica, by attacks": (
        "membership",
        "singling-out",
        "linkability",
        "attribute-inference",
        "exact-matches",
        "record-linkage",
        "epsilon-bound",
    ),
    "One file, by its keys": (
        "k-anonymity",
        "l-diversity",
        "t-closeness",
        "match-risk",
        "special-uniques",
        "key-importance",
    ),
    "Weighted samples": (
        "weighted-tables",
        "weighted-compare",
        "survey-overlap",
        "individual-risk",
        "population-uniques",
        "attacker-risks",
        "household-uniqueness",
    ),
    "R's synthpop": ("crosscheck", "to-r"),
}
"""The commands under each heading, in the order of their use."""

FURTHER = "Further"
"""The heading of commands that are under no other."""


class Group(click.Group):
    """All commands, listed in the help under headings."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        del ctx
        return [name for _, names in self._under_headings() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each heading and its commands; the first column is equally wide under all."""
        wide = max(map(len, self.commands), default=0)
        limit = formatter.width - 6 - wide
        for heading, names in self._under_headings():
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (f"{name:<{wide}}", self.commands[name].get_short_help_str(limit))
                        for name in names
                    ]
                )
        del ctx

    def _under_headings(self) -> Iterator[tuple[str, list[str]]]:
        under = {name for names in HEADINGS.values() for name in names}
        further = [name for name in self.commands if name not in under]
        for heading, names in (*HEADINGS.items(), (FURTHER, further)):
            present = [name for name in names if name in self.commands]
            if present:
                yield heading, present


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
