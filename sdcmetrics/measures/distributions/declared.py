"""Declarations of distances between distributions, each with its own null."""

from __future__ import annotations

from functools import partial

from sdcmetrics.measures.distributions.places import (
    ENERGY,
    NUMBERS,
    SUBGROUPS,
    Distributions,
    energy,
    energy_p,
    group_excess,
    group_p,
    tails_p,
    w1,
    w1_p,
)
from sdcmetrics.measures.measure import GENERAL_UTILITY, P_VALUE, Measure
from sdcmetrics.measures.subject import Subject

_SZEKELY = "Szekely and Rizzo (2013), Journal of Statistical Planning and Inference 143"
_INDEPENDENT = (
    " Unless told who lives together, records must be independent: whole households have a small p "
    "without a reason."
)
_p = partial(
    Measure,
    family=GENERAL_UTILITY,
    undefined="the labels were not permuted, or there are too few records",
    ideal=None,
    **P_VALUE,
)
_distance = partial(Measure, family=GENERAL_UTILITY, better="lower", high=None)

MEASURES: tuple[Measure, ...] = (
    _distance(
        symbol="energy",
        show={"beside_fresh": 2},
        title="Energy distance of whole records, without bias",
        function=energy,
        of=ENERGY,
        low=None,
        ideal=None,
        aliases=("energy distance",),
        meaning="How far the joint distributions of all columns are apart, relations of any order "
        "included. People who were not in the original have 0 on average, and less half of the "
        "time; a copy has less than "
        "that: then the replica is too close.",
        formula="2 mean d(x, y) - mean d(x, x') - mean d(y, y'), no record with itself; "
        "d is "
        "Euclid's distance of numbers over the original's standard deviation, or "
        "1 - exp(-Gower / median)",
        source=_SZEKELY,
        limits="Its size has no unit: read it beside the holdout and its p. Large files are "
        "looked at in blocks of 2,000 records. Many columns without differences hide one with.",
    ),
    _p(
        symbol="energy_p",
        show={"beside_fresh": 3},
        title="p of the energy distance",
        function=energy_p,
        of=ENERGY,
        meaning="How often chance makes two samples of one population so different; small: the "
        "replica is of another distribution.",
        formula="(1 + permutations of the labels with so large a distance) / (1 + permutations)",
        source=_SZEKELY,
        limits="Large replicas that are a little off have a small p. A copy has 1: it says nothing "
        "of closeness." + _INDEPENDENT,
    ),
    _distance(
        symbol="W1",
        show={"beside_fresh": 4},
        title="Wasserstein's distance of a number",
        function=w1,
        of=NUMBERS,
        low=0,
        ideal=0,
        aliases=("Wasserstein", "earth mover's distance"),
        undefined="the original has one value only",
        one_way=True,
        meaning="How far values have to be moved, on average, for the distribution of a number to "
        "become the original's, in interquartile ranges of the original.",
        formula="integral of |F_o - F_s| over the interquartile range (standard deviation where 0)",
        source="Vallender (1974), Theory of Probability and its Applications 18",
        limits="Sampling noise alone makes it positive: see the holdout (scaled to "
        "the replica's size) and the p. A few far values weigh much. Missing values are left out.",
    ),
    _p(
        symbol="W1_p",
        show={"beside_fresh": 5},
        title="p of Wasserstein's distance",
        function=w1_p,
        of=NUMBERS,
        one_way=True,
        meaning="How often chance moves the values of a number so far; small: the replica's "
        "distribution of it is another one.",
        formula="(1 + permutations of the labels with so large a distance) / (1 + permutations)",
        source="Permutation test",
        limits="One test per number: of twenty, one is below 0.05 by chance." + _INDEPENDENT,
    ),
    _p(
        symbol="tails_p",
        show={"beside_fresh": 6},
        title="Smallest p of the tails of a number",
        function=tails_p,
        of=NUMBERS,
        undefined="fewer than 5 records are expected in every tail",
        one_way=True,
        meaning="Whether the replica has too many or too few records in the tails of a number.",
        formula="smallest two-sided exact p over tails of 10, 5, 1 and 0.1 % on either side, cut "
        "at quantiles of both files together, times their number",
        source="Fisher's exact test, Bonferroni's inequality",
        limits="Tails in which fewer than 5 records are expected are left out. Tails lie within "
        "each other, so that it is cautious." + _INDEPENDENT,
    ),
    _distance(
        symbol="group_excess",
        show={"beside_fresh": 7},
        title="Mean TVD of the worst group of people, over its own null",
        function=group_excess,
        of=SUBGROUPS,
        low=-1,
        high=1,
        ideal=None,
        undefined="no group has 30 records in both files",
        meaning="By how much the tables of the worst served group are further apart than those of "
        "as many of its own records with the labels permuted.",
        formula="largest over groups of TVD - mean TVD of permutations, TVD the mean over all "
        "pairs of the other variables",
        source="Permutation within the group",
        limits="Groups of fewer than 30 records in either file are left out; that the replica "
        "lacks a group is said apart.",
    ),
    _p(
        symbol="group_p",
        show={"beside_fresh": 8},
        title="p of the group of people that is served worst",
        function=group_p,
        of=SUBGROUPS,
        undefined="no group has 30 records in both files",
        meaning="How often chance serves one of the groups so badly, for its size and variety.",
        formula="smallest p of a group by permuting the labels of its own records, adjusted for "
        "the number of groups",
        source="Permutation within the group; Holm (1979), Scandinavian Journal of Statistics 6",
        limits="With g groups and B permutations it is at least g / (B + 1): many groups take many "
        "permutations. Does not see that a replica has too few of a group. A replica that is wrong "
        "for everybody has a small p too: look at which groups do." + _INDEPENDENT,
    ),
)

SUBJECT = Subject("distributions", tuple(MEASURES), section=Distributions)
