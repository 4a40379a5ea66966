"""All tests of whose records are in one set of files, each made when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sdcmetrics.measures.people.boxes import in_boxes, most_records
from sdcmetrics.measures.people.cells import Cells, cells_of, rounded_cells
from sdcmetrics.measures.people.claims import Interval
from sdcmetrics.measures.people.clusters import Labels, drawn_label_p
from sdcmetrics.measures.people.columns import Comparable, Files, comparable
from sdcmetrics.measures.people.controls import (
    beaten,
    beaten_by_cells,
    beaten_by_equal,
    beaten_by_near,
)
from sdcmetrics.measures.people.equal import (
    CONFIRMED,
    SPEAKS,
    Equal,
    Keys,
    bundles_of,
    column_keys,
    equal_records,
    label_p,
    likely_hits,
    refutes,
    sum_keys,
)
from sdcmetrics.measures.people.equal_rows import ClusteredRows
from sdcmetrics.measures.people.intervals import beyond_duplicates, beyond_values
from sdcmetrics.measures.people.looks import near_looks
from sdcmetrics.measures.people.near import Near, largest_share, near_records
from sdcmetrics.measures.people.search import Searchable
from sdcmetrics.measures.people.searches import Searches, with_groups, without_holdout
from sdcmetrics.measures.people.tails import at_least_binomial
from sdcmetrics.measures.people.values import replica_values
from sdcmetrics.microdata.arrays import Ints

CONTRADICTED = 0.1
"""Above this p it contradicts; between the two it is undecided."""
OF_CELLS = 0.1
"""Of the level of TN, for cells; the rest is for pairs."""


@dataclass(repr=False)
class PeopleTests:
    """The four tests of one file or union."""

    prepared: Comparable
    levels: dict[str, float]
    rng: np.random.Generator
    settled: frozenset[str] = frozenset()
    clustered: tuple[Files, Labels] | None = None
    near_shares: list[float] = field(default_factory=list)
    rows: tuple[ClusteredRows, ...] = ()

    def by_rows(self, whole: Files, clusters: tuple[Ints, Ints | None]) -> None:
        """Look for equal rows of different clusters, too, and for those with numbers in groups.

        The level of TE is for all of them.
        """
        rows = self._all_rows(whole)
        keys = self.keys if rows is self.files else column_keys(rows, self.rng)
        sets = with_groups(rows, keys, self.rng)
        self.rows = tuple(ClusteredRows(keys, *clusters, whole.sizes) for keys in sets)

    def by_clusters(self, whole: Files, labels: Labels) -> None:
        """Use all rows in label tests, their labels exchanged by whole clusters."""
        self.clustered = self._all_rows(whole), labels

    def _all_rows(self, whole: Files) -> Files:
        files = comparable(whole, self.rng).files
        return files if files.names == whole.names else whole  # the same columns for all tests

    @property
    def files(self) -> Files:
        """One row of each cluster, where these are named."""
        return self.prepared.files

    @property
    def label_files(self) -> Files:
        """The records that label tests use: all rows of clusters whose labels are exchanged."""
        return self.files if self.clustered is None else self.clustered[0]

    @cached_property
    def places(self) -> bool:
        """Whether near tests look at a part of the records only."""
        return any(files.size > most_records(files) for files in (self.label_files, self.files))

    @cached_property
    def keys(self) -> list[Keys]:
        """Of the columns of all records."""
        return column_keys(self.files, self.rng)

    @cached_property
    def label_keys(self) -> list[Keys]:
        """The keys of the records that label tests use."""
        return self.keys if self.clustered is None else column_keys(self.label_files, self.rng)

    @cached_property
    def searches(self) -> Searches:
        """The searches of TE."""
        return Searches(self.files, self.keys, self.rows, self.rng)

    @property
    def equal(self) -> Equal:
        """Results of the tests of equal records."""
        return self.searches.equal

    @cached_property
    def label_equal(self) -> Equal:
        """Results of equal records for LE."""
        if self.clustered is None:
            return self.equal
        files = self.label_files
        bundles = bundles_of(sum_keys(self.label_keys), files.n, files.h)
        return equal_records(bundles, files.n, files.h)

    @cached_property
    def p_label(self) -> float:
        """The p of LE."""
        if self.clustered is None:
            return self.equal.p_label
        files, labels = self.clustered
        keys = sum_keys(self.label_keys)
        pool, replica = keys[: files.pool], keys[files.pool :]
        _, place, counts = np.unique(pool, return_inverse=True, return_counts=True)
        hits = np.flatnonzero((counts[place] == 1) & np.isin(pool, replica))
        return drawn_label_p(hits, labels, self.levels["LE"], self.rng)

    @property
    def distinct(self) -> bool:
        """Whether a file repeats nothing though the original would."""
        return self.searches.distinct

    @cached_property
    def noticed_by_values(self) -> int | None:
        """Copied people who are noticed by values alone, or by labels of a holdout."""
        return self.searches.noticed_by_values(self.levels)

    @property
    def silent(self) -> bool:
        """Whether equal records say nothing, as the replica repeats none and too many are alike."""
        return self.distinct and "TE" not in self.below and self.noticed_by_values is None

    @property
    def arranged(self) -> Searchable:
        """Records for near tests."""
        return self._nearest[1]

    @cached_property
    def label_arranged(self) -> tuple[Searchable, Labels] | None:
        """Records for LN, where its labels are those of clusters."""
        if self.clustered is None:
            return None
        files, labels = self.clustered
        given = in_boxes(files, self.rng)
        return given, labels.of(given.people)

    @property
    def near(self) -> Near:
        """Results of the tests of near records."""
        return self._nearest[0]

    @cached_property
    def _nearest(self) -> tuple[Near, Searchable, bool]:
        """The results that say most, and of which records they are."""
        return min(self._near_results, key=self._strength)

    @cached_property
    def cells(self) -> Cells:
        """Cells about records of the replica, as they are found that say most."""
        return self._cells[0]

    @cached_property
    def _cells(self) -> tuple[Cells, list[Keys]]:
        """The cells that say most, and the keys of columns where these are of coarser numbers."""
        n, h = self.files.n, self.files.h
        results = [(cells_of(self._near_results[0][1]), list[Keys]())]
        results += [(rounded_cells(keys, n, h), keys) for keys in self.searches.rounded]
        return min(results, key=lambda result: result[0].values.p)

    @property
    def by_cells(self) -> bool:
        """Whether cells say more to TN than pairs."""
        return self.cells.p / OF_CELLS < self.near.p_twins / (1 - OF_CELLS)

    @cached_property
    def _near_results(self) -> list[tuple[Near, Searchable, bool]]:
        """The results of each look, and of which records; the levels are for all."""
        looks = list(near_looks(self.searches))
        levels = {test: level / len(looks) for test, level in self._near_levels.items()}
        pair = levels["TN"], levels.get("LN", 0.0)
        results = []
        for files, distinct in looks:
            given = in_boxes(files, self.rng)
            near = near_records(given, self.rng, levels=pair, skip_equal=distinct, tests=levels)
            twins = near.p_twins if self.searches.near_pairs_count else 1.0
            p = [min(1.0, p * len(looks)) for p in (twins, near.p_label)]
            results.append((replace(near, p_twins=p[0], p_label=p[1]), given, distinct))
        return results

    @property
    def _near_levels(self) -> dict[str, float]:
        """The levels of tests of the same near records: of clusters LN has records of its own."""
        tests = {"TN": 1 - OF_CELLS} | ({"LN": 1.0} if self.clustered is None else {})
        return {
            test: share * self.levels[test] for test, share in tests.items() if test in self.levels
        }

    def _strength(self, result: tuple[Near, Searchable, bool]) -> tuple[float, float]:
        """Return how strong near records are: their p over its level, and the smallest p."""
        near = result[0]
        p = {"TN": near.p_twins, "LN": near.p_label}
        strength = min(p[test] / level for test, level in self._near_levels.items())
        return strength, min(near.smallest_twins, near.smallest_label)

    @cached_property
    def avoided(self) -> tuple[int, int] | None:
        """People of original and holdout whom it meets, where the former are too few for chance.

        Of records that are equal, or of near ones; each at half of the level of LE.
        """
        files, equal = self.files, self.equal
        if not files.h or "LE" not in self.levels:
            return None
        p_equal = label_p(equal.holdout, equal.original, files.h, files.n)
        met = min(
            (p_equal, (equal.original, equal.holdout)), (self.near.p_avoided, self.near.avoided)
        )
        return met[1] if met[0] <= self.levels["LE"] / 2 else None

    @cached_property
    def label_near(self) -> Near:
        """What near records say to LN."""
        if self.label_arranged is None:
            return self.near
        given, labels = self.label_arranged
        levels = (0.0, self.levels["LN"])
        return near_records(given, self.rng, levels=levels, labels=labels)

    @cached_property
    def p(self) -> dict[str, float]:
        """The p of each test, before the holdout has its say."""
        out = {
            "LE": self.p_label,
            "TE": self.searches.p,
            "LN": self.label_near.p_label,
            "TN": min(1.0, self.near.p_twins / (1 - OF_CELLS), self.cells.p / OF_CELLS),
        }
        return {test: out[test] for test in self.levels}

    @cached_property
    def against(self) -> dict[str, tuple[bool, float]]:
        """For duplicate tests: whether the holdout confirms or could contradict, and its p."""
        joined, contradicts = self.near_hits
        p = {
            "TE": self.p.get("LE", 0.0),
            "TN": at_least_binomial(joined, joined + contradicts, self.files.n / self.files.pool),
        }
        spoke = {
            "TE": self.searches.spoke if "TE" in self.below else self.equal.spoke,
            "TN": self._near_spoke,
        }
        confirms = {test: bool(self.files.h) and p[test] <= CONFIRMED for test in p}
        return {test: (confirms[test] or spoke[test], p[test]) for test in p}

    @property
    def near_people(self) -> Interval:
        """The people replicated by near records."""
        n, near = self.files.n, self.near
        if self.by_cells:
            return beyond_values(self.cells.values, n)
        chance = largest_share(self.arranged.n, self.arranged.h)
        return beyond_duplicates(near.joined, near.pairs, chance, n)

    @property
    def _near_spoke(self) -> bool:
        """Whether the holdout could contradict that so many of the hits are copied people."""
        n, h, hits = self.files.n, self.files.h, sum(self.near_hits)
        people = self.near_people
        copied = round(people.estimate) if "TN" in self.below else hits
        likely = likely_hits(hits, copied, n, h)
        if h and at_least_binomial(likely, hits, n / (n + h)) <= SPEAKS:
            return True
        return "TN" in self.below and refutes(*self.near_hits, n, h, round(people.low))

    @property
    def near_hits(self) -> tuple[int, int]:
        """Hits of TN in the original, and in the holdout."""
        if self.by_cells:
            return self.cells.original, self.cells.holdout
        return self.near.joined, self.near.contradicts

    @cached_property
    def below(self) -> set[str]:
        """The tests at their level."""
        return {test for test, p in self.p.items() if p <= self.levels[test]}

    @cached_property
    def void(self) -> set[str]:
        """Significant duplicate tests that a holdout with power does not confirm."""
        return {
            test
            for test, (spoke, p) in self.against.items()
            if test in self.below and spoke and p > CONFIRMED
        }

    @cached_property
    def undecided(self) -> bool:
        """Whether the holdout neither confirms nor contradicts one of them."""
        return any(self.against[test][1] <= CONTRADICTED for test in self.void)

    @cached_property
    def alarms(self) -> set[str]:
        """Tests at their level that the holdout confirms, where it can."""
        return self.below - self.void - ({"LN"} if self.settled else set())

    @property
    def permuted_tests(self) -> set[str]:
        """Of these, the tests that replicas of permuted columns are made for."""
        return self.alarms - self.settled

    @cached_property
    def beaten(self) -> set[str]:
        """Of these, the tests stronger than on every replica of permuted columns."""
        ok = {**self._equal_controls(), **self._near_controls()}
        return {test for test, beaten in ok.items() if beaten} | (self.alarms & self.settled)

    def _equal_controls(self) -> dict[str, bool]:
        out: dict[str, bool] = {}
        level = self.levels.get("TE", 0.0)
        if "TE" in self.permuted_tests:
            if any(self.searches.controlled(level)):
                out["TE"] = True
            elif self.searches.p_by_share.get("records", 2.0) > level:
                out["TE"] = False
        left = self.permuted_tests - set(out)
        if self.clustered is None:
            smallest_p = {"LE": self.equal.p_label, "TE": self.equal.p_twins}
            sets = [(smallest_p, self.keys, self.files)]
        else:
            sets = [
                ({"TE": self.equal.p_twins}, self.keys, self.files),
                ({"LE": self.label_equal.p_label}, self.label_keys, self.label_files),
            ]
        for smallest, keys, files in sets:
            tests_run = {test: p for test, p in smallest.items() if test in left}
            if tests_run:
                out |= beaten_by_equal(keys, files.n, files.h, tests_run, self.rng)
        return out

    def _near_controls(self) -> dict[str, bool]:
        out: dict[str, bool] = {}
        duplicates, label = self.near.smallest_twins, self.label_near.smallest_label
        level = self.levels.get("TN", 0.0)
        if "TN" in self.permuted_tests and self.cells.p <= OF_CELLS * level:
            out["TN"] = self._beaten_by_cells()
        by_pairs = self.near.p_twins <= (1 - OF_CELLS) * level and not out.get("TN")
        left = self.permuted_tests - (set() if by_pairs else {"TN"})
        if self.label_arranged is None:
            sets = [({"TN": duplicates, "LN": label}, self.arranged)]
        else:
            sets = [({"TN": duplicates}, self.arranged), ({"LN": label}, self.label_arranged[0])]
        for smallest, given in sets:
            tests_run = {test: p for test, p in smallest.items() if test in left}
            if tests_run:
                skip = self._nearest[2] and given is self.arranged
                ok, share = beaten_by_near(given, tests_run, self.rng, skip_equal=skip)
                out |= ok
                if "LN" in tests_run:
                    self.near_shares.append(self.label_near.share - share)
        return out

    def _beaten_by_cells(self) -> bool:
        cells, keys = self._cells
        if not keys:
            return beaten_by_cells(self._near_results[0][1], cells.p, self.rng)
        n, m = self.files.n, self.files.m

        def law(drawn: Keys) -> float:
            """Return the p of a replica with these keys."""
            return replica_values(bundles_of(drawn, n, 0), m).p

        return beaten(without_holdout(keys, self.files), n, cells.values.p, law, self.rng)
