"""The command line.

Exit codes: 0 done; 1 findings at or above ``--fail-on``, or an unexplained difference from
synthpop; 2 wrong usage; 3 a file, a column or the study is wrong; 4 a release report was
blocked; 5 something unforeseen, finished results are on disk; 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from sdcmetrics.errors import ReleaseBlocked, SdcMetricsError, StudyError

__all__ = ["app", "main"]

app = typer.Typer(
    help="Disclosure review of synthetic microdata: may this replica be released?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")]
Mode = Annotated[str, typer.Option(help="internal (exact) or release (safe to hand out).")]
Profile = Annotated[str | None, typer.Option(help="Profile of thresholds: a name, or a TOML file.")]
Formats = Annotated[str, typer.Option("--format", help="html, or html,pdf.")]
FailOn = Annotated[
    str, typer.Option(help="Exit with 1 on findings of this status: never, review or fail.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write the whole table to this CSV file.")]
Names = Annotated[str | None, typer.Option(help="Column names, separated by commas.")]
Groups = Annotated[int, typer.Option(help="Groups of a numeric variable.")]
Codes = Annotated[
    list[str] | None,
    typer.Option("--missing-code", help="COLUMN=CODE, a code that means missing. Repeatable."),
]


@app.callback(invoke_without_command=True)
def _root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from sdcmetrics import __version__

        typer.echo(f"sdcmetrics {__version__}")
        raise typer.Exit


@app.command()
def demo(
    out: Out = Path("sdcmetrics-demo"),
    mode: Mode = "internal",
    formats: Formats = "html",
    *,
    quiet: Quiet = False,
) -> None:
    """Review embedded real microdata: a survey and four replicas of it."""
    from sdcmetrics.demo import study

    _review(study(), out, mode, "illustration", formats, "never", quiet=quiet)


@app.command()
def review(
    study: Annotated[Path, typer.Argument(help="The study file (TOML).")],
    out: Out = Path("out"),
    mode: Mode = "internal",
    profile: Profile = None,
    formats: Formats = "html",
    fail_on: FailOn = "never",
    *,
    quiet: Quiet = False,
) -> None:
    """Measure every replica of a study and write report.html, review.json and tables."""
    from sdcmetrics.study import read_study

    _review(read_study(study), out, mode, profile, formats, fail_on, quiet=quiet)


@app.command()
def check(study: Annotated[Path, typer.Argument(help="The study file (TOML).")]) -> None:
    """Only read and harmonise: what was found, what was fixed, what blocks."""
    from sdcmetrics.cli_output import show_check
    from sdcmetrics.study import read_study

    show_check(read_study(study))


@app.command()
def crosscheck(
    study: Annotated[Path, typer.Argument(help="The study file (TOML).")],
    timeout: Annotated[float, typer.Option(help="Seconds for one call of R.")] = 600.0,
    memory: Annotated[int | None, typer.Option(help="Megabytes that R may take.")] = None,
    csv: Csv = None,
    *,
    quiet: Quiet = False,
) -> None:
    """Compute all that R's synthpop has twice, here and there; exit with 1 on a difference."""
    from sdcmetrics.cli_crosscheck import show_crosscheck
    from sdcmetrics.study import read_study

    ok = show_crosscheck(read_study(study), csv, timeout=timeout, memory_mb=memory, quiet=quiet)
    raise typer.Exit(0 if ok else 1)


@app.command("utility-tables")
def utility_tables(
    original: Path,
    synthetic: Annotated[list[Path], typer.Argument(help="One file, or m syntheses.")],
    ways: Annotated[int, typer.Option(help="Variables in each table.")] = 2,
    variables: Names = None,
    ngroups: Groups = 5,
    missing_code: Codes = None,
    csv: Csv = None,
) -> None:
    """Compare all cross-tables of an original and a replica, worst first."""
    from sdcmetrics import tables
    from sdcmetrics.cli_output import show_utility
    from sdcmetrics.microdata import read

    frame = tables.utility_tables(
        read(original),
        [read(path) for path in synthetic],
        ways=ways,
        variables=_names(variables),
        ngroups=ngroups,
        missing_codes=_codes(missing_code),
    )
    show_utility(frame, csv)


@app.command()
def disclosure(
    original: Path,
    synthetic: Annotated[list[Path], typer.Argument(help="One file, or m syntheses.")],
    keys: Annotated[str, typer.Option(help="What an intruder knows: names, by commas.")],
    targets: Names = None,
    ngroups_targets: Annotated[
        int, typer.Option(help="Groups of numeric targets; 0 keeps every value.")
    ] = 0,
    missing_code: Codes = None,
    csv: Csv = None,
) -> None:
    """Measure identity and attribute disclosure for a set of keys, one row a target."""
    from sdcmetrics import tables
    from sdcmetrics.cli_output import show_disclosure
    from sdcmetrics.microdata import read

    frame = tables.multi_disclosure(
        read(original),
        [read(path) for path in synthetic],
        keys=_names(keys) or [],
        targets=_names(targets),
        ngroups_targets=ngroups_targets,
        missing_codes=_codes(missing_code),
    )
    show_disclosure(frame, csv)


@app.command()
def explain(
    metric: Annotated[str | None, typer.Argument(help="A symbol, such as DiSCO.")] = None,
) -> None:
    """Say what a metric means: range, direction, formula, source, limits."""
    from sdcmetrics.cli_output import show_metric, show_metrics

    if metric is None:
        show_metrics()
    else:
        show_metric(metric)


@app.command()
def profiles(
    name: Annotated[str | None, typer.Argument(help="A profile's name or TOML file.")] = None,
) -> None:
    """List the profiles of thresholds, or show one with its sources."""
    from sdcmetrics.cli_output import show_profile, show_profiles

    if name is None:
        show_profiles()
    else:
        show_profile(name)


def main() -> None:
    """Run the command line; every foreseen error becomes one message and an exit code."""
    try:
        app(standalone_mode=True)
    except ReleaseBlocked as error:
        _stop(str(error), 4)
    except SdcMetricsError as error:
        _stop(str(error), 3)
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except Exception as error:  # noqa: BLE001  (a message of a library may hold a data value)
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        _stop(
            f"unforeseen {type(error).__name__} at {place}. Please report it. "
            "Finished results, if any, are in the output folder.",
            5,
        )


def _review(
    study: object,
    out: Path,
    mode: str,
    profile: str | None,
    formats: str,
    fail_on: str,
    *,
    quiet: bool,
) -> None:
    from sdcmetrics.run import run

    raise typer.Exit(
        run(
            study,  # type: ignore[arg-type]  # a Study; named late so that --help starts fast
            out,
            mode=mode,
            profile=profile,
            formats=tuple(part.strip() for part in formats.split(",") if part.strip()),
            fail_on=fail_on,
            quiet=quiet,
        )
    )


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def _codes(pairs: list[str] | None) -> dict[str, list[float]] | None:
    if not pairs:
        return None
    out: dict[str, list[float]] = {}
    for pair in pairs:
        name, _, code = pair.rpartition("=")
        try:
            out.setdefault(name, []).append(float(code))
        except ValueError:
            msg = f"--missing-code: expected COLUMN=NUMBER but got {pair!r}."
            raise StudyError(msg) from None
    return out


def _stop(message: str, code: int) -> None:
    for line in message.splitlines() or [""]:
        sys.stderr.write(f"sdcmetrics: {line}\n")
    sys.exit(code)
