"""Commands that compare an original with a replica, without a study: one runner for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import sdcmetrics as sdc
from sdcmetrics.cli import options as opts

if TYPE_CHECKING:
    from sdcmetrics.microdata.frames import Microdata
    from sdcmetrics.study.data import DataSets
    from sdcmetrics.study.study import Study

COMMANDS: list[click.Command] = []


@dataclass(frozen=True)
class Files:
    """Data sets of a command, read on first use, and the paths of its output."""

    read: Callable[[], DataSets | Study]
    replica: str
    csv: Path | None
    json: Path | None

    @cached_property
    def data(self) -> DataSets | Study:
        """The data sets, or the study that names them."""
        return self.read()

    @property
    def original(self) -> Microdata:
        """The original."""
        return self.data.original

    @property
    def syntheses(self) -> tuple[Microdata, ...]:
        """The syntheses of the replica."""
        return self.data.replicas[self.replica]

    @property
    def holdout(self) -> Microdata | None:
        """The holdout, if there is one."""
        return self.data.holdout

    @property
    def sets(self) -> tuple[Microdata, Sequence[Microdata] | Microdata, Microdata | None]:
        """Original, the synthesis or several of them, and holdout."""
        several = len(self.syntheses) > 1
        return self.original, self.syntheses if several else self.syntheses[0], self.holdout


FAMILY = opts.option(
    "--family",
    "gaussian, binomial, probit, cloglog, poisson, multinomial, or ordered.",
    default="gaussian",
)


def compares(
    name: str,
    short_help: str,
    *options: opts.Decorator,
    syntheses: int = -1,
    study: bool = False,
) -> Callable[[Callable[..., None]], None]:
    """Register a command: outputs are checked, then files are read, then it measures and prints.

    Parameters
    ----------
    *options : decorators
        Beside the files, --missing-code and --force, which every command has.
    syntheses : 1 or -1
        How many syntheses may be named; -1 is any number.
    study : bool
        Whether a study file may stand for the original, and the name of its replica for this.
    """
    what = "The replica." if syntheses == 1 else "A replica, or m syntheses of it."
    taken = opts.argument("synthetic", what, nargs=syntheses, required=True)

    def register(measure: Callable[..., None]) -> None:
        def run(original: Path, synthetic: Any, *, force: bool, **chosen: Any) -> None:
            from sdcmetrics.cli.saving import check_output
            from sdcmetrics.study.data import load

            paths = [synthetic] if syntheses == 1 else list(synthetic)
            holdout, csv, json = (chosen.pop(name, None) for name in ("holdout", "csv", "json"))
            inputs = [original, *paths, *([holdout] if holdout else [])]
            check_output({"--csv": csv, "--json": json}, inputs, force=force)

            named = study and original.suffix.lower() == ".toml"
            replica = str(synthetic) if named else "synthetic"

            def read() -> DataSets | Study:
                if named:
                    return _of_study(original, replica)
                return load(original, {replica: paths}, holdout, {})

            if chosen.get("seed", ...) is None:
                del chosen["seed"]  # that of the function which measures
            measure(Files(read, replica, csv, json), **chosen)

        every = (opts.ORIGINAL, taken, *options, opts.MISSING_CODES, opts.FORCE)
        COMMANDS.append(opts.make_command(run, name, short_help, measure.__doc__, *every))

    return register


def _of_study(path: Path, replica: str) -> Study:
    from sdcmetrics.errors import StudyError, did_you_mean
    from sdcmetrics.study.reading import read_study

    loaded = read_study(path)
    if replica not in loaded.replicas:
        hint = did_you_mean(replica, list(loaded.replicas))
        msg = f"{path.name}: there is no replica {replica!r}.{hint}"
        raise StudyError(f"{msg} Known: {', '.join(loaded.replicas)}.")
    return loaded


@compares(
    "utility-tables",
    "Compare all cross-tables of two files.",
    opts.option("--ways", "Variables per table.", opts.number(1), 2),
    opts.VARIABLES,
    opts.option("--ngroups", "Groups per numeric variable.", opts.number(2), 5),
    opts.CSV,
)
def _utility_tables(files: Files, **chosen: Any) -> None:
    """Compare all cross-tables of an original and a replica; show the worst first."""
    from sdcmetrics.cli.tables import show_utility

    show_utility(sdc.utility_tables(files.original, files.syntheses, **chosen), files.csv)


@compares(
    "utility-gen",
    "Fit a model that tells a replica from the original.",
    opts.option("--method", "logit, or cart.", default="cart"),
    opts.option("--maxorder", "Order of the interactions of logit.", opts.number(0), 1),
    opts.VARIABLES,
    opts.SEED,
    opts.CSV,
)
def _utility_gen(files: Files, **chosen: Any) -> None:
    """Fit a model that tells a replica from the original, and say how well it does so."""
    from sdcmetrics.cli.models import show_propensity

    result = sdc.utility_gen(files.original, files.syntheses, **chosen)
    show_propensity(result, files.csv)


@compares(
    "prediction",
    "Train on a replica, test on a holdout.",
    opts.holdout(),
    opts.columns("--targets", "Columns to predict, each from all others.", required=True),
    opts.columns("--learners", "logistic, tree, boosting, cart, forest, network."),
    opts.option("--permutations", "Permutations of the labels.", opts.number(0), 99),
    opts.VARIABLES,
    opts.SEED,
    opts.CSV,
)
def _prediction(files: Files, **chosen: Any) -> None:
    """Learn columns from a replica and from the original, and test both on a holdout."""
    from sdcmetrics.cli.models import show_prediction

    data = (files.original, files.syntheses, files.holdout)
    show_prediction(sdc.prediction(*data, **chosen), files.csv)


@compares(
    "disclosure",
    "Measure disclosure for a set of keys.",
    opts.columns("--keys", "Columns that an intruder knows.", required=True),
    opts.columns("--targets", "Columns that an intruder wants; by default all but the keys."),
    opts.option(
        "--ngroups-targets", "Groups per numeric target; 0 keeps every value.", opts.number(0), 0
    ),
    opts.CSV,
)
def _disclosure(files: Files, *, keys: list[str], targets: list[str] | None, **chosen: Any) -> None:
    """Measure identity and attribute disclosure for a set of keys: one row per target."""
    from sdcmetrics.cli.tables import show_disclosure
    from sdcmetrics.study.roles import complete, list_scenarios

    (wanted,) = list_scenarios(keys, targets, ())
    full = complete(wanted, files.original, files.syntheses)
    frame = sdc.multi_disclosure(
        files.original, files.syntheses, keys=full.keys, targets=full.targets, **chosen
    )
    show_disclosure(frame, files.csv)


@compares(
    "fidelity",
    "Compare tables of training data, a replica and a holdout.",
    opts.holdout(),
    opts.option("--mode", "Categories: corrected, or published.", default="corrected"),
    opts.VARIABLES,
    opts.CSV,
)
def _fidelity(files: Files, **chosen: Any) -> None:
    """Compare all tables of 1, 2 and 3 variables with those of the training data."""
    from sdcmetrics.cli.tables import show_fidelity

    result = sdc.marginal_fidelity(files.original, files.syntheses, holdout=files.holdout, **chosen)
    held = None if files.holdout is None else sdc.check_holdout(files.original, files.holdout)
    show_fidelity(result, held, files.csv)


@compares(
    "closest-record",
    "Compare distances to training data and to a holdout.",
    opts.holdout(required=True),
    opts.option("--distance", "hamming, gower, or euclidean.", default="hamming"),
    opts.option("--mode", "Groups of Hamming: corrected, or published.", default="corrected"),
    opts.option("--permutations", "Permutations of the labels.", opts.number(0), 999),
    opts.VARIABLES,
    opts.SEED,
    opts.JSON,
)
def _closest_record(files: Files, **chosen: Any) -> None:
    """Compare how close a replica is to its training data with how close it is to a holdout."""
    from sdcmetrics.cli.closest_record import show_closest_record
    from sdcmetrics.cli.terminal import progress

    data = files.sets
    with progress(lines=False) as report_progress:
        search = (
            None
            if report_progress is None
            else lambda done, total: report_progress("searching", done, total)
        )
        result = sdc.distance_to_closest_record(*data, progress=search, **chosen)
    show_closest_record(result, files.json)


@compares(
    "fit-overlap",
    "Fit a model to two files and compare the coefficients.",
    opts.repeatable(
        "--formula formulas", "FORMULA", "In the notation of R, such as 'y ~ a + b'.", required=True
    ),
    FAMILY,
    opts.flag("--population-inference", "Make the intervals for the population."),
    opts.CSV,
)
def _fit_overlap(files: Files, *, formulas: tuple[str, ...], family: str, **chosen: Any) -> None:
    """Fit models to an original and a replica, and compare the coefficients."""
    from sdcmetrics.cli.models import show_fits

    models = [(formula, family) for formula in formulas]
    result = sdc.weighted_overlap(files.original, files.syntheses, models=models, **chosen)
    show_fits(result, files.csv)


@click.command(
    "fit",
    cls=opts.Command,
    short_help="Fit a model to a replica alone.",
    help="Fit a model to a replica, and infer from it as its user would, without the original.",
)
@opts.argument("synthetic", "A replica, or m syntheses of it.", nargs=-1, required=True)
@opts.option(
    "--formula", "In the notation of R, such as 'y ~ a + b'.", metavar="FORMULA", required=True
)
@FAMILY
@opts.option(
    "--n-original",
    "Records of the original; by default as many as a synthesis has.",
    opts.number(1),
)
@opts.flag("--population-inference", "Make the standard errors for the population.")
@opts.flag("--proper", "The synthesis drew its parameters, too.")
@opts.columns("--not-synthesised", "Columns that are the original's own.")
@opts.flag("--by-synthesis", "Show, and save, the fit of every synthesis.")
@opts.CSV
@opts.MISSING_CODES
@opts.FORCE
def _fit(
    synthetic: tuple[Path, ...],
    csv: Path | None,
    *,
    by_synthesis: bool,
    formula: str,
    force: bool,
    **chosen: Any,
) -> None:
    from sdcmetrics.cli.models import show_synthetic_fit
    from sdcmetrics.cli.saving import check_output
    from sdcmetrics.study.data import check_replicas

    check_output({"--csv": csv}, synthetic, force=force)
    given = check_replicas({"synthetic": list(synthetic)})["synthetic"]
    frames = [sdc.read(source) if isinstance(source, Path) else source for source in given]
    fit = sdc.synthetic_fit(frames, formula=formula, **chosen)
    assumed = chosen["n_original"] is None
    show_synthetic_fit(fit, csv, by_synthesis=by_synthesis, assumed=assumed)


COMMANDS.append(_fit)


@compares(
    "rules",
    "Check relations that every record should keep.",
    opts.repeatable("--rule texts", "RULE", "Such as 'if employed == \"no\" then income == 0'."),
    opts.flag("--find", "Look for relations that the replica breaks."),
    opts.option("--limit", "Relations that --find shows.", opts.number(1), 20),
    opts.CSV,
    opts.JSON,
)
def _rules(files: Files, *, texts: tuple[str, ...], find: bool, limit: int, **chosen: Any) -> None:
    """Count the records that break rules; with --find, look for relations that are broken."""
    from sdcmetrics.cli.rules import save_rules, show_rules
    from sdcmetrics.measures.rules.rule import make_rules

    if not texts and not find:
        msg = "expected --rule with a rule such as 'age_married <= age', or --find, or both."
        raise click.BadParameter(msg)
    wanted = make_rules(list(texts))
    both = (files.original, files.syntheses)
    check = sdc.check_rules(*both, wanted, **chosen) if wanted else None
    rules = sdc.find_rules(*both, limit=limit, **chosen) if find else None
    save_rules(check, rules, files.csv, files.json)
    show_rules(check, rules)
