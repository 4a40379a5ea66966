"""General utility: how close the tables of each replica are to those of the original."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.figures.charts import Band, Heat, HeatCell
from sdcmetrics.report.grid import (
    Row,
    by_replica,
    by_symbol,
    chief_of_tables,
    grid,
    shown_in,
)
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    SafeColumn,
    SafeTable,
    blank,
    column,
    plain,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.study.limits import Threshold

_NAMED = 3
"""Sizes of replicas that a note names one by one."""


def records(source: Source, replica: str) -> tuple[float, float]:
    """Return the records of the original and of a replica (the mean of its syntheses), as shown."""
    sizes = [data.n for data in source.review.inputs if data.name == replica]
    n_original = float(source.review.n_original)
    n_synthetic = sum(sizes) / len(sizes) if sizes else n_original
    if source.release:  # the size of the original is not said more exactly than elsewhere
        n_original = source.guard.rounded(n_original)
        if not n_original:  # so few that it is not told, nor what follows from it
            n_original = n_synthetic
        elif n_original == source.guard.rounded(n_synthetic):
            n_synthetic = n_original
    return n_original, n_synthetic


def to_original_size(source: Source, replica: str, measure: Measure) -> float:
    """Return the factor from a replica's size to the original's, as judging applies it."""
    n, m = records(source, replica)
    if measure.fresh is None or n == m:
        return 1.0
    return measure.fresh(n, n) / measure.fresh(n, m)


def expected(source: Source, measure: Measure) -> str:
    """Return what a holdout of the size of the original and of each replica scores, in words."""
    if measure.fresh is None:
        return ""
    sizes = sorted({records(source, replica) for replica in source.replicas})
    others = [(measure.fresh(n, m), m) for n, m in sizes if n != m]
    words = [f"{value:.1f} of {m:,.0f}" for value, m in others]
    if len(others) > _NAMED:
        (least, few), (most, n_many) = others[0], others[-1]
        words = [f"{least:.1f} to {most:.1f} of {few:,.0f} to {n_many:,.0f}"]
    n, _ = sizes[0]  # of one or two records it is larger than of many
    equal = f"{measure.fresh(n, n):.0f} is expected of a holdout of as many records as the"
    listed = ", ".join([f"{equal} original has", *words])
    return f"{listed}, and 1 of draws from the original{more_together(source)}"


def more_together(source: Source) -> str:
    """Return in words that more is expected of rows that belong together; empty without such."""
    if not {"cluster", "household", "person"} & {*source.review.study.roles}:
        return ""
    return " (of records drawn one by one; more where rows belong together)"


def any_other(source: Source, measure: Measure) -> bool:
    """Whether some replica is judged as if it had the size of the original."""
    return any(to_original_size(source, replica, measure) != 1 for replica in source.replicas)


def as_judged(source: Source, finding: Finding) -> str:
    """Return a value at the original's size, as limits judge it, in words; empty at that size."""
    if to_original_size(source, finding.replica, MEASURES[finding.metric]) == 1:
        return ""
    if source.release:  # the value that is shown is rounded, and this one is not
        return "judged at the original\N{RIGHT SINGLE QUOTATION MARK}s size"
    value = numbers.with_commas(finding.judged)
    return f"{value} at the original\N{RIGHT SINGLE QUOTATION MARK}s size"


_WORST = 10
_DRAWN = 30
"""Variables of a heat map that still has room for their names."""
_LISTED = 60
"""Variables that a table in the report lists; files have all."""
_BANDS_WITHOUT = (1.0, 3.0, 10.0, 30.0)
_SHADES = ("plain", "pale", "light", "mid", "dark")


@dataclass(frozen=True, slots=True)
class HeatBlock:
    """One replica's heat map of all pairs, with its values."""

    replica: Name
    figure: Heat
    table: SafeTable


@dataclass(frozen=True, slots=True)
class UtilitySection:
    """One-way lists, heat maps, and the worst pairs."""

    one_way: tuple[SafeTable, ...]
    heats: tuple[HeatBlock, ...]
    worst: SafeTable
    left_out: int


TIMES = " \N{MULTIPLICATION SIGN} "


def utility_section(source: Source) -> UtilitySection:
    """Return the section on general utility."""
    one_way = tuple(_one_way(source, metric) for metric in one_way_measures(source))
    drawn, left_out = _drawn(source)
    heats = [_heat(source, replica, drawn) for replica in source.replicas]
    if left_out:
        every = _paired(source)
        heats += [_heat(source, replica, every, listed=False) for replica in source.replicas]
    return UtilitySection(one_way, tuple(heats), _worst_pairs(source), left_out)


def one_way_measures(source: Source) -> list[str]:
    """Return what the mode shows of every variable, in order: `show` of a measure says so."""
    return [measure.symbol for measure in shown_in(source, "one_way")]


