"""Declarations of the measures of one file by its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from sdcmetrics.measures.anonymity.match_risk import chance_of_match
from sdcmetrics.measures.anonymity.places import FILES, ONE_KEY, Files, OneKey
from sdcmetrics.measures.anonymity.sensitive import distances, expected_mean
from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure
from sdcmetrics.measures.reference_values import ITSELF, ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.results import Counted, Share

_FEW = 5
"""Records of a class that agencies ask for (OECD glossary, threshold rule)."""
_SWEENEY = "Samarati (2001), IEEE TKDE 13(6); Sweeney (2002), IJUFKS 10(5)"
_ELLIOT = "Elliot, Manning and Ford (2002), IJUFKS 10(5); Manning, Haglin and Keane (2008)"
_SKINNER = "Skinner and Elliot (2002), JRSS B 64(4), 855-867"
_MACHANAVAJJHALA = "Machanavajjhala et al. (2007), ACM TKDD 1(1)"
_LI = "Li, Li and Venkatasubramanian (2007), ICDE"
_NOBODY = (
    "A criterion of the file that is handed out. Nobody stands behind a synthetic record, so of "
    "synthetic data it says nothing about people. It cannot tell a copy from people who were not "
    "in the original."
)
_KEYS = "Holds for the keys that were named; an intruder who knows more finds more."

_ITSELF = ReferenceValues("", ITSELF, "no", "original")


def _as(copy: str | Callable[[Files], float]) -> ReferenceValues:
    """Return the reference values of a measure of the replica alone: a copy has the original's."""
    return ReferenceValues("P2", copy, "no", "original")


def _smallest(sizes: Ints) -> float:
    return float(sizes[sizes > 0].min())


def _below(sizes: Ints) -> Share:
    return Share(int(sizes[sizes < _FEW].sum()), int(sizes.sum()))


def _match(sizes: Ints, fraction: float) -> Counted:
    once, twice = (int((sizes == size).sum()) for size in (1, 2))
    return Counted(100.0 * chance_of_match(once, twice, fraction), once, int(sizes.sum()))


def match_risk_of_replica(files: Files) -> Counted:
    """Chance that a unique match by the keys is right, were the replica records of people."""
    size = files.counts.n_synthetic / files.counts.n_original
    return _match(files.counts.synthetic_by_key, min(files.fraction * size, 1.0))


def _distinct(counts: KeyTargetCounts, cells: Ints) -> float:
    per_class = np.bincount(counts.key[cells > 0], minlength=counts.n_keys)
    return float(per_class[per_class > 0].min())


def _closeness(files: Files, cells: Ints) -> float:
    counts = files.counts
    filled = np.flatnonzero(cells)
    filled = filled[np.lexsort((counts.target[filled], counts.key[filled]))]
    keys, classes = np.unique(counts.key[filled], return_inverse=True)
    sizes = counts.key_sums(cells)[keys]
    own, level = np.unique(counts.target[filled], return_inverse=True)  # levels of this file only
    levels = counts.target_sums(cells)[own]
    t = distances(classes, level, cells[filled], sizes, levels, ordered=files.ordered)
    return float(np.average(t, weights=sizes))


def t_by_chance(files: Files) -> float:
    """Mean t that the replica's classes have where the target has nothing to do with the keys."""
    counts = files.counts
    sizes, levels = counts.synthetic_by_key, counts.target_sums(counts.synthetic)
    return expected_mean(sizes, levels[levels > 0], ordered=files.ordered)


def _copied(files: Files) -> Files:
    counts = files.counts
    copied = replace(counts, synthetic=counts.original, n_synthetic=counts.n_original)
    return replace(files, counts=copied)


def _of_special(files: Files, column: int) -> Counted:
    sets, value = files.shown[0], files.shown[column]
    return Counted(value, value * sets / 100.0, sets)


def _only_by(key: OneKey) -> Share:
    """Share of original records that are unique by all keys, and not without this one."""
    return Share(key.uniques - key.without, key.n)


_of_keys = partial(
    Measure, of=FILES, family=DISCLOSURE_RISK, low=0, ideal=None, any_target=True, better="none"
)
_of_target = partial(Measure, of=FILES, family=DISCLOSURE_RISK, ideal=None, better="none")

