"""What may be said of people of the original in a replica, as exactly as the edition allows."""

from __future__ import annotations

import math
from dataclasses import replace

from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.review.copying import Copying

__all__ = ["protected_copying"]


def protected_copying(found: Copying, guard: Guard) -> Copying:
    """Return the evidence with every count of original records rounded, or taken out.

    Outside, nothing rests on a count that is small. Without a holdout only rounded counts decide
    whether there are copies: when they are more than twice the records that have a twin.
    """
    if not guard.release:
        return found

    def rounded(count: float) -> int:
        return 0 if guard.small(count) else guard.rounded(count)

    copied, twins, n = rounded(found.copied), rounded(found.twins), guard.rounded(found.n)
    many = copied > 2 * max(twins, guard.profile.min_cell)
    single, fresh = rounded(found.singled_out or 0), rounded(found.fresh_singled_out)
    return replace(
        found,
        n=n,
        copied=min(copied, n),
        twins=max(twins, 1),  # whether there is none at all is not told
        complete=many and copied >= n,
        copied_p=0.0 if many else 1.0,
        alone=0 if guard.small(found.alone) else guard.rounded(found.alone),
        singled_out=None if found.singled_out is None else single,
        fresh_singled_out=fresh,
        singled_out_p=found.singled_out_p if single else 1.0,
        share=found.share if math.isnan(found.share) else round(found.share, 3),
    )
