"""People of the original in a replica, as rounded counts that decide everything that is told."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.review.copying import SURE, Copying, beyond_twins, held

_MANY = 2
"""So many times what fresh data explain is told: a test would need exact counts."""


def closer(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the replicas whose band of DCR_p, as a release shows it, lies within what is sure."""
    return frozenset(
        row["replica"]
        for row in rows
        if row["metric"] == "DCR_p" and max(row["value"], row["other"]) <= SURE
    )


def protected_copies(
    found: Iterable[Copying], rounding: Rounding, rows: Iterable[Mapping[str, Any]]
) -> tuple[Copying, ...]:
    """Return the evidence of every synthesis, of counts that are rounded and of bands in rows."""
    near = closer(rows)
    return tuple(protected_copying(one, rounding, near) for one in found)


def protected_copying(
    found: Copying, rounding: Rounding, closer: Container[str] = frozenset()
) -> Copying:
    """Return the evidence in protected counts; what is small, and exact p, are not in it.

    `closer` names the replicas of which a band shows that they are closer than fresh data.
    """
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
        share_p=0.0 if found.replica in closer else 1.0,
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
