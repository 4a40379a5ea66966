"""Where tables are compared beside a holdout: of one, two and three variables."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["MARGINS"]

MARGINS = Kind("marginal tables beside a holdout", "`MarginalFidelity`; a number", holdout=True)
