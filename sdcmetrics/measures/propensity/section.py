"""Which models of a study tell replica from original."""

from __future__ import annotations

from typing import Annotated, Literal

from sdcmetrics.measures.section import Limits, Many, Section, section

Method = Literal["logit", "cart"]


@section("propensity")
class Propensity(Section):
    """Models that score every record by how synthetic it looks; see `utility_gen`.

    Attributes
    ----------
    methods : "logit" (logistic regression), "cart" (a classification tree), or both
    maxorder : int
        Logit: order of interactions; 0 for main effects, 1 for all pairs, ...
    """

    methods: Annotated[tuple[Method, ...], Many, Limits(min_length=1)] = ("logit", "cart")
    maxorder: Annotated[int, Limits(ge=0)] = 0

    def name(self, method: str) -> str:
        """Return what rows of a review call a method."""
        if method == "cart":
            return "classification tree"
        words = {0: "main effects", 1: "main effects and pairs"}
        return f"logistic regression, {words.get(self.maxorder, f'order {self.maxorder}')}"
