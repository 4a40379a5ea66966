"""How the sample was drawn, and what is of the population beside what is of the file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sdcmetrics.measures.anonymity.sampled import SAMPLED_FILE
from sdcmetrics.measures.disclosure.sampled import SAMPLED_KEYS
from sdcmetrics.measures.fits.sampled import SAMPLED_FIT
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.report.grid import Column, Row, figures, grid, listing, texts
from sdcmetrics.report.safety.cells import (
    Content,
    LongTable,
    Name,
    SafeColumn,
    SafeTable,
    Words,
    blank,
    column,
    count_cell,
    figure_cell,
    joined,
    number,
    plain,
    table,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.sampling import Sampling
from sdcmetrics.study.study import Scenario

_MEANS = 20
"""Rows of the table of means and shares; all are in its file."""
_FACTS = "Facts about the original: what its keys and weights say of people, whatever the replica."
_ROLES = {
    "weight": "weights",
    "strata": "strata",
    "cluster": "clusters",
    "household": "households",
}


def sample_in_words(roles: Sequence[str], *, release: bool) -> str:
    """Return in which figures a sample's roles are, in words; empty without a sample.

    Examples
    --------
    >>> sample_in_words(["weight", "strata"], release=True)
    'a sample with weights and strata; weighted figures are in the internal edition only'
    """
    if not roles:
        return ""
    named = [_ROLES[role] for role in roles if role in _ROLES]
    columns = " with " + plain(joined((Name(name, name) for name in named), last=" and "))
    rest = (
        "weighted figures are in the internal edition only"
        if release
        else "figures are of its records, unless they are called weighted, of the survey or of the "
        "population"
    )
    return f"a sample{columns if named else ''}; {rest}"


def sample_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return how the sample was weighted, its risks, and weighted figures; none in a release."""
    if source.release or source.inside.sampling is None:
        return ()
    scenarios = source.review.scenarios
    tables = [
        _how(source, source.inside.sampling),
        *(_risks(source, scenario) for scenario in scenarios),
        *(_people(source, scenario) for scenario in scenarios),
        _models(source),
        means_table(source, _MEANS),
    ]
    return tuple(shown for shown in tables if shown.rows)


def _how(source: Source, sampling: Sampling) -> SafeTable:
    rows: list[tuple[Content, ...]] = [
        *((f"Column of the {role}", source.named(name)) for role, name in sampling.columns.items()),
        ("Records", sampling.n),
        *_counts(sampling),
    ]
    if "weight" in sampling.columns:
        what = "Design effect of unequal weights (Kish)"
        rows.append((what, figure_cell(sampling.kish), _kish(source, sampling)))
    if sampling.effects:
        effects = list(sampling.effects.values())
        span = f"{min(effects):.2f} to {max(effects):.2f} over variables"
        mean = math.fsum(effects) / len(effects)
        rows.append(("Design effect of the shares, mean", figure_cell(mean), span))
    for replica, weighted in sampling.weighted.items() if "weight" in sampling.columns else ():
        weights_words = "its own weights" if weighted else "none: each record counts once"
        wrong = "; ".join(sampling.problems.get(replica, ()))
        rows.append((plain(("Weights of ", source.name(replica))), weights_words, wrong))
    for replica, clustered in sampling.clustered.items():
        words = "together, as its own column says" if clustered else "taken to be drawn one by one"
        note = "" if clustered else "it lacks the column: p of families or panels are too small"
        rows.append((plain(("Records of ", source.name(replica))), words, note))
    measured = (
        "an independent sample of the population"
        if sampling.against == "population"
        else "a draw from the file's own weighted shares"
    )
    return table(
        "How the sample was drawn",
        (column("What", "what"), column("Value", "value"), column("Note", "note")),
        ((*row, *[None] * (3 - len(row))) for row in rows),
        "Numbers are of the file, record by record and without weights, unless they are called "
        "weighted, of the population, or of the survey: risk is about the records in the file. "
        f"Weighted tables are measured by {measured}.",
    )


def _counts(sampling: Sampling) -> Iterator[tuple[Content, ...]]:
    if not math.isnan(sampling.people):
        yield "People: sum of the weights", count_cell(sampling.people)
    if sampling.population_size is not None:
        yield "People, as stated", count_cell(sampling.population_size)
    for what, count in (
        ("Strata", sampling.strata),
        ("Clusters", sampling.clusters),
        ("Households", sampling.households),
    ):
        if count is not None:
            yield what, count
    yield "Degrees of freedom", sampling.degrees_of_freedom


