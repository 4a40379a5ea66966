"""The list of commands in the help, by what they look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from sdcmetrics.cli.terminal import one_line
from sdcmetrics.errors import SdcMetricsError

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
        for heading, names in self._under_headings():
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (f"{name:<{wide}}", self.commands[name].get_short_help_str())
                        for name in names
                    ]
                )
        del ctx

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of the package names its options as the command does."""
        try:
            return super().invoke(ctx)
        except SdcMetricsError as error:
            command = self.commands.get(ctx.invoked_subcommand or "")
            if command is not None:
                error.args = tuple(
                    in_options(part, command.params) if isinstance(part, str) else part
                    for part in error.args
                )
            raise

    def _under_headings(self) -> Iterator[tuple[str, list[str]]]:
        under = {name for names in HEADINGS.values() for name in names}
        further = [name for name in self.commands if name not in under]
        for heading, names in (*HEADINGS.items(), (FURTHER, further)):
            present = [name for name in names if name in self.commands]
            if present:
                yield heading, present


def in_options(message: str, parameters: Collection[click.Parameter]) -> str:
    """Return a message in which parameters of a function are called as the command's options.

    Where a command reads a study file, names are those of the file.

    Examples
    --------
    >>> size = click.Option(["--population-size"])
    >>> in_options("expected either population_size or 'population_size'", [size])
    "expected either --population-size or 'population_size'"
    """
    if any(parameter.name == "study" for parameter in parameters):
        return message
    for parameter in parameters:
        name, options = parameter.name or "", parameter.opts
        long = next((option for option in options if option.startswith("--")), "")
        if long and "_" in name:
            message = re.sub(rf"(?<![\w'\"`.-]){name}(?![\w'\"`-])", long, message)
        elif long and message.startswith(f"{name}: "):
            message = long + message.removeprefix(name)
    return message


_NAME = 30
"""Letters of the name of a replica."""
_SENTENCE = 2000
"""Letters of a sentence with up to a dozen names: cut in the middle it would say something else."""


def decision_lines(decided: Collection[Decision], *, quiet: bool = False) -> Iterator[str]:
    """Yield a line per replica with both answers and, unless quiet, one per reason."""
    width = min(_NAME, max((len(decision.replica) for decision in decided), default=0))
    for decision in decided:
        yield f"  {one_line(decision.replica, limit=_NAME):<{width}}  {decision.words}"
        if not quiet:
            reasons = (*decision.risk.because, *decision.utility.because)
            whole = (one_line(str(reason), limit=_SENTENCE) for reason in reasons)
            yield from (f"  {'':<{width}}    {reason}" for reason in whole)
