"""The command line.

Exit codes: 0 done; 1 findings at or above ``--fail-on``, or an unexplained difference from
synthpop; 2 wrong usage; 3 a file, a column or the study is wrong; 4 a release report was
blocked; 5 something unforeseen, finished results are on disk; 130 interrupted.
"""

from __future__ import annotations

import io
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, Never

import typer

from sdcmetrics.cli.files import app as files
from sdcmetrics.cli.options import (
    Again,
    AgainstR,
    Csv,
    Fail,
    FailOn,
    Formats,
    Mode,
    Out,
    Profile,
    Quiet,
    StrategyName,
    StudyOrResults,
    StudyPath,
    WeightPairs,
    Who,
    numbers,
)
from sdcmetrics.errors import ReleaseBlocked, SdcMetricsError

__all__ = ["app", "main"]

_UsageError: type[Any] = typer.BadParameter.__bases__[0]  # typer exports it under no name

app = typer.Typer(
    help="Disclosure review of synthetic microdata: may this replica be released?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(files)


@app.callback(invoke_without_command=True)
def _root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from sdcmetrics import __version__

        typer.echo(f"sdcmetrics {__version__}")
        raise typer.Exit


@app.command(short_help="Review embedded real microdata.")
def demo(
    out: Out = Path("sdcmetrics-demo"),
    mode: Who = Mode.INTERNAL,
    formats: Formats = None,
    *,
    against_r: AgainstR = False,
    quiet: Quiet = False,
) -> None:
    """Review embedded real microdata: a survey and four replicas of it."""
    from sdcmetrics.cli.run import check_formats, run
    from sdcmetrics.study.demo import study

    check_formats(formats or ())
    code = run(
        study(),
        out,
        mode=mode,
        profile="illustration",
        formats=formats or (),
        quiet=quiet,
        against_r=against_r,
    )
    raise typer.Exit(code)


@app.command(short_help="Measure every replica of a study; write a report.")
def review(
    study: StudyPath,
    out: Out = Path("out"),
    mode: Who = Mode.INTERNAL,
    profile: Profile = None,
    formats: Formats = None,
    fail_on: Fail = FailOn.NEVER,
    *,
    against_r: AgainstR = False,
    quiet: Quiet = False,
) -> None:
    """Measure every replica of a study and write report.html, review.json and tables."""
    from sdcmetrics.cli.run import check_formats, prepare, run
    from sdcmetrics.study.profile import load_profile
    from sdcmetrics.study.study import read_study

    # What is wrong with the options is said before the data are read.
    check_formats(formats or ())
    if profile is not None:
        load_profile(profile)
    prepare(out, mode)
    code = run(
        read_study(study),
        out,
        mode=mode,
        profile=profile,
        formats=formats or (),
        fail_on=fail_on,
        quiet=quiet,
        against_r=against_r,
    )
    raise typer.Exit(code)


@app.command(short_help="Only read and compare the files' columns.")
def check(study: StudyPath) -> None:
    """Only read and harmonise: what was found, what was fixed, what blocks."""
    from sdcmetrics.cli.output import show_check
    from sdcmetrics.study.study import read_study

    show_check(read_study(study))


@app.command(short_help="Compute all that R's synthpop has twice, here and there.")
def crosscheck(
    study: StudyPath,
    timeout: Annotated[float, typer.Option(help="Seconds for one call of R.")] = 600.0,
    memory: Annotated[int | None, typer.Option(help="Megabytes that R may take.")] = None,
    csv: Csv = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all as JSON.")] = None,
    *,
    quiet: Quiet = False,
) -> None:
    """Compute all that R's synthpop has twice, here and there.

    Exits with 1 if a difference is not explained by a documented defect of synthpop.
    """
    from sdcmetrics.cli.crosscheck import show_crosscheck
    from sdcmetrics.study.study import read_study

    ok = show_crosscheck(
        read_study(study), csv, json, timeout=timeout, memory_mb=memory, quiet=quiet
    )
    raise typer.Exit(0 if ok else 1)


@app.command(short_help="Rank the replicas; say how sure that is.")
def rank(
    study: StudyOrResults,
    strategy: StrategyName = None,
    weight: WeightPairs = None,
    replicates: Again = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all draws; by default 1.")] = None,
    csv: Csv = None,
    *,
    anchors: Annotated[
        bool | None,
        typer.Option("--anchors/--no-anchors", help="Compute references, and scores between them."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Rank the replicas of a study, or of the review.json that a review wrote.

    Says which is first under the weights of the study file or of --weight, how sure that is,
    and what would change it. A review.json has no data: references and --replicates need the
    study file.
    """
    from sdcmetrics.cli.output import check_csv
    from sdcmetrics.cli.ranking import show_ranking
    from sdcmetrics.cli.run import rank_study

    check_csv(csv)
    ranking = rank_study(
        study,
        strategy=strategy,
        weights=numbers(weight),
        replicates=replicates,
        seed=seed,
        anchors=anchors,
        quiet=quiet,
    )
    show_ranking(ranking, csv)


@app.command(short_help="Say what a metric means; without a name, list all.")
def explain(
    metric: Annotated[
        str | None, typer.Argument(metavar="[METRIC]", help="A symbol, such as DiSCO.")
    ] = None,
) -> None:
    """Say what a metric means: range, direction, formula, source, limits."""
    from sdcmetrics.cli.output import show_metric, show_metrics

    if metric is None:
        show_metrics()
    else:
        show_metric(metric)


@app.command(short_help="Show a profile of thresholds; without a name, list all.")
def profiles(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A profile's name or TOML file.")
    ] = None,
) -> None:
    """List the profiles of thresholds, or show one with its sources."""
    from sdcmetrics.cli.output import show_profile, show_profiles

    if name is None:
        show_profiles()
    else:
        show_profile(name)


def main() -> None:
    """Run the command line; every foreseen error becomes one message and an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name beyond the terminal's alphabet
    try:
        code = app(prog_name="sdcmetrics", standalone_mode=False)
    except ReleaseBlocked as error:
        _stop(str(error), 4)
    except SdcMetricsError as error:
        _stop(str(error), 3)
    except (KeyboardInterrupt, typer.Abort):
        _stop("interrupted", 130)
    except Exception as error:  # noqa: BLE001  (a message of a library may hold a data value)
        if isinstance(error, _UsageError):
            error.show()
            sys.exit(error.exit_code)
        _stop(f"unforeseen {_kind(error)} {_place(error)}. Please report it.", 5)
    if code == 130:  # noqa: PLR2004  (what newer versions of typer make of ctrl-C)
        _stop("interrupted", 130)
    sys.exit(code if isinstance(code, int) else 0)


def _kind(error: Exception) -> str:
    """Say what an error is; of its text only what the operating system says."""
    reason = error.strerror if isinstance(error, OSError) else None
    return type(error).__name__ + (f" ({reason})" if reason else "")


def _place(error: BaseException) -> str:
    """Say where an error came up, in this package and below, without its text."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(__file__).parents[1] in Path(frame.filename).parents]
    places = dict.fromkeys(
        f"{Path(frame.filename).name}:{frame.lineno}" for frame in (*own[-1:], *frames[-1:])
    )
    return "at " + ", ".join(places)


def _stop(message: str, code: int) -> Never:
    from sdcmetrics.cli.terminal import one_line

    for line in message.splitlines() or [""]:
        sys.stderr.write(f"sdcmetrics: {one_line(line)}\n")
    sys.exit(code)
