"""One-way distributions as they may be shown: levels folded, counts rounded, ends left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.breaks import group_label
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, count_cell
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.tables import ProtectedVariable
from sdcmetrics.review.review import Distribution, Review


@dataclass(frozen=True, slots=True)
class SafeLevel:
    """A level, a group of numbers, or the folded levels together.

    Attributes
    ----------
    label : Name
    count, share : SafeCell
        Of the original; the share is in percent.
    replicas : tuple of SafeCell
        Shares in percent, in the order of the review's replicas.
    folded, missing : bool
    """

    label: Name
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
    grouped : bool
        Whether these are groups of numbers.
    coarse : bool
        Whether a group holds several values; in an edition that holds back small counts, grouped.
    missing : dict of replica to SafeCell
        Share of missing values, where some data set misses any.
    """

    name: Name
    kind: str
    levels: tuple[SafeLevel, ...]
    folded: int
    size: int
    grouped: bool = False
    missing: dict[str, SafeCell] = field(default_factory=dict)
    coarse: bool = False


def safe_distributions(
    review: Review | Protected, guard: Guard
) -> Iterator[tuple[str, SafeDistribution]]:
    """Yield every variable as the mode shows it."""
    if isinstance(review, Protected):
        for name, distribution in review.distributions.items():
            yield name, _protected(distribution, review.replicas, guard)
    else:
        for name, exact in review.distributions.items():
            yield name, _exact(exact, review.replicas, guard)


def _exact(distribution: Distribution, replicas: Sequence[str], guard: Guard) -> SafeDistribution:
    shares = {r: [100.0 * share for share in of] for r, of in distribution.replicas.items()}
    levels = [
        _level(guard, label, count, sum(distribution.original), i, shares, replicas)
        for i, (label, count) in enumerate(
            zip(_labels(distribution), distribution.original, strict=True)
        )
    ]
    name = guard.names(distribution.variable)
    size, grouped = len(distribution.labels), bool(distribution.breaks)
    coarse = distribution.coarse
    return SafeDistribution(name, distribution.kind, tuple(levels), 0, size, grouped, coarse=coarse)


def _labels(distribution: Distribution) -> tuple[str | None, ...]:
    if not distribution.breaks:
        return distribution.labels
    return tuple(None if label is None else group_label(label) for label in distribution.labels)


def _protected(
    protected: ProtectedVariable, replicas: Sequence[str], guard: Guard
) -> SafeDistribution:
    shares = {
        replica: np.mean([100.0 * part / part.sum() for part in parts], axis=0).tolist()
        for replica, parts in protected.replicas.items()
    }
    if protected.grouped:
        guard.suppress("Smallest and largest values: outer groups of numeric variables left open")
    levels, folded = [], 0
    for i, (group, count) in enumerate(zip(protected.groups, protected.counts, strict=True)):
        level = _level(guard, group.label, count, sum(protected.counts), i, shares, replicas)
        together = group.levels > 1 or group.other
        levels.append(replace(level, folded=together))
        folded += group.levels if together else 0
    if folded:
        least = guard.rounding.least
        guard.suppress(f"Levels of fewer than {least} original records", folded)
    size = sum(group.levels for group in protected.groups)
    return SafeDistribution(
        guard.names(protected.variable),
        protected.kind,
        tuple(levels),
        folded,
        size,
        protected.grouped,
        {r: _share_cell(guard, 100.0 * share) for r, share in protected.missing.items()},
        coarse=protected.grouped,
    )


def _level(
    guard: Guard,
    label: str | None,
    count: int,
    total: int,
    place: int,
    shares: Mapping[str, Sequence[float]],
    replicas: Sequence[str],
) -> SafeLevel:
    return SafeLevel(
        label=guard.names(label),
        count=count_cell(count),
        share=_share_cell(guard, 100.0 * count / total if total else 0.0),
        replicas=tuple(
            _share_cell(guard, shares[replica][place]) if replica in shares else blank()
            for replica in replicas
        ),
        missing=label is None,
    )


def _share_cell(guard: Guard, percent: float) -> SafeCell:
    percent = min(percent, 100.0)
    return SafeCell(
        numbers.percent_text(percent), "number", round(percent, 2) if guard.release else percent
    )
