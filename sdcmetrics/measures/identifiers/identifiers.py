"""How many identifiers of the original stand in a replica, by chance and beyond."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.identifiers.candidates import (
    Candidate,
    sets_of_columns,
    single_columns,
)
from sdcmetrics.measures.identifiers.groups import is_numbered_anew
from sdcmetrics.measures.identifiers.hidden import (
    Hidden,
    hidden_values,
    other_columns,
    rare_levels,
    with_row_names,
)
from sdcmetrics.measures.identifiers.joint import joint_of_units, joint_quantities, quantities_of
from sdcmetrics.measures.identifiers.result import IdentifierHit, Identifiers
from sdcmetrics.measures.identifiers.search import Search
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import MissingCodes

if TYPE_CHECKING:
    from sdcmetrics.measures.survey.sample import Sample

LEVEL = 0.01
"""Of all identifiers together, and again of all measurements, in the first file."""
_MOST_MEASURED = 60_000_000
"""Records times columns of measurements that are compared; identifiers always are."""


@checked
def identifiers(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    missing_codes: MissingCodes | None = None,
    level: float = LEVEL,
    seed: int = 1,
) -> Identifiers:
    """Count how many identifiers of the original stand in the replica, beside chance.

    Looked at are all columns that nearly every record has a value of its own in (95 %), pairs and
    triples of columns that together are so, such as name and date of birth, and columns that look
    like identifiers; also columns that by their names or values tell people or households apart who
    have several records each, of which each counts once. Columns that a study leaves out, or names
    as whose a record is, are looked at too, and so are columns that only the replica has, levels
    that none of its records has, and names of rows.

    Quantities of one person that stand together in the replica are a hit where that is so of more
    than one in five of the pairs of people that its records could be of; see
    `sdcmetrics.measures.identifiers.joint`.

    Parameters
    ----------
    original, synthetic, holdout : data frames; of the synthetic several as a list
        The holdout, optional: people of the same population whom the synthesis has not seen.
    missing_codes : mapping of column to code or codes, optional
    level : float
        Chance of a false hit in the first file, over all columns and sets together; `taken` of
        quantities and dates, and pairs of quantities, have the same once more. Further
        files, and all up to each together, share half as much again: a file can only add a hit.
    seed : int
        Of samples and shuffles.

    Returns
    -------
    Identifiers
        Counts of different values, and p from 0 to 1: a small one says that so many do not stand
        there by chance. `hits` are beyond chance, and to be dropped; `suspects` are to be asked
        about. That there is none says nothing of the records themselves.

    Raises
    ------
    DataError
        If a data set cannot be read.
    StudyError
        If `level` is not between 0 and 1.

    Notes
    -----
    With a holdout: values that exactly one person has; the number that are of the original is
    hypergeometric, exactly, if the replica does not know who was in it. A holdout whose values
    differ in order (Kolmogorov-Smirnov, p <= 0.01) is not used for that column. Without: values
    that two to six records of all files share, see `chance`; that takes records to be drawn one by
    one. Without a holdout, names drawn from one short register for both files look like names that
    were taken over: the replica does hold them.

    A set of columns is a hit only if the replica with its columns shuffled, each on its own, would
    be none. A quantity or a date alone is never a hit, as a synthesis may draw its values one by
    one from the original; `taken` says whether it did.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"mail": [f"p{i * i}@example.org" for i in range(40)]})
    >>> result = identifiers(original, original.sample(frac=1, random_state=1))
    >>> result, result.hits[0].shared, result.hits[0].reason
    (Identifiers(1 looked at, 1 hits), 40, 'looks like an e-mail address: 100 % of values')
    """
    if not 0 < level < 1:
        msg = f"level: expected a number between 0 and 1 but got {level:g}."
        raise StudyError(msg)
    return look_for_identifiers(
        as_microdata(original, "original"),
        list_syntheses(synthetic, None),
        None if holdout is None else as_microdata(holdout, "holdout"),
        missing_codes=missing_codes,
        level=level,
        seed=seed,
    )


def look_for_identifiers(
    original: Microdata,
    syntheses: Sequence[Microdata],
    holdout: Microdata | None,
    *,
    missing_codes: MissingCodes | None = None,
    level: float = LEVEL,
    seed: int = 1,
    shared: dict[object, object] | None = None,
    people: Collection[str] = (),
) -> Identifiers:
    """Count identifiers as `identifiers` does, in data sets that are read.

    Parameters
    ----------
    people : names of columns that tell people or households apart, whatever they are called
    shared : dict, optional
        Where what depends on the original alone is held for the next replica.
    """
    original, *syntheses = map(with_row_names, (original, *syntheses))
    holdout = None if holdout is None else with_row_names(holdout)
    cache = {} if shared is None else shared
    key = ("identifiers", seed)
    if key not in cache:
        singles, looks = single_columns(
            original, missing_codes=missing_codes, seed=seed, people=people
        )
        sets = sets_of_columns(original, singles, looks, missing_codes=missing_codes)
        shares = {name: look.share for name, look in looks.items() if look.measured}
        cache[key] = (*singles, *sets)
        cache["quantities", seed] = quantities_of(singles, shares)
        cache["measured", seed] = list(shares)
    candidates: tuple[Candidate, ...] = cache[key]  # type: ignore[assignment]
    quantities: list[str] = cache.get(("quantities", seed), [])  # type: ignore[assignment]
    hidden = hidden_values(original, syntheses)
    search = Search(original, tuple(syntheses), holdout, missing_codes, level, seed)
    each, absent = [], []
    unseen = [
        name
        for large in original.large
        for name, values in large.distinct.items()
        if not values.complete
    ]
    cells = 0
    names = [c for c in candidates if len(c.columns) == 1 and not c.measured]
    pairs = list(itertools.product(names, hidden))
    tests = Counter(candidate.measured for candidate in candidates)
    tests[False] += len(pairs)
    for candidate in candidates:
        files = [
            i for i, data in enumerate(syntheses) if set(candidate.columns) <= set(data.columns)
        ]
        if not files:
            absent.append(" and ".join(candidate.columns))
            continue
        cells += original.n if candidate.measured else 0
        result = None
        if not (candidate.measured and cells > _MOST_MEASURED):
            result = search.test(candidate, files, tests[candidate.measured])
        if result is None:
            unseen.append(" and ".join(candidate.columns))
        else:
            each.append(result)
    each += joint_quantities(
        original, syntheses, quantities, missing_codes=missing_codes, level=level
    )
    units = [c.columns[0] for c in candidates if c.repeated]
    measured: list[str] = cache.get(("measured", seed), [])  # type: ignore[assignment]
    for unit in units:
        of_units = joint_of_units(
            original,
            syntheses,
            measured,
            unit,
            missing_codes=missing_codes,
            level=level / (2 * len(units)),
        )
        held = {entry.columns for entry in each}
        each += [entry for entry in of_units if entry.columns not in held]
    renamed = list(_under_other_names(search, pairs, tests[False]))
    each += renamed
    absent = [name for name in absent if all(name != hit.name for hit in renamed)]
    each.sort(key=lambda entry: (not entry.hit, len(entry.columns), -entry.shared))
    used = "" if holdout is None else "; ".join(search.differing) or "used"
    sources = tuple(data.source for data in syntheses)
    rare = tuple(rare_levels(original, syntheses))
    return Identifiers(tuple(each), sources, tuple(absent), tuple(unseen), used, rare_levels=rare)


def _under_other_names(
    search: Search, pairs: Sequence[tuple[Candidate, Hidden]], tests: int
) -> Iterator[IdentifierHit]:
    """Yield identifiers of which the values stand where the replica has another name for them.

    They are half of what stands there, in a file: a column of something else may share some.
    """
    for candidate, place in pairs:
        files = place.named(candidate.columns[0], search.syntheses)
        there = replace(search, syntheses=tuple(files), differing=[])
        result = there.test(candidate, range(len(files)), tests)
        if result is None or not result.hit:
            continue
        count = dict(zip(place.entries, result.by_file, strict=True))
        distinct = {i: pc.count_distinct(entries).as_py() for i, entries in place.entries.items()}
        if not any(2 * count[i] >= distinct[i] for i in count):
            continue
        by_file = tuple(count.get(i, 0) for i in range(len(search.syntheses)))
        yield replace(result, by_file=by_file, under=place.column, unused=place.unused)


def identifiers_of_study(
    data: tuple[Microdata, Sequence[Microdata], Microdata | None],
    sample: Sample | None,
    compared: Collection[str],
    **options: Any,
) -> Identifiers:
    """Count identifiers in data sets of a study, beside them columns of its sample.

    Columns of the sample are set aside from what is compared. Those that are not `compared` are
    listed, but for identifiers, for near-unique quantities of which no values were taken, for
    weights of which many records have the same, and for groups (clusters, households, persons) that
    the replica numbers anew.
    """
    original, syntheses, holdout = data
    people: tuple[str, ...] = ()
    apart: list[str] = []
    if sample is not None:
        if holdout is not None and sample.holdout is not None:
            holdout = sample.with_design(holdout, sample.holdout)
        original = sample.with_design(original, sample.original)
        syntheses = [sample.with_design(part, sample.whole(part)) for part in syntheses]
        people = sample.people_columns
        apart += sample.weight_columns
        apart += (
            name
            for name in dict.fromkeys((*people, sample.cluster))
            if all(is_numbered_anew(name, original, part) for part in syntheses)
        )
    result = look_for_identifiers(original, syntheses, holdout, people=people, **options)
    taken = {entry.columns for entry in result.each if entry.measured and entry.taken}
    apart += (entry.under for entry in result.each if entry.under and not entry.unused)
    looked_at = {entry.columns for entry in result.each} | {(name,) for name in apart}
    shared = set().union(*(part.columns for part in syntheses))
    uncompared = [name for name in original.columns if name in shared and name not in compared]
    uncompared += other_columns(original, syntheses)
    return replace(
        result,
        uncompared=tuple(n for n in uncompared if (n,) in taken or (n,) not in looked_at),
    )
