"""Figures of the metrics of a suite, replica by replica; nothing of it is released."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sdcmetrics.measures.association.difference import AssociationDifference
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.report.block import Drawn, Maker
from sdcmetrics.report.figures.charts import (
    Band,
    Curve,
    Curves,
    Heat,
    HeatCell,
    Histogram,
    Null,
    Series,
)
from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    column,
    number,
    p_cell,
    plain,
    table,
    three_decimals,
)
from sdcmetrics.report.source import Source
from sdcmetrics.suites.daisynt.figure_data import Numbers, PowerTable, RocCurves, Shape

_BOTH = figures(three_decimals, holdout="Holdout", replica="Replica", difference="Difference")
_NONE = "0 on average for people who were not in the original"
_PAIRS = 10
_NULL_GROUPS = 20
_NAMED = 30
"""Variables of a map that still has room for their names."""
_STRENGTH = (0.1, 0.3, 0.6)
"""Cohen's small and medium correlations, and twice the latter."""
_CHANGE = (0.05, 0.1, 0.2)
"""Of 800 records each, a difference has a standard error of 0.05 where nothing is related."""
_SHADES = ("below-mid", "below-light", "below-pale", "plain", "pale", "light", "mid")


def suite_figures(source: Source) -> tuple[Drawn, ...]:
    """Return the figures of all replicas, those of one kind together; of the first synthesis."""
    shown = source.inside.shown.items()
    return tuple(
        make(source, source.name(replica), drawn[0])
        for kind, make in _DRAWN.items()
        for (replica, _), drawn in shown
        if isinstance(drawn[0], kind)
    )


def _associations(source: Source, replica: Name, associations: AssociationDifference) -> Drawn:
    names = [source.name(name).text for name in associations.names]
    maps = association_maps(
        names,
        {plain(("Difference: ", replica, " less holdout")): associations.difference},
        {
            "Associations in the holdout": associations.original,
            plain(("Associations in ", replica)): associations.synthetic,
        },
    )
    fields = ("variable_1", "variable_2", "holdout", "replica", "difference")
    pairs = zip(associations.frame.index, associations.frame.to_numpy(), strict=True)
    records = [dict(zip(fields, (*pair, *row), strict=True)) for pair, row in pairs]
    return Drawn(
        ("Associations of every two variables: ", replica, " beside the holdout"),
        "utility",
        maps,
        listing(
            ("The pairs whose associations differ most: ", replica),
            [*texts(source.named, variable_1="Variable", variable_2="with"), *_BOTH],
            records[:_PAIRS],
        ),
        "Spearman's correlation of numbers, the correlation ratio of a category and a number, "
        "Cramer's V of categories, the last two less what chance adds. The cells of a variable lie "
        "to the left of its name and below it.",
    )


def association_maps(
    names: Sequence[str], differences: Mapping[str, Floats], associations: Mapping[str, Floats]
) -> tuple[Heat, ...]:
    """Return a heat map of each matrix, differences first, as these have a scale of their own.

    Parameters
    ----------
    names : sequence of str, as they are shown
    differences, associations : title of a map to its matrix, shape (names, names)
        Only the lower triangles are drawn; NaN is left empty.
    """
    return (
        *(
            _association_map(title, names, difference, _CHANGE)
            for title, difference in differences.items()
        ),
        *(
            _association_map(title, names, association, _STRENGTH)
            for title, association in associations.items()
        ),
    )


def _association_map(
    title: str, names: Sequence[str], matrix: Floats, ends: tuple[float, ...]
) -> Heat:
    limits = (*(-end for end in reversed(ends)), *ends)
    cells = [
        HeatCell(
            row, column, numbers.with_decimals(value, 2), sum(value > limit for limit in limits)
        )
        for row in range(1, len(names))
        for column in range(row)
        if not np.isnan(value := float(matrix[row, column]))
    ]
    used = sorted({cell.band for cell in cells})
    bands = tuple(_association_band(limits, place) for place in used)
    counts = [sum(cell.band == place for cell in cells) for place in used]
    bands_words = ", ".join(f"{band.text}: {n}" for n, band in zip(counts, bands, strict=True))
    return Heat(
        title=title,
        description=f"{numbers.plural(len(cells), 'pair')} of variables: {bands_words}.",
        variables=tuple(names),
        bands=bands,
        cells=tuple(HeatCell(c.row, c.column, c.text, used.index(c.band)) for c in cells),
        named=len(names) <= _NAMED,
    )


def _association_band(limits: tuple[float, ...], place: int) -> Band:
    ends = [*map(numbers.with_minus, limits)]
    if place == 0:
        text = f"below {ends[0]}"
    elif place == len(limits):
        text = f"above {ends[-1]}"
    else:
        text = f"{ends[place - 1]} to {ends[place]}"
    return Band(text, _SHADES[place])


