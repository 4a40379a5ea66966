"""Which columns a study learns from replicas."""

from __future__ import annotations

from typing import Annotated, Literal

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.section import Limits, Many, Section, Texts, section
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS
from sdcmetrics.microdata.frames import Microdata

LearnerName = Literal["logistic", "tree", "boosting", "cart", "forest", "network"]


@section("prediction")
class Prediction(Section):
    """What is learnt from the replica and from the original, and tested on the holdout.

    Attributes
    ----------
    targets : tuple of str
        Columns to predict from all others; empty for the targets of the scenarios.
    learners : tuple of str
        See `prediction`; empty for those that suit a column.
    permutations : int
        Of the labels original and synthetic; 0 for no p.
    """

    targets: Texts = ()
    learners: Annotated[tuple[LearnerName, ...], Many] = ()
    permutations: Annotated[int, Limits(ge=0, le=MOST_PERMUTATIONS)] = 99

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns to predict."""
        return self.targets

    def check(self, original: Microdata) -> None:
        """Raise StudyError if a target is no column of the original."""
        for name in self.targets:
            if name not in original.columns:
                msg = f"prediction: targets: {name!r} is not a column of the original."
                raise StudyError(f"{msg}{did_you_mean(name, original.columns)}")
