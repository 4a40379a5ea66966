"""Whether descriptions that fit one synthetic record fit one original record: singling out."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.attacks.several import by_several
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.households import HouseholdColumn, relabelled
from sdcmetrics.microdata.arguments import Draws, Seed, checked
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.schema import MissingCodes

_ENUMERATED = 200_000
"""Descriptions up to which all are made; beyond, they are drawn."""
_DRAWN = 5_000
_TRIES = 1_000_000
_FEWEST = 30
"""Descriptions below which there is no test: the outcome depends on single ones."""
_SIFTED = 2_048
"""Replica records on which descriptions are tried first: most fit several of them already."""
_STAGES = 4
_AT_A_TIME = 4_000
_TABLED = 512
"""Values at a time whose fits are compared before they are bits, so that they stay in the cache."""
_PERMUTED = 64
"""Matches above which a description hardly ever singles anybody out, whatever the labels."""
_Z = 1.959963984540054


@dataclass(frozen=True)
class _Description:
    """Values of a few columns: equal to, or for numbers at least or at most."""

    columns: tuple[str, ...]
    signs: tuple[int, ...]
    values: tuple[float, ...]


@checked
@by_several
def singling_out(  # noqa: PLR0913  (three data sets, and how they are attacked)
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    columns: int = 3,
    variables: Sequence[str] | None = None,
    permutations: Draws = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> AttackResult:
    """Test whether descriptions that fit one synthetic record single out people of the original.

    The intruder takes values of a few columns that one synthetic record has, and claims that
    exactly one person of the original has them. How often is that so, and how often in as many
    fresh people?

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
        Of several syntheses, a list, descriptions are made of the records of all of them.
    columns : int, at least 1
        In a description. With one: values that one record has, and the smallest and the largest.
    variables : names, optional
        What the intruder may describe by; by default every column that all data sets have.
    permutations : int
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int
        Of the draws and the permutations.

    Returns
    -------
    AttackResult
        training and control are the shares of descriptions that fit exactly one record, of k
        records each, k being the smaller of original and holdout (of the larger the exact
        expectation over its subsets): a description that fits one in 600 fits fewer in 300.
        excess is their difference. figures: band_of_chance, in which it is if the replica knows
        nobody; descriptions; of_all, the share of them that fit exactly one of all originals; k.
        p_value is NaN with fewer than 30 descriptions. per_record counts the descriptions that fit
        only this original record. baseline is NaN.

    Raises
    ------
    ColumnError, DataError, StudyError

    Notes
    -----
    All descriptions by records and sets of columns are made if there are up to 200,000; otherwise
    5,000 are drawn. Equality for texts; numbers at least the value where it is above the
    replica's median, otherwise at most. Controls of unequal size, or sized by a fitted curve, find
    a risk in independent draws: that is why both sides are of k records.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Proceedings on Privacy Enhancing Technologies;
    Cohen and Nissim (2020), PNAS 117(15).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> a, b = (pd.DataFrame(rng.integers(0, 40, (80, 3)), columns=list("xyz")) for _ in "ab")
    >>> found = singling_out(a.astype(str), a.astype(str), b.astype(str), columns=2)
    >>> found.training > 0.9, found.p_value
    (True, 0.001)
    """
    data = people(
        original,
        synthetic,
        holdout,
        variables=variables,
        missing_codes=missing_codes,
        household=household,
    )
    return single_out(data, columns=columns, permutations=permutations, seed=seed)


def single_out(
    data: People, *, columns: int, permutations: int, seed: int, copy: float | None = None
) -> AttackResult:
    """Make the attack of `singling_out` on data sets of one codebook.

    `copy` is what a copy of the original scores, where that is computed already.

    Raises
    ------
    StudyError
    """
    if not 1 <= columns <= len(data.columns):
        msg = f"columns: expected a whole number from 1 to {len(data.columns)} but got {columns}."
        raise StudyError(msg)
    if permutations < 1:
        msg = "permutations: expected a whole number of at least 1."
        raise StudyError(msg)
    rng = np.random.default_rng(seed)
    matches = _Matches(data)
    descriptions = _descriptions(data, matches, columns, rng)
    matched = [np.flatnonzero(matches.of_people(description)) for description in descriptions]
    if copy is None:
        copy = _copied(data, columns, seed)
    return _tested(data, matched, permutations, seed, copy)


def _tested(
    data: People, matched: list[Ints], permutations: int, seed: int, copy: float
) -> AttackResult:
    n, h = data.n, data.h
    k = min(n, h)
    counts = np.array([[(f < n).sum(), (f >= n).sum()] for f in matched]).reshape(-1, 2)
    single = np.zeros(n)
    for f, count in zip(matched, counts, strict=True):
        if count[0] == 1:
            single[f[0]] += 1
    count_matched = len(matched)
    of_n, of_h = _exactly_one(n, k), _exactly_one(h, k)
    e, s = (
        float(t[c].mean()) if count_matched else math.nan
        for t, c in ((of_n, counts[:, 0]), (of_h, counts[:, 1]))
    )
    excess = e - s
    drawn = _permuted(matched, data, permutations, seed) if count_matched else np.array([0.0])
    half = _Z * float(drawn.std())
    # 1e-12: sums of the same terms in another order
    p = (1 + int((drawn >= excess - 1e-12).sum())) / (1 + permutations)
    notes = (
        ()
        if count_matched >= _FEWEST
        else (f"{count_matched} descriptions are too few for a test",)
    )
    return AttackResult(
        attack="singling out",
        of="descriptions that fit exactly one of k records",
        training=e,
        control=s,
        baseline=math.nan,
        excess=excess,
        interval=(math.nan, math.nan),
        p_value=p if count_matched >= _FEWEST else math.nan,
        n_training=n,
        n_control=h,
        n_synthetic=data.sizes[1],
        copy=copy,
        per_record=single,
        figures={
            "descriptions": count_matched,
            "k": k,
            "band_of_chance": (-half, half),
            "of_all": float((counts[:, 0] == 1).mean()) if count_matched else math.nan,
        },
        seed=seed,
        notes=notes,
        fixes=data.fixes,
    )


def _copied(data: People, columns: int, seed: int) -> float:
    """Return what a copy of the original would have: the share, of k records."""
    copied = data.copied()
    matches = _Matches(copied)
    rng = np.random.default_rng(seed)
    counts = [
        int(matches.of_people(description)[: data.n].sum())
        for description in _descriptions(copied, matches, columns, rng)
    ]
    if not counts:
        return math.nan
    return float(_exactly_one(data.n, min(data.n, data.h))[np.array(counts)].mean())


def _exactly_one(n: int, k: int) -> Floats:
    """Return for each count of n how likely exactly one is among k of them, drawn at random."""
    return hypergeometric(1, n, np.arange(n + 1), k)


def _permuted(matched: list[Ints], data: People, permutations: int, seed: int) -> Floats:
    """Return the excess under permuted labels, as often as asked for."""
    from scipy import sparse  # large: for a fast start, only when it is needed

    n, h = data.n, data.h
    k = min(n, h)
    few = [f for f in matched if len(f) <= _PERMUTED]
    lengths = np.array([len(f) for f in few], dtype=np.int64)
    of_n, of_h = _exactly_one(n, k), _exactly_one(h, k)
    if not few:
        return np.zeros(permutations)
    table = sparse.csr_matrix(
        (
            np.ones(int(lengths.sum()), dtype=np.float32),
            np.concatenate(few),
            np.append(0, np.cumsum(lengths)),
        ),
        shape=(len(few), n + h),
    )
    rng = np.random.default_rng(seed)
    out = np.empty(permutations)
    for i in range(permutations):
        label = np.zeros(n + h, dtype=np.float32)
        label[relabelled(rng, n + h, n, data.households)] = 1
        members = (table @ label).astype(np.int64)
        out[i] = (of_n[members] - of_h[lengths - members]).sum() / len(matched)
    return out


def _descriptions(
    data: People, matches: _Matches, columns: int, rng: np.random.Generator
) -> list[_Description]:
    """Return descriptions that fit exactly one synthetic record, each once."""
    names, m = data.columns, data.sizes[1]
    if columns == 1:
        return list(_of_one_column(data, matches))
    sets = list(itertools.combinations(range(len(names)), columns))
    sieve = _Sieve(matches, rng)
    every = m * len(sets) <= _ENUMERATED
    drawn: dict[_Description, bool] = {}
    n_single = 0
    for rows, which in _all(m, len(sets)) if every else _drawn(m, len(sets), rng):
        picked = np.array(sets)[which]
        left = sieve.left(rows, picked)
        for row, some in zip(rows[left].tolist(), picked[left].tolist(), strict=True):
            description = matches.describe(row, tuple(names[i] for i in some))
            if description not in drawn:
                drawn[description] = sieve.is_exact or matches.of_replica(description) == 1
                n_single += drawn[description]
                if n_single == _DRAWN and not every:
                    return [description for description, single in drawn.items() if single]
    return [description for description, single in drawn.items() if single]


def _all(m: int, sets: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield every record with every set of columns, a set at a time."""
    for i in range(sets):
        yield np.arange(m), np.full(m, i)


