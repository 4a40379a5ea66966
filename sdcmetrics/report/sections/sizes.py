"""The effect of a replica's size on a measure: limits are for the original's size."""

from __future__ import annotations

from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding

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
    return f"{', '.join([f'{equal} original has', *words])}, and 1 of draws from the original"


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
