"""Where scored records are compared: the models of the study."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["SCORES"]

SCORES = Kind(
    "records scored by a propensity model",
    "`UtilityGen`; a number",
    per="model",
    option="[propensity]",
)
