"""How values are ranked."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.ranking.acceptability import DRAWS
from sdcmetrics.ranking.strategies import Strategy

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """How values are ranked; see `compare_replicas` for what each field means."""

    strategy: Strategy = "rank"
    missing: str = "leave out"
    draws: int = DRAWS
    seed: int = 1
