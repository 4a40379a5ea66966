"""People of the original in a replica, as rounded counts that decide everything that is told."""

from __future__ import annotations

from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.review.copying import Copying

__all__ = ["protected_copying"]

_MANY = 2
"""So many times what fresh data or twins explain is told: a test would need exact counts."""


def protected_copying(found: Copying, rounding: Rounding) -> Copying:
    """Return the evidence in protected counts; what is small, and p values, are not in it."""
    records = rounding.records
    n, copied = records(found.n), records(found.copied)
    twins, least = records(found.twins), rounding.least
    many = copied > _MANY * max(twins, least)
    out = None if found.singled_out is None else records(found.singled_out)
    fresh = records(found.fresh_singled_out)
    return Copying(
        found.replica,
        found.synthesis,
        n,
        copied,
        max(twins, 1),  # whether there is none at all is not told
        complete=many and copied >= n,
        copied_p=0.0 if many else 1.0,
        singled_out=out,
        fresh_singled_out=fresh,
        singled_out_p=0.0 if (out or 0) > _MANY * max(fresh, least) else 1.0,
        margin="a margin",
        n_near=records(found.n_near),
        n_holdout=records(found.n_holdout),
    )
