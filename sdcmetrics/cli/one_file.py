"""Commands that look at one file by its keys: what it says of the people in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import sdcmetrics as sdc
from sdcmetrics.cli import options as take

ONE_FILE: list[click.Command] = []

KEYS = take.columns("--keys", "Columns that an intruder knows.", required=True)
_TARGET = take.option("--target", "The column that an intruder wants.", required=True)
_FRACTION = take.option(
    "--sampling-fraction", "Share of the population that the file has.", float, 0.1
)

Measure = Callable[..., Any]


def looks_at(name: str, short_help: str, *options: take.Decorator) -> Callable[[Measure], Measure]:
    """Register a command: outputs are checked, the file is read, then it measures and prints."""

    def register(measure: Measure) -> Measure:
        def run(original: Path, csv: Path | None, *, force: bool, **given: Any) -> None:
            from sdcmetrics.cli.saving import check_output, save_csv
            from sdcmetrics.cli.terminal import number_text, print_fixes, print_frame, print_lines

            check_output({"--csv": csv}, [original], force=force)
            found, figures, table, shown = measure(sdc.read(original), **given)
            save_csv(table, csv)
            print_lines(*(f"{what}: {number_text(value)}" for what, value in figures.items()))
            if shown is not None:
                print_frame(shown, list(shown.columns))
            print_lines(*(f"note: {note}" for note in getattr(found, "notes", ())))
            if found.fixes:
                print_fixes(found.fixes)

        every = (take.ORIGINAL, KEYS, *options, take.MISSING_CODES, take.CSV, take.FORCE)
        ONE_FILE.append(take.made(run, name, short_help, measure.__doc__, *every))
        return measure

    return register


@looks_at(
    "k-anonymity",
    "Count the records of a file that share their keys.",
    take.option("--missing", "Whether a missing key is a level, or a wildcard.", default="level"),
)
def _k_anonymity(file: Any, **chosen: Any) -> Any:
    """Count the records of a file that share each key combination."""
    found = sdc.k_anonymity(file, **chosen)
    figures = {"records": found.n, "k (smallest class)": found.k, "unique records": found.uniques}
    return found, figures, found.below, found.below


@looks_at("l-diversity", "Count the target values behind each key combination.", _TARGET)
def _l_diversity(file: Any, **chosen: Any) -> Any:
    """Measure how many values of a target the records of one key combination have."""
    found = sdc.l_diversity(file, **chosen)
    figures = {
        "distinct l": found.distinct,
        "entropy l": found.entropy,
        "recursive l": found.recursive,
        "records whose target the keys give away": found.below_2,
    }
    return found, figures, found.classes, None


@looks_at("t-closeness", "Compare the target of each key combination with all.", _TARGET)
def _t_closeness(file: Any, **chosen: Any) -> Any:
    """Measure how far the target's distribution in each class is from that in the file."""
    found = sdc.t_closeness(file, **chosen)
    figures = {
        "largest t": found.largest,
        "largest t if keys and target were unrelated": found.null_largest,
        "mean t over records": found.mean,
        "mean t if keys and target were unrelated": found.null_mean,
    }
    return found, figures, found.classes, None


@looks_at(
    "match-risk",
    "Estimate the chance that a unique match is right.",
    take.option("--population-size", "People in the population.", float),
    take.option("--sampling-fraction", "Share of them that the file has.", float),
)
def _match_risk(file: Any, **chosen: Any) -> Any:
    """Estimate the chance that a unique match by the keys is a right one (DIS)."""
    import pandas as pd

    found = sdc.match_risk(file, **chosen)
    figures = {
        "lower": found.lower,
        "upper": found.upper,
        "unique records": found.uniques,
        "pairs": found.doubles,
        "sampling fraction": found.fraction,
    }
    table = pd.DataFrame([figures], index=pd.Index([found.risk], name="match_risk"))
    return found, {"chance that a unique match is right": found.risk} | figures, table, None


@looks_at(
    "special-uniques",
    "Find who is alone by few keys already (SUDA).",
    _FRACTION,
    take.option("--max-size", "The largest set of keys to look at.", take.number(1)),
)
def _special_uniques(file: Any, **chosen: Any) -> Any:
    """Find the records that are alone by few keys already, and rank them (SUDA)."""
    found = sdc.special_uniques(file, **chosen)
    figures = {"special uniques": found.special, "unique by all keys": found.uniques}
    return found, figures, found.of_record, found.by_size


@looks_at("key-importance", "Say what each key adds to the risk.", _FRACTION)
def _key_importance(file: Any, **chosen: Any) -> Any:
    """Measure what each key adds to the risk of being found, and which few give most away."""
    found = sdc.key_importance(file, **chosen)
    figures = {"records": found.n, "unique by all keys": found.uniques}
    for keys, percent in zip(found.few_keys["keys"], found.few_keys["percent"], strict=True):
        figures["% unique by " + ", ".join(keys)] = percent
    return found, figures, found.by_key, found.by_key
