"""The commands of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sdcmetrics import __version__
from sdcmetrics.cli import options as opts
from sdcmetrics.cli.before_release import BEFORE_RELEASE
from sdcmetrics.cli.headings import Group
from sdcmetrics.cli.one_file import ONE_FILE
from sdcmetrics.cli.sample import SAMPLES


@click.group(
    cls=Group,
    help="Disclosure review of synthetic microdata: may this replica be released?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(
    __version__, prog_name="sdcmetrics", message="%(prog)s %(version)s", help="Print the version."
)
def app() -> None:
    """All commands."""


def _command(short_help: str, *options: opts.Decorator) -> opts.Decorator:
    """Return a decorator that makes a function a command of the program with these options."""
    make = opts.command(short_help, *options)

    def add(function: Any) -> click.Command:
        command: click.Command = make(function)
        app.add_command(command)
        return command

    return add


@_command(
    "Review embedded real microdata.",
    opts.file("--out -o", "Folder for the results.", default=Path("sdcmetrics-demo")),
    opts.MODE,
    opts.FORMATS,
    opts.AGAINST_R,
    opts.QUIET,
    opts.FORCE,
)
def demo(out: Path, **chosen: Any) -> None:
    """Review embedded real microdata: a survey and four replicas of it.

    Beside an internal review stands the folder study: its study file and data, to be changed and
    run. A release has it, with secret and ledger, in a folder of its own.
    """
    from sdcmetrics.cli.reviewing import hand_out_edition
    from sdcmetrics.cli.run import check_formats, run
    from sdcmetrics.study.demo.review import refuse_changed, study, write_study

    check_formats(chosen["formats"])
    if chosen["mode"] in ("release", "coarse"):
        file = write_study(out.with_name(f"{out.name}-study"))  # the secret stays out of the folder
        hand_out_edition(file, out, profile=None, fail_on="never", **chosen)
    if chosen["mode"] == "internal" and not chosen["force"]:
        refuse_changed(out / "study")
    # An example is no gate: whatever is decided on its replicas, it has been reviewed.
    code = run(study(), out, fail_on="never", **chosen)
    if chosen["mode"] == "internal":
        file = write_study(out / "study")
        if not chosen["quiet"]:
            sys.stdout.write(f"study: {file}\n")
    sys.exit(code)


@_command(
    "Measure every replica of a study; write a report.",
    opts.argument("study", "The study file (TOML).", required=False),
    opts.file("--from results", "Results of an internal review: do not measure again."),
    opts.file("--out -o", "Folder for the results.", default=Path("out")),
    opts.MODE,
    opts.option("--profile", "Profile of thresholds: a name, or a TOML file."),
    opts.option(
        "--preset", "SynthEval's metrics (fast, full, privacy), DAISYnt's, or a TOML file."
    ),
    opts.FORMATS,
    opts.FAIL_ON,
    opts.SAMPLE,
    opts.option("--engine", "What reads files: arrow, spark, or memory (whole).", metavar="NAME"),
    opts.AGAINST_R,
    opts.MU,
    opts.NEW_SECRET,
    opts.flag("--no-cache", "Keep no finished step, and read none."),
    opts.ALLOW_CODE,
    opts.QUIET,
    opts.FORCE,
)
def review(study: Path | None, results: Path | None, out: Path, **chosen: Any) -> None:
    """Measure every replica of a study; write report.html, review.json and tables/*.csv.

    These files replace those of an earlier review in the folder, all together. While an internal
    review runs, finished measurements are in partial-measurements-internal.csv beside them; other
    editions keep none. They go into an empty folder, or over an earlier one of their kind.

    What was handed out of the same original, as sdcmetrics ledger says, is judged together with
    each replica.

    A release asks the original a fixed list of questions and adds noise that follows from a
    secret. Secret and ledger are beside the study file, made by the first release: guard them as
    the data. When the budget is spent, a release is refused with exit code 4.

    What an internal review has finished is kept in cache-internal in its folder, and a review of
    the same folder takes from there all that follows from data, options and versions that have
    not changed: with one replica more, only that one is measured. It is as confidential as the
    data. A release keeps nothing.

    With --from and --out, the results of an internal review are written again, or released, in
    other formats or by another profile. The data must be where they were, and unchanged.

    Without a study file, --mode release takes the internal review in the folder out.

    With --from and --profile alone, an internal review.json is judged by another profile: answers
    and exit code are what a review with this profile would give. Nothing is measured, no data are
    read, and no file is written.
    """
    from sdcmetrics.cli.reviewing import judge_by_profile, review_study, usual_results

    if study is None and results is None and chosen["mode"] in ("release", "coarse"):
        results = usual_results()
    if opts.is_given("out") or results is None:
        if study is not None or results is not None:
            review_study(study, out, results, **chosen)
    elif study is None:
        judge_by_profile(results, chosen["profile"], chosen["fail_on"])
    msg = (
        "expected one of the two: a study file, or --from with the results of a review and --out "
        "or --profile."
    )
    raise click.UsageError(msg)


@_command(
    "Write a first study file for your files.",
    opts.ORIGINAL,
    opts.argument("replicas", "The replicas.", nargs=-1, required=True),
    opts.file("--holdout", "Records of the same source, kept from the synthesis."),
    opts.file("--out -o", "The study file.", default=Path("study.toml")),
    opts.file("--profile", "Write a profile of limits as well, to be changed."),
    opts.option("--decimal", "Decimal mark of delimited files: , or .", click.Choice([",", "."])),
    opts.option("--encoding", "Encoding of delimited files that are not UTF-8, such as latin-1."),
    opts.file("--metadata", "Labels and codes of the files: DDI-Codebook (.xml) or CSVW (.json)."),
    opts.FORCE,
)
def init(**chosen: Any) -> None:
    """Write a first study file, with guesses at keys, targets and missing codes.

    Files whose names differ by a number at the end, such as cart_1.csv and cart_2.csv, are taken
    as syntheses of one method. Everything written is a guess with its reason: check it.
    """
    from sdcmetrics.cli.init import write_study

    write_study(**chosen)


@_command("Read and compare the columns of the files; measure nothing.", opts.STUDY)
def check(study: Path) -> None:
    """Read the files and make them comparable; say what was found, what was fixed, what blocks."""
    from sdcmetrics.cli.check import show_check
    from sdcmetrics.study.reading import read_study

    show_check(read_study(study))


@_command(
    "Compute with R's synthpop as well, and compare.",
    opts.STUDY,
    opts.TIMEOUT,
    opts.option("--memory memory_mb", "Megabytes that R may use.", opts.number(1)),
    opts.CSV,
    opts.JSON,
    opts.FORCE,
    opts.QUIET,
)
def crosscheck(
    study: Path, csv: Path | None, json: Path | None, *, force: bool, quiet: bool, **limits: Any
) -> None:
    """Compute every value that R's synthpop has in both programs, and compare the two.

    Exits with 1 if there is a difference that no documented defect of synthpop explains.
    """
    from sdcmetrics.agreement.crosscheck import crosscheck as compare
    from sdcmetrics.cli.crosscheck import show_crosscheck
    from sdcmetrics.cli.saving import check_output, data_files
    from sdcmetrics.cli.terminal import progress
    from sdcmetrics.study.reading import read_study

    check_output({"--csv": csv, "--json": json}, data_files(study), force=force)
    loaded = read_study(study)
    with progress(quiet=quiet) as report_progress:
        result = compare(loaded, progress=report_progress, **limits)
    show_crosscheck(result, csv, json)
    sys.exit(0 if result.ok else 1)


@_command(
    "Write each replica as R's object of class synds.",
    opts.STUDY,
    opts.file("--out -o", "Folder for the files.", default=Path("for-r")),
    opts.flag("--original", "Write the original as well: confidential."),
    opts.FORCE,
)
def to_r(study: Path, out: Path, *, original: bool, force: bool) -> None:
    """Write each replica as an object of synthpop's class synds: NAME.rds, for readRDS() in R.

    All that synthpop does with its own syntheses works with it: print, summary, compare,
    utility.tables, multi.disclosure, lm.synds, sdc, write.syn. Levels and kinds of columns are
    those of the original. Functions that take the original as well want --original, which writes
    NAME.original.rds with the same levels in the same order. Needs R with synthpop.
    """
    from sdcmetrics.cli.to_r import write_for_r

    write_for_r(study, out, original=original, force=force)


@_command(
    "Say what changed from one review to the next.",
    opts.argument("old", "The folder of the earlier results, or its review.json."),
    opts.argument("new", "The folder of the later results, or its review.json."),
    opts.CSV,
    opts.FORCE,
)
def diff(old: Path, new: Path, csv: Path | None, *, force: bool) -> None:
    """Say what got better and what worse, and what changed in data, options and versions.

    Exits with 1 if a verdict, or the status of a measurement, is worse than it was; with 0
    otherwise. --csv saves every measurement that changed.
    """
    from sdcmetrics.cli.finished_reviews import show_changes
    from sdcmetrics.cli.saving import check_output
    from sdcmetrics.report.since import compare_results

    check_output({"--csv": csv}, [old, new], force=force)
    changes = compare_results(old, new)
    show_changes(changes, csv)
    sys.exit(int(changes.worse))


@_command(
    "Rank the replicas; say how sure the ranking is.",
    opts.argument("study", "The study file (TOML), a review.json, or its folder."),
    opts.option("--strategy", "rank, linear, normal, quantile, summation, or anchored."),
    opts.WEIGHTS,
    opts.option("--replicates", "How often to draw the records again.", opts.number(0)),
    opts.option("--seed", "Seed of all draws; by default 1.", opts.number(0)),
    opts.CSV,
    click.option(  # without it, the study says
        "--anchors/--no-anchors",
        default=None,
        help="Compute references, and scores between them.",
    ),
    opts.ALLOW_CODE,
    opts.QUIET,
    opts.FORCE,
)
def rank(study: Path, csv: Path | None, *, force: bool, **chosen: Any) -> None:
    """Rank the replicas of a study, or of the review.json that a review wrote.

    Says which replica is first under the weights of the study file or of --weight, how sure that
    is, and what would change it. A review.json has no data, so references and --replicates need
    the study file.
    """
    from sdcmetrics.cli.ranking import show_ranking
    from sdcmetrics.cli.run import rank_study
    from sdcmetrics.cli.saving import check_output, data_files

    check_output({"--csv": csv}, data_files(study), force=force)
    show_ranking(rank_study(study, **chosen), csv)


@_command(
    "List who is at risk, and what would help; for internal use.",
    opts.argument("study", "The study file (TOML), or the folder of an internal review."),
    opts.repeatable(
        "--coarsen", "COLUMN=HOW", "What to try: age=5, born=year, region=regions.csv."
    ),
    opts.CSV,
    opts.ALLOW_CODE,
    opts.FORCE,
    opts.QUIET,
)
def remedies(
    study: Path,
    coarsen: Sequence[str],
    csv: Path | None,
    *,
    allow_code: bool,
    force: bool,
    quiet: bool,
) -> None:
    """List the original records at risk, why, and the cheapest remedy; --csv saves them all.

    Also what coarser keys would bring, before anybody makes them coarser: k, records that are
    alone, repU and DiSCO before and after.

    With [attacks] in the study file also who is nearest to a replica, and how near the true match
    is. The table is about people of the original: it is for internal use only.
    """
    from sdcmetrics.cli.remedies import read_coarsen, show_remedies, study_of
    from sdcmetrics.cli.saving import check_output, data_files
    from sdcmetrics.cli.terminal import progress

    check_output({"--csv": csv}, data_files(study_of(study)[0]), force=force)
    with progress(quiet=quiet) as step_progress:
        show_remedies(study, csv, read_coarsen(coarsen), step_progress, allow_code=allow_code)


@_command(
    "Say what a metric means; without a name, list all.",
    opts.argument("metric", "A symbol, such as DiSCO.", required=False, type=str),
)
def explain(metric: str | None) -> None:
    """Say what a metric means: range, direction, formula, source, limits."""
    from sdcmetrics.cli.explain import show_metric, show_metrics

    show_metrics() if metric is None else show_metric(metric)


@_command(
    "Show a profile of thresholds; without a name, list all.",
    opts.argument("name", "The name of a profile, or its TOML file.", required=False, type=str),
)
def profiles(name: str | None) -> None:
    """List the profiles of thresholds, or show one with its sources."""
    from sdcmetrics.cli.explain import show_profile, show_profiles

    show_profiles() if name is None else show_profile(name)


for _each in (*BEFORE_RELEASE, *SAMPLES, *ONE_FILE):
    app.add_command(_each)
