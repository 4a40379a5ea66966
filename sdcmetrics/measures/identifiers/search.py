"""The search for the values of one column, or of a few together, in a replica and a holdout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sdcmetrics.measures.identifiers.candidates import Candidate
from sdcmetrics.measures.identifiers.chance import (
    Counted,
    confirms,
    density,
    differ,
    duplicates_p,
    expected_shared,
    is_running,
    label_p,
)
from sdcmetrics.measures.identifiers.groups import groups_of
from sdcmetrics.measures.identifiers.result import IdentifierHit
from sdcmetrics.measures.identifiers.values import Values, missing_of, together, values_of
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import MissingCodes

_CONTROLS = 99
_MOST_SHUFFLED = 20_000_000
"""Records times shuffles of a set's columns; of larger files there are fewer, 19 at least."""
_FEWEST_CONTROLS = 19
_WRITTEN_IN_WAYS = ("phone", "IBAN", "account", "national", "card")
"""Patterns whose blanks, dots and dashes mean nothing."""


def share_of(file: int) -> float:
    """Return the part of the level that file i, from 1, has on its own, and again in the union."""
    return 1.0 if file == 1 else 0.5 / (file * (file + 1))


@dataclass(frozen=True)
class Counts:
    """How many records each data set has of each value, or whether it has any.

    Attributes
    ----------
    values : Values
    each : tuple of int arrays, one per data set: original, replica's files, holdout
    n, h : records, or different values, of original and holdout
    """

    values: Values
    each: tuple[Ints, ...]
    n: int
    h: int

    @classmethod
    def of(cls, values: Values, data_sets: int, sizes: tuple[int, int], *, once: bool) -> Counts:
        """Count; `once` each value of a data set."""
        each = tuple(values.counts(i) for i in range(data_sets))
        if not once:
            return cls(values, each, *sizes)
        each = tuple(np.minimum(counts, 1) for counts in each)
        return cls(values, each, int(each[0].sum()), int(each[-1].sum()) if sizes[1] else 0)

    def counted(self, synthetic: Ints, *, holdout: bool) -> Counted:
        """Return the counts of a replica beside those of the original, and of the holdout."""
        if not (holdout and self.h):
            return Counted(self.each[0], synthetic, None, self.n, 0)
        return Counted(self.each[0], synthetic, self.each[-1], self.n, self.h)


