"""Control replicas with permuted columns: whether single columns explain an alarm.

They are made only where something alarms. An alarm must be stronger than that of every one of
them; a tie fails. Where it is beyond the first few by orders of magnitude, no more are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sdcmetrics.measures.people.cells import cells_of
from sdcmetrics.measures.people.equal import Keys, bundles_of, equal_records, sum_keys
from sdcmetrics.measures.people.near import near_records
from sdcmetrics.measures.people.search import Searchable

EXACT = 99
HALVES = 19
NEAR = 19

_ENOUGH = 5  # controls of a kind, after which none are made where an alarm is far beyond them all:
_FAR = 4  # its p is below this power of the smallest p of theirs,
_USUAL = 0.03  # and of this, as five of a test whose p is mostly 1 say little
_MANY = 20_000  # records from which on permuted columns are only shifted against each other
_CHEAP = 12_000_000  # steps of a search up to which near controls are as many as exact ones


@dataclass
class _Comparison:
    """Alarms beside the controls of a kind made so far.

    Attributes
    ----------
    smallest : dict
        The p of each test that alarms.
    beaten : dict
        Of each, whether it is below that of every control.
    strongest : dict
        The smallest p of any control, or what is usual where no control is below it.
    count : int
        Controls.
    """

    smallest: dict[str, float]
    beaten: dict[str, bool]
    strongest: dict[str, float] = field(default_factory=dict)
    count: int = 0

    def compare(self, control: dict[str, float]) -> None:
        """Take note of the p of one control."""
        self.count += 1
        for test, p in self.smallest.items():
            self.beaten[test] &= control[test] > p
            self.strongest[test] = min(control[test], self.strongest.get(test, _USUAL))

    @property
    def decided(self) -> bool:
        """Whether no alarm is left, or those left are too strong for any further control."""
        far = (self.smallest[test] < self.strongest[test] ** _FAR for test in self.left)
        return not self.left or (self.count >= _ENOUGH and all(far))

    @property
    def left(self) -> list[str]:
        """The alarms that are stronger than every control."""
        return [test for test, beaten in self.beaten.items() if beaten]


def beaten_by_equal(
    columns: list[Keys],
    n: int,
    h: int,
    smallest: dict[str, float],
    rng: np.random.Generator,
) -> dict[str, bool]:
    """Return of LE and TE whether their p is below that of every replica of permuted columns.

    Parameters
    ----------
    columns : list of key arrays
        Of all records, per column.
    n, h : int
    smallest : dict
        The p of each test that alarms, "LE" and "TE".
    rng : numpy Generator
    """
    pool = n + h
    people = sum_keys([column[:pool] for column in columns])

    def law(keys: Keys) -> dict[str, float]:
        """Return the p of a replica with these keys."""
        control = equal_records(bundles_of(np.concatenate([people, keys]), n, h), n, h)
        return {"LE": control.p_label, "TE": control.p_twins}

    return _beaten([column[pool:] for column in columns], smallest, law, rng, halves=not h)


def beaten(
    columns: list[Keys], n: int, p: float, law: Callable[[Keys], float], rng: np.random.Generator
) -> bool:
    """Return whether p is below that of all permuted replicas, of whose keys a law gives the p.

    Columns are those of the original's n records and of the replica's.
    """
    ours = sum_keys([column[:n] for column in columns])
    replica = [column[n:] for column in columns]

    def of_keys(keys: Keys) -> dict[str, float]:
        """Return the p of a replica with these keys."""
        return {"": law(np.concatenate([ours, keys]))}

    return _beaten(replica, {"": p}, of_keys, rng, halves=True)[""]


def _beaten(
    columns: list[Keys],
    smallest: dict[str, float],
    law: Callable[[Keys], dict[str, float]],
    rng: np.random.Generator,
    *,
    halves: bool,
) -> dict[str, bool]:
    """Return of each test whether its p is below that of every control, kind by kind."""
    out = dict.fromkeys(smallest, True)
    for kind in (_apart(columns, rng), _by_halves(columns, rng) if halves else iter(())):
        controls = _Comparison(smallest, out)
        for keys in kind:
            controls.compare(law(keys))
            if controls.decided:
                break
    return out


def _apart(columns: list[Keys], rng: np.random.Generator) -> Iterator[Keys]:
    """Yield the keys of replicas with every column permuted on its own."""
    (m,) = {len(column) for column in columns}
    if m > _MANY:
        columns = [rng.permutation(column) for column in columns]
        for _ in range(EXACT):
            yield sum_keys([np.roll(column, int(rng.integers(m))) for column in columns])
    else:
        for _ in range(EXACT):
            yield sum_keys([rng.permutation(column) for column in columns])


def _by_halves(columns: list[Keys], rng: np.random.Generator) -> Iterator[Keys]:
    """Yield the keys of replicas of which half of the columns are permuted together.

    Of columns that vary: where only constant ones are permuted, the replica stays what it is.
    """
    whole = sum_keys(columns)
    varying = [column for column in columns if column.min() < column.max()]
    half = len(varying) // 2
    for _ in range(HALVES if half else 0):
        some = rng.choice(len(varying), half, replace=False)
        part = sum_keys([varying[j] for j in some])
        yield whole - part + rng.permutation(part)


def beaten_by_near(
    files: Searchable,
    smallest: dict[str, float],
    rng: np.random.Generator,
    *,
    skip_equal: bool,
) -> tuple[dict[str, bool], float]:
    """Return of TN and LN whether their smallest p is below that of every control.

    The second value is the mean share of the controls' records nearest to the original.
    """
    shares: list[Any] = []
    people = files.among()
    controls = _Comparison(smallest, dict.fromkeys(smallest, True))
    for _ in range(EXACT if files.steps <= _CHEAP else NEAR):
        replica = files.shuffled(rng)
        control = near_records(
            replica, rng, skip_equal=skip_equal, tests=controls.left, people=people
        )
        shares.append(control.share)
        controls.compare({"TN": control.smallest_twins, "LN": control.smallest_label})
        if controls.decided:
            break
    return controls.beaten, float(np.mean(shares))


def beaten_by_cells(files: Searchable, p: float, rng: np.random.Generator) -> bool:
    """Return whether the p of cells is below that of every control."""
    controls = _Comparison({"": p}, {"": True})
    while not controls.decided and controls.count < EXACT:
        controls.compare({"": cells_of(files.shuffled(rng)).p})
    return controls.beaten[""]
