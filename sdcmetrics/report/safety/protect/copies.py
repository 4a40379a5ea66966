"""People of the original in a replica, as rounded counts that decide everything that is told."""

from __future__ import annotations

from collections.abc import Iterable

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.review.copying import Copying, beyond_twins, held

_MANY = 2
"""So many times what fresh data explain is told: a test would need exact counts."""


def protected_copying(found: Copying, rounding: Rounding) -> Copying:
    """Return the evidence in protected counts; what is small, and p values, are not in it."""
    records = rounding.records
    n, copied = records(found.n), records(found.copied)
    twins, least = records(found.twins), rounding.least
    of_both = max(twins, least), n, found.n_synthetic
    every = copied >= n > _MANY * max(n * held(*of_both), least)  # of few records, too
    many = every or beyond_twins(copied, *of_both, rounding.base)
    out = None if found.singled_out is None else records(found.singled_out)
    fresh = records(found.fresh_singled_out)
    return Copying(
        found.replica,
        found.synthesis,
        n,
        found.n_synthetic,
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


def refuse_hidden_copies(exact: Iterable[Copying], told: Iterable[Copying]) -> None:
    """Raise ReleaseBlocked where a replica is a copy of the original and a release is silent on it.

    Rounded counts of data of few columns are those of fresh people. Such a release would call the
    original releasable.
    """
    silent = {(one.replica, one.synthesis) for one in told if not one.complete}
    hidden = [
        one.replica for one in exact if one.complete and (one.replica, one.synthesis) in silent
    ]
    if hidden:
        msg = (
            f"release blocked: replica {hidden[0]!r} is a copy of the original, which protected "
            "counts cannot show, so that the release would not say it. Nothing was written. Leave "
            "this replica out of the study, and do not hand it out."
        )
        raise ReleaseBlocked(msg)
