"""Models of a weighted sample beside a replica's, as rows of a review."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import attrgetter

from sdcmetrics.errors import DataError, NotComputable, StudyError
from sdcmetrics.measures.fits import declared
from sdcmetrics.measures.fits.survey_overlap import overlap_of_designs
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure, variant_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.files import designs_of


def _models(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample = plan.sample
    if sample is None:
        return
    for model in plan.models:
        step = f"weighted model {model.formula}"
        tell(step)
        where = (Place(target=model.formula.partition("~")[0].strip(), model=model.name),)
        try:
            each = tuple(
                overlap_of_designs(
                    pair.original,
                    [synthesis],
                    model.formula,
                    model.family,
                    (sample.design, design),
                    missing_codes=pair.missing_codes,
                    no_predictors=sample.no_predictors,
                )
                for synthesis, design in zip(pair.syntheses, designs_of(sample, pair), strict=True)
            )
        except (NotComputable, DataError, StudyError) as reason:
            yield Given(step, where, reason=str(reason))
        else:
            yield Given(step, where, each, result=each)


SAMPLED_FIT = Kind(
    "a fitted model of a sample",
    "`SurveyOverlap`; a number",
    _models,
    per="model",
    option=SAMPLED,
    symbols={
        "b_o": "coefficients on the original, by its weights",
        "b_s": "coefficients on the replica",
        "se_o": "standard error by the original's design",
        "se_s": "standard error on the replica",
    },
)

_CIO = next(measure for measure in declared.MEASURES if measure.symbol == "CIO")
_NONE = "no coefficient is estimated on both sides"
_DESIGN = (
    "Errors are of the design: strata, clusters and weights of the original, clusters and weights "
    "of the replica where it has them. The mean hides a coefficient that is far off."
)

MEASURES: tuple[Measure, ...] = (
    variant_of(
        _CIO,
        "survey",
        of=SAMPLED_FIT,
        undefined=_NONE,
        show={"of_file": ("CIO", "Overlap")},
        title="Overlap of design-based confidence intervals",
        function=attrgetter("mean_overlap"),
        meaning="How far the intervals of a coefficient for the population cover each other, from "
        "the weighted original and from the replica, each as wide as its own errors make it.",
        formula="mean over coefficients of the mean share of the shared length in both intervals",
        source="Karr et al. (2006), The American Statistician 60, 224-232; Binder (1983)",
        limits="Negative without bound. About 0.7 for an independent sample of the same size and "
        "design. " + _DESIGN,
    ),
    Measure(
        symbol="std_diff_survey",
        of=SAMPLED_FIT,
        family=_CIO.family,
        undefined=_NONE,
        show={"of_file": ("std_diff", "Difference")},
        title="Absolute difference of coefficients over its design-based error",
        function=attrgetter("mean_abs_z"),
        better="lower",
        low=0,
        high=None,
        ideal=None,
        fresh=lambda n, m: math.sqrt(2.0 / math.pi),  # noqa: ARG005  (E|z|)
        tested=("fresh",),
        meaning="How many standard errors of the difference coefficients lie apart: about 0.8 for "
        "an independent sample of the population.",
        formula="mean over coefficients of |b_s - b_o| / sqrt(se_o^2 + se_s^2)",
        source="Binder (1983), International Statistical Review 51(3), 279-292",
        limits=_DESIGN,
    ),
)
"""What is said of a sample's models: the list."""

SUBJECT = Subject("fits of a sample", tuple(MEASURES))
