"""Searches for equal records: pairs, rows of clusters, and values of the replica.

They share the level of TE. Repeats and values are asked of original and replica alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdcmetrics.measures.people.claims import Interval
from sdcmetrics.measures.people.columns import Files, grouped
from sdcmetrics.measures.people.controls import beaten
from sdcmetrics.measures.people.equal import (
    Bundles,
    Equal,
    Keys,
    bundles_of,
    column_keys,
    equal_records,
    refutes,
    speaks,
    sum_keys,
)
from sdcmetrics.measures.people.equal_rows import CHANCE, ClusteredRows, EqualRows
from sdcmetrics.measures.people.intervals import beyond_duplicates, beyond_repeated, beyond_values
from sdcmetrics.measures.people.repeated import Repeated, repeated_values
from sdcmetrics.measures.people.rewritten import rewritten
from sdcmetrics.measures.people.rounded import in_classes, rounded_keys
from sdcmetrics.measures.people.unrepeated import (
    NearPairs,
    Pairs,
    dropped_p,
    expected_share,
    fewest_copies,
    files_within,
    lacks_repeats,
    nearly_equal,
    pairs_of,
    recur,
    repeats_less,
    some_lack_repeats,
    without_repeats,
)
from sdcmetrics.measures.people.values import (
    Values,
    different_values,
    noticed_by_values,
    replica_values,
)
from sdcmetrics.measures.records import REPEATED
from sdcmetrics.microdata.arrays import Ints

_OF_REPEATED = 0.1
"""Of the level of TE, for values that the replica repeats: copies are then many, and plain."""
_OF_VALUES, _OF_MORE_VALUES = 0.05, 0.45
"""Of the same, for all values of the replica; more where pairs within it hide those across."""
_ASKED = 0.01
"""The p of pairs up to which it is asked whether repeats were dropped."""
_HARDLY_ANY = 3  # repeated records of a replica, as many as it can lack by chance


@dataclass(repr=False)
class Searches:
    """What is looked for among equal records of one set of files.

    Attributes
    ----------
    files : Files
        One row of each cluster, where these are named.
    keys : list of key arrays
        Of the columns of all records.
    rows : tuple of ClusteredRows
        All rows of clusters, and these with numbers in groups.
    rng : numpy Generator
    """

    files: Files
    keys: list[Keys]
    rows: tuple[ClusteredRows, ...]
    rng: np.random.Generator

    @cached_property
    def equal(self) -> Equal:
        """Results of the tests of equal records."""
        return equal_records(self._bundles, self.files.n, self.files.h)

    @cached_property
    def _bundles(self) -> Bundles:
        return self._bundles_of(self.keys)

    def _bundles_of(self, keys: list[Keys]) -> Bundles:
        return bundles_of(sum_keys(keys), self.files.n, self.files.h)

    @cached_property
    def equal_rows(self) -> EqualRows:
        """Results of equal rows of different clusters, where these are looked at."""
        return self._strongest_rows[0]

    @cached_property
    def _strongest_rows(self) -> tuple[EqualRows, ClusteredRows | None]:
        """The results with the smallest p, and of which rows they are."""
        if self.rows and self.rows[0].distinct:  # then repeats are lacking in groups, too
            return EqualRows(), None
        results = [(rows.test(sum_keys(rows.keys)), rows) for rows in self.rows]
        return min(results, key=lambda result: result[0].p, default=(EqualRows(), None))

    @cached_property
    def repeated(self) -> tuple[Repeated, list[Keys]]:
        """People whose values the replica repeats, and by what keys these are."""
        bundles = [self._bundles, *(self._bundles_of(keys) for keys in self._key_sets[1:])]
        results = [repeated_values(each) for each in bundles]
        return min(zip(results, self._key_sets, strict=True), key=lambda result: result[0].p)

    @cached_property
    def _key_sets(self) -> list[list[Keys]]:
        """By what repeated values are looked for."""
        return with_groups(self.files, self.keys, self.rng)

    @property
    def shares(self) -> dict[str, float]:
        """Which share of the level of TE each of its searches has."""
        each = 1.0 / (1 + len(self.rows))
        rows = ("rows",) if self.rows else ()
        if self.distinct:
            return dict.fromkeys(("values", *rows), each)
        of_values = _OF_MORE_VALUES if self.repeats_more else _OF_VALUES
        most = 1.0 - _OF_REPEATED - of_values
        of_repeated = _OF_REPEATED / len(self._key_sets)
        shares = dict.fromkeys(("records", *rows), most * each)
        return shares | {"repeated": of_repeated, "values": of_values}

    @cached_property
    def p_by_share(self) -> dict[str, float]:
        """The p of each search for equal records, over its share of the level."""
        p = {
            "records": lambda: self.p_pairs,
            "rows": lambda: self.equal_rows.p,
            "repeated": lambda: self.repeated[0].p,
            "values": lambda: self.values.p,
        }
        return {name: p[name]() / share for name, share in self.shares.items()}

    @property
    def strongest(self) -> str:
        """The search that says most: by records, rows of clusters or values."""
        return min(self.p_by_share, key=self.p_by_share.__getitem__)

    @cached_property
    def p(self) -> float:
        """The p of TE, the smallest of its searches."""
        return min(1.0, *self.p_by_share.values())

    @cached_property
    def distinct(self) -> bool:
        """Whether a file repeats nothing though the original would."""
        files = self.files
        if files.sizes:
            keys = sum_keys(without_holdout(self.keys, files))
            return some_lack_repeats(keys, files.n, files.sizes)
        return lacks_repeats(self._bundles, files.n, files.m)

    @cached_property
    def rounded(self) -> list[list[Keys]]:
        """The keys of columns with people put where the replica has values, by side."""
        return rounded_keys(self.files, self.rng)

    @cached_property
    def classed(self) -> Files:
        """The files with coarser numbers in classes."""
        return in_classes(self.files)

    @cached_property
    def near_pairs_count(self) -> bool:
        """Whether pairs of near records say anything.

        Where repeats were dropped and values are written otherwise, records of the replica keep
        apart from each other, and not from people. Numbers with noise hardly repeat: without them.
        """
        files = self.files
        if not rewritten(files):
            return True
        sets = [[c for c in self.keys if recur(c[files.pool :], c[: files.n])]]
        if self.classed is not files:
            sets.append(column_keys(self.classed, self.rng))
        return not self._repeats_less(filter(None, sets))

    def _repeats_less(self, sets: Iterable[list[Keys]]) -> bool:
        """Whether a file has far fewer pairs than the original would, by the keys of any set."""
        n, pool = self.files.n, self.files.pool
        return any(
            repeats_less(keys[:n], file)
            for keys in map(sum_keys, sets)
            for file in files_within(keys[pool:], self.files.sizes)
        )

    @cached_property
    def p_pairs(self) -> float:
        """The p of pairs of records, also if repeats of a replica without any were dropped."""
        p = self.equal.p_twins
        if p > _ASKED or not (self.unrepeated or self._repeats_less([self.keys])):
            return p
        return max(p, dropped_p(*self._pairs, self._share))

    @cached_property
    def unrepeated(self) -> bool:
        """Whether no file repeats anything, though perhaps the original would not either."""
        files = self.files
        if files.sizes:
            keys = sum_keys(without_holdout(self.keys, files))
            return without_repeats(keys, files.n, files.sizes)
        return not (self._bundles.replica > 1).any()

    @cached_property
    def _pairs(self) -> tuple[Pairs, NearPairs]:
        """Pairs of equal records, and of those that are equal but for a column."""
        return pairs_of(self._bundles), nearly_equal(self.keys, self.files.n, self.files.h)

    @property
    def _share(self) -> float:
        return expected_share(self.files.n, self.files.h, self.files.m)

    @property
    def lacks_pairs(self) -> bool:
        """Whether equal records of the replica may be lacking, so that others prove nothing."""
        return self.distinct or self.p_pairs > self.equal.p_twins

    def fewest_copies(self, level: float) -> int:
        """Return how many copies are told from chance by pairs, at a level of TE.

        Of a replica with hardly any repeats, as others of its kind have none.
        """
        if (self._bundles.replica > 1).sum() > _HARDLY_ANY:
            return 0
        return fewest_copies(*self._pairs, self._share, level * self.shares["records"])

    @cached_property
    def different_rows(self) -> Ints:
        """A row of each different record of the replica, in order."""
        return np.sort(np.unique(sum_keys(self.keys)[self.files.pool :], return_index=True)[1])

    @cached_property
    def repeats_more(self) -> bool:
        """Whether the replica repeats its records more than the original, and much."""
        n, m = self.files.n, self.files.m
        people = different_values(self._bundles.original, n)
        return m * people > REPEATED * n * different_values(self._bundles.replica, m)

    @cached_property
    def values(self) -> Values:
        """Values of the replica, and how many of them people of the original have."""
        return replica_values(self._bundles, self.files.m)

    def noticed_by_values(self, levels: Mapping[str, float]) -> int | None:
        """Return how many copied people are noticed by values, or labels, at levels of tests.

        Copies make a file that repeats much repeat less: the smaller share of the level holds.
        """
        share = self.shares["values"] if self.distinct else _OF_VALUES
        of_values = levels["TE"] * share
        label = (self.files.h, levels.get("LE", 0.0))
        n, m = self.files.n, self.files.m
        repeats = not self.distinct
        return noticed_by_values(
            self._bundles, n, m, of_values, self.rng, label=label, repeats=repeats
        )

    @property
    def people(self) -> Interval:
        """The people replicated, as the search finds them that says most."""
        n = self.files.n
        if self.strongest == "rows":
            rows = self.equal_rows
            return beyond_duplicates(rows.copies, rows.bundles, CHANCE, len(self.rows[0].original))
        if self.strongest == "repeated":
            return beyond_repeated(self.repeated[0], n)
        if self.strongest == "values":
            return beyond_values(self.values, n)
        equal = self.equal
        return beyond_duplicates(equal.joined, equal.bundles, equal.chance, n)

    @property
    def spoke(self) -> bool:
        """Whether a holdout could contradict that people are replicated."""
        equal, bundles = self.equal, self._bundles
        if self.strongest == "rows":
            return equal.spoke
        hits = equal.original, equal.holdout, self.files.n, self.files.h
        people, alone = self.people, bundles.alone(self.files.n)
        return speaks(*hits, round(people.estimate * alone)) or refutes(
            *hits, round(people.low * alone)
        )

    @property
    def joined(self) -> tuple[int, int]:
        """Hits of the strongest search in the original, and in the holdout."""
        if self.strongest == "records":
            return self.equal.joined, self.equal.contradicts
        if self.strongest == "rows":
            return self.equal_rows.joined, 0
        return self.repeated[0].different if self.strongest == "repeated" else self.values.once, 0

    @property
    def smallest(self) -> float:
        """The p of the strongest search, not over its share of the level."""
        return self.p_by_share[self.strongest] * self.shares[self.strongest]

    def controlled(self, level: float) -> Iterator[bool]:
        """Yield of searches at the level whether they are stronger than on permuted replicas."""
        repeated, keys = self.repeated
        n, m = self.files.n, self.files.m
        laws: dict[str, tuple[list[Keys], float, Callable[[Keys], float]]] = {
            "repeated": (
                keys,
                repeated.p,
                lambda drawn: repeated_values(bundles_of(drawn, n, 0)).p,
            ),
            "values": (
                self.keys,
                self.values.p,
                lambda drawn: replica_values(bundles_of(drawn, n, 0), m).p,
            ),
        }
        for search, (columns, p, law) in laws.items():
            if self.p_by_share.get(search, 2.0) <= level:
                yield beaten(without_holdout(columns, self.files), n, p, law, self.rng)
        result, rows = self._strongest_rows
        if rows is not None and self.p_by_share["rows"] <= level:
            size = len(rows.original)
            yield beaten(rows.keys, size, result.p, lambda drawn: rows.test(drawn).p, self.rng)


def with_groups(files: Files, keys: list[Keys], rng: np.random.Generator) -> list[list[Keys]]:
    """Return the keys of all columns, and those with numbers in groups, if there are any."""
    near = grouped(files)
    return [keys] if near is None else [keys, column_keys(near, rng)]


def without_holdout(keys: list[Keys], files: Files) -> list[Keys]:
    """Return the keys of columns of the original's records and the replica's."""
    if not files.h:
        return keys
    return [np.concatenate([column[: files.n], column[files.pool :]]) for column in keys]
