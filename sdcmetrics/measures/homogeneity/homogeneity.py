"""Is a replica useful? Tests of all its tables of one, two and three ways, as one family."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.measures.homogeneity.clusters import clusters_of
from sdcmetrics.measures.homogeneity.derivation import derived_of_records
from sdcmetrics.measures.homogeneity.family import Family, code_by_groups
from sdcmetrics.measures.homogeneity.judging import judge
from sdcmetrics.measures.homogeneity.one_sided import unexchanged
from sdcmetrics.measures.homogeneity.result import Homogeneity, Limits
from sdcmetrics.measures.homogeneity.rows_together import together_by
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.measures.repetition import numbered
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable


def homogeneity(
    records: Records,
    *,
    ways: int = 3,
    limits: Limits | None = None,
    derived: bool = True,
    seed: int = 1,
    number: int = 1,
    missing_codes: MissingCodes | None = None,
    others: Sequence[Column] = (),
) -> Homogeneity:
    """Test whether original and synthesis have the same tables but for chance and small amounts.

    Parameters
    ----------
    records : Records
        With `cluster` where records belong together, and `weights` where they count unequally.
    ways : int
        Up to how many columns a table has; at most 2 where there are more than 20 columns.
    limits : Limits, optional
    derived : bool
        Whether tables of derived columns belong to the family.
    seed : int
        Of the draws that settle what is neither clear nor far from clear.
    number : int
        Which synthesis of its replica it is, from 1: see `share_of_level`.
    missing_codes : mapping of column to codes, optional
        Numbers that are levels of their own.
    others : sequence of Column
        Columns of the original that are not compared, of which one may be a cluster.

    Returns
    -------
    Homogeneity

    Notes
    -----
    Under exchange of labels X2 has exactly known moments; its p is the tail of the gamma law that
    has them (of two cells: the hypergeometric one), adjusted by Holm's method over all tables. A
    table that would be called must have an exact p that small, too. Where clusters are named no
    record is exchanged: a second-order F takes the place of p.
    """
    codes = {
        name: tuple(np.atleast_1d(np.asarray(each, dtype=np.float64)).tolist())
        for name, each in (missing_codes or {}).items()
    }
    limits = Limits() if limits is None else limits
    compared = records.columns
    if records.cluster is None and (name := together_by(compared, others)):
        return Homogeneity("not judged", "clusters", name)
    coded = _coded(records, codes)

    def family(of: Records) -> Family:
        """Return the tables of these records, or of the same in clusters."""
        return family_of_records(of, coded, 1, codes, ways=ways, derived=derived)

    return judged(family, records, limits, seed=seed, number=number)


def family_of_records(
    records: Records,
    coded: Coded,
    synthesis: int,
    codes: Mapping[str, tuple[float, ...]],
    *,
    ways: int = 3,
    derived: bool = True,
) -> Family:
    """Return all tables of an original and one synthesis, by their clusters and weights."""
    clusters = clusters_of(records)
    return Family(
        coded,
        synthesis,
        ways=ways,
        derived=list(derived_of_records(records.columns, codes, clusters)) if derived else [],
        clusters=clusters,
        weights=records.weights,
        skipped=unexchanged(clusters) if derived else (),
    )


def judged(
    family: Callable[[Records], Family], records: Records, limits: Limits, *, seed: int, number: int
) -> Homogeneity:
    """Judge the tables of a family; again by equal records where the synthesis repeats its own.

    Where it repeats most of them, and otherwise than the original does, its records were not drawn
    one by one: as where a file was expanded by its weights. Equal ones count as one draw then.
    """
    result = judge(family(records), limits, seed=seed, number=number)
    if not result.repeats or result.status not in ("review", "fail"):
        return result
    equal = numbered(column.replica for column in records.columns)
    counts = np.bincount(equal)
    if 2 * counts[counts > 1].sum() <= records.m:
        return result
    alone = np.arange(records.n, dtype=np.float64)
    together = Column("", Kind.NUMBER, alone, equal.astype(np.float64))
    return judge(family(replace(records, cluster=together)), limits, seed=seed, number=number)


def _coded(records: Records, codes: dict[str, tuple[float, ...]]) -> Coded:
    """Code both sides by pooled groups."""
    variables = {}
    for column in records.columns:
        parts = (column.original, column.replica)
        numbers, levels = (parts, ()) if column.numeric else ((), parts)
        name, own = column.name, codes.get(column.name, ())
        variables[name] = Variable(name, column.kind, numbers, levels, column.levels, own)
    data = Harmonised(variables, (records.n, records.m), ("original", "synthetic"), ())
    return code_by_groups(data)