_of_matches = partial(
    _of_keys,
    unit="percent",
    high=100,
    formula="100 f n_1 / (f n_1 + 2 (1 - f) n_2)",
    source=_SKINNER,
)
_ESTIMATE = (
    "An estimate for simple random samples of a population whose size is known (population_size "
    "among the options). "
)

MEASURES: tuple[Measure, ...] = (
    _of_matches(
        symbol="match_risk",
        show={
            "people": (1, "A unique match is right", "match_risk"),
            "counted": "unique record",
        },
        reference_values=_ITSELF,
        syntheses="once",
        of_original=True,
        title="Chance that a unique match with the original is right",
        function=lambda files: _match(files.counts.original_by_key, files.fraction),
        aliases=("data intrusion simulation",),
        meaning="Somebody looks a person of the population up by the keys, and one original record "
        "fits: how likely it is that person's. The count is of unique records.",
        limits=_ESTIMATE + "A fact about the original. " + _KEYS,
    ),
    _of_matches(
        symbol="match_risk_replica",
        reference_values=_as("match_risk"),
        better="lower",
        baseline="match_risk",
        title="Chance that a unique match with the replica is right",
        show={"counted": "unique record"},
        function=match_risk_of_replica,
        meaning="The same of the replica, for perturbed records of people.",
        limits=_ESTIMATE + _NOBODY,
    ),
    _of_keys(
        symbol="k_original",
        reference_values=_ITSELF,
        syntheses="once",
        of_original=True,
        high=None,
        unit="records",
        title="k-anonymity of the original",
        function=lambda files: _smallest(files.counts.original_by_key),
        meaning="Original records that share the rarest key combination.",
        formula="min over key combinations of d_q",
        source=_SWEENEY,
        limits="A fact about the original. " + _KEYS,
    ),
    _of_keys(
        symbol="k_anonymity",
        show={"people": (2, "Smallest class", "k-anonymity")},
        reference_values=_as("k_original"),
        better="higher",
        high=None,
        unit="records",
        title="k-anonymity of the replica",
        function=lambda files: _smallest(files.counts.synthetic_by_key),
        baseline="k_original",
        meaning="Replica records that share the rarest key combination: the file is k-anonymous.",
        formula="min over key combinations of s_q, s_q > 0",
        source=_SWEENEY,
        limits=_NOBODY,
    ),
    _of_keys(
        symbol="k_below_5",
        reference_values=_as(lambda files: _below(files.counts.original_by_key).percent),
        better="lower",
        high=100,
        unit="percent",
        title="Replica records that fewer than five share their keys with",
        function=lambda files: _below(files.counts.synthetic_by_key),
        meaning="Replica records whose key combination fewer than five replica records have.",
        formula="100 sum s_q [s_q < 5] / N_s",
        source=_SWEENEY,
        limits=_NOBODY,
    ),
    _of_keys(
        symbol="special_uniques",
        show={"people": (3, "Alone by three keys or fewer", "of the original")},
        reference_values=_ITSELF,
        syntheses="once",
        of_original=True,
        high=100,
        unit="percent",
        title="Original records that are alone by three keys or fewer",
        function=lambda files: Share(files.special, files.counts.n_original),
        aliases=("SUDA",),
        meaning="People of the original who are odd: alone by up to three of the keys. They are "
        "found first, and with little knowledge.",
        formula="100 #{records with a minimal sample unique of at most 3 keys} / N_d",
        source=_ELLIOT,
        limits="A fact about the original. Alone in the file is not alone in the population. "
        + _KEYS,
    ),
    *(
        _of_keys(
            symbol=symbol,
            reference_values=ReferenceValues("P1", 100.0, "yes", "constant", "sample"),
            better="lower",
            high=100,
            unit="percent",
            title=title,
            function=partial(_of_special, column=column),
            undefined="nobody is alone by three keys or fewer",
            show={
                "column": column,
                "people": (column + 2, heading, symbol),
                "counted": "key set",
            },
            meaning=meaning,
            formula=f"100 #{{minimal sample uniques of the original that are {what}}} / their "
            "number",
            source=f"{_ELLIOT}; the comparison with a replica is of this package",
            limits="In a smaller holdout more people are alone: read value_at, the original cut to "
            "its size, beside it. " + _KEYS,
        )
        for symbol, column, heading, title, meaning, what in (
            (
                "repSU",
                2,
                "Their key sets shown uniquely",
                "Replicated special uniques",
                (
                    "Sets of up to three keys by which one original record is alone, and one "
                    "replica record as well."
                ),
                "unique in the replica",
            ),
            (
                "repSU_right",
                3,
                "with the other keys right",
                "Replicated special uniques whose other keys are right",
                (
                    "The same where the other keys of that replica record are the person's, too: "
                    "somebody who knows two or three things learns that they have found the person."
                ),
                "unique in the replica, which is right in the other keys",
            ),
        )
    ),
    *(
        _of_target(
            symbol=symbol,
            reference_values=reference_values,
            of_original=of_original,
            syntheses="once" if of_original else "mean",
            low=1,
            high=None,
            better="none" if of_original else "higher",
            baseline="" if of_original else "l_original",
            title=f"l-diversity of the {of}",
            function=function,
            meaning=f"Target levels of the key combination of the {of} that has fewest; 1 gives "
            "the target away.",
            formula="min over key combinations of the number of target levels",
            source=_MACHANAVAJJHALA,
            limits=limits,
        )
        for symbol, of, of_original, reference_values, function, limits in (
            (
                "l_original",
                "original",
                True,
                _ITSELF,
                lambda files: _distinct(files.counts, files.counts.original),
                "A fact about the original. " + _KEYS,
            ),
            (
                "l_diversity",
                "replica",
                False,
                _as("l_original"),
                lambda files: _distinct(files.counts, files.counts.synthetic),
                _NOBODY,
            ),
        )
    ),
    *(
        _of_target(
            symbol=symbol,
            reference_values=reference_values,
            of_original=symbol == "t_original",
            syntheses="once" if symbol == "t_original" else "mean",
            low=0,
            high=1,
            better="lower" if symbol == "t_closeness" else "none",
            baseline="t_chance" if symbol == "t_closeness" else "",
            title=title,
            function=function,
            meaning=meaning,
            formula="mean over records of the distance of their key combination's target shares "
            "from the file's: total variation, or earth mover's over ranks for numbers and dates",
            source=_LI,
            limits=limits,
        )
        for symbol, reference_values, title, function, meaning, limits in (
            (
                "t_original",
                _ITSELF,
                "t-closeness of the original",
                lambda files: _closeness(files, files.counts.original),
                "How far the target of people of one key combination is from everybody's, mean.",
                "A fact about the original. Small classes are far off by chance. " + _KEYS,
            ),
            (
                "t_closeness",
                _as("t_original"),
                "t-closeness of the replica",
                lambda files: _closeness(files, files.counts.synthetic),
                "How far the target of records of one key combination is from everybody's, mean.",
                "Small classes are far off by chance: read t_chance beside it. " + _NOBODY,
            ),
            (
                "t_chance",
                _as(lambda files: t_by_chance(_copied(files))),
                "t-closeness of the replica by chance",
                t_by_chance,
                "Mean t-closeness if the target had nothing to do with the keys, exactly.",
                _NOBODY,
            ),
        )
    ),
    Measure(
        symbol="key_uniques",
        function=_only_by,
        of=ONE_KEY,
        family=DISCLOSURE_RISK,
        reference_values=_ITSELF,
        syntheses="once",
        of_original=True,
        low=0,
        high=100,
        ideal=None,
        better="none",
        unit="percent",
        title="Original records that are unique through one key",
        aliases=("key importance",),
        meaning="Original records that are unique by all keys, and would not be without this one: "
        "what the key adds to the risk of being found.",
        formula="UiO by all keys - UiO without the key",
        source="Motwani and Xu (2007), quasi-identifiers; key_importance has more",
        limits="A fact about the original. Keys that say the same hide each other. " + _KEYS,
    ),
)

SUBJECT = Subject("anonymity", tuple(MEASURES))