@dataclass
class Search:
    """The data sets in which identifiers are looked for."""

    original: Microdata
    syntheses: tuple[Microdata, ...]
    holdout: Microdata | None
    missing_codes: MissingCodes | None
    level: float
    seed: int
    differing: list[str] = field(default_factory=list)

    def test(self, candidate: Candidate, files: Sequence[int], tests: int) -> IdentifierHit | None:
        """Test one column or set; None if the types of its values cannot be compared."""
        data = [self.original, *(self.syntheses[i] for i in files)]
        aside = self.holdout
        if aside is not None and set(candidate.columns) <= set(aside.columns):
            data.append(aside)
        else:
            aside = None
        columns = self._columns(candidate, data)
        if columns is None:
            return None
        values = columns[0] if len(columns) == 1 else together(columns)
        n, h = self.original.n, 0 if aside is None else aside.n
        is_single = len(columns) == 1 and not candidate.measured
        groups = groups_of(values, values.counts(0) > 0) if is_single else None
        # Records of one person are no chance, nor are members of a group that are numbered by rule.
        once = candidate.repeated or groups is not None
        whole = Counts.of(values, len(data), (n, h), once=once)
        judged = whole if groups is None else Counts.of(groups, len(data), (n, h), once=True)
        tested = columns if groups is None else [groups]
        running = len(columns) == 1 and _runs(judged.values, judged.each[0])
        p, use = 1.0, aside is not None
        if not running:
            p = min(1.0, self._p(tested, judged, files, holdout=use) * tests)
            if use and p <= self.level and self._differs(tested, once=once):
                self.differing.append(
                    f"{' and '.join(candidate.columns)}: it differs from the original"
                )
                use = False
                p = min(1.0, self._p(tested, judged, files, holdout=False) * tests)
        original, replicas = whole.each[0], whole.each[1 : 1 + len(files)]
        held = whole.each[-1] if aside is not None else None
        union = np.sum(replicas, axis=0)
        by_file = [0] * len(self.syntheses)
        for i, count in zip(files, replicas, strict=True):
            by_file[i] = int(((original > 0) & (count > 0)).sum())
        taken = p <= self.level
        split = False
        if held is not None and is_single and not running:
            both = judged.counted(judged.each[-1], holdout=False)
            split = self._tested(both, judged.values) * tests <= self.level
        counted = whole.counted(union, holdout=use)
        return IdentifierHit(
            columns=candidate.columns,
            pattern="" if candidate.pattern is None else candidate.pattern.words,
            records=int(values.counts(0).sum()),
            distinct=int((original > 0).sum()),
            shared=counted.shared,
            by_file=tuple(by_file),
            expected=_expected(values, columns, counted),
            holdout_shared=None if held is None else int(((held > 0) & (union > 0)).sum()),
            holdout_distinct=None if held is None else int((held > 0).sum()),
            p=p,
            level=self.level,
            hit=taken and not candidate.measured,
            taken=taken,
            measured=candidate.measured,
            running=running,
            reason="" if running else _reason(candidate),
            basis="holdout" if use else "equal records",
            repeated=candidate.repeated,
            in_holdout=0 if held is None else int(((original > 0) & (held > 0)).sum()),
            split=split,
        )

    def _columns(self, candidate: Candidate, data: Sequence[Microdata]) -> list[Values] | None:
        """Return the values of each column; None if their types cannot be compared."""
        single = len(candidate.columns) == 1
        compact = (
            single
            and candidate.pattern is not None
            and any(word in candidate.pattern.words for word in _WRITTEN_IN_WAYS)
        )
        columns = [
            values
            for name in candidate.columns
            if (
                values := values_of(
                    name, data, compact=compact, missing=missing_of(self.missing_codes, name)
                )
            )
            is not None
        ]
        comparable = len(columns) == len(candidate.columns)
        return columns if comparable and (single or all(c.by_record for c in columns)) else None

    def _p(
        self, columns: Sequence[Values], judged: Counts, files: Sequence[int], *, holdout: bool
    ) -> float:
        """Return the smallest p over files and their growing union, each over its part."""
        smallest = 1.0
        union = np.zeros_like(judged.each[0])
        for place, i in enumerate(files, start=1):
            union = union + judged.each[place]
            looks: list[tuple[tuple[int, ...], Ints]] = [((place,), judged.each[place])]
            if place > 1:
                looks.append((tuple(range(1, place + 1)), union))
            for parts, synthetic in looks:
                counted = judged.counted(synthetic, holdout=holdout)
                single = judged.values if len(columns) == 1 else None
                p = self._tested(counted, single) / share_of(i + 1)
                alarm = p <= self.level and len(columns) > 1
                if alarm and not self._beats_shuffled(columns, parts, p, i, holdout=holdout):
                    p = 1.0
                smallest = min(smallest, p)
        return smallest

    def _tested(self, counted: Counted, values: Values | None) -> float:
        """Return the p of both tests: with a holdout each has half of the level."""
        rng = np.random.default_rng(self.seed)
        label = label_p(counted)
        if counted.holdout is not None and 2 * label <= self.level * share_of(1_000):
            return 2 * label
        p_duplicates = duplicates_p(counted, rng=rng)
        if not confirms(counted, label):
            p_duplicates = 1.0
        if p_duplicates <= self.level and values is not None and values.steps is not None:
            here = values.steps[counted.original > 0]
            there = values.steps[counted.synthetic > 0]
            here, there = here[~np.isnan(here)], there[~np.isnan(there)]
            p_duplicates = (
                max(p_duplicates, density(here, there)[1])
                if len(here) and len(there)
                else p_duplicates
            )
        return p_duplicates if counted.holdout is None else min(1.0, 2 * min(label, p_duplicates))

    def _beats_shuffled(
        self, columns: Sequence[Values], parts: tuple[int, ...], p: float, i: int, *, holdout: bool
    ) -> bool:
        """Whether the replica with each column shuffled on its own has no p as small."""
        last = len(columns[0].codes) - 1
        used = (0, *parts, *((last,) if holdout else ()))
        size = sum(len(columns[0].codes[part]) for part in used)
        draws = int(np.clip(_MOST_SHUFFLED // max(size, 1), _FEWEST_CONTROLS, _CONTROLS))
        rng = np.random.default_rng([self.seed, i])
        for _ in range(draws):
            shuffled = []
            for column in columns:
                codes = [
                    rng.permutation(column.codes[part]) if part in parts else column.codes[part]
                    for part in used
                ]
                shuffled.append(
                    Values(tuple(codes), (None,) * len(used), column.levels, column.kind)
                )
            values = together(shuffled)
            counts = [values.counts(k) for k in range(len(used))]
            synthetic = np.sum(counts[1 : 1 + len(parts)], axis=0)
            aside = self.holdout if holdout else None
            held, h = (None, 0) if aside is None else (counts[-1], aside.n)
            counted = Counted(counts[0], synthetic, held, self.original.n, h)
            if self._tested(counted, None) / share_of(i + 1) <= p:
                return False
        return True

    def _differs(self, columns: Sequence[Values], *, once: bool) -> bool:
        """Whether holdout and original differ in the order of the values of a column."""
        for column in columns:
            if not column.by_record:
                return False
            codes = [part[part >= 0] for part in (column.codes[0], column.codes[-1])]
            if once:
                codes = [np.unique(part) for part in codes]
            if differ(*(column.ranks[part] for part in codes)):
                return True
        return False


def _reason(candidate: Candidate) -> str:
    """Return why to ask about a column or a set; "" if there is no reason."""
    if candidate.pattern is not None and candidate.pattern.reason:
        return candidate.pattern.reason
    if candidate.measured or candidate.repeated or len(candidate.columns) > 1:
        return ""  # several columns together often have a value of their own
    return "nearly every record has a value of its own"


def _runs(values: Values, original: Ints) -> bool:
    """Whether the values number the records, or leave hardly a number free."""
    if values.steps is None:
        return False
    numbers = values.steps[original > 0]
    if bool((original > 1).any()):
        return False
    return is_running(numbers)


def _expected(values: Values, columns: Sequence[Values], counted: Counted) -> float:
    """Return how many values of the original the replica would have by chance."""
    if counted.holdout is not None and counted.h:
        b = counted.marked[1]
        common = counted.shared - counted.marked[0]
        return b * counted.n / counted.h + common
    records = int(counted.synthetic.sum())
    out = expected_shared(counted.original, records)
    if len(columns) > 1 or values.steps is None:
        return out
    here, there = (values.steps[part > 0] for part in (counted.original, counted.synthetic))
    here, there = here[~np.isnan(here)], there[~np.isnan(there)]
    if not len(here) or not len(there):
        return out
    return max(out, (density(here, there)[0]) * len(here))
