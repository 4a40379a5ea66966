"""Quantities of one person of the original that stand together in records of a replica.

A synthesis may draw a quantity from the people who are alike in others: the value of one of five of
them or more, as trees and predictive means do. Whoever knows one quantity of a person exactly, and
so the record, then reads another one right in one of five cases at most. More, and the values of
people stand there as they were, unless other people of the original share both as often: as where a
quantity of some people, not of all, follows from another.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.measures.exchangeable import more_than_binomial
from sdcmetrics.measures.identifiers.candidates import Candidate
from sdcmetrics.measures.identifiers.result import ONE_OF_FIVE, IdentifierHit
from sdcmetrics.measures.identifiers.search import share_of
from sdcmetrics.measures.identifiers.values import Values, entries_of, missing_of, values_of
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.frames import Microdata

DONORS = 5
"""People of whom a synthesis may draw a value."""
_OWN = 0.3
"""Records of the original, of those that have a value, that alone have theirs."""
_LESS_SURE = 5
"""By so much the p that other people meet may be larger where none do: .05 for a level of .01."""
_MOST = 30
"""Quantities of which pairs are made: 435."""
_NEIGHBOURS = 5
_NEAR, _FEWEST_NEAR = 0.005, 3
"""So near in order, as a share of the records and in places, is as good as the same."""

Owners = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class _Quantity:
    """A quantity, and to whom the values of a file belong.

    Attributes
    ----------
    name : str
    ranks : float array of shape (records of the original,)
        Places of its values in order, from 0 to 1; NaN is missing.
    alone : bool array of shape (records of the original,)
        Whether no other record has the value.
    twins : int32 array of shape (records of the original,)
        The other record with the value of a record where exactly two have it; -1 elsewhere.
    owners : tuple of int32 arrays, one per file
        The record of the original that alone has the value of a record; -1 for none.
    """

    name: str
    ranks: Floats
    alone: Bools
    twins: Owners
    owners: tuple[Owners, ...]


def joint_quantities(
    original: Microdata,
    syntheses: Sequence[Microdata],
    names: Sequence[str],
    *,
    missing_codes: Mapping[str, Any] | None = None,
    level: float = 0.01,
    donors: float = DONORS,
    records: int | None = None,
) -> list[IdentifierHit]:
    """Return the sets of quantities of which the values of people stand together in a replica.

    Parameters
    ----------
    names : columns that are quantities or dates with many values
    level : chance of a hit in the first file where all values are those of one of five people
    donors : so many people, not five
    records : of the original, if those here are fewer
    """
    if any(data.large for data in (original, *syntheses)):
        return []
    quantities: list[_Quantity] = []
    for name in names:
        missing = missing_of(missing_codes, name)
        quantity = (
            _in_files(name, original, syntheses, missing) if len(quantities) < _MOST else None
        )
        if quantity is not None:
            quantities.append(quantity)
    pairs = list(itertools.combinations(quantities, 2))
    hits = {}
    for first, second in pairs:
        p = _p(first, second, len(pairs), donors, records)
        if p <= level and not (_follows(first, second) or _follows(second, first)):
            hits[first.name, second.name] = p
    by_name = {quantity.name: quantity for quantity in quantities}
    groups = _whole(hits, by_name)
    return [
        _hit([by_name[name] for name in original.columns if name in group], p, level)
        for group, p in groups.items()
    ]


def joint_of_units(
    original: Microdata,
    syntheses: Sequence[Microdata],
    names: Sequence[str],
    unit: str,
    *,
    missing_codes: Mapping[str, Any] | None = None,
    level: float = 0.01,
) -> list[IdentifierHit]:
    """Return the same of quantities that are those of a household, or of a person, on each record.

    Five records of which a synthesis draws are as many fewer households as each has records.
    """
    units = None if original.large else values_of(unit, [original])
    if units is None:
        return []
    codes = units.codes[0]
    sizes = units.counts(0)
    donors = DONORS * sizes.sum() / (sizes**2).sum() if sizes.any() else 0.0
    first = np.full(len(sizes), -1)
    there = np.flatnonzero(codes >= 0)
    first[codes[there][::-1]] = there[::-1]
    constant: dict[str, Bools] = {}  # and which records have a value
    for name in names if donors > 1 else ():
        values = values_of(name, [original], missing=missing_of(missing_codes, name))
        if values is not None:
            own = values.codes[0]
            if name != unit and bool((own[there] == own[first[codes[there]]]).all()):
                constant[name] = own >= 0
    if len(constant) <= 1:
        return []
    reduced = replace(
        original, table=pa.table({n: entries_of(original, n).take(first) for n in constant})
    )
    hits = joint_quantities(
        reduced,
        syntheses,
        list(constant),
        missing_codes=missing_codes,
        level=level,
        donors=donors,
        records=len(there),
    )
    all_there = [np.all([constant[name] for name in hit.columns], axis=0) for hit in hits]
    return [
        replace(hit, records=int(rows.sum())) for hit, rows in zip(hits, all_there, strict=True)
    ]


def quantities_of(candidates: Sequence[Candidate], shares: Mapping[str, float]) -> list[str]:
    """Return the names of quantities, those with most values of their own first."""
    taken = {
        name for candidate in candidates if not candidate.measured for name in candidate.columns
    }
    names = [name for name, share in shares.items() if share >= _OWN and name not in taken]
    return sorted(names, key=lambda name: -shares[name])


def _in_files(
    name: str, original: Microdata, syntheses: Sequence[Microdata], missing: Sequence[float]
) -> _Quantity | None:
    """Return a quantity in the files that have it; in others no value belongs to anybody.

    File by file, so that what one of them lacks, or has as texts, hides nothing in another.
    """
    quantities = []
    for data in syntheses:
        both = [original, data] if name in data.columns else []
        values = values_of(name, both, missing=missing) if both else None
        quantities.append(None if values is None else _quantity(name, values))
    readable = next((quantity for quantity in quantities if quantity is not None), None)
    if readable is None:
        return None
    owners = tuple(
        np.full(data.n, -1, np.int32) if quantity is None else quantity.owners[0]
        for data, quantity in zip(syntheses, quantities, strict=True)
    )
    return replace(readable, owners=owners)


def _quantity(name: str, values: Values) -> _Quantity | None:
    if not values.by_record or values.kind == "text":
        return None
    counts, codes = values.counts(0), values.codes[0]
    there = codes >= 0
    alone = there & (counts[codes] == 1)
    if alone.sum() < _OWN * there.sum() or not alone.any():
        return None
    owner = np.full(len(values.levels) + 1, -1, np.int32)  # the last is for what is missing
    owner[codes[alone]] = np.flatnonzero(alone)
    twins = np.full(len(codes), -1, np.int32)
    two = np.flatnonzero(there & (counts[codes] == 2))  # noqa: PLR2004  (a pair)
    pairs = two[np.argsort(codes[two], kind="stable")].reshape(-1, 2)
    twins[pairs] = pairs[:, ::-1]
    ranks = np.where(there, values.ranks[codes] / len(values.levels), np.nan)
    return _Quantity(name, ranks, alone, twins, tuple(owner[part] for part in values.codes[1:]))


def _same(quantities: Sequence[_Quantity], file: int) -> Ints:
    """Return the people all of whose values stand together in records."""
    first, *others = (quantity.owners[file] for quantity in quantities)
    same = first >= 0
    for other in others:
        same &= first == other
    people = np.zeros(len(quantities[0].ranks), dtype=np.bool_)
    people[first[same]] = True
    return np.flatnonzero(people)


def _p(
    first: _Quantity,
    second: _Quantity,
    pairs: int,
    donors: float = DONORS,
    records: int | None = None,
) -> float:
    """Return the smallest p over files that one of five donors is as often the same person.

    And that other people are: each of the original, left out, meets somebody who alone has both
    values where the two are a pair by either; two meetings a pair.
    """
    smallest = 1.0
    n = records or len(first.ranks)
    met = int(((first.twins >= 0) & (first.twins == second.twins)).sum()) // 2
    for file, (left, right) in enumerate(zip(first.owners, second.owners, strict=True)):
        same = len(_same((first, second), file))
        if same:
            # Each pair of people once: what one has here may be what many have in the population.
            able = (left >= 0) & (right >= 0)
            people = np.sort(left[able].astype(np.int64) << 32 | right[able])
            different = 1 + int(np.count_nonzero(np.diff(people)))
            p = more_than_binomial(same - 1, different, 1 / donors)
            meetings = 2 * len(left) / n  # of other people in a file of this size, for each pair
            others = more_than_binomial(same - 1, same + met, meetings / (1 + meetings))
            others /= 1 if met else _LESS_SURE
            smallest = min(smallest, max(p * pairs, others) / share_of(file + 1))
    return smallest


def _follows(first: _Quantity, second: _Quantity) -> bool:
    """Whether a quantity follows from another, or nearly so, as a tax does from an income.

    Then people whose values of the one are next to each other have values of the other next to
    each other too, whatever else it depends on, if that has few levels.
    """
    there = ~np.isnan(first.ranks + second.ranks)
    order = np.argsort(first.ranks[there], kind="stable")
    ranks = second.ranks[there][order]
    if not len(ranks):
        return True
    near = max(_NEAR, _FEWEST_NEAR / len(ranks))
    close = _close(ranks, near)
    by_chance = _close(np.random.default_rng(1).permutation(ranks), near)
    return close >= (1.0 + by_chance) / 2


def _close(ranks: Floats, near: float) -> float:
    """Return the share of places with a rank as near among the places beside them."""
    least = np.full(len(ranks), np.inf)
    for step in range(1, _NEIGHBOURS + 1):
        apart = np.abs(ranks[step:] - ranks[:-step])
        least[step:] = np.minimum(least[step:], apart)
        least[:-step] = np.minimum(least[:-step], apart)
    return float((least <= near).mean())


def _whole(
    pairs: Mapping[tuple[str, str], float], quantities: Mapping[str, _Quantity]
) -> dict[tuple[str, ...], float]:
    """Return pairs that have a column in common as one set, if most people have all of it."""
    out: dict[tuple[str, ...], float] = {}
    for (first, second), p in pairs.items():
        for group in list(out):
            if not {first, second} & set(group):
                continue
            larger = tuple(dict.fromkeys((*group, first, second)))
            people = [_people([quantities[n] for n in names]) for names in (group, larger)]
            if 2 * people[1] >= people[0]:
                out[larger] = min(out.pop(group), p)
                break
        else:
            out[first, second] = p
    return out


def _people(quantities: Sequence[_Quantity]) -> int:
    files = range(len(quantities[0].owners))
    return len(set().union(*(_same(quantities, file).tolist() for file in files)))


def _hit(quantities: Sequence[_Quantity], p: float, level: float) -> IdentifierHit:
    there = ~np.isnan(np.sum([quantity.ranks for quantity in quantities], axis=0))
    alone = np.all([quantity.alone for quantity in quantities], axis=0)
    files = range(len(quantities[0].owners))
    return IdentifierHit(
        columns=tuple(quantity.name for quantity in quantities),
        pattern="",
        records=int(there.sum()),
        distinct=int(alone.sum()),
        shared=_people(quantities),
        by_file=tuple(len(_same(quantities, file)) for file in files),
        expected=0.0,
        holdout_shared=None,
        holdout_distinct=None,
        p=min(p, 1.0),
        level=level,
        hit=True,
        taken=True,
        measured=False,
        running=False,
        reason="",
        basis=ONE_OF_FIVE,
    )
