"""Arguments and options of the command line, each checked before anything is read."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Never

import click

Decorator = Callable[[Any], Any]

REPORT_FORMATS = ("html", "pdf", "pdfa", "xlsx", "sacro")


def split(text: str) -> list[str]:
    """Return the parts of a list by commas; a part in quotes may hold commas.

    Examples
    --------
    >>> split('sex, "age, years"')
    ['sex', 'age, years']
    """
    rows = csv.reader([text], skipinitialspace=True)
    return [part.strip() for part in next(rows, []) if part.strip()]


class Command(click.Command):
    """A command whose help lists its arguments, which click leaves out."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options."""
        listed = [
            (param.make_metavar(ctx), param.text)
            for param in self.params
            if isinstance(param, _Arg)
        ]
        if listed:
            with formatter.section("Arguments"):
                formatter.write_dl(listed)
        super().format_options(ctx, formatter)


class _Arg(click.Argument):
    def __init__(self, *names: Any, text: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.text = text


def argument(name: str, text: str, **attributes: Any) -> Decorator:
    """Return a decorator that adds a file argument; a file that cannot be read ends with code 3."""
    attributes.setdefault("type", click.Path(path_type=Path))
    return click.argument(name, cls=_Arg, text=text, **attributes)


def option(names: str, text: str, kind: Any = None, default: Any = None, **more: Any) -> Decorator:
    """Return a decorator that adds an option, whose default its help shows."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return click.option(*names.split(), type=kind, help=text, **shown, **more)


def command(short_help: str, *options: Decorator) -> Decorator:
    """Return a decorator that makes a function a command with these options."""

    def make(function: Any) -> click.Command:
        for decorate in reversed(options):
            function = decorate(function)
        return click.command(cls=Command, short_help=short_help)(function)

    return make


def is_given(name: str) -> bool:
    """Whether an option of the command that runs was given, and is no default."""
    context = click.get_current_context()
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def make_command(
    run: Any, name: str, short_help: str, text: str | None, *options: Decorator
) -> click.Command:
    """Return a command that runs a function, with its options in the order of its help."""
    for decorate in reversed(options):
        run = decorate(run)
    command: click.Command = click.command(name, cls=Command, help=text, short_help=short_help)(run)
    return command


def holdout(**more: Any) -> Decorator:
    """Return a decorator that adds the holdout of a command on files."""
    text = "Records that the synthesis has not seen."
    return file("--holdout", text, metavar="FILE", **more)


def flag(names: str, text: str) -> Decorator:
    """Return a decorator that adds an option without a value."""
    return click.option(*names.split(), is_flag=True, help=text)


def file(names: str, text: str, **more: Any) -> Decorator:
    """Return a decorator that adds an option whose value is a path."""
    return option(names, text, click.Path(path_type=Path), **more)


def repeatable(names: str, metavar: str, text: str, **more: Any) -> Decorator:
    """Return a decorator that adds an option that may be given more than once."""
    return option(names, f"{text} Repeatable.", multiple=True, metavar=metavar, **more)


def number(at_least: int) -> click.IntRange:
    """Return the kind of a whole number that has a least value."""
    return click.IntRange(min=at_least)


def _fail(expected: str, value: object) -> Never:
    msg = f"expected {expected}, but got {value}."
    raise click.BadParameter(msg)


def _seconds(_: Any, __: Any, value: float) -> float:
    if not 0 < value < math.inf:
        _fail("a number of seconds above 0", value)
    return value


def above_0(_: Any, __: Any, value: float | None) -> float | None:
    """Refuse a number that is not above 0."""
    if value is not None and not 0 < value < math.inf:
        _fail("a number above 0", value)
    return value


def _gate(_: Any, __: Any, text: str) -> str:
    from sdcmetrics.decision.gate import BARS, read_gate
    from sdcmetrics.errors import StudyError

    try:
        read_gate(text)
    except StudyError:
        _fail(f"{', '.join(BARS)}, or such as risk=unjudged,utility=fail", text)
    return text


def _names(_: Any, __: Any, text: str | None) -> list[str] | None:
    names = split(text or "")
    if text is not None and not names:
        _fail("names of columns, separated by commas", "none")
    return names or None


def _codes(_: Any, __: Any, pairs: Sequence[str]) -> dict[str, list[float]] | None:
    out: dict[str, list[float]] = {}
    for name, code in _pairs(pairs, "COLUMN=NUMBER, such as income=-8"):
        out.setdefault(name, []).append(code)
    return out or None


def _weights(_: Any, __: Any, pairs: Sequence[str]) -> dict[str, float] | None:
    return dict(_pairs(pairs, "NAME=NUMBER, such as disclosure=0.6")) or None


def _pairs(pairs: Sequence[str], expected: str) -> list[tuple[str, float]]:
    out = []
    for pair in pairs:
        name, _, value = pair.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not name.strip() or not math.isfinite(number):
            _fail(expected, repr(pair))
        out.append((name.strip(), number))
    return out


def _formats(_: Any, __: Any, texts: Sequence[str]) -> tuple[str, ...]:
    parts = [part for text in texts for part in split(text)]
    wrong = [part for part in parts if part not in REPORT_FORMATS]
    if wrong or (texts and not parts):
        _fail(
            "html, pdf, pdfa, xlsx or sacro, or several by commas",
            repr(wrong[0]) if wrong else "none",
        )
    return tuple(dict.fromkeys(parts)) or ("html",)


def columns(names: str, text: str, **more: Any) -> Decorator:
    """Return a decorator that adds an option whose value is names of columns."""
    commas = "Separate names by commas; quote a name that holds a comma: '\"a,b\",c'."
    return option(names, f"{text} {commas}", metavar="NAMES", callback=_names, **more)


def _sample(_: Any, __: Any, text: str | None) -> int | None:
    if text is None:
        return None
    if text != "none" and not (text.isdecimal() and int(text)):
        _fail("a number of records, or none", repr(text))
    return 0 if text == "none" else int(text)


SAMPLE = option(
    "--sample",
    "Records drawn at random of data too large for memory, where counts are not enough; or none.",
    metavar="N",
    callback=_sample,
)


def _study(_: Any, __: Any, path: Path) -> Path:
    """Return a study file; of the folder of an internal review the one that it is of."""
    folder = os.path.isdir(path)  # noqa: PTH112  (no error where the name is too long)
    if not folder and path.name != "review.json":
        return path
    from sdcmetrics.cli.finished_reviews import reviewed_in
    from sdcmetrics.review.cache import CACHE

    reviewed = reviewed_in((path if folder else path.parent) / CACHE)
    return path if reviewed is None else reviewed.file


STUDY = argument(
    "study", "The study file (TOML), or the folder of an internal review.", callback=_study
)
ORIGINAL = argument("original", "The confidential file.")
VARIABLES = columns("--variables", "Columns to compare.")
MISSING_CODES = repeatable(
    "--missing-code missing_codes",
    "COLUMN=CODE",
    "A number that stands for a missing value.",
    callback=_codes,
)
WEIGHTS = repeatable(
    "--weight weights",
    "NAME=NUMBER",
    "Weight of a family (general, specific, disclosure) or of a metric. Weights sum to 1.",
    callback=_weights,
)
MODE = option(
    "--mode",
    "internal shows exact figures. release (noisy sums) and coarse (a signed decision) are to be "
    "handed out. checker is for an output checker inside.",
    click.Choice(["internal", "release", "coarse", "checker"]),
    "internal",
)
MU = option(
    "--mu",
    "What new questions of a release may cost; by default, in a first release, the whole budget.",
    float,
    callback=above_0,
)
NEW_SECRET = flag(
    "--new-secret", "Make a new secret, as a changed original needs. What was spent stays spent."
)
FORMATS = option(
    "--format formats",
    "html, pdf, pdfa (for archives), xlsx or sacro, several by commas; html if none is given.",
    multiple=True,
    metavar="NAME",
    callback=_formats,
)
FAIL_ON = option(
    "--fail-on",
    "Exit with 1 where the answer is this or worse: never, unjudged, review or fail, for both "
    "questions or for each, as risk=unjudged,utility=fail.",
    str,
    "risk=unjudged",
    callback=_gate,
)
KEY = file("--key", "Your private key, as make-keys writes it.", required=True)
NAME = option("--name", "Your name, which stands beside the state.", str, required=True)


def _public_keys(*, required: bool) -> Decorator:
    return click.option(
        "--public-key",
        "public",
        type=click.Path(path_type=Path),
        multiple=True,
        required=required,
        metavar="FILE",
        help="Public key of somebody who signed. Repeatable.",
    )


PUBLIC_KEYS, PUBLIC_KEYS_REQUIRED = _public_keys(required=False), _public_keys(required=True)
TIMEOUT = option("--timeout", "Seconds for one call of R.", float, 600.0, callback=_seconds)
SEED = option("--seed", "Seed of the random numbers.", number(0))
CSV = file("--csv", "Save the whole table as this CSV file.")
JSON = file("--json", "Save all figures as this JSON file.")
FORCE = flag("--force", "Overwrite files that sdcmetrics did not write. Inputs stay safe.")
ALLOW_CODE = flag(
    "--allow-code", "Run the files of Python that the study names, with the data at hand."
)
QUIET = flag("--quiet -q", "Show no progress, only the result.")
AGAINST_R = flag(
    "--crosscheck against_r", "Compare with R's synthpop too; exit with 1 if a value differs."
)
