"""Replicas side by side: risk against utility."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.measures.registry import Measure
from sdcmetrics.report.figures.charts import Point, Scatter
from sdcmetrics.report.grid import chief_of_disclosure, chief_of_tables, shown_in
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
from sdcmetrics.report.sections.disclosure import dot
from sdcmetrics.report.sections.sizes import any_other, to_original_size
from sdcmetrics.report.sections.utility import two_way_mean
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


def highest_cells(source: Source, replica: str, measure: Measure) -> tuple[SafeCell, ...]:
    """Return where a measure is highest: its value, the original's, and the target."""
    found = highest(source, replica, measure.symbol)
    if found is None:
        return blank(), blank(), blank()
    scenario, target = found
    return (
        source.risk(replica, measure.symbol, scenario.name, target),
        source.risk(replica, measure.beside, scenario.name, target),
        text_cell(source.placed(target, scenario.name)),
    )


def _mean_chance(source: Source, replica: str, guessed: Measure) -> SafeCell:
    """Return a measure in percent of what the original gives, averaged over all targets."""
    values = []
    both = (guessed.symbol, guessed.show["between"][1])
    for scenario, target in source.targets:
        value, high = (source.risk(replica, one, scenario.name, target).number for one in both)
        if value is not None and high:
            values.append(100.0 * value / high)
    if not values:
        return blank()
    mean = float(round(sum(values) / len(values)))
    return SafeCell(f"{mean:.0f}\N{NO-BREAK SPACE}%", "number", mean)


def comparison(source: Source) -> Comparison:
    """Return the replicas side by side."""
    rows, chief = [], chief_of_tables().symbol
    risk, found = chief_of_disclosure(), shown_in(source, "found")[-1]
    guessed = shown_in(source, "between")[0]
    single = next(one.symbol for one in shown_in(source, "one_way") if one.of.overall)
    for replica in source.replicas:
        value, own, where = highest_cells(source, replica, risk)
        cells = [
            *(source.named(replica), value, where, own),
            _mean_chance(source, replica, guessed),
            _largest(source, replica, found.symbol),
            two_way_mean(source, replica) or blank(),
            source.table(replica, single, ()),
        ]
        rows.append(cells)
    side_by_side = table(
        "Risk and utility of every replica",
        (
            column("Replica", "replica"),
            number(risk.show["first_page"], risk.symbol),
            column("for target", "target"),
            number("Original itself", risk.beside, risk.beside),
            number(
                "Right guesses",
                guessed.symbol,
                f"{guessed.symbol} in % of {guessed.show['between'][1]}, mean",
            ),
            number(found.show["found"][1], found.symbol, f"highest {found.symbol}"),
            number("Two-way tables", chief, f"mean {chief}"),
            number("One-way tables", single, f"mean {single}"),
        ),
        rows,
    )
    maps = (
        _map(
            source,
            f"{risk.show['first_page']} of any target, percent of original records",
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
    return Comparison(side_by_side, tuple(one for one in maps if one.points))


def _largest(source: Source, replica: str, metric: str) -> SafeCell:
    cells = [
        source.risk(replica, metric, scenario.name, scenario.targets[0])
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
