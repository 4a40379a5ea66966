"""Reference values of disclosure measures: a copy and outsiders, at the replica's size.

Every one is a fact about the original, or about original and holdout.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from sdcmetrics.errors import DataError, NotComputable
from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.cut import Cut
from sdcmetrics.measures.disclosure.redrawing import draw
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.reference_values import ITSELF, References
from sdcmetrics.measures.survey.households import Households, between
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.results import Share

_DRAWS, _FEWER_DRAWS, _LARGE = 199, 99, 20_000
"""Redraws of who is fresh, and those of more records than so many: a second for all targets."""
_SUBSAMPLES, _FEWEST, _SMALL = 200, 10, 1_000
"""Subsets where there is no closed form: so many of replicas of up to so many records, and fewer
in proportion of larger ones, whose measures vary less."""
_REDRAWN = 20_000_000
"""Records up to which any are redrawn: beyond, a draw takes seconds, and gigabytes."""
_ROUNDING = 1e-9  # sums of equal terms in another order differ by less


class TargetReferences:
    """Reference values of one replica at one target.

    Parameters
    ----------
    replica : KeyTargetCounts
        The original beside one synthesis.
    fresh : KeyTargetCounts, optional
        The original beside the holdout, over the same cells.
    measures : sequence of Measure
        All of this kind, also for what the copy of another equals.
    draws : int
        How often it is redrawn who is fresh, at most; without any there is no p.
    seed : int
    cells : int arrays, optional
        The cell of each record of original, replica and holdout.
    households : int arrays, optional
        The household of each of them, None for a data set that does not say it; see
        `survey.households.numbered`. Then whole households are redrawn.
    """

    def __init__(
        self,
        replica: KeyTargetCounts,
        fresh: KeyTargetCounts | None,
        *,
        measures: Sequence[Measure],
        draws: int = _DRAWS,
        seed: int = 1,
        cells: Sequence[Counts] = (),
        households: Sequence[Counts | None] = (),
    ) -> None:
        self.cells, self.households = cells, households if cells else ()
        self.replica, self.fresh = replica, fresh
        self.measures = {measure.symbol: measure for measure in measures}
        self.draws, self.seed = draws, seed
        self.copy = replace(replica, synthetic=replica.original, n_synthetic=replica.n_original)
        sizes = [replica.n_synthetic, replica.n_original]
        self.k = min(sizes if fresh is None else [*sizes, fresh.n_synthetic])

    def of(self, measure: Measure) -> References:
        """Return what stands beside the value of a measure."""
        reference_values = measure.reference_values
        if reference_values is None:
            return References()
        copy = self._copied(measure)
        if reference_values.copy == ITSELF:
            return References(copy=copy, fresh=copy if self.fresh is not None else math.nan)
        if self.fresh is None and self.replica.n_synthetic == self.replica.n_original:
            return References(copy=copy)
        value_at, copy_at, fresh = (
            math.nan if counts is None else self._cut(measure, counts)
            for counts in (self.replica, self.copy, self.fresh)
        )
        outsiders, outsiders_p = self._outsiders(measure)
        return References(
            copy=copy,
            fresh=fresh,
            at=self.k,
            value_at=value_at,
            copy_at=copy_at,
            p=self._p.get(measure.symbol, math.nan),
            outsiders=outsiders,
            outsiders_p=outsiders_p,
        )

    def _copied(self, measure: Measure) -> float:
        """Return what a copy scores by the declaration."""
        copy = measure.reference_values.copy if measure.reference_values is not None else math.nan
        if callable(copy):
            return copy(self.replica)
        if isinstance(copy, str):
            other = measure if copy == ITSELF else self.measures[copy]
            return _value(other, self.replica)
        return float(copy)

    def _cut(self, measure: Measure, counts: KeyTargetCounts) -> float:
        """Return the expectation for a replica cut to k records."""
        if counts.n_synthetic == self.k:
            return _value(measure, counts)
        if measure.reference_values is None or measure.reference_values.at is None:
            return math.nan
        if isinstance(measure.reference_values.at, str):
            values = self._of_subsamples(measure, counts)
            defined = [value for value in values if not math.isnan(value)]
            return math.fsum(defined) / len(defined) if defined else math.nan
        return _scale(measure) * measure.reference_values.at(self._cuts(counts))

    def _cuts(self, counts: KeyTargetCounts) -> Cut:
        key = id(counts)
        if key not in self._draws:
            self._draws[key] = Cut(counts, self.k)
        cut: Cut = self._draws[key]
        return cut

    @cached_property
    def _draws(self) -> dict[int, Any]:
        return {}

    def _of_subsamples(self, measure: Measure, counts: KeyTargetCounts) -> list[float]:
        """Return the measure of every subset of k records that was drawn."""
        parts = self._subsamples(counts)
        if measure.reference_values is not None and measure.reference_values.at == "samples":
            results = [np.asarray(measure.function(some)) for some in parts]
            return [float(value) for values in results for value in values]
        values, there = [], counts.synthetic > 0
        for table in itertools.chain.from_iterable(some.synthetic for some in parts):
            whole = np.zeros_like(counts.synthetic)
            whole[there] = table
            values.append(_value(measure, _with_synthetic(counts, whole)))
        return values

    def _subsamples(self, counts: KeyTargetCounts) -> list[KeyTargetCounts]:
        """Return subsets of k records, many draws in one, of the cells that the replica fills."""
        if counts.n_synthetic > _REDRAWN:
            return []
        key = -id(counts)
        if key not in self._draws:
            there = _filled(counts)
            records = np.repeat(np.arange(len(there.synthetic)), there.synthetic)
            draws = max(_FEWEST, min(_SUBSAMPLES, _SUBSAMPLES * _SMALL // len(records)))
            drawn = draw(self.seed, records, self.k, len(there.synthetic), draws)
            self._draws[key] = [_with_synthetic(there, some) for some in drawn]
        subsamples: list[KeyTargetCounts] = self._draws[key]
        return subsamples

    @cached_property
    def _p(self) -> dict[str, float]:
        """P by symbol: who of the replica and the holdout is fresh is redrawn."""
        if self.fresh is None:
            return {}
        tested = {
            symbol: (measure.reference_values.sign, measure.reference_values.at)
            for symbol, measure in self.measures.items()
            if measure.reference_values is not None
            and measure.reference_values.tested
            and callable(measure.reference_values.at)
        }
        places, first = _of_its_keys(self.replica)
        _, other = _of_its_keys(self.fresh)
        both = first.synthetic + other.synthetic

        def apart(of_fresh: Counts) -> tuple[Cut, Cut]:
            sides = _with_synthetic(first, both - of_fresh), _with_synthetic(other, of_fresh)
            return Cut(sides[0], self.k), Cut(sides[1], self.k)

        try:
            households = self._together(1)
        except NotComputable:  # single records of a family would be exchanged
            return {}
        cells = (
            () if households is None else np.concatenate([places[part] for part in self.cells[1:]])
        )
        return self._redraw(both, other.synthetic, apart, _at(tested), households, cells)

    @cached_property
    def _outsiders_p(self) -> dict[str, float]:
        """P of means by symbol: who of the original and the holdout was in it is redrawn."""
        tested = {
            symbol: (measure.reference_values.sign, measure.reference_values.at)
            for symbol, measure in self.measures.items()
            if measure.reference_values is not None
            and measure.reference_values.by_record
            and callable(measure.reference_values.at)
            and not isinstance(measure.function(self.replica), Share)
        }
        both = self.replica.original + self._outside.original
        whole = Cut(self.replica, self.replica.n_synthetic)

        def apart(outside: Counts) -> tuple[Cut, Cut]:
            return whole.judging(both - outside), whole.judging(outside)

        try:
            households = self._together(0)
        except NotComputable:
            return {}
        if households is None:
            return self._redraw(both, self._outside.original, apart, _at(tested))
        every = {
            symbol: partial(_signed, measure.reference_values.sign, measure)
            for symbol, measure in self.measures.items()
            if measure.reference_values is not None and measure.reference_values.by_record
        }

        def counted(outside: Counts) -> tuple[KeyTargetCounts, KeyTargetCounts]:
            return self._judging(both - outside), self._judging(outside)

        cells = np.concatenate([self.cells[0], self.cells[2]])
        return self._redraw(both, self._outside.original, counted, every, households, cells)

    def _together(self, first: int) -> Households | None:
        """Return who lives together in the original (0) or the replica (1), and in the holdout."""
        return between(self.households, first, 2) if self.households else None

    def _judging(self, original: Counts) -> KeyTargetCounts:
        """Return the replica beside other people."""
        return replace(self.replica, original=original, n_original=_size(original))

    @cached_property
    def _outside(self) -> KeyTargetCounts:
        """The holdout in the original's place, beside the replica."""
        fresh = self.fresh
        if fresh is None:
            msg = "there is no holdout"
            raise DataError(msg)
        return self._judging(fresh.synthetic)

    def _redraw(
        self,
        both: Counts,
        of_holdout: Counts,
        apart: Callable[[Counts], tuple[Any, Any]],
        tested: Mapping[str, Callable[[Any], float]],
        households: Households | None = None,
        cells: Any = (),
    ) -> dict[str, float]:
        """Return the share of redraws in which two sides are as far apart, by symbol.

        Which records of both are the holdout's is redrawn; `apart` makes the sides of that.
        """

        def measured(drawn: Counts) -> dict[str, Any]:
            first, other = apart(drawn)
            return {name: value(first) - value(other) for name, value in tested.items()}

        if both.sum() > _REDRAWN:
            return {}
        records, size = np.repeat(np.arange(len(both)), both), int(of_holdout.sum())
        draws = min(self.draws, _DRAWS if len(records) <= _LARGE else _FEWER_DRAWS)
        if not draws:
            return {}
        observed = measured(of_holdout)
        more = dict.fromkeys(tested, 1)
        redrawn: Iterable[Counts]
        if households is None:
            redrawn = draw(self.seed, records, size, len(both), draws)
        else:  # of the first side, and the holdout has the others
            rng = np.random.default_rng(self.seed)
            redrawn = (
                both - np.bincount(cells[households.drawn(rng)], minlength=len(both))
                for _ in range(draws)
            )
        for drawn in redrawn:
            for symbol, far in measured(drawn).items():
                # A redraw without a value does not speak against the holdout.
                more[symbol] += int(np.sum(np.logical_not(far < observed[symbol] - _ROUNDING)))
        return {
            symbol: math.nan if math.isnan(observed[symbol]) else times / (1 + draws)
            for symbol, times in more.items()
        }

    def _outsiders(self, measure: Measure) -> tuple[float, float]:
        """Return the measure of people who were not in the replica, and the exact p beside them.

        Given the replica, whom it finds does not depend on who is in the original, if it does not
        know that: labels are exchangeable.
        """
        reference_values = measure.reference_values
        if self.fresh is None or reference_values is None or not reference_values.by_record:
            return math.nan, math.nan
        value = _value(measure, self._outside)
        parts = measure.function(self.replica), measure.function(self._outside)
        if self.households or not isinstance(parts[0], Share):
            return value, self._outsiders_p.get(measure.symbol, math.nan)
        if not all(part.total for part in parts):
            return value, math.nan
        hits = [
            part.count if reference_values.sign > 0 else part.total - part.count for part in parts
        ]
        return value, LabelTest(*hits, *(part.total for part in parts)).p_value


