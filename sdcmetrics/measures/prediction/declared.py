"""Declarations of specific utility by models that are trained on a replica."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from sdcmetrics.measures.measure import P_VALUE, SPECIFIC_UTILITY, Measure
from sdcmetrics.measures.prediction.places import PREDICTION, Prediction
from sdcmetrics.measures.subject import Subject

_SOURCE = "Esteban, Hyland and Raetsch (2017), arXiv:1706.02633"
_SCORE = "AUC of two levels, macro F1 of more, R2 of a number"
_LIMITS = (
    "Speaks of one column and one learner, and of no other. A verbatim copy is as good as the "
    "original: it says what a replica is good for, and nothing of risk."
)

_learnt = partial(
    Measure,
    of=PREDICTION,
    family=SPECIFIC_UTILITY,
    low=None,
    ideal=None,
    source=_SOURCE,
    limits=_LIMITS,
    undefined="the column never varies in the holdout",
)

MEASURES: tuple[Measure, ...] = (
    _learnt(
        symbol="TSTR",
        title="Train on synthetic, test on real",
        function=attrgetter("TSTR"),
        better="higher",
        high=1,
        meaning="How well a model that has learnt a column from the replica predicts it for people "
        "of the holdout, whom nobody has learnt from.",
        formula=f"score on the holdout: {_SCORE}",
    ),
    _learnt(
        symbol="TRTR",
        title="Train on real, test on real",
        function=attrgetter("TRTR"),
        better="none",
        high=1,
        meaning="The same of a model that has learnt from as many records of the original.",
        formula=f"score on the holdout: {_SCORE}",
        of_original=True,
    ),
    _learnt(
        symbol="TSTR_gap",
        title="What the replica teaches less than the original",
        function=attrgetter("gap"),
        better="higher",
        high=None,
        ideal=0,
        meaning="The score of what was learnt from the replica less that of what was learnt from "
        "as many records of the original; below 0 where the replica teaches less. People who were "
        "not in the original have 0 on average.",
        formula="TSTR - TRTR",
    ),
    _learnt(
        symbol="TSTR_fresh_gap",
        title="How far two halves of the original differ in what they teach",
        function=attrgetter("fresh_gap"),
        better="none",
        high=None,
        meaning="The mean size of the gap between two random halves of the original: what people "
        "who were not in the original differ by at half as many records.",
        formula="mean over 5 splits of |score of one half - score of the other|",
        of_original=True,
    ),
    _learnt(
        symbol="TSTR_p",
        title="Permutation p of what the replica teaches less",
        function=attrgetter("gap_p"),
        meaning="Probability that labels original and synthetic, given at random, make a replica "
        "teach so much less, or even less.",
        formula="(1 + permuted gaps that are at most the gap) / (1 + permutations); 10 / drawn "
        "where 10 of fewer draws are",
        source="Besag and Clifford (1991), Biometrika 78(2), 301-304; " + _SOURCE,
        undefined="the labels were not permuted",
        **P_VALUE,
    ),
)

SUBJECT = Subject("prediction", tuple(MEASURES), section=Prediction)
