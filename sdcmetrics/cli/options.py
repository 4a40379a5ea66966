"""What the command line takes: arguments and options, each checked before anything is read."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Again",
    "AgainstR",
    "Codes",
    "Csv",
    "Fail",
    "FailOn",
    "Family",
    "Formats",
    "Formulas",
    "Groups",
    "Keys",
    "Mode",
    "Names",
    "OneReplica",
    "Original",
    "Out",
    "Population",
    "Profile",
    "Quiet",
    "Rules",
    "StrategyName",
    "StudyOrResults",
    "StudyPath",
    "Synthetic",
    "TargetGroups",
    "Ways",
    "WeightPairs",
    "Who",
    "codes",
    "numbers",
    "split",
]


def split(text: str | None) -> list[str]:
    """Return the parts of a list by commas; a part in quotes may hold commas."""
    if not text:
        return []
    rows = csv.reader([text], skipinitialspace=True)
    return [part.strip() for part in next(rows) if part.strip()]


def codes(pairs: list[str] | None) -> dict[str, list[float]] | None:
    """Return the numbers of COLUMN=NUMBER pairs by column."""
    out: dict[str, list[float]] = {}
    for pair in pairs or ():
        name, _, code = pair.rpartition("=")
        out.setdefault(name.strip(), []).append(float(code))
    return out or None


def numbers(pairs: list[str] | None) -> dict[str, float] | None:
    """Return the number of each NAME=NUMBER pair."""
    if not pairs:
        return None
    parts = (pair.rpartition("=") for pair in pairs)
    return {name.strip(): float(number) for name, _, number in parts}


class Mode(StrEnum):
    """Who may see the report."""

    INTERNAL = "internal"
    RELEASE = "release"


class FailOn(StrEnum):
    """The mildest status that makes a review end with exit code 1."""

    NEVER = "never"
    REVIEW = "review"
    FAIL = "fail"


def _formats(given: list[str] | None) -> list[str]:
    from sdcmetrics.cli.run import FORMATS

    if given is None:
        return ["html"]
    parts = [part for text in given for part in split(text)]
    for part in parts:
        if part not in FORMATS:
            msg = f"expected {' or '.join(FORMATS)}, or both by a comma, but got {part!r}."
            raise typer.BadParameter(msg)
    if not parts:
        msg = f"expected {' or '.join(FORMATS)} but got none."
        raise typer.BadParameter(msg)
    return list(dict.fromkeys(parts))


def _pairs(pairs: list[str] | None) -> list[str] | None:
    return _checked(pairs, "COLUMN=NUMBER, such as income=-8")


def _weights(pairs: list[str] | None) -> list[str] | None:
    return _checked(pairs, "NAME=NUMBER, such as disclosure=0.6")


def _checked(pairs: list[str] | None, expected: str) -> list[str] | None:
    for pair in pairs or ():
        name, _, code = pair.rpartition("=")
        try:
            float(code)
        except ValueError:
            name = ""
        if not name:
            msg = f"expected {expected}, but got {pair!r}."
            raise typer.BadParameter(msg)
    return pairs


def _listed(text: str | None) -> str | None:
    if text is not None and not split(text):
        msg = "expected names of columns, separated by commas, but got none."
        raise typer.BadParameter(msg)
    return text


Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")]
Who = Annotated[Mode, typer.Option("--mode", help="Exact, or safe to hand out.")]
Profile = Annotated[str | None, typer.Option(help="Profile of thresholds: a name, or a TOML file.")]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="html, pdf, or html,pdf; html if none is given.",
        callback=_formats,
    ),
]
Fail = Annotated[
    FailOn, typer.Option("--fail-on", help="Exit with 1 on findings of this status, or worse.")
]
AgainstR = Annotated[
    bool, typer.Option("--crosscheck", help="Compare with R's synthpop too; exit 1 if it differs.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write the whole table to this CSV file.")]
# Whether a file can be read is found out, and said, where it is read: exit code 3.
StudyPath = Annotated[
    Path, typer.Argument(metavar="STUDY", readable=False, help="The study file (TOML).")
]
StudyOrResults = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY", readable=False, help="The study file (TOML), or a review.json."
    ),
]
StrategyName = Annotated[
    str | None,
    typer.Option("--strategy", help="rank, linear, normal, quantile, summation, or anchored."),
]
WeightPairs = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="NAME=NUMBER",
        help="What a family (general, specific, disclosure) or a metric counts for; they sum to "
        "1. Repeatable.",
        callback=_weights,
    ),
]
Again = Annotated[
    int | None,
    typer.Option("--replicates", min=0, help="Times to leave a tenth of the records out."),
]
Original = Annotated[
    Path, typer.Argument(metavar="ORIGINAL", readable=False, help="The confidential file.")
]
Synthetic = Annotated[
    list[Path],
    typer.Argument(metavar="SYNTHETIC", readable=False, help="One replica, or m syntheses of it."),
]
OneReplica = Annotated[
    Path, typer.Argument(metavar="SYNTHETIC", readable=False, help="The replica.")
]
_BY_COMMAS = "Names, separated by commas; quote one that holds a comma: '\"a,b\",c'."
Keys = Annotated[str, typer.Option(metavar="NAMES", help=f"What an intruder knows. {_BY_COMMAS}")]
Names = Annotated[str | None, typer.Option(metavar="NAMES", help=_BY_COMMAS, callback=_listed)]
Groups = Annotated[int, typer.Option(min=1, help="Groups of a numeric variable.")]
TargetGroups = Annotated[
    int, typer.Option(min=0, help="Groups of numeric targets; 0 keeps every value.")
]
Ways = Annotated[int, typer.Option(min=1, help="Variables in each table.")]
Formulas = Annotated[
    list[str],
    typer.Option(
        "--formula", metavar="FORMULA", help="In R's notation, such as 'y ~ a + b'. Repeatable."
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="Such as 'if employed == \"no\" then income == 0'. Repeatable.",
    ),
]
Family = Annotated[
    str, typer.Option(help="gaussian, binomial, probit, cloglog, poisson, multinomial, ordered.")
]
Population = Annotated[
    bool, typer.Option("--population-inference", help="Intervals for the population.")
]
Codes = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-code",
        metavar="COLUMN=CODE",
        help="A code that means missing. Repeatable.",
        callback=_pairs,
    ),
]
