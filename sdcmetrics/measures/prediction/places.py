"""Places of predictions: the targets and learners that the study asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from sdcmetrics.errors import DataError, NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.learners import learner_of
from sdcmetrics.measures.prediction.records import records_of_pair
from sdcmetrics.measures.prediction.trained import trained, usual_learners
from sdcmetrics.measures.section import AsTuple, Limits, Section, Texts, section
from sdcmetrics.measures.survey.sample import labels_of
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
    learners: Annotated[tuple[LearnerName, ...], AsTuple] = ()
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


_NO_HOLDOUT = (
    "there is no holdout: a replica that is tested on the records that it was made of says nothing "
    "of others"
)


def _places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    section = plan.section(Prediction)
    if section is None:
        return
    targets = section.targets or [name for scenario in plan.scenarios for name in scenario.targets]
    for target in dict.fromkeys(targets):
        step = f"learning {target}"
        tell(step)
        if pair.holdout is None:
            yield Given(step, (Place(target=target),), reason=_NO_HOLDOUT)
            continue
        names = plan.options.variables or list(pair.beside_holdout.variables)
        among = tuple(dict.fromkeys([*names, target]))
        try:
            levels = records_of_pair(pair, among)[0].levels(target)
        except DataError as reason:
            yield Given(step, (Place(target=target),), reason=str(reason))
            continue
        households, permutations, undefined = labels_of(
            plan.sample, pair.syntheses, section.permutations
        )
        if not section.permutations:
            undefined = "the labels were not permuted"
        for learner in section.learners or usual_learners(levels):
            where = (Place(target=target, model=learner_of(learner).words),)
            try:
                each = tuple(
                    trained(
                        pair,
                        i,
                        target,
                        learner,
                        among=among,
                        permutations=permutations,
                        seed=plan.options.seed,
                        households=homes,
                    )
                    for i, homes in enumerate(households, start=1)
                )
            except NotComputable as reason:
                yield Given(step, where, reason=str(reason))
            else:
                yield Given(step, where, each, undefined=undefined, result=each)


PREDICTION = Kind(
    "columns learnt from a replica",
    "`Trained`; a number",
    _places,
    per="model",
    holdout=True,
    option=asks_for(Prediction),
)
