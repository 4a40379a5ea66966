"""Replicas side by side: risk against utility."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.report.figures.charts import Point, Scatter
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    SafeCell,
    SafeTable,
    blank,
    column,
    number,
    table,
    text_cell,
)
from sdcmetrics.report.sections.disclosure import dot, relative_chance
from sdcmetrics.report.sections.sizes import any_other, to_original_size
from sdcmetrics.report.sections.utility import chief_of_tables, two_way_mean
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row per replica, and the same as maps."""

    table: SafeTable
    maps: tuple[Scatter, ...]


def highest(source: Source, replica: str, metric: str) -> tuple[Scenario, str] | None:
    """Return the scenario and target for which a measure of disclosure is highest.

    The target is empty for a measure of scenarios, and the scenario too for one of replicas.
    """
    found = []
    for scenario in (*source.review.scenarios, Scenario("", (), ())):
        for target in (*scenario.targets, ""):
            place = dot(source.risk(replica, metric, scenario.name, target))
            if place is not None:
                # A bound below is less than any number that is shown.
                hidden = -1 if place.bound == "below" else 0
                found.append(((hidden, place.value), scenario, target))
    if not found:
        return None
    _, scenario, target = max(found, key=lambda item: item[0])
    return scenario, target


def mean_chance(source: Source, replica: str) -> SafeCell:
    """Return DCAP in percent of the original's CAPd, averaged over all targets."""
    found = [
        relative_chance(source, replica, scenario.name, target)
        for scenario in source.review.scenarios
        for target in scenario.targets
    ]
    values = [value for value in found if value is not None]
    if not values:
        return blank()
    mean = float(round(sum(values) / len(values)))
    return SafeCell(f"{mean:.0f}\N{NO-BREAK SPACE}%", "number", mean)


def comparison(source: Source) -> Comparison:
    """Return the replicas side by side."""
    rows, chief = [], chief_of_tables().symbol
    for replica in source.replicas:
        worst = highest(source, replica, "DiSCO")
        cells = [source.named(replica), blank(), blank(), blank()]
        if worst is not None:
            scenario, target = worst
            cells[1:] = [
                source.risk(replica, "DiSCO", scenario.name, target),
                text_cell(source.placed(target, scenario.name)),
                source.risk(replica, "Dorig", scenario.name, target),
            ]
        cells += [
            mean_chance(source, replica),
            _replicated(source, replica),
            two_way_mean(source, replica) or blank(),
            source.table(replica, "ROC", ()),
        ]
        rows.append(cells)
    found = table(
        "Risk and utility of every replica",
        (
            column("Replica", "replica"),
            number("Highest DiSCO", "DiSCO"),
            column("for target", "target"),
            number("Original itself", "Dorig", "Dorig"),
            number("Right guesses", "DCAP", "DCAP in % of CAPd, mean"),
            number("Unique in both", "repU", "highest repU"),
            number("Two-way tables", chief, f"mean {chief}"),
            number("One-way tables", "ROC", "mean ROC"),
        ),
        rows,
        "The board decides how much risk a gain in utility is worth; the ranks above "
        "show what follows from each decision.",
    )
    maps = (
        _map(
            source,
            "Highest DiSCO of any target, percent of original records",
            [row[1] for row in rows],
            [row[6] for row in rows],
        ),
        _map(
            source,
            "Right guesses, in percent of what the original itself gives (mean)",
            [row[4] for row in rows],
            [row[6] for row in rows],
        ),
    )
    return Comparison(found, tuple(one for one in maps if one.points))


def _replicated(source: Source, replica: str) -> SafeCell:
    cells = [
        source.risk(replica, "repU", scenario.name, scenario.targets[0])
        for scenario in source.review.scenarios
    ]
    places = [(dot(cell), cell) for cell in cells]
    known = [(place.value, cell) for place, cell in places if place is not None]
    return max(known, key=lambda item: item[0])[1] if known else cells[0]


def _map(source: Source, y_title: str, risk: list[SafeCell], utility: list[SafeCell]) -> Scatter:
    points, measure = [], chief_of_tables()
    chief, many = measure.symbol, 1_000_000  # small numbers of records score more
    for replica, y, x in zip(source.replicas, risk, utility, strict=True):
        place = dot(y)
        if place is None or x.number is None or not x.number > 0:
            continue
        text = f"{chief} {x.text}, {y.text}"
        along = x.number * to_original_size(source, replica, measure)  # as limits are applied
        points.append(Point(source.name(replica).text, along, place.value, text, bool(place.bound)))
    threshold = source.profile.thresholds.get(chief)
    marks = [(1.0, "draws")]  # of original records; of as many fresh people:
    if measure.fresh is not None:
        marks.append((round(measure.fresh(many, many)), "fresh"))
    if threshold is not None:
        limits = ((threshold.review, "review"), (threshold.fail, "fail"))
        marks += [(value, word) for value, word in limits if value is not None]
    words = "; ".join(f"{point.name}: {point.text}" for point in points)
    other = any_other(source, measure)
    of_size = " at the original\N{RIGHT SINGLE QUOTATION MARK}s size (log scale)"
    size = of_size if other else " (log scale, lower is more useful)"
    return Scatter(
        title=f"Risk against utility: {y_title[0].lower()}{y_title[1:]}",
        description=f"{numbers.plural(len(points), 'replica')}. {words}. Down and left is better.",
        x_title=f"Mean two-way {chief}{size}",
        y_title=y_title,
        points=tuple(points),
        x_marks=tuple(marks),
    )
