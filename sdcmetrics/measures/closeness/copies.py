"""Original records that occur in a replica in every value (exact copies)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import over_same_cells
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.crosstables.whole_records import whole_records
from sdcmetrics.measures.exchangeable import more_than_binomial
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.repetition import repeated
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.results import Counted, Share

_SURELY_MIXED = 0.95
"""Combinations that chance gives to both data sets more often than this say nothing of copying."""
_REPEATED = (
    "every record occurs {times}, or a multiple of that: rows were doubled, or counts rounded. "
    "Tests take records to be drawn one by one: if rows were doubled, keep one of each"
)
_HELD = 5_000_000
"""Combinations of values that are held of one data set: with their counts 80 MB."""


@dataclass(frozen=True)
class Copies:
    """How many original records occur in a replica in every value.

    Attributes
    ----------
    copied : int
        Original records that some replica record equals.
    duplicates : int
        Original records that another original record equals: what a fresh sample of the size of
        the original, less one record, is expected to hold of them.
    mixed, combinations : int
        Combinations of values that chance may or may not give to both data sets, and how many of
        these both have.
    chance : float, 0 to 1
        The mean probability that both have one, where records are given to the data sets at random.
    same : bool
        Whether every combination occurs as often in the replica as in the original.
    n_original, n_synthetic : int
        Records.
    of_itself : float
        What `exact_copies_p` is of the original itself in the replica's place.
    every : int
        Of one in so many combinations of values, drawn at random, the records were counted; 1
        where of all.
    """

    copied: int
    duplicates: int
    mixed: int
    combinations: int
    chance: float
    same: bool
    n_original: int
    n_synthetic: int
    of_itself: float = 1.0
    every: int = 1

    @property
    def complete(self) -> bool:
        """Whether the replica is a copy: it has every original record, and enough are unique.

        Where most records have a duplicate, as in data of few columns, only the same counts
        throughout are a copy.
        """
        most_are_alone = 2 * self.duplicates < self.n_original
        return self.same or (self.copied == self.n_original and most_are_alone)


def count_copies(original: npt.NDArray[np.int64], synthetic: npt.NDArray[np.int64]) -> Copies:
    """Count copies, from how many original and synthetic records have each combination of values.

    Examples
    --------
    >>> result = count_copies(np.array([1, 1, 2, 0]), np.array([1, 0, 3, 1]))
    >>> result.copied, result.duplicates, result.n_original
    (3, 2, 4)
    """
    n, m = int(original.sum()), int(synthetic.sum())
    both = original + synthetic
    at_random = n / (n + m)
    size = np.arange(int(both.max()) + 1)
    by_size = 1 - at_random**size - (1 - at_random) ** size
    open_ = ((size > 1) & (by_size <= _SURELY_MIXED))[both]
    times = np.bincount(both[open_], minlength=len(size))  # so that no order matters
    mixed = (original > 0) & (synthetic > 0)
    return Copies(
        copied=int(original[mixed].sum()),
        duplicates=int(original[original > 1].sum()),
        mixed=int((mixed & open_).sum()),
        combinations=int(open_.sum()),
        chance=float((by_size * times).sum() / times.sum()) if open_.any() else 0.0,
        same=bool((original == synthetic).all()),
        n_original=n,
        n_synthetic=m,
    )


def exact_copies(copies: Copies) -> Share:
    """Share of original records that some replica record equals in every value."""
    return Share(copies.copied, copies.n_original)


def exact_copies_p(copies: Copies) -> Counted:
    """Probability that fresh data share as many combinations of values with the original, or more.

    Returns
    -------
    Counted
        p, 0 to 1, with the combinations that both data sets have, of those that could tell.

    Notes
    -----
    If the replica were a fresh sample, its records and the original's would be one pool whose
    labels could change places. A combination of values that two records have would then be split
    between the data sets with probability 2 n m / (n + m)^2, one of k records with
    1 - (n / (n + m))^k - (m / (n + m))^k. The number that are split is a sum of such trials, whose
    upper tail is at most that of a binomial with their mean probability (Hoeffding 1956, Annals of
    Mathematical Statistics 27, 713-721), which is what is given here.

    A replica that repeats its own records hides copies from this p: of two equal synthetic records
    fresh data would have split many. A review compares copies with duplicates as well.
    """
    p = 1.0
    if copies.mixed > copies.combinations * copies.chance + 1:  # where Hoeffding's bound holds
        p = more_than_binomial(copies.mixed - 1, copies.combinations, copies.chance)
    return Counted(p, copies.mixed, copies.combinations)


def rows_repeated(pair: Pair, variables: Sequence[str] | None) -> tuple[Fix, ...]:
    """Return a note on each data set, but the holdout, whose records all occur several times."""
    return _notes(_counted(pair, variables)[0], pair.data.sources)


def _notes(counts: Sequence[npt.NDArray[np.int64]], sources: Sequence[str]) -> tuple[Fix, ...]:
    return tuple(
        Fix(source, None, _REPEATED.format(times="twice" if times == 2 else f"{times} times"))  # noqa: PLR2004  (twice)
        for source, times in zip(sources, map(repeated, counts), strict=True)
        if times > 1
    )


def _counted(
    pair: Pair, variables: Sequence[str] | None
) -> tuple[list[npt.NDArray[np.int64]], int]:
    """Return the records of each combination of values by data set, of one in so many of these."""
    wanted = variables or pair.data.variables  # as distances are, without the keys
    names = [name for name in pair.data.variables if name in wanted]
    coded = encode(pair.data, dict.fromkeys(names, by_value), names)
    if coded.large:
        every = math.ceil(max(coded.sizes) / _HELD)
        cells = [whole_records(coded, i, every) for i in range(coded.m + 1)]
        # Many records may be few combinations, of which none need be drawn: then all are counted.
        if every > 1 and max(len(part[0]) for part in cells) * every <= _HELD // 2:
            every = 1
            cells = [whole_records(coded, i, every) for i in range(coded.m + 1)]
        _, counts_of = over_same_cells(cells)
        return list(counts_of), every
    index = index_keys(coded, names)
    return [np.bincount(part, minlength=index.size) for part in index.parts], 1


def _copies(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "copied records"
    tell(step)
    counts, every = _counted(pair, plan.options.variables)
    pair.note(_notes(counts, pair.data.sources))
    sampled = ""
    if every > 1:
        sampled = f"of the records with one in {every} combinations of values, drawn at random"
    p = exact_copies_p(count_copies(counts[0], counts[0])).value
    each = tuple(
        replace(count_copies(counts[0], count), of_itself=p, every=every) for count in counts[1:]
    )
    yield Given(
        step, (Place(),), each, references=partial(_references, each), result=each, sampled=sampled
    )


def _references(
    each: Sequence[Copies], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    def of_copy(measure: Measure) -> float:
        mark = measure.reference_values and measure.reference_values.copy
        return float(mark(each[i]) if callable(mark) else mark or math.nan)

    return {measure.symbol: References(copy=of_copy(measure)) for measure in measures}


COPIES = Kind(
    "records in every value",
    "`Copies`; a number, a Share or a Counted",
    _copies,
    counted=True,
    symbols={"N_d": "original records"},
)