def two_way_means(source: Source) -> dict[str, SafeCell]:
    """Return the mean of the chief measure of tables of two variables, by replica.

    It is over the tables that are shown of every replica; blank where there are none.
    """
    chief = chief_of_tables().symbol
    shown: dict[str, dict[tuple[str, ...], float | None]] = {}
    for replica in source.replicas:
        if source.release:
            cells = {pair: source.table(replica, chief, pair) for pair in source.measures.pairs}
            shown[replica] = {
                p: c.bound if c.number is None else c.number for p, c in cells.items()
            }
        else:
            shown[replica] = source.pair_numbers(replica, chief)
    common = [
        pair
        for pair in source.measures.pairs
        if all(of.get(pair) is not None for of in shown.values())
    ]
    means = {r: source.guard.mean(chief, map(of.get, common)) for r, of in shown.items()}
    return {replica: mean or blank() for replica, mean in means.items()}


def _one_way(source: Source, metric: str) -> SafeTable:
    entry = MEASURES[metric]

    def worst(name: str) -> float:
        cells = [source.table(replica, metric, (name,)) for replica in source.replicas]
        values = [cell.number for cell in cells if cell.number is not None]
        if not values:
            return -math.inf
        return max(values) if entry.better == "lower" else -min(values)

    names = sorted(source.review.variables, key=lambda name: -worst(name))
    more = len(names) - _LISTED
    left = f" {numbers.plural(more, 'better variable')} in the CSV file only." if more > 0 else ""
    rows: list[Row] = [
        ((source.labelled(name),), {"variables": (name,)})
        for name in names[:_LISTED]
        if any(source.measures.table(r, metric, (name,)) for r in source.replicas)
    ]
    if entry.of.overall:
        rows.append((("Mean of the variables",), {}))
    return grid(
        source,
        f"One variable at a time: {metric}, worst first",
        (column("Variable", "variable"),),
        rows,
        by_replica(source),
        metric=metric,
        note=f"{entry.title}; {_direction(source, metric)}.{_unmarked(source, metric)}{left}"
        f"{_protected(source)}",
    )


def _protected(source: Source) -> str:
    """Return, for a release, what statistics of tables are made of."""
    if not source.release:
        return ""
    return (
        f" Computed from protected counts: rounded to {source.guard.base}, small cells of a table "
        "taken together; what rounding can have moved across a limit is not judged."
    )


def _unmarked(source: Source, metric: str) -> str:
    if metric not in source.profile.thresholds:
        return ""
    words = f"within the limits of the profile{', or not judged' if source.release else ''}"
    return f" Values without a mark are {words}."


def _direction(source: Source, metric: str) -> str:
    entry = MEASURES[metric]
    ideal = "" if entry.ideal is None else f", {entry.ideal:g} for a perfect copy"
    if metric == chief_of_tables().symbol:
        return f"{entry.better} is better; {expected(source, entry)}"
    return f"{entry.better} is better{ideal}"


def _worst_pairs(source: Source) -> SafeTable:
    chief = chief_of_tables()
    values = [
        (-value, pair, replica)
        for replica in source.replicas
        for pair, value in source.pair_numbers(replica, chief.symbol).items()
        if value is not None
    ]
    worst = sorted(values)[:_WORST]
    return grid(
        source,
        f"The {len(worst)} worst pairs of variables",
        (
            column("Replica", "replica"),
            column("Variable", "variable_1"),
            column("Variable", "variable_2"),
        ),
        [
            (tuple(map(source.named, (replica, *pair))), {"replica": replica, "variables": pair})
            for _, pair, replica in worst
        ],
        by_symbol(m.symbol for m in shown_in(source, "one_way") if m.of is chief.of),
    )


def _drawn(source: Source) -> tuple[tuple[str, ...], int]:
    """Return the variables of the heat maps: all, or those with the worst pairs."""
    names = _paired(source)
    if len(names) <= _DRAWN:
        return names, 0
    worst, chief = dict.fromkeys(names, 0.0), chief_of_tables().symbol
    for replica in source.replicas:
        for pair, value in source.pair_numbers(replica, chief).items():
            for name in pair:
                worst[name] = max(worst[name], value or 0.0)
    drawn = set(sorted(names, key=lambda name: -worst[name])[:_DRAWN])
    return tuple(name for name in names if name in drawn), len(names) - _DRAWN


def _paired(source: Source) -> tuple[str, ...]:
    """Return the variables that are in some pair, in their own order."""
    paired = {name for pair in source.measures.pairs for name in pair}
    return tuple(name for name in source.review.variables if name in paired)


def _limits(threshold: Threshold | None) -> tuple[float, ...]:
    if threshold is None:
        return _BANDS_WITHOUT
    ends = [limit for limit in (threshold.review, threshold.fail) if limit is not None]
    return tuple(sorted({1.0, *ends}))


