"""Declarations of correct attribution probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import correct_attribution as ca
from sdcmetrics.measures.disclosure import cut
from sdcmetrics.measures.disclosure.declaring import (
    BY_ITSELF,
    BY_LABEL,
    CHANCE,
    GUESS,
    ONE_FILE,
    SHARE,
    cut_to_size,
    right_by_original,
    right_by_synthetic,
    right_by_target,
    risk,
    twin_of,
)
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure, PeopleSum, Release

_CMF = "Chan, Comparative Metrics Framework, eqs. 4-6; Taub, Elliot, Pampaka and Smith (2018), PSD"
_LITTLE = "Little, Allmendinger and Elliot (2025), J. Official Statistics 41(1); synthpop 1.9-3"
_PER_SYNTHETIC = (
    "Counts original records per synthetic one: it exceeds 100 % where the replica is smaller "
    "than the original (140 % was seen), and compares only replicas of the original's size. "
    "synthpop's vignette advises DiSCO and DCAP over original records instead."
)
_FOUR_TCAPS = (
    "Four different numbers are published as TCAP: TCAP_certain, TCAP_matched, DiSCO and "
    "TCAP_synthetic."
)
_per_synthetic = partial(risk, better="lower", high=None, limits=_PER_SYNTHETIC)
_share = partial(Measure, family=DISCLOSURE_RISK, of=KEYS, low=0, high=1, ideal=None)


def _if_certain(value: float) -> Callable[[KeyTargetCounts], float]:
    """Return what a copy scores: a value where a key combination of the original is unanimous."""

    def copy(counts: KeyTargetCounts) -> float:
        unanimous = (counts.original > 0) & (counts.original == counts.original_of_key)
        return value if bool(unanimous.any()) else math.nan

    return copy


def _percent(function: Callable[[KeyTargetCounts], float]) -> Callable[[KeyTargetCounts], float]:
    """Return a function of counts whose proportion is given in percent."""

    @wraps(function)
    def in_percent(counts: KeyTargetCounts) -> float:
        return 100.0 * function(counts)

    return in_percent


GUESSES: tuple[Measure, ...] = (
    risk(
        "baseCAPd",
        reference_values=BY_ITSELF,
        release=Release("target", sum=PeopleSum(right_by_target)),
        title="Baseline correct attribution probability",
        function=_percent(ca.cap_baseline),
        better="none",
        meaning="Chance of a right guess from the distribution of the target alone (lower bound).",
        formula="100 sum over levels of (d_t / N_d)^2",
        source=_CMF,
        limits="The same number as CAP_b, in percent.",
    ),
    risk(
        "CAPd",
        reference_values=BY_ITSELF,
        release=Release("chance", sum=PeopleSum(right_by_original)),
        title="Correct attribution probability of the original",
        function=_percent(ca.cap_original),
        better="none",
        meaning="Chance of a right guess for one who holds the original itself (upper bound).",
        formula="100 sum D^2 / d_q / N_d",
        source=_CMF,
        limits="The same number as CAP_o, in percent.",
    ),
    risk(
        "CAPs",
        reference_values=cut_to_size("CAPd", "no", cut.cap_in_synthetic),
        release=CHANCE,
        title="Correct attribution probability of the synthetic data",
        aliases=("WEAP", "within equivalence class attribution probability"),
        function=_percent(ca.cap_in_synthetic),
        better="none",
        meaning="Chance of a right guess about synthetic records from the replica itself.",
        formula="100 sum S^2 / s_q / N_s",
        limits="About synthetic records, which are nobody." + ONE_FILE,
    ),
    risk(
        "DCAP",
        reference_values=cut_to_size("CAPd", "sparse keys", cut.dcap, by_record=True),
        release=replace(CHANCE, sum=PeopleSum(right_by_synthetic, by_person=True)),
        title="Differential correct attribution probability",
        function=_percent(ca.dcap_zero),
        show={
            "learnt": (4, "Guessed right", "DCAP; CAPd; baseCAPd"),
            "between": ("baseCAPd", "CAPd"),
        },
        ranked={0: 1 / 3},
        better="lower",
        meaning="Chance of a right guess about original records from the replica, records "
        "without a "
        "match counting as wrong.",
        formula="100 sum D S / s_q / N_d",
        source=_CMF,
        limits=GUESS,
        aliases=("DCAPd",),
    ),
    _per_synthetic(
        "DCAPs",
        reference_values=cut_to_size("CAPd", "sparse keys", cut.dcap_over_synthetic),
        title="Differential correct attribution probability per synthetic record",
        function=_percent(ca.dcap_over_synthetic),
        meaning="DCAP with the number of synthetic records below the line.",
        formula="100 sum D S / s_q / N_s",
        source="synthpop 1.9-3",
    ),
    _per_synthetic(
        "DCAPb",
        reference_values=cut_to_size("CAPd", "weakly", cut.dcap_over_matching),
        title="Differential correct attribution probability per matching synthetic record",
        function=_percent(ca.dcap_over_matching),
        meaning="DCAP with the number of synthetic records below the line whose key combination "
        "is in the original.",
        formula="100 sum D S / s_q / N_b",
        source="synthpop 1.9-3",
        undefined="no key combination of the replica is in the original",
    ),
    _per_synthetic(
        "TCAPs",
        reference_values=cut_to_size("Dorig", "yes", cut.tcap_over_synthetic),
        title="Targeted correct attribution probability per synthetic record",
        function=_percent(ca.tcap_over_synthetic),
        meaning="DiSCO with the number of synthetic records below the line.",
        formula="100 sum D [S = s_q > 0] / N_s",
        source="synthpop 1.9-3",
    ),
    _per_synthetic(
        "TCAPb",
        reference_values=cut_to_size("Dorig", "yes", cut.tcap_over_matching),
        title="Targeted correct attribution probability per matching synthetic record",
        function=_percent(ca.tcap_over_matching),
        meaning="DiSCO with the number of synthetic records below the line whose key combination "
        "is in the original.",
        formula="100 sum D [S = s_q > 0] / N_b",
        source="synthpop 1.9-3",
        undefined="no key combination of the replica is in the original",
    ),
    risk(
        "TCAP_matched",
        reference_values=cut_to_size("Dorig", "weakly", cut.tcap_matched, by_record=True),
        release=SHARE,
        title="Targeted correct attribution probability over matched records",
        function=ca.tcap_matched,
        show={"learnt": (5, "Right among the found", "TCAP_matched")},
        undefined="no key combination of the original is in the replica",
        better="lower",
        meaning="DiSCO as a share of the original records whose key combination is in the replica.",
        formula="100 DiSCO / iS",
        source="synthpop 1.9-2, whose vignette cites Little et al. (2022)",
        limits=_FOUR_TCAPS,
    ),
    risk(
        "TCAP_certain",
        reference_values=cut_to_size(
            _if_certain(100.0), "weakly", cut.tcap_certain, by_record=True
        ),
        title="Targeted correct attribution probability where the intruder is certain",
        aliases=("TCAP_conditional",),
        function=ca.tcap_certain,
        better="lower",
        meaning="DiSCO as a share of the original records whose key combination is unanimous in "
        "the replica: how often an intruder who is certain is right.",
        formula="100 DiSCO / DiS",
        source=_LITTLE,
        limits="It says nothing of how many records that concerns; read DiS beside it. "
        + _FOUR_TCAPS,
        undefined="no key combination of the original is unanimous in the replica",
        twin=twin_of(
            "TCAP_certain",
            BY_LABEL + " With target levels left out, synthpop 1.9-3 decides anew what is "
            "unanimous, so that a binary target gets 100 %; here that is decided before.",
        ),
    ),
    _share(
        symbol="CAP_o",
        reference_values=BY_ITSELF,
        title="CAP of the original",
        function=ca.cap_original,
        better="none",
        meaning="Upper bound of the CAP of a replica.",
        formula="mean over originals of D / d_q",
        source=_CMF,
        limits="Not a limit of what can happen: a replica can guess better by chance.",
    ),
    _share(
        symbol="CAP_b",
        reference_values=BY_ITSELF,
        title="Baseline CAP",
        function=ca.cap_baseline,
        better="none",
        meaning="Lower bound: guessing by the distribution of the target.",
        formula="sum over levels of (d_t / n)^2",
        source=_CMF,
        limits="The framework's own R code takes 1 / #levels instead; its paper is followed.",
    ),
    _share(
        symbol="CAP_s_zero",
        reference_values=cut_to_size("CAP_o", "sparse keys", cut.dcap, by_record=True),
        title="CAP of the replica, non-matches as zero",
        function=ca.dcap_zero,
        better="lower",
        meaning="Mean share of synthetic records with the same keys that have the right target.",
        formula="mean over originals of S / s_q, 0 where s_q = 0",
        source=_CMF,
        limits=GUESS,
    ),
    _share(
        symbol="CAP_s_undefined",
        reference_values=cut_to_size("CAP_o", "weakly", cut.dcap_undefined, by_record=True),
        title="CAP of the replica, non-matches left out",
        function=ca.dcap_undefined,
        undefined="no key combination of the original is in the replica",
        better="lower",
        meaning="The same over the originals whose key combination is in the replica.",
        formula="mean over matched originals of S / s_q",
        source=_CMF,
        limits="Can exceed the CAP of the original where few records match.",
    ),
    _share(
        symbol="TCAP_synthetic",
        reference_values=cut_to_size(_if_certain(1.0), "weakly", cut.tcap_synthetic),
        title="Targeted CAP over synthetic records",
        function=ca.tcap_synthetic,
        undefined="no key combination is unanimous in the replica and in the original",
        better="lower",
        meaning="Over synthetic records whose key combination determines the target in the "
        "replica: mean share of originals with these keys that have this target.",
        formula="mean over unanimous synthetic records of D / d_q, absent keys left out",
        source="after Taub and Elliot (2019)",
        limits="Leaves out key combinations that the original does not have.",
    ),
    _share(
        symbol="CAP_s",
        reference_values=cut_to_size("CAP_o", "weakly", "samples"),
        title="CAP of the replica by the framework's rule",
        function=ca.cap_by_rule,
        better="lower",
        meaning="Mean of CAP_s_zero and CAP_s_undefined, of which the second counts up to its "
        "upper bound CAP_o; never below CAP_s_zero.",
        formula="max(zero, (zero + min(undefined, CAP_o)) / 2), or zero where nothing matches",
        source=_CMF,
        limits=GUESS,
    ),
    _share(
        symbol="CAP_ratio",
        reference_values=cut_to_size(1.0, "weakly", "samples"),
        title="CAP of the replica over CAP of the original",
        function=ca.cap_ratio,
        better="lower",
        high=None,
        meaning="The framework's overall CAP: how much of what the original gives away the replica "
        "gives away.",
        formula="CAP_s / CAP_o",
        source=_CMF,
        limits="Even an independent replica has a positive ratio; compare with CAP_b / CAP_o.",
    ),
    _share(
        symbol="non_match",
        reference_values=cut_to_size(0.0, "sparse keys", cut.non_match, by_record=True),
        title="Non-match share",
        function=ca.non_match,
        any_target=True,
        better="none",
        meaning="Original records whose key combination is not in the replica.",
        formula="1 - iS",
        source=_CMF,
        limits="High shares make the zero and the undefined variant differ.",
    ),
)
