"""Disclosure risk: the list."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps
from typing import Literal

from sdcmetrics.measures.crosstables.counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import attribution as at
from sdcmetrics.measures.disclosure import correct_attribution as ca
from sdcmetrics.measures.disclosure import cut, identity
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.versions import NAMES
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure, Release
from sdcmetrics.measures.twin import Twin
from sdcmetrics.measures.yardstick import ITSELF, Yardstick

__all__ = ["MEASURES"]

_RAAB = "Raab, Nowok and Dibben (2024), arXiv:2406.16826"
_CMF = "Chan, Comparative Metrics Framework, eqs. 4-6; Taub, Elliot, Pampaka and Smith (2018), PSD"

_BY_LABEL = (
    "Cells are matched by label and key combinations are tuples; synthpop goes by position when "
    "one side lacks a level, and then under-reports risk. Missing is not the text 'Missing'."
)
_CANNOT = " It cannot tell a copy from fresh people."
_ONE_FILE = " It looks at the replica only, so it cannot tell a copy from fresh people."
_KEYS = "Holds for the keys that were named; an intruder who knows more finds more."
_UNIQUE = "A unique in the file need not be unique in the population. " + _KEYS
_GUESS = (
    "A correct guess is no proof of a disclosure: where nearly everybody has the same value it "
    "follows from common knowledge. Read it beside the baseline, the original, and the flags."
)


_ITSELF = Yardstick("", ITSELF, "no", "original")


def _cut(
    copy: float | str | Callable[[KeyTargetCounts], float],
    tells: Literal["yes", "sparse keys", "weakly", "no"],
    at: Callable[[cut.Cut], float] | Literal["sample"],
    *,
    by_record: bool = False,
) -> Yardstick:
    """Return a yardstick at as many records; what is no constant is a fact about the original."""
    release: Literal["constant", "original"] = "constant" if isinstance(copy, float) else "original"
    return Yardstick("P1", copy, tells, release, at, by_record=by_record)


def _largest_group(counts: KeyTargetCounts) -> float:
    """Largest group of originals that agree; what a copy has."""
    return float(counts.original[at.disclosive_in_original(counts)].max(initial=0))


def _mean_group(counts: KeyTargetCounts) -> float:
    found = counts.original[at.disclosive_in_original(counts)]
    return float(found.mean()) if found.size else math.nan


def _percent(function: Callable[[KeyTargetCounts], float]) -> Callable[[KeyTargetCounts], float]:
    """Return a function of counts whose proportion is given in percent."""

    @wraps(function)
    def in_percent(counts: KeyTargetCounts) -> float:
        return 100.0 * function(counts)

    return in_percent


_risk = partial(
    Measure,
    family=DISCLOSURE_RISK,
    of=KEYS,
    low=0,
    high=100,
    ideal=None,
    unit="percent",
)
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


def _twin(symbol: str, differs: str = _BY_LABEL) -> Twin:
    return Twin(symbol, "disclosure", differs, names=NAMES.get(symbol, {}))


_per_synthetic = partial(_risk, better="lower", high=None, limits=_PER_SYNTHETIC)
_share = partial(Measure, family=DISCLOSURE_RISK, of=KEYS, low=0, high=1, ideal=None)

MEASURES: tuple[Measure, ...] = (
    _risk(
        symbol="UiO",
        yardstick=_ITSELF,
        release=Release("share"),
        title="Unique in the original",
        function=identity.ui_o,
        any_target=True,
        better="none",
        meaning="Original records that are alone with their key combination.",
        formula="100 #{q: d_q = 1} / N_d",
        source=_RAAB,
        limits="A fact about the original, the yardstick for repU. " + _UNIQUE,
        twin=_twin("UiO"),
    ),
    _risk(
        symbol="UiS",
        yardstick=_cut("UiO", "no", cut.ui_s),
        release=Release("replica share"),
        title="Unique in the synthetic data",
        function=identity.ui_s,
        any_target=True,
        better="none",
        meaning="Synthetic records that are alone with their key combination.",
        formula="100 #{q: s_q = 1} / N_s",
        source=_RAAB,
        limits="Not a risk by itself: most such records belong to nobody." + _ONE_FILE,
        twin=_twin("UiS"),
    ),
    _risk(
        symbol="UiOiS",
        yardstick=_cut("UiO", "yes", cut.ui_oi_s),
        release=Release("share"),
        title="Unique in the original and in the synthetic data",
        function=identity.ui_oi_s,
        any_target=True,
        better="lower",
        meaning="Original records alone with their key combination, which also occurs in the "
        "replica.",
        formula="100 #{q: d_q = 1, s_q > 0} / N_d",
        source=_RAAB,
        limits=_UNIQUE,
        twin=_twin("UiOiS"),
    ),
    _risk(
        symbol="repU",
        yardstick=_cut("UiO", "yes", cut.rep_u),
        release=Release("share"),
        title="Replicated uniques",
        function=identity.rep_u,
        any_target=True,
        beside="UiO",
        says="{value} of the original records are unique by their keys and unique again in "
        "{replica}{where} (repU); {beside} are unique in the original itself (UiO).",
        ranked={0: 1 / 3},
        better="lower",
        meaning="Original records alone with their key combination that are alone with it in the "
        "replica as well: an intruder would believe to have found them.",
        formula="100 #{q: d_q = 1 and s_q = 1} / N_d",
        source=_RAAB,
        limits="No agreed limit; compare it with UiO. " + _UNIQUE,
        twin=_twin("repU"),
    ),
    _risk(
        symbol="Dorig",
        yardstick=_ITSELF,
        release=Release("share"),
        title="Disclosive in the original",
        function=at.d_orig,
        better="none",
        meaning="Original records whose key combination determines the target in the original.",
        formula="100 sum D [D = d_q] / N_d",
        source=_RAAB,
        limits="A fact about the original, the yardstick for DiSCO. " + _KEYS,
        twin=_twin("Dorig"),
    ),
    _risk(
        symbol="Dsyn",
        yardstick=_cut("Dorig", "no", cut.d_syn),
        release=Release("replica share"),
        title="Disclosive in the synthetic data",
        aliases=("share of records with a WEAP of 1",),
        function=at.d_syn,
        better="none",
        meaning="Synthetic records whose key combination determines the target in the replica.",
        formula="100 sum S [S = s_q] / N_s",
        source=_RAAB,
        limits="Says nothing of whether the value is right." + _ONE_FILE,
        twin=_twin("Dsyn"),
    ),
    _risk(
        symbol="iS",
        yardstick=_cut(100.0, "sparse keys", cut.i_s, by_record=True),
        release=Release("share"),
        title="In the synthetic data",
        function=at.i_s,
        any_target=True,
        better="none",
        meaning="Original records whose key combination occurs in the replica.",
        formula="100 sum d_q [s_q > 0] / N_d",
        source=_RAAB,
        limits="The reach of any attack by these keys, not its success.",
        twin=_twin("iS"),
    ),
    _risk(
        symbol="DiS",
        yardstick=_cut("Dorig", "yes", cut.di_s, by_record=True),
        release=Release("share"),
        title="Disclosive in synthetic",
        function=at.di_s,
        better="lower",
        meaning="Original records whose key combination determines a target level in the replica, "
        "right or wrong.",
        formula="100 sum d_q [q unanimous in the replica] / N_d",
        source=_RAAB,
        limits="Includes wrong inferences.",
        twin=_twin("DiS"),
    ),
    _risk(
        symbol="DiSCO",
        yardstick=_cut("Dorig", "yes", cut.disco, by_record=True),
        release=Release("share"),
        title="Disclosive in synthetic, correct in original",
        function=at.disco,
        ranked={0: 1 / 3},
        beside="Dorig",
        says="From {replica}, an intruder learns {target}{where} correctly for {value} of the "
        "original records (DiSCO); from the original itself, for {beside} (Dorig).",
        show={"first_page": "Highest DiSCO"},
        better="lower",
        meaning="Original records for which the replica gives one target level, and the right one: "
        "the chief measure of attribute disclosure.",
        formula="100 sum D [S = s_q > 0] / N_d",
        source=_RAAB + "; the same number is ONS synthgauge's TCAP",
        limits="No agreed limit; compare it with Dorig. " + _GUESS,
        twin=_twin("DiSCO"),
    ),
    _risk(
        symbol="DiSDiO",
        yardstick=_cut("Dorig", "yes", cut.di_s_di_o),
        release=Release("share"),
        title="Disclosive in synthetic and disclosive in original",
        function=at.di_s_di_o,
        better="lower",
        meaning="DiSCO records whose key combination determines the target in the original as "
        "well: "
        "the intruder is right, and right for every such record.",
        formula="100 sum D [S = s_q > 0 and D = d_q] / N_d",
        source=_RAAB,
        limits=_GUESS,
        twin=_twin("DiSDiO"),
    ),
    _risk(
        symbol="max_denom",
        yardstick=_cut(_largest_group, "no", "sample"),
        title="Largest disclosive group",
        function=at.max_denom,
        better="none",
        high=None,
        unit="records",
        meaning="The largest number of original records in one DiSCO cell.",
        formula="max D over DiSCO cells",
        source=_RAAB,
        limits="synthpop's manual says synthetic records; its code counts original ones." + _CANNOT,
        twin=_twin("max_denom"),
    ),
    _risk(
        symbol="mean_denom",
        yardstick=_cut(_mean_group, "no", cut.mean_denom),
        title="Mean disclosive group",
        function=at.mean_denom,
        undefined="no target is disclosed, so there is no group",
        better="none",
        high=None,
        unit="records",
        meaning="The mean number of original records in the DiSCO cells.",
        formula="mean D over DiSCO cells",
        source=_RAAB,
        limits="None where nothing is disclosed." + _CANNOT,
        twin=_twin("mean_denom"),
    ),
    _risk(
        symbol="baseCAPd",
        yardstick=_ITSELF,
        release=Release("target"),
        title="Baseline correct attribution probability",
        function=_percent(ca.cap_baseline),
        better="none",
        meaning="Chance of a right guess from the distribution of the target alone (lower bound).",
        formula="100 sum over levels of (d_t / N_d)^2",
        source=_CMF,
        limits="The same number as CAP_b, in percent.",
        twin=_twin("baseCAPd"),
    ),
    _risk(
        symbol="CAPd",
        yardstick=_ITSELF,
        release=Release("chance"),
        title="Correct attribution probability of the original",
        function=_percent(ca.cap_original),
        better="none",
        meaning="Chance of a right guess for one who holds the original itself (upper bound).",
        formula="100 sum D^2 / d_q / N_d",
        source=_CMF,
        limits="The same number as CAP_o, in percent.",
        twin=_twin("CAPd"),
    ),
    _risk(
        symbol="CAPs",
        yardstick=_cut("CAPd", "no", cut.cap_in_synthetic),
        release=Release("chance"),
        title="Correct attribution probability of the synthetic data",
        aliases=("WEAP", "within equivalence class attribution probability"),
        function=_percent(ca.cap_in_synthetic),
        better="none",
        meaning="Chance of a right guess about synthetic records from the replica itself.",
        formula="100 sum S^2 / s_q / N_s",
        source=_RAAB,
        limits="About synthetic records, which are nobody." + _ONE_FILE,
        twin=_twin("CAPs"),
    ),
    _risk(
        symbol="DCAP",
        yardstick=_cut("CAPd", "sparse keys", cut.dcap, by_record=True),
        release=Release("chance"),
        title="Differential correct attribution probability",
        function=_percent(ca.dcap_zero),
        ranked={0: 1 / 3},
        better="lower",
        meaning="Chance of a right guess about original records from the replica, records "
        "without a "
        "match counting as wrong.",
        formula="100 sum D S / s_q / N_d",
        source=_CMF,
        limits=_GUESS,
        aliases=("DCAPd",),
        twin=_twin("DCAP"),
    ),
    _per_synthetic(
        symbol="DCAPs",
        yardstick=_cut("CAPd", "sparse keys", cut.dcap_over_synthetic),
        title="Differential correct attribution probability per synthetic record",
        function=_percent(ca.dcap_over_synthetic),
        meaning="DCAP with the number of synthetic records below the line.",
        formula="100 sum D S / s_q / N_s",
        source="synthpop 1.9-3",
        twin=_twin("DCAPs"),
    ),
    _per_synthetic(
        symbol="DCAPb",
        yardstick=_cut("CAPd", "weakly", cut.dcap_over_matching),
        title="Differential correct attribution probability per matching synthetic record",
        function=_percent(ca.dcap_over_matching),
        meaning="DCAP with the number of synthetic records below the line whose key combination "
        "is in the original.",
        formula="100 sum D S / s_q / N_b",
        source="synthpop 1.9-3",
        undefined="no key combination of the replica is in the original",
        twin=_twin("DCAPb"),
    ),
    _per_synthetic(
        symbol="TCAPs",
        yardstick=_cut("Dorig", "yes", cut.tcap_over_synthetic),
        title="Targeted correct attribution probability per synthetic record",
        function=_percent(ca.tcap_over_synthetic),
        meaning="DiSCO with the number of synthetic records below the line.",
        formula="100 sum D [S = s_q > 0] / N_s",
        source="synthpop 1.9-3",
        twin=_twin("TCAPs"),
    ),
    _per_synthetic(
        symbol="TCAPb",
        yardstick=_cut("Dorig", "yes", cut.tcap_over_matching),
        title="Targeted correct attribution probability per matching synthetic record",
        function=_percent(ca.tcap_over_matching),
        meaning="DiSCO with the number of synthetic records below the line whose key combination "
        "is in the original.",
        formula="100 sum D [S = s_q > 0] / N_b",
        source="synthpop 1.9-3",
        undefined="no key combination of the replica is in the original",
        twin=_twin("TCAPb"),
    ),
    _risk(
        symbol="TCAP_matched",
        yardstick=_cut("Dorig", "weakly", cut.tcap_matched, by_record=True),
        release=Release("share"),
        title="Targeted correct attribution probability over matched records",
        function=ca.tcap_matched,
        undefined="no key combination of the original is in the replica",
        better="lower",
        meaning="DiSCO as a share of the original records whose key combination is in the replica.",
        formula="100 DiSCO / iS",
        source="synthpop 1.9-2, whose vignette cites Little et al. (2022)",
        limits=_FOUR_TCAPS,
        twin=_twin("TCAP_matched"),
    ),
    _risk(
        symbol="TCAP_certain",
        yardstick=_cut(100.0, "weakly", cut.tcap_certain, by_record=True),
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
        twin=_twin(
            "TCAP_certain",
            _BY_LABEL + " With target levels left out, synthpop 1.9-3 decides anew what is "
            "unanimous, so that a binary target gets 100 %; here that is decided before.",
        ),
    ),
    _share(
        symbol="CAP_o",
        yardstick=_ITSELF,
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
        yardstick=_ITSELF,
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
        yardstick=_cut("CAP_o", "sparse keys", cut.dcap, by_record=True),
        title="CAP of the replica, non-matches as zero",
        function=ca.dcap_zero,
        better="lower",
        meaning="Mean share of synthetic records with the same keys that have the right target.",
        formula="mean over originals of S / s_q, 0 where s_q = 0",
        source=_CMF,
        limits=_GUESS,
    ),
    _share(
        symbol="CAP_s_undefined",
        yardstick=_cut("CAP_o", "weakly", cut.dcap_undefined, by_record=True),
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
        yardstick=_cut(1.0, "weakly", cut.tcap_synthetic),
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
        yardstick=_cut("CAP_o", "weakly", "sample"),
        title="CAP of the replica by the framework's rule",
        function=ca.cap_by_rule,
        better="lower",
        meaning="Mean of CAP_s_zero and CAP_s_undefined, of which the second counts up to its "
        "upper bound CAP_o; never below CAP_s_zero.",
        formula="max(zero, (zero + min(undefined, CAP_o)) / 2), or zero where nothing matches",
        source=_CMF,
        limits=_GUESS,
    ),
    _share(
        symbol="CAP_ratio",
        yardstick=_cut(1.0, "weakly", "sample"),
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
        yardstick=_cut(0.0, "sparse keys", cut.non_match, by_record=True),
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
