"""Places that a release holds back or coarsens, one by one: for an output checker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pandas as pd

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.protect.tables import MOST_PAIRS, too_many
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile

Row = tuple[str, str, str, str, str, str]

_COLUMNS = ("what", "where", "cell", "replica", "shown", "why")


@checked
def coarsened(review: Review, profile: Profile | None = None) -> pd.DataFrame:
    """Return what a release of a review makes coarser, for internal use: one row per place.

    Parameters
    ----------
    review : Review
    profile : Profile, optional
        By default the profile of the study.

    Returns
    -------
    DataFrame
        Columns `what` ("levels", "table", "cell" or a measure's symbol), `where` (variables,
        scenario and target, model or rule), `cell` (levels), `replica` (empty for what is the same
        for all), `shown` (what stands there) and `why`. It names rare levels: keep it inside.
    """
    rules = load_profile(review.study.profile) if profile is None else profile
    protected, rounding = protect(review, rules), Rounding.of(rules)
    least, few = rounding.least, rounding.few
    rows = [*_levels(protected, few), *_figures(protected)]
    if 2 in review.study.options.ways:  # noqa: PLR2004  (two-way)
        rows += _cells(protected, least, few)
    return pd.DataFrame(rows, columns=_COLUMNS)


def _levels(protected: Protected, few: str) -> Iterator[Row]:
    for name, variable in protected.distributions.items():
        for group in variable.groups:
            if group.levels > 1 or group.other:
                why = f"one of them has {few}, or a neighbour keeps that from being computed"
                yield "levels", name, group.name.replace("|", " + "), "", str(group.label), why
        if not variable.groups:
            yield "levels", name, "all", "", "not shown", "no level is left that has enough records"


def _cells(protected: Protected, least: int, few: str) -> Iterator[Row]:
    names = [
        name
        for name, distribution in protected.distributions.items()
        if len(distribution.groups) > 1
    ]
    beyond = too_many(protected.distributions)
    for a, b in itertools.combinations(names, 2):
        table = protected.tables.get((a, b))
        if table is None or table.ends is None:
            why = "a small count could be solved for, or too few cells can be told"
            if (a, b) in beyond:
                why = f"only {MOST_PAIRS} tables are looked at, those of keys and targets first"
            yield "table", f"{a}, {b}", "all", "", "not shown", why
            continue
        groups = [protected.distributions[name].groups for name in (a, b)]
        for i, j in itertools.product(*(range(len(group)) for group in groups)):
            cell = f"{groups[0][i].label} x {groups[1][j].label}"
            if table.ends.high[i, j] >= table.ends.total[1]:
                why = "hidden, or else a small count beside it could be solved for"
            elif table.ends.low[i, j] < least:
                why = few
            else:
                continue
            yield "cell", f"{a}, {b}", cell, "", "with others", why


def _figures(protected: Protected) -> Iterator[Row]:
    frame = protected.frame[protected.frame["shown"] != ""]
    for row in frame[~frame["metric"].map(_of_tables).astype(bool)].to_dict("records"):
        where = ", ".join(
            text
            for text in (row["scenario"], row["target"], row["model"], row["rule"])
            if isinstance(text, str)
        )
        measure = MEASURES[row["metric"]]
        if measure.release is None:
            why = "the measure is never handed out"
        elif measure.release.rule == "band":
            why = "it depends on exact records"
        elif row["reason"]:
            why = str(row["reason"])
        else:
            why = "too few records, or a small count could be solved for"
        yield row["metric"], where, "", row["replica"], row["shown"], why


def _of_tables(symbol: str) -> bool:
    return MEASURES[symbol].of.per in ("table", "variable")
