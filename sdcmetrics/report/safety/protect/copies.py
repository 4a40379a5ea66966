"""Records of the original in a replica, as rounded counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.review.people import Copied


def protected_copies(each: Iterable[Copied], rounding: Rounding) -> tuple[Copied, ...]:
    """Return the counts of every synthesis, rounded."""
    records = rounding.records
    return tuple(
        replace(
            copy,
            n=records(copy.n),
            copied=records(copy.copied),
            singled_out=None if copy.singled_out is None else records(copy.singled_out),
            n_near=records(copy.n_near),
        )
        for copy in each
    )