def _kish(source: Source, sampling: Sampling) -> str:
    if sampling.kish_holds:
        return "holds here: no clusters, and weights that tell nothing of the variables"
    why = []
    if sampling.clusters is not None:
        why.append("there are clusters")
    elif sampling.together:
        why.append("records belong together")
    if sampling.strata is not None:
        why.append("there are strata")
    if sampling.depends_on:
        names = plain(joined(map(source.name, sampling.depends_on), last=" and "))
        why.append(f"weights differ by {names}")
    return f"of no share here: {', and '.join(why)}"


def _risks(source: Source, scenario: Scenario) -> SafeTable:
    first = source.replicas[0]
    cells = [(m, source.risk(first, m.symbol, scenario.name, "")) for m in of_kind(SAMPLED_FILE)]
    risks = source.inside.sample_risks.get(scenario.name)
    return table(
        ("The risk of the sample by ", *joined(map(source.name, scenario.keys), last=" and ")),
        (column("What", "what"), column("Measure", "metric"), number("Original", "value")),
        ((m.title, m.symbol, cell) for m, cell in cells if cell != blank()),
        " ".join((_FACTS, *(() if risks is None else risks.notes))),
    )


def _beside_file(
    source: Source, kind: Kind, caption: Words | str, head: SafeColumn, rows: list[Row]
) -> SafeTable:
    """Return what is of the file beside what is of the population, measure by measure."""
    columns: list[Column] = [
        (number(title, symbol, f"of the {of}"), {"metric": symbol})
        for m in of_kind(kind)
        if "of_file" in m.show
        for file, title in [m.show["of_file"]]
        for symbol, of in ((file, "file"), (m.symbol, "population"))
    ]
    if columns[-1][0].field not in source.measures.metrics:
        rows = []
    return grid(source, caption, (column("Replica", "replica"), head), rows, columns)


def _people(source: Source, scenario: Scenario) -> SafeTable:
    rows: list[Row] = [
        (
            (source.named(replica), source.named(target)),
            {"replica": replica, "scenario": scenario.name, "target": target},
        )
        for replica in source.replicas
        for target in scenario.targets
    ]
    caption = ("Of the population beside of the file", *source.within(scenario.name))
    return _beside_file(source, SAMPLED_KEYS, caption, column("Target", "target"), rows)


def _models(source: Source) -> SafeTable:
    rows: list[Row] = [
        (
            (source.named(replica), source.named(model.name)),
            {"replica": replica, "model": model.name},
        )
        for replica in source.replicas
        for model in source.review.study.models
    ]
    caption = "Models of the population beside models of the file"
    return _beside_file(source, SAMPLED_FIT, caption, column("Model", "model"), rows)


def records_table(source: Source) -> LongTable | None:
    """Return the risk of every original record by its weights; None where there are none."""
    tables = {
        scenario: risk.records.reset_index(names="record")
        for scenario, risk in source.inside.sample_risks.items()
        if risk.records is not None
    }
    if not tables:
        return None
    every = pd.concat(tables, names=["scenario"]).astype(np.float64)
    names = every.index.get_level_values("scenario").tolist()
    columns = (column("Scenario", "scenario"), *(number(str(name)) for name in every))
    values = (names, *(every[name].tolist() for name in every))
    return LongTable(columns, len(names), lambda rows: tuple(of[rows] for of in values))


def means_table(source: Source, most: int | None = None) -> SafeTable:
    """Return weighted means and shares beside a replica's, the furthest apart first."""
    rows = [
        {"replica": replica, **row, "statistic": None if missing else row["statistic"]}
        for (replica, _), means in source.inside.compared.items()
        for row, missing in zip(means.to_dict("records"), means["statistic"].isna(), strict=True)
        if not math.isnan(row["z"])
    ]
    rows.sort(key=lambda row: -abs(row["z"]))
    heads = {"replica": "Replica", "variable": "Variable", "statistic": "Mean, or share of"}
    shown = figures(
        figure_cell,
        original=("Original", "weighted"),
        se_original=("Standard error", "by the design"),
        synthetic="Replica",
        z=("z", "difference over its error"),
    )
    return listing(
        "Weighted means and shares that are furthest apart",
        [*texts(source.named, **heads), *shown],
        rows[:most],
    )
