"""How the measures of a study are computed, and which columns those settings may name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.preset import load_preset
from sdcmetrics.measures.syntheval import metric_of
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.study.file import check_options

_MOST_TABLES = 1_000_000


@dataclass(frozen=True)
class Options:
    """How the measures are computed.

    Attributes
    ----------
    ngroups : int
        Groups of a numeric variable in utility tables.
    style : "quantile" or "equal"
    group_dates : bool
        Group dates like numbers in utility tables; synthpop makes each date a level.
    ngroups_keys, ngroups_targets : dict of column to int
        Groups of numeric keys and targets in disclosure measures; others keep every value.
    round_to : dict of column to number
        Rounding of numeric variables for the ratio of counts.
    min_count, max_categories : int
        When the ratio of counts skips a variable.
    variables : tuple of str or None
        Columns for utility; by default all that every data set has.
    ways : tuple of int
        Sizes of the utility tables.
    missing_codes : dict of column to numbers
    k_syn : bool
        The number of synthetic records was drawn, not fixed.
    candidates : int
        How many relations that the original keeps and a replica breaks are looked for; 0 for none.
    distance : "hamming", "gower" or "euclidean"
        Between records; used where there is a holdout, as are the next three.
    permutations : int
        Of the labels original and holdout.
    perturbed : tuple of float
        Shares of values that are replaced in the references on the map; none if empty.
    seed : int
        Of permutations and perturbed references.
    population_size : float or None
        People in the population that the original is a random sample of: what the chance that a
        unique match is right needs.
    sample_size : int
        Records that are drawn at random from each data set too large for memory, for measures that
        need records; 0 leaves these out, and their rows say so. Others are counted in full.
    sample_repeats : int
        Further samples that say how far the value of one sample is from those of others: the
        standard error in the column `se`. Each costs as much as the first.
    preset : str
        Metrics of a suite to compute too: SynthEval's "fast", "full" or "privacy", "daisynt", or
        the path of a TOML file; none if empty.
    """

    ngroups: int = 5
    style: str = "quantile"
    group_dates: bool = True
    ngroups_keys: Mapping[str, int] = field(default_factory=dict)
    ngroups_targets: Mapping[str, int] = field(default_factory=dict)
    round_to: Mapping[str, float] = field(default_factory=dict)
    min_count: int = 5
    max_categories: int = 2000
    variables: tuple[str, ...] | None = None
    ways: tuple[int, ...] = (1, 2)
    missing_codes: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    k_syn: bool = False
    candidates: int = 10
    distance: str = "hamming"
    permutations: int = 999
    perturbed: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    seed: int = 1
    population_size: float | None = None
    sample_size: int = 20_000
    sample_repeats: int = 4
    preset: str = ""


def make_options(given: Mapping[str, Any]) -> Options:
    """Make options of what a caller or a study file gives.

    Raises
    ------
    StudyError
        For an unknown option, or a value of the wrong type or out of range.
    """
    values = check_options(given)
    for name in ("ways", "variables", "perturbed"):
        if values[name] is not None:
            values[name] = tuple(dict.fromkeys(values[name]))
    check_preset(values["preset"])
    return Options(**values)


def check_preset(name: str) -> str:
    """Return the name of a preset that there is, of metrics that there are; empty for none.

    Raises
    ------
    StudyError, FileError
        If there is no such preset, or it names what is not a metric.
    """
    for metric in load_preset(name).metrics if name else ():
        metric_of(metric)
    return name


def check_columns(
    options: Options, original: Microdata, keys: Iterable[str], targets: Iterable[str]
) -> None:
    """Check that the options name columns of the original, and of the right role.

    Raises
    ------
    ColumnError
        If `variables` names no column.
    StudyError
        If another option does, or if there would be too many tables to measure.
    """
    for name, role, having in (
        ("round_to", "column", original.columns),
        ("missing_codes", "column", original.columns),
        ("ngroups_keys", "key", list(keys)),
        ("ngroups_targets", "target", list(targets)),
    ):
        for column in getattr(options, name):
            if column not in original.columns:
                msg = (
                    f"{name}: {column!r} is not a column of {original.source}."
                    f"{did_you_mean(column, original.columns)}"
                )
                raise StudyError(msg)
            if column not in having:
                msg = f"{name}: {column!r} is a {role} in no scenario, so it has no effect."
                raise StudyError(f"{msg}{did_you_mean(column, having)} Remove it.")
    if options.population_size is not None and options.population_size < original.n:
        msg = f"population_size: expected at least the {original.n:,} records of {original.source}."
        raise StudyError(msg)
    if options.variables is not None:
        check_names(options.variables, original, "variable")
    width = len(original.columns if options.variables is None else options.variables)
    for ways in options.ways:
        count = math.comb(width, ways)
        if count > _MOST_TABLES:
            msg = (
                f"ways: {width} variables have {count:,} tables of {ways}, too many to measure. "
                "Name fewer variables, or leave out this number of ways."
            )
            raise StudyError(msg)
