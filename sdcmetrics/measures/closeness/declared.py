"""Declarations of disclosure risk by distances to the closest real records.

Distances are information and never a verdict: no entry has an ideal value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from sdcmetrics.errors import DataError
from sdcmetrics.measures.closeness import shares as closeness
from sdcmetrics.measures.closeness.copies import COPIES, exact_copies, exact_copies_p
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.share_permutation import SharePermutation
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.measures.measure import DISCLOSURE_RISK, P_VALUE, Measure, Release
from sdcmetrics.measures.reference_values import ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.results import Counted

_PLATZER = "Platzer and Reutterer (2021), Frontiers in Big Data 4:679939, section 3.2"
_BLIND = (
    "Shows copying and nothing else: replicas that pass tests of this kind have been attacked "
    "with success (Yao et al. 2025, arXiv:2505.01524; Ganev and De Cristofaro 2023, "
    "arXiv:2312.05114), so a value as expected is no evidence of anonymity."
)
_ALONE = (
    "Takes records to be independent unless told who lives together: whole households that were "
    "not in the original are taken for copies too often."
)

_distance = partial(
    Measure,
    family=DISCLOSURE_RISK,
    of=CLOSEST,
    low=0,
    ideal=None,
    source=_PLATZER,
)
_label = partial(
    Measure, family=DISCLOSURE_RISK, of=CLOSEST, low=0, high=1, better="higher", ideal=None
)


def _own(
    copy: Callable[[ClosestRecord], float],
    holdout: float | Callable[[ClosestRecord], float] | None = None,
) -> ReferenceValues:
    """Return the reference values of a measure whose control is the holdout; a p has no such value.

    A p of the holdout is any number from 0 to 1.
    """
    return ReferenceValues("P3", copy, "yes", "original and holdout", fresh=holdout)


def _of_holdout(
    copy: Callable[[ClosestRecord], float], holdout: Callable[[ClosestRecord], float]
) -> ReferenceValues:
    return ReferenceValues("P2", copy, "no", "original and holdout", fresh=holdout)


def _copied(result: ClosestRecord) -> SharePermutation:
    if result.copied.permutation is None:
        msg = "the labels were not permuted for the copy"
        raise DataError(msg)
    return result.copied.permutation


def _chance(result: ClosestRecord) -> float:
    """The exact expected share of a replica that does not depend on who was in the original."""
    n, _, h = result.sizes
    return n / (n + h)


def _permuted(test: SharePermutation) -> Counted:
    if math.isnan(test.p_value):
        return Counted(test.p_value, math.nan, math.nan)
    return Counted(test.p_value, test.reached, test.permutations)


def _p(test: LabelTest, n: int) -> Counted:
    return Counted(test.p_value, test.training, n)


MEASURES: tuple[Measure, ...] = (
    _distance(
        symbol="DCR_share",
        reference_values=_own(lambda result: _copied(result).observed, _chance),
        release=Release("band", (0.5, 0.6, 0.7, 0.8)),
        title="Share of synthetic records closer to the training data than to a holdout",
        tested=("fresh",),
        function=lambda result: result.share,
        high=1,
        better="lower",
        meaning="Whether synthetic records are closer to those that the synthesis has seen than "
        "to people who were not in the original: about n_T / (n_T + n_H), one half for data sets "
        "of one size, if it has "
        "copied nothing; 1 if it has copied all.",
        formula="mean over synthetic records of the share of training records among the closest",
        limits=f"{_BLIND} What chance does to it depends on the replica: compare it with DCR_p, "
        "not with a limit. An average over all records: a hundred people who leak do not move it.",
    ),
    _label(
        symbol="DCR_z",
        reference_values=_own(lambda result: _copied(result).z, 0.0),
        undefined="the permuted shares do not vary",
        show={"decimals": 2},
        title="DCR share in standard deviations above that of permuted labels",
        tested=("z",),
        function=lambda result: result.permutation.z,
        low=None,
        high=None,
        better="lower",
        meaning="How far the share is above what it is when training and holdout records change "
        "places at random.",
        formula="(share - mean of permuted shares) / their standard deviation",
        source="permutation test; " + _PLATZER,
        limits=f"{_BLIND} {_ALONE}",
    ),
    _label(
        symbol="DCR_p",
        reference_values=_own(lambda result: _copied(result).p_value),
        release=Release("band", (0.001, 0.01, 0.05)),
        undefined="the permuted shares do not vary",
        title="Permutation p of the DCR share",
        function=lambda result: _permuted(result.permutation),
        meaning="Probability that a replica that knows nothing of who was trained on has a share "
        "as large, or larger.",
        formula="(1 + permuted shares that are at least the share) / (1 + permutations)",
        source="permutation test; " + _PLATZER,
        limits=f"{_BLIND} Cannot be below 1 / (1 + permutations). {_ALONE}",
        **P_VALUE,
    ),
    _distance(
        symbol="DCR_training",
        reference_values=ReferenceValues(
            "P2",
            0.0,
            "yes",
            "constant",
            fresh=lambda result: closeness.dcr_training(result.baseline),
        ),
        release=Release("band"),
        show={"decimals": 2},
        title="Mean distance to the closest training record",
        function=lambda result: result.mean_training,
        high=None,
        better="none",
        meaning="How far synthetic records are from those that the synthesis has seen.",
        formula="mean over synthetic records of min over training records of d",
        limits=f"Says nothing alone: useless data are far, good data are near. {_BLIND} It has no "
        "p: a smooth replica is near to everybody without copying. DCR_p and singled_out_p "
        "let training and holdout records change places, which tells the two apart.",
    ),
    _distance(
        symbol="DCR_holdout",
        reference_values=_of_holdout(
            lambda result: result.copied.to_holdout,
            lambda result: closeness.dcr_holdout(result.baseline),
        ),
        release=Release("band"),
        show={"decimals": 2},
        title="Mean distance to the closest holdout record",
        function=lambda result: result.mean_holdout,
        high=None,
        better="none",
        meaning="How far synthetic records are from the holdout's records: the reference value "
        "for DCR_training.",
        formula="mean over synthetic records of min over holdout records of d",
        limits="Holds for a holdout that is a random part of the same data; a smaller one is "
        "further away. It cannot tell a copy from people who were not in the original.",
    ),
    _distance(
        symbol="IMS_training",
        reference_values=ReferenceValues(
            "P2",
            100.0,
            "yes",
            "constant",
            fresh=lambda result: closeness.ims_training(result.baseline).percent,
        ),
        title="Identical match share with the training data",
        function=lambda result: closeness.ims_training(result.closest),
        high=100,
        better="lower",
        unit="percent",
        meaning="Percent of synthetic records that equal a training record in every value, as it "
        "stands in the data.",
        formula="100 mean over synthetic records of [some training record is equal]",
        limits="Common records are matched by chance: compare it with IMS_holdout. To remove the "
        "matches gives away who was in the training data. It has no p of its own: identical_p "
        "says whether too many of the matched are training records.",
    ),
    _distance(
        symbol="IMS_holdout",
        reference_values=_of_holdout(
            lambda result: result.copied.in_holdout.percent,
            lambda result: closeness.ims_holdout(result.baseline).percent,
        ),
        title="Identical match share with the holdout",
        function=lambda result: closeness.ims_holdout(result.closest),
        high=100,
        better="none",
        unit="percent",
        meaning="Percent of synthetic records that equal a holdout record in every value: the "
        "reference value for IMS_training.",
        formula="100 mean over synthetic records of [some holdout record is equal]",
        limits="Holds for a holdout that is a random part of the same data, of about the same "
        "number of records. It cannot tell a copy from people who were not in the original.",
    ),
    _label(
        symbol="identical_p",
        reference_values=_own(lambda result: result.copied.identical.p_value),
        title="Exact p of the training records that the replica holds verbatim",
        function=lambda result: _p(result.identical, result.sizes[0]),
        meaning="Probability that, of the real records which no other real record equals and some "
        "synthetic record does, in every value, chance makes as many training records, or more.",
        formula="hypergeometric tail of the training records among those identical ones",
        source="Fisher's exact test over exchangeable labels; identical matches as in " + _PLATZER,
        limits=f"{_BLIND} Little power where records have duplicates, as in data of few columns.",
        **P_VALUE,
    ),
    _label(
        symbol="singled_out_p",
        reference_values=_own(lambda result: result.copied.singled_out.p_value),
        title="Exact p of the training records that a synthetic record singles out",
        function=lambda result: _p(result.singled_out, result.singled_out.n_training),
        meaning="Probability that, of the real records which are closer by a margin to a synthetic "
        "record than to any other real one, chance makes as many training records, or more.",
        formula="hypergeometric tail of the training records among those singled out",
        source="Fisher's exact test over exchangeable labels; distances as in " + _PLATZER,
        limits=f"{_BLIND} Looks at outlying records only, and depends on the margin.",
        **P_VALUE,
    ),
    Measure(
        symbol="exact_copies",
        reference_values=ReferenceValues("P2", 100.0, "yes", "constant"),
        title="Original records that the replica holds in every value",
        function=exact_copies,
        of=COPIES,
        family=DISCLOSURE_RISK,
        unit="percent",
        low=0,
        high=100,
        ideal=None,
        better="lower",
        aliases=("common rows proportion",),
        meaning="Percent of original records that some replica record equals in every column that "
        "was compared: copies, or people who are like many.",
        formula="100 #{original records that some synthetic record equals} / N_d",
        source="synthcity's common rows proportion; Qian et al. (2023), arXiv:2301.07573",
        limits="One value that differs hides a copy. In data of few columns fresh samples hold "
        "many original records too: compare it with the records that have a duplicate in the "
        "original. Its p is exact_copies_p.",
    ),
    _label(
        symbol="exact_copies_p",
        reference_values=ReferenceValues(
            "P3", lambda result: float(result.of_itself), "yes", "original"
        ),
        of=COPIES,
        title="p of the combinations of values that replica and original share",
        function=exact_copies_p,
        meaning="Probability that a fresh sample of the replica's size shares as many combinations "
        "of values with the original, or more. It needs no holdout.",
        formula="upper tail of a binomial: combinations that both have, of those that could tell",
        source="exchangeable labels; Hoeffding (1956), Annals of Mathematical Statistics 27",
        limits="An upper bound: it finds fewer copies than the tests beside a holdout, and none "
        "that differ in one value.",
        **P_VALUE,
    ),
)

SUBJECT = Subject("closeness", tuple(MEASURES))