def _bands(limits: tuple[float, ...], threshold: Threshold | None) -> tuple[Band, ...]:
    bands = []
    for i in range(len(limits) + 1):
        low = f"{limits[i - 1]:g}" if i else ""
        high = f"{limits[i]:g}" if i < len(limits) else ""
        text = f"{low} to {high}" if low and high else f"up to {high}" if high else f"above {low}"
        shade = _SHADES[i]
        if threshold is not None:
            shade = "pale" if low else "plain"
            if low and threshold.fail is not None and limits[i - 1] >= threshold.fail:
                text, shade = f"{text} (fail)", "fail"
            elif low and threshold.review is not None and limits[i - 1] >= threshold.review:
                text, shade = f"{text} (review)", "review"
        bands.append(Band(text, shade))
    return tuple(bands)


def _heat(
    source: Source, replica: str, names: tuple[str, ...], *, listed: bool = True
) -> HeatBlock:
    measure = chief_of_tables()
    chief = measure.symbol
    threshold = source.profile.thresholds.get(chief)
    limits = _limits(threshold)
    scale = to_original_size(source, replica, measure)
    place = {name: i for i, name in enumerate(names)}
    cells, rows = [], []
    values: dict[tuple[int, int], SafeCell] = {}
    pairs = [pair for pair in source.measures.pairs if all(name in place for name in pair)]
    if listed or source.release:
        drawn = [source.table(replica, chief, pair) for pair in pairs]
    else:  # a picture has dots, and wide data hundreds of thousands: each needs a colour only
        numbers_of = source.pair_numbers(replica, chief)
        statuses = source.measures.statuses(replica, chief, pairs)
        drawn = [
            source.guard.judged(SafeCell("", number=numbers_of.get(pair)), status)
            for pair, status in zip(pairs, statuses, strict=True)
        ]
    for pair, cell in zip(pairs, drawn, strict=True):
        across, row = sorted(place[name] for name in pair)
        if listed:
            values[row, across] = cell
        if cell.number is not None or cell.bound is not None:
            text = _short(cell) if listed else ""
            cells.append(HeatCell(row, across, text, _band(cell, scale, limits, threshold)))
    for row in range(1, len(names) if listed else 0):
        shown = (values.get((row, across), SafeCell("")) for across in range(len(names) - 1))
        rows.append((source.named(names[row]), *shown))
    name = source.name(replica)
    bands = _bands(limits, threshold)
    if any(c.band == len(bands) for c in cells):
        bands += (Band("near a limit: not judged", "light"),)
    counts = [sum(c.band == i for c in cells) for i in range(len(bands))]
    words = ", ".join(f"{band.text}: {counts[i]}" for i, band in enumerate(bands))
    size = "" if scale == 1 else ", as if the replica had the size of the original"
    description = f"{chief} of {numbers.plural(len(cells), 'pair')} of variables: {words}{size}."
    whole = () if listed else (f", all {len(names):,} variables in the order of the original",)
    figure = Heat(
        title=plain(("Pairs of variables in ", name, *whole)),
        description=description,
        variables=tuple(source.name(n).text for n in names),
        bands=bands,
        cells=tuple(cells),
        named=listed,
    )
    heads = map(source.name, names[:-1] if listed else ())
    columns = (SafeColumn(head.text, head.full, numeric=True) for head in heads)
    caption = (f"{chief} of every pair of variables in ", name)
    table = SafeTable(caption, (column("Variable", "variable"), *columns), tuple(rows))
    return HeatBlock(name, figure, table)


def _short(cell: SafeCell) -> str:
    """Return at most two significant digits, and no more than the cell shows."""
    value = cell.number
    if value is None:
        return cell.text.replace("\N{NO-BREAK SPACE}", "")
    rounded = numbers.significant(value, 2)
    if rounded >= 1000:  # noqa: PLR2004  (four digits and a comma do not fit)
        return f"{rounded / 1000:g}k"
    shown = len(cell.text.replace(".", "").replace(",", "").lstrip("0"))
    return cell.text if shown < 2 else numbers.with_commas(value, 2)  # noqa: PLR2004  (two digits)


def _band(
    cell: SafeCell, scale: float, limits: tuple[float, ...], threshold: Threshold | None
) -> int:
    """Return the band of a value; what the profile says decides where rounding blurs it."""
    value = scale * (cell.number or 0.0)
    band = sum(value > limit for limit in limits)
    if threshold is None:
        return band
    if cell.status is None:
        return len(limits) + 1
    fail = limits.index(threshold.fail) + 1 if threshold.fail is not None else None
    review = limits.index(threshold.review) + 1 if threshold.review is not None else None
    if cell.status is Status.FAIL and fail is not None:
        return max(band, fail)
    if cell.status is Status.REVIEW and review is not None:
        return max(review, min(band, fail - 1 if fail is not None else band))
    first = review if review is not None else fail
    return band if first is None else min(band, first - 1)
