"""Commands for samples: risk by weights and households, and weighted comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import sdcmetrics as sdc
from sdcmetrics.cli import options as opts
from sdcmetrics.cli.daisynt import SUITES
from sdcmetrics.cli.files import FAMILY, Files, compares
from sdcmetrics.cli.one_file import looks_at

if TYPE_CHECKING:
    import pandas as pd

SAMPLES = SUITES
"""The commands on files, to which these are added."""

_SHOWN = 25
"""Rows that fit a screen."""
_WEIGHT = opts.option("--weight", "The column of sampling weights.")
_HOUSEHOLD = opts.option("--household", "The column that identifies households.")
_SIZE = opts.option("--population-size", "People in the population.", float)
_FRACTION = opts.option("--sampling-fraction", "Share of them that the file has.", float)
_DESIGN = (
    _WEIGHT,
    opts.option("--strata", "The column of strata."),
    opts.option("--cluster", "The column of clusters."),
    opts.option(
        "--lonely",
        "A stratum of one cluster: fail, adjust, average, certainty, or remove.",
        default="fail",
    ),
    opts.option("--synthetic-weight", "The column of weights of the replica."),
)


@looks_at(
    "individual-risk",
    "Estimate each record's risk from weights.",
    opts.option("--weight", "The column of sampling weights.", required=True),
    _HOUSEHOLD,
    opts.flag("--approximate", "Use sdcMicro's approximation."),
)
def _individual_risk(file: Any, **chosen: Any) -> Any:
    """Estimate each record's chance to be identified by its keys, from sampling weights."""
    risk = sdc.individual_risk(file, **chosen)
    figures = {"records that are identified, expected": risk.expected, "mean risk": risk.mean}
    if chosen["household"]:
        figures["records in households of which somebody is"] = risk.household_expected
    return risk, figures, risk.records.rename_axis("record"), None


@looks_at(
    "population-uniques",
    "Estimate how many unique records are so in the population.",
    _WEIGHT,
    _SIZE,
    _FRACTION,
    opts.option("--method", "loglinear, or pitman.", default="loglinear"),
)
def _population_uniques(file: Any, **chosen: Any) -> Any:
    """Estimate how many unique records of a sample are unique in the population."""
    uniques = sdc.population_uniques(file, **chosen)
    figures = {
        "unique records": uniques.uniques,
        "of them unique in the population, expected": uniques.population_uniques,
        "right matches with the population, expected": uniques.matches,
    }
    return uniques, figures, uniques.records, uniques.tried.set_index("model")


@looks_at(
    "attacker-risks",
    "Measure the risk from prosecutor, journalist, marketer.",
    opts.file("--population", "A register of the population with the same keys."),
    _SIZE,
    _FRACTION,
    opts.option("--threshold", "The risk above which a record counts.", float, 0.09),
)
def _attacker_risks(file: Any, *, population: Path | None, **chosen: Any) -> Any:
    """Measure the risk from a prosecutor, a journalist and a marketer."""
    import pandas as pd

    register = None if population is None else sdc.read(population)
    risks = sdc.attacker_risks(file, population=register, **chosen)
    figures = {
        "prosecutor, largest": risks.prosecutor_largest,
        "prosecutor, mean": risks.prosecutor_mean,
        "share of records above the threshold": risks.prosecutor_above,
        "journalist, largest": risks.journalist_largest,
        "journalist, mean": risks.journalist_mean,
        "marketer": risks.marketer,
    }
    table = pd.DataFrame({"risk": figures}).rename_axis("attacker")
    return risks, figures, table, None


@looks_at(
    "household-uniqueness",
    "Count the households that no other resembles.",
    opts.option("--household", "The column that identifies households.", required=True),
)
def _household_uniqueness(file: Any, **chosen: Any) -> Any:
    """Count the households whose members' keys, taken together, no other household has."""
    import pandas as pd

    uniqueness = sdc.household_uniqueness(file, **chosen)
    figures = {
        "households": uniqueness.households,
        "% of households that no other resembles": uniqueness.unique.percent,
        "% of records in such a household": uniqueness.in_unique.percent,
        "% of records that are unique by themselves": uniqueness.unique_alone.percent,
    }
    table = pd.DataFrame({"households_alike": uniqueness.of_record}).rename_axis("record")
    return uniqueness, figures, table, None


@compares(
    "weighted-tables",
    "Compare cross-tables of a weighted sample.",
    *_DESIGN,
    opts.option("--against", "population, or original.", default="population"),
    opts.option("--ways", "Variables per table.", opts.number(1), 1),
    opts.VARIABLES,
    opts.option("--ngroups", "Groups per numeric variable.", opts.number(2), 5),
    opts.CSV,
)
def _weighted_tables(files: Files, **chosen: Any) -> None:
    """Compare cross-tables of a weighted, stratified or clustered sample with a replica's."""
    tables = sdc.weighted_tables(files.original, files.syntheses, **chosen)
    worst = tables.table.sort_values("S_VW_corrected", ascending=False)
    shown = ["TVD", "TVD_expected", "S_VW_corrected", "p", "design_effect"]
    _show(tables, tables.table, worst, shown, files.csv)


@compares(
    "weighted-compare",
    "Compare means and shares of a weighted sample.",
    *_DESIGN,
    opts.VARIABLES,
    opts.CSV,
)
def _weighted_compare(files: Files, **chosen: Any) -> None:
    """Compare means, quantiles and shares of a designed sample with a replica's."""
    comparison = sdc.weighted_compare(files.original, files.syntheses, **chosen)
    table = comparison.table.fillna({"statistic": "(missing)"}).set_index(["variable", "statistic"])
    worst = table.sort_values("z", key=lambda z: -z.abs(), kind="stable")
    shown = ["original", "se_original", "synthetic", "se_synthetic", "z"]
    _show(comparison, table, worst, shown, files.csv)


@compares(
    "survey-overlap",
    "Fit a model to a weighted sample and to a replica.",
    opts.option("--formula", "In the notation of R, such as 'y ~ a + b'.", required=True),
    FAMILY,
    *_DESIGN,
    opts.CSV,
)
def _survey_overlap(files: Files, **chosen: Any) -> None:
    """Fit one model to a designed sample and to a replica, and compare the coefficients."""
    from sdcmetrics.cli.terminal import number_text, print_lines

    overlap = sdc.survey_overlap(files.original, files.syntheses, **chosen)
    print_lines(
        f"mean overlap {number_text(overlap.mean_overlap)}, mean absolute z "
        f"{number_text(overlap.mean_abs_z)} (about 0.8 for an independent sample)"
    )
    _show(
        overlap,
        overlap.coefficients,
        overlap.coefficients,
        [*map(str, overlap.coefficients)],
        files.csv,
    )


def _show(
    result: Any, table: pd.DataFrame, worst: pd.DataFrame, columns: list[str], csv: Path | None
) -> None:
    """Print what the design is and the first rows; save all if asked."""
    from sdcmetrics.cli.saving import save_csv
    from sdcmetrics.cli.terminal import number_text, print_fixes, print_frame, print_lines

    save_csv(table, csv)
    print_frame(worst.head(_SHOWN), columns)
    if len(table) > _SHOWN:
        hint = f"saved to {csv}" if csv else "--csv FILE saves them all"
        print_lines(f"the worst {_SHOWN} of {len(table):,} rows; {hint}")
    notes = [f"degrees of freedom {result.degrees_of_freedom:,}"]
    if hasattr(result, "kish"):
        notes.append(f"design effect of unequal weights alone {number_text(result.kish)}")
    print_lines("; ".join(notes))
    print_fixes(result.fixes)
