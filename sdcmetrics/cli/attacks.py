"""Commands that attack a replica: once on its training records, once on a holdout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sdcmetrics as sdc
from sdcmetrics.cli import options as opts
from sdcmetrics.cli.files import COMMANDS, Files, compares

if TYPE_CHECKING:
    from pathlib import Path

    from sdcmetrics.measures.attacks.result import AttackResult

ATTACKS = COMMANDS
"""The commands on files, to which these are added."""

_HOLDOUT = opts.holdout(required=True)
_MEANING = {
    "training": "of the original",
    "control": "of the holdout, or by chance",
    "baseline": "for one who guesses",
    "excess": "of what people who were not in the original do not give away",
    "copy": "of the original if it were handed out itself",
}


@compares(
    "membership",
    "Infer who was in the original.",
    _HOLDOUT,
    opts.VARIABLES,
    opts.SEED,
    opts.CSV,
)
def _membership(files: Files, **chosen: Any) -> None:
    """Infer who was in the original from how near the replica's nearest record is."""
    _show(sdc.membership(*files.sets, **chosen), files.csv)


@compares(
    "epsilon-bound",
    "Bound epsilon from below by one release.",
    _HOLDOUT,
    opts.flag("--random-holdout", "Original and holdout were divided at random beforehand."),
    opts.VARIABLES,
    opts.SEED,
    opts.CSV,
)
def _epsilon_bound(files: Files, **chosen: Any) -> None:
    """Bound the epsilon of the generator from below, by one replica and a random holdout.

    0 is no proof of privacy: a bound contradicts a declared epsilon, and certifies none.
    """
    from sdcmetrics.cli.saving import save_csv
    from sdcmetrics.cli.terminal import print_fixes, print_lines

    bound = sdc.epsilon_of_release(*files.sets, **chosen)
    print_lines(
        f"epsilon is at least {bound.epsilon:.3g} (95 %), of replace-one differential privacy",
        f"so many people can prove {bound.largest:.3g} at most",
        *(
            f"of the {row.guesses} surest {row.right} are of the original, by chance about "
            f"{row.by_chance:.0f}: epsilon {row.epsilon:.3g}"
            for row in bound.guesses.itertuples()
        ),
    )
    print_fixes(bound.fixes)
    save_csv(bound.guesses.set_index("guesses"), files.csv)


@compares(
    "singling-out",
    "Single people out by descriptions.",
    _HOLDOUT,
    opts.option("--columns", "Columns per description.", opts.number(1), 3),
    opts.option("--permutations", "Permutations of the labels.", opts.number(1), 999),
    opts.VARIABLES,
    opts.SEED,
    opts.CSV,
)
def _singling_out(files: Files, **chosen: Any) -> None:
    """Test whether descriptions that fit one synthetic record single out one original record."""
    _show(sdc.singling_out(*files.sets, **chosen), files.csv)


@compares(
    "linkability",
    "Link two sets of columns of the same people.",
    _HOLDOUT,
    opts.columns("--keys", "Columns of one file of the intruder.", required=True),
    opts.columns("--other-keys", "Columns of the other.", required=True),
    opts.option("--permutations", "Permutations of the labels.", opts.number(1), 999),
    opts.SEED,
    opts.CSV,
)
def _linkability(files: Files, **chosen: Any) -> None:
    """Link two sets of columns of the same people through the nearest synthetic records."""
    _show(sdc.linkability(*files.sets, **chosen), files.csv)


@compares(
    "attribute-inference",
    "Infer a column by a model of the replica.",
    _HOLDOUT,
    opts.option("--target", "The column that an intruder wants.", required=True),
    opts.columns("--keys", "Columns that an intruder knows; by default all others."),
    opts.option("--learner", "forest, cart, boosting, or nearest.", default="forest"),
    opts.option(
        "--seeds", "How often 50 trees are grown for a forest, at most.", opts.number(1), 10
    ),
    opts.SEED,
    opts.CSV,
)
def _attribute_inference(files: Files, **chosen: Any) -> None:
    """Infer a column of people from others, by a model that learns from the replica."""
    _show(sdc.attribute_inference(*files.sets, **chosen), files.csv)


@compares(
    "exact-matches",
    "Count the unique records that a replica holds.",
    _HOLDOUT,
    opts.columns("--variables", "Columns that must agree; by default all."),
    opts.flag("--unique-in-replica", "Count only matches that are unique there, too."),
    opts.CSV,
)
def _exact_matches(files: Files, **chosen: Any) -> None:
    """Count the records of people unlike everybody else that the replica holds."""
    _show(sdc.exact_matches(*files.sets, **chosen), files.csv)


@compares(
    "record-linkage",
    "Link perturbed records back to their originals.",
    opts.columns("--keys", "Columns that an intruder knows.", required=True),
    opts.option("--links", "row, or a column of numbers that link the files.", default="row"),
    opts.CSV,
    syntheses=1,
)
def _record_linkage(files: Files, **chosen: Any) -> None:
    """Link perturbed records back to the originals that they were made of, by four methods."""
    from sdcmetrics.cli.saving import save_csv
    from sdcmetrics.cli.terminal import print_fixes, print_frame, print_lines

    result = sdc.record_linkage(files.original, files.syntheses[0], **chosen)
    save_csv(result.methods, files.csv)
    print_frame(result.methods, list(result.methods.columns))
    print_lines(
        f"the worst method, {result.worst}, finds {100 * result.risk:.1f} % of the records; a "
        f"random pick {100 * result.baseline:.1f} %; protection bought: "
        f"{100 * result.protection:.1f} %"
    )
    if result.left_out:
        print_lines(f"{result.left_out:,} original records have no perturbed one")
    print_fixes(result.fixes)


def _show(result: AttackResult, csv: Path | None) -> None:
    """Print an attack's success and save that on each original record."""
    import pandas as pd

    from sdcmetrics.cli.saving import save_csv
    from sdcmetrics.cli.terminal import number_text, print_fixes, print_lines

    scores = pd.Series(result.per_record, name="attack_score").rename_axis("record")
    save_csv(scores.to_frame(), csv)
    each = result.per_synthesis
    together = f", by {len(each)} syntheses together" if each else ""
    print_lines(f"{result.attack}: {result.of}{together}")
    for name, meaning in _MEANING.items():
        value = getattr(result, name)
        if not math.isnan(value):
            print_lines(f"  {name} {number_text(value)}: {meaning}")
    low, high = result.interval
    if not math.isnan(low):
        print_lines(f"  interval of the excess {number_text(low)} to {number_text(high)}")
    print_lines(
        f"  p {number_text(result.p_value)}: small if the replica knows who was in the original"
    )
    for name, value in result.figures.items():
        texts = [_text(number) for number in (value if isinstance(value, tuple) else (value,))]
        if texts != ["-"]:
            print_lines(f"  {name.replace('_', ' ')}: {', '.join(texts)}")
    for i, alone in enumerate(each, start=1):
        figures = (alone.training, alone.control, alone.p_value)
        training, control, p = map(number_text, figures)
        print_lines(f"  synthesis {i} alone: training {training}, control {control}, p {p}")
    print_lines(*(f"note: {note}" for note in result.notes))
    print_fixes(result.fixes)


def _text(value: Any) -> str:
    from sdcmetrics.cli.terminal import number_text

    return value if isinstance(value, str) else number_text(value)