def _drawn(m: int, sets: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield records and sets of columns at random, many at a time."""
    for _ in range(_TRIES // _AT_A_TIME):
        yield rng.integers(m, size=_AT_A_TIME), rng.integers(sets, size=_AT_A_TIME)


class _Sieve:
    """Filters descriptions: drops those that fit two of a sample of records, in batches.

    In stages: each tries what the one before has left, on other records.
    """

    def __init__(self, matches: _Matches, rng: np.random.Generator) -> None:
        values = list(matches.replica.values())
        m = len(values[0])
        order = np.arange(m) if m <= _SIFTED else rng.permutation(m)
        stages = [order[at : at + _SIFTED] for at in range(0, min(m, _SIFTED * _STAGES), _SIFTED)]
        self.is_exact = sum(map(len, stages)) == m
        self._places = np.empty((len(values), m), dtype=np.int64)
        tables: list[list[npt.NDArray[np.uint64]]] = [[] for _ in stages]
        offset = 0
        for i, (name, column) in enumerate(matches.replica.items()):
            distinct, self._places[i] = np.unique(column, return_inverse=True)
            self._places[i] += offset
            offset += len(distinct)
            for table, some in zip(tables, stages, strict=True):
                table.append(_fitting(column[some], distinct, matches.middle(name)))
        self._tables = [np.concatenate(table) for table in tables]

    def left(self, rows: Ints, picked: Ints) -> Ints:
        """Return which descriptions, each of a record by some columns, fit at most one record."""
        out = []
        for at in range(0, len(rows), _AT_A_TIME):
            part = slice(at, at + _AT_A_TIME)
            columns = self._places[picked[part].T, rows[part]]
            still = np.arange(columns.shape[1])
            fits = np.zeros(columns.shape[1], dtype=np.int64)
            for table in self._tables:
                words = functools.reduce(
                    np.bitwise_and, (table[column[still]] for column in columns)
                )
                filled = (words != 0).sum(axis=1)
                word = words.max(axis=1)  # the only one, where there is one
                single = (filled <= 1) & ((word & (word - (word > 0))) == 0)
                fits[still] += filled
                still = still[single & (fits[still] <= 1)]
            out.append(at + still)
        return np.concatenate(out)


def _fitting(values: Floats, distinct: Floats, middle: float) -> npt.NDArray[np.uint64]:
    """Return which of some values each distinct one describes, as bits: one row per distinct."""
    ranks = np.searchsorted(distinct, values).astype(np.int32)  # a missing one is the last
    present = ~np.isnan(values)
    below, above = (int(marked.sum()) for marked in (distinct <= middle, distinct > middle))
    rows = []
    for at in range(0, len(distinct), _TABLED):
        own = np.arange(at, min(at + _TABLED, len(distinct)), dtype=np.int32)[:, None]
        at_most, rest = np.split(own, [int((own < below).sum())])
        at_least, equal = np.split(rest, [int((rest < below + above).sum())])
        fits = [ranks <= at_most, (ranks >= at_least) & present, ranks == equal]
        rows.append(np.packbits(np.concatenate(fits), axis=1))
    bits = np.concatenate(rows)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view(np.uint64)


def _of_one_column(data: People, matches: _Matches) -> Iterator[_Description]:
    for name in data.columns:
        values = matches.replica[name]
        distinct, counts = np.unique(values, return_counts=True)
        for value, count in zip(distinct, counts, strict=True):
            if count == 1:
                yield _Description((name,), (0,), (_shown(float(value)),))
        present = values[~np.isnan(values)]
        if name in data.numbers and len(present):
            for sign, value in ((-1, present.min()), (1, present.max())):
                if (present == value).sum() == 1:
                    yield _Description((name,), (sign,), (float(value),))


class _Matches:
    """Finds the records that a description fits; matches of single values are cached."""

    def __init__(self, data: People) -> None:
        self.replica = {
            name: (data.codes.get(name) or data.numbers[name])[1].astype(np.float64)
            for name in data.columns
        }
        self._pool = {name: data.pooled(name) for name in data.columns}
        with np.errstate(all="ignore"):
            self._middle = {
                name: float(np.nanmedian(self.replica[name]))
                for name in data.numbers
                if not np.isnan(self.replica[name]).all()
            }
        self._of_replica: dict[tuple[str, int, float], npt.NDArray[np.uint8]] = {}
        self._of_people: dict[tuple[str, int, float], npt.NDArray[np.uint8]] = {}

    def describe(self, row: int, columns: tuple[str, ...]) -> _Description:
        """Return the description of a synthetic record by some of its columns."""
        values = tuple(float(self.replica[name][row]) for name in columns)
        signs = tuple(self.sign(name, v) for name, v in zip(columns, values, strict=True))
        return _Description(columns, signs, tuple(map(_shown, values)))

    def middle(self, name: str) -> float:
        """Return the median of a number; NaN of a column whose values are told as equal."""
        return self._middle.get(name, math.nan)

    def sign(self, name: str, value: float) -> int:
        """Return whether a value is told as equal, as at least or as at most."""
        if name not in self._middle or math.isnan(value):
            return 0
        return 1 if value > self._middle[name] else -1

    def of_replica(self, description: _Description) -> int:
        """Return how many synthetic records a description fits."""
        return int.from_bytes(
            self._all(description, self.replica, self._of_replica).tobytes()
        ).bit_count()

    def of_people(self, description: _Description) -> Bools:
        """Return which original and holdout records a description fits."""
        bits = self._all(description, self._pool, self._of_people)
        n = len(next(iter(self._pool.values())))
        return np.unpackbits(bits, count=n).astype(bool)

    def _all(
        self,
        description: _Description,
        data: dict[str, Floats],
        cached: dict[tuple[str, int, float], npt.NDArray[np.uint8]],
    ) -> npt.NDArray[np.uint8]:
        parts = list(zip(description.columns, description.signs, description.values, strict=True))
        for part in parts:
            if part not in cached:
                cached[part] = np.packbits(_fits(data[part[0]], part[1], part[2]))
        return functools.reduce(np.bitwise_and, (cached[part] for part in parts))


def _shown(value: float) -> float:
    """Return a value as text for a description; missing equals itself."""
    return math.inf if math.isnan(value) else value


def _fits(values: Floats, sign: int, value: float) -> Bools:
    """Return which values fit; infinity stands for missing."""
    if math.isinf(value):
        return np.isnan(values)
    return values >= value if sign > 0 else values <= value if sign < 0 else values == value
