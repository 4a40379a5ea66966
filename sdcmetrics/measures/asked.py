"""Scenarios of intruders and models of users, as a study declares them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """What an intruder is assumed to know (keys) and to want (targets)."""

    name: str
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True)
class Model:
    """A model that somebody may fit to the replica: a formula in R's notation, and a family."""

    formula: str
    family: str = "gaussian"

    @property
    def name(self) -> str:
        """The formula, with its family unless that is gaussian."""
        return self.formula if self.family == "gaussian" else f"{self.formula}, {self.family}"
