"""Whether and how a study compares distributions."""

from __future__ import annotations

from typing import Annotated

from sdcmetrics.measures.section import Limits, Section, Texts, section
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names


@section("distributions")
class Distributions(Section):
    """Distances between distributions, each with a test by permuted labels.

    Attributes
    ----------
    energy : bool
        Whole records too, which takes longest: a minute for 20,000 of them.
    groups : tuple of names
        Columns whose levels are groups of people, each compared on its own.
    permutations : int
    """

    energy: bool = True
    groups: Texts = ()
    permutations: Annotated[int, Limits(ge=0, le=MOST_PERMUTATIONS)] = 999

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns of groups."""
        return self.groups

    def check(self, original: Microdata) -> None:
        """Raise ColumnError if a group is no column of the original."""
        check_names(self.groups, original, "group")
