"""One-way distributions as they may be shown: levels folded, counts rounded, ends left open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.breaks import interval_label, rounded_breaks
from sdcmetrics.report.safety.cells import Name, SafeCell, blank
from sdcmetrics.report.safety.fold import Folding, fold
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.safety.names import MISSING_LABEL
from sdcmetrics.review.review import Distribution

__all__ = ["SafeDistribution", "SafeLevel", "safe_distribution"]


@dataclass(frozen=True, slots=True)
class SafeLevel:
    """A level, a group of numbers, or the folded levels together.

    Attributes
    ----------
    label : Name
    levels : int
        How many levels of the data it stands for.
    count, share : SafeCell
        Of the original; the share is in percent.
    replicas : tuple of SafeCell
        Shares in percent, in the order of the review's replicas.
    folded, missing : bool
    """

    label: Name
    levels: int
    count: SafeCell
    share: SafeCell
    replicas: tuple[SafeCell, ...]
    folded: bool = False
    missing: bool = False


@dataclass(frozen=True, slots=True)
class SafeDistribution:
    """One variable, ready to show.

    Attributes
    ----------
    name : Name
    kind : str
    levels : tuple of SafeLevel
        Empty where even all records together are too few.
    folded : int
        Number of levels that are shown together with others because they are small.
    size : int
        Number of levels in all data sets together.
    """

    name: Name
    kind: str
    levels: tuple[SafeLevel, ...]
    folded: int
    size: int


def safe_distribution(
    distribution: Distribution, replicas: Iterable[str], guard: Guard
) -> SafeDistribution:
    """Return a distribution as the guard's mode allows it to be shown."""
    names = tuple(replicas)
    name = guard.names(distribution.variable)
    if not guard.release:
        groups = Folding(tuple((i,) for i in range(len(distribution.labels))), None, shown=True)
        labels = [guard.names(label) for label in distribution.labels]
        levels = _levels(distribution, groups, labels, names, guard)
        return SafeDistribution(name, distribution.kind, levels, 0, len(distribution.labels))
    intervals = max(len(distribution.breaks) - 1, 0)
    dates = distribution.kind == "date"
    inner = rounded_breaks(distribution.breaks, dates=dates)
    merged = [i for i in range(1, len(inner)) if inner[i] == inner[i - 1]]
    profile = guard.profile
    groups = fold(
        distribution.original,
        min_cell=profile.min_cell,
        zeros_disclosive=profile.zeros_disclosive,
        intervals=intervals,
        joined=merged,
    )
    folded = _log(groups, intervals, guard)
    labels = [
        _label(distribution, group, position, groups, inner, intervals, guard)
        for position, group in enumerate(groups.groups)
    ]
    levels = _levels(distribution, groups, labels, names, guard) if groups.shown else ()
    return SafeDistribution(name, distribution.kind, levels, folded, len(distribution.labels))


def _log(groups: Folding, intervals: int, guard: Guard) -> int:
    """Note what is folded; return how many levels are."""
    if intervals > 1:
        guard.suppress("Smallest and largest values: outer groups of numeric variables left open")
    folded = 0
    for position, group in enumerate(groups.groups):
        if position == groups.other or len(group) > 1:
            folded += len(group)
    if folded:
        guard.suppress(f"Levels of fewer than {guard.profile.min_cell} original records", folded)
    return folded


def _label(
    distribution: Distribution,
    group: tuple[int, ...],
    position: int,
    groups: Folding,
    inner: tuple[float, ...],
    intervals: int,
    guard: Guard,
) -> Name:
    if position == groups.other:
        text = f"Other ({numbers.plural(len(group), 'level')})"
        return Name(text, text)
    if group[-1] < intervals:
        text = interval_label(inner, group[0], group[-1], dates=distribution.kind == "date")
        return Name(text, text)
    label = distribution.labels[group[0]]
    name = guard.names(label)
    if distribution.kind in ("number", "date") and not intervals and label is not None:
        values = [i for i, found in enumerate(distribution.labels) if found is not None]
        if group[0] == values[0]:
            return Name(f"{name.text} or less", f"{name.full} or less")
        if group[0] == values[-1]:
            return Name(f"{name.text} or more", f"{name.full} or more")
    return name


def _levels(
    distribution: Distribution,
    groups: Folding,
    labels: list[Name],
    replicas: tuple[str, ...],
    guard: Guard,
) -> tuple[SafeLevel, ...]:
    counts = [sum(distribution.original[i] for i in group) for group in groups.groups]
    shown = [guard.rounded(c) if guard.release and c else c for c in counts]
    total = sum(shown)
    out = []
    for position, group in enumerate(groups.groups):
        share = 100.0 * shown[position] / total if total else 0.0
        cells = []
        for replica in replicas:
            found = distribution.replicas.get(replica)
            if found is None:
                cells.append(blank())
                continue
            percent = 100.0 * sum(found[i] for i in group)
            cells.append(_share_cell(percent, guard))
        out.append(
            SafeLevel(
                label=labels[position],
                levels=len(group),
                count=SafeCell(f"{shown[position]:,}", "number", float(shown[position])),
                share=_share_cell(share, guard),
                replicas=tuple(cells),
                folded=position == groups.other or (guard.release and len(group) > 1),
                missing=labels[position].full == MISSING_LABEL
                and distribution.labels[group[0]] is None,
            )
        )
    return tuple(out)


def _share_cell(percent: float, guard: Guard) -> SafeCell:
    percent = min(percent, 100.0)
    number = round(percent, 2) if guard.release else percent
    return SafeCell(numbers.percent_text(percent), "number", number)