def _powers(source: Source, replica: Name, shown: PowerTable) -> Drawn:
    gap = shown.gap
    apart = gap.synthetic - gap.holdout
    error = np.where(np.isnan(apart), np.nan, gap.error)
    order = np.argsort(-np.nan_to_num(np.abs(apart), nan=math.inf), kind="stable")
    return Drawn(
        ("What single variables tell of the target: ", replica),
        "utility",
        (),
        listing(
            ("Information values, largest difference first: ", replica),
            [
                *texts(source.named, variable="Variable"),
                *_BOTH,
                *figures(three_decimals, error="its standard error"),
            ],
            (
                {
                    "variable": shown.names[i],
                    "holdout": gap.holdout[i],
                    "replica": gap.synthetic[i],
                    "difference": apart[i],
                    "error": error[i],
                }
                for i in order
            ),
        ),
        "Each less what chance adds: 0 for a variable that tells nothing. Numbers are cut at the "
        "deciles of both data sets. A variable of which a class lacks a group has none.",
    )


def _shapes(source: Source, replica: Name, shown: Numbers) -> Drawn:
    return Drawn(
        ("Numbers whose distributions differ most: ", replica),
        "utility",
        tuple(_histogram(source.name(shape.name), replica, shape) for shape in shown.shapes),
        listing(
            ("How far these distributions are apart: ", replica),
            [
                *texts(source.named, variable="Variable"),
                *figures(source.guard.fitted, MMD2=("MMD squared", _NONE)),
                *figures(
                    three_decimals,
                    statistic=("tested", "in standard deviations of chance"),
                    limit=("of chance", "5 % exceed it"),
                ),
                *figures(p_cell, p="p"),
            ],
            (
                {
                    "variable": shape.name,
                    "MMD2": shape.discrepancy.unbiased,
                    "statistic": shape.discrepancy.statistic,
                    "limit": _limit(shape),
                    "p": shape.discrepancy.p_value,
                }
                for shape in shown.shapes
            ),
        ),
        "Grey is the holdout, the line is the replica; the outer groups have all that is beyond "
        "them. Below, what permuted labels give the largest MMD squared of five bandwidths, in its "
        "standard deviations: 5 % exceed the dashed line, and the solid line is the replica's.",
    )


def _histogram(name: Name, replica: Name, shape: Shape) -> Histogram:
    counts, edges = np.histogram(shape.discrepancy.null, _NULL_GROUPS)
    p = p_cell(shape.discrepancy.p_value).text
    p_words = p if p.startswith("<") else f"= {p}"
    observed = numbers.with_commas(shape.discrepancy.statistic)
    limit = numbers.with_commas(_limit(shape))
    return Histogram(
        title=plain((name, " in holdout and ", replica)),
        description=f"Shares of the values in {len(shape.edges) - 1} groups. How far both are "
        f"apart, tested: {observed}; 5 % of permuted labels exceed {limit}; p {p_words}.",
        edges=tuple(shape.edges.tolist()),
        series=(
            Series("Holdout", tuple((100 * shape.holdout).tolist()), ()),
            Series(replica.text, tuple((100 * shape.synthetic).tolist()), ()),
        ),
        null=Null(
            "Beside chance",
            tuple(edges.tolist()),
            tuple((counts / counts.sum()).tolist()),
            _limit(shape),
            shape.discrepancy.statistic,
            f"p {p_words}",
        ),
    )


def _limit(shape: Shape) -> float:
    return float(np.quantile(shape.discrepancy.null, 0.95, method="inverted_cdf"))


def _curves(source: Source, replica: Name, shown: RocCurves) -> Drawn:
    labels = {"original": "Original", "replica": replica.text}
    names = [
        f"{labels[curve.learnt_from]}, {curve.learner}: AUC {curve.auc:.3f}"
        for curve in shown.curves
    ]
    target = source.name(shown.target)
    chart = Curves(
        title=plain(("Predictions of ", target, " in the holdout: original and ", replica)),
        description=f"ROC curves of {len(names)} models. {'; '.join(names)}.",
        x_title="Others taken for them",
        y_title="Found of the second class",
        curves=tuple(
            Curve(
                name,
                tuple(curve.x.tolist()),
                tuple(curve.y.tolist()),
                first=curve.learnt_from == "original",
                dashed=curve.learner != shown.curves[0].learner,
            )
            for name, curve in zip(names, shown.curves, strict=True)
        ),
    )
    return Drawn(
        ("What models of the replica find: ", replica),
        "specific",
        (chart,),
        table(
            ("Area under the curves: ", replica),
            (column("Learner", "learner"), column("Learnt from", "from"), number("AUC", "AUC")),
            (
                (curve.learner, labels[curve.learnt_from], three_decimals(curve.auc))
                for curve in shown.curves
            ),
        ),
        "All records of original and replica are learnt from, by networks at most 10,000; the gap "
        "in the table of measures is of halves, beside their own chance.",
    )


_DRAWN: dict[type, Callable[[Source, Name, Any], Drawn]] = {
    AssociationDifference: _associations,
    PowerTable: _powers,
    Numbers: _shapes,
    RocCurves: _curves,
}

BLOCK = Maker(drawn=suite_figures)
