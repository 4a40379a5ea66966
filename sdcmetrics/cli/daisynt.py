"""The command that runs the tests of DAISYnt."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

import sdcmetrics as sdc
from sdcmetrics.cli import options as opts
from sdcmetrics.cli.attacks import ATTACKS
from sdcmetrics.cli.files import Files, compares

if TYPE_CHECKING:
    from sdcmetrics.study.study import Study

SUITES = ATTACKS
"""The commands on files, to which this is added."""

_FIGURES = {"published": ["score", "raw"], "corrected": ["value", "fresh", "p"]}


def _study_roles(study: Study) -> dict[str, Any]:
    """Return what a study says of the columns."""
    from sdcmetrics.suites.metric import roles_of

    roles = roles_of(study)
    codes = {"missing_codes": study.options.missing_codes, "seed": study.options.seed}
    return {name: getattr(roles, name) for name in ("target", "public", "sensitive")} | codes


_COMMAND = compares(
    "daisynt",
    "Run the tests of DAISYnt.",
    opts.option("--target", "A column of two classes that users predict."),
    opts.holdout(),
    opts.columns("--categorical", "Numbers that are categories."),
    opts.columns("--public", "Columns that an intruder knows."),
    opts.columns("--sensitive", "Columns that an intruder wants."),
    opts.option("--mode", "published, or corrected.", default="published"),
    opts.columns("--tests", "Symbols of the rows; by default all."),
    opts.SEED,
    opts.CSV,
    syntheses=1,
    study=True,
)


def _daisynt(files: Files, **chosen: Any) -> None:
    """Run the tests of DAISYnt: its published scores, or the tests that correct them.

    A study file in place of the original, and the name of a replica in place of its file, say what
    the data and the roles of the columns are.
    """
    from sdcmetrics.cli.saving import save_csv
    from sdcmetrics.cli.terminal import print_fixes, print_frame, print_lines
    from sdcmetrics.study.study import Study

    if isinstance(files.data, Study):
        roles = _study_roles(files.data)
        chosen |= {name: roles[name] for name in roles if chosen.get(name) in (None, {})}
    if not chosen["target"]:
        msg = "expected --target with a column of two classes, or a study file that has one."
        raise click.UsageError(msg)
    table = sdc.daisynt(files.original, list(files.syntheses), files.holdout, **chosen)
    save_csv(table.assign(evidence=table["evidence"].map(str)), files.csv)
    names = dict.fromkeys(_FIGURES[chosen["mode"]])
    print_frame(table.set_index("Test", append=True), list(names), "symbol", "test")
    notes = table["note"][table["note"] != ""]
    print_lines(*(f"{symbol}: {note}" for symbol, note in notes.items()))
    if chosen["mode"] == "published":
        print_lines(
            "scores as published, 1 is best; people who were not in the original do not score 1 "
            "either, and worthless replicas not 0: --mode corrected puts the holdout beside each"
        )
    print_lines(f"seed {table.attrs['seed']}")
    print_fixes(table.attrs["fixes"])


if find_spec("sdcmetrics.suites") is not None:  # an installation may leave the suites out
    _COMMAND(_daisynt)