def _filled(counts: KeyTargetCounts) -> KeyTargetCounts:
    """Return the cells with synthetic records; sums over keys are those of all cells."""
    there = counts.synthetic > 0
    parts = {
        name: getattr(counts, name)[there] for name in ("original", "synthetic", "key", "target")
    }
    filled = replace(counts, **parts)
    filled.__dict__.update(
        original_by_key=counts.original_by_key,
        original_of_key=counts.original_of_key[there],
        right_by_original=counts.right_by_original,
    )
    return filled


def _with_synthetic(counts: KeyTargetCounts, synthetic: Counts) -> KeyTargetCounts:
    """Return other synthetic counts beside the same original, whose sums are kept."""
    counted = replace(counts, synthetic=synthetic, n_synthetic=_size(synthetic))
    for name in ("original_by_key", "original_of_key", "right_by_original"):
        counted.__dict__[name] = getattr(counts, name)
    return counted


def _at(
    tested: Mapping[str, tuple[int, Callable[[Cut], float]]],
) -> dict[str, Callable[[Cut], float]]:
    return {symbol: partial(_times, *arguments) for symbol, arguments in tested.items()}


def _times(sign: int, at: Callable[[Cut], float], cut: Cut) -> float:
    return sign * at(cut)


def _signed(sign: int, measure: Measure, counts: KeyTargetCounts) -> float:
    return sign * _value(measure, counts)


def _of_its_keys(counts: KeyTargetCounts) -> tuple[Counts, KeyTargetCounts]:
    """Return the cells of the key combinations that the original has, all others as one.

    Before them, which of these each cell is.
    """
    present = counts.original_of_key > 0
    there = counts.original_by_key > 0
    keys, elsewhere = np.cumsum(there) - 1, int(there.sum())
    return np.where(present, np.cumsum(present) - 1, int(present.sum())), replace(
        counts,
        original=np.append(counts.original[present], 0),
        synthetic=np.append(counts.synthetic[present], counts.synthetic[~present].sum()),
        key=np.append(keys[counts.key[present]], elsewhere),
        target=np.append(counts.target[present], 0),
        n_keys=elsewhere + 1,
    )


def _size(counts: Counts) -> int:
    """Return the number of records, which is that of every draw where there are many."""
    return int(counts.sum(axis=-1).flat[0])


def _value(measure: Measure, counts: KeyTargetCounts) -> float:
    result = measure.function(counts)
    if isinstance(result, Share):
        return result.percent if measure.unit == "percent" else result.proportion
    return float(result)


def _scale(measure: Measure) -> float:
    return 100.0 if measure.unit == "percent" else 1.0
