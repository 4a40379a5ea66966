"""Declarations of identity and attribute disclosure, and the list of all disclosure measures."""

from __future__ import annotations

import math
from dataclasses import replace

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import attribution as at
from sdcmetrics.measures.disclosure import cut, identity
from sdcmetrics.measures.disclosure.declared_guesses import GUESSES
from sdcmetrics.measures.disclosure.declaring import (
    BY_ITSELF,
    GUESS,
    ONE_FILE,
    RAAB,
    SHARE,
    cut_to_size,
    people_of,
    risk,
)
from sdcmetrics.measures.measure import Measure, Release
from sdcmetrics.measures.subject import Subject

_CANNOT = " It cannot tell a copy from people who were not in the original."
_KEYS = "Holds for the keys that were named; an intruder who knows more finds more."
_UNIQUE = "A unique in the file need not be unique in the population. " + _KEYS


def _largest_group(counts: KeyTargetCounts) -> float:
    """Largest group of originals that agree; what a copy has."""
    return float(counts.original[at.disclosive_in_original(counts)].max(initial=0))


def _mean_group(counts: KeyTargetCounts) -> float:
    sizes = counts.original[at.disclosive_in_original(counts)]
    return float(sizes.mean()) if sizes.size else math.nan


MEASURES: tuple[Measure, ...] = (
    risk(
        "UiO",
        reference_values=BY_ITSELF,
        release=replace(SHARE, sum=people_of(identity.ui_o)),
        title="Unique in the original",
        function=identity.ui_o,
        any_target=True,
        better="none",
        meaning="Original records that are alone with their key combination.",
        formula="100 #{q: d_q = 1} / N_d",
        limits="A fact about the original, the reference value of repU. " + _UNIQUE,
    ),
    risk(
        "UiS",
        reference_values=cut_to_size("UiO", "no", cut.ui_s),
        release=Release("replica share"),
        title="Unique in the synthetic data",
        function=identity.ui_s,
        any_target=True,
        better="none",
        meaning="Synthetic records that are alone with their key combination.",
        formula="100 #{q: s_q = 1} / N_s",
        limits="Not a risk by itself: most such records belong to nobody." + ONE_FILE,
    ),
    risk(
        "UiOiS",
        reference_values=cut_to_size("UiO", "yes", cut.ui_oi_s),
        release=replace(SHARE, sum=people_of(identity.ui_oi_s)),
        title="Unique in the original and in the synthetic data",
        function=identity.ui_oi_s,
        any_target=True,
        show={"found": (1, "Unique in the original, found in the replica", "UiOiS")},
        better="lower",
        meaning="Original records alone with their key combination, which also occurs in the "
        "replica.",
        formula="100 #{q: d_q = 1, s_q > 0} / N_d",
        limits=_UNIQUE,
    ),
    risk(
        "repU",
        reference_values=cut_to_size("UiO", "yes", cut.rep_u),
        release=replace(SHARE, sum=people_of(identity.rep_u)),
        title="Replicated uniques",
        function=identity.rep_u,
        any_target=True,
        baseline="UiO",
        says="{value} of the original records are unique by their keys and unique again in "
        "{replica}{where} (repU); {beside} are unique in the original itself (UiO).",
        show={"found": (2, "Unique in both", "repU")},
        ranked={0: 1 / 3},
        better="lower",
        meaning="Original records alone with their key combination that are alone with it in the "
        "replica as well: an intruder would believe to have found them.",
        formula="100 #{q: d_q = 1 and s_q = 1} / N_d",
        limits="No agreed limit; compare it with UiO. " + _UNIQUE,
    ),
    risk(
        "Dorig",
        reference_values=BY_ITSELF,
        release=SHARE,
        title="Disclosive in the original",
        function=at.d_orig,
        better="none",
        meaning="Original records whose key combination determines the target in the original.",
        formula="100 sum D [D = d_q] / N_d",
        limits="A fact about the original, the reference value of DiSCO. " + _KEYS,
    ),
    risk(
        "Dsyn",
        reference_values=cut_to_size("Dorig", "no", cut.d_syn),
        release=Release("replica share"),
        title="Disclosive in the synthetic data",
        aliases=("share of records with a WEAP of 1",),
        function=at.d_syn,
        better="none",
        meaning="Synthetic records whose key combination determines the target in the replica.",
        formula="100 sum S [S = s_q] / N_s",
        limits="Says nothing of whether the value is right." + ONE_FILE,
    ),
    risk(
        "iS",
        reference_values=cut_to_size(100.0, "sparse keys", cut.i_s, by_record=True),
        release=replace(SHARE, sum=people_of(at.i_s, by_person=True)),
        title="In the synthetic data",
        function=at.i_s,
        show={"learnt": (3, "Keys found in the replica", "iS")},
        any_target=True,
        better="none",
        meaning="Original records whose key combination occurs in the replica.",
        formula="100 sum d_q [s_q > 0] / N_d",
        limits="The reach of any attack by these keys, not its success.",
    ),
    risk(
        "DiS",
        reference_values=cut_to_size("Dorig", "yes", cut.di_s, by_record=True),
        release=replace(SHARE, sum=people_of(at.di_s, by_person=True)),
        title="Disclosive in synthetic",
        function=at.di_s,
        better="lower",
        meaning="Original records whose key combination determines a target level in the replica, "
        "right or wrong.",
        formula="100 sum d_q [q unanimous in the replica] / N_d",
        limits="Includes wrong inferences.",
    ),
    risk(
        "DiSCO",
        reference_values=cut_to_size("Dorig", "yes", cut.disco, by_record=True),
        release=replace(SHARE, sum=people_of(at.disco, by_person=True)),
        title="Disclosive in synthetic, correct in original",
        function=at.disco,
        ranked={0: 1 / 3},
        baseline="Dorig",
        says="From {replica}, an intruder learns {target}{where} correctly for {value} of the "
        "original records (DiSCO); from the original itself, for {beside} (Dorig).",
        show={
            "first_page": "Highest DiSCO",
            "learnt": (1, "Disclosed and right", "DiSCO; original: Dorig"),
        },
        better="lower",
        meaning="Original records for which the replica gives one target level, and the right one: "
        "the chief measure of attribute disclosure.",
        formula="100 sum D [S = s_q > 0] / N_d",
        source=RAAB + "; the same number is ONS synthgauge's TCAP",
        limits="No agreed limit; compare it with Dorig. " + GUESS,
    ),
    risk(
        "DiSDiO",
        reference_values=cut_to_size("Dorig", "yes", cut.di_s_di_o),
        release=SHARE,
        title="Disclosive in synthetic and disclosive in original",
        function=at.di_s_di_o,
        show={"learnt": (2, "also disclosive in the original", "DiSDiO")},
        better="lower",
        meaning="DiSCO records whose key combination determines the target in the original as "
        "well: "
        "the intruder is right, and right for every such record.",
        formula="100 sum D [S = s_q > 0 and D = d_q] / N_d",
        limits=GUESS,
    ),
    risk(
        "max_denom",
        reference_values=cut_to_size(_largest_group, "no", "samples"),
        title="Largest disclosive group",
        function=at.max_denom,
        better="none",
        high=None,
        unit="records",
        meaning="The largest number of original records in one DiSCO cell.",
        formula="max D over DiSCO cells",
        limits="synthpop's manual says synthetic records; its code counts original ones." + _CANNOT,
    ),
    risk(
        "mean_denom",
        reference_values=cut_to_size(_mean_group, "no", cut.mean_denom),
        title="Mean disclosive group",
        function=at.mean_denom,
        undefined="no target is disclosed, so there is no group",
        better="none",
        high=None,
        unit="records",
        meaning="The mean number of original records in the DiSCO cells.",
        formula="mean D over DiSCO cells",
        limits="None where nothing is disclosed." + _CANNOT,
    ),
    *GUESSES,
)

SUBJECT = Subject("disclosure", tuple(MEASURES))
