"""Commands that look at one file by its keys: what it says of the people in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import sdcmetrics as sdc
from sdcmetrics.cli import options as opts

ONE_FILE: list[click.Command] = []

KEYS = opts.columns("--keys", "Columns that an intruder knows.", required=True)
_TARGET = opts.option("--target", "The column that an intruder wants.", required=True)
_FRACTION = opts.option(
    "--sampling-fraction", "Share of the population that the file has.", float, 0.1
)

Measure = Callable[..., Any]


def looks_at(name: str, short_help: str, *options: opts.Decorator) -> Callable[[Measure], Measure]:
    """Register a command: outputs are checked, the file is read, then it measures and prints."""

    def register(measure: Measure) -> Measure:
        def run(original: Path, csv: Path | None, *, force: bool, **chosen: Any) -> None:
            from sdcmetrics.cli.saving import check_output, save_csv
            from sdcmetrics.cli.terminal import number_text, print_fixes, print_frame, print_lines

            check_output({"--csv": csv}, [original], force=force)
            result, figures, table, shown = measure(sdc.read(original), **chosen)
            save_csv(table, csv)
            print_lines(*(f"{what}: {number_text(value)}" for what, value in figures.items()))
            if shown is not None:
                print_frame(shown, list(shown.columns))
            print_lines(*(f"note: {note}" for note in getattr(result, "notes", ())))
            if result.fixes:
                print_fixes(result.fixes)

        every = (opts.ORIGINAL, KEYS, *options, opts.MISSING_CODES, opts.CSV, opts.FORCE)
        ONE_FILE.append(opts.make_command(run, name, short_help, measure.__doc__, *every))
        return measure

    return register


@looks_at(
    "k-anonymity",
    "Count the records of a file that share their keys.",
    opts.option("--missing", "Whether a missing key is a level, or a wildcard.", default="level"),
)
def _k_anonymity(file: Any, **chosen: Any) -> Any:
    """Count the records of a file that share each key combination."""
    result = sdc.k_anonymity(file, **chosen)
    figures = {
        "records": result.n,
        "k (smallest class)": result.k,
        "unique records": result.uniques,
    }
    return result, figures, result.below, result.below


@looks_at("l-diversity", "Count the target values behind each key combination.", _TARGET)
def _l_diversity(file: Any, **chosen: Any) -> Any:
    """Measure how many values of a target the records of one key combination have."""
    result = sdc.l_diversity(file, **chosen)
    figures = {
        "distinct l": result.distinct,
        "entropy l": result.entropy,
        "recursive l": result.recursive,
        "records whose target the keys give away": result.below_2,
    }
    return result, figures, result.classes, None


@looks_at("t-closeness", "Compare the target of each key combination with all.", _TARGET)
def _t_closeness(file: Any, **chosen: Any) -> Any:
    """Measure how far the target's distribution in each class is from that in the file."""
    result = sdc.t_closeness(file, **chosen)
    figures = {
        "largest t": result.largest,
        "largest t if keys and target were unrelated": result.null_largest,
        "mean t over records": result.mean,
        "mean t if keys and target were unrelated": result.null_mean,
    }
    return result, figures, result.classes, None


@looks_at(
    "match-risk",
    "Estimate the chance that a unique match is right.",
    opts.option("--population-size", "People in the population.", float),
    opts.option("--sampling-fraction", "Share of them that the file has.", float),
)
def _match_risk(file: Any, **chosen: Any) -> Any:
    """Estimate the chance that a unique match by the keys is a right one (DIS)."""
    import pandas as pd

    result = sdc.match_risk(file, **chosen)
    figures = {
        "lower": result.lower,
        "upper": result.upper,
        "unique records": result.uniques,
        "pairs": result.doubles,
        "sampling fraction": result.fraction,
    }
    table = pd.DataFrame([figures], index=pd.Index([result.risk], name="match_risk"))
    return result, {"chance that a unique match is right": result.risk} | figures, table, None


@looks_at(
    "special-uniques",
    "Find who is alone by few keys already (SUDA).",
    _FRACTION,
    opts.option("--max-size", "The largest set of keys to look at.", opts.number(1)),
)
def _special_uniques(file: Any, **chosen: Any) -> Any:
    """Find the records that are alone by few keys already, and rank them (SUDA)."""
    result = sdc.special_uniques(file, **chosen)
    figures = {"special uniques": result.special, "unique by all keys": result.uniques}
    return result, figures, result.of_record, result.by_size


@looks_at("key-importance", "Say what each key adds to the risk.", _FRACTION)
def _key_importance(file: Any, **chosen: Any) -> Any:
    """Measure what each key adds to the risk of being found, and which few give most away."""
    result = sdc.key_importance(file, **chosen)
    figures = {"records": result.n, "unique by all keys": result.uniques}
    for keys, percent in zip(result.few_keys["keys"], result.few_keys["percent"], strict=True):
        figures["% unique by " + ", ".join(keys)] = percent
    return result, figures, result.by_key, result.by_key
