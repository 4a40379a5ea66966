"""Which tables of a family are called, which fail, and what could have gone unnoticed.

A table is called if its S_pMSE is above what synthpop's authors advise, if chance is unlikely to
have made it so in any of the tables, and if what differs is not small; and it fails if even the
lower limit of what differs is of a medium size.
"""

from __future__ import annotations

import itertools

import numpy as np

from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.homogeneity.derived import Derived, are_repeats
from sdcmetrics.measures.homogeneity.exchange import Statistics, lower_limit, noticed_size
from sdcmetrics.measures.homogeneity.family import Family
from sdcmetrics.measures.homogeneity.monte_carlo import p_at_most
from sdcmetrics.measures.homogeneity.one_sided import columns_of
from sdcmetrics.measures.homogeneity.result import (
    LARGE,
    Homogeneity,
    JudgedTables,
    Label,
    Limits,
    Totals,
)
from sdcmetrics.measures.records import Weights
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Bools, Floats

_FEW_RECORDS = 30


def judge(family: Family, limits: Limits, *, seed: int, number: int) -> Homogeneity:
    """Judge all tables as one family.

    Parameters
    ----------
    number : which synthesis of its replica it is, from 1
    """
    factor = 1.0 / share_of_level(number)
    if family.clusters is not None and family.clusters.fewer < 2:  # noqa: PLR2004  (no variance)
        return Homogeneity("not judged", "clusters", family.clusters.name)
    if family.clusters is not None and family.clusters.effective < _FEW_RECORDS:
        return Homogeneity("not judged", "weights", weighted=True)
    every = family.statistics()
    tells = every.cells > 1
    labels = list(itertools.compress(family.labels, tells))
    if not labels:
        return Homogeneity("not judged", "no table", skipped=family.skipped)
    of = every.subset(tells)
    tested = _tested(family, labels, of, limits, factor, np.random.default_rng(seed))
    called, failed = tested.worst_first(tested.called), tested.worst_first(tested.failed)
    notice, notice_one_way = _noticed(family, labels, of, limits, factor)
    clusters = family.clusters
    assumed = clusters is not None and clusters.synthetic is None
    few = not called and notice_one_way > LARGE
    return Homogeneity(
        status="fail" if failed else "review" if called else "not judged" if few else "within",
        reason="few records" if few else "",
        called=called,
        failed=failed,
        tables=len(labels),
        ways=family.ways,
        notice=notice,
        notice_one_way=notice_one_way,
        repeats=bool((_beyond(of, tested.adjusted, limits) & are_repeats(labels)).any()),
        one_sided=columns_of(labels, (tested.adjusted <= limits.chance) & ~tested.called),
        few=min(family.sizes) < _FEW_RECORDS,
        few_clusters=clusters is not None and clusters.few,
        cluster=clusters.name if assumed and clusters is not None else "",
        assumed_clusters=assumed,
        weighted=family.weights is not None,
        totals=_totals(family.weights),
        skipped=family.skipped,
        tested=tested,
    )


def _noticed(
    family: Family, labels: list[Label], of: Statistics, limits: Limits, factor: float
) -> tuple[float, float]:
    """Return the w that a usual table shows, and a usual one of one column in a first file.

    The second says whether there are enough records, whatever size and advice are asked for.
    """
    single = family.clusters is None
    spread = 1.0 if single else float(np.median(of.expected / (of.cells - 1.0)))

    def size(cells: Floats, tables: float, review: float) -> float:
        df, least = float(np.median(cells - 1.0)), review / 2.0
        w = noticed_size(*family.sizes, df, tables, chance=limits.chance, least=least)
        return w * float(np.sqrt(spread))

    columns = np.array([not isinstance(label, Derived) and len(label) == 1 for label in labels])
    whole = np.array([not isinstance(label, Derived) or label.p is None for label in labels])
    usual = size(of.cells[whole], len(labels) * factor, limits.review)
    one_way = size(of.cells[columns | ~columns.any()], len(labels), Limits().review)
    return max(limits.size_review, usual), one_way


def _tested(
    family: Family,
    labels: list[Label],
    of: Statistics,
    limits: Limits,
    factor: float,
    rng: np.random.Generator,
) -> JudgedTables:
    adjusted = np.minimum(holm(of.p) * factor, 1.0)
    z = -float(lazy.special.ndtri(limits.chance / (len(of) * factor)))
    w_low = lower_limit(of, z)
    called = _beyond(of, adjusted, limits) & ~are_repeats(labels)
    invented = [isinstance(label, Derived) and label.invented for label in labels]
    called |= np.array(invented) & (adjusted <= limits.chance)
    values = np.array([not isinstance(label, Derived) for label in labels])
    failed = called & (w_low > limits.size_fail) & values & (min(family.sizes) >= _FEW_RECORDS)
    if called.any() and not (family.clusters is not None and family.clusters.name):
        rank = np.empty(len(of))
        rank[np.argsort(of.p, kind="stable")] = np.arange(len(of))
        holds = _confirmed(
            family, labels, of, (failed, called), (len(of) - rank) * factor, limits, rng
        )
        called, failed = called & holds, failed & holds
    light = [label.without_codes() if isinstance(label, Derived) else label for label in labels]
    return JudgedTables(light, of, adjusted, w_low, called, failed)


def _confirmed(
    family: Family,
    labels: list[Label],
    of: Statistics,
    candidates: tuple[Bools, Bools],
    factors: Floats,
    limits: Limits,
    rng: np.random.Generator,
) -> Bools:
    """Tell which candidates have an exact p as small as their moments say.

    Those that would fail come first, and then those that cost least. Once a table has settled
    the status, further ones are drawn only as far as that takes no time.
    """
    holds = np.zeros(len(of), dtype=bool)
    if family.clusters is None:
        holds |= p_at_most(of.x2, of.cells, *family.sizes) * factors <= limits.chance
        holds |= of.cells == 2.0  # noqa: PLR2004  (the p of two cells is exact)
    spare, settled = 1.0, False
    for wanted in candidates:
        settled |= bool((wanted & holds).any())
        waiting = np.flatnonzero(wanted & ~holds)
        for i in waiting[np.argsort(of.cells[waiting], kind="stable")].tolist():
            table = family.drawable(labels[i])
            holds[i] = table.is_beyond_doubt(limits.chance / factors[i])
            if not holds[i] and (not settled or spare > 0.0):
                spare -= settled * table.cost
                holds[i] = table.passes(factors[i], limits.chance, rng)
            settled |= bool(holds[i])
    return holds


def _totals(weights: Weights | None) -> Totals | None:
    return None if weights is None or weights[1] is None else Totals.of(weights[0], weights[1])


def share_of_level(number: int) -> float:
    """Return the part of the level that a synthesis has by its place, from 1, in its replica.

    The first has all of it, whatever follows, so that a further synthesis can make no verdict
    milder; the parts of all add up to one and a half.

    Examples
    --------
    >>> [round(share_of_level(i), 4) for i in (1, 2, 3)]
    [1.0, 0.1667, 0.0833]
    """
    return 1.0 if number == 1 else 1.0 / (number * (number + 1))


def _beyond(of: Statistics, adjusted: Floats, limits: Limits) -> Bools:
    """Return which tables are above the advised limit, beyond chance, and by enough."""
    out: Bools = ~(of.s_p_mse <= limits.review)
    return out & (adjusted <= limits.chance) & (of.w > limits.size_review)
