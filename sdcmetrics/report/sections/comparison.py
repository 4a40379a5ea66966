"""Replicas side by side: risk against utility."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from sdcmetrics.report.sections.utility import any_other, to_original_size, two_way_means
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row per replica, and the same as maps."""

    table: SafeTable
    maps: tuple[Scatter, ...]


def highest(
    source: Source,
    replica: str,
    metric: str,
    *,
    of: Callable[[Scenario, str], bool] = lambda *_: True,
) -> tuple[Scenario, str] | None:
    """Return the scenario and target, of those that count, for which a measure is highest.

    The target is empty for a measure of scenarios, and the scenario too for one of replicas.
    """
    places = []
    for scenario, target in places_of(source):
        place = dot(source.risk(replica, metric, scenario.name, target))
        if place is not None and of(scenario, target):
            # A bound below is less than any number that is shown.
            hidden = -1 if place.bound == "below" else 0
            places.append(((hidden, place.value), scenario, target))
    if not places:
        return None
    _, scenario, target = max(places, key=lambda item: item[0])
    return scenario, target


def places_of(source: Source) -> Iterator[tuple[Scenario, str]]:
    """Yield every scenario and target, then "" for what has no target, or no scenario either."""
    for scenario in (*source.review.scenarios, Scenario("", (), ())):
        for target in (*scenario.targets, ""):
            yield scenario, target


def highest_cells(source: Source, replica: str, measure: Measure) -> tuple[SafeCell, ...]:
    """Return where a measure is highest: its value, the original's, and the target."""
    place = highest(source, replica, measure.symbol)
    if place is None:
        return blank(), blank(), blank()
    scenario, target = place
    return (
        source.risk(replica, measure.symbol, scenario.name, target),
        source.risk(replica, measure.baseline, scenario.name, target),
        text_cell(source.placed(target, scenario.name)),
    )


def _shown_for_all(source: Source, *metrics: str) -> list[tuple[Scenario, str]]:
    """Return the targets of which every replica shows these measures."""
    return [
        (scenario, target)
        for scenario, target in source.targets
        if all(
            source.risk(replica, metric, scenario.name, target).number is not None
            for replica in source.replicas
            for metric in metrics
        )
    ]


def _mean_chance(
    source: Source, replica: str, guessed: Measure, targets: list[tuple[Scenario, str]]
) -> SafeCell:
    """Return a measure in percent of what the original gives, averaged over targets."""
    shares = []
    for scenario, target in targets:
        value, own = (
            source.risk(replica, metric, scenario.name, target).number
            for metric in (guessed.symbol, guessed.show["between"][1])
        )
        if value is not None and own:
            shares.append(100.0 * value / own)
    if not shares:
        return blank()
    mean = float(round(sum(shares) / len(shares)))
    return SafeCell(f"{mean:.0f}\N{NO-BREAK SPACE}%", "number", mean)


def _same_targets(source: Source, metric: str) -> bool:
    """Whether every replica shows a measure of the same targets, so that the highest compare."""
    shown = {
        tuple(dot(source.risk(r, metric, s.name, t)) is not None for s, t in source.targets)
        for r in source.replicas
    }
    return len(shown) == 1


def comparison(source: Source) -> Comparison:
    """Return the replicas side by side.

    What is hidden of one replica is in no mean of another, so that no figure of a release draws
    another picture than that of the same cells inside.
    """
    risk, recurring = chief_of_disclosure(), shown_in(source, "found")[-1]
    guessed, chief = shown_in(source, "between")[0], chief_of_tables().symbol
    single = next(measure.symbol for measure in shown_in(source, "one_way") if measure.of.overall)
    targets = _shown_for_all(source, guessed.symbol, guessed.show["between"][1])
    every = len(targets) in (0, len(source.targets))
    mean = "mean" if every else f"mean of {len(targets)} of {len(source.targets)} targets"
    tables = two_way_means(source)
    rows: list[tuple[SafeCell, ...]] = []
    for replica in source.replicas:
        value, own, where = highest_cells(source, replica, risk)
        rows.append(
            (
                *(source.named(replica), value, where, own),
                _mean_chance(source, replica, guessed, targets),
                _largest(source, replica, recurring.symbol),
                tables[replica],
                source.table(replica, single, ()),
            )
        )
    side_by_side = table(
        "Risk and utility of every replica",
        (
            column("Replica", "replica"),
            number(risk.show["first_page"], risk.symbol),
            column("for target", "target"),
            number("Original itself", risk.baseline, risk.baseline),
            number(
                "Right guesses",
                guessed.symbol,
                f"{guessed.symbol} in % of {guessed.show['between'][1]}, {mean}",
            ),
            number(recurring.show["found"][1], recurring.symbol, f"highest {recurring.symbol}"),
            number("Two-way tables", chief, f"mean {chief}"),
            number("One-way tables", single, f"mean {single}"),
        ),
        rows,
    )
    drawn = [(4, f"Right guesses, in percent of what the original itself gives ({mean})")]
    if _same_targets(source, risk.symbol):
        words = f"{risk.show['first_page']} of any target, percent of original records"
        drawn.insert(0, (1, words))
    maps = (_map(source, words, [r[i] for r in rows], [r[6] for r in rows]) for i, words in drawn)
    return Comparison(side_by_side, tuple(scatter for scatter in maps if scatter.points))


def _largest(source: Source, replica: str, metric: str) -> SafeCell:
    cells = [
        source.risk(replica, metric, scenario.name, scenario.targets[0])
        for scenario in source.review.scenarios
    ]
    places = [(dot(cell), cell) for cell in cells]
    numbered = [(place.value, cell) for place, cell in places if place is not None]
    return max(numbered, key=lambda item: item[0])[1] if numbered else cells[0]


def _map(source: Source, y_title: str, risk: list[SafeCell], utility: list[SafeCell]) -> Scatter:
    points, measure = [], chief_of_tables()
    chief, n = measure.symbol, 1_000_000  # small numbers of records score more
    for replica, y, x in zip(source.replicas, risk, utility, strict=True):
        place = dot(y)
        if place is None or x.number is None or not x.number > 0:
            continue
        text = f"{chief} {x.text}, {y.text}"
        along = x.number * to_original_size(source, replica, measure)  # as limits are applied
        points.append(Point(source.name(replica).text, along, place.value, text, bool(place.bound)))
    threshold = source.profile.thresholds.get(chief)
    lines = [(1.0, "draws")]  # of original records; of a holdout of as many:
    if measure.fresh is not None:
        lines.append((round(measure.fresh(n, n)), "holdout"))
    if threshold is not None:
        limits = ((threshold.review, "review"), (threshold.fail, "fail"))
        lines += [(value, word) for value, word in limits if value is not None]
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
        x_marks=tuple(lines),
    )
