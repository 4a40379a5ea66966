"""Writes what sdcmetricsr offers of single measures: an R function per command that has --csv.

    python r/generate_wrappers.py            # R/commands.R, man/commands.Rd and NAMESPACE
    python r/generate_wrappers.py --check    # ends with 1 if they are not what is written now
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from sdcmetrics.cli.app import app

PACKAGE = Path(__file__).parent / "sdcmetricsr"
BY_HAND = ("disclosure", "utility-tables")
"""Commands of which R has functions with arguments of their own."""
FILES = ("original", "synthetic")
LEFT_OUT = ("csv", "force", "json", "missing_codes", "help", "quiet")
KEPT = ("read_review", "review", "sdcmetrics_command", "utility_tables", "disclosure")
ARGUMENTS = {
    "original": "a data frame, or the name of a file (CSV, Parquet, Stata, SPSS, SAS, .rds)",
    "replica": "the replica: as \\code{original}; where a command takes several syntheses, also a "
    "list of such, or what synthpop's \\code{syn()} returns",
    "missing_codes": "a named list of numbers that stand for a missing value, such as "
    "\\code{list(income = c(-8, -9))}",
    "command": "the program sdcmetrics; see \\code{\\link{sdcmetrics_command}}",
}
HEAD = "# Made by r/generate_wrappers.py of the commands of sdcmetrics; do not edit.\n"


def commands() -> dict[str, click.Command]:
    """Return the commands on files that write a table, by name."""
    context = click.Context(app)
    each = {name: app.get_command(context, name) for name in app.list_commands(context)}
    return {
        name: command
        for name, command in each.items()
        if command is not None
        and name not in BY_HAND
        and any("--csv" in one.opts for one in command.params)
        and {one.name for one in command.params if isinstance(one, click.Argument)} <= {*FILES}
    }


def options(command: click.Command) -> list[click.Option]:
    """Return the options that become arguments, those that are needed first."""
    found = [
        one
        for one in command.params
        if isinstance(one, click.Option) and one.name not in LEFT_OUT
    ]
    return sorted(found, key=lambda one: not one.required)


def files(command: click.Command) -> list[str]:
    """Return the data sets that a command takes, as they are called in R."""
    names = [one.name for one in command.params if isinstance(one, click.Argument)]
    return ["replica" if name == "synthetic" else str(name) for name in names]


def kind(option: click.Option) -> str:
    """Return how a value is handed over: as names, data, a flag, again and again, or as it is."""
    if option.is_flag:
        return "flag"
    if isinstance(option.type, click.Path):
        return "data"
    if option.multiple:
        return "each"
    return "names" if option.metavar == "NAMES" else "value"


def arguments(command: click.Command) -> list[str]:
    """Return the arguments of the R function, with their defaults."""
    out = files(command)
    for one in options(command):
        default = "FALSE" if one.is_flag else "NULL"
        out.append(argument(one) if one.required else f"{argument(one)} = {default}")
    return [*out, "missing_codes = NULL", "command = NULL"]


def argument(option: click.Option) -> str:
    """Return the name of an option's argument in R: that of the command line."""
    return option.opts[0].lstrip("-").replace("-", "_")


def wrapped(head: str, parts: list[str], indent: int) -> str:
    """Return a call broken into lines of at most 100 letters."""
    lines, line = [], head
    for i, part in enumerate(parts):
        text = part + (", " if i < len(parts) - 1 else ")")
        if len(line) + len(text) > 99:
            lines.append(line.rstrip())
            line = " " * indent
        line += text
    return "\n".join([*lines, line])


def function(name: str, command: click.Command) -> str:
    """Return the R function of a command."""
    called = name.replace("-", "_")
    head = wrapped(f"{called} <- function(", arguments(command), len(called) + 13)
    given = [f"{one} = {one}" for one in files(command)]
    told = [f'{one.opts[0].lstrip("-")!r} = as_{kind(one)}({argument(one)})' for one in options(command)]
    told = [one.replace("'", "`") for one in told]
    data = wrapped("  data <- list(", given, 15)
    asked = wrapped("  options <- list(", told, 18) if told else "  options <- list()"
    end = f'  ask_table("{name}", data, options, missing_codes, command)'
    return f"{head} {{\n{data}\n{asked}\n{end}\n}}\n"


def page() -> str:
    """Return the help page of all functions."""
    each = commands()
    says = dict(ARGUMENTS)
    for command in each.values():
        for one in options(command):
            text = (one.help or "").rstrip(".").replace("\\", "\\\\").replace("%", "\\%")
            says.setdefault(argument(one), text.replace("{", "\\{").replace("}", "\\}"))
    used = [*ARGUMENTS, *sorted(says.keys() - ARGUMENTS.keys())]
    names = [name.replace("-", "_") for name in each]
    usage = [
        wrapped(f"{name}(", arguments(command), len(name) + 1)
        for name, command in zip(names, each.values(), strict=True)
    ]
    items = [
        f"  \\item{{\\code{{{name}}}}}{{{command.get_short_help_str(200)}}}"
        for name, command in zip(names, each.values(), strict=True)
    ]
    return "\n".join(
        [
            "% Made by r/generate_wrappers.py; do not edit.",
            "\\name{commands}",
            "\\alias{commands}",
            *(f"\\alias{{{name}}}" for name in names),
            "\\title{Single measures}",
            "\\description{Each is the command of the same name, with the same options:",
            "\\describe{",
            *items,
            "}}",
            "\\usage{",
            "\n\n".join(usage),
            "}",
            "\\arguments{",
            *(f"  \\item{{{name}}}{{{says[name]}}}" for name in used),
            "}",
            "\\value{A data frame of class \\code{sdcmetrics_table}, which prints rounded numbers and",
            "holds exact ones. \\code{sdcmetrics explain NAME} says what a column means.}",
            "\\examples{",
            'if (nzchar(Sys.which("sdcmetrics"))) {',
            "  original <- with(airquality, data.frame(month = factor(Month), hot = Temp > 80))",
            '  k_anonymity(original, keys = c("month", "hot"))',
            "}",
            "}",
            "",
        ]
    )


def written() -> dict[str, str]:
    """Return the files that this writes, by their place in the package."""
    each = commands()
    names = sorted([*KEPT, *(name.replace("-", "_") for name in each)])
    code = HEAD + "\n" + "\n".join(function(name, one) for name, one in each.items())
    exports = wrapped("export(", names, 7)
    methods = [
        'S3method("$", sdcmetrics_review)',
        "S3method(plot, sdcmetrics_review)",
        "S3method(print, sdcmetrics_review)",
        "S3method(print, sdcmetrics_table)",
        "S3method(print, summary.sdcmetrics_review)",
        "S3method(summary, sdcmetrics_review)",
    ]
    imports = ["importFrom(graphics, plot, text)", "importFrom(utils, read.csv)"]
    space = "\n".join([HEAD + exports, *methods, *imports, ""])
    return {"R/commands.R": code, "man/commands.Rd": page(), "NAMESPACE": space}


def main() -> int:
    """Write the files, or say whether they are as they would be written."""
    files_ = written()
    if "--check" in sys.argv:
        old = [n for n, text in files_.items() if (PACKAGE / n).read_text("utf-8") != text]
        sys.stderr.write("".join(f"{name} is not current\n" for name in old))
        return int(bool(old))
    for name, text in files_.items():
        (PACKAGE / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
